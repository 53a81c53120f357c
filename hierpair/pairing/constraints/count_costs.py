"""What so many partners or pairs cost: tables of numbers, one per label, group or instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit, called, shown
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.pairing.constraints.moved import Moved
from hierpair.pairing.constraints.numbers import Mask, Things, costs_of
from hierpair.pairing.constraints.partition import Kind, Partition
from hierpair.pairing.constraints.source import Source

__all__ = [
    "CountCosts",
    "CountTable",
    "Evaluate",
    "SoftBounds",
    "Written",
    "check_signs",
    "checked_costs",
    "checked_table",
    "counts_of",
]

MOST_NUMBERS = 100_000
"""Numbers of units of one label, group or instance that a table of costs may have."""

PerCost = tuple[NDArray[Any], ...]
"""Numbers for each of the costs of a ``Lexicographic``; a single one otherwise."""

Evaluate = Callable[[Things, int], PerCost]
"""Returns what n partners or pairs cost each of some things."""


@dataclass(frozen=True, eq=False)
class CountCosts:
    """What 0, 1, 2 … units cost every label of a side, every group of a grouping, or instance.

    Attributes
    ----------
    ptr
        Numbers of thing ``i`` are at ``ptr[i]:ptr[i + 1]``, for 0 units and more.
    parts
        What each constraint says, by its source: an array of shape ``(ptr[-1],)`` for every cost of
        a ``Lexicographic``; inf in the first is not allowed.
    beyond
        Of each of these, what it says of one unit more than can be chosen, of every thing; nan
        where it cannot be asked. Empty where that is not known.
    """

    ptr: NDArray[np.int64]
    parts: tuple[tuple[Source, PerCost], ...]
    beyond: tuple[NDArray[Any], ...] = ()

    @property
    def thing(self) -> NDArray[np.int64]:
        """Of every number, whose it is."""
        return row_numbers(self.ptr)

    @property
    def units(self) -> NDArray[np.int64]:
        """Of every number, for how many units it is."""
        count: NDArray[np.int64] = np.arange(self.ptr[-1]) - self.ptr[self.thing]
        return count

    def total(self, k: int = 0) -> NDArray[Any]:
        """Return the sum of what all constraints say, of one of the costs."""
        numbers: NDArray[Any] = np.zeros(int(self.ptr[-1]))
        for _, by_cost in self.parts:
            if k < len(by_cost):
                numbers = _added(numbers, by_cost[k])
        return numbers

    @property
    def n_costs(self) -> int:
        """How many costs of a ``Lexicographic`` there are numbers for."""
        return max(len(by_cost) for _, by_cost in self.parts)

    def part(self, lo: int, hi: int) -> CountCosts:
        """Return the numbers of the things ``lo … hi - 1``."""
        some = slice(int(self.ptr[lo]), int(self.ptr[hi]))
        parts = tuple((source, tuple(x[some] for x in by_cost)) for source, by_cost in self.parts)
        beyond = tuple(x[lo:hi] for x in self.beyond)
        return CountCosts(self.ptr[lo : hi + 1] - self.ptr[lo], parts, beyond)


class Written(NamedTuple):
    """What a constraint says numbers of pairs cost, in the sets of the partition at a place."""

    place: int
    costs: Any
    chosen: Mask
    source: Source


def counts_of(
    written: Iterable[Written],
    every: Sequence[Partition],
    candidate: NDArray[np.bool_],
    moved: Moved | None = None,
) -> dict[tuple[Kind, Any], CountCosts]:
    """Return what as many units cost as can be chosen, by what is counted.

    Where pairs carry masses these are their units.
    """
    found: dict[tuple[Kind, Any], CountCosts] = {}
    for said in written:
        of = every[said.place]
        some = np.flatnonzero(candidate)
        most = of.units(some, None if moved is None else moved.capacity[some])
        if moved is not None and of.kind == "label":
            most = np.minimum(most, of.upper)
        if moved is not None or of.kind == "quota":
            _check_size(most, of, said.source)
        new = _tabled(said, of.things, most)
        known = found.get(of.key)
        if known is not None:
            both = known.parts + new.parts, known.beyond + new.beyond
            new = replace(known, parts=both[0], beyond=both[1])
        found[of.key] = new
    return found


def _check_size(most: NDArray[np.int64], of: Partition, source: Source) -> None:
    """Refuse tables of costs that would be too long."""
    if most.max(initial=0) < MOST_NUMBERS:
        return
    whose, instance = of.things.place(int(most.argmax()))
    what, mend = "units of mass", "coarser masses, or Unmatched"
    if of.kind == "quota":
        what, mend = "pairs", "hard bounds (lower, upper without under and over)"
    raise SolverLimit(
        f"{source}: {whose} can have {most.max()} {what}, and costs of numbers are written for "
        f"each, up to {MOST_NUMBERS}; use {mend}",
        instance,
    )


def check_signs(counts: dict[tuple[Kind, Any], CountCosts]) -> None:
    """Refuse negative costs of numbers of pairs, which a rule has to announce."""
    for costs in counts.values():
        for source, by_cost in costs.parts:
            if any((part < 0).any() for part in by_cost):
                raise BadInput(
                    f"{source}, has a negative cost; a rule whose costs may be negative is "
                    "Rule(…, signed=True)"
                )


def _tabled(said: Written, things: Things, most: NDArray[np.int64]) -> CountCosts:
    """Return what a constraint says of 0 … ``most`` units of every thing, 0 if not chosen."""
    evaluate, chosen = said.costs, said.chosen
    ptr = offsets(most + 1)
    by_cost: list[NDArray[Any]] = []
    for n in range(int(most.max(initial=-1)) + 1):
        here = most >= n
        if chosen is not None:
            here &= chosen
        if not here.any():
            continue
        for k, costs in enumerate(evaluate(things, n)):
            if k == len(by_cost):
                by_cost.append(np.zeros(int(ptr[-1])))
            if costs.dtype == object and by_cost[k].dtype != object:
                by_cost[k] = by_cost[k].astype(object)
            by_cost[k][ptr[:-1][here] + n] = costs[here]
    parts = ((said.source, tuple(by_cost or [np.zeros(int(ptr[-1]))])),)
    return CountCosts(ptr, parts, (_beyond(evaluate, things, chosen, most),))


def _beyond(
    evaluate: Evaluate, things: Things, chosen: NDArray[np.bool_] | None, most: NDArray[np.int64]
) -> NDArray[Any]:
    """Return what one unit more than can be chosen would cost; a function is not asked."""
    found: NDArray[Any] = np.zeros(len(most))
    if not isinstance(evaluate, (CountTable, SoftBounds)):
        return np.full(len(most), np.nan)
    for n in np.unique(most if chosen is None else most[chosen]).tolist():
        here = most == n
        costs = evaluate(things, n + 1)[0]
        found = found.astype(object) if costs.dtype == object else found
        found[here] = costs[here]
    return found if chosen is None else np.where(chosen, found, 0)


@dataclass(frozen=True)
class SoftBounds:
    """What is paid for units below a lower and above an upper bound.

    ``under`` and ``over`` are costs per unit, in any form that numbers of a constraint have; None
    where a bound is hard. Bounds are arrays or numbers.
    """

    lower: Any
    upper: Any
    under: Any
    over: Any

    def __call__(self, things: Things, n: int) -> PerCost:
        """Return what n units cost."""
        found: list[NDArray[Any]] = []
        lacking = np.maximum(np.asarray(self.lower) - n, 0)
        beyond = np.maximum(n - np.asarray(self.upper), 0)
        for units, costs, what in ((lacking, self.under, "under"), (beyond, self.over, "over")):
            paid = np.broadcast_to(units, (len(things),))
            for k, each in enumerate(costs if isinstance(costs, tuple) else (costs,)):
                if k == len(found):
                    found.append(np.zeros(len(things)))
                if each is None:
                    continue
                numbers, known = costs_of(each, things, f"the cost {what!r}")
                some = np.flatnonzero(paid if known is None else np.where(known, paid, 0))
                owed = np.zeros(len(things), dtype=object if numbers.dtype == object else float)
                owed[some] = paid[some] * numbers[some]
                found[k] = _added(found[k], owed)
        return tuple(found)


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


def _added(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the sum of numbers; Fractions stay exact beside floats that are whole."""
    if object in (one.dtype, other.dtype):
        both = zip(one.tolist(), other.tolist(), strict=True)
        return np.array([_exact(a) + _exact(b) for a, b in both], dtype=object)
    total: NDArray[Any] = one + other
    return total


def _exact(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
