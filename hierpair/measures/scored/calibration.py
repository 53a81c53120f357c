"""Probabilities of a level against what happened: Brier score, log loss, ECE, SCE and ACE.

Calibration errors look at probabilities in bins: in bins of equal width or in ranges of equally
many, of the most probable class or of all; and, with its faults, as hiclass 5.0 does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats, Indices, Ints, offsets, ratio, row_numbers
from hierpair.measures.scored.pairs import LevelPairs

__all__ = [
    "Bins", "ace", "as_hiclass", "brier", "class_bins", "ece", "log_loss", "log_loss_as_hiclass",
    "sce", "top_bins",
]  # fmt: skip


def brier(level: LevelPairs) -> float:
    """Return the Brier score of a level, in [0, 2] where classes exclude each other."""
    return float(((level.value - level.true) ** 2).sum() / level.n)


def log_loss(level: LevelPairs, clip: float = 0) -> float:
    """Return the log loss of a level in nats; of one true class each."""
    p = level.true_values()
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(np.clip(p, clip, 1 - clip))).mean())


def ece(level: LevelPairs, bins: int = 10, right: Floats | None = None) -> float:
    """Return the expected calibration error of a level (Guo et al. 2017)."""
    return top_bins(level, bins, right).gap_sum() / level.n


def sce(level: LevelPairs, bins: int = 10) -> float:
    """Return the static calibration error of a level (Nixon et al. 2019)."""
    return class_bins(level, bins).gap_sum() / level.n / level.k


def ace(level: LevelPairs, bins: int = 10) -> float:
    """Return the adaptive calibration error of a level (Nixon et al. 2019)."""
    ranges = class_ranges(level, bins)
    n_filled = (ranges.n > 0).sum(axis=1)
    return float((ratio(ranges.gaps, ranges.n, 0).sum(axis=1) / n_filled).mean())


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
        cell: Indices,
        shape: tuple[int, ...],
        confidence: Floats,
        outcome: Floats | Bools,
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


def log_loss_as_hiclass(level: LevelPairs) -> float:
    """Return the log loss of a level in single precision, clipped by what it can tell from 0."""
    p, eps = level.true_values().astype(np.float32), np.finfo(np.float32).eps
    return float(np.mean(-np.log(np.clip(p, eps, 1 - eps))))


def as_hiclass(level: LevelPairs, bins: int, right: Floats) -> tuple[float, float, float]:
    """Return ECE, SCE and ACE of a level whose pairs are all listed (:meth:`LevelPairs.full`).

    A top probability of 1 falls out of all bins. SCE and ACE count the instances whose
    prediction is right, whatever the class; SCE is NaN for two classes, where hiclass stops. In
    ACE equal probabilities are parted by an unstable sort, and empty ranges count as 0.
    """
    edges = np.linspace(0, 1, bins + 1)
    value = level.value.reshape(level.n, level.k)
    top = value.max(axis=1)
    inside = top < 1  # the last bin is open
    ece = Bins.of(np.digitize(top[inside], edges) - 1, (bins,), top[inside], right[inside])
    inside = level.value < 1
    cell, outcome = level.column * bins + np.digitize(level.value, edges) - 1, right[level.row]
    sce = Bins.of(cell[inside], (level.k, bins), level.value[inside], outcome[inside])
    # the sort of NumPy in single precision decides where equal probabilities go
    order = np.argsort(np.ascontiguousarray(value.T.astype(np.float32)), axis=1)
    cuts = np.floor(np.linspace(0, level.n, bins + 1)).astype(int)
    place = np.digitize(np.arange(level.n), cuts) - 1
    cell = (np.arange(level.k)[:, None] * bins + place).ravel()
    confidence = np.take_along_axis(value.T, order, axis=1).ravel()
    ace = Bins.of(cell, (level.k, bins), confidence, right[order].ravel())
    return (
        ece.gap_sum() / level.n,
        sce.gap_sum() / level.n / level.k if level.k > 2 else math.nan,
        float(ratio(ace.gaps, ace.n, 0).sum() / (level.k * bins)),
    )
