"""``hierpair score``: systems under measures."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hierpair.cli.config import add_config
from hierpair.cli.conventions import (
    add_measures,
    asked_measures,
    conventions_of,
)
from hierpair.cli.looks import add_look, check_look, digits_of, look_of
from hierpair.cli.parser import Outcome, Parser, Verb, say
from hierpair.cli.progress import Meter
from hierpair.cli.reading import (
    add_data_option,
    add_hierarchy_options,
    add_label_options,
    read_inputs,
)
from hierpair.cli.thresholds import MISSED, add_thresholds, missed, thresholds_of
from hierpair.errors import BadInput
from hierpair.tables.forms import FORMS

if TYPE_CHECKING:
    from hierpair.evaluation.scores import Scores

__all__ = ["VERB", "add_on_infeasible"]


def add(verb: Parser) -> None:
    """Add its options."""
    verb.add_argument("files", nargs="*", metavar="FILE",
                      help="hierarchy, truth, and one file or NAME=FILE per system")  # fmt: skip
    verb.add_argument("--case", metavar="NAME", help="score a bundled case instead of files")
    add_data_option(verb)
    add_measures(verb, "default: all that are defined for any label sets")
    verb.add_argument("--preset", metavar="TOOL",
                      help="the numbers of another tool: hiclass-micro, hiclass-macro, "
                      "sklearn-hierarchical-classification, hemkit, cafaeval (predictions with "
                      "scores)")  # fmt: skip
    verb.add_argument("--per-instance", action="store_true", help="values of every instance")
    add_on_infeasible(verb)
    verb.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    add_hierarchy_options(verb)
    add_label_options(verb)
    add_look(verb)
    add_thresholds(verb)
    add_config(verb)


def add_on_infeasible(verb: argparse.ArgumentParser) -> None:
    """Add the option that says what an instance without a possible pairing is."""
    verb.add_argument("--on-infeasible", choices=("raise", "nan"), default="raise",
                      help="an instance without a possible pairing is an error, or has the value "
                      "nan and is left out of pooled scores (default: raise)")  # fmt: skip


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
    for note in [*scores.notes[1:], *scores.ways_in_short]:
        if not note.endswith(UNUSED_SCORES):  # reading has said so
            say(options, note)
    return Outcome(shown, MISSED if missed(scores, thresholds, options) else 0)


def _as_tool(options: argparse.Namespace, meter: Meter) -> str:
    """Return the numbers of another tool."""
    from hierpair.metrics.presets import preset_named, score_like

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
    add,
    run,
    has_measures=True,
)
