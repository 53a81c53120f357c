"""Probabilities in bins of equal width or ranges of equal size, and what happened in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import Floats, Ints, offsets, row_numbers
from hierpair.measures.scored.pairs import LevelPairs

__all__ = ["Bins", "class_bins", "class_ranges", "top_bins"]


@dataclass(frozen=True, eq=False)
class Bins:
    """What falls into every bin; arrays of one shape.

    Attributes
    ----------
    n
        How many probabilities.
    confidence, outcome
        Their sum, and the sum of what happened (1 or 0).
    """

    n: Ints
    confidence: Floats
    outcome: Floats

    @classmethod
    def of(
        cls,
        cell: NDArray[np.integer],
        shape: tuple[int, ...],
        confidence: Floats,
        outcome: NDArray[np.float64] | NDArray[np.bool_],
    ) -> Bins:
        """Put probabilities into the cells of this shape that are named by flat numbers."""
        size = int(np.prod(shape))
        n = np.bincount(cell, minlength=size).reshape(shape)
        p, o = (
            np.bincount(cell, of, minlength=size).astype(np.float64).reshape(shape)
            for of in (confidence, outcome)
        )
        return cls(n, p, o)

    @property
    def gaps(self) -> Floats:
        """How far apart both sums are in every bin."""
        return np.abs(self.outcome - self.confidence)

    def gap_sum(self) -> float:
        """Return Σ n_b |share of what happened − mean probability| over bins."""
        return float(self.gaps.sum())


def top_bins(level: LevelPairs, bins: int, right: Floats | None = None) -> Bins:
    """Put the largest probability of every instance into bins, beside whether it was right.

    ``right`` says so if it is not the class of this probability that is judged.
    """
    highest, share = level.top()
    return Bins.of(_bin(highest, bins), (bins,), highest, share if right is None else right)


def class_bins(level: LevelPairs, bins: int) -> Bins:
    """Put the probabilities of every class into bins, shape ``(n_classes, bins)``."""
    cell = level.column * bins + _bin(level.value, bins)
    found = Bins.of(cell, (level.k, bins), level.value, level.true)
    found.n[:, 0] += level.n - found.n.sum(axis=1)  # what is not listed has probability 0
    return found


def class_ranges(level: LevelPairs, ranges: int) -> Bins:
    """Put the probabilities of every class into ranges of equally many instances.

    The ranges are cut at ⌊j n / R⌋ of the sorted probabilities; equal ones stay together, in the
    range where the first of them is. Shape ``(n_classes, ranges)``.
    """
    order = np.lexsort((level.value, level.column))
    column, value, true = level.column[order], level.value[order], level.true[order]
    listed = np.bincount(column, minlength=level.k)
    start = offsets(listed)
    place = np.arange(len(value)) - start[column] + (level.n - listed)[column]
    new = np.ones(len(value), dtype=bool)  # whether it is the first of equal ones
    new[1:] = (value[1:] != value[:-1]) | (column[1:] != column[:-1])
    place[new & (value == 0)] = 0  # true ones without a score are as low as what is not listed
    first = np.flatnonzero(new)
    place = place[first[row_numbers(np.append(first, len(value)))]] if len(value) else place
    cuts = np.arange(ranges + 1) * level.n // ranges
    at = np.searchsorted(cuts, place, side="right") - 1
    found = Bins.of(column * ranges + at, (level.k, ranges), value, true)
    lowest = int(np.searchsorted(cuts, 0, side="right")) - 1
    found.n[:, lowest] += level.n - listed
    return found


def _bin(p: Floats, bins: int) -> Ints:
    """Return the bin [a, b) of every probability; the last one is closed."""
    edges = np.linspace(0, 1, bins + 1)
    at: Ints = np.minimum(np.searchsorted(edges, p, side="right") - 1, bins - 1)
    return at
