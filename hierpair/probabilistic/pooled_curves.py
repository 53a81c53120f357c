"""One precision-recall curve of a whole data set, and the best F on it (Fmax)."""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted
from hierpair.hierarchy.arrays import Floats, Ints, row_numbers
from hierpair.probabilistic.curves import precision_recall_curves
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.node_scores import Closing, NodeScores
from hierpair.tables.markup import html_table

__all__ = ["PooledCurve", "pooled_curve"]

Pooling = Literal["samples", "micro"]
POOLINGS: tuple[Pooling, ...] = ("samples", "micro")


@dataclass(frozen=True, eq=False)
class PooledCurve:
    """Precision and recall of a data set at every threshold.

    Attributes
    ----------
    threshold
        Falling; the classes with at least this score are predicted. Shape ``(n_points,)``.
    precision, recall
        At every threshold. Precision is NaN where no instance has a prediction.
    n_predicted
        Instances with a prediction, at every threshold.
    n_instances
        Instances that count: those with true classes.
    average
        How instances were pooled.
    """

    threshold: Floats
    precision: Floats
    recall: Floats
    n_predicted: Ints
    n_instances: int
    average: Pooling = "samples"

    def __len__(self) -> int:
        return len(self.threshold)

    def __repr__(self) -> str:
        best = f", Fmax {self.fmax():.4f}" if len(self) else ""
        return f"<PooledCurve: {counted(len(self), 'threshold')}, {self.average}{best}>"

    def _repr_html_(self) -> str:
        if not len(self):
            return html_table(["threshold"], [])
        k = self.best()
        columns = [self.threshold, self.precision, self.recall, self.coverage]
        cells = [f"{column[k]:.4f}" for column in columns]
        header = ["Fmax", "threshold", "precision", "recall", "coverage", "area"]
        row = [f"{self.fmax():.4f}", *cells, f"{self.area():.4f}"]
        return html_table(header, [row], align="r" * 6, title=repr(self))

    @property
    def coverage(self) -> Floats:
        """Share of the instances that have a prediction, at every threshold."""
        share: Floats = self.n_predicted / max(1, self.n_instances)
        return share

    def f(self, beta: float = 1) -> Floats:
        """Return F-beta of precision and recall at every threshold; 0 without any prediction."""
        p, r = np.nan_to_num(self.precision), self.recall
        square = float(beta) ** 2
        below = square * p + r
        return np.divide((1 + square) * p * r, below, out=np.zeros(len(p)), where=below > 0)

    def best(self, beta: float = 1) -> int:
        """Return the number of the point with the largest F; of equal ones the lowest threshold.

        Raises
        ------
        BadInput
            If there is no point.
        """
        if not len(self):
            raise BadInput("no instance with true classes has a score, so there is no curve")
        values = self.f(beta)
        return int(np.flatnonzero(values == values.max())[-1])

    def fmax(self, beta: float = 1) -> float:
        """Return the largest F-beta of all thresholds."""
        return float(self.f(beta)[self.best(beta)])

    def area(self) -> float:
        """Return the area by steps (average precision): each gain of recall at its precision."""
        gained = np.diff(self.recall, prepend=0.0)
        return math.fsum((gained * np.nan_to_num(self.precision)).tolist())


def pooled_curve(
    y_true: Any,
    scores: NodeScores | LabelDistribution,
    *,
    thresholds: Any = None,
    average: Pooling = "samples",
    closure: Closing = "max",
    root: Any = "exclude",
    missing: Literal["error", "empty"] = "error",
    sample_weight: Any = None,
) -> PooledCurve:
    """Return precision and recall of all instances together, at every threshold.

    With ``average="samples"`` (*protein-centric* in function prediction: Radivojac et al. 2013)
    precision is the mean over the instances that have a prediction at the threshold, recall the
    mean over all; with ``"micro"`` classes are counted over all instances first. Their best F
    is Fmax (:meth:`PooledCurve.fmax`). Instances without true classes are left out.

    Parameters
    ----------
    y_true
        True labels, as :func:`hierpair.score` takes them.
    scores
        Scores of the classes, or a distribution, whose marginals are used.
    thresholds
        By default every score above 0 that occurs; or the numbers to look at.
    average
        ``"samples"`` or ``"micro"``.
    closure
        ``"max"`` predicts the ancestors of what is predicted, too; see
        :func:`precision_recall_curves`.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    missing
        Instances without scores: ``"error"``, or ``"empty"``, all their scores are 0, so that
        they count for recall alone.
    sample_weight
        One weight ≥ 0 per instance.

    Returns
    -------
    PooledCurve
        Points by falling threshold.

    Raises
    ------
    BadInput
        For labels, weights or thresholds that do not fit.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    >>> scores = NodeScores.from_array([[0.9, 0.2, 0.6], [0.3, 0.1, 0.0]], tree, classes="abc")
    >>> curve = pooled_curve([["c"], ["b"]], scores)
    >>> curve.threshold.tolist(), curve.recall.tolist()
    ([0.9, 0.6, 0.3, 0.2, 0.1], [0.25, 0.5, 0.5, 0.5, 1.0])
    >>> curve.precision.round(3).tolist(), curve.n_predicted.tolist()
    ([1.0, 1.0, 0.5, 0.333, 0.583], [1, 1, 2, 2, 2])
    >>> round(curve.fmax(), 4), float(curve.threshold[curve.best()])
    (0.7368, 0.1)
    """
    if average not in POOLINGS:
        raise BadInput(f"average must be 'samples' or 'micro', got {average!r}")
    curves = precision_recall_curves(y_true, scores, closure=closure, root=root, missing=missing)
    weight = _weights(sample_weight, len(curves))
    has_truth = curves.n_true > 0
    owner = row_numbers(curves.indptr)
    first = np.zeros(len(owner), dtype=bool)
    first[curves.indptr[:-1]] = True  # nothing predicted: where every instance starts
    kept = np.flatnonzero(~first & (curves.threshold > 0) & has_truth[owner])
    row = owner[kept]
    of = weight[row]
    starts = first[kept - 1]
    if average == "samples":
        before = np.where(starts, 0.0, curves.precision[kept - 1])
        gain = of * (curves.precision[kept] - before)
        below = of * starts
        recalled = of * (curves.n_hit[kept] - curves.n_hit[kept - 1]) / curves.n_true[row]
        every = math.fsum(weight[has_truth].tolist())
    else:
        gain = recalled = of * (curves.n_hit[kept] - curves.n_hit[kept - 1])
        below = of * (curves.n_pred[kept] - curves.n_pred[kept - 1])
        every = math.fsum((weight * curves.n_true).tolist())
    order = np.argsort(-curves.threshold[kept], kind="stable")
    at = curves.threshold[kept][order]
    steps = np.flatnonzero(np.append(at[1:] != at[:-1], True)[: len(at)])
    sums = [np.cumsum(part[order])[steps] for part in (gain, below, recalled, starts)]
    falling = at[steps]
    if thresholds is not None:
        falling, sums = _looked_up(_checked(thresholds), falling, sums)
    gained, shared, recalled_sum, n = sums
    precision = np.divide(gained, shared, out=np.full(len(falling), np.nan), where=shared > 0)
    recall = recalled_sum / every if every > 0 else np.full(len(falling), np.nan)
    shares = np.clip(precision, 0, 1), np.clip(recall, 0, 1)
    return PooledCurve(falling, *shares, n.astype(np.int64), int(has_truth.sum()), average)


def _weights(sample_weight: Any, n: int) -> Floats:
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
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


def _looked_up(
    wanted: Floats, falling: Floats, sums: list[NDArray[Any]]
) -> tuple[Floats, list[NDArray[Any]]]:
    """Return the sums of the lowest score that is at least the threshold."""
    place = np.searchsorted(-falling, -wanted, side="right")
    return wanted, [np.append(0.0, part)[place] for part in sums]
