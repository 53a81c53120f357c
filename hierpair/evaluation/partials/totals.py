"""What instances leave behind: exact sums that add up in any order and any partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.evaluation.partials.exact_sums import (
    ClassSums,
    as_fraction,
    class_sums,
    exact_sum,
    in_units,
)
from hierpair.measures import Batch, Columns, Measure, Recipe, counts_classes
from hierpair.measures.pooling import ClassTotals, mean_over_classes, of_nothing, rounded_means

__all__ = ["REMARKS", "Plan", "Tally", "Totals", "pooled_columns", "pooled_values"]

REMARKS = "remarks"
"""Under this name the sentences of remarks are counted, as words of a column are under its."""

Counted = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, eq=False)
class Plan:
    """What has to be added up for some measures; equal recipes are added up once."""

    measures: tuple[Measure, ...]

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """The recipes, each once."""
        return tuple(dict.fromkeys(m.recipe for m in self.measures))

    @cached_property
    def place(self) -> tuple[int, ...]:
        """By measure, which recipe it has."""
        at = {recipe: i for i, recipe in enumerate(self.recipes)}
        return tuple(at[m.recipe] for m in self.measures)

    def summed(self, i: int) -> list[str]:
        """Return the columns of a recipe that micro averages need."""
        pooled = [m for m, at in zip(self.measures, self.place, strict=True) if at == i]
        whole = self._whole(i)
        taken = [
            c for m in pooled for c in m.definition.columns
            if m.average == "micro" or (m.average != "samples" and c in whole)
        ]  # fmt: skip
        return list(dict.fromkeys(taken))

    def columns_by_class(self, i: int) -> set[str]:
        """Return the columns of a recipe that averages over classes need, if there are any."""
        pooled = [m for m, at in zip(self.measures, self.place, strict=True) if at == i]
        taken = [m.definition.columns for m in pooled if m.average in ("macro", "weighted")]
        support = [x for c in self.recipes[i].columns if c.support for x in (c.name, c.per) if x]
        needed = {*support, *(c for columns in taken for c in columns)} - self._whole(i)
        return needed if taken else set()

    def _whole(self, i: int) -> frozenset[str]:
        """Return the columns of a recipe that are of all instances together, also by class."""
        return frozenset(c.name for c in self.recipes[i].columns if c.whole)


@dataclass(frozen=True, eq=False)
class Tally:
    """What is added up of one recipe.

    Attributes
    ----------
    sums
        Exact sums of columns, in the units of ``exact_sum``.
    by_class
        Exact sums of columns by class; None where no average over classes is asked for.
    every
        Columns that every class has 1 of per instance; ``weight`` is the sum of weights.
    n_classes
        Number of classes that count.
    counted
        By column of words, or ``"remarks"``, how many instances each word or sentence holds of.
    """

    sums: dict[str, int]
    by_class: ClassSums | None
    every: tuple[str, ...]
    weight: int
    n_classes: int
    counted: Counted

    def plus(self, other: Tally) -> Tally:
        """Return the sums of both."""
        by_class = self.by_class or other.by_class
        if self.by_class is not None and other.by_class is not None:
            by_class = self.by_class.plus(other.by_class)
        return Tally(
            {name: self.sums[name] + other.sums[name] for name in self.sums},
            by_class,
            self.every or other.every,
            self.weight + other.weight,
            max(self.n_classes, other.n_classes),
            _counted_together(self.counted, other.counted),
        )

    def class_columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the sums of columns of the classes that occur, each rounded once."""
        if self.by_class is None:
            return {}
        weight = as_fraction(self.weight)
        plus: dict[str, Fraction] = dict.fromkeys(self.every, weight)
        found = {c: self.by_class.floats(c, plus.get(c)) for c in self.by_class.limbs}
        n = len(self.by_class.classes)
        return found | {c: np.full(n, total) for c, total in self._whole().items()}

    def _whole(self) -> dict[str, float]:
        """Return the sums of columns that are of all instances: those without sums by class."""
        known = {} if self.by_class is None else self.by_class.limbs
        return {c: float(as_fraction(x)) for c, x in self.sums.items() if c not in known}

    def class_totals(self) -> ClassTotals:
        """Return :meth:`class_columns` as one data set, with what unseen classes have."""
        columns = {c: sums[None] for c, sums in self.class_columns().items()}
        every = {c: np.array([float(as_fraction(self.weight))]) for c in self.every}
        every = {c: sums for c, sums in every.items() if c in columns}
        every |= {c: np.array([total]) for c, total in self._whole().items()}
        return ClassTotals(columns, every, self.n_classes)


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over instances, by measure and by recipe.

    Attributes
    ----------
    n_instances
        Number of instances.
    means
        By measure, the exact sums of weighted values and of weights.
    tallies
        By recipe of a :class:`Plan`.
    """

    n_instances: int
    means: tuple[tuple[int, int], ...]
    tallies: tuple[Tally, ...]

    @classmethod
    def nothing(cls, plan: Plan) -> Totals:
        """Return the totals of no instance."""
        tallies = [
            Tally(dict.fromkeys(plan.summed(i), 0), None, (), 0, 0, {})
            for i in range(len(plan.recipes))
        ]
        return cls(0, ((0, 0),) * len(plan.measures), tuple(tallies))

    @classmethod
    def of_batch(
        cls,
        plan: Plan,
        batch: Batch,
        values: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
    ) -> Totals:
        """Return the totals of a batch; ``values`` has a column per measure."""
        means = tuple(
            _mean(values[:, k], weight) if m.average == "samples" else (0, 0)
            for k, m in enumerate(plan.measures)
        )
        tallies = [_tally(plan, i, batch, weight) for i in range(len(plan.recipes))]
        return cls(len(batch), means, tuple(tallies))

    def plus(self, other: Totals) -> Totals:
        """Return the totals of both."""
        pairs = zip(self.means, other.means, strict=True)
        tallies = zip(self.tallies, other.tallies, strict=True)
        return Totals(
            self.n_instances + other.n_instances,
            tuple((a[0] + b[0], a[1] + b[1]) for a, b in pairs),
            tuple(a.plus(b) for a, b in tallies),
        )

    def counted(self, plan: Plan, column: str) -> dict[str, dict[str, int]]:
        """Return how often a column has each word, by the name of the measures that have any."""
        pairs = zip(plan.measures, plan.place, strict=True)
        known = {m.name: self.tallies[at].counted.get(column) for m, at in pairs}
        return {name: dict(words) for name, words in known.items() if words}

    def pooled(self, plan: Plan) -> list[float]:
        """Return the pooled score of every measure; nan if there is no instance."""
        return [self._pooled(plan, k) for k in range(len(plan.measures))]

    def _pooled(self, plan: Plan, k: int) -> float:
        m, tally = plan.measures[k], self.tallies[plan.place[k]]
        n_infeasible = sum(tally.counted.get("infeasible", {}).values())
        if self.n_instances <= n_infeasible:
            return float("nan")
        if m.average == "samples":
            return _ratio(self.means[k])
        if m.average == "micro":
            return _of_sums(m, tally.sums)
        if tally.by_class is None:
            return of_nothing(m)
        return float(mean_over_classes(m, tally.class_totals(), rounded_means)[0])


def pooled_values(values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> float:
    """Return the mean of the values of instances; nan is left out."""
    return _ratio(_mean(values, weight))


def pooled_columns(m: Measure, columns: Columns, weight: NDArray[np.float64] | None) -> float:
    """Return the micro average of a measure from the columns of instances."""
    return _of_sums(m, {c: _sum(columns[c], weight) for c in m.definition.columns})


def _ratio(sums: tuple[int, int]) -> float:
    return sums[0] / sums[1] if sums[1] else float("nan")


def _of_sums(m: Measure, sums: Mapping[str, int]) -> float:
    whole = {c: np.array([float(as_fraction(units))]) for c, units in sums.items()}
    return float(m.values(whole)[0])


def _sum(column: NDArray[Any], weight: NDArray[np.float64] | None) -> int:
    numbers = np.asarray(column, dtype=np.float64)
    return exact_sum(numbers if weight is None else numbers * weight)


def _mean(values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> tuple[int, int]:
    """Return the sums of weighted values and of weights; what is nan is left out of both."""
    known = ~np.isnan(values)
    if weight is None:
        return exact_sum(values[known]), in_units(int(known.sum()))
    return exact_sum((values * weight)[known]), exact_sum(weight[known])


def _tally(plan: Plan, i: int, batch: Batch, weight: NDArray[np.float64] | None) -> Tally:
    recipe = plan.recipes[i]
    columns = batch.columns(recipe)
    sums = {name: _sum(columns[name], weight) for name in plan.summed(i)}
    counted = _counted(recipe, columns)
    if not plan.columns_by_class(i) or not counts_classes(recipe):
        return Tally(sums, None, (), 0, 0, counted)
    entries = batch.entries(recipe)
    n = in_units(len(batch)) if weight is None else exact_sum(weight)
    by_class = class_sums(entries, weight)
    return Tally(sums, by_class, entries.every, n, entries.n_classes, counted)


def _counted(recipe: Recipe, columns: Columns) -> Counted:
    """Return how often words occur, and of how many instances a remark holds."""
    found: dict[str, dict[str, int]] = {}
    declared = {column.name: column for column in recipe.columns}
    for name, values in columns.items():
        column = declared.get(name)
        if column is None:
            found.setdefault(REMARKS, {})[name] = int(values.sum())
        elif column.words:
            sums = np.bincount(values, minlength=len(column.words)).tolist()
            found[name] = {w: n for w, n in zip(column.words, sums, strict=True) if n}
        elif column.dtype is bool:
            found[name] = {name: int(values.sum())}
    return found


def _counted_together(one: Counted, other: Counted) -> Counted:
    """Return the sums of counts by column and word, in an order that does not depend on theirs."""
    found = {}
    for column in sorted({*one, *other}):
        a, b = one.get(column, {}), other.get(column, {})
        found[column] = {word: a.get(word, 0) + b.get(word, 0) for word in sorted({*a, *b})}
    return found
