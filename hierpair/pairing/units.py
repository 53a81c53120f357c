"""Masses and capacities: exact amounts, the units that make all of them whole, what pairs carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.hierarchy.arrays import Bools, Floats, Ints, groups_by, marked, row_sums
from hierpair.pairing.counts import Count
from hierpair.pairing.pairs import OPEN, SIDES, Things
from hierpair.tables.text import number

FINEST_UNITS = 2**40
"""Whole floats are exact, and multiples of 2**-40 with at most 40 binary digits; others are rounded
to at most so many units of an instance."""

LIGHTEST = 2**-10  # masses of an instance get no more units than if they added up to this
PLAIN = 1_000  # masses with a denominator up to this are written as fractions, others as decimals
WHOLE_FLOATS = 2**53  # sums below this are whole numbers in floats as well


class Amount(NamedTuple):
    """Numbers ≥ 0 as fractions in lowest terms."""

    instance: Ints  # whose each is
    above: Ints
    below: Ints
    value: Floats  # the same, inf where open
    rough: Bools  # floats that are too fine for a denominator, so that they will be rounded

    @property
    def given(self) -> Floats:
        """The same, 0 where open."""
        return np.where(np.isinf(self.value), 0, self.value)


def exact_amount(array: Any, things: Things, instance: Ints, what: str) -> Amount:
    """Return a number of each of some things of instances as fractions."""
    if array.dtype.kind in "iu":
        above = np.minimum(array, np.int64(OPEN)).astype(np.int64)
        below, rough = np.ones_like(above), np.zeros(len(above), dtype=bool)
    else:
        distinct, place = np.unique(array, return_inverse=True)
        found = []
        for x in distinct.tolist():
            top, bottom = Fraction(min(x, OPEN)).as_integer_ratio()
            fine = isinstance(x, float) and bottom > 1 and max(top, bottom - 1) >= FINEST_UNITS
            found.append((0, 1, True) if fine else (top, min(bottom, OPEN), False))
        above, below, rough = np.array(found, dtype=np.int64).reshape(-1, 3)[place.ravel()].T
    why = "has too large a denominator"
    things.refuse(below >= OPEN, lambda _, whose: f"{what} of {whose} {why}", SolverLimit)
    value = array.astype(np.float64)
    value = np.where(value >= OPEN, np.inf, value)
    return Amount(instance, above, below, value, rough.astype(bool))


def shares(amount: Amount, n: int, things: Things) -> Amount:
    """Return masses divided by their sum in each of n instances; what is open stays so."""
    at, is_open = amount.instance, np.isinf(amount.value)
    total = np.bincount(at, amount.given, minlength=n)
    things.refuse(
        ~is_open & (total[at] == 0),
        lambda _, whose: f"all masses are 0 beside that of {whose}, so there is nothing to share",
    )
    whole = _least_common(n, [amount])
    rough = (np.bincount(at, amount.rough, minlength=n) > 0) | (total * whole >= WHOLE_FLOATS)
    above = np.where(rough[at] | is_open, 0, amount.above * (whole[at] // amount.below))
    of = np.maximum(np.bincount(at, above, minlength=n), 1).astype(np.int64)[at]
    divisor, value = np.gcd(above, of), amount.value / np.where(total > 0, total, 1)[at]
    return Amount(at, above // divisor, of // divisor, value, rough[at] & ~is_open)


def _least_common(n: int, amounts: Iterable[Amount]) -> Ints:
    """Return the least common denominator of the amounts of every instance."""
    whole = np.ones(n, dtype=np.int64)
    for amount in amounts:
        for at in groups_by(amount.below):
            some, denominator = amount.instance[at], int(amount.below[at[0]])
            more = denominator // np.gcd(whole[some], denominator)
            size = whole[some].astype(np.float64) * more
            for k in np.flatnonzero(size >= OPEN)[:1].tolist():
                raise SolverLimit(
                    f"the common denominator {int(whole[some[k]]) * int(more[k])} of its masses "
                    "and capacities is more than the solver can carry; use coarser fractions, or "
                    "floats",
                    int(some[k]),
                )
            whole[some] *= more
    return whole


class MassUnits:
    """Into how many units the mass 1 of every instance is cut, so that exact amounts are whole."""

    def __init__(self, n: int, amounts: Sequence[Amount], masses: Iterable[Amount]) -> None:
        heaviest, self.whole = np.zeros(n), _least_common(n, amounts)
        self.rough = marked(np.concatenate([x.instance[x.rough] for x in amounts]), n)
        for mass in masses:
            np.maximum(heaviest, np.bincount(mass.instance, mass.given, n), out=heaviest)
        heaviest = np.where(heaviest > 0, np.maximum(heaviest, LIGHTEST), 1) * self.whole
        room = np.floor(np.log2(FINEST_UNITS) - np.log2(heaviest[self.rough]))
        self.whole[self.rough] *= np.exp2(np.maximum(room, 0)).astype(np.int64)
        self.rounding = np.zeros(n)
        """How much mass had to be rounded away or up, by instance, so far."""

    def of(self, amount: Amount, rounded: Literal["near", "up", "in sum"] = "near") -> Ints:
        """Return amounts in units; the rough to the nearest, up, or by largest remainder."""
        whole = self.whole[amount.instance]
        size = amount.given * whole
        if size.max(initial=0) >= OPEN:
            raise self.too_many(int(amount.instance[np.argmax(size)]))
        exact = amount.above * (whole // amount.below)
        units: Ints = np.where(np.isinf(amount.value), OPEN, exact)
        at = np.flatnonzero(amount.rough)
        size, owner = size[at], amount.instance[at]
        if rounded == "in sum":
            low = np.floor(size)
            over = np.rint(np.bincount(owner, size - low, minlength=len(self.whole)))
            order = np.lexsort((low - size, owner))
            rank = np.arange(len(at)) - np.searchsorted(owner[order], owner[order])
            low[order] += rank < over[owner[order]]
            units[at] = low
        else:
            units[at] = np.ceil(size) if rounded == "up" else np.rint(size)
        off = np.abs(units[at] - size) / whole[at]
        self.rounding += np.bincount(owner, off, len(self.whole))
        return units

    def too_many(self, instance: int) -> SolverLimit:
        """Return the error for an instance with more units than the solver takes."""
        return SolverLimit(
            f"its masses and capacities in units of 1/{self.whole[instance]} are 2**62 units or "
            "more, which the solver cannot carry; use coarser or smaller ones",
            instance,
        )


def mass_text(units: int, whole: int | None, digits: int = 4) -> str:
    """Return so many units as a mass, a fraction where it is a plain one; None: just how many."""
    mass = Fraction(units, whole or 1)
    return str(mass) if mass.denominator <= PLAIN else number(float(mass), digits)


class Moved(NamedTuple):
    """Pairs that carry any whole number of units."""

    capacity: Ints  # most units: the least of what was given and what its labels let it carry
    given: Ints  # OPEN where nothing was
    whole: Ints  # by instance, how many units make the mass 1
    rounding: Floats  # by instance, how much mass had to be rounded; 0 for exact numbers
    stated: Sequence[Ints] = ()  # by count, the upper bounds of its sets, OPEN where none was given


def moved(
    units: MassUnits, every: list[Count], most: Ints, required: Bools, rewarded: Bools
) -> Moved:
    """Return what every pair may carry, of at most so many units, 0 of what is impossible.

    True masses get the sum of the predicted ones where rounding parts them.
    """
    pairs, whole, n, true = every[0].pairs, units.whole, len(units.whole), every[1]
    given = [np.where(own.upper < OPEN, own.upper, 0) for own in every[: len(SIDES)]]
    total = [own.total(upper) for own, upper in zip(every, given, strict=False)]
    is_open = sum(own.total(own.upper >= OPEN) for own in every[: len(SIDES)]) > 0
    off = total[0] - total[1]
    close = units.rough & ~is_open & (off != 0) & (total[1] > 0)
    close &= np.abs(off) <= np.maximum(2, total[1] // FINEST_UNITS)
    heaviest = np.lexsort((-np.arange(len(true)), true.upper, true.instance))
    at = heaviest[np.searchsorted(true.instance, np.flatnonzero(close), side="right") - 1]
    lower, upper = true.lower.copy(), true.upper.copy()
    upper[at] += off[close]
    lower[at] += np.where(lower[at] > 0, off[close], 0)
    every[1] = replace(true, lower=lower, upper=upper)
    units.rounding += np.where(close, np.abs(off) / whole, 0)
    wanted = row_sums(np.where(required, whole[pairs.instance], 0), pairs.ptr)
    wanted += sum(own.total(own.lower) for own in every)
    capacity = np.minimum.reduce(
        [most, *(own.upper[own.of_pair] for own in every if own.kind in ("label", "instance"))]
    )
    pairs.refuse(
        (capacity >= OPEN) & rewarded,
        lambda _, whose: (
            f"nothing limits how much {whose} carries, and more may cost less; give it a Capacity"
        ),
    )
    capacity = np.where(capacity >= OPEN, wanted[pairs.instance], capacity)
    size = np.bincount(pairs.instance, capacity, n).astype(np.float64)
    for own, upper in zip(every, given, strict=False):
        size += np.bincount(own.instance, upper * 1.0 + own.lower, n)
    if size.max(initial=0) >= OPEN:
        raise units.too_many(int(np.argmax(size)))
    return Moved(capacity, most, whole, units.rounding)
