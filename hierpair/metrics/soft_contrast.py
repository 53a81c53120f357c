"""ICM-Soft as PyEvALL computes it: weights of labels on both sides, information by a normal law."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.labels.node_scores import NodeScores, scores_of_labels

__all__ = ["SoftContrast", "pyevall_icm_soft"]

Weighted = Mapping[int, float]
"""The weights of some classes, by number."""


class SoftContrast(NamedTuple):
    """ICM-Soft and its normalised form, as PyEvALL calls them."""

    icm_soft: float
    icm_soft_norm: float


def pyevall_icm_soft(y_true: Any, y_pred: Any, hierarchy: Hierarchy) -> SoftContrast:
    """Return ICM-Soft and ICM-Soft-Norm of PyEvALL 0.2.11, on a tree or forest.

    ``2 IC(P) + 2 IC(T) − 3 IC(P ∪ T)`` of weighted labels, mean over instances: a class c with the
    weight x says ``−log₂(1 − Φ((x − μ) / σ))``, μ the mean of the weights that the truth has of c
    (of the classes below it the largest counts, too), and σ their *mean absolute* deviation, where
    the text says standard deviation. Of sets ``IC({c, …}) = IC(c) + IC(rest) − IC(common
    ancestors)``; unions take the larger weight, common ancestors the smaller one of two.

    It is offered for comparison with published numbers alone: it is neither linear nor monotone,
    and bounded by nothing.

    Parameters
    ----------
    y_true, y_pred
        A dict ``{label: weight in [0, 1]}`` for every instance, in a list or by id. A predicted
        label of no class is a root of its own, which costs log₂ n whatever its weight.
    hierarchy
        A tree or forest.

    Raises
    ------
    BadInput
        On a DAG, for weights outside [0, 1], true labels of no class, or a class that says nothing
        since all truths have the same weight of it.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> truth = [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.8}]
    >>> found = pyevall_icm_soft(truth, [{"a": 1, "b": 0}, {"a": 0, "b": 1}], tree)
    >>> round(found.icm_soft, 4), round(found.icm_soft_norm, 4)
    (1.3432, 0.7312)
    """
    if Hierarchy.of(hierarchy).shape == "DAG":
        raise BadInput("ICM-Soft needs a tree or forest: a class with two parents has no one path")
    given, n_strange = _without_strange(_by_id(y_pred), hierarchy)
    true = scores_of_labels(_by_id(y_true), hierarchy, source="y_true")
    pred = scores_of_labels(given, hierarchy, source="y_pred")
    rows = _matched(true, pred)
    model = _Model.of(hierarchy, true)
    own = [model.contrast(t, t) for t, _ in rows]
    strange = [n_strange.get(name, 0) * math.log2(len(rows)) for name in true.ids or ()]
    found = [model.contrast(t, p) for t, p in rows]
    found = [x - more for x, more in zip(found, strange or [0.0] * len(rows), strict=True)]
    best, mean = (math.fsum(values) / len(rows) for values in (own, found))
    norm = max(0.0, (mean + best) / (2 * best)) if best else math.nan
    return SoftContrast(mean, norm)


def _by_id(side: Any) -> Any:
    """Return weights of labels by id; those of a list by position."""
    return side if isinstance(side, (Mapping, NodeScores)) else dict(enumerate(side))


def _without_strange(side: Any, hierarchy: Hierarchy) -> tuple[Any, dict[Any, int]]:
    """Return predictions without labels of no class, and how many of these each has."""
    if isinstance(side, NodeScores) or not all(isinstance(row, Mapping) for row in side.values()):
        return side, {}
    known = {name: {c: x for c, x in row.items() if c in hierarchy} for name, row in side.items()}
    return known, {name: len(row) - len(known[name]) for name, row in side.items()}


def _matched(true: NodeScores, pred: NodeScores) -> list[tuple[Weighted, Weighted]]:
    """Return the weights of both sides by instance; what is not predicted has none."""
    if not len(true):
        raise BadInput("y_true has no instances")
    if true.ids is None or pred.ids is None:
        if len(true) != len(pred):
            raise BadInput(f"y_true has {len(true)} instances and y_pred has {len(pred)}")
        return [(_row(true, i), _row(pred, i)) for i in range(len(true))]
    place = {name: i for i, name in enumerate(pred.ids)}
    known = set(true.ids)
    strange = next((name for name in pred.ids if name not in known), None)
    if strange is not None:
        raise BadInput(f"y_pred: instance {shown(strange)} has no truth")
    return [
        (_row(true, i), _row(pred, place[name]) if name in place else {})
        for i, name in enumerate(true.ids)
    ]


def _row(scores: NodeScores, i: int) -> Weighted:
    some = slice(scores.indptr[i], scores.indptr[i + 1])
    pairs = zip(scores.indices[some].tolist(), scores.values[some].tolist(), strict=True)
    return {c: x for c, x in pairs if x > 0}  # a weight of 0 says nothing


@dataclass(frozen=True, eq=False)
class _Model:
    """What weights of classes say, from the weights that the truth has."""

    hierarchy: Hierarchy
    mean: list[float]
    deviation: list[float]
    n: int

    @classmethod
    def of(cls, hierarchy: Hierarchy, true: NodeScores) -> _Model:
        dense = np.zeros((len(true), len(hierarchy)))
        for i in range(len(true)):
            for c, x in _row(true, i).items():
                for a in (c, *hierarchy.ancestor_numbers(c).tolist()):
                    dense[i, a] = max(dense[i, a], x)
        mean = dense.mean(axis=0)
        return cls(hierarchy, mean.tolist(), np.abs(dense - mean).mean(axis=0).tolist(), len(true))

    def contrast(self, true: Weighted, pred: Weighted) -> float:
        both = {c: max(true.get(c, 0.0), pred.get(c, 0.0)) for c in sorted({*true, *pred})}
        return 2 * self.of_set(pred) + 2 * self.of_set(true) - 3 * self.of_set(both)

    def of_class(self, c: int, x: float) -> float:
        if self.deviation[c] == 0:
            raise BadInput(
                f"every true instance has the same weight of class {shown(self.hierarchy.names[c])}"
                ": ICM-Soft is not defined (PyEvALL stops, too)"
            )
        above = 1 - NormalDist(self.mean[c], self.deviation[c]).cdf(x)
        return -math.log2(above) if above > 0 else math.log2(self.n)

    def of_set(self, weighted: Weighted) -> float:
        """IC({c, …}) = IC(c) + IC(rest) − IC(common ancestors of c with the rest)."""
        if not weighted:
            return 0.0
        (c, x), *rest = weighted.items()
        common = dict[int, float]()
        path = [*self.hierarchy.ancestor_numbers(c).tolist(), c]
        for other, y in rest:
            theirs = {*self.hierarchy.ancestor_numbers(other).tolist(), other}
            shared = [a for a in path if a in theirs]
            if shared:
                common[shared[-1]] = max(common.get(shared[-1], 0.0), min(x, y))
        return self.of_class(c, x) + self.of_set(dict(rest)) - self.of_set(common)
