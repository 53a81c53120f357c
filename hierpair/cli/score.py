"""``hierpair score``: systems under measures."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hierpair.cli.config import CONFIG
from hierpair.cli.conventions import asked_measures, conventions_of
from hierpair.cli.looks import LOOK, check_look, digits_of, look_of
from hierpair.cli.parser import Outcome, Verb, say
from hierpair.cli.progress import Meter
from hierpair.cli.reading import (
    DATA,
    HIERARCHY,
    LABELS,
    read_inputs,
)
from hierpair.cli.thresholds import MISSED, THRESHOLDS, missed, thresholds_of
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores

__all__ = ["SCORING", "VERB"]


OPTIONS = """
FILE…                     hierarchy, truth, and one file or NAME=FILE per system
--case NAME               a bundled case instead of files
-m, --measures MEASURE*
                          a measure such as hf or 'hf(beta=2)' (may be repeated);
                          default: all that are defined for
                          any label sets
--preset TOOL             the numbers of another tool: hiclass-micro, hiclass-macro,
                          sklearn-hierarchical-classification, hemkit, cafaeval (predictions with
                          scores)
--per-instance            values of every instance
"""


SCORING = f"""{DATA}
--on-infeasible {{raise,nan}}
                          an instance without a possible pairing is an error, or has the value nan
                          and is left out of pooled scores [default: raise]
--jobs N:int              processes [default: 1]
{CONFIG}"""
"""What all that scores shares."""


def run(options: argparse.Namespace) -> str | Outcome:
    """Score, and say on stderr what was scored."""
    from hierpair.evaluation.score_notes import UNUSED_SCORES
    from hierpair.evaluation.scoring import score

    _check_shape(options)
    with Meter(options.quiet) as meter:
        if options.preset is not None:
            return _as_tool(options, meter)
        inputs = read_inputs(options, meter)
        thresholds = thresholds_of(options, asked_measures(options), list(inputs.systems))
        scores = score(
            inputs.hierarchy, inputs.truth, inputs.systems, options.measures or None,
            sample_weight=inputs.weight,
            unknown=options.unknown, missing=options.missing, n_jobs=options.jobs,
            on_infeasible=options.on_infeasible, on_progress=meter.show, **conventions_of(options),
        )  # fmt: skip
    shown = _show(scores, options)
    say(options, f"scored on a {inputs.hierarchy.describe()}")
    for note in [*scores.notes[1:], *scores.hard_solver_notes]:
        if not note.endswith(UNUSED_SCORES):  # reading has said so
            say(options, note)
    return Outcome(shown, MISSED if missed(scores, thresholds, options) else 0)


def _as_tool(options: argparse.Namespace, meter: Meter) -> str:
    """Return the numbers of another tool."""
    from hierpair.metrics.presets import preset_named
    from hierpair.metrics.tool_scores import score_like

    preset = preset_named(options.preset)
    inputs = read_inputs(options, meter, scored=preset.scored)
    found = score_like(
        options.preset, inputs.hierarchy, inputs.truth, inputs.systems,
        sample_weight=inputs.weight, missing=options.missing, n_jobs=options.jobs,
        on_progress=meter.show,
    )  # fmt: skip
    return found.to_table(
        options.format, digits_of(options), caption=options.caption, label=options.label
    )


def _check_shape(options: argparse.Namespace) -> None:
    check_look(options, plain="presets" if options.preset is not None else "")
    chosen = options.measures or options.per_instance or conventions_of(options)
    if options.preset is not None and chosen:
        raise BadInput("a preset chooses the measures and conventions; leave the others out")
    if options.preset is not None and options.on_infeasible != "raise":
        raise BadInput("no measure of a preset pairs labels; leave --on-infeasible out")
    if options.preset is not None and (options.fail_under or options.fail_over):
        raise BadInput("--fail-under and --fail-over are for measures, not for a preset")
    if options.per_instance and options.format != "text" and FORMS[options.format].paper:
        raise BadInput("per-instance values come as text, csv, tsv, json, jsonl")
    if options.per_instance and options.transpose:
        raise BadInput("--transpose is for scores; per-instance values have a row per instance")


def _show(scores: Scores, options: argparse.Namespace) -> str:
    look = look_of(options, scores.systems, scores.measures)
    each, grouped = options.per_instance, not options.measures
    return scores.to_table(
        options.format, options.digits, per_instance=each, grouped=grouped, **look
    )


VERB = Verb(
    "score",
    "score predictions",
    "Score one or more systems: hierpair score HIERARCHY TRUTH PREDICTIONS …, or "
    "hierpair score --case NAME for a case study that comes with hierpair.",
    SCORING + OPTIONS + HIERARCHY + LABELS + LOOK + THRESHOLDS,
    run,
    has_measures=True,
)
