"""Tables and charts of a page beside the scores: levels, agreement, depths, conventions, curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from hierpair.comparison import agreement, by_depth, sensitivity
from hierpair.errors import BadInput
from hierpair.evaluation.by_level import by_level
from hierpair.evaluation.scores import ScoredLabels
from hierpair.plots import plot_curves, plot_depths, plot_intervals, plot_ranks, plot_significance
from hierpair.plots.saving import picture_bytes
from hierpair.probabilistic.curves import Curves, PooledCurve
from hierpair.report.subject import Subject, left_out
from hierpair.tables.forms import FORMS, Shown, sides_of
from hierpair.tables.records import Block

OF_THEIR_OWN = {False: 2, True: 1}
"""Measures that have tables and charts of their own, the first ones; of large data one."""

SAMPLE, SAMPLE_OF_LARGE, LEVELS_OF, SEED = 5_000, 1_000, 20_000, 0
"""Instances on which conventions are varied, at most, and of large data; of which levels are told;
and the seed by which they are drawn."""

MOST_VARIED_SYSTEMS = 20
"""Systems beyond which there would be too many conclusions about two of them."""

VARIED = {False: 6, True: 2}
"""Measures whose conventions are varied, at most; of large data fewer."""

MOST_SYSTEMS, MOST_DEPTHS = 30, 40
"""Systems and depths that a chart has room for."""

KINDS: dict[tuple[str, str, str], Callable[..., Any]] = {
    ("ranks", "Ranks", "Systems on a scale; bars join those without significant difference"):
        plot_ranks,
    ("intervals", "Intervals", "Scores of the systems with their confidence intervals"):
        plot_intervals,
    ("significance", "Significance of differences",
     "A matrix of adjusted p-values of all pairs of systems"): plot_significance,
}  # fmt: skip
"""Charts of a comparison: name, title, what they show, and what draws them."""

Parts = Iterator[dict[str, Any]]
"""Tables, whose cells are texts, and charts: their id, title, what they show in words, a note, and
what draws them."""


def beside_the_scores(
    subject: Subject, *, vary: bool, curves: Mapping[str, Curves | PooledCurve]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the tables and the charts, drawn; what there is not, the subject is told."""
    writers = [_levels, _agreement, _compared, _by_depth, *[_varied] * vary]
    parts = [part for write in writers for part in write(subject)]
    if curves:
        alt = "Hierarchical precision against recall at every threshold of the scores."
        title = "Precision and recall at every threshold"
        parts.append(_chart("curve", title, alt, "", plot_curves, curves))
    charts, drawn = [part for part in parts if "make" in part], list[dict[str, Any]]()
    if charts and find_spec("matplotlib") is None:
        subject.absent.append(
            "There are no charts: they are drawn by matplotlib, which is not installed (pip "
            "install 'hierpair[plot]')."
        )
        charts = []
    for chart in charts:
        with left_out(f"The chart “{chart['title']}” is left out", subject.absent):
            drawn.append(chart | {"svg": picture_bytes(chart.pop("make")(), "svg").decode()})
    return [part for part in parts if "rows" in part], drawn


def _chart(
    name: str, title: str, alt: str, note: str, plot: Callable[..., Any], *given: Any
) -> dict[str, Any]:
    return {"id": name, "title": title, "alt": alt, "note": note, "make": partial(plot, *given)}


def table_of(block: Block) -> dict[str, Any]:
    """Return a table for the page."""
    return {"header": block.header, "rows": block.rows, "align": sides_of(block)}


def _tables(titles: Mapping[str, str], found: Shown, *told: str) -> Parts:
    """Yield the tables of a result, by what they are called, with what is said of each."""
    page = found.content().page(FORMS["text"])
    note = "; ".join(line.rstrip(".") for line in (*page.notes, *told) if line)
    for (name, title), block in zip(titles.items(), page.blocks, strict=True):
        told_of = {"id": name, "title": title, "note": f"{note[:1].upper()}{note[1:]}."}
        yield table_of(block) | told_of | {"header": [text or "measure" for text in block.header]}


def _levels(subject: Subject) -> Parts:
    """Yield what is right at each level, of very many instances on a sample."""
    if subject.labels is not None:
        sides, weight, told = _sampled(subject.labels, subject.scores.weight, LEVELS_OF)
        found = by_level(*sides, weight=weight)
        yield from _tables({"level": "Level by level"}, found, told)


def _sampled(labels: ScoredLabels, weight: Any, most: int) -> tuple[Any, Any, str]:
    """Return hierarchy, truth and systems, and weights, of all instances or of a random sample of
    so many, and which these are.
    """
    n = len(labels.truth)
    rows, told = np.arange(n), f"on all {n:,} instances" if n > 1 else "on the only instance"
    if n > most:
        rows = np.sort(np.random.default_rng(SEED).choice(n, most, replace=False))
        told = f"on a random sample of {most:,} of the {n:,} instances (seed {SEED})"
    systems = {name: sets.take(rows) for name, sets in labels.systems.items()}
    sides = labels.hierarchy, labels.truth.take(rows), systems
    return sides, None if weight is None else weight[rows], told


def _agreement(subject: Subject) -> Parts:
    scores = subject.scores
    if len(subject.systems) == len(scores.systems) > 1 < len(scores.measures):  # no runs
        with left_out("The agreement of the measures is left out", subject.absent):
            title = "How alike the measures rank the systems"
            found = agreement(scores, n_bootstrap=0)
            yield from _tables({"agreement": title}, found, "1 the same order, −1 the reverse")


def _compared(subject: Subject) -> Parts:
    """Yield ranks and intervals of the first measures, and significance of the first."""
    found, n = subject.comparison, len(subject.systems)
    if found is None:
        return
    if n > MOST_SYSTEMS:
        subject.absent.append(
            f"Ranks and intervals of {n} systems are not drawn: a chart has room for "
            f"{MOST_SYSTEMS}; the table of scores has them."
        )
        return
    for k, m in enumerate(found.measures[: OF_THEIR_OWN[subject.large]]):
        for (name, title, alt), plot in KINDS.items():
            if name != "significance" or (k == 0 and n > 2):
                by, note = f"by {m.label}", found.signature
                yield _chart(name, f"{title} {by}", f"{alt}, {by}.", note, plot, found, m.name)


def _by_depth(subject: Subject) -> Parts:
    """Yield tables and charts of scores by depth under the first measures."""
    scores, labels = subject.scores, subject.labels
    if labels is None:
        return
    weighted = "Scores are weighted, and these means are not, so they differ."
    told = "" if scores.weight is None else weighted
    for m in scores.measures[: OF_THEIR_OWN[subject.large]]:
        depths = by_depth(scores, labels.hierarchy, labels.truth, measure=m)
        title = f"{m.label} by the depth of the deepest true label"
        yield from _tables({"depth": title}, depths, told)
        if len(depths.systems) <= MOST_SYSTEMS and 1 < len(depths.depths) <= MOST_DEPTHS:
            alt = f"Mean {m.label} of the systems by depth; the table has its numbers."
            title = f"{m.label} by depth of the truth"
            yield _chart("depth", title, alt, told, plot_depths, depths)


def _varied(subject: Subject) -> Parts:
    """Yield what the conventions of the first measures change, on a sample of large data."""
    scores, labels, found = subject.scores, subject.labels, subject.comparison
    if labels is None or len(subject.systems) < 2 or (subject.paired and found is None):
        return
    with left_out("Which conclusions depend on conventions is left out", subject.absent):
        if len(subject.systems) > MOST_VARIED_SYSTEMS:
            raise BadInput(f"there are more than {MOST_VARIED_SYSTEMS} systems")
        most = SAMPLE_OF_LARGE if subject.large else SAMPLE
        (hierarchy, truth, systems), weight, told = _sampled(labels, scores.weight, most)
        chosen = scores.measures[: VARIED[subject.large]]
        if len(chosen) < len(scores.measures):
            told += f", of the first {len(chosen)} of {len(scores.measures)} measures"
        test, comparing = None, dict[str, Any]()
        if found is not None:
            plan, test = found.plan, found.plan.test
            usual = replace(plan, n_permutations=None)
            usual = usual.resolved(len(found.pairs), len(found.measures))
            asked = ["n_permutations"] * (plan != usual)
            comparing = {
                name: getattr(plan, name)
                for name in ("correction", "family", "alpha", "seed", *asked)
            }
            comparing["n_bootstrap"] = plan.n_bootstrap if test == "bootstrap" else 1
        varied = sensitivity(
            hierarchy, truth, systems, chosen, test=test, comparing=comparing, sample_weight=weight,
            on_infeasible="nan" if scores.n_infeasible else "raise",
        )  # fmt: skip
        titles = {
            "conventions": "Scores and ranks under every convention",
            "conclusions": "Which conclusions depend on conventions",
        }
        said = f"varied {told}", "in brackets ranks", varied.signature
        yield from _tables(titles, varied, *said)
