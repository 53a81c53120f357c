"""Hierarchical precision and recall at every threshold, instance by instance, in one pass."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, uncounted
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums
from hierpair.labels import LabelSets, match_instances
from hierpair.law import Closing, Law, NodeScores

__all__ = ["AREAS", "Area", "Curves", "precision_recall_curves"]

Area = Literal["trapezoid", "step", "envelope"]
AREAS: tuple[Area, ...] = ("trapezoid", "step", "envelope")


@dataclass(frozen=True, eq=False)
class Curves:
    """Precision-recall curves of many instances.

    Attributes
    ----------
    indptr
        Instance ``i`` has the points ``indptr[i] … indptr[i + 1] - 1``, by falling threshold.
    threshold
        Of every point: the classes with at least this score are predicted; inf for none.
    recall, precision
        Of every point; the first one is (0, 1), the empty prediction. Recall is NaN where an
        instance has no true class.
    n_hit, n_true
        True classes predicted at every point; true classes of every instance.
    ids
        Instance ids, or None.
    """

    indptr: NDArray[np.int64]
    threshold: NDArray[np.float64]
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    n_hit: NDArray[np.int64]
    n_true: NDArray[np.int64]
    ids: tuple[Hashable, ...] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def areas(self, how: Area = "trapezoid") -> NDArray[np.float64]:
        """Return the area under every curve, shape ``(n_instances,)``; NaN without true classes.

        ``"trapezoid"`` joins the points by straight lines, as the published values do and
        ``sklearn.metrics.auc`` does; ``"step"`` gives each gain of recall the precision of the
        point that reaches it (average precision); ``"envelope"`` gives it the best precision of
        that point and all later ones (interpolated precision). Straight lines between points of
        a precision-recall curve are optimistic: no prediction lies on them.
        """
        if how not in AREAS:
            raise BadInput(f"the area must be one of {', '.join(AREAS)}, got {how!r}")
        inner = np.ones(len(self.recall), dtype=bool)
        inner[self.indptr[:-1]] = False  # the first point closes no gap
        end = np.flatnonzero(inner)
        height = self.precision[end]
        if how == "trapezoid":
            height = (height + self.precision[end - 1]) / 2
        elif how == "envelope":
            height = self.envelope()[end]
        gained = (self.n_hit[end] - self.n_hit[end - 1]) * height
        sums = np.bincount(row_numbers(self.indptr)[end], gained, minlength=len(self))
        out = np.full(len(self), np.nan)
        np.divide(sums, self.n_true, out=out, where=self.n_true > 0)
        return out

    def mean_area(self, how: Area = "trapezoid") -> float:
        """Return the mean area of the instances that have true classes; NaN if none has."""
        areas = self.areas(how)
        known = ~np.isnan(areas)
        return float(areas[known].mean()) if known.any() else float("nan")

    def envelope(self) -> NDArray[np.float64]:
        """Return the best precision of each point and all later ones of its curve."""
        values, rank = np.unique(self.precision, return_inverse=True)
        last_row_first = (len(self) - 1 - row_numbers(self.indptr)) * len(values)
        running = np.maximum.accumulate((last_row_first + rank)[::-1])[::-1]
        best: NDArray[np.float64] = values[running - last_row_first]
        return best

    def mean_precision(self, recall: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over instances of the interpolated precision at these recalls.

        Interpolated precision is the best one at this recall or a higher one, 0 where a curve
        does not get so far. Instances without true classes are left out.
        """
        known = np.flatnonzero(self.n_true > 0)
        widest = int(self.n_true.max(initial=0)) + 2
        keys = row_numbers(self.indptr) * widest + self.n_hit
        best = np.append(self.envelope(), 0.0)
        out = np.empty(len(recall))
        for k, r in enumerate(np.asarray(recall, dtype=np.float64)):
            wanted = np.ceil(r * self.n_true[known] - 1e-9).astype(np.int64)
            at = np.searchsorted(keys, known * widest + wanted)
            found = np.where(at < self.indptr[known + 1], best[np.minimum(at, len(best) - 1)], 0.0)
            out[k] = found.mean() if len(known) else np.nan
        return out


def precision_recall_curves(
    y_true: Any,
    scores: NodeScores | Law,
    *,
    closure: Closing = None,
    root: Any = "exclude",
) -> Curves:
    """Return the hierarchical precision-recall curve of every instance.

    The points are the empty prediction, recall 0 and precision 1, and for every distinct score t
    the classes with a score of at least t: hP = ``|Ŷ ∩ Y| / |Ŷ|``, hR = ``|Ŷ ∩ Y| / |Y|``, where
    Y is augmented by its ancestors (Plaud et al. 2024, §3.2.3). The paper writes "greater than"
    with thresholds among the scores, which never predicts every class and misses a true class of
    score 0; "at least" is what its published values are computed with.

    Parameters
    ----------
    y_true
        True labels, as :func:`hierpair.score` takes them.
    scores
        Scores of the classes, or a law, whose marginals are used.
    closure
        ``None`` takes every set as it is, also an incoherent one, as the published values do;
        ``"max"`` augments the set of every threshold, as the paper's definition says; ``"min"``
        lowers children to their parents.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.

    Returns
    -------
    Curves
        All points; areas by :meth:`Curves.areas`.

    Raises
    ------
    BadInput
        For labels that do not fit, or different instances on both sides.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> law = Law.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree, classes=["2", "3", "4", "5"])
    >>> curves = precision_recall_curves([["3"]], law)
    >>> round(float(curves.areas()[0]), 4)
    0.6833
    """
    given = scores.marginals() if isinstance(scores, Law) else scores
    if not isinstance(given, NodeScores):
        raise BadInput(f"scores must be NodeScores or a Law, got {type(scores).__name__}")
    hierarchy = given.hierarchy
    truth = LabelSets.from_labels(y_true, hierarchy, source="y_true")
    given = _matched(truth, given.closed(closure))
    left_out = uncounted(hierarchy, root)
    n, n_rows = len(hierarchy), len(given)
    keep = ~np.isin(given.indices, left_out)
    rows = row_numbers(given.indptr)[keep]
    node, value = given.indices[keep], given.values[keep]
    hit, n_true = _hits(hierarchy, truth, left_out, rows * n + node)
    listed = offsets(np.bincount(rows, minlength=n_rows))
    order = _falling(listed, rows, value)
    value, hit = value[order], hit[order]
    found = row_sums(hit, listed)
    rest = n - len(left_out) - np.diff(listed)  # unlisted classes: one last group of score 0
    # A row gets a first entry (nothing), its listed classes, and the rest where there is any.
    size = 1 + np.diff(listed) + (rest > 0)
    indptr = offsets(size)
    step = np.zeros(indptr[-1], dtype=np.int64)
    gain, score = np.zeros(indptr[-1], dtype=np.int64), np.full(indptr[-1], np.inf)
    place = ragged_ranges(indptr[:-1] + 1, np.diff(listed))
    step[place], gain[place], score[place] = 1, hit, value
    last = indptr[1:][rest > 0] - 1
    step[last], gain[last], score[last] = rest[rest > 0], (n_true - found)[rest > 0], 0.0
    ends = np.ones(len(score), dtype=bool)  # the last of equal scores
    ends[:-1] = (score[:-1] != score[1:]) | np.isin(np.arange(1, len(score)), indptr[1:-1])
    tied = row_sums(ends, indptr)
    n_pred, n_hit = _running(step, indptr)[ends], _running(gain, indptr)[ends]
    pointer = offsets(tied)
    with np.errstate(invalid="ignore"):
        recall = n_hit / np.repeat(n_true, tied)
    precision = np.divide(n_hit, n_pred, out=np.ones(len(n_hit)), where=n_pred > 0)
    return Curves(pointer, score[ends], recall, precision, n_hit, n_true, truth.ids or given.ids)


def _matched(truth: LabelSets, scores: NodeScores) -> NodeScores:
    """Return the scores in the order of the truth."""
    positions = LabelSets.from_arrays(
        np.arange(len(scores) + 1), np.arange(len(scores)), max(1, len(scores)), scores.ids
    )
    order = match_instances(truth, positions, system="scores").indices
    if np.array_equal(order, np.arange(len(scores))):
        return scores
    lengths = np.diff(scores.indptr)[order]
    take = ragged_ranges(scores.indptr[order], lengths)
    return NodeScores(
        scores.hierarchy, offsets(lengths), scores.indices[take], scores.values[take], truth.ids
    )


def _hits(
    hierarchy: Hierarchy,
    truth: LabelSets,
    left_out: NDArray[np.int64],
    keys: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which (instance, class) keys, ascending, are true, and how many each instance has."""
    above = ancestor_closure(hierarchy, truth.indices)
    length = above.lengths(truth.indices)
    node = above.indices[ragged_ranges(above.indptr[above.rows(truth.indices)], length)]
    owner = np.repeat(row_numbers(truth.indptr), length)
    counted = ~np.isin(node, left_out)
    wanted = np.unique(owner[counted] * len(hierarchy) + node[counted])
    hit = np.zeros(len(keys), dtype=bool)
    if len(keys):
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit[at[keys[at] == wanted]] = True
    return hit, np.bincount(wanted // len(hierarchy), minlength=len(truth))


def _falling(
    indptr: NDArray[np.int64], rows: NDArray[np.int64], value: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the order that sorts every row by falling value."""
    lengths = np.diff(indptr)
    if len(lengths) and lengths[0] > 0 and (lengths == lengths[0]).all():
        width = int(lengths[0])
        within = np.argsort(-value.reshape(-1, width), axis=1, kind="stable")
        order: NDArray[np.int64] = (within + indptr[:-1, None]).ravel()
        return order
    return np.lexsort((-value, rows))


def _running(values: NDArray[np.int64], indptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the running sum within every row."""
    total = np.cumsum(values)
    before = np.concatenate([[0], total])[indptr[:-1]]
    running: NDArray[np.int64] = total - np.repeat(before, np.diff(indptr))
    return running
