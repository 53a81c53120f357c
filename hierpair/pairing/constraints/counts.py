"""What is counted: sets of pairs, how many there may be in each, and what every number costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit, called, shown
from hierpair.pairing.constraints.numbers import OPEN, Mask, Things, costs_of
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.constraints.source import Source
from hierpair.pairing.pairs import Pairs, Side

__all__ = [
    "Count",
    "CountTable",
    "PerCost",
    "Run",
    "Table",
    "checked_costs",
    "checked_table",
    "counts_of_tables",
    "soft_count",
    "tabled",
]

MOST_NUMBERS = 100_000
"""Numbers of units of one label, group or instance that a table of costs may have."""

Ints = NDArray[np.int64]

PerCost = tuple[NDArray[Any], ...]
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

    def some(self, at: NDArray[Any]) -> Run:
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
        For each of the costs, what 0, 1, 2 … units of every set cost, shape ``(n_sets, n_numbers)``
        and the cheapest number more than nothing; empty where all is said by the runs.
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

    def lacking(self, costs: Sequence[NDArray[Any]]) -> Count:
        """Return it with a cost of every unit below the lower bound, inf where it is hard."""
        some = np.flatnonzero(costs[0].astype(np.float64) != np.inf)
        low = self.lower[some]
        run = Run(-1, some, low, low, tuple(c[some] for c in costs))
        return replace(self, runs=(run,) if len(some) else ())

    def under(self) -> PerCost:
        """Return what every unit below the lower bound costs, inf in the first where it is hard."""
        found = [np.full(len(self), np.inf)] + [np.zeros(len(self))] * (self.n_costs - 1)
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

    def owed(self, units: Ints) -> Iterator[tuple[Ints, Ints, NDArray[Any]]]:
        """Yield what so many units of the sets cost: sets, how often each pays, its first cost."""
        if self.table:
            yield np.arange(len(self)), np.ones(len(self), np.int64), self._looked_up(units)
            return
        for run in self.runs:
            beyond = np.clip(run.sign * (units[run.sets] - run.start), 0, run.length)
            yield run.sets, beyond, run.costs[0]

    def paid(self, units: Ints) -> NDArray[np.float64]:
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

    def _looked_up(self, units: Ints) -> NDArray[Any]:
        """Return what the table says of so many units; between two numbers it rises evenly."""
        table, each = self.table[0], np.arange(len(self))
        last = table.shape[1] - 1
        if self.step is None:
            return table[each, np.minimum(units, last)]
        at, rest = np.divmod(units, self.step)
        table = _exact(table)
        low, high = (table[each, np.minimum(x, last)] for x in (at, at + (rest > 0)))
        between: NDArray[Any] = low * (self.step - rest) + high * rest
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


def _exact(numbers: NDArray[Any]) -> NDArray[Any]:
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
class Table:
    """What a constraint says that 0, 1, 2 … units of some sets cost.

    Attributes
    ----------
    source
        The constraint.
    costs
        For each of the costs an array ``(n_sets, n_numbers)``; inf in the first is not allowed.
    chosen
        Of which sets it speaks; None: of all.
    """

    source: Source
    costs: PerCost
    chosen: Mask

    def kept(self, lower: Ints, upper: Ints) -> Table:
        """Return it without the numbers that bounds do not allow."""
        number = np.arange(self.costs[0].shape[1])
        barred = (number < lower[:, None]) | (number > upper[:, None])
        return replace(self, costs=(np.where(barred, np.inf, self.costs[0]), *self.costs[1:]))

    def added(self, other: Table) -> Table:
        """Return what both say together."""
        size = max(t.costs[0].shape[1] for t in (self, other))
        k = max(len(self.costs), len(other.costs))
        wide = [[_widened(t, j, size) for j in range(k)] for t in (self, other)]
        chosen = None
        if self.chosen is not None and other.chosen is not None:
            chosen = self.chosen | other.chosen
        costs = tuple(_sum(a, b) for a, b in zip(*wide, strict=True))
        return Table(Source(0, f"{self.source} and {other.source}"), costs, chosen)

    def slopes(self) -> tuple[NDArray[np.bool_], PerCost]:
        """Return what every unit costs, and of which units that is known."""
        allowed = self.costs[0].astype(np.float64) != np.inf
        with np.errstate(invalid="ignore"):
            slopes = tuple(np.diff(t, axis=1) for t in self.costs)
        return allowed[:, 1:] & allowed[:, :-1], slopes

    def falls(self) -> NDArray[np.bool_]:
        """Return the units that cost less than the one before."""
        known, slopes = self.slopes()
        less = np.zeros((len(known), max(known.shape[1] - 1, 0)), dtype=bool)
        same = known[:, 1:] & known[:, :-1]
        for slope in slopes:
            slack = 0.0  # what floats lose in differences
            if slope.dtype != object and len(slopes) == 1:
                finite = self.costs[0][np.isfinite(self.costs[0])]
                slack = 1e-12 * np.abs(finite).max(initial=1.0)
            with np.errstate(invalid="ignore"):
                less |= same & (slope[:, 1:] < slope[:, :-1] - slack).astype(bool)
                same &= (slope[:, 1:] == slope[:, :-1]).astype(bool)
        return less

    def holes(self) -> Ints:
        """Return the sets with a number between two others that is not allowed."""
        allowed = self.costs[0].astype(np.float64) != np.inf
        begins = allowed & ~np.pad(allowed, ((0, 0), (1, 0)))[:, :-1]
        return np.flatnonzero(begins.sum(axis=1) > 1)


def tabled(
    sets: Partition, costs: Any, where: Mask, source: Source, most: Ints, step: Ints | None
) -> Table:
    """Return what a constraint says of as many units as there can be, 0 of what is not chosen."""
    things, n = sets.things, len(sets)
    numbers = most if step is None else -(-most // step)
    given = checked_table(costs)
    if isinstance(given, CountTable):
        rows = [given(things, k) for k in range(len(given.entries))]
    else:
        asked = numbers if where is None else np.where(where, numbers, 0)
        if asked.max(initial=0) >= MOST_NUMBERS:
            whose, instance = things.place(int(asked.argmax()))
            raise SolverLimit(
                f"{source}: {whose} can have {asked.max()} pairs, and a function is asked for the "
                f"cost of each number, up to {MOST_NUMBERS}; use a table, or bounds with costs",
                instance,
            )
        rows = [checked_costs(given, things, k) for k in range(int(asked.max(initial=0)) + 1)]
    zero = np.zeros(n)
    found = []
    for j in range(max(map(len, rows))):
        columns = [row[j] if j < len(row) else zero for row in rows]
        if any(c.dtype == object for c in columns):
            columns = [c.astype(object) for c in columns]
        table = np.stack(columns, axis=1)
        found.append(table if where is None else np.where(where[:, None], table, 0))
    if not isinstance(given, CountTable):
        unasked = np.arange(len(rows)) > numbers[:, None]
        found[0] = np.where(
            unasked if where is None else unasked & where[:, None], np.inf, found[0]
        )
    return Table(source, tuple(found), where)


def counts_of_tables(
    sets: Partition, tables: list[Table], lower: Ints, upper: Ints, step: Ints | None
) -> list[Count]:
    """Return counts of what several constraints say of some sets, within their bounds.

    One whose costs of a unit fall stands where they do not within the bounds, or together with
    what the others say.

    Raises
    ------
    BadInput
        For a unit that is cheaper than one before it, and for a number of units that is left out.
    """
    if any(len(t.holes()) or t.falls().any() for t in tables):
        tables = [t.kept(lower, upper) for t in tables]
    if len(tables) > 1 and any(t.falls().any() for t in tables):
        whole = tables[0]
        for other in tables[1:]:
            whole = whole.added(other)
        tables = [whole]
    for table in tables:
        _check_convex(sets, table)
    return [_count_of(sets, table, step) for table in tables]


def _check_convex(sets: Partition, table: Table) -> None:
    holes, falls = table.holes(), table.falls()
    if len(holes):
        whose, instance = sets.place(int(holes[0]))
        allowed = np.flatnonzero(table.costs[0][holes[0]].astype(np.float64) != np.inf)
        raise BadInput(
            f"{table.source}: {whose} may have {allowed[0]} and {allowed[-1]} units, and "
            "not every number between them; a flow cannot leave out a number between two others",
            instance,
        )
    if falls.any():
        i, k = (int(x) for x in np.argwhere(falls)[0])
        whose, instance = sets.place(i)
        slope = table.slopes()[1][0][i]
        what = "partner" if sets.kind == "label" else "pair"
        raise BadInput(
            f"{table.source}, {whose}: {what} {k + 2} costs {_short(slope[k + 1])} and "
            f"{what} {k + 1} costs {_short(slope[k])}; a flow needs costs per {what} that do "
            "not fall, as it would take the cheaper one first",
            instance,
        )


def _count_of(sets: Partition, table: Table, step: Ints | None) -> Count:
    """Return what a convex table says; of sets without any allowed number, what cannot be."""
    known, slopes = table.slopes()
    n, size = table.costs[0].shape
    allowed = table.costs[0].astype(np.float64) != np.inf
    sign = np.zeros(known.shape, dtype=np.int64)
    for slope in slopes:
        sign = np.where(known & (sign == 0), np.sign(np.where(known, slope, 0).astype(float)), sign)
    first = np.where(allowed.any(axis=1), allowed.argmax(axis=1), size)
    low = first + (sign < 0).sum(axis=1)
    high = low + (known & (sign == 0)).sum(axis=1)
    if table.chosen is not None:
        sign[~table.chosen] = 0
        low, high = (np.where(table.chosen, x, free) for x, free in ((low, 0), (high, OPEN)))
    begins = sign != 0
    same = np.ones((n, max(size - 2, 0)), dtype=bool)
    for slope in slopes:
        same &= (slope[:, 1:] == slope[:, :-1]).astype(bool)
    begins[:, 1:] &= ~(same & (sign[:, 1:] == sign[:, :-1]))
    whole = np.ones(n, dtype=np.int64) if step is None else step
    runs = []
    whose, at = np.nonzero(begins)
    group = np.cumsum(begins, axis=None).reshape(begins.shape) - 1
    length = np.bincount(group[sign != 0], minlength=len(whose))
    for which in (1, -1):
        own = np.flatnonzero(sign[whose, at] == which)
        i, k, units = whose[own], at[own], length[own]
        costs = tuple(which * slope[i, k] for slope in slopes)
        if len(own):
            start = k if which > 0 else k + units
            runs.append(Run(which, i, start * whole[i], units * whole[i], costs))
    bounds = (np.where(x < OPEN, np.minimum(x, OPEN) * whole, OPEN) for x in (low, high))
    return Count.of(sets, *bounds, table.source, runs=tuple(runs), table=table.costs, step=step)


def _widened(table: Table, k: int, size: int) -> NDArray[Any]:
    """Return one of the costs for so many numbers; those beyond its end are not allowed."""
    n, known = table.costs[0].shape
    if k >= len(table.costs):
        return np.zeros((n, size))
    fill: Any = np.inf if k == 0 else 0
    rest = np.full((n, size - known), fill)
    if table.chosen is not None:
        rest[~table.chosen] = 0
    return np.concatenate([table.costs[k], rest], axis=1)


def _sum(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of numbers; Fractions stay exact beside floats that are whole."""
    if object in (one.dtype, other.dtype):
        one, other = _exact(one), _exact(other)
    total: NDArray[Any] = one + other
    return total


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


def _filled(n: int, value: Any) -> NDArray[Any]:
    plain = isinstance(value, (int, float))
    return np.full(n, value, dtype=np.float64 if plain else object)
