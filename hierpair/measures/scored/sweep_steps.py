"""What every instance has found once its scores are taken from the highest to the lowest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Bools, Floats, Ints, row_numbers, sorted_unique
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import CLOSURES, Closing, NodeScores, Raised, raised_scores
from hierpair.measures.limbs import Sums, limbs_of

__all__ = ["Steps", "sweep_steps"]


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


def sweep_steps(
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
        true = _true_cells(hierarchy, truth.part(lo, hi), counts)
        row, node = np.divmod(true, n)
        _refuse(hierarchy, weight, node[endless[node]])
        _refuse(hierarchy, weight, raised.classes[endless[raised.classes]])
        has_truth[lo + row] = True
        of_truth[lo:hi] = Sums(lowest, _summed(limbs, row, node, hi - lo)).floats()
        parts.append(_steps(raised, scores, true, lowest, limbs))
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


def _true_cells(hierarchy: Hierarchy, truth: LabelSets, counts: Bools) -> Ints:
    """Return instance times classes plus class of all augmented true classes that count."""
    row = row_numbers(truth.indptr)
    label, node = ancestor_closure(hierarchy, truth.indices).expanded(truth.indices)
    kept = counts[node]
    return sorted_unique(row[label[kept]] * len(hierarchy) + node[kept])


def _summed(limbs: list[Floats], group: NDArray[np.integer], node: Ints, n: int) -> Ints:
    """Return the limbs of the weights of classes, added up by group; floats hold them exactly."""
    sums = [np.bincount(group, limb[node], minlength=n) for limb in limbs]
    return np.array(sums, dtype=np.float64).reshape(len(limbs), n).astype(np.int64)


def _steps(
    raised: Raised, scores: NodeScores, true: Ints, lowest: int, limbs: list[Floats]
) -> tuple[Ints, Floats, Floats, Floats]:
    """Return instance, score, and weights found and predicted, of the steps of some instances."""
    n, (lo, hi) = len(scores.hierarchy), raised.rows
    row = row_numbers(scores.indptr[lo : hi + 1])
    is_true = np.zeros((hi - lo) * n, dtype=bool)
    is_true[true] = True
    hit = np.flatnonzero(is_true[raised.cells])
    by_entry = [
        _summed(limbs, raised.owner[some], raised.classes[some], len(row))
        for some in (hit, slice(None))
    ]  # fmt: skip
    grows = np.flatnonzero(by_entry[1].any(axis=0))
    row, score = row[grows], scores.values[raised.entries[grows]]
    begins = np.append(True, row[1:] != row[:-1])[: len(row)]
    ends = np.flatnonzero(np.append(begins[1:] | (score[1:] != score[:-1]), True)[: len(row)])
    start = np.flatnonzero(begins)[np.cumsum(begins)[ends] - 1]
    sums = []
    for table in by_entry:
        running = np.cumsum(table[:, grows], axis=1)
        before = running[:, start] - table[:, grows[start]]
        sums.append(Sums(lowest, running[:, ends] - before).floats())
    return row[ends] + lo, score[ends], sums[0], sums[1]
