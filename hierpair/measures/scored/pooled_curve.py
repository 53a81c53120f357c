"""What a data set gives at every threshold of its scores, and the best of it: Fmax and Smin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from hierpair.errors import BadInput, check_choice, counted
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.tables.forms import Tabular, html_table
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

__all__ = ["AREAS", "NORMS", "POOLINGS", "Norm", "PooledArea", "PooledCurve", "Pooling"]

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
