"""What a data set gives at every threshold of its scores, in one pass, and the best of it.

What an instance has found changes at its own scores (its steps); the scores of all are sorted once,
and the sums of all instances change by these steps: precision, recall, misses, Fmax and Smin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from hierpair.errors import BadInput, check_choice, check_several, counted, shown
from hierpair.hierarchy import Hierarchy, counted_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    ends_of_ties,
    marked,
    ratio,
    row_numbers,
    row_pointer,
    starts_of_ties,
)
from hierpair.labels import LabelSets
from hierpair.labels.node_scores import CLOSURES, Closing, NodeScores, Propagated, raised_scores
from hierpair.labels.sets import are_aside
from hierpair.measures.limbs import LimbSums, limbs_of, running_sums
from hierpair.measures.ratios import f_of
from hierpair.measures.scored.system import true_cells
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Content, Records
from hierpair.tables.result import flattened, of_points

Pooling = Literal["samples", "micro"]

Norm = Literal["cafa", "pred", "gt"]

PooledArea = Literal["step", "aps"]


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
        on average (Clark & Radivojac 2013: mi and ru), at every threshold.
    of_truth
        True classes of an instance on average: the uncertainty before anything is predicted.
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

    @property
    def coverage(self) -> Floats:
        """Share of the instances that have a prediction, at every threshold."""
        return self.n_predicted / max(1, self.n_instances)

    def f(self, beta: float = 1) -> Floats:
        """Return F-beta of precision and recall at every threshold; 0 without any prediction."""
        if not 0 <= beta < math.inf:
            raise BadInput(f"beta must be a finite number ≥ 0, got {beta!r}")
        return f_of(np.nan_to_num(self.precision), np.nan_to_num(self.recall), beta)

    def s(self) -> Floats:
        """Return the semantic distance at every threshold, √(uncertainty² + misinformation²)."""
        return np.hypot(self.uncertainty, self.misinformation)

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
        check_choice("the area", how, get_args(PooledArea))
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
        micro = self.micro()
        return flattened(
            (len(self),),
            threshold=self.threshold,
            precision=self.precision,
            recall=self.recall,
            f=self.f(beta),
            n_predicted=self.n_predicted,
            coverage=self.coverage,
            ru=self.uncertainty,
            mi=self.misinformation,
            s=self.s(),
            precision_micro=micro[0],
            recall_micro=micro[1],
        )

    def best_points(self, beta: float = 1) -> dict[str, float]:
        """Return the best F and the smallest distance, and what stands beside them."""
        best = {"threshold": math.inf, "precision": math.nan, "recall": 0.0, "coverage": 0.0}
        if len(self):
            best = {name: float(getattr(self, name)[self.best(beta)]) for name in best}
        near, low = self.nearest(), [math.inf, self.of_truth, 0.0]
        if near is not None:
            columns = self.threshold, self.uncertainty, self.misinformation
            low = [float(column[near]) for column in columns]
        smin = {"smin": self.smin(), "smin_threshold": low[0], "ru": low[1], "mi": low[2]}
        return {"fmax": self.fmax(beta), **best, "area": self.area(), **smin}

    def content(self, digits: int | None = None, *, beta: float = 1) -> Content:
        """Return what is shown: the best points as a table; every point as a record."""
        notes = [f"{counted(self.n_instances, 'instance')} with true classes"]
        return of_points([self.best_points(beta)], self.records(beta).to_dicts(), digits, notes, ())


ZeroWeight = Literal["skip", "count"]


def threshold_sweep(
    truth: LabelSets,
    scores: NodeScores,
    counts: Bools,
    *,
    weights: Floats | None = None,
    thresholds: Any = None,
    average: Pooling = "samples",
    norm: Norm = "cafa",
    closure: Closing = "max",
    zero_weight: ZeroWeight = "skip",
    sample_weight: Any = None,
) -> PooledCurve:
    """Return precision and recall of all instances together, at every threshold.

    All scores are sorted once: at each the weights of what an instance has found change, and
    the sums of all instances with them. Every sum is exact until it is rounded, so that no
    order of instances or classes changes a bit.
    """
    check_choice("average", average, get_args(Pooling))
    check_choice("norm", norm, get_args(Norm))
    check_choice("zero_weight", zero_weight, get_args(ZeroWeight))
    of_class = np.ones(len(counts)) if weights is None else weights
    weight = np.ones(len(truth)) if sample_weight is None else sample_weight
    grid = None if thresholds is None else _checked(thresholds)
    if grid is not None:  # of a score only the highest threshold that it reaches matters
        reached_at = np.searchsorted(-grid, -scores.values)
        scores = replace(scores, values=np.append(grid, 0.0)[reached_at])
    has_truth, of_truth, row, score, found, predicted = _steps(
        truth, scores, of_class, counts, closure
    )
    counted = has_truth if zero_weight == "skip" else _labelled(truth, scores.hierarchy)
    recalled = counted & ((of_truth > 0) | (zero_weight == "count"))
    kept = np.flatnonzero(counted[row])
    row = row[kept]
    score, found, predicted = (each[kept] for each in (score, found, predicted))
    first = marked(starts_of_ties(row), len(row))
    order = np.argsort(-score, kind="stable")
    at, of = score[order], weight[row]
    ends = ends_of_ties(at)
    falling = at[ends]
    if grid is not None:  # the last of the scores that are at least the threshold
        falling, ends = grid, np.searchsorted(-at, -grid, side="right") - 1
    columns = (
        of * (found / predicted),
        of * ratio(found, of_truth[row], 0.0),
        of * found,
        of * (predicted - found),
        np.ones(len(row)),
        of,
        of * recalled[row],
    )
    sums = [running_sums(column, first, order, ends) for column in columns]
    gained, reached, tp, fp, n, *with_prediction = sums
    n_predicted, n_recalled = (each.floats() for each in with_prediction)
    n_weighted = math.fsum(weight[counted].tolist())
    every = np.full(len(falling), n_weighted)
    every_recalled = np.full(len(falling), math.fsum(weight[recalled].tolist()))
    all_true = math.fsum((weight * of_truth)[counted].tolist())
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


def _labelled(truth: LabelSets, hierarchy: Hierarchy) -> Bools:
    """Return which instances have a true label, also at the root, once what is ignored is gone."""
    row, _ = true_cells(hierarchy, truth, counted_classes(hierarchy, "include"))
    return marked(row, len(truth))


def multiples(step: float) -> Floats:
    """Return the multiples of a step below 1, as they are read: 0.3, not three times 0.1.

    >>> multiples(0.25).tolist()
    [0.25, 0.5, 0.75]
    """
    count = math.ceil(round(1 / step, 9))
    return np.round(np.arange(1, count) * step, 12)


def _checked(thresholds: Any) -> Floats:
    """Return thresholds from the highest to the lowest."""
    check_several(thresholds, "thresholds must be a list of numbers")
    falling = np.unique(np.array([*thresholds], dtype=np.float64))[::-1]
    if not len(falling) or not (falling > 0).all():  # also refuses nan
        raise BadInput("thresholds must be numbers above 0: at 0 every class is predicted")
    return falling


Steps = tuple[Bools, Floats, Ints, Floats, Floats, Floats]
"""Whether each instance has a true class that counts, and the weight of all it has; then, instance
by instance and by falling score, where the weight of what is predicted grows: instance, score, and
the weight of the true classes, and of all, with at least this score."""


def _steps(
    truth: LabelSets, scores: NodeScores, weight: Floats, counts: Bools, closure: Closing
) -> Steps:
    """Return the steps of all instances; scores are in the order of the truth.

    Sums of weights are exact until each is rounded, once. What is held beside the scores is
    bounded: classes that scores are handed to are only held for some instances at a time.
    """
    if closure == "min" or closure not in CLOSURES:
        scores, closure = scores.closed(closure), None
    h, endless = scores.hierarchy, counts & ~np.isfinite(weight)
    lowest, limbs = limbs_of(np.where(counts & ~endless, weight, 0.0))

    def weighed(group: Indices, node: Indices, n: int) -> Ints:
        sums = [np.bincount(group, limb[node], minlength=n) for limb in limbs]
        return np.array(sums, dtype=np.int64).reshape(len(limbs), n)

    def of_some(raised: Propagated) -> Steps:
        lo, hi = raised.rows
        some, n = truth.part(lo, hi), hi - lo
        row, node = true_cells(h, some, counts)
        for used in (node, raised.classes):
            for k in np.sort(used[endless[used]])[:1].tolist():
                raise BadInput(
                    f"class {shown(h.names[k])} is in use and has the weight {weight[k]:g}: it "
                    "was never seen in the annotations that were counted; give it a finite one "
                    "(smooth=1), or 0, so that it does not count"
                )
        there = ~are_aside(h, some, raised.cells // len(h), raised.classes)
        hit = marked(row * len(h) + node, n * len(h))[raised.cells]
        each = [  # what every score adds: true classes, and all
            weighed(raised.owner[at], raised.classes[at], len(raised.entries))
            for at in (np.flatnonzero(hit), slice(None) if there.all() else np.flatnonzero(there))
        ]
        grows = np.flatnonzero(each[1].any(axis=0))
        at = row_numbers(scores.indptr[lo : hi + 1])[grows]
        score = scores.values[raised.entries[grows]]
        ends = ends_of_ties(at, score)
        start = row_pointer(at, n)[at[ends]]
        running = (np.pad(np.cumsum(x[:, grows], axis=1), ((0, 0), (1, 0))) for x in each)
        sums = [LimbSums(lowest, x[:, ends + 1] - x[:, start]).floats() for x in running]
        of_truth = LimbSums(lowest, weighed(row, node, n)).floats()
        return marked(row, n), of_truth, at[ends] + lo, score[ends], sums[0], sums[1]

    none = np.empty(0)
    parts = [(none > 0, none, np.empty(0, dtype=np.int64), none, none, none)]
    parts += map(of_some, raised_scores(h, scores.indptr, scores.indices, scores.values, closure))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))  # type: ignore[return-value]
