"""Tables of what 0, 1, 2 … units cost, and the counts that convex ones are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np

from hierpair.errors import BadInput, SolverLimit, called, shown
from hierpair.hierarchy.arrays import Bools, Ints, ragged_ranges
from hierpair.pairing.constraints.counts import Count, PerCost, Run, at_least, exact, short_text
from hierpair.pairing.constraints.numbers import OPEN, Mask, Things
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.constraints.source import Source
from hierpair.pairing.pairs import Array

__all__ = ["CountTable", "checked_table", "counts_of_tables"]

MOST_NUMBERS = 100_000
"""Numbers of units of one label, group or instance that a table of costs may have."""


@dataclass(frozen=True, eq=False)
class _Table:
    """What a constraint says that 0, 1, 2 … units of some sets cost.

    Attributes
    ----------
    source
        The constraint.
    costs
        Different rows of costs, shape ``(n_costs, n_rows, n_numbers)``; inf in the first cost is
        not allowed.
    row
        Of every set, its row.
    chosen
        Of which sets it speaks.
    """

    source: Source
    costs: Array
    row: Ints
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
    def holes(self) -> Bools:
        """The rows with a number between two others that is not allowed."""
        begins = self.allowed & ~np.pad(self.allowed, ((0, 0), (1, 0)))[:, :-1]
        return np.asarray(begins.sum(axis=1) > 1)

    def by_set(self) -> _Table:
        """Return it with a row for every set."""
        return replace(self, costs=self.costs[:, self.row], row=np.arange(len(self.row)))

    def kept(self, lower: Ints, upper: Ints) -> _Table:
        """Return it without the numbers that bounds do not allow."""
        found, number = self.by_set(), np.arange(self.costs.shape[2])
        found.costs[0][(number < lower[:, None]) | (number > upper[:, None])] = np.inf
        return found

    def added(self, other: _Table) -> _Table:
        """Return what both say together, of which each has a row for every set."""
        costs = self.costs, other.costs
        if object in (costs[0].dtype, costs[1].dtype):  # Fractions stay exact beside whole floats
            costs = exact(costs[0]), exact(costs[1])
        many = max(map(len, costs))
        a, b = (np.pad(c, ((0, many - len(c)), (0, 0), (0, 0))) for c in costs)
        source = Source(0, f"{self.source} and {other.source}")
        return _Table(source, a + b, self.row, self.chosen | other.chosen)


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
    if any(t.holes.any() or t.falls.any() for t in tables):
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
    if isinstance(costs, CountTable):  # the same for all, but for those of which it says nothing
        row = costs.row(size)
        rows = np.stack([row, np.zeros_like(row)], axis=1)
        return _Table(source, rows, (~chosen).astype(np.int64), chosen)
    asked = int(most[chosen].max(initial=0)) + 1
    if asked > MOST_NUMBERS:
        whose, instance = things.place(int(most.argmax()))
        raise SolverLimit(
            f"{source}: {whose} can have {most.max()} pairs, and a function is asked for the "
            f"cost of each number, up to {MOST_NUMBERS}; use a table, or bounds with costs",
            instance,
        )
    given = [_asked(costs, things, n) for n in range(asked)]
    kind = object if any(x.dtype == object for columns in given for x in columns) else np.float64
    found = np.zeros((max(map(len, given)), len(sets), size), dtype=kind)
    found[0] = np.inf
    for n, columns in enumerate(given):
        for k, column in enumerate(columns):
            found[k, :, n] = column
    found[0][np.arange(size) > most[:, None]] = np.inf
    found[:, ~chosen] = 0
    return _Table(source, found, np.arange(len(sets)), chosen)


def _check_convex(sets: Partition, table: _Table) -> None:
    for i in np.flatnonzero(table.holes[table.row])[:1].tolist():
        whose, instance = sets.place(i)
        allowed = np.flatnonzero(table.allowed[table.row[i]])
        raise BadInput(
            f"{table.source}: {whose} may have {allowed[0]} and {allowed[-1]} units, and "
            "not every number between them; a flow cannot leave out a number between two others",
            instance,
        )
    falls = np.asarray(table.falls.any(axis=1))[table.row]
    for i in np.flatnonzero(falls)[:1].tolist():
        whose, instance = sets.place(i)
        k, slope = int(table.falls[table.row[i]].argmax()), table.slopes[0, table.row[i]]
        what = "partner" if sets.kind == "label" else "pair"
        raise BadInput(
            f"{table.source}, {whose}: {what} {k + 2} costs {short_text(slope[k + 1])} and "
            f"{what} {k + 1} costs {short_text(slope[k])}; a flow needs costs per {what} that do "
            "not fall, as it would take the cheaper one first",
            instance,
        )


def _count_of(sets: Partition, table: _Table, step: Ints | None) -> Count:
    """Return what a convex table says; of sets without any allowed number, what cannot be."""
    whole = np.ones(len(sets), dtype=np.int64) if step is None else step
    slopes, known, row = table.slopes, table.known, table.row
    nothing = np.zeros((len(slopes), 1, 1))
    sign = (at_least(slopes, nothing) * 1 - at_least(nothing, slopes)) * known
    none = ~table.allowed.any(axis=1)
    low = np.where(none, table.allowed.shape[1], table.allowed.argmax(axis=1))
    low = low + (sign < 0).sum(axis=1)
    high = low + (known & (sign == 0)).sum(axis=1)
    begins = sign != 0  # a run: equal costs of units one after the other
    begins[:, 1:] &= (slopes[:, :, 1:] != slopes[:, :, :-1]).any(axis=0) | (sign[:, :-1] == 0)
    length = np.bincount(np.cumsum(begins)[(sign != 0).ravel()] - 1)
    whose, at = np.nonzero(begins)
    runs = []
    for which in (1, -1):
        own = np.flatnonzero(sign[whose, at] == which)
        ptr = np.searchsorted(whose[own], np.arange(len(sign) + 1))
        many = np.where(table.chosen, np.diff(ptr)[row], 0)
        own = own[ragged_ranges(ptr[row], many)]
        i, k, units = np.repeat(np.arange(len(sets)), many), at[own], length[own]
        start = k if which > 0 else k + units
        costs = tuple(which * slope[whose[own], k] for slope in slopes)
        if len(own):
            runs.append(Run(which, i, start * whole[i], units * whole[i], costs))
    low, high = (np.where(table.chosen, x[row] * whole, y) for x, y in ((low, 0), (high, OPEN)))
    return Count.of(
        sets, low, high, table.source, runs=tuple(runs), table=tuple(table.costs), row=row,
        step=step,
    )  # fmt: skip


@dataclass(frozen=True)
class CountTable:
    """Costs of 0, 1, 2 … units, the same for all things; None is not allowed.

    An entry is a number, or a tuple of one for each cost of a ``Lexicographic``.
    """

    entries: tuple[Any, ...]

    def __repr__(self) -> str:
        return shown(self.entries, 40)

    def row(self, size: int) -> Array:
        """Return the costs, shape ``(n_costs, size)``; beyond the end they are not allowed."""
        rows = [x if isinstance(x, tuple) else (x,) for x in self.entries]
        plain = all(isinstance(x, (int, float, type(None))) for row in rows for x in row)
        kind = np.float64 if plain else object
        found = np.zeros((max(map(len, rows)), size), dtype=kind)
        found[0] = np.inf
        for n, row in enumerate(rows):
            for k, cost in enumerate(row):
                found[k, n] = np.inf if cost is None else cost
        return found


def checked_table(table: Any) -> Any:
    """Return a table of costs that cannot change, or the function that gives them."""
    if callable(table) or isinstance(table, CountTable):
        return table
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise BadInput(
            "a table of costs is a sequence of numbers for 0, 1, 2 … partners (None: not allowed), "
            f"or a function of the labels and of how many; got {shown(table)}"
        )
    entries = tuple(
        tuple(map(_entry, x)) if isinstance(x, (tuple, list)) else _entry(x) for x in table
    )
    entries = tuple(None if isinstance(x, tuple) and None in x else x for x in entries)
    if entries.count(None) == len(entries):
        raise BadInput(f"the table {shown(table)} allows no number of partners")
    inside = "".join("." if x is None else "x" for x in entries).strip(".")
    if "." in inside:
        raise BadInput(
            f"the table {shown(table)} leaves out a number of partners between two others, which a "
            "flow cannot"
        )
    return CountTable(entries)


def _asked(table: Callable[..., Any], things: Things, n: int) -> PerCost:
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
        for at in np.flatnonzero(np.isnan(numbers) | np.isneginf(numbers))[:1].tolist():
            whose, instance = things.place(at)
            raise BadInput(
                f"{called(table)} gives {n} units of {whose} the cost {array[at]}; a "
                "cost is a number, or inf where so many are not allowed",
                instance,
            )
        by_cost.append(array)
    return tuple(by_cost)


def _entry(value: Any) -> Any:
    """Return a number of a table, None where so many are not allowed."""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        number = np.inf if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if isinstance(value, (bool, str)) or not number > -np.inf:
        raise BadInput(f"a table of costs holds numbers and None, got {shown(value)}")
    return None if number == np.inf else value
