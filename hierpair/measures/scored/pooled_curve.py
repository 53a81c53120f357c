"""What a data set gives at every threshold of its scores, in one pass, and the best of it.

What an instance has found changes at its own scores (its steps); the scores of all are sorted once,
and the sums of all instances change by these steps: precision, recall, misses, Fmax and Smin.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Set
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, shown
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
from hierpair.tables.forms import Tabular, html_table
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

__all__ = [
    "AREAS",
    "NORMS",
    "POOLINGS",
    "Norm",
    "PooledArea",
    "PooledCurve",
    "Pooling",
    "ZeroWeight",
    "multiples",
    "threshold_sweep",
]

Pooling = Literal["samples", "micro"]
POOLINGS: tuple[Pooling, ...] = ("samples", "micro")

Norm = Literal["cafa", "pred", "gt"]
NORMS: tuple[Norm, ...] = ("cafa", "pred", "gt")

PooledArea = Literal["step", "aps"]
AREAS: tuple[PooledArea, ...] = ("step", "aps")


@dataclass(frozen=True, eq=False, repr=False)
class PooledCurve(Tabular):
    """Precision, recall and misses of a data set at every threshold.

    With weights of classes all counts of classes are sums of their weights.

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
    found, misinformation, uncertainty
        Right classes, wrong classes, and true classes that were not predicted, of an instance
        in the mean (Clark & Radivojac 2013: mi and ru), at every threshold.
    of_truth
        True classes of an instance in the mean: the uncertainty before anything is predicted.
    norm
        By what number of instances means are taken.
    """

    threshold: Floats
    precision: Floats
    recall: Floats
    n_predicted: Ints
    n_instances: int
    average: Pooling
    found: Floats
    misinformation: Floats
    uncertainty: Floats
    of_truth: float
    norm: Norm = "cafa"

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
        if not 0 <= beta < math.inf:
            raise BadInput(f"beta must be a finite number ≥ 0, got {beta!r}")
        p, r = np.nan_to_num(self.precision), np.nan_to_num(self.recall)
        square = float(beta) ** 2
        below = square * p + r
        return np.divide((1 + square) * p * r, below, out=np.zeros(len(p)), where=below > 0)

    def s(self) -> Floats:
        """Return the semantic distance at every threshold, √(uncertainty² + misinformation²)."""
        distance: Floats = np.hypot(self.uncertainty, self.misinformation)
        return distance

    def micro(self) -> tuple[Floats, Floats]:
        """Return precision and recall of all instances' classes together, at every threshold."""
        below = self.found + self.misinformation, self.found + self.uncertainty
        return ratio(self.found, below[0]), ratio(self.found, below[1])

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
        """Return the largest F-beta of all thresholds; 0 where nothing is predicted at all.

        NaN where the true classes of all instances weigh nothing: there is no recall.
        """
        if self.n_instances and self.of_truth == 0 and np.isnan(self.recall).all():
            return math.nan
        if not len(self) and self.n_instances:
            return 0.0
        return float(self.f(beta)[self.best(beta)])

    def nearest(self) -> int | None:
        """Return the number of the point with the smallest semantic distance.

        Of equal ones it is the lowest threshold; None if predicting nothing at all is better
        than every point.
        """
        distances = self.s()
        known = np.flatnonzero(~np.isnan(distances))
        least = distances[known].min() if len(known) else math.inf
        if self.norm != "pred" and not least <= self.of_truth:
            return None
        return int(np.flatnonzero(distances == least)[-1]) if len(known) else None

    def smin(self) -> float:
        """Return the smallest semantic distance of all thresholds.

        To predict nothing is a candidate, too, except where means are over the instances with a
        prediction (``norm="pred"``): so it is at most :attr:`of_truth`.
        """
        k = self.nearest()
        return self.of_truth if k is None else float(self.s()[k])

    def area(self, how: PooledArea = "step") -> float:
        """Return the area under the curve.

        ``"step"`` gives each gain of recall the precision of the threshold that reaches it
        (average precision). ``"aps"`` is the notebook of CAFA-evaluator: precision never falls
        with rising thresholds, each gain of recall has the precision of its end of *low* recall,
        and what comes before the first point has precision 1; it is larger. Thresholds at which
        nobody has a prediction are no points; without any point the area is 0.
        """
        check_choice("the area", how, AREAS)
        some = self.n_predicted > 0
        if not some.any():
            return 0.0
        precision, recall = (np.nan_to_num(x)[some] for x in (self.precision, self.recall))
        if how == "step":
            pieces = np.diff(recall, prepend=0.0) * precision
        else:
            reached = np.maximum.accumulate(precision[::-1])[::-1]
            pieces = np.diff(recall, prepend=0.0, append=1.0) * np.append(1.0, reached)
        return math.fsum(pieces.tolist())

    def records(self, beta: float = 1) -> Records:
        """Return all points in full precision, a record each."""
        columns = {
            "threshold": self.threshold,
            "precision": self.precision,
            "recall": self.recall,
            "f": self.f(beta),
            "n_predicted": self.n_predicted,
            "coverage": self.coverage,
            "ru": self.uncertainty,
            "mi": self.misinformation,
            "s": self.s(),
            "precision_micro": self.micro()[0],
            "recall_micro": self.micro()[1],
        }
        values = (column.tolist() for column in columns.values())
        return Records(list(columns), [list(point) for point in zip(*values, strict=True)])

    def best_points(self, beta: float = 1) -> dict[str, Any]:
        """Return the best F and the smallest distance, and what stands beside them."""
        k, near = self.best(beta) if len(self) else None, self.nearest()
        nothing = {"threshold": math.inf, "precision": math.nan, "recall": 0.0, "coverage": 0.0}
        found = {n: x if k is None else float(getattr(self, n)[k]) for n, x in nothing.items()}
        return {
            "fmax": self.fmax(beta),
            **found,
            "area": self.area(),
            "smin": self.smin(),
            "smin_threshold": math.inf if near is None else float(self.threshold[near]),
            "ru": self.of_truth if near is None else float(self.uncertainty[near]),
            "mi": 0.0 if near is None else float(self.misinformation[near]),
        }

    def content(self, digits: int | None = None, *, beta: float = 1) -> Content:
        """Return what is shown: the best points as a table; every point as a record."""
        best = self.best_points(beta)
        cells = [number(cast(float, x), 4 if digits is None else digits) for x in best.values()]
        notes = [f"{counted(self.n_instances, 'instance')} with true classes"]
        page = Page([Block(list(best), [cells])], notes, [])
        points = self.records(beta)
        data = {**best, "points": points.to_dicts()}
        return Content(lambda: points, lambda form: page, lambda: data)


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
