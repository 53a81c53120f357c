"""``hierpair report``: one HTML file with scores, classes, instances and measures."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hierpair.cli.compare import FILES, STATISTICS, runs_of, statistics_of
from hierpair.cli.options import Outcome, Verb
from hierpair.cli.output import Meter, say_last
from hierpair.cli.partials import partial_scores
from hierpair.cli.reading import READING, Inputs, are_partials, asked_measures, read_inputs
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.cli.sides import Side, sides_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.comparison import Comparison
    from hierpair.evaluation import Scores
    from hierpair.io.labels.label_files import Texts
    from hierpair.probabilistic.curves import PooledCurve

OPTIONS = f"""
--title TEXT              title of the page
--worst K:int             instances in each list of the worst ones and of differences [default: 5]
--texts FILE              texts of the instances: a table with a column of texts, lines id TAB text,
                          or a text a line {{with labels}}
--text-column NAME        the column of texts, in that file or else in that of the truth
                          {{with --texts or files of labels}}
--curves                  precision and recall at every threshold, of predictions with scores
                          {{with files of labels}}
--no-sensitivity          leave out which conclusions depend on conventions {{with labels}}
{STATISTICS}
"""


def run(options: argparse.Namespace) -> Outcome:
    """Score, compare, and return the page."""
    from hierpair.report import report_html

    if options.output is None and sys.stdout is not None and sys.stdout.isatty():
        raise BadInput("a report is a file for a browser; name it: -o report.html")
    if options.worst < 1:
        raise BadInput(f"--worst must be at least 1, got {options.worst}")
    how = statistics_of(options)
    page: dict[str, Any] = {"title": options.title, "worst": options.worst,
                            "sensitivity": not options.no_sensitivity}  # fmt: skip
    with Meter(options.quiet) as meter:
        if are_partials(options):
            scores, total = partial_scores(options)
            comparable = bool(total.n_blocks)
        else:
            inputs = read_inputs(options, meter)
            page |= {"texts": _texts(options), "curves": _curves(options, inputs),
                     "paired": inputs.paired, "warnings": inputs.notes,
                     "title": options.title or inputs.title}  # fmt: skip
            scores = _scored(options, inputs, meter)
            say_last(options, f"scored on a {inputs.hierarchy.describe()}")
            comparable = inputs.paired
        found = _compared(options, scores, how) if comparable else scores
        meter.wipe()
        return Outcome(report_html(found, **page).encode())


def _scored(options: argparse.Namespace, inputs: Inputs, meter: Meter) -> Scores:
    from hierpair.evaluation.scoring import score

    if not inputs.paired and options.runs:
        raise BadInput(
            f"the instances of case {options.case!r} are not the same objects for all systems, so "
            "they cannot be compared; leave --runs out"
        )
    return score(
        inputs.hierarchy, inputs.truth, inputs.systems, asked_measures(options), keep_classes=True,
        **scoring_of(options, inputs, meter),
    )  # fmt: skip


def _compared(
    options: argparse.Namespace, scores: Scores, how: dict[str, Any]
) -> Scores | Comparison:
    """Compare as was asked for; where nothing was asked for, the page does it, or says why not."""
    from hierpair.comparison import compare
    from hierpair.comparison.statistics import Plan

    runs = runs_of(options.runs)
    if not runs and (Plan(**how) == Plan() or len(scores.systems) == 1):
        return scores
    return compare(scores, runs=runs, n_jobs=options.jobs, **how)


def _texts(options: argparse.Namespace) -> Texts | None:
    """Read the texts of the instances, from a file of their own or from that of the truth."""
    from hierpair.io.labels.label_files import read_texts

    if options.texts is not None:
        return read_texts(options.texts, options.text_column)
    truth = sides_of(options).truth if options.text_column is not None else None
    if truth is None:
        return None
    if truth.path == "-":
        raise BadInput("standard input can be read once; give the texts in a file (--texts)")
    how = truth.options
    return read_texts(truth.path, options.text_column, fmt=how["fmt"], columns=how["columns"])


def _curves(options: argparse.Namespace, inputs: Inputs) -> dict[str, PooledCurve]:
    """Return the curve of every system whose predictions have scores."""
    from hierpair.probabilistic.curves import pooled_curve
    from hierpair.probabilistic.probability_files import read_scored_labels

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

    systems = sides_of(options).systems if options.curves else {}
    return {name: curve(side) for name, side in systems.items()}


REPORT = Verb(
    "report",
    "one HTML file to look at: scores, classes, instances, measures",
    "Write one HTML file that needs no network: scores with intervals and ranks, the class tree "
    "with what went wrong where, the worst instances with explanations, and what depends on "
    "conventions.",
    "hierpair report tree.tsv truth.tsv mine=run1.tsv theirs=run2.tsv -o report.html",
    FILES + CHOSEN + OPTIONS + SCORING + READING,
    run,
    formats=(),
)
