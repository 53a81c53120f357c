"""Tables and charts of a page beside the scores: agreement, depths, conventions, curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from hierpair.comparison import (
    Agreement,
    DepthScores,
    Sensitivity,
    agreement,
    by_depth,
    sensitivity,
)
from hierpair.errors import BadInput, HierpairError, shown
from hierpair.evaluation.by_level import by_level
from hierpair.hierarchy.arrays import Ints
from hierpair.plots import (
    plot_curves,
    plot_depths,
    plot_intervals,
    plot_ranks,
    plot_significance,
)
from hierpair.plots.saving import svg_text
from hierpair.probabilistic.curves import Curves, PooledCurve
from hierpair.report.packing import Section, section
from hierpair.report.subject import Subject
from hierpair.tables.forms import FORMS, Shown

OF_THEIR_OWN = 2
"""Measures that have tables and charts of their own: the first ones; of large data one."""

SAMPLE, SAMPLE_OF_LARGE, LEVELS_OF, SEED = 5_000, 1_000, 20_000, 0
"""Instances on which conventions are varied, at most, and of large data; of which levels are told;
and the seed by which they are drawn."""

MOST_VARIED_SYSTEMS = 20
"""Systems beyond which there would be too many conclusions about two of them."""

VARIED, VARIED_OF_LARGE = 6, 2
"""Measures whose conventions are varied, at most, and of large data."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Results that tables and charts share.

    Attributes
    ----------
    agreed
        How alike the measures rank the systems, or None.
    depths
        Scores by depth under the first measures.
    varied
        What conventions change, or None; ``sample`` says on which instances.
    """

    agreed: Agreement | None
    depths: tuple[DepthScores, ...]
    varied: Sensitivity | None
    sample: str = ""


def side_results(subject: Subject, *, vary: bool) -> Sides:
    """Return what is computed beside the scores; what cannot be is told to the subject."""
    scores, labels = subject.alone, subject.labels
    agreed, depths = None, tuple[DepthScores, ...]()
    if len(scores.systems) > 1 and len(scores.measures) > 1:
        try:
            agreed = agreement(scores, n_bootstrap=0)
        except HierpairError as error:
            subject.absent.append(f"The agreement of the measures is left out: {error.reason}.")
    if labels is not None and subject.has_instances:
        chosen = scores.measures[: n_own(subject)]
        depths = tuple(by_depth(scores, labels.hierarchy, labels.truth, measure=m) for m in chosen)
    varied, sample = _varied(subject) if vary else (None, "")
    return Sides(agreed, depths, varied, sample)


def n_own(subject: Subject) -> int:
    """Return how many measures have tables and charts of their own."""
    return 1 if subject.is_large else OF_THEIR_OWN


def _varied(subject: Subject) -> tuple[Sensitivity | None, str]:
    """Vary the conventions of the first measures, on a sample of large data."""
    scores, labels, found = subject.scores, subject.labels, subject.comparison
    if labels is None or len(subject.systems) < 2 or (subject.paired and found is None):
        return None, ""
    reason = ""
    if found is not None and found.runs:
        reason = "systems of several runs are compared by their runs, and these are single systems"
    elif len(subject.systems) > MOST_VARIED_SYSTEMS:
        reason = f"there are more than {MOST_VARIED_SYSTEMS} systems"
    if reason:
        subject.absent.append(f"Which conclusions depend on conventions is left out: {reason}.")
        return None, ""
    rows, told = _sampled(scores.n_instances, SAMPLE_OF_LARGE if subject.is_large else SAMPLE)
    test, comparing = None, dict[str, Any]()
    if found is not None:
        plan, test = vars(found.plan), found.plan.test
        comparing = {name: plan[name] for name in ("correction", "family", "alpha", "seed")}
        comparing["n_bootstrap"] = plan["n_bootstrap"] if test == "bootstrap" else 1
    chosen = scores.measures[: VARIED_OF_LARGE if subject.is_large else VARIED]
    if len(chosen) < len(scores.measures):
        told += f", of the first {len(chosen)} of {len(scores.measures)} measures"
    try:
        varied = sensitivity(
            labels.hierarchy,
            labels.truth.take(rows),
            {name: sets.take(rows) for name, sets in labels.systems.items()},
            chosen,
            test=test,
            comparing=comparing,
            sample_weight=None if scores.weight is None else scores.weight[rows],
            on_infeasible="nan" if scores.n_infeasible else "raise",
        )
    except HierpairError as error:
        reason = f"Which conclusions depend on conventions is left out: {error.reason}."
        subject.absent.append(reason)
        return None, ""
    return varied, told


def side_tables(subject: Subject, sides: Sides) -> list[dict[str, Any]]:
    """Return the tables that these results print; every cell is a text."""
    found = _levels(subject)
    if sides.agreed is not None:
        title = "How alike the measures rank the systems"
        found += _tables({"agreement": title}, sides.agreed, "1 the same order, −1 the reverse")
    for depths in sides.depths:
        title = f"{depths.measure.label} by the depth of the deepest true label"
        found += _tables({"depth": title}, depths, *about_depths(subject))
    if sides.varied is not None:
        titles = {
            "conventions": "Scores and ranks under every convention",
            "conclusions": "Which conclusions depend on conventions",
        }
        told = f"varied {sides.sample}", "in brackets ranks", sides.varied.signature
        found += _tables(titles, sides.varied, *told)
    return found


def _tables(titles: Mapping[str, str], found: Shown, *told: str) -> list[dict[str, Any]]:
    """Return the tables of a result, by what they are called, and what is said of each."""
    page = found.content().page(FORMS["text"])
    note = "; ".join(line.rstrip(".") for line in (*page.notes, *told) if line)
    return [
        {
            "id": name,
            "title": title,
            "note": f"{note[:1].upper()}{note[1:]}.",
            "header": [text or "measure" for text in block.header],
            "rows": block.rows,
            "align": str(block.align or f"l{'r' * (len(block.header) - 1)}"),
        }
        for (name, title), block in zip(titles.items(), page.blocks, strict=True)
    ]


def _levels(subject: Subject) -> list[dict[str, Any]]:
    """Return what is right at each level, of very many instances on a sample."""
    labels, scores = subject.labels, subject.scores
    if labels is None:
        return []
    rows, told = _sampled(scores.n_instances, LEVELS_OF)
    found = by_level(
        labels.hierarchy,
        labels.truth.take(rows),
        {name: sets.take(rows) for name, sets in labels.systems.items()},
        weight=None if scores.weight is None else scores.weight[rows],
    )
    return _tables({"level": "Level by level"}, found, told, subject.first_runs)


def _sampled(n: int, most: int) -> tuple[Ints, str]:
    """Return the instances, or a random sample of so many of them, and how many these are."""
    if n <= most:
        return np.arange(n), f"on all {n:,} instances" if n > 1 else "on the only instance"
    rows = np.sort(np.random.default_rng(SEED).choice(n, most, replace=False))
    return rows, f"on a random sample of {most:,} of the {n:,} instances (seed {SEED})"


def about_depths(subject: Subject) -> list[str]:
    """Return what else has to be known beside scores by depth."""
    weighted = "Scores are weighted, and these means are not, so they differ."
    told = [weighted if subject.scores.weight is not None else "", subject.first_runs]
    return [line for line in told if line]


MOST_SYSTEMS, MOST_DEPTHS = 30, 40
"""Systems and depths that a chart has room for."""


def checked_curves(curves: Any) -> dict[str, Curves | PooledCurve]:
    """Return the curves by system, refusing what could not be drawn beside each other."""
    named = dict(curves or {}) if curves is None or isinstance(curves, Mapping) else None
    kinds = set() if named is None else {type(curve) for curve in named.values()}
    if named is None or kinds not in (set(), {Curves}, {PooledCurve}):
        raise BadInput(
            f"curves must be a dict of curves of one kind by system, got {shown(curves)}; "
            "hierpair.probabilistic.pooled_curve makes one of the scores of a system"
        )
    return named


def charts(
    subject: Subject, sides: Sides, curves: Mapping[str, Curves | PooledCurve]
) -> list[Section]:
    """Return the charts; what cannot be drawn is told to the subject."""
    drawn = list(_drawn(subject, sides, curves))
    if not drawn:
        return []
    if find_spec("matplotlib") is None:
        subject.absent.append(
            "There are no charts: they are drawn by matplotlib, which is not installed (pip "
            "install 'hierpair[plot]')."
        )
        return []
    found = []
    for name, title, alt, note, make in drawn:
        try:
            said = {"id": name, "title": title, "alt": alt, "note": note}
            found.append(said | {"svg": svg_text(make())})
        except BadInput as error:
            subject.absent.append(f"The chart “{title}” is left out: {error.reason}.")
    return [section("charts", found)] if found else []


Drawn = tuple[str, str, str, str, Callable[[], Any]]
"""A chart: id, title, what it shows in words, a note, and what draws it."""


def _drawn(
    subject: Subject, sides: Sides, curves: Mapping[str, Curves | PooledCurve]
) -> Iterator[Drawn]:
    """Yield ranks and intervals of the first measures, significance, scores by depth, curves."""
    found, n = subject.comparison, len(subject.systems)
    if found is not None and n > MOST_SYSTEMS:
        subject.absent.append(
            f"Ranks and intervals of {n} systems are not drawn: a chart has room for "
            f"{MOST_SYSTEMS}; the table of scores has them."
        )
    elif found is not None:
        kinds: dict[str, tuple[str, str, Any]] = {
            "ranks": ("Ranks", "Systems on a scale; bars join those without significant "
                      "difference", plot_ranks),
            "intervals": ("Intervals", "Scores of the systems with their confidence intervals",
                          plot_intervals),
            "significance": ("Significance of differences", "A matrix of adjusted p-values of all "
                             "pairs of systems", plot_significance),
        }  # fmt: skip
        for k, m in enumerate(found.measures[: n_own(subject)]):
            for name, (title, alt, display) in kinds.items():
                if name != "significance" or (k == 0 and n > 2):
                    make = partial(display, found, m.name)
                    yield (
                        name,
                        f"{title} by {m.label}",
                        f"{alt}, by {m.label}.",
                        found.signature,
                        make,
                    )
    of = " ".join(about_depths(subject))
    for depths in sides.depths:
        if len(depths.systems) <= MOST_SYSTEMS and 1 < len(depths.depths) <= MOST_DEPTHS:
            label = depths.measure.label
            alt = f"Mean {label} of the systems by depth; the table has its numbers."
            make = partial(plot_depths, depths)
            yield "depth", f"{label} by depth of the truth", alt, of, make
    if curves:
        alt = "Hierarchical precision against recall at every threshold of the scores."
        title = "Precision and recall at every threshold"
        yield "curve", title, alt, "", partial(plot_curves, curves)
