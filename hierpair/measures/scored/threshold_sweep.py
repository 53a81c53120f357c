"""Precision, recall and misses of a data set at every threshold, in one pass over its scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Set
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, check_choice, shown
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats, ratio
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import Closing, NodeScores
from hierpair.measures.limbs import running_sums
from hierpair.measures.scored.pooled_curve import NORMS, POOLINGS, Norm, PooledCurve, Pooling
from hierpair.measures.scored.sweep_steps import sweep_steps

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
    counts = _counted(hierarchy, root, classes)
    of_class = _class_weights(hierarchy, weights)
    weight = _weights(sample_weight, len(truth))
    grid = None if thresholds is None else _checked(thresholds)
    steps = sweep_steps(truth, scores, of_class, counts, closure)
    counted = steps.has_truth if zero_weight == "skip" else truth.lengths > 0
    recalled = counted & ((steps.of_truth > 0) | (zero_weight == "count"))
    kept = np.flatnonzero(counted[steps.row])
    row, found, predicted = steps.row[kept], steps.found[kept], steps.predicted[kept]
    first = np.append(True, row[1:] != row[:-1])[: len(row)]
    order = np.argsort(-steps.score[kept], kind="stable")
    at = steps.score[kept][order]
    ends = np.flatnonzero(np.append(at[1:] != at[:-1], True)[: len(at)])
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


def _counted(hierarchy: Hierarchy, root: Any, classes: Collection[Any] | None) -> Bools:
    """Return which classes count."""
    counts = np.ones(len(hierarchy), dtype=bool)
    if classes is not None:
        counts[:] = False
        counts[hierarchy.index(list(classes))] = True
    counts[excluded_classes(hierarchy, root)] = False
    if classes is not None and not counts.any():
        raise BadInput("classes: none of them counts; name some that are not the root")
    return counts


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
