"""``hierpair score``: systems under measures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hierpair.cli.config import CONFIG
from hierpair.cli.conventions import asked_measures, conventions_of
from hierpair.cli.datasets import PARTS, dataset_sides, score_parts
from hierpair.cli.looks import LOOK, check_look, digits_of, look_of
from hierpair.cli.parser import Outcome, Verb, say, say_last
from hierpair.cli.progress import Meter
from hierpair.cli.reading import (
    DATA,
    HIERARCHY,
    LABELS,
    Inputs,
    read_inputs,
)
from hierpair.cli.thresholds import MISSED, THRESHOLDS, Threshold, missed, thresholds_of
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierpair.cli.thresholds import Threshold
    from hierpair.evaluation.scores import Scores

__all__ = ["CHOSEN", "SCORING", "VERB", "scoring_of", "told"]


OPTIONS = """
FILE…                     hierarchy, truth, and one file or NAME=FILE per system; folders and
                          patterns are read part by part
--preset TOOL             the numbers of another tool: hiclass-micro, hiclass-macro,
                          sklearn-hierarchical-classification, hemkit, pyevall, hierverb; of
                          predictions with scores cafaeval, clus, making-better-mistakes
--per-instance            values of every instance
"""


SCORING = f"""{DATA}
--on-infeasible {{raise,nan}}
                          an instance without a possible pairing is an error, or has the value nan
                          and is left out of pooled scores [default: raise]
--jobs N:int              processes [default: 1]
{CONFIG}"""
"""What all that scores shares."""

CHOSEN = """
--case NAME               a bundled case instead of files
-m, --measures MEASURE*
                          a measure such as hf or 'hf(beta=2)' (may be repeated); default: all that
                          are defined for any label sets
"""
"""What is scored instead of files, and by which measures."""


def scoring_of(options: argparse.Namespace, inputs: Inputs, meter: Meter) -> dict[str, Any]:
    """Return the keywords of ``score`` that are about the data and the run."""
    return {
        "sample_weight": inputs.weight, "unknown": options.unknown, "missing": options.missing,
        "n_jobs": options.jobs, "on_infeasible": options.on_infeasible, "on_progress": meter.show,
    }  # fmt: skip


def run(options: argparse.Namespace) -> str | Outcome:
    """Score, and say on stderr what was scored."""
    from hierpair.evaluation.notes import UNUSED_SCORES
    from hierpair.evaluation.scoring import score

    _check_shape(options)
    parts = dataset_sides(options)
    with Meter(options.quiet) as meter:
        if parts is not None:
            thresholds = thresholds_of(options, asked_measures(options), list(parts.systems))
            scores, about = score_parts(options, parts, meter)
            meter.wipe()
            say_last(options, f"scored on a {about}")
            return told(scores, options, thresholds, grouped=not options.measures)
        if options.preset is not None:
            return _as_tool(options, meter)
        asked = asked_measures(options, of_scores=True)
        inputs = read_inputs(options, meter, scored=asked[0].of_scores or None)
        thresholds = thresholds_of(options, asked, list(inputs.systems))
        scores = score(
            inputs.hierarchy, inputs.truth, inputs.systems, options.measures or None,
            **scoring_of(options, inputs, meter), **conventions_of(options),
        )  # fmt: skip
    say_last(options, f"scored on a {inputs.hierarchy.describe()}")
    read = UNUSED_SCORES  # reading has said so
    grouped, each = not options.measures, options.per_instance
    return told(scores, options, thresholds, grouped=grouped, per_instance=each, known=read)


def told(
    scores: Scores,
    options: argparse.Namespace,
    thresholds: Sequence[Threshold],
    *,
    grouped: bool,
    per_instance: bool = False,
    known: str = "",
) -> Outcome:
    """Return the table of scores, with notes on stderr, and whether a threshold is missed.

    ``grouped`` is as for :meth:`Scores.content`; a note that ends with ``known`` was told before.
    """
    look = look_of(options, scores.systems, scores.measures)
    shown = scores.to_table(
        options.format, options.digits, per_instance=per_instance, grouped=grouped, **look
    )
    told = (*([known] if known else []), *scores.doubts)  # while the files were read
    for note in [*scores.notes[1:], *scores.hard_solver_notes]:
        if not note.endswith(told):
            say(options, note)
    return Outcome(shown, MISSED if missed(scores, thresholds, options) else 0)


def _as_tool(options: argparse.Namespace, meter: Meter) -> str:
    """Return the numbers of another tool."""
    from hierpair.metrics.presets import preset_named
    from hierpair.metrics.tool_scores import score_like

    preset = preset_named(options.preset)
    inputs = read_inputs(options, meter, scored=preset.scored or preset.of_scores)
    found = score_like(
        options.preset, inputs.hierarchy, inputs.truth, inputs.systems,
        sample_weight=inputs.weight, unknown=options.unknown, missing=options.missing,
        n_jobs=options.jobs,
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


VERB = Verb(
    "score",
    "score predictions",
    "Score one or more systems: hierpair score HIERARCHY TRUTH PREDICTIONS …, or "
    "hierpair score --case NAME for a case study that comes with hierpair.",
    SCORING + CHOSEN + OPTIONS + PARTS + HIERARCHY + LABELS + LOOK + THRESHOLDS,
    run,
    has_measures=True,
    has_scored=True,
)
