"""Masses and capacities: exact amounts, the units that make all of them whole, what pairs carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.hierarchy.arrays import Bools, Floats, Ints, groups_by, row_sums
from hierpair.pairing.counts import Count
from hierpair.pairing.pairs import OPEN, SIDES, Labels, Things
from hierpair.tables.text import number

FINEST_UNITS = 2**40
"""Whole floats are exact, and multiples of 2**-40 with at most 40 binary digits; others are rounded
to at most so many units of an instance."""

LIGHTEST = 2**-10  # masses of an instance get no more units than if they added up to this
PLAIN = 1_000  # masses with a denominator up to this are written as fractions, others as decimals
WHOLE_FLOATS = 2**53  # sums below this are whole numbers in floats as well


class Amount(NamedTuple):
    """Numbers ≥ 0 as fractions in lowest terms."""

    above: Ints
    below: Ints
    value: Floats  # the same, inf where open
    rough: Bools  # floats that are too fine for a denominator, so that they will be rounded


def exact_amount(array: Any, things: Things, what: str) -> Amount:
    """Return a number of each of some things as fractions."""
    if array.dtype.kind in "iu":
        whole = np.minimum(array, np.int64(OPEN)).astype(np.int64)
        value = np.where(whole >= OPEN, np.inf, whole.astype(np.float64))
        return Amount(whole, np.ones_like(whole), value, np.zeros(len(whole), dtype=bool))
    distinct, place = np.unique(array, return_inverse=True)
    found = []
    for x in distinct.tolist():
        exact = Fraction(min(x, OPEN))
        above, below = exact.numerator, exact.denominator
        rough = isinstance(x, float) and below > 1 and max(above, below - 1) >= FINEST_UNITS
        found.append((0, 1, True) if rough else (above, min(below, OPEN), False))
    above, below, rough = np.array(found, dtype=np.int64).reshape(-1, 3)[place.ravel()].T
    why = "has too large a denominator"
    things.refuse(below >= OPEN, lambda _, whose: f"{what} of {whose} {why}", SolverLimit)
    value = array.astype(np.float64)
    return Amount(above, below, np.where(value >= OPEN, np.inf, value), rough.astype(bool))


def shares(amount: Amount, labels: Labels, some: Bools) -> Amount:
    """Return masses, of those labels that are chosen, divided by their sum in each instance."""
    n, instance = len(labels.ptr) - 1, labels.instance
    total = np.bincount(instance, amount.value, minlength=n)
    labels.refuse(
        some & (total[instance] == 0),
        lambda _, whose: f"all masses are 0 beside that of {whose}, so there is nothing to share",
    )
    rough = np.bincount(instance, amount.rough, minlength=n) > 0
    whole = _least_common(n, [(amount.below, instance)])
    rough |= total * whole >= WHOLE_FLOATS
    above = np.where(rough[instance], 0, amount.above * (whole[instance] // amount.below))
    of = np.maximum(row_sums(above, labels.ptr), 1)[instance]
    divisor = np.gcd(above, of)
    value = amount.value / np.where(total > 0, total, 1)[instance]
    return Amount(above // divisor, of // divisor, value, rough[instance] & some)


def _least_common(n: int, given: Iterable[tuple[Ints, Ints]]) -> Ints:
    """Return the least common denominator of every instance, of denominators and instances."""
    whole = np.ones(n, dtype=np.int64)
    for below, owner in given:
        for at in groups_by(below):
            some, denominator = owner[at], int(below[at[0]])
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

    def __init__(
        self, n: int, amounts: Sequence[tuple[Amount, Ints]], masses: Iterable[tuple[Amount, Ints]]
    ) -> None:
        rough, heaviest = np.zeros(n, dtype=bool), np.zeros(n)
        whole = _least_common(n, ((amount.below, instance) for amount, instance in amounts))
        for amount, instance in amounts:
            rough[instance[amount.rough]] = True
        for amount, instance in masses:
            np.maximum(heaviest, np.bincount(instance, amount.value, minlength=n), out=heaviest)
        heaviest = np.where(heaviest > 0, np.maximum(heaviest, LIGHTEST), 1)[rough]
        room = np.floor(np.log2(FINEST_UNITS) - np.log2(whole[rough] * heaviest))
        whole[rough] *= np.exp2(np.maximum(room, 0)).astype(np.int64)
        self.whole, self.rough = whole, rough
        self.rounding = np.zeros(n)
        """How much mass had to be rounded away or up, by instance, so far."""

    def of(
        self, amount: Amount, instance: Ints, rounded: Literal["near", "up", "in sum"] = "near"
    ) -> Ints:
        """Return amounts in units; the rough to the nearest, up, or by largest remainder."""
        whole, is_open = self.whole[instance], np.isinf(amount.value)
        size = np.where(is_open, 0, amount.value) * whole
        if size.max(initial=0) >= OPEN:
            raise self.too_many(int(instance[np.argmax(size)]))
        units: Ints = np.where(is_open, OPEN, amount.above * (whole // amount.below))
        at = np.flatnonzero(amount.rough)
        size, owner = size[at], instance[at]
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
    pairs, whole, n, sides = every[0].pairs, units.whole, len(units.whole), every[: len(SIDES)]
    total = [own.total(np.where(own.upper < OPEN, own.upper, 0)) for own in sides]
    is_open = np.any([own.total(own.upper >= OPEN) > 0 for own in sides], axis=0)
    true, off = every[1], total[0] - total[1]
    close = units.rough & ~is_open & (off != 0) & (total[1] > 0)
    close &= np.abs(off) <= np.maximum(2, total[1] // FINEST_UNITS)
    heaviest = np.lexsort((-np.arange(len(true)), true.upper, true.instance))
    at = heaviest[np.searchsorted(true.instance, np.flatnonzero(close), side="right") - 1]
    lower, upper = true.lower.copy(), true.upper.copy()
    upper[at] += off[close]
    lower[at] += np.where(lower[at] > 0, off[close], 0)
    every[1] = replace(true, lower=lower, upper=upper)
    units.rounding += np.where(close, np.abs(off) / whole, 0)
    capacity, size = most, np.zeros(n)
    wanted = row_sums(np.where(required, whole[pairs.instance], 0), pairs.ptr)
    for k, own in enumerate(every):
        wanted += own.total(own.lower)
        if own.kind in ("label", "instance"):
            capacity = np.minimum(capacity, own.upper[own.of_pair])
        if k < len(SIDES):
            given = np.where(own.upper >= OPEN, 0, own.upper).astype(np.float64)
            size += np.bincount(own.instance, given + own.lower, n)
    pairs.refuse(
        (capacity >= OPEN) & rewarded,
        lambda _, whose: (
            f"nothing limits how much {whose} carries, and more may cost less; give it a Capacity"
        ),
    )
    capacity = np.where(capacity >= OPEN, wanted[pairs.instance], capacity)
    size += np.bincount(pairs.instance, capacity, n)
    if size.max(initial=0) >= OPEN:
        raise units.too_many(int(np.argmax(size)))
    return Moved(capacity, most, whole, units.rounding)
