"""Hierarchical precision and recall at every threshold, instance by instance, in one pass."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_choice, counted
from hierpair.hierarchy import ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import (
    Floats,
    Ints,
    offsets,
    ragged_ranges,
    ratio,
    row_numbers,
    row_sums,
)
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.labels.scores_of_labels import match_scores
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.tables.forms import html_table

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
    n_pred, n_hit, n_true
        Classes and true classes predicted at every point; true classes of every instance.
    ids
        Instance ids, or None.
    """

    indptr: Ints
    threshold: Floats
    recall: Floats
    precision: Floats
    n_pred: Ints
    n_hit: Ints
    n_true: Ints
    ids: tuple[Hashable, ...] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        n, points = counted(len(self), "instance"), counted(len(self.threshold), "point")
        return f"<Curves: {n}, {points}, mean area {self.mean_area():.4f}>"

    def _repr_html_(self) -> str:
        rows = [[how, f"{self.mean_area(how):.4f}"] for how in AREAS]
        return html_table(["area under the curve", "mean"], rows, title=repr(self))

    def areas(self, how: Area = "trapezoid") -> Floats:
        """Return the area under every curve, shape ``(n_instances,)``; NaN without true classes.

        ``"trapezoid"`` joins the points by straight lines, as the published values do and
        ``sklearn.metrics.auc`` does; ``"step"`` gives each gain of recall the precision of the
        point that reaches it (average precision); ``"envelope"`` gives it the best precision of
        that point and all later ones (interpolated precision). Straight lines between points of
        a precision-recall curve are optimistic: no prediction lies on them.
        """
        check_choice("the area", how, AREAS)
        grows = np.empty(len(self.n_hit), dtype=bool)
        grows[:1] = False
        np.not_equal(self.n_hit[1:], self.n_hit[:-1], out=grows[1:])
        grows[self.indptr[:-1]] = False  # the first point of a curve closes no gap
        end = np.flatnonzero(grows)
        height = self.precision[end]
        if how == "trapezoid":
            height = (height + self.precision[end - 1]) / 2
        elif how == "envelope":
            height = self.envelope()[end]
        gained = (self.n_hit[end] - self.n_hit[end - 1]) * height
        owner = np.searchsorted(self.indptr, end, side="right") - 1
        sums = np.bincount(owner, gained, minlength=len(self))
        return ratio(sums, self.n_true)

    def mean_area(self, how: Area = "trapezoid") -> float:
        """Return the mean area of the instances that have true classes; NaN if none has."""
        areas = self.areas(how)
        known = ~np.isnan(areas)
        return float(areas[known].mean()) if known.any() else float("nan")

    def envelope(self) -> Floats:
        """Return the best precision of each point and all later ones of its curve."""
        values, rank = np.unique(self.precision, return_inverse=True)
        last_row_first = (len(self) - 1 - row_numbers(self.indptr)) * len(values)
        running = np.maximum.accumulate((last_row_first + rank)[::-1])[::-1]
        best: Floats = values[running - last_row_first]
        return best

    def mean_precision(self, recall: Floats) -> Floats:
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
            reached = at < self.indptr[known + 1]
            precision = np.where(reached, best[np.minimum(at, len(best) - 1)], 0.0)
            out[k] = precision.mean() if len(known) else np.nan
        return out


def precision_recall_curves(
    y_true: Any,
    scores: NodeScores | LabelDistribution,
    *,
    closure: Closing = None,
    root: Any = "exclude",
    missing: Literal["error", "empty"] = "error",
    drop_intermediate: bool = False,
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
        Scores of the classes, or a distribution, whose marginals are used.
    closure
        ``None`` takes every set as it is, also an incoherent one, as the published values do;
        ``"max"`` augments the set of every threshold, as the paper's definition says; ``"min"``
        lowers children to their parents.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    missing
        Instances of the truth that have no scores: ``"error"``, or ``"empty"``, all their scores
        are 0 (that of the root, too); :func:`hierpair.score` has the same choice. Scores of
        instances without a truth stay an error.
    drop_intermediate
        Leave out points between two others with the same recall. The areas are the same, and
        it takes a fraction of the time and memory.

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
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4"), ("1", "5")])
    >>> distribution = LabelDistribution.from_leaves([[0.25, 0.2, 0.2, 0.35]], tree)
    >>> curves = precision_recall_curves([["3"]], distribution)
    >>> curves
    <Curves: 1 instance, 5 points, mean area 0.6833>
    """
    of_classes = scores.marginals() if isinstance(scores, LabelDistribution) else scores
    if not isinstance(of_classes, NodeScores):
        raise BadInput(
            f"scores must be NodeScores or a LabelDistribution, got {type(scores).__name__}"
        )
    hierarchy = of_classes.hierarchy
    truth = LabelSets.from_labels(y_true, hierarchy, source="y_true")
    of_classes = match_scores(truth, of_classes.closed(closure), missing=missing)
    left_out = excluded_classes(hierarchy, root)
    listed, value = _falling(of_classes, left_out)
    row, score = _true_scores(truth, of_classes, left_out)
    n_true = np.bincount(row, minlength=len(truth))
    n_counted = len(hierarchy) - len(left_out)
    # predicted at a true class's score, and before it: classes with at least, and with more
    low, high = listed[row], listed[row + 1]
    before = _bisected(value, low, high, score, reached=True) - low
    up_to = np.where(score > 0, _bisected(value, low, high, score, reached=False) - low, n_counted)
    lay_out = _corners if drop_intermediate else _all_points
    indptr, threshold, n_pred, n_hit = lay_out(value, listed, n_counted, row, before, up_to)
    with np.errstate(invalid="ignore"):
        recall = n_hit / np.repeat(n_true, np.diff(indptr))
    precision = ratio(n_hit, n_pred, 1)
    points = (indptr, threshold, recall, precision, n_pred, n_hit, n_true)
    return Curves(*points, truth.ids or of_classes.ids)


Points = tuple[Ints, Floats, Ints, Ints]


def _all_points(
    value: Floats, listed: Ints, n_counted: int, row: Ints, before: Ints, up_to: Ints
) -> Points:
    """Return rows, thresholds, predicted classes and hits of every distinct threshold.

    A row has a first entry (nothing), its listed classes, and the rest where there is any.
    """
    lengths = np.diff(listed)
    rest = lengths < n_counted
    indptr = offsets(1 + lengths + rest)
    threshold = np.empty(indptr[-1])
    width = int(lengths[0]) if len(lengths) else 0
    if width and (lengths == width).all():
        table = threshold.reshape(len(lengths), -1)
        table[:, 1 : 1 + width] = value.reshape(-1, width)
    else:
        threshold[ragged_ranges(indptr[:-1] + 1, lengths)] = value
    threshold[indptr[:-1]] = np.inf
    threshold[indptr[1:][rest] - 1] = 0.0
    n_pred = np.arange(indptr[-1]) - np.repeat(indptr[:-1], np.diff(indptr))
    n_pred[indptr[1:] - 1] = np.where(rest, n_counted, n_pred[indptr[1:] - 1])
    gain = np.zeros(indptr[-1], dtype=np.int64)
    at_rest = up_to > lengths[row]
    np.add.at(gain, np.where(at_rest, indptr[row + 1] - 1, indptr[row] + up_to), 1)
    gain[indptr[1:-1]] -= row_sums(gain, indptr)[:-1]  # so that the sum starts anew in each row
    n_hit = np.cumsum(gain)
    ends = np.empty(len(threshold), dtype=bool)  # the last of equal scores
    ends[-1:] = True
    np.not_equal(threshold[1:], threshold[:-1], out=ends[:-1])
    ends[indptr[1:] - 1] = True
    if ends.all():
        return indptr, threshold, n_pred, n_hit
    return offsets(row_sums(ends, indptr)), threshold[ends], n_pred[ends], n_hit[ends]


def _corners(
    value: Floats, listed: Ints, n_counted: int, row: Ints, before: Ints, up_to: Ints
) -> Points:
    """Return the same, only where recall changes and right before it, and both ends."""
    n_rows = len(listed) - 1
    every = np.arange(n_rows)
    owner = np.concatenate([every, every, row, row])
    n_pred = np.concatenate([np.zeros_like(every), np.full(n_rows, n_counted), before, up_to])
    keys = np.unique(owner * (n_counted + 1) + n_pred)
    owner, n_pred = np.divmod(keys, n_counted + 1)
    reached = np.sort(row * (n_counted + 1) + up_to)
    start = np.searchsorted(reached, owner * (n_counted + 1))
    n_hit = np.searchsorted(reached, keys, side="right") - start
    last = listed[owner] + np.minimum(n_pred, np.diff(listed)[owner]) - 1
    threshold = np.where(n_pred > np.diff(listed)[owner], 0.0, np.append(value, 0.0)[last])
    threshold[n_pred == 0] = np.inf
    return offsets(np.bincount(owner, minlength=n_rows)), threshold, n_pred, n_hit


def _falling(scores: NodeScores, left_out: Ints) -> tuple[Ints, Floats]:
    """Return the scores of the counted classes, falling within every row, with row pointers."""
    indptr, value = scores.indptr, scores.values
    if len(left_out):
        keep = np.isin(scores.indices, left_out, invert=True)
        value, indptr = value[keep], offsets(row_sums(keep, indptr))
    lengths = np.diff(indptr)
    width = int(lengths[0]) if len(lengths) else 0
    if width and (lengths == width).all():
        return indptr, -np.sort(-value.reshape(-1, width), axis=1).ravel()
    return indptr, value[np.lexsort((-value, row_numbers(indptr)))]


def _true_scores(truth: LabelSets, scores: NodeScores, left_out: Ints) -> tuple[Ints, Floats]:
    """Return instance and score of every counted class of every augmented true set."""
    hierarchy = scores.hierarchy
    above = ancestor_closure(hierarchy, truth.indices)
    label, node = above.expanded(truth.indices)
    owner = row_numbers(truth.indptr)[label]
    counted = ~np.isin(node, left_out)
    keys = np.unique(owner[counted] * len(hierarchy) + node[counted])
    row, node = np.divmod(keys, len(hierarchy))
    low, high = scores.indptr[row], scores.indptr[row + 1]
    at = _bisected(-scores.indices.astype(np.int64), low, high, -node, reached=True)
    place = np.minimum(at, max(0, len(scores.indices) - 1))
    there = at < high
    there[there] = scores.indices[place[there]] == node[there]
    score = np.zeros(len(row))
    score[there] = scores.values[place[there]]
    return row, score


def _bisected(
    falling: NDArray[Any], low: Ints, high: Ints, wanted: NDArray[Any], *, reached: bool
) -> Ints:
    """Return the first place in ``low … high`` of a falling row that is not above the wanted.

    With ``reached=False`` the first one that is below it. All rows are bisected in step.
    """
    low, high = low.copy(), high.copy()
    most = max(0, len(falling) - 1)
    while (low < high).any():
        middle = (low + high) >> 1
        here = falling[np.minimum(middle, most)]
        ahead = (here > wanted) if reached else (here >= wanted)
        ahead &= low < high
        high = np.where(ahead | (low >= high), high, middle)
        low = np.where(ahead, middle + 1, low)
    return low
