"""Tables of what 0, 1, 2 … units of a set cost, and the convex counts that they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, called, shown
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.pairing.counts import Count, Partition, Run, Source, at_least, short_text
from hierpair.pairing.pairs import OPEN, Array, Things, run


def checked_table(table: Any) -> Any:
    """Return a table of costs that cannot change; a function as it is."""
    if table is None or callable(table):
        return table
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise BadInput(
            "a table of costs is a sequence of numbers for 0, 1, 2 … partners (None: not allowed), "
            f"or a function of the labels and of how many; got {shown(table)}"
        )
    return tuple(map(_entry, table))


def _entry(value: Any) -> Any:
    """Return what a number of units costs, None where so many are not allowed."""
    if isinstance(value, (tuple, list)):
        each = tuple(map(_entry, value))
        return None if None in each else each
    value = value.item() if isinstance(value, np.generic) else value
    try:
        number = np.inf if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if isinstance(value, (bool, str)) or not number > -np.inf:
        raise BadInput(f"a table of costs holds numbers and None, got {shown(value)}")
    return None if number == np.inf else value


class _Costs(NamedTuple):
    """What a constraint says that 0, 1, 2 … units cost."""

    source: Source
    costs: Array  # by cost, units, and row
    allowed: Bools  # by units and row; otherwise costs are 0
    of: Ints  # of every set its row, -1 where nothing is said of it

    def steps(self) -> tuple[Array, Bools, Bools]:
        """Return by units and row what one more costs, if it is allowed, and if it costs less."""
        slope, open_ = np.diff(self.costs, axis=1), self.allowed[1:] & self.allowed[:-1]
        before, after = slope[:, :-1], slope[:, 1:]
        falls = ~at_least(after, before) & open_[1:] & open_[:-1]
        if len(slope) == 1 and slope.dtype == np.float64:  # what floats lose in differences
            falls &= before[0] - after[0] > 1e-12 * np.abs(self.costs[0]).max(axis=0, initial=1)
        return slope, open_, falls

    def holes(self) -> Bools:
        """Return which rows leave out a number between two others."""
        begins = self.allowed[1:] & ~self.allowed[:-1]
        found: Bools = begins.sum(axis=0) + self.allowed[:1].sum(axis=0) > 1
        return found


def counts_of_tables(
    sets: Partition,
    said: Sequence[tuple[Source, Any, Bools]],
    most: Ints,
    bounds: tuple[Ints, Ints],
    step: Ints,
    *,
    signed: bool,
) -> list[Count]:
    """Return counts of what constraints say that units cost: tables or functions, of some sets.

    ``most`` units there can be, of which ``step`` are 1. Where costs of a unit fall in one of them,
    or a number is left out, all count together, within the bounds; what still falls is refused.
    """
    most, bounds = -(-most // step), (bounds[0] // step, -(-bounds[1] // step))
    tables = [_laid_out(sets, *each, most) for each in said]
    for table in tables:
        if not signed and (table.costs < 0).any():
            raise BadInput(
                f"{table.source}, has a negative cost; a rule whose costs may be negative is "
                "Rule(…, signed=True)"
            )
    if any(table.holes().any() or table.steps()[2].any() for table in tables):
        tables = [_joined(tables, most, bounds)]
    return [_count_of(sets, table, step) for table in tables]


def _laid_out(sets: Partition, source: Source, costs: Any, chosen: Bools, most: Ints) -> _Costs:
    """Return what a constraint says of so many numbers."""
    size = int(most[chosen].max(initial=0)) + 1
    if callable(costs):
        asked = [_asked(costs, sets.things, n) for n in range(size)]
        given = np.stack([np.stack(x) for x in asked], axis=1)
        given = given.astype(np.result_type(given, np.int64))
        allowed = (given[0].astype(np.float64) < np.inf) & (np.arange(size)[:, None] <= most)
        return _Costs(
            source, np.where(allowed, given, 0), allowed, np.where(chosen, np.arange(len(sets)), -1)
        )
    rows = costs[: size + 1] or (None,)  # one more, for what a unit would save
    allowed = np.array([x is not None for x in rows], dtype=bool)[:, None]
    each = [x if isinstance(x, tuple) else (x or 0,) for x in rows]
    given = np.array([*zip_longest(*each, fillvalue=0)])
    return _Costs(source, given.reshape(-1, len(rows), 1), allowed, np.where(chosen, 0, -1))


def _asked(table: Callable[..., Any], things: Things, n: int) -> list[Array]:
    """Return what a function of a user's own says that n units of each thing cost, by cost."""
    given = run(table, things, n)
    what = f"the cost of {n} units by {called(table)}"
    each = given if isinstance(given, tuple) else (given,)
    return [things.numbers(lambda _, x=x: x, what, signed=True)[0] for x in each]


def _joined(tables: Sequence[_Costs], most: Ints, bounds: tuple[Ints, Ints]) -> _Costs:
    """Return what tables say together, without the numbers that bounds do not allow."""
    n_costs, size = max(len(t.costs) for t in tables), int(most.max(initial=0)) + 2
    units = np.arange(size)[:, None]
    allowed, costs = (bounds[0] <= units) & (units <= bounds[1]), np.zeros(1, dtype=np.int64)
    for table in tables:
        some, said = table.of >= 0, table.costs.shape[1]
        here = np.zeros((n_costs, size, len(most)), dtype=table.costs.dtype)
        here[: len(table.costs), :said, some] = table.costs[:, :size, table.of[some]]
        allowed[:said, some] &= table.allowed[:size, table.of[some]]
        allowed[said:, some] = False
        costs = costs + here
    source = sum((t.source for t in tables[1:]), tables[0].source)
    return _Costs(source, np.where(allowed, costs, 0), allowed, np.arange(len(most)))


def _count_of(sets: Partition, table: _Costs, step: Ints) -> Count:
    """Return what a convex table says; of sets without any allowed number, what cannot be."""
    slope, open_, falls = table.steps()
    holes, of, what = table.holes(), table.of, "partner" if sets.kind == "label" else "pair"

    def why(at: int, whose: str) -> str:
        row = of[at]
        if holes[row]:
            return (
                f"{table.source}, {whose} may have numbers of units with others between that it "
                "may not have; a flow cannot leave out a number between two others"
            )
        n = int(falls[:, row].argmax())
        before, after = map(short_text, slope[0, n : n + 2, row].tolist())
        return (
            f"{table.source}, {whose}: {what} {n + 2} costs {after} and {what} {n + 1} costs "
            f"{before}; a flow needs costs per {what} that do not fall, as it would take the "
            "cheaper one first"
        )

    sets.refuse((of >= 0) & (holes | falls.any(axis=0))[of], why)
    some = np.flatnonzero(of >= 0)
    open_, allowed = open_[:, of[some]], table.allowed[:, of[some]]
    costs = table.costs[:, :, of[some]]
    costs = costs if costs.dtype == object else costs.astype(np.float64)
    slope, nothing = np.diff(costs, axis=1), [0] * len(costs)
    sign = (at_least(slope, nothing) * 1 - at_least(nothing, slope)) * open_
    least = np.where(allowed.any(axis=0), allowed.argmax(axis=0), len(allowed))
    least += (sign < 0).sum(axis=0)
    lower, upper = np.zeros_like(of), np.full_like(of, OPEN)
    lower[some] = least * step[some]
    upper[some] = lower[some] + (open_ & (sign == 0)).sum(axis=0) * step[some]
    constant = np.zeros((len(costs), len(of)), dtype=costs.dtype)
    cheapest = np.minimum(least, len(allowed) - 1)
    constant[:, some] = costs[:, cheapest, np.arange(len(some))] * step[some]
    row, at = np.nonzero(sign.T)  # equal steps of a set are one run
    paid, begins = slope[:, at, row], np.ones(len(row), dtype=bool)
    begins[1:] = (np.diff(row) != 0) | (np.diff(paid, axis=1) != 0).any(axis=0)
    first = np.flatnonzero(begins)
    length, way = np.diff(np.append(first, len(row))), sign[at[first], row[first]]
    start, runs = at[first] + length * (way < 0), []
    for more in (1, -1):
        own = np.flatnonzero(way == more)
        whose = some[row[first[own]]]
        each = tuple(more * paid[:, first[own]])
        if len(own):
            unit = step[whose]
            runs.append(Run(more, whose, start[own] * unit, length[own] * unit, each))
    return Count.of(sets, lower, upper, table.source, runs=(*runs,), constant=(*constant,))
