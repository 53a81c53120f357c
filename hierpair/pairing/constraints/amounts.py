"""Masses, capacities and their bounds as fractions, and the units that make all of them whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hierpair.errors import BadInput, SolverLimit
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.constraints.numbers import OPEN
from hierpair.tables.text import number

__all__ = ["FINEST_UNITS", "Amount", "Units", "exact_amount", "mass_text", "shares", "units_of"]


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

    def text(self, at: int) -> str:
        """Return one of them as it was written."""
        if self.rough[at]:
            return f"{self.value[at]:.12g}"
        return str(Fraction(int(self.above[at]), int(self.below[at])))


def exact_amount(
    given: Any, n: int, what: str, place: Callable[[int], tuple[str, int | None]]
) -> Amount:
    """Return n numbers, or one for all of n things, as fractions."""
    if isinstance(given, Amount):
        return given
    array = np.broadcast_to(np.asarray(given), (n,))
    value = array.astype(np.float64)
    value = np.where(value >= OPEN, np.inf, value)
    some = np.flatnonzero(np.isfinite(value) & (value != 0))
    above, below = np.zeros(n, np.int64), np.ones(n, np.int64)
    rough = np.zeros(n, dtype=bool)
    if array.dtype.kind in "iu":
        above[some] = array[some]
    elif array.dtype.kind == "f":
        above[some], below[some], rough[some] = _of_floats(value[some])
    else:
        for i, x in zip(some.tolist(), array[some].tolist(), strict=True):
            exact = Fraction(x)
            rough[i] = isinstance(x, float) and _of_floats(np.array([x]))[2][0]
            if not rough[i] and exact.denominator >= OPEN:
                whose, instance = place(i)
                raise SolverLimit(f"{what} of {whose} has too large a denominator", instance)
            if not rough[i]:
                above[i], below[i] = exact.numerator, exact.denominator
    above[np.isinf(value)] = OPEN
    return Amount(above, below, value, rough)


def _of_floats(value: Floats) -> tuple[Ints, Ints, Bools]:
    """Return floats > 0 as fractions whose denominators are powers of two, or as too fine."""
    mantissa, power = np.frexp(value)
    above = (mantissa * 2.0**53).astype(np.int64)
    lowest = above & -above
    above //= lowest
    power = power - 53 + np.log2(lowest).astype(np.int64)
    rough = (power < -FINEST) | ((power < 0) & (above >= FINEST_UNITS))
    above = above << np.where(power > 0, power, 0)
    below = np.int64(1) << np.where(rough, 0, np.maximum(-power, 0))
    return np.where(rough, 0, above), below, rough


def shares(
    amount: Amount, instance: Ints, some: Bools, place: Callable[[int], tuple[str, int]]
) -> Amount:
    """Return masses, of those that are chosen, divided by their sum in each instance.

    Raises
    ------
    BadInput
        For an instance whose masses are all 0.
    """
    n = int(instance.max(initial=-1)) + 1
    value, above = np.where(some, amount.value, 0), np.where(some, amount.above, 0)
    total = np.bincount(instance, value, minlength=n)
    nothing = np.flatnonzero(some & (total[instance] == 0))
    if len(nothing):
        whose, at = place(int(nothing[0]))
        raise BadInput(f"all masses are 0 beside that of {whose}, so there is nothing to share", at)
    total[total == 0] = 1
    rough = np.zeros(n, dtype=bool)
    rough[instance[some & amount.rough]] = True
    whole = np.ones(n, dtype=np.int64)
    _least_common(whole, instance, np.where(rough[instance] | ~some, 1, amount.below))
    rough |= np.bincount(instance, value * whole[instance], minlength=n) >= WHOLE_FLOATS
    rough_label = rough[instance]
    above = np.where(rough_label, 0, above * (whole[instance] // np.where(some, amount.below, 1)))
    of = np.zeros(n, dtype=np.int64)
    np.add.at(of, instance, above)
    of[rough | (of == 0)] = 1
    divisor = np.where(rough_label, 1, np.gcd(above, of[instance]))
    below = np.where(rough_label, 1, of[instance] // divisor)
    return Amount(above // divisor, below, value / total[instance], rough_label & some)


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


@dataclass(frozen=True, eq=False)
class Units:
    """Into how many units the mass 1 of every instance is cut.

    Attributes
    ----------
    whole
        Units that make the mass 1, by instance.
    rough
        Instances with floats that are rounded.
    """

    whole: Ints
    rough: Bools

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
        units[is_open] = OPEN
        return units

    def apportioned(self, amount: Amount, instance: Ints) -> tuple[Ints, Floats]:
        """Return masses in units, by largest remainder where they are rounded.

        So the sum of an instance is rounded once. The second array holds how much mass every
        instance had to be rounded by.
        """
        units = self.of(amount, instance)
        n = len(self.whole)
        at = np.flatnonzero(amount.rough)
        if not len(at):
            return units, np.zeros(n)
        size = amount.value[at] * self.whole[instance[at]]
        units[at] = np.floor(size).astype(np.int64)
        rest = size - units[at]
        over = np.rint(np.bincount(instance[at], rest, minlength=n)).astype(np.int64)
        order = np.lexsort((-rest, instance[at]))
        first = np.searchsorted(instance[at][order], np.arange(n))
        rank = np.arange(len(order)) - first[instance[at][order]]
        units[at[order[rank < over[instance[at][order]]]]] += 1
        off = np.abs(units[at] - size) / self.whole[instance[at]]
        return units, np.bincount(instance[at], off, n).astype(np.float64)

    def too_many(self, instance: int) -> SolverLimit:
        """Return the error for an instance with more units than the solver takes."""
        whole = int(self.whole[instance])
        cut = f" in units of 1/{whole}" if whole > 1 else ""
        return SolverLimit(
            f"its masses and capacities{cut} are 2**62 units or more, which the solver cannot "
            "carry; use coarser or smaller ones",
            instance,
        )


def units_of(
    n: int, amounts: Iterable[tuple[Amount, Ints]], masses: Iterable[tuple[Amount, Ints]]
) -> Units:
    """Return units so fine that all exact amounts, each of an instance, are whole.

    Of rounded ones the unit depends on the sum of ``masses``.
    """
    whole, rough, heaviest = np.ones(n, dtype=np.int64), np.zeros(n, dtype=bool), np.zeros(n)
    for amount, instance in amounts:
        _least_common(whole, instance, amount.below)
        rough[instance[amount.rough]] = True
    for amount, instance in masses:
        np.maximum(heaviest, np.bincount(instance, amount.value, minlength=n), out=heaviest)
    some = np.flatnonzero(rough)
    if len(some):
        heaviest = heaviest[some]
        heaviest = np.where(heaviest > 0, np.maximum(heaviest, LIGHTEST), 1)
        room = np.floor(FINEST - np.log2(whole[some] * heaviest))
        whole[some] *= np.exp2(np.maximum(room, 0)).astype(np.int64)
    return Units(whole, rough)


def mass_text(units: int, whole: int | None, digits: int = 4) -> str:
    """Return so many units as a mass, a fraction where it is a plain one; None: just how many.

    >>> mass_text(4, 6), mass_text(1, 2**40), mass_text(3, None)
    ('2/3', '9.1e-13', '3')
    """
    mass = Fraction(units, whole or 1)
    return str(mass) if mass.denominator <= PLAIN else number(float(mass), digits)
