"""What is counted: sets of pairs, how many there may be in each, and what every number costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Any, Self

import numpy as np

from hierpair.errors import BadInput, SolverLimit, called, shown
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.constraints.numbers import OPEN, Mask, Things, costs_of
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.constraints.source import Source
from hierpair.pairing.pairs import Array, Pairs, Side

__all__ = [
    "Count",
    "CountTable",
    "PerCost",
    "Run",
    "at_least",
    "checked_costs",
    "checked_table",
    "counts_of_tables",
    "soft_count",
]

MOST_NUMBERS = 100_000
"""Numbers of units of one label, group or instance that a table of costs may have."""


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
    runs
        What more and fewer units cost; numbers beyond all runs are not allowed.
    table
        Where the cheapest numbers may cost something, too: for each of the costs, what 0, 1, 2 …
        units of every set cost, shape ``(n_sets, n_numbers)``; otherwise empty.
    step
        How many units a number of the table is, of every set.
    """

    lower: Ints
    upper: Ints
    source: Source
    runs: tuple[Run, ...] = ()
    table: PerCost = ()
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
        each, at = np.arange(len(self)), self.lower
        if self.step is not None:
            at = at // self.step
        found = (t[each, np.minimum(at, t.shape[1] - 1)] for t in self.table)
        whole = 1 if self.step is None else self.step
        return tuple(np.where(np.isinf(x.astype(np.float64)), 0, x) * whole for x in found)

    def _looked_up(self, units: Ints) -> Array:
        """Return what the table says of so many units; between two numbers it rises evenly."""
        table, each = self.table[0], np.arange(len(self))
        last = table.shape[1] - 1
        if self.step is None:
            looked_up: Array = table[each, np.minimum(units, last)]
            return looked_up
        at, rest = np.divmod(units, self.step)
        table = _exact(table)
        low, high = (table[each, np.minimum(x, last)] for x in (at, at + (rest > 0)))
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
            runs=tuple(replace(r, sets=r.sets - lo) for r in own),
            table=tuple(t[lo:hi] for t in self.table),
            step=None if self.step is None else self.step[lo:hi],
        )


def _exact(numbers: Array) -> Array:
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
    n = len(sets)
    some = np.ones(n, dtype=bool) if where is None else where
    low = np.where(some, lower if under is not None else 0, 0)
    high = np.where(some, upper if over is not None else OPEN, OPEN)
    runs = []
    for sign, start, length, given, what in (
        (-1, low, low, under, "under"),
        (1, high, OPEN - high, over, "over"),
    ):
        if given is None:
            continue
        costs = []
        for each in given if isinstance(given, tuple) else (given,):
            numbers, known = costs_of(
                0 if each is None else each, sets.things, f"the cost {what!r}"
            )
            costs.append(numbers if known is None else np.where(known, numbers, 0))
        own = np.flatnonzero((length > 0) & (costs[0].astype(np.float64) != np.inf))
        if len(own):
            runs.append(Run(sign, own, start[own], length[own], tuple(c[own] for c in costs)))
    return Count.of(sets, low, high, source, runs=tuple(runs))


# ---------------------------------------------------------------- tables of costs


@dataclass(frozen=True, eq=False)
class _Table:
    """What a constraint says that 0, 1, 2 … units of some sets cost.

    Attributes
    ----------
    source
        The constraint.
    costs
        Shape ``(n_costs, n_sets, n_numbers)``; inf in the first cost is not allowed.
    chosen
        Of which sets it speaks.
    """

    source: Source
    costs: Array
    chosen: Bools

    @cached_property
    def allowed(self) -> Bools:
        """Which numbers there may be."""
        return np.asarray(self.costs[0].astype(np.float64) != np.inf)

    @cached_property
    def slopes(self) -> Array:
        """What every unit costs; not finite where a number is not allowed."""
        with np.errstate(invalid="ignore"):
            return np.diff(self.costs, axis=2)

    @cached_property
    def known(self) -> Bools:
        """Of which units that is known."""
        return self.allowed[:, 1:] & self.allowed[:, :-1]

    @cached_property
    def falls(self) -> Bools:
        """Which units cost less than the one before."""
        slack = 0.0  # what floats lose in differences
        if len(self.costs) == 1 and self.costs.dtype != object:
            finite = self.costs[0][self.allowed]
            slack = 1e-12 * float(np.abs(finite).max(initial=1.0))
        later, before = self.slopes[:, :, 1:] + slack, self.slopes[:, :, :-1]
        return self.known[:, 1:] & self.known[:, :-1] & ~at_least(later, before)

    @cached_property
    def holes(self) -> Ints:
        """The sets with a number between two others that is not allowed."""
        begins = self.allowed & ~np.pad(self.allowed, ((0, 0), (1, 0)))[:, :-1]
        return np.flatnonzero(begins.sum(axis=1) > 1)

    def kept(self, lower: Ints, upper: Ints) -> _Table:
        """Return it without the numbers that bounds do not allow."""
        costs, number = self.costs.copy(), np.arange(self.costs.shape[2])
        costs[0][(number < lower[:, None]) | (number > upper[:, None])] = np.inf
        return replace(self, costs=costs)

    def added(self, other: _Table) -> _Table:
        """Return what both say together."""
        source = Source(0, f"{self.source} and {other.source}")
        costs = self.costs, other.costs
        if object in (costs[0].dtype, costs[1].dtype):  # Fractions stay exact beside whole floats
            costs = _exact(costs[0]), _exact(costs[1])
        return _Table(source, costs[0] + costs[1], self.chosen | other.chosen)


def counts_of_tables(
    sets: Partition,
    said: Sequence[tuple[Source, Any, Mask]],
    most: Ints,
    bounds: tuple[Ints, Ints],
    step: Ints | None,
) -> list[Count]:
    """Return counts of what several constraints say that numbers of units of some sets cost.

    One whose costs of a unit fall stands where they do not within the bounds, or together with
    what the others say.

    Parameters
    ----------
    sets, said
        The sets; constraints with their tables or functions, and of which sets each speaks.
    most
        How many units there can be.
    bounds
        How many units there may be.
    step
        How many units are 1, where they are parts of a mass.

    Raises
    ------
    BadInput
        For a unit that is cheaper than one before it, and for a number of units that is left out.
    SolverLimit
        For too many numbers.
    """
    if step is not None:
        most, bounds = -(-most // step), (bounds[0] // step, -(-bounds[1] // step))
    size = max(len(c.entries) if isinstance(c, CountTable) else 0 for _, c, _ in said)
    size = max(size, int(most.max(initial=0)) + 1)
    tables = [_tabled(sets, *each, most, size) for each in said]
    if any(len(t.holes) or t.falls.any() for t in tables):
        tables = [t.kept(*bounds) for t in tables]
    if any(t.falls.any() for t in tables):
        tables = [reduce(_Table.added, tables)]
    for table in tables:
        _check_convex(sets, table)
    return [_count_of(sets, table, step) for table in tables]


def _tabled(
    sets: Partition, source: Source, costs: Any, where: Mask, most: Ints, size: int
) -> _Table:
    """Return what a constraint says of so many numbers, 0 of what it does not speak of."""
    things, chosen = sets.things, np.ones(len(sets), bool) if where is None else where
    asked, evaluate = size, costs
    if not isinstance(costs, CountTable):
        asked, evaluate = int(most[chosen].max(initial=0)) + 1, partial(checked_costs, costs)
        if asked > MOST_NUMBERS:
            whose, instance = things.place(int(most.argmax()))
            raise SolverLimit(
                f"{source}: {whose} can have {most.max()} pairs, and a function is asked for the "
                f"cost of each number, up to {MOST_NUMBERS}; use a table, or bounds with costs",
                instance,
            )
    rows = [evaluate(things, n) for n in range(asked)]
    exact = any(x.dtype == object for row in rows for x in row)
    found = np.zeros((max(map(len, rows)), len(sets), size), dtype=object if exact else np.float64)
    found[0] = np.inf
    for n, row in enumerate(rows):
        for k, column in enumerate(row):
            found[k, :, n] = column
    if not isinstance(costs, CountTable):
        found[0][np.arange(size) > most[:, None]] = np.inf
    found[:, ~chosen] = 0
    return _Table(source, found, chosen)


def _check_convex(sets: Partition, table: _Table) -> None:
    if len(table.holes):
        at = int(table.holes[0])
        whose, instance = sets.place(at)
        allowed = np.flatnonzero(table.allowed[at])
        raise BadInput(
            f"{table.source}: {whose} may have {allowed[0]} and {allowed[-1]} units, and "
            "not every number between them; a flow cannot leave out a number between two others",
            instance,
        )
    if table.falls.any():
        i, k = (int(x) for x in np.argwhere(table.falls)[0])
        whose, instance = sets.place(i)
        slope = table.slopes[0, i]
        what = "partner" if sets.kind == "label" else "pair"
        raise BadInput(
            f"{table.source}, {whose}: {what} {k + 2} costs {_short(slope[k + 1])} and "
            f"{what} {k + 1} costs {_short(slope[k])}; a flow needs costs per {what} that do "
            "not fall, as it would take the cheaper one first",
            instance,
        )


def _count_of(sets: Partition, table: _Table, step: Ints | None) -> Count:
    """Return what a convex table says; of sets without any allowed number, what cannot be."""
    n, size = table.allowed.shape
    whole = np.ones(n, dtype=np.int64) if step is None else step
    slopes, known = table.slopes, table.known & table.chosen[:, None]
    nothing = np.zeros((len(slopes), 1, 1))
    sign = (at_least(slopes, nothing) * 1 - at_least(nothing, slopes)) * known
    first = np.where(table.allowed.any(axis=1), table.allowed.argmax(axis=1), size)
    low = first + (sign < 0).sum(axis=1)
    high = low + (known & (sign == 0)).sum(axis=1)
    begins = sign != 0  # a run: equal costs of units one after the other
    begins[:, 1:] &= (slopes[:, :, 1:] != slopes[:, :, :-1]).any(axis=0) | (sign[:, :-1] == 0)
    run = np.cumsum(begins).reshape(begins.shape) - 1
    length = np.bincount(run[sign != 0])
    whose, at = np.nonzero(begins)
    runs = []
    for which in (1, -1):
        own = np.flatnonzero(sign[whose, at] == which)
        i, k, units = whose[own], at[own], length[own]
        start = k if which > 0 else k + units
        costs = tuple(which * slope[i, k] for slope in slopes)
        runs.append(Run(which, i, start * whole[i], units * whole[i], costs))
    low, high = (np.where(table.chosen, x * whole, y) for x, y in ((low, 0), (high, OPEN)))
    return Count.of(
        sets, low, high, table.source, runs=tuple(r for r in runs if len(r.sets)),
        table=tuple(table.costs), step=step,
    )  # fmt: skip


def at_least(one: Sequence[Array] | Array, other: Sequence[Array] | Array) -> Bools:
    """Return where costs, one after the other, are not less than others."""
    found: Any = True
    with np.errstate(invalid="ignore"):
        for a, b in zip(one[::-1], other[::-1], strict=True):
            found = (a > b) | ((a == b) & found)
    return np.asarray(found, dtype=bool)


def _short(cost: Any) -> str:
    """Return a cost as it was written: 5, not 5.0."""
    return f"{float(cost):.12g}" if not hasattr(cost, "numerator") else str(cost)


@dataclass(frozen=True)
class CountTable:
    """Costs of 0, 1, 2 … units, the same for all things; None is not allowed.

    An entry is a number, or a tuple of one for each cost of a ``Lexicographic``.
    """

    entries: tuple[Any, ...]

    def __repr__(self) -> str:
        return shown(self.entries, 40)

    def __call__(self, things: Things, n: int) -> PerCost:
        """Return what n units cost; beyond the end of the table they are not allowed."""
        entry = self.entries[n] if n < len(self.entries) else None
        many = max((len(x) for x in self.entries if isinstance(x, tuple)), default=1)
        if entry is None:
            entry = (np.inf, *[0] * (many - 1))
        listed = entry if isinstance(entry, tuple) else (entry,)
        return tuple(_filled(len(things), x) for x in listed)


def checked_table(table: Any) -> Any:
    """Return a table of costs that cannot change, or the function that gives them."""
    if callable(table):
        return table
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise BadInput(
            "a table of costs is a sequence of numbers for 0, 1, 2 … partners (None: not allowed), "
            f"or a function of the labels and of how many; got {shown(table)}"
        )
    entries = tuple(
        tuple(map(_entry, x)) if isinstance(x, (tuple, list)) else _entry(x) for x in table
    )
    entries = tuple(None if x is None or _is_endless(x) else x for x in entries)
    allowed = [n for n, x in enumerate(entries) if x is not None]
    if not allowed:
        raise BadInput(f"the table {shown(table)} allows no number of partners")
    if allowed != list(range(allowed[0], allowed[-1] + 1)):
        hole = next(n for n in range(allowed[0], allowed[-1]) if n not in allowed)
        after = next(n for n in allowed if n > hole)
        raise BadInput(
            f"the table {shown(table)} allows {hole - 1} and {after} partners and not {hole}; a "
            "flow cannot leave out a number between two others"
        )
    return CountTable(entries)


def checked_costs(table: Callable[..., Any], things: Things, n: int) -> PerCost:
    """Run a function of a user's own and refuse what are no costs."""
    given = table(things, n)
    by_cost = []
    for part in given if isinstance(given, tuple) else (given,):
        array = np.asarray(part)
        if array.shape != (len(things),) or array.dtype.kind not in "iufO":
            raise BadInput(
                f"{called(table)} must return one cost for each of {len(things)}, got "
                f"{array.dtype} of shape {array.shape}"
            )
        numbers = array.astype(np.float64)
        bad = np.isnan(numbers) | np.isneginf(numbers)
        if bad.any():
            whose, instance = things.place(int(bad.argmax()))
            raise BadInput(
                f"{called(table)} gives {n} units of {whose} the cost {array[bad.argmax()]}; a "
                "cost is a number, or inf where so many are not allowed",
                instance,
            )
        by_cost.append(array)
    return tuple(by_cost)


def _entry(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None:
        return None
    try:
        good = not isinstance(value, (bool, str)) and float(value) == float(value)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good or float(value) == -np.inf:
        raise BadInput(f"a table of costs holds numbers and None, got {shown(value)}")
    return value


def _is_endless(entry: Any) -> bool:
    several = entry if isinstance(entry, tuple) else (entry,)
    return any(x is None or float(x) == np.inf for x in several)


def _filled(n: int, value: Any) -> Array:
    plain = isinstance(value, (int, float))
    return np.full(n, value, dtype=np.float64 if plain else object)
