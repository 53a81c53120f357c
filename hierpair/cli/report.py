"""``hierpair report``: one HTML file with scores, classes, instances and measures."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hierpair.cli.compare import FILES, STATISTICS, runs_of, statistics_of
from hierpair.cli.options import Options, Outcome, Verb
from hierpair.cli.partials import partial_scores
from hierpair.cli.reading import (
    READING,
    Inputs,
    are_partials,
    asked_measures,
    read_inputs,
    sides_of,
)
from hierpair.cli.score import CHOSEN, SCORING, scoring_of
from hierpair.errors import BadInput

if TYPE_CHECKING:
    from hierpair.probabilistic.curves import PooledCurve

OPTIONS = f"""
--title TEXT              title of the page
--worst K:int             instances in each list of the worst ones and of differences [default: 5]
--texts FILE              texts of the instances: a table with a column of texts, lines id TAB text,
                          or a text a line {{with labels}}
--text-column NAME        the column of texts in that file {{with --texts}}
--curves                  precision and recall at every threshold, of predictions with scores
                          {{with files of labels}}
--no-sensitivity          leave out which conclusions depend on conventions {{with labels}}
{STATISTICS}
"""


def run(options: Options) -> Outcome:
    """Score, compare, and return the page."""
    from hierpair.comparison import compare
    from hierpair.comparison.statistics import Plan
    from hierpair.evaluation.scoring import score
    from hierpair.io.labels.label_files import read_texts
    from hierpair.report import report_html

    if options.output is None and sys.stdout is not None and sys.stdout.isatty():
        raise BadInput("a report is a file for a browser; name it: -o report.html")
    if options.worst < 1:
        raise BadInput(f"--worst must be at least 1, got {options.worst}")
    how, runs = statistics_of(options), runs_of(options)
    page: dict[str, Any] = {
        **options.take("title worst"), "sensitivity": not options.no_sensitivity
    }  # fmt: skip
    if are_partials(options):
        scores, total = partial_scores(options)
        comparable = bool(total.n_blocks)
    else:
        i = read_inputs(options)
        comparable = i.paired
        if runs and not comparable:
            raise BadInput(
                f"the instances of case {options.case!r} are not the same objects for all systems, "
                "so they cannot be compared; leave --runs out"
            )
        texts = read_texts(options.texts, options.text_column) if options.texts else None
        page |= {"texts": texts, "curves": _curves(options, i), "paired": i.paired,
                 "warnings": i.notes, "title": options.title or i.title}  # fmt: skip
        scores = score(i.hierarchy, i.truth, i.systems, asked_measures(options),
                       keep_classes=True, **scoring_of(options, i))  # fmt: skip
        options.last.append(f"scored on a {i.hierarchy.describe()}")
    found: Any = scores
    if comparable and (runs or (Plan(**how) != Plan() and len(scores.systems) > 1)):
        found = compare(scores, runs=runs, **how, **options.take("n_jobs=jobs"))
    return Outcome(report_html(found, **page).encode())


def _curves(options: Options, inputs: Inputs) -> dict[str, PooledCurve]:
    """Return the curve of every system whose predictions have scores."""
    from hierpair.probabilistic.curves import pooled_curve
    from hierpair.probabilistic.probability_files import read_scored_labels

    curves = {}
    for name, side in sides_of(options).systems.items() if options.curves else ():
        if side.path == "-":
            raise BadInput("standard input can be read once; give the scores in a file (--curves)")
        columns = replace(side.options["columns"], min_score=None)
        how = {**side.options, **options.take("unknown"), "columns": columns}
        scores = read_scored_labels(side.path, inputs.hierarchy, **how)
        curves[name] = pooled_curve(
            inputs.truth, scores, sample_weight=inputs.weight, **options.take("missing")
        )
        if not len(curves[name]):
            raise BadInput(f"{side.path}: no instance with true classes has a score above 0")
    return curves


REPORT = Verb(
    "report",
    "one HTML file to look at: scores, classes, instances, measures",
    "Write one HTML file that needs no network: scores with intervals and ranks, the class tree "
    "with what went wrong where, the worst instances with explanations, and what depends on "
    "conventions.",
    "hierpair report tree.tsv truth.tsv run1.tsv run2.tsv -o report.html",
    FILES + CHOSEN + OPTIONS + SCORING + READING,
    run,
    formats=(),
)
