"""Several whole costs written as one number, a digit each, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.solvers import Scaled

__all__ = ["Packing"]

FLOAT_BITS = 53
"""Numbers of so many bits are floats; longer ones are Python's, of any length."""

MOST_BITS = 1_000
"""Numbers of more bits are refused: they could not be compared with infinity."""


@dataclass(frozen=True)
class Packing:
    """How the several costs are one number that orders like them.

    The numbers are those of single pairs, defaults and steps of a table, or sums of a few of them,
    which is all that writing a network needs; sums over a whole pairing are made cost by cost.

    Attributes
    ----------
    bits
        Room of every cost: its numbers are less than ``2**(bits - 1)`` in size.
    scales
        By what the numbers of every cost are multiplied to be whole.
    """

    bits: tuple[int, ...]
    scales: tuple[int, ...]

    @classmethod
    def of(cls, largest: Sequence[int], scales: Sequence[int]) -> Packing:
        """Return how costs of these sizes are written.

        Raises
        ------
        SolverLimit
            If there are too many, or too large ones.
        """
        bits = tuple(int(most).bit_length() + 1 for most in largest)
        if sum(bits) > MOST_BITS:
            raise SolverLimit(
                f"lexicographic costs of {sum(bits)} bits together are more than can be told apart "
                f"({MOST_BITS}); use coarser costs, or fewer of them"
            )
        return cls(bits, tuple(scales))

    @property
    def short(self) -> bool:
        """Whether the numbers are floats."""
        return sum(self.bits) <= FLOAT_BITS

    def packed(self, costs: Sequence[NDArray[np.int64]]) -> NDArray[Any]:
        """Return costs, an array for each, as one number each."""
        numbers: NDArray[Any] = np.zeros(len(costs[0]), dtype=np.int64 if self.short else object)
        for numbers_of, bits in zip(costs, self.bits, strict=True):
            numbers = numbers * (1 << bits) + (
                numbers_of if self.short else numbers_of.astype(object)
            )
        return numbers.astype(np.float64) if self.short else numbers

    def digits(self, numbers: NDArray[Any]) -> list[NDArray[np.int64]]:
        """Return the costs that are packed in whole numbers."""
        found = []
        for bits in reversed(self.bits[1:]):
            half = 1 << (bits - 1)
            digit = (numbers + half) % (1 << bits) - half
            numbers = (numbers - digit) // (1 << bits)
            found.append(digit.astype(np.int64))
        return [numbers.astype(np.int64), *reversed(found)]

    def whole(self, arrays: Sequence[NDArray[Any]]) -> Scaled:
        """Return finite packed numbers as integers; the scale is that of the first cost."""
        kind = np.int64 if self.short else object
        values: list[NDArray[Any]] = [
            np.array([int(x) for x in a.tolist()], dtype=object).reshape(a.shape)
            if kind is object
            else np.rint(a).astype(np.int64)
            for a in arrays
        ]
        return Scaled(values, self.scales[0], exact=True)
