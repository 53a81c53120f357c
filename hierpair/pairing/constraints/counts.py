"""What is counted: sets of pairs, how many there may be in each, and what every number costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import groupby, pairwise, zip_longest
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, called, shown
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.constraints.numbers import OPEN, numbers_of
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.pairs import Array, Things

PerCost = tuple[Array, ...]
"""Numbers for each of the costs of a ``Lexicographic``; a single one otherwise."""


class Source(NamedTuple):
    """Which constraint of a rule gives a bound: its number from 1, and its text."""

    number: int
    text: str

    def __str__(self) -> str:
        return f"constraint {self.number}, {self.text}" if self.number else self.text

    def __add__(self, other: Source) -> Source:  # type: ignore[override]
        """Return that both say it."""
        return self if other in (self, NOBODY) else Source(0, f"{self} and {other}")


NOBODY = Source(0, "another bound")
"""For a builder that is written on without a rule."""


def constraint_text(constraint: Callable[..., Any]) -> str:
    """Return a constraint as it is written, without what is left at its default.

    >>> from hierpair.pairing import Degree
    >>> constraint_text(Degree("true", upper=2)), constraint_text(len)
    ("Degree('true', upper=2)", 'len')
    """
    if not is_dataclass(constraint):
        return called(constraint)
    parts = []
    for number, f in enumerate(fields(constraint)):
        value = getattr(constraint, f.name)
        if value is f.default or (isinstance(value, int) and value == f.default):
            continue
        text = called(value) if callable(value) else shown(value, 40)
        parts.append(text if number == 0 else f"{f.name}={text}")
    return f"{type(constraint).__name__}({', '.join(parts)})"


class Run(NamedTuple):
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
        Which constraint says so.
    said
        Where it only bounds numbers: what each constraint says, one bound of every set.
    runs
        What more and fewer units cost; numbers beyond all runs are not allowed.
    constant
        What the cheapest number costs, for each of the costs; empty where it costs nothing.
    """

    lower: Ints
    upper: Ints
    source: Source
    said: tuple[tuple[Source, Ints, Ints], ...] = ()
    runs: tuple[Run, ...] = ()
    constant: PerCost = ()

    @classmethod
    def of(cls, sets: Partition, lower: Ints, upper: Ints, source: Source, **more: Any) -> Count:
        """Return a count of sets with these bounds."""
        own = {name: getattr(sets, name) for name in Partition.__dataclass_fields__}
        return cls(**own, lower=lower, upper=upper, source=source, **more)

    @property
    def is_hard(self) -> bool:
        """Whether it bounds numbers and no more."""
        return not self.runs and not self.constant

    @property
    def n_costs(self) -> int:
        """How many costs of a ``Lexicographic`` it has."""
        return max((len(x) for x in (self.constant, *(r.costs for r in self.runs))), default=1)

    def hard(self) -> Count:
        """Return it without costs: what is possible stays possible."""
        bounds = {1: self.upper.copy(), -1: self.lower.copy()}
        for run in self.runs:
            np.add.at(bounds[run.sign], run.sets, run.sign * run.length)
        return replace(self, lower=bounds[-1], upper=bounds[1], runs=(), constant=())

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
            runs.append(run._replace(length=length).some((length > 0) | (run.sign < 0)))
        return replace(self, upper=upper, runs=tuple(runs))

    def owed(self, units: Ints) -> Iterator[tuple[Ints, Ints, Array]]:
        """Yield what so many units of the sets cost: sets, how often each pays, its first cost."""
        if self.constant:
            yield np.arange(len(self)), np.ones(len(self), np.int64), self.constant[0]
        for run in self.runs:
            beyond = np.clip(run.sign * (units[run.sets] - run.start), 0, run.length)
            yield run.sets, beyond, run.costs[0]

    def paid(self, units: Ints) -> Floats:
        """Return what so many units of every set cost by the first cost."""
        total = np.zeros(len(self))
        for sets, often, cost in self.owed(units):
            np.add.at(total, sets, often * cost.astype(np.float64))
        return total


def soft_count(
    sets: Partition, lower: Ints, upper: Ints, under: Any, over: Any, some: Bools, source: Source
) -> Count:
    """Return what is paid for units below a lower and above an upper bound.

    ``under`` and ``over`` are costs per unit, in any form that numbers of a constraint have; None
    where a bound is hard, which is said elsewhere.
    """
    low = np.where(some, lower if under is not None else 0, 0)
    high = np.where(some, upper if over is not None else OPEN, OPEN)
    runs = []
    for sign, start, length, given, what in (
        (-1, low, low, under, "under"),
        (1, high, OPEN - high, over, "over"),
    ):
        if given is None:
            continue
        costs = [
            numbers_of(0 if c is None else c, sets.things, f"the cost {what!r}")[0]
            for c in (given if isinstance(given, tuple) else (given,))
        ]
        own = np.flatnonzero((length > 0) & (costs[0].astype(np.float64) != np.inf))
        if len(own):
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


# ---------------------------------------------------------------- tables of what numbers cost


Row = tuple[tuple[Any, ...] | None, ...]
"""What 0, 1, 2 … units cost, each of the costs of a ``Lexicographic``; None: not allowed."""


class _Costs(NamedTuple):
    """What a constraint says that 0, 1, 2 … units cost: rows of costs, and that of every set."""

    source: Source
    rows: Sequence[Row]
    of: Ints


def counts_of_tables(
    sets: Partition,
    said: Sequence[tuple[Source, Any, Bools]],
    most: Ints,
    bounds: tuple[Ints, Ints],
    step: Ints,
    *,
    signed: bool,
) -> list[Count]:
    """Return counts of what several constraints say that numbers of units of some sets cost.

    If the costs of a unit fall in one of them, all of them count together, within the bounds.

    Parameters
    ----------
    sets, said
        The sets; constraints with their tables or functions, and of which sets each speaks.
    most
        How many units there can be.
    bounds
        How many units there may be.
    step
        How many units are 1, of every set.
    signed
        Whether costs may be negative.

    Raises
    ------
    BadInput
        For a unit that is cheaper than one before it, for a number of units that is left out, and
        for negative costs.
    """
    most, bounds = -(-most // step), (bounds[0] // step, -(-bounds[1] // step))
    size = int(most.max(initial=0)) + 2  # one more, for what a unit would save
    tables = [_laid_out(sets, *each, most, size) for each in said]
    for table in tables:
        if not signed and any(x < 0 for row in table.rows for entry in row for x in entry or ()):
            raise BadInput(
                f"{table.source}, has a negative cost; a rule whose costs may be negative is "
                "Rule(…, signed=True)"
            )
    if any(_no_flow(row) for table in tables for row in table.rows):
        tables = [_joined(tables, bounds)]
    return [_count_of(sets, table, step) for table in tables]


def _laid_out(
    sets: Partition, source: Source, costs: Any, chosen: Bools, most: Ints, size: int
) -> _Costs:
    """Return what a constraint says of so many numbers, 0 of what it does not speak of."""
    if not callable(costs):
        row = tuple(x if isinstance(x, tuple) or x is None else (x,) for x in costs[:size])
        return _Costs(source, (row, ((0,),) * size), (~chosen).astype(np.int64))
    given = [_asked(costs, sets.things, n) for n in range(int(most[chosen].max(initial=0)) + 1)]
    numbers: dict[Row, int] = {}
    of = np.empty(len(sets), dtype=np.int64)
    for i, (last, speaks) in enumerate(zip(most.tolist(), chosen.tolist(), strict=True)):
        row = tuple(None if x[i][0] == np.inf else x[i] for x in given[: last + 1])
        of[i] = numbers.setdefault(row if speaks else ((0,),) * size, len(numbers))
    return _Costs(source, [*numbers], of)


def _asked(table: Callable[..., Any], things: Things, n: int) -> list[tuple[Any, ...]]:
    """Run a function of a user's own and refuse what are no costs; return those of each thing."""
    given = table(things, n)
    by_cost = tuple(map(np.asarray, given if isinstance(given, tuple) else (given,)))
    for array in by_cost:
        if array.shape != (len(things),) or array.dtype.kind not in "iufO":
            raise BadInput(
                f"{called(table)} must return one cost for each of {len(things)}, got "
                f"{array.dtype} of shape {array.shape}"
            )
    things.refuse(
        ~np.all([array.astype(np.float64) > -np.inf for array in by_cost], axis=0),
        lambda at, whose: (
            f"{called(table)} gives {n} units of {whose} the cost "
            f"{', '.join(str(array[at]) for array in by_cost)}; a cost is a number, or inf where "
            "so many are not allowed"
        ),
    )
    return [*zip(*(array.tolist() for array in by_cost), strict=True)]


def _joined(tables: Sequence[_Costs], bounds: tuple[Ints, Ints]) -> _Costs:
    """Return what tables say together, without the numbers that bounds do not allow."""
    keys, of = np.unique(np.stack([*bounds, *(t.of for t in tables)]), axis=1, return_inverse=True)
    rows = []
    for low, high, *which in keys.T.tolist():
        every = zip_longest(*(t.rows[i] for t, i in zip(tables, which, strict=True)))
        row = (
            tuple(map(sum, zip_longest(*each, fillvalue=0)))
            if low <= n <= high and None not in each
            else None
            for n, each in enumerate(every)
        )
        rows.append(tuple(row))
    source = sum((t.source for t in tables[1:]), tables[0].source)
    return _Costs(source, rows, of.ravel())


def _slopes(row: Sequence[tuple[Any, ...] | None]) -> tuple[list[int], list[tuple[Any, ...]]]:
    """Return which numbers are allowed, and what every further unit costs."""
    allowed = [n for n, entry in enumerate(row) if entry]
    steps = pairwise(entry for entry in row if entry)
    return allowed, [tuple(y - x for x, y in zip_longest(*step, fillvalue=0)) for step in steps]


def _no_flow(row: Row, what: str = "") -> str:
    """Return why no flow can have these costs, in words; nothing where one can."""
    allowed, slopes = _slopes(row)
    if allowed and allowed[-1] - allowed[0] > len(slopes):
        return (
            f" may have {allowed[0]} and {allowed[-1]} units, and not every number between them; a "
            "flow cannot leave out a number between two others"
        )
    slack: Any = 0  # what floats lose in differences
    numbers = [x for entry in row for x in entry or ()]
    if any(isinstance(x, float) for x in numbers):
        slack = 1e-12 * max(1.0, *map(abs, numbers))
    for k, (a, b) in enumerate(pairwise(slopes), start=1):
        if b < a and (len(a) > 1 or a[0] - b[0] > slack):
            return (
                f": {what} {allowed[k + 1]} costs {short_text(b[0])} and {what} {allowed[k]} costs "
                f"{short_text(a[0])}; a flow needs costs per {what} that do not fall, as it would "
                "take the cheaper one first"
            )
    return ""


def _count_of(sets: Partition, table: _Costs, step: Ints) -> Count:
    """Return what a convex table says; of sets without any allowed number, what cannot be."""
    what = "partner" if sets.kind == "label" else "pair"
    why = np.array([_no_flow(row, what) for row in table.rows])[table.of]
    sets.refuse(why != "", lambda at, whose: f"{table.source}, {whose}{why[at]}")
    entries = [entry for row in table.rows for entry in row if entry]
    plain = all(isinstance(x, (int, float)) for entry in entries for x in entry)
    kind: Any = np.float64 if plain else object
    low, high = np.empty((2, len(sets)), dtype=np.int64)
    nothing = (0,) * max(map(len, entries), default=1)
    constant = np.zeros((len(nothing), len(sets)), dtype=kind)
    found: dict[int, list[Any]] = {1: [], -1: []}
    order = np.argsort(table.of, kind="stable")
    ends = np.searchsorted(table.of[order], np.arange(1, len(table.rows)))
    for entry, own in zip(table.rows, np.split(order, ends), strict=True):
        row = [x and (*x, *nothing[len(x) :]) for x in entry]
        allowed, slopes = _slopes(row)
        at = allowed[0] if allowed else len(row)
        least = at + sum(slope < nothing for slope in slopes)
        low[own], high[own] = least, least + slopes.count(nothing)
        if allowed:
            constant[:, own] = np.array([row[least]], dtype=kind).T
        for slope, equal in groupby(slopes):
            units, sign = len([*equal]), 1 if slope > nothing else -1
            if slope != nothing:
                start = at if sign > 0 else at + units
                found[sign].append((own, start, units, [sign * x for x in slope]))
            at += units
    runs = []
    for sign, some in found.items():
        if some:
            every, *given, costs = zip(*some, strict=True)
            many, owner = [len(own) for own in every], np.concatenate(every)
            start, length = (np.repeat(x, many) * step[owner] for x in given)
            each = tuple(np.repeat(np.array(costs, dtype=kind), many, axis=0).T)
            runs.append(Run(sign, owner, start, length, each))
    paid = tuple(constant * step)
    return Count.of(sets, low * step, high * step, table.source, runs=tuple(runs), constant=paid)
