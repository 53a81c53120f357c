"""What is counted: sets of pairs, how many there may be in each, and what every number costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.constraints.numbers import OPEN, Mask, costs_of
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.constraints.source import Source
from hierpair.pairing.pairs import Array, Pairs, Side

__all__ = ["Count", "PerCost", "Run", "at_least", "exact", "short_text", "soft_count"]

PerCost = tuple[Array, ...]
"""Numbers for each of the costs of a ``Lexicographic``; a single one otherwise."""


@dataclass(frozen=True, eq=False)
class Run:
    """Units of some sets, more or fewer than those that cost nothing, at one cost each.

    Attributes
    ----------
    sign
        1: more of them, -1: fewer.
    sets
        The sets, by number.
    start, length
        From how many units of a set they are counted, upwards or downwards, and how many there are.
    costs
        What each of them costs.
    """

    sign: int
    sets: Ints
    start: Ints
    length: Ints
    costs: PerCost

    def some(self, at: Array) -> Run:
        """Return the run of some of its sets."""
        costs = tuple(c[at] for c in self.costs)
        return Run(self.sign, self.sets[at], self.start[at], self.length[at], costs)


@dataclass(frozen=True, eq=False)
class Count(Partition):
    """Sets of pairs with a convex cost of how many pairs, or units of them, are in each.

    In a network that is a base arc for the numbers that cost nothing, and an arc for every run of
    equal costs: beside it for more units, back for fewer. Counts of the same sets follow each
    other there, so that each keeps arcs and a dual price of its own.

    Attributes
    ----------
    lower, upper
        From and up to how many units cost nothing, in every set.
    source
        Which constraint says so; of labels and instances, where several may, the first.
    said
        Where it only bounds numbers: what each constraint says, one bound or one of each set.
    runs
        What more and fewer units cost; numbers beyond all runs are not allowed.
    table
        Where the cheapest numbers may cost something, too: for each of the costs, what 0, 1, 2 …
        units cost, shape ``(n_rows, n_numbers)``; otherwise empty.
    row
        Of every set, its row of the table.
    step
        How many units a number of the table is, of every set.
    """

    lower: Ints
    upper: Ints
    source: Source
    said: tuple[tuple[Source, Any, Any], ...] = ()
    runs: tuple[Run, ...] = ()
    table: PerCost = ()
    row: Ints | None = None
    step: Ints | None = None

    @classmethod
    def of(cls, sets: Partition, lower: Any, upper: Any, source: Source, **more: Any) -> Count:
        """Return a count of sets with these bounds."""
        low, high = (np.broadcast_to(x, sets.instance.shape) for x in (lower, upper))
        fields = {name: getattr(sets, name) for name in Partition.__dataclass_fields__}
        return cls(**fields, lower=low, upper=high, source=source, **more)

    @property
    def is_hard(self) -> bool:
        """Whether it bounds numbers and no more."""
        return not self.runs and not self.table

    @property
    def n_costs(self) -> int:
        """How many costs of a ``Lexicographic`` it has."""
        return max((len(x) for x in (self.table, *(r.costs for r in self.runs))), default=1)

    def hard(self) -> Count:
        """Return it without costs: what is possible stays possible."""
        bounds = {1: self.upper.copy(), -1: self.lower.copy()}
        for run in self.runs:
            np.add.at(bounds[run.sign], run.sets, run.sign * run.length)
        return replace(self, lower=bounds[-1], upper=bounds[1], runs=(), table=())

    def lacking(self, costs: Sequence[Array]) -> Count:
        """Return it with a cost of every unit below the lower bound, inf where it is hard."""
        some = np.flatnonzero(costs[0].astype(np.float64) != np.inf)
        low = self.lower[some]
        run = Run(-1, some, low, low, tuple(c[some] for c in costs))
        return replace(self, runs=(run,) if len(some) else ())

    def under(self, n_costs: int = 1) -> PerCost:
        """Return what every unit below the lower bound costs, inf in the first where it is hard.

        Of so many costs, or more where it has them.
        """
        n_more = max(n_costs, self.n_costs) - 1
        found = [np.full(len(self), np.inf)] + [np.zeros(len(self))] * n_more
        for run in self.runs[:1]:
            for k, cost in enumerate(run.costs):
                found[k] = found[k].astype(np.result_type(found[k], cost))
                found[k][run.sets] = cost
        return tuple(found)

    def capped(self, most: Ints) -> Count:
        """Return it without numbers above what the sets can have."""
        upper = np.minimum(self.upper, np.maximum(most, self.lower))
        runs = []
        for run in self.runs:
            length = run.length
            if run.sign > 0:
                length = np.clip(most[run.sets] - run.start, 0, length)
            runs.append(replace(run, length=length).some((length > 0) | (run.sign < 0)))
        return replace(self, upper=upper, runs=tuple(runs))

    def owed(self, units: Ints) -> Iterator[tuple[Ints, Ints, Array]]:
        """Yield what so many units of the sets cost: sets, how often each pays, its first cost."""
        if self.table:
            yield np.arange(len(self)), np.ones(len(self), np.int64), self._looked_up(units)
            return
        for run in self.runs:
            beyond = np.clip(run.sign * (units[run.sets] - run.start), 0, run.length)
            yield run.sets, beyond, run.costs[0]

    def paid(self, units: Ints) -> Floats:
        """Return what so many units of every set cost by the first cost."""
        total = np.zeros(len(self))
        for sets, often, cost in self.owed(units):
            total[sets] += often * cost.astype(np.float64)
        return total

    def constants(self) -> PerCost:
        """Return what the cheapest number of every set costs, by each cost, 0 without a table."""
        at = self.lower if self.step is None else self.lower // self.step
        found = (t[self.row, np.minimum(at, t.shape[1] - 1)] for t in self.table)
        whole = 1 if self.step is None else self.step
        return tuple(np.where(np.isinf(x.astype(np.float64)), 0, x) * whole for x in found)

    def _looked_up(self, units: Ints) -> Array:
        """Return what the table says of so many units; between two numbers it rises evenly."""
        table, last = self.table[0], self.table[0].shape[1] - 1
        if self.step is None:
            looked_up: Array = table[self.row, np.minimum(units, last)]
            return looked_up
        at, rest = np.divmod(units, self.step)
        low, high = (exact(table)[self.row, np.minimum(x, last)] for x in (at, at + (rest > 0)))
        between: Array = low * (self.step - rest) + high * rest
        return between

    def part(self, instance: int, pairs: Pairs, here: slice, of: Mapping[Side, slice]) -> Self:
        """Return the sets of one instance, whose pairs and labels are these."""
        lo, hi = self.within(instance)
        own = (r.some((r.sets >= lo) & (r.sets < hi)) for r in self.runs)
        return replace(
            super().part(instance, pairs, here, of),
            lower=self.lower[lo:hi],
            upper=self.upper[lo:hi],
            said=tuple(
                (source, *(x if x.ndim == 0 else x[lo:hi] for x in both))
                for source, *both in self.said
            ),
            runs=tuple(replace(r, sets=r.sets - lo) for r in own),
            row=None if self.row is None else self.row[lo:hi],
            step=None if self.step is None else self.step[lo:hi],
        )


def exact(numbers: Array) -> Array:
    """Return numbers as Python's own, whole floats as whole numbers of any size."""
    whole = [int(x) if isinstance(x, float) and x.is_integer() else x for x in numbers.flat]
    return np.array(whole, dtype=object).reshape(numbers.shape)


def soft_count(
    sets: Partition, lower: Any, upper: Any, under: Any, over: Any, where: Mask, source: Source
) -> Count:
    """Return what is paid for units below a lower and above an upper bound.

    ``under`` and ``over`` are costs per unit, in any form that numbers of a constraint have; None
    where a bound is hard, which is said elsewhere.
    """
    some = np.ones(len(sets), dtype=bool) if where is None else where
    low = np.where(some, lower if under is not None else 0, 0)
    high = np.where(some, upper if over is not None else OPEN, OPEN)
    runs = []
    for sign, start, length, given, what in (
        (-1, low, low, under, "under"),
        (1, high, OPEN - high, over, "over"),
    ):
        costs = []
        for each in given if isinstance(given, tuple) else (given,):
            cost, known = costs_of(0 if each is None else each, sets.things, f"the cost {what!r}")
            costs.append(cost if known is None else np.where(known, cost, 0))
        own = np.flatnonzero((length > 0) & (costs[0].astype(np.float64) != np.inf))
        if given is not None and len(own):
            runs.append(Run(sign, own, start[own], length[own], tuple(c[own] for c in costs)))
    return Count.of(sets, low, high, source, runs=tuple(runs))


def at_least(one: Sequence[Array] | Array, other: Sequence[Array] | Array) -> Bools:
    """Return where costs, one after the other, are not less than others."""
    found: Any = True
    with np.errstate(invalid="ignore"):
        for a, b in zip(one[::-1], other[::-1], strict=True):
            found = (a > b) | ((a == b) & found)
    return np.asarray(found, dtype=bool)


def short_text(cost: Any) -> str:
    """Return a cost as it was written: 5, not 5.0."""
    return f"{float(cost):.12g}" if not hasattr(cost, "numerator") else str(cost)
