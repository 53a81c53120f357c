"""What may be moved by every pair where labels have masses or pairs have capacities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import row_sums
from hierpair.pairing.pairs import SIDES, Pairs, Side
from hierpair.tables.text import number

__all__ = ["Moved", "mass_text"]

PLAIN = 1_000
"""Masses with a denominator up to this are written as fractions, others as decimals."""


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

    capacity: NDArray[np.int64]
    limited: NDArray[np.bool_]
    whole: NDArray[np.int64]
    rounding: NDArray[np.float64]
    given: NDArray[np.int64]
    upper: Mapping[Side, NDArray[np.int64]]
    total: NDArray[np.int64]

    def of_instances(self, pairs: Pairs) -> NDArray[np.int64]:
        """Return how many units all pairs of every instance carry at most."""
        return row_sums(self.capacity, pairs.ptr)

    def of_labels(self, pairs: Pairs) -> dict[Side, NDArray[np.int64]]:
        """Return, by side, how many units the pairs of every label carry at most."""
        room = {}
        for s in SIDES:
            room[s] = np.zeros(len(pairs.labels(s)), dtype=np.int64)
            np.add.at(room[s], pairs.at(s), self.capacity)
        return room

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


def mass_text(units: int, whole: int | None, digits: int = 4) -> str:
    """Return so many units as a mass, a fraction where it is a plain one; None: just how many.

    >>> mass_text(4, 6), mass_text(1, 2**40), mass_text(3, None)
    ('2/3', '9.1e-13', '3')
    """
    mass = Fraction(units, whole or 1)
    return str(mass) if mass.denominator <= PLAIN else number(float(mass), digits)
