"""``hierpair report``: one HTML file with scores, classes, instances and measures."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hierpair.cli.conventions import conventions_of
from hierpair.cli.parser import Outcome, Verb, say_last
from hierpair.cli.partial_files import are_partials
from hierpair.cli.progress import Meter
from hierpair.cli.reading import HIERARCHY, LABELS, Inputs, read_inputs
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.cli.sides import Side, sides_of
from hierpair.cli.statistics import STATISTICS, runs_of, statistics_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.comparison import Comparison
    from hierpair.evaluation import Scores
    from hierpair.io.instance_texts import Texts
    from hierpair.probabilistic.curves import PooledCurve

__all__ = ["VERB"]

OPTIONS = f"""
FILE…                     hierarchy, truth, and a file or NAME=FILE per system; or what hierpair
                          partial wrote, which has scores and neither classes nor instances
--title TEXT              title of the page
--worst K:int             instances in each list of the worst ones and of differences [default: 5]
--texts FILE              texts of the instances: a table with a column of texts, lines id TAB text,
                          or a text a line
--text-column NAME        the column of texts, in that file or else in that of the truth
--curves                  precision and recall at every threshold; predictions have scores
--no-sensitivity          leave out which conclusions depend on conventions
{STATISTICS}
"""

LEADING = ("hf", "gie")
"""The measures that stand first where none is named: lists and charts are of the first ones."""

TEXTS, SENSITIVITY = "--texts and --text-column", "--no-sensitivity"


def run(options: argparse.Namespace) -> Outcome:
    """Score, compare, and return the page."""
    from hierpair.comparison.statistics.tests_by_name import Plan
    from hierpair.report import report_html

    if options.output is None and sys.stdout is not None and sys.stdout.isatty():
        raise BadInput("a report is a file for a browser; name it: -o report.html")
    if options.worst < 1:
        raise BadInput(f"--worst must be at least 1, got {options.worst}")
    Plan(**statistics_of(options))
    page: dict[str, Any] = {"title": options.title, "worst": options.worst,
                            "sensitivity": not options.no_sensitivity}  # fmt: skip
    with Meter(options.quiet) as meter:
        if are_partials(options.files):
            found: Scores | Comparison = _of_partials(options)
        else:
            inputs = read_inputs(options, meter)
            texts, curves = _texts(options), _curves(options, inputs)
            found = _scored(options, inputs, meter)
            page |= {"texts": texts, "curves": curves, "paired": inputs.paired,
                     "warnings": inputs.notes, "title": options.title or inputs.title}  # fmt: skip
            say_last(options, f"scored on a {inputs.hierarchy.describe()}")
        meter.wipe()
        return Outcome(report_html(found, **page).encode())


def _scored(options: argparse.Namespace, inputs: Inputs, meter: Meter) -> Scores | Comparison:
    """Return scores, or where there are several systems on the same instances, a comparison."""
    from hierpair.evaluation.checked import default_measures
    from hierpair.evaluation.scoring import score

    measures = options.measures or [*LEADING, *(m for m in default_measures() if m not in LEADING)]
    scores = score(
        inputs.hierarchy, inputs.truth, inputs.systems, measures,
        keep_classes=True, **scoring_of(options, inputs, meter), **conventions_of(options),
    )  # fmt: skip
    if not inputs.paired and options.runs:
        raise BadInput(
            f"the instances of case {options.case!r} are not the same objects for all systems, so "
            "they cannot be compared; leave --runs out"
        )
    several = len(scores.systems) > 1 and inputs.paired
    return _compared(options, scores) if several or options.runs else scores


def _compared(options: argparse.Namespace, scores: Scores) -> Scores | Comparison:
    """Compare as was asked for; where nothing was asked for, the page does it, or says why not."""
    from hierpair.comparison import compare
    from hierpair.comparison.statistics.tests_by_name import Plan

    how, runs = statistics_of(options), runs_of(options.runs)
    if not runs and Plan(**how) == Plan():
        return scores
    return compare(scores, runs=runs or None, n_jobs=options.jobs, **how)


def _of_partials(options: argparse.Namespace) -> Scores | Comparison:
    """Return the scores of partials, compared by block where they have blocks."""
    from hierpair.cli.partial_files import asked_of, beside_each_other, how_many, refuse_unused

    for given, word in ((options.texts or options.text_column, TEXTS),
                        (options.curves, "--curves"),
                        (options.no_sensitivity, SENSITIVITY)):  # fmt: skip
        if given:
            raise BadInput(f"{word}: partials hold neither instances nor labels; leave it out")
    refuse_unused(
        options, SCORING + CHOSEN + HIERARCHY + LABELS, ["--jobs", "--config", "--measures"]
    )
    total = beside_each_other(options.files)
    scores = asked_of(options, total.scores())
    say_last(options, f"{how_many(options.files, total)}, scored on a {total.hierarchy}")
    return _compared(options, scores) if len(scores.systems) > 1 and total.n_blocks else scores


def _texts(options: argparse.Namespace) -> Texts | None:
    """Read the texts of the instances, from a file of their own or from that of the truth."""
    from hierpair.io.instance_texts import read_texts

    if options.texts is not None:
        return read_texts(options.texts, options.text_column)
    if options.text_column is None:
        return None
    truth = sides_of(options).truth if options.case is None else None
    if truth is None:
        raise BadInput("--text-column names a column of the truth; for a case give --texts FILE")
    if truth.path == "-":
        raise BadInput("standard input can be read once; give the texts in a file (--texts)")
    how = truth.options
    return read_texts(truth.path, options.text_column, fmt=how["fmt"], columns=how["columns"])


def _curves(options: argparse.Namespace, inputs: Inputs) -> dict[str, PooledCurve]:
    """Return the curve of every system whose predictions have scores."""
    from hierpair.probabilistic.curves import pooled_curve
    from hierpair.probabilistic.scored_labels import read_scored_labels

    if not options.curves:
        return {}
    if options.case is not None:
        raise BadInput("--curves needs files of predictions with scores; a case has none")

    def curve(side: Side) -> PooledCurve:
        if side.path == "-":
            raise BadInput("standard input can be read once; give the scores in a file (--curves)")
        columns = replace(side.options["columns"], min_score=None)
        how = {**side.options, "columns": columns}
        scores = read_scored_labels(side.path, inputs.hierarchy, unknown=options.unknown, **how)
        found = pooled_curve(
            inputs.truth, scores, missing=options.missing, sample_weight=inputs.weight
        )
        if not len(found):
            raise BadInput(f"{side.path}: no instance with true classes has a score above 0")
        return found

    return {name: curve(side) for name, side in sides_of(options).systems.items()}


VERB = Verb(
    "report",
    "one HTML file to look at: scores, classes, instances, measures",
    "Write one HTML file that needs no network: hierpair report HIERARCHY TRUTH PREDICTIONS … -o "
    "report.html. Scores with intervals and ranks, the class tree with what went wrong where, the "
    "worst instances with explanations, and what depends on conventions.",
    SCORING + CHOSEN + OPTIONS + HIERARCHY + LABELS,
    run,
    formats=(),
    has_measures=True,
)
