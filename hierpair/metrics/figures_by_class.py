"""Precision, recall, F1 and support by class, by level and in averages, flat and augmented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hierpair.evaluation.by_class import SummedByClass, sums_by_class
from hierpair.evaluation.progress import OnProgress
from hierpair.evaluation.sums import ClassSums
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels import Unknown
from hierpair.measures import Measure, measure

__all__ = ["AUGMENTED", "AVERAGES", "FLAT", "Figures", "FiguresByClass", "figures_by_class"]

FLAT, AUGMENTED = ("precision", "recall", "f"), ("hp", "hr", "hf")
"""The measures of a report: of labels as they are, and with their ancestors."""

AVERAGES = ("micro", "macro", "weighted", "samples")
"""Averages in the order of scikit-learn's report."""


class Figures(NamedTuple):
    """Precision, recall and F1, nan where there is nothing to judge, and true labels; a row each.

    The support is a number of instances, or the sum of their weights.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    support: Floats


@dataclass(frozen=True, eq=False)
class FiguresByClass:
    """The figures of one system.

    Attributes
    ----------
    classes, levels
        Numbers of the classes that occur in some (augmented) set, ascending, and of their levels.
    by_class, by_level, averages
        Flat and augmented figures: a row per class, per level, and per word of ``AVERAGES``.
    measures
        Those that were computed, without regard to averages.
    summed
        What they were computed from.
    """

    classes: Ints
    levels: Ints
    by_class: tuple[Figures, Figures]
    by_level: tuple[Figures, Figures]
    averages: tuple[Figures, Figures]
    measures: tuple[Measure, ...]
    summed: SummedByClass


def figures_by_class(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    conventions: Mapping[str, Any],
    *,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    on_progress: OnProgress = None,
) -> FiguresByClass:
    """Compute all figures in one pass: the sums by class once, each ratio from its sums.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> found = figures_by_class([["c"]], [["a"]], tree, {"root": "exclude"})
    >>> [tree.names[c] for c in found.classes], [f.recall.tolist() for f in found.by_class]
    (['a', 'c'], [[0.0, 0.0], [1.0, 0.0]])
    """
    plain = {name: measure(name, **conventions) for name in (*FLAT, *AUGMENTED)}
    asked = {
        (name, average): m.with_options(average=average)
        for name, m in plain.items()
        for average in AVERAGES
    }
    summed = sums_by_class(
        hierarchy, y_true, y_pred, list(asked.values()), sample_weight=sample_weight,
        unknown=unknown, on_progress=on_progress,
    )  # fmt: skip
    sides = [[plain[name] for name in names] for names in (FLAT, AUGMENTED)]
    sums = [summed.sums(asked[side[0].definition.name, "macro"]) for side in sides]
    levels = [one.grouped(hierarchy.levels[one.classes]) for one in sums]
    averages = []
    for names in (FLAT, AUGMENTED):
        columns = [np.array([summed.pooled[asked[name, a]] for a in AVERAGES]) for name in names]
        columns.append(np.full(len(AVERAGES), summed.total(asked[names[1], "micro"], "n_true")))
        averages.append(Figures(*columns))
    classes, by_class = _side_by_side(sums, sides)
    numbers, by_level = _side_by_side(levels, sides)
    return FiguresByClass(
        classes, numbers, by_class, by_level, (averages[0], averages[1]),
        tuple(plain.values()), summed,
    )  # fmt: skip


def _side_by_side(
    sums: Sequence[ClassSums], sides: Sequence[Sequence[Measure]]
) -> tuple[Ints, tuple[Figures, Figures]]:
    """Return the classes (or levels) that either side has, and the figures of both sides."""
    numbers = np.union1d(sums[0].classes, sums[1].classes)
    table = np.full((2, 4, len(numbers)), np.nan)
    table[:, 3] = 0
    seen = np.zeros(len(numbers), dtype=bool)
    for rows, one, measures in zip(table, sums, sides, strict=True):
        columns = {name: one.floats(name) for name in one.limbs}
        occurs = (columns["n_true"] > 0) | (columns["n_pred"] > 0)  # not only with weight 0
        at = np.searchsorted(numbers, one.classes)
        for row, m in zip(rows[:3], measures, strict=True):
            row[at] = np.where(occurs, m.values(columns), np.nan)
        rows[3, at] = columns["n_true"]
        seen[at] |= occurs
    flat, augmented = (Figures(*rows[:, seen]) for rows in table)
    return numbers[seen], (flat, augmented)
