"""From the sums of columns by class to a pooled score, the same for scoring and for comparing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats, Indices, ratio
from hierpair.measures.named import Measure


@dataclass(frozen=True, eq=False)
class ClassTotals:
    """Sums of columns by class, for as many data sets as there are rows; ``numbers`` of classes."""

    columns: Mapping[str, Floats]
    every: Mapping[str, Floats]
    n_classes: int
    numbers: Indices

    @property
    def shape(self) -> tuple[int, ...]:
        """How many data sets there are, and how many classes occur."""
        return next(iter(self.columns.values())).shape

    def has_all(self, m: Measure) -> bool:
        """Whether every class that counts has a value under a measure, also where it is unseen."""
        return bool(self.every) and m.options.get("classes") == "all"


Means = Callable[[Floats, Floats, Floats, Floats], Floats]
"""From values and weights of classes, shape ``(rows, classes)``, and of those that do not occur
their value and their number, shape ``(rows,)``, to weighted means."""


def rounded_means(values: Floats, weights: Floats, other: Floats, n_other: Floats) -> Floats:
    """Return means whose sums are rounded once, so that no order matters."""
    means = np.full(len(values), np.nan)
    for i, (weight, one, n) in enumerate(zip(weights, other, n_other, strict=True)):
        if below := math.fsum([*weight.tolist(), n]):
            more = repeat(float(one), int(n))
            means[i] = math.fsum(chain((values[i] * weight).tolist(), more)) / below
    return means


def summed_means(values: Floats, weights: Floats, other: Floats, n_other: Floats) -> Floats:
    """Return the means of many data sets at once, with sums of floats."""
    above = (values * weights).sum(axis=-1) + n_other * other
    return ratio(above, weights.sum(axis=-1) + n_other)


def class_values(m: Measure, totals: ClassTotals) -> tuple[Floats, Bools]:
    """Return the value of each class and whether it occurs, both of shape ``(rows, classes)``."""
    columns, shape = totals.columns, totals.shape
    flat = {name: columns[name].ravel() for name in m.class_columns}
    everyone = totals.has_all(m)
    seen = np.zeros(shape, dtype=bool)
    for name, column in columns.items():
        if everyone or name not in totals.every:
            seen |= column > 0
    return m.class_values(flat).reshape(shape), seen


def mean_over_classes(m: Measure, totals: ClassTotals, means: Means) -> Floats:
    """Return averages over the classes that occur, or with ``classes="all"`` all that count.

    Classes whose value is nan are left out. Where no class is true, those of a weighted average
    weigh the same; where no class occurs at all, the value is what the sums of nothing give. A
    recipe may say itself what its sums are worth.
    """
    if hasattr(m.recipe, "pooled"):
        own: Floats = m.recipe.pooled(totals)
        return own
    values, weights, counted, occurs = _weighted_values(m, totals)
    alike = np.asarray(~weights.any(axis=-1))
    weights[alike] = counted[alike]
    other, n_other = _of_others(m, totals, alike)
    found = means(values, weights, other, n_other)
    found = np.where(np.isnan(found), float(m.options.get("zero_division", np.nan)), found)
    return np.where(occurs.any(axis=-1) | (n_other > 0), found, of_nothing(m))


def class_terms(m: Measure, totals: ClassTotals) -> tuple[Floats, Floats]:
    """Return weighted values and weights of the classes, both of shape ``(rows, classes)``.

    Where any weight is positive, the average over classes is the sum of the first, with
    :func:`unseen_terms`, divided by that of the second.
    """
    values, weights, *_ = _weighted_values(m, totals)
    return values * weights, weights


def unseen_terms(m: Measure, totals: ClassTotals) -> tuple[Floats, Floats]:
    """Return weighted values and weights of all classes that do not occur, shape ``(rows,)``."""
    other, n_other = _of_others(m, totals, np.zeros(totals.shape[0], bool))
    return n_other * other, n_other


def _weighted_values(m: Measure, totals: ClassTotals) -> tuple[Floats, Floats, Bools, Bools]:
    """Return values of classes, their weights, which of them count, and which occur.

    What does not count has the value 0 and no weight.
    """
    values, occurs = class_values(m, totals)
    counted = occurs & ~np.isnan(values)
    each = _support(m, totals.columns) if m.average == "weighted" else 1.0
    return np.where(counted, values, 0.0), np.where(counted, each, 0.0), counted, occurs


def _of_others(m: Measure, totals: ClassTotals, alike: Bools) -> tuple[Floats, Floats]:
    """Return the value of a class that does not occur and how many of them count, by row.

    In a weighted average they count where all classes weigh ``alike``, that is, where none is true.
    """
    other, n_other = np.zeros(len(alike)), np.zeros(len(alike))
    if totals.has_all(m):
        other = of_unseen(m, totals)
        some = np.any([column > 0 for column in totals.every.values()], axis=0) & ~np.isnan(other)
        some &= alike | (m.average == "macro")
        n_other = np.where(some, float(totals.n_classes - totals.shape[1]), 0.0)
        other = np.nan_to_num(other)
    return other, n_other


def _support(m: Measure, columns: Mapping[str, Floats]) -> Floats:
    """Return what classes weigh in a weighted average."""
    column = next(c for c in m.recipe.columns if c.support)
    each = columns[column.name]
    return ratio(each, columns[column.per], 0) if column.per else each


def of_unseen(m: Measure, totals: ClassTotals) -> Floats:
    """Return the value of a class that does not occur, shape ``(rows,)``."""
    zeros = {name: np.zeros(totals.shape[0]) for name in m.class_columns}
    return m.class_values({**zeros, **totals.every})


def of_nothing(m: Measure) -> float:
    """Return the value of a data set whose columns all sum up to 0."""
    return float(m.class_values({name: np.zeros(1) for name in m.class_columns})[0])
