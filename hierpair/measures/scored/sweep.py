"""Precision, recall and misses of a data set at every threshold, in one pass over its scores.

What an instance has found changes at its own scores (its steps); the scores of all are sorted once,
and the sums of all instances change by these steps.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Set
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, check_choice, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import (
    Array,
    Bools,
    Floats,
    Indices,
    Ints,
    offsets,
    ratio,
    row_numbers,
)
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import CLOSURES, Closing, NodeScores, Raised, raised_scores
from hierpair.measures.limbs import Sums, limbs_of, running_sums
from hierpair.measures.scored.pairs import counted_classes, true_cells
from hierpair.measures.scored.pooled_curve import NORMS, POOLINGS, Norm, PooledCurve, Pooling

__all__ = ["ZeroWeight", "multiples", "threshold_sweep"]

ZeroWeight = Literal["skip", "count"]
ZERO_WEIGHTS: tuple[ZeroWeight, ...] = ("skip", "count")


def threshold_sweep(
    truth: LabelSets,
    scores: NodeScores,
    *,
    weights: Floats | None = None,
    thresholds: Any = None,
    average: Pooling = "samples",
    norm: Norm = "cafa",
    closure: Closing = "max",
    root: Any = "exclude",
    classes: Collection[Any] | None = None,
    zero_weight: ZeroWeight = "skip",
    sample_weight: Any = None,
) -> PooledCurve:
    """Return precision and recall of all instances together, at every threshold.

    All scores are sorted once: at each the weights of what an instance has found change, and
    the sums of all instances with them. Every sum is exact until it is rounded, so that no
    order of instances or classes changes a bit.

    Parameters
    ----------
    truth, scores
        In the same order; see :func:`hierpair.probabilistic.pooled_curve` for labels and scores
        in other forms, and for the parameters.
    weights
        A number ≥ 0 for every class, by number; None: 1. That of a class that is in no truth and
        no prediction may be infinite or NaN: it was never seen where weights were counted.

    Raises
    ------
    BadInput
        For weights, classes or thresholds that do not fit.
    """
    check_choice("average", average, POOLINGS)
    check_choice("norm", norm, NORMS)
    check_choice("zero_weight", zero_weight, ZERO_WEIGHTS)
    hierarchy = scores.hierarchy
    counts = counted_classes(hierarchy, root, classes)
    if classes is not None and not counts.any():
        raise BadInput("classes: none of them counts; name some that are not the root")
    of_class = _class_weights(hierarchy, weights)
    weight = _weights(sample_weight, len(truth))
    grid = None if thresholds is None else _checked(thresholds)
    steps = _steps(truth, scores, of_class, counts, closure)
    counted = steps.has_truth if zero_weight == "skip" else truth.lengths > 0
    recalled = counted & ((steps.of_truth > 0) | (zero_weight == "count"))
    kept = np.flatnonzero(counted[steps.row])
    row, found, predicted = steps.row[kept], steps.found[kept], steps.predicted[kept]
    first = np.append(True, row[1:] != row[:-1])[: len(row)]
    order = np.argsort(-steps.score[kept], kind="stable")
    at = steps.score[kept][order]
    ends = _ends_of_ties(at)
    of = weight[row]
    columns = (
        of * (found / predicted),
        of * ratio(found, steps.of_truth[row], 0.0),
        of * found,
        of * (predicted - found),
        np.ones(len(row)),
        of,
        of * recalled[row],
    )
    sums = [running_sums(column, first, order, ends) for column in columns]
    falling = at[ends]
    if grid is not None:  # the sums of the lowest score that is at least the threshold
        place = np.searchsorted(-falling, -grid, side="right")
        falling, sums = grid, [each.after_none(place) for each in sums]
    gained, reached, tp, fp, n, *with_prediction = sums
    n_predicted, n_recalled = (each.floats() for each in with_prediction)
    n_weighted, n_with_weight = (math.fsum(weight[x].tolist()) for x in (counted, recalled))
    every, every_recalled = (np.full(len(falling), x) for x in (n_weighted, n_with_weight))
    all_true = math.fsum((weight * steps.of_truth)[counted].tolist())
    found = tp.floats()
    if average == "micro":
        precision, recall = ratio(found, found + fp.floats()), ratio(found, all_true + 0 * found)
    else:
        precision = gained.over(every if norm == "gt" else n_predicted)
        recall = reached.over(n_recalled if norm == "pred" else every_recalled)
    below = n_predicted if norm == "pred" else every
    return PooledCurve(
        falling,
        np.clip(precision, 0, 1),
        np.clip(recall, 0, 1),
        n.floats().astype(np.int64),
        int(counted.sum()),
        average,
        tp.over(below),
        fp.over(below),
        ratio(np.clip(all_true - found, 0, None), below),
        all_true / n_weighted if n_weighted > 0 else math.nan,
        norm,
    )


def multiples(step: float) -> Floats:
    """Return the multiples of a step below 1, as they are read: 0.3, not three times 0.1.

    >>> multiples(0.25).tolist()
    [0.25, 0.5, 0.75]
    """
    count = math.ceil(round(1 / step, 9))
    thresholds: Floats = np.round(np.arange(1, count) * step, 12)
    return thresholds


def _class_weights(hierarchy: Hierarchy, weights: Any) -> Floats:
    """Return the weight of every class; of those never seen it may be infinite."""
    if weights is None:
        return np.ones(len(hierarchy))
    of_class = np.asarray(weights, dtype=np.float64)
    if of_class.shape != (len(hierarchy),):
        raise BadInput(
            f"weights must hold a number for each of the {len(hierarchy)} classes, got "
            f"shape {of_class.shape}"
        )
    negative = np.flatnonzero(of_class < 0)
    if len(negative):
        k = int(negative[0])
        raise BadInput(
            f"class {shown(hierarchy.names[k])} has the weight {of_class[k]:g}; weights must be "
            "≥ 0 (information accretion is, if annotations have all ancestors of their labels)"
        )
    return of_class


def _weights(sample_weight: Any, n: int) -> Floats:
    if sample_weight is None:
        return np.ones(n)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        weight = np.empty(0)
    if weight.shape != (n,) or not (np.isfinite(weight) & (weight >= 0)).all():
        raise BadInput(f"sample_weight must hold {n} finite numbers that are not negative")
    return weight


def _checked(thresholds: Any) -> Floats:
    """Return thresholds from the highest to the lowest."""
    listed = list(thresholds) if isinstance(thresholds, Set) else thresholds
    falling = np.unique(np.asarray(listed, dtype=np.float64))[::-1]
    if not len(falling) or not (falling > 0).all():  # also refuses nan
        raise BadInput("thresholds must be numbers above 0: at 0 every class is predicted")
    return falling


@dataclass(frozen=True, eq=False)
class Steps:
    """Weights of what is predicted at the scores of every instance.

    Attributes
    ----------
    has_truth
        Whether an instance has a true class that counts.
    of_truth
        Weight of the true classes of every instance, by position.
    row, score
        Instance and score of every step, instance by instance, by falling score; at each the
        weight of the predicted classes grows.
    found, predicted
        Weight of the true classes, and of all, with at least this score.
    """

    has_truth: Bools
    of_truth: Floats
    row: Ints
    score: Floats
    found: Floats
    predicted: Floats


def _steps(
    truth: LabelSets, scores: NodeScores, weight: Floats, counts: Bools, closure: Closing
) -> Steps:
    """Return the steps of all instances; scores are in the order of the truth.

    Sums of weights are exact until each is rounded, once. What is held beside the scores is
    bounded: classes that scores are handed to are only held for some instances at a time.
    """
    hierarchy, n = scores.hierarchy, len(scores.hierarchy)
    endless = counts & ~np.isfinite(weight)
    lowest, limbs = limbs_of(np.where(counts & ~endless, weight, 0.0))
    if closure not in CLOSURES:
        raise BadInput(f"closure must be None, 'max', 'min' or 'fill', got {closure!r}")
    if closure == "min":
        scores, closure = scores.closed("min"), None
    has_truth, of_truth = np.zeros(len(truth), dtype=bool), np.zeros(len(truth))
    parts = [(np.empty(0, dtype=np.int64), *np.empty((3, 0)))]
    for raised in raised_scores(hierarchy, scores.indptr, scores.indices, scores.values, closure):
        lo, hi = raised.rows
        row, node = true_cells(hierarchy, truth.part(lo, hi), counts)
        _refuse(hierarchy, weight, node[endless[node]])
        _refuse(hierarchy, weight, raised.classes[endless[raised.classes]])
        has_truth[lo + row] = True
        of_truth[lo:hi] = Sums(lowest, _summed(limbs, row, node, hi - lo)).floats()
        parts.append(_steps_of(raised, scores, row * n + node, lowest, limbs))
    return Steps(has_truth, of_truth, *(np.concatenate(part) for part in zip(*parts, strict=True)))


def _refuse(hierarchy: Hierarchy, weight: Floats, classes: Ints) -> None:
    """Refuse classes in use whose weight is no number."""
    if len(classes):
        k = int(classes.min())
        raise BadInput(
            f"class {shown(hierarchy.names[k])} is in use and has the weight {weight[k]:g}: it "
            "was never seen in the annotations that were counted; give it a finite one "
            "(smooth=1), or 0, so that it does not count"
        )


def _summed(limbs: list[Floats], group: Indices, node: Ints, n: int) -> Ints:
    """Return the limbs of the weights of classes, added up by group; floats hold them exactly."""
    sums = [np.bincount(group, limb[node], minlength=n) for limb in limbs]
    return np.array(sums, dtype=np.float64).reshape(len(limbs), n).astype(np.int64)


def _steps_of(
    raised: Raised, scores: NodeScores, true: Ints, lowest: int, limbs: list[Floats]
) -> tuple[Ints, Floats, Floats, Floats]:
    """Return instance, score, and weights found and predicted, of the steps of some instances."""
    n, (lo, hi) = len(scores.hierarchy), raised.rows
    row = row_numbers(scores.indptr[lo : hi + 1])
    is_true = np.zeros((hi - lo) * n, dtype=bool)
    is_true[true] = True
    hit = np.flatnonzero(is_true[raised.cells])
    found, predicted = (
        _summed(limbs, raised.owner[some], raised.classes[some], len(row))
        for some in (hit, slice(None))
    )
    grows = np.flatnonzero(predicted.any(axis=0))
    row, score = row[grows], scores.values[raised.entries[grows]]
    ends = _ends_of_ties(row, score)
    start = offsets(np.bincount(row, minlength=hi - lo))[row[ends]]
    sums = []
    for table in (found, predicted):
        running = np.zeros((len(limbs), len(grows) + 1), dtype=np.int64)
        np.cumsum(table[:, grows], axis=1, out=running[:, 1:])
        sums.append(Sums(lowest, running[:, ends + 1] - running[:, start]).floats())
    return row[ends] + lo, score[ends], sums[0], sums[1]


def _ends_of_ties(*columns: Array) -> Ints:
    """Return the places of the last of equal entries."""
    last = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(np.append(last, True)[: len(columns[0])])
