"""Sums without rounding: one of many numbers, and one for every class that occurs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.measures import Entries
from hierpair.measures.limbs import BASE, BITS, canonical, limbs_of

__all__ = ["ClassSums", "as_fraction", "class_sums", "exact_sum", "in_units"]

LOWEST_EXPONENT = -1200
"""Below the exponent of the smallest float, less the 53 bits of its mantissa."""

MOST_ADDED = 1 << 20
"""Limbs that are added up as floats at a time: their sum stays below 2⁵³."""

PLAIN_SUM = 1 << 60
"""Whole numbers below this are added to sums of one limb as 64-bit integers."""

PLAIN_BITS = 1000
"""Longer sums are rounded as fractions: they, or what they are multiplied by, may be no float."""


def exact_sum(values: NDArray[np.float64]) -> int:
    """Return the sum of finite numbers as a whole multiple of 2 to the power of -1200.

    Mantissas are summed as whole numbers, by exponent, so nothing is rounded.

    >>> float(as_fraction(exact_sum(np.array([1e16, 1.0, -1e16]))))
    1.0
    """
    units = 0
    mantissa, exponent = np.frexp(values)
    whole = np.ldexp(mantissa, 53)
    high = np.floor(np.ldexp(whole, -27))
    low = whole - np.ldexp(high, 27)
    shift = exponent - 53 - LOWEST_EXPONENT
    for part, extra in ((high, 27), (low, 0)):
        sums = np.bincount(shift, part)
        for power in np.flatnonzero(sums):
            units += int(sums[power]) << (int(power) + extra)
    return units


def in_units(number: int) -> int:
    """Return a whole number as :func:`exact_sum` returns sums.

    >>> in_units(3) == exact_sum(np.ones(3))
    True
    """
    return number << -LOWEST_EXPONENT


def as_fraction(units: int) -> Fraction:
    """Return what :func:`exact_sum` is a multiple of, times it."""
    return Fraction(units, 1 << -LOWEST_EXPONENT)


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Exact sums of columns for the classes that occur.

    Attributes
    ----------
    classes
        Numbers of the classes, ascending.
    limbs
        By column, the exponent of the lowest limb in units of 32 bits, and the limbs of every
        class, lowest first, shape ``(limbs, classes)``. All but the highest are in [0, 2³²). There
        are as few as possible, so equal sums have equal limbs.
    """

    classes: NDArray[np.int64]
    limbs: dict[str, tuple[int, NDArray[np.int64]]]

    def floats(self, column: str, plus: Fraction | None = None) -> NDArray[np.float64]:
        """Return the sums of a column, each rounded once; with ``plus`` added to each before."""
        lowest, limbs = self.limbs[column]
        whole = plus is None or (plus.denominator == 1 and plus < PLAIN_SUM)
        if whole and lowest == 0 and len(limbs) == 1:
            plain: NDArray[np.float64] = (limbs[0] + int(plus or 0)).astype(np.float64)
            return plain
        sums = [0] * len(self.classes)
        for limb in limbs[::-1].tolist():
            sums = [(high << BITS) + low for high, low in zip(sums, limb, strict=True)]
        unit = Fraction(BASE) ** lowest
        if plus is not None:
            known = {units: float(plus + units * unit) for units in set(sums)}
            return np.array([known[units] for units in sums], dtype=np.float64)
        known = {units: _rounded(units, lowest) for units in set(sums)}
        return np.array([known[units] for units in sums], dtype=np.float64)

    def plus(self, other: ClassSums) -> ClassSums:
        """Return the sums of both."""
        classes, places = _numbered(self.classes, other.classes)
        limbs = {}
        for name in self.limbs:
            tables = [(at, *s.limbs[name]) for at, s in zip(places, (self, other), strict=True)]
            lowest = min(low for _, low, _ in tables)
            n = max(low + len(limb) for _, low, limb in tables) - lowest
            total = np.zeros((n, len(classes)), dtype=np.int64)
            for at, low, limb in tables:
                total[low - lowest : low - lowest + len(limb), at] += limb
            limbs[name] = canonical(lowest, total)
        return ClassSums(classes, limbs)

    def grouped(self, group: NDArray[np.integer]) -> ClassSums:
        """Return the sums of groups of classes, by a group number for every class of ``classes``.

        >>> entries = Entries(1, np.zeros(3, np.int32), np.array([2, 5, 7]), {"n": np.arange(3)}, 9)
        >>> whole = class_sums(entries, None).grouped(np.array([4, 1, 1]))
        >>> whole.classes.tolist(), whole.floats("n").tolist()
        ([1, 4], [3.0, 0.0])
        """
        groups, at = np.unique(group, return_inverse=True)
        limbs = {}
        for name, (lowest, table) in self.limbs.items():
            total = np.zeros((len(groups), len(table)), dtype=np.int64)
            np.add.at(total, at, table.T)
            limbs[name] = canonical(lowest, total.T)
        return ClassSums(groups.astype(np.int64), limbs)


def class_sums(entries: Entries, weight: NDArray[np.float64] | None) -> ClassSums:
    """Return the exact sums of the columns of entries, weighted by instance."""
    seen, (place,) = _numbered(entries.number)
    limbs = {}
    of_row = None if weight is None else limbs_of(weight)
    for name, column in entries.columns.items():
        parts: list[tuple[NDArray[np.int64], NDArray[Any] | None]]
        if column.dtype.kind == "f":
            some = np.flatnonzero(column)
            numbers = column[some]
            if weight is not None:
                numbers = numbers * weight[entries.row[some]]
            lowest, each = limbs_of(numbers)
            where = place[some]
            parts = [(where, limb) for limb in each]
        elif of_row is not None:
            lowest, each = of_row
            some = np.flatnonzero(column)
            where, row, times = place[some], entries.row[some], column[some]
            parts = [(where, limb[row] * times) for limb in each]
        elif column.dtype == bool:
            lowest, parts = 0, [(place.take(np.flatnonzero(column)), None)]
        else:
            lowest, parts = 0, [(place, column)]
        sums = [_added(where, limb, len(seen)) for where, limb in parts]
        table = np.array(sums, dtype=np.int64).reshape(len(sums), len(seen))
        limbs[name] = canonical(lowest, table)
    return ClassSums(seen, limbs)


def _numbered(
    *lists: NDArray[np.integer],
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Return the numbers of some lists, each once and ascending, and the place of every entry."""
    width = max(int(numbers.max(initial=-1)) for numbers in lists) + 1
    occurs = np.zeros(width, dtype=bool)
    for numbers in lists:
        occurs[numbers] = True
    found = np.flatnonzero(occurs)
    at = np.empty(width, dtype=np.int64)
    at[found] = np.arange(len(found))
    return found, [at.take(numbers) for numbers in lists]


def _added(place: NDArray[np.int64], limb: NDArray[Any] | None, n: int) -> NDArray[np.int64]:
    """Return sums of limbs by place: floats hold them exactly if they are not too many."""
    total = np.zeros(n, dtype=np.int64)
    largest = 1 if limb is None else int(np.abs(limb).max(initial=0)) >> BITS
    step = max(1, MOST_ADDED // (1 + largest))  # a limb may have been taken several times
    for lo in range(0, len(place), step):
        some = slice(lo, lo + step)
        of_some = None if limb is None else limb[some]
        total += np.bincount(place[some], of_some, minlength=n).astype(np.int64)
    return total


def _rounded(units: int, lowest: int) -> float:
    """Return ``units`` times 2 to the power of ``32 lowest``, rounded once."""
    if lowest < -30 or units.bit_length() > PLAIN_BITS:  # rounded twice, or beyond all floats
        return float(Fraction(units) * Fraction(BASE) ** lowest)
    return ldexp(float(units), BITS * lowest)
