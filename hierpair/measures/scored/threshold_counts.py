"""What is predicted and what is hit at every threshold, of many rankings at once, and areas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from hierpair.errors import check_choice
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, ragged_ranges, ratio, row_sums

__all__ = ["INTERPOLATIONS", "Interpolation", "ThresholdCounts"]

Interpolation = Literal["step", "clus", "trapezoid"]
INTERPOLATIONS: tuple[Interpolation, ...] = ("step", "clus", "trapezoid")

LARGEST_WHOLE = 2**62
"""Sums of whole numbers up to this are exact; larger ones are added as floats."""

SHORT_NUMBERS = 2**16
"""With no more rankings their numbers have 16 bits, which are sorted in one pass."""


@dataclass(frozen=True, eq=False)
class ThresholdCounts:
    """Counts at every distinct score of several rankings, such as one per class.

    Attributes
    ----------
    indptr
        Ranking ``k`` has the points ``indptr[k] … indptr[k + 1] - 1``, by falling threshold.
    threshold
        Of every point: what has at least this score is predicted.
    n_hit, n_predicted
        True ones among the predicted, and all predicted, at every point.
    n_true, n_pairs
        True ones and all of every ranking: its last point has them.
    """

    indptr: Ints
    threshold: Floats
    n_hit: Ints
    n_predicted: Ints
    n_true: Ints
    n_pairs: Ints

    @classmethod
    def of(cls, owner: Ints, value: Floats, true: Bools, n_pairs: Ints) -> ThresholdCounts:
        """Count pairs by the ranking that they belong to, with one sort.

        Parameters
        ----------
        owner, value, true
            Ranking, score and truth of every listed pair.
        n_pairs
            How many pairs every ranking has; those that are not listed are false, with score 0.
        """
        order = np.argsort(-value)  # in any order where equal: they are counted together
        number = np.uint16 if len(n_pairs) <= SHORT_NUMBERS else np.int64
        order = order[np.argsort(owner[order].astype(number), kind="stable")]
        return cls._grouped(owner[order], value[order], true[order], n_pairs)

    @classmethod
    def _grouped(
        cls, owner: Ints, value: Floats, hits: Ints | Bools, n_pairs: Ints, of: Ints | None = None
    ) -> ThresholdCounts:
        """Count sorted pairs, or sorted groups of equal score that hold ``of`` pairs each."""
        last = np.append((owner[1:] != owner[:-1]) | (value[1:] != value[:-1]), True)[: len(owner)]
        end = np.flatnonzero(last)
        hit = np.cumsum(hits, dtype=np.int64)[end]
        counted = end + 1 if of is None else np.cumsum(of)[end]
        n_rankings = len(n_pairs)
        indptr = offsets(np.bincount(owner[end], minlength=n_rankings))
        lengths = np.diff(indptr)
        hit, counted = (_within(each, indptr) for each in (hit, counted))
        # what is not listed joins the score 0, as one more point where nobody has it yet
        final = np.where(lengths > 0, indptr[1:] - 1, -1)
        listed, found, lowest = (
            np.where(final >= 0, np.append(each, empty)[final], empty)
            for each, empty in ((counted, 0), (hit, 0), (value[end], np.inf))
        )
        joins = (final >= 0) & (lowest == 0)
        counted[final[joins]] = n_pairs[joins]
        lacking = np.flatnonzero(~joins & (listed < n_pairs))
        at = indptr[1:][lacking]
        threshold = np.insert(value[end], at, 0.0)
        hit = np.insert(hit, at, found[lacking])
        counted = np.insert(counted, at, n_pairs[lacking])
        lengths[lacking] += 1
        n_true = np.where(lengths > 0, np.append(hit, 0)[np.cumsum(lengths) - 1], 0)
        return cls(offsets(lengths), threshold, hit, counted, n_true, n_pairs)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def pooled(self, chosen: Bools) -> ThresholdCounts:
        """Return all pairs of the chosen rankings as one ranking."""
        lengths = np.where(chosen, np.diff(self.indptr), 0)
        take = ragged_ranges(self.indptr[:-1], lengths)
        hits, counted = (gain[take] for gain in self._gains())
        value = self.threshold[take]
        order = np.argsort(-value)
        owner = np.zeros(len(order), dtype=np.int64)
        return ThresholdCounts._grouped(
            owner, value[order], hits[order],
            np.array([self.n_pairs[chosen].sum()], dtype=np.int64), counted[order],
        )  # fmt: skip

    def average_precision(self, interpolation: Interpolation = "step") -> Floats:
        """Return the area under every precision-recall curve; NaN without a true pair.

        ``"step"`` is average precision: every gain of recall has the precision of the point that
        reaches it. ``"clus"`` joins precision by trapezoids at every single hit, between
        which false ones come evenly (Davis & Goadrich 2006); up to the first point it is level.
        ``"trapezoid"`` joins the points by straight lines, from precision 1 at recall 0.
        """
        check_choice("interpolation", interpolation, INTERPOLATIONS)
        gained, counted = self._gains()
        grows = np.flatnonzero(gained)
        if interpolation == "step":
            part = gained[grows] * (self.n_hit[grows] / self.n_predicted[grows])
            return ratio(_sums(part, grows, self.indptr), self.n_true)
        if interpolation == "trapezoid":
            precision = self.n_hit / self.n_predicted
            before = np.append(1.0, precision)[:-1]
            before[self.indptr[:-1][np.diff(self.indptr) > 0]] = 1.0
            part = gained[grows] * (before[grows] + precision[grows]) / 2
            return ratio(_sums(part, grows, self.indptr), self.n_true)
        lengths = gained[grows]
        slope = np.repeat((counted[grows] - lengths) / lengths, lengths)
        before = self.n_hit[grows] - lengths
        false = np.repeat(self.n_predicted[grows] - counted[grows] - before, lengths)
        step = ragged_ranges(np.zeros(len(lengths), dtype=np.int64), lengths)
        hits = np.repeat(before, lengths) + step
        high = (hits + 1) / (hits + 1 + false + slope * (step + 1))
        low = ratio(hits, hits + false + slope * step)
        low = np.where(np.isnan(low), high, low)  # nothing is predicted yet
        part = (low + high) / 2
        return ratio(_sums(part, np.repeat(grows, lengths), self.indptr), self.n_true)

    def roc_area(self) -> Floats:
        """Return the area under every ROC curve; NaN without a true or without a false pair.

        It is the probability that a true pair has a higher score than a false one, ties count
        one half: whole numbers up to the last division.
        """
        gained, counted = self._gains()
        n_false = self.n_pairs - self.n_true
        whole = 2 * self.n_true.astype(float) * n_false < LARGEST_WHOLE
        part: Ints | Floats = counted - gained
        part = (part if whole.all() else part.astype(np.float64)) * (2 * self.n_hit - gained)
        sums = _sums(part, np.arange(len(part)), self.indptr)
        return ratio(sums, 2 * self.n_true.astype(float) * n_false)

    def _gains(self) -> tuple[Ints, Ints]:
        """Return what every point has beyond the one before it: hits, and predicted ones."""
        first = self.indptr[:-1][np.diff(self.indptr) > 0]
        gains = []
        for each in (self.n_hit, self.n_predicted):
            gain = np.diff(each, prepend=0)
            gain[first] = each[first]
            gains.append(gain)
        return gains[0], gains[1]


def _within(running: Ints, indptr: Ints) -> Ints:
    """Return running sums that start anew in every row."""
    before = np.append(0, running)[indptr[:-1]]
    within: Ints = running - np.repeat(before, np.diff(indptr))
    return within


def _sums(part: Ints | Floats, point: Ints, indptr: Ints) -> Ints | Floats:
    """Return the sums of parts by ranking; parts stand in the order of their points."""
    bounds = np.searchsorted(point, indptr)
    if part.dtype == np.int64:
        return row_sums(cast(Ints, part), bounds)
    out = np.zeros(len(indptr) - 1)
    filled = bounds[1:] > bounds[:-1]
    if filled.any():
        out[filled] = np.add.reduceat(part, bounds[:-1][filled])
    return out
