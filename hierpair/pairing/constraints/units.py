"""Masses and capacities: exact amounts, the units that make all of them whole, what pairs carry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from hierpair.errors import BadInput, SolverLimit
from hierpair.hierarchy.arrays import Bools, Floats, Ints, row_sums
from hierpair.pairing.constraints.counts import Count
from hierpair.pairing.constraints.numbers import OPEN, Things
from hierpair.pairing.pairs import SIDES, Array, Labels, Pairs, Side
from hierpair.tables.text import number

__all__ = ["Amount", "GivenMass", "Moved", "Units", "exact_amount", "mass_text", "moved", "shares"]

FINEST = 40
"""Whole floats are exact, and multiples of 2**-40 with at most 40 binary digits; others are rounded
to at most 2**40 units of an instance."""

FINEST_UNITS = 2**FINEST

LIGHTEST = 2**-10
"""Masses of an instance that add up to less get no more units than if they added up to this."""

PLAIN = 1_000
"""Masses with a denominator up to this are written as fractions, others as decimals."""

WHOLE_FLOATS = 2**53
"""Sums below this are whole numbers in floats as well."""


@dataclass(frozen=True, eq=False)
class Amount:
    """Numbers ≥ 0 as fractions of whole numbers.

    Attributes
    ----------
    above, below
        Numerators and denominators, in lowest terms; an open bound is ``OPEN / 1``.
    value
        The same as floats, inf where open.
    rough
        Floats that are too fine for a denominator, so that they will be rounded.
    """

    above: Ints
    below: Ints
    value: Floats
    rough: Bools


def exact_amount(given: Any, things: Things, what: str) -> Amount:
    """Return numbers, one for each of some things or one for all, as fractions."""
    if isinstance(given, Amount):
        return given
    array = np.broadcast_to(np.asarray(given), (len(things),))
    value = array.astype(np.float64)
    value = np.where(value >= OPEN, np.inf, value)
    if array.dtype.kind in "iu":
        above, below, rough = array.astype(np.int64), np.ones(len(array), np.int64), value < 0
    else:
        above, below, rough = _of_floats(np.where(np.isinf(value), 0, value))
    for i in np.flatnonzero(np.isfinite(value)).tolist() if array.dtype == object else ():
        if not isinstance(array[i], float):
            exact, rough[i] = Fraction(array[i]), False
            if exact.denominator >= OPEN:
                whose, instance = things.place(i)
                raise SolverLimit(f"{what} of {whose} has too large a denominator", instance)
            above[i], below[i] = exact.numerator, exact.denominator
    return Amount(np.where(np.isinf(value), OPEN, above), below, value, rough)


def _of_floats(value: Floats) -> tuple[Ints, Ints, Bools]:
    """Return floats ≥ 0 as fractions whose denominators are powers of two, or as too fine."""
    mantissa, power = np.frexp(value)
    above = (mantissa * 2.0**53).astype(np.int64)
    lowest = np.maximum(above & -above, 1)
    above //= lowest
    power = np.where(value > 0, power - 53 + np.log2(lowest).astype(np.int64), 0)
    rough = (power < -FINEST) | ((power < 0) & (above >= FINEST_UNITS))
    above = above << np.maximum(power, 0)
    below = np.int64(1) << np.where(rough, 0, np.maximum(-power, 0))
    return np.where(rough, 0, above), below, rough


def shares(amount: Amount, labels: Labels, some: Bools) -> Amount:
    """Return masses, of those labels that are chosen, divided by their sum in each instance.

    Raises
    ------
    BadInput
        For an instance whose masses are all 0.
    """
    n, instance = len(labels.ptr) - 1, labels.instance
    total = np.bincount(instance, amount.value, minlength=n)
    for at in np.flatnonzero(some & (total[instance] == 0))[:1].tolist():
        whose, i = labels.place(at)
        raise BadInput(f"all masses are 0 beside that of {whose}, so there is nothing to share", i)
    rough, whole = np.zeros(n, dtype=bool), np.ones(n, dtype=np.int64)
    rough[instance[amount.rough]] = True
    _least_common(whole, instance, np.where(rough[instance], 1, amount.below))
    rough |= total * whole >= WHOLE_FLOATS
    above = np.where(rough[instance], 0, amount.above * (whole[instance] // amount.below))
    of = np.zeros(n, dtype=np.int64)
    np.add.at(of, instance, above)
    of = np.maximum(of, 1)[instance]
    divisor = np.gcd(above, of)
    value = amount.value / np.where(total > 0, total, 1)[instance]
    return Amount(above // divisor, of // divisor, value, rough[instance] & some)


def _least_common(whole: Ints, instance: Ints, below: Ints) -> None:
    """Make ``whole`` a multiple of these denominators, instance by instance."""
    some = np.flatnonzero(below > 1)
    i, below = np.unique(np.stack([instance[some], below[some]], axis=1), axis=0).T
    bits = np.log2(whole) + np.bincount(i, np.log2(below), minlength=len(whole))
    is_small = bits < math.log2(OPEN) - 1  # their product is, so no step can be too large
    at = is_small[i]
    np.lcm.at(whole, i[at], below[at])
    for k, denominator in zip(i[~at].tolist(), below[~at].tolist(), strict=True):
        common = math.lcm(int(whole[k]), denominator)
        if common >= OPEN:
            raise SolverLimit(
                f"the common denominator {common} of its masses and capacities is more than the "
                "solver can carry; use coarser fractions, or floats",
                k,
            )
        whole[k] = common


class Units:
    """Into how many units the mass 1 of every instance is cut, so that all exact amounts are whole.

    Of rounded ones the unit depends on the largest sum of masses.

    Attributes
    ----------
    whole
        Units that make the mass 1, by instance.
    rough
        Instances with floats that are rounded.
    rounding
        How much mass had to be rounded away or up, by instance, so far.
    """

    def __init__(
        self, n: int, amounts: Iterable[tuple[Amount, Ints]], masses: Iterable[tuple[Amount, Ints]]
    ) -> None:
        whole, rough, heaviest = np.ones(n, dtype=np.int64), np.zeros(n, dtype=bool), np.zeros(n)
        for amount, instance in amounts:
            _least_common(whole, instance, amount.below)
            rough[instance[amount.rough]] = True
        for amount, instance in masses:
            np.maximum(heaviest, np.bincount(instance, amount.value, minlength=n), out=heaviest)
        heaviest = np.where(heaviest > 0, np.maximum(heaviest, LIGHTEST), 1)[rough]
        room = np.floor(FINEST - np.log2(whole[rough] * heaviest))
        whole[rough] *= np.exp2(np.maximum(room, 0)).astype(np.int64)
        self.whole, self.rough, self.rounding = whole, rough, np.zeros(n)

    def of(self, amount: Amount, instance: Ints, *, up: bool = False) -> Ints:
        """Return amounts in units; what is rough is rounded to the nearest, or up.

        Raises
        ------
        SolverLimit
            For more units than the solver takes.
        """
        whole = self.whole[instance]
        is_open = np.isinf(amount.value)
        size = np.where(is_open, 0, amount.value * whole)
        if size.max(initial=0) >= OPEN:
            raise self.too_many(int(instance[np.argmax(size)]))
        near = np.ceil(size) if up else np.rint(size)
        exact = amount.above * (whole // np.where(is_open, 1, amount.below))
        units: Ints = np.where(amount.rough, near.astype(np.int64), exact)
        if up:
            self._rounded(amount, instance, units)
        return np.where(is_open, OPEN, units)

    def apportioned(self, amount: Amount, instance: Ints) -> Ints:
        """Return masses in units, by largest remainder where they are rounded.

        So the sum of an instance is rounded once.
        """
        units, at = self.of(amount, instance), np.flatnonzero(amount.rough)
        owner = instance[at]
        size = amount.value[at] * self.whole[owner]
        rest = size - np.floor(size)
        over = np.rint(np.bincount(owner, rest, minlength=len(self.whole))).astype(np.int64)
        order = np.lexsort((-rest, owner))
        rank = np.arange(len(at)) - np.searchsorted(owner[order], owner[order])
        units[at[order]] = np.floor(size)[order] + (rank < over[owner[order]])
        self._rounded(amount, instance, units)
        return units

    def _rounded(self, amount: Amount, instance: Ints, units: Ints) -> None:
        """Add up by how much rough amounts were rounded."""
        at = np.flatnonzero(amount.rough)
        owner, whole = instance[at], self.whole[instance[at]]
        off = np.abs(units[at] - amount.value[at] * whole) / whole
        self.rounding += np.bincount(owner, off, len(self.whole)).astype(np.float64)

    def too_many(self, instance: int) -> SolverLimit:
        """Return the error for an instance with more units than the solver takes."""
        whole = int(self.whole[instance])
        cut = f" in units of 1/{whole}" if whole > 1 else ""
        return SolverLimit(
            f"its masses and capacities{cut} are 2**62 units or more, which the solver cannot "
            "carry; use coarser or smaller ones",
            instance,
        )


def mass_text(units: int, whole: int | None, digits: int = 4) -> str:
    """Return so many units as a mass, a fraction where it is a plain one; None: just how many.

    >>> mass_text(4, 6), mass_text(1, 2**40), mass_text(3, None)
    ('2/3', '9.1e-13', '3')
    """
    mass = Fraction(units, whole or 1)
    return str(mass) if mass.denominator <= PLAIN else number(float(mass), digits)


# ---------------------------------------------------------------- what pairs carry


@dataclass(frozen=True, eq=False)
class Moved:
    """Pairs that carry any whole number of units, and how many of these make the mass 1.

    Attributes
    ----------
    capacity
        Most units of every pair.
    limited
        Whether a capacity was given for it that is less than its labels would let it carry.
    whole
        Units that make the mass 1, by instance.
    rounding
        How much mass had to be rounded away or up, by instance; 0 for exact numbers.
    given, upper, total
        What was said: capacities of pairs, by side upper bounds of labels, and of instances; OPEN
        where nothing was. ``capacity`` is the least of what they and their labels let pairs carry.
    """

    capacity: Ints
    limited: Bools
    whole: Ints
    rounding: Floats
    given: Ints
    upper: Mapping[Side, Ints]
    total: Ints

    def part(self, instance: int, pairs: slice, labels: Mapping[Side, slice]) -> Moved:
        """Return what one instance has, whose pairs and labels these are."""
        return Moved(
            self.capacity[pairs],
            self.limited[pairs],
            self.whole[[instance]],
            self.rounding[[instance]],
            self.given[pairs],
            {s: self.upper[s][labels[s]] for s in SIDES},
            self.total[[instance]],
        )


@dataclass(frozen=True, eq=False)
class GivenMass:
    """Masses of some labels of a side, as they were given, and whether they are shares."""

    amount: Amount
    chosen: Bools
    is_share: bool


def moved(
    pairs: Pairs,
    units: Units,
    given: Ints,
    masses: Mapping[Side, Sequence[GivenMass]],
    counts: list[Count],
    default: Mapping[Side, Array],
    candidate: Bools,
    required: Bools,
    rewarded: Bools,
) -> tuple[Moved, list[tuple[str, Bools]]]:
    """Return what every pair may carry, and where that is impossible, in words.

    Parameters
    ----------
    pairs, units, given, masses
        The pairs, the units, most units that were said of every pair, and the masses by side.
    counts
        What is counted, labels first, with bounds in units; true labels are changed where rounding
        has set the sums of both sides apart.
    default
        What labels of a side pay for what they lack, inf: they may lack nothing.
    candidate, required
        Which pairs there are, and which must carry 1.
    rewarded
        Pairs of which more than is asked for might be of use.

    Raises
    ------
    BadInput
        For masses that add up to different sums, and for pairs that nothing limits.
    SolverLimit
        For more units than the solver takes.
    """
    whole, sides = units.whole, dict(zip(SIDES, counts, strict=False))
    covered = {s: _covered(pairs, s, masses[s]) for s in SIDES}
    if units.rough.any() and all(x.all() for x in covered.values()):
        counts[1] = sides["true"] = _evened(units, sides, masses)
    hard = {s: default[s].astype(np.float64) == np.inf for s in SIDES}
    empty = _balanced(pairs, units, sides, masses, covered, hard)
    room, most = np.full(len(pairs), OPEN), np.full(len(whole), OPEN)
    wanted = row_sums(np.where(required, whole[pairs.instance], 0), pairs.ptr)
    for own in counts:
        np.add.at(wanted, own.instance, own.lower)
        if own.kind in ("label", "instance"):
            room = np.minimum(room, own.upper[own.of_pair])
        if own.kind == "instance":
            most = own.upper
    capacity = np.where(candidate, np.minimum(given, room), 0)
    for at in np.flatnonzero((capacity >= OPEN) & rewarded)[:1].tolist():
        whose, instance = pairs.place(at)
        raise BadInput(
            f"nothing limits how much {whose} carries, and more may cost less; give it a Capacity",
            instance,
        )
    capacity = np.where(capacity >= OPEN, wanted[pairs.instance], capacity)
    size = np.bincount(pairs.instance, capacity, len(whole)).astype(np.float64)
    for own in sides.values():
        upper = np.where(own.upper >= OPEN, 0, own.upper)
        size += np.bincount(own.instance, upper.astype(float) + own.lower, len(whole))
    if size.max(initial=0) >= OPEN:
        raise units.too_many(int(np.argmax(size)))
    impossible = []
    if empty.any():
        text = "there are masses on one side, and the other one has none to share"
        impossible.append((text, empty))
    short = np.flatnonzero(required & candidate & (capacity < whole[pairs.instance]))
    for i, at in zip(*(x.tolist() for x in np.unique(pairs.instance[short], return_index=True)),
                     strict=True):  # fmt: skip
        text = (
            f"the required pair {pairs.text(short[at])} must carry 1 and can carry only "
            f"{mass_text(int(capacity[short[at]]), int(whole[i]))}"
        )
        impossible.append((text, np.arange(len(whole)) == i))
    said = {s: own.upper for s, own in sides.items()}
    found = Moved(capacity, given < room, whole, units.rounding, given, said, most)
    return found, impossible


def _covered(pairs: Pairs, side: Side, masses: Sequence[GivenMass]) -> Bools:
    """Return the instances of which all labels of a side have a mass."""
    labels = pairs.labels(side)
    without = np.ones(len(labels), dtype=bool)
    for mass in masses:
        without &= ~mass.chosen
    covered: Bools = np.bincount(labels.instance[without], minlength=len(labels.ptr) - 1) == 0
    return covered


def _balanced(
    pairs: Pairs,
    units: Units,
    sides: Mapping[Side, Count],
    masses: Mapping[Side, Sequence[GivenMass]],
    covered: Mapping[Side, Bools],
    hard: Mapping[Side, Bools],
) -> Bools:
    """Check that what must be moved from one side fits the other.

    Returns the instances of which a side has nothing to share.

    Raises
    ------
    BadInput
        For masses that add up to different sums and have no Unmatched.
    """
    n = len(units.whole)
    must, total, can = {}, {}, {}
    for s, own in sides.items():
        must[s], total[s] = np.zeros(n, np.int64), np.zeros(n, np.int64)
        np.add.at(must[s], own.instance, own.lower * hard[s])
        np.add.at(total[s], own.instance, np.where(own.upper < OPEN, own.upper, 0))
        open_ = np.bincount(own.instance, own.upper >= OPEN, n) > 0
        can[s] = np.where(open_ | ~covered[s], OPEN, total[s])
    lacks: Bools = (must["predicted"] > can["true"]) | (must["true"] > can["predicted"])
    lacks &= all(map(bool, masses.values()))
    empty: Bools = np.diff(pairs.ptr) == 0
    shared = all(mass.is_share for given in masses.values() for mass in given)
    for at in np.flatnonzero(lacks & ~(empty & shared))[:1].tolist():
        sums = [mass_text(int(total[s][at]), int(units.whole[at]), 12) for s in SIDES]
        raise BadInput(
            f"the masses of the predicted side add up to {sums[0]} and those of the true side "
            f"to {sums[1]}; for masses that differ give both sides an Unmatched, or take their "
            "shares of the sum, Mass(…, share=True)",
            at,
        )
    nothing: Bools = lacks & empty
    return nothing


def _evened(
    units: Units, sides: Mapping[Side, Count], masses: Mapping[Side, Sequence[GivenMass]]
) -> Count:
    """Return the true labels with equal sums where they differ by less than a unit.

    Each side was rounded by itself.
    """
    n, true = len(units.whole), sides["true"]
    value = {s: np.zeros(n) for s in SIDES}
    total = {s: np.zeros(n, np.int64) for s in SIDES}
    for s, own in sides.items():
        for mass in masses[s]:
            value[s] += np.bincount(own.instance, mass.amount.value * mass.chosen, n)
        np.add.at(total[s], own.instance, own.upper)
    off = total["predicted"] - total["true"]
    apart = np.abs(value["predicted"] - value["true"])
    close = (apart * units.whole < 0.5) | (apart * FINEST_UNITS <= value["predicted"])
    off = np.where(units.rough & close, off, 0)
    heaviest = np.lexsort((-np.arange(len(true)), true.upper, true.instance))
    last = np.searchsorted(true.instance, np.flatnonzero(off), side="right") - 1
    most = heaviest[last]
    lower, upper = true.lower.copy(), true.upper.copy()
    upper[most] += off[off != 0]
    lower[most] += np.where(lower[most] > 0, off[off != 0], 0)
    units.rounding += np.abs(off) / units.whole
    return replace(true, lower=lower, upper=upper)
