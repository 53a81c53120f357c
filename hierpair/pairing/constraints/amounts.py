"""Masses, capacities and their bounds as exact numbers, however they are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit, shown
from hierpair.pairing.constraints.values import OPEN, Things, spread

__all__ = [
    "FINEST",
    "FINEST_UNITS",
    "MOST",
    "Amount",
    "amount_of",
    "exact_amount",
    "least_common",
    "shares",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FINEST = 40
"""Whole floats are exact, and multiples of 2**-40 with at most 40 binary digits; others are rounded
to at most 2**40 units of an instance."""

FINEST_UNITS = 2**FINEST

MOST = 2**62
"""OR-Tools takes fewer units than this at a node."""

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

    def __len__(self) -> int:
        return len(self.value)

    def at(self, where: Bools) -> Amount:
        """Return those of them where it is true."""
        return Amount(self.above[where], self.below[where], self.value[where], self.rough[where])

    def replaced(self, own: Ints, by: Amount) -> Amount:
        """Return them with those at these places replaced."""
        new = Amount(self.above.copy(), self.below.copy(), self.value.copy(), self.rough.copy())
        new.above[own], new.below[own] = by.above, by.below
        new.value[own], new.rough[own] = by.value, by.rough
        return new

    def text(self, at: int) -> str:
        """Return one of them as it was written."""
        if self.rough[at]:
            return f"{self.value[at]:.12g}"
        return str(Fraction(int(self.above[at]), int(self.below[at])))


def amount_of(
    value: Any, things: Things, what: str, chosen: Bools | None, missing: float
) -> Amount:
    """Return an amount for every thing, in any form that numbers of a constraint have.

    Things that are not ``chosen``, or that a dict does not name, have the amount ``missing``,
    which is 0 or inf. Only what may be missing may be open.

    Raises
    ------
    BadInput
        For a number that is negative, nan, no number, or open where it may not be.
    """
    given, mask = spread(value, things, what)
    if given is None and missing == np.inf:
        given = np.inf
    if mask is not None:
        chosen = mask if chosen is None else mask & chosen
    return exact_amount(given, len(things), what, things.place, chosen, missing)


def exact_amount(
    given: Any,
    n: int,
    what: str,
    place: Callable[[int], tuple[str, int | None]],
    chosen: Bools | None = None,
    missing: float = np.inf,
) -> Amount:
    """Return n numbers, or one for all of n things, as fractions."""
    array = _checked(given, n, what, place, chosen, missing)
    value = array.astype(np.float64)
    if chosen is not None:
        value = np.where(chosen, value, missing)
    some = np.flatnonzero(np.isfinite(value) & (value != 0))
    large = some[value[some] >= OPEN]
    if len(large):
        whose, instance = place(int(large[0]))
        raise SolverLimit(f"{what} of {whose} is more than the solver can carry", instance)
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


def _checked(
    given: Any,
    n: int,
    what: str,
    place: Callable[[int], tuple[str, int | None]],
    chosen: Bools | None,
    missing: float,
) -> NDArray[Any]:
    """Return n numbers ≥ 0, of which those that are not chosen may be anything."""
    rule = f"{what} must be a number ≥ 0"
    try:
        array = np.broadcast_to(np.asarray(given), (n,))
        numbers = array.astype(np.float64)
        good = array.dtype.kind in "iuf" or (
            array.dtype == object
            and all(isinstance(x, (Rational, float)) and x is not True for x in array.tolist())
        )
    except (TypeError, ValueError, OverflowError):
        good = False
    alone = np.ndim(given) == 0
    if not good or (alone and (isinstance(given, bool) or not float(given) >= 0)):
        raise BadInput(f"{rule}, got {shown(given)}")
    wrong = np.isnan(numbers) | (numbers < 0)
    if missing != np.inf:
        wrong |= np.isinf(numbers)
        if alone and np.isinf(float(given)):
            raise BadInput(f"{rule}, got {shown(given)}")
    if chosen is not None:
        wrong &= chosen
    if wrong.any():
        at = int(wrong.argmax())
        whose, instance = place(at)
        raise BadInput(f"{what} of {whose} is {array[at]!s}; it must be a number ≥ 0", instance)
    return array


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


def shares(amount: Amount, instance: Ints, place: Callable[[int], tuple[str, int]]) -> Amount:
    """Return masses divided by their sum in each instance.

    Raises
    ------
    BadInput
        For an instance whose masses are all 0.
    """
    n = int(instance.max(initial=-1)) + 1
    total = np.bincount(instance, amount.value, minlength=n)
    nothing = np.flatnonzero(total[instance] == 0)
    if len(nothing):
        whose, at = place(int(nothing[0]))
        raise BadInput(f"all masses are 0 beside that of {whose}, so there is nothing to share", at)
    rough = np.zeros(n, dtype=bool)
    rough[instance[amount.rough]] = True
    whole = np.ones(n, dtype=np.int64)
    least_common(whole, instance, np.where(rough[instance], 1, amount.below))
    parts = amount.value * whole[instance]
    rough |= np.bincount(instance, parts, minlength=n) >= WHOLE_FLOATS
    rough_label = rough[instance]
    above = np.where(rough_label, 0, amount.above * (whole[instance] // amount.below))
    of = np.zeros(n, dtype=np.int64)
    np.add.at(of, instance, above)
    of[rough] = 1
    divisor = np.gcd(above, of[instance])
    divisor[rough_label] = 1
    below = np.where(rough_label, 1, of[instance] // divisor)
    return Amount(above // divisor, below, amount.value / total[instance], rough_label)


def least_common(whole: Ints, instance: Ints, below: Ints) -> None:
    """Make ``whole`` a multiple of these denominators, instance by instance."""
    some = np.flatnonzero(below > 1)
    i, below = np.unique(np.stack([instance[some], below[some]], axis=1), axis=0).T
    bits = np.log2(whole) + np.bincount(i, np.log2(below), minlength=len(whole))
    is_small = bits < math.log2(MOST) - 1  # their product is, so no step can be too large
    at = is_small[i]
    np.lcm.at(whole, i[at], below[at])
    for k, denominator in zip(i[~at].tolist(), below[~at].tolist(), strict=True):
        common = math.lcm(int(whole[k]), denominator)
        if common >= MOST:
            raise SolverLimit(
                f"the common denominator {common} of its masses and capacities is more than the "
                "solver can carry; use coarser fractions, or floats",
                k,
            )
        whole[k] = common
