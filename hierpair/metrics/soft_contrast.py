"""ICM-Soft as PyEvALL computes it: weights of labels on both sides, information by a normal law."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.labels.node_scores import scores_of_labels

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
    given = y_pred if isinstance(y_pred, Mapping) else dict(enumerate(y_pred))
    known, strange = dict[Any, Any](), dict[Any, int]()
    for name, row in given.items():
        is_weighted = isinstance(row, Mapping)
        known[name] = {c: x for c, x in row.items() if c in hierarchy} if is_weighted else row
        strange[name] = len(row) - len(known[name]) if is_weighted else 0
    by_id = y_true if isinstance(y_true, Mapping) else dict(enumerate(y_true))
    true, pred = _rows(by_id, hierarchy, "y_true"), _rows(known, hierarchy, "y_pred")
    if not true:
        raise BadInput("y_true has no instances")
    for name in pred.keys() - true.keys():
        raise BadInput(f"y_pred: instance {shown(name)} has no truth")
    n, classes = len(true), range(len(hierarchy))
    paths = [[*hierarchy.ancestor_numbers(c).tolist(), c] for c in classes]
    dense = np.zeros((n, len(hierarchy)))
    for row, weights in zip(dense, true.values(), strict=True):
        for c, x in weights.items():
            row[paths[c]] = np.maximum(row[paths[c]], x)
    mean = dense.mean(axis=0)
    deviation = np.abs(dense - mean).mean(axis=0)

    def of_class(c: int, x: float) -> float:
        if deviation[c] == 0:
            raise BadInput(
                f"every true instance has the same weight of class {shown(hierarchy.names[c])}: "
                "ICM-Soft is not defined (PyEvALL stops, too)"
            )
        above = 1 - NormalDist(float(mean[c]), float(deviation[c])).cdf(x)
        return -math.log2(above) if above > 0 else math.log2(n)

    def of_set(weighted: Weighted) -> float:
        """IC({c, …}) = IC(c) + IC(rest) − IC(common ancestors of c with the rest)."""
        if not weighted:
            return 0.0
        (c, x), *rest = weighted.items()
        common = dict[int, float]()
        for other, y in rest:
            shared = [a for a in paths[c] if a in paths[other]]
            if shared:
                common[shared[-1]] = max(common.get(shared[-1], 0.0), min(x, y))
        return of_class(c, x) + of_set(dict(rest)) - of_set(common)

    def contrast(t: Weighted, p: Weighted) -> float:
        both = {c: max(t.get(c, 0.0), p.get(c, 0.0)) for c in sorted({*t, *p})}
        return 2 * of_set(p) + 2 * of_set(t) - 3 * of_set(both)

    best = math.fsum(contrast(t, t) for t in true.values()) / n
    costs = (strange.get(name, 0) * math.log2(n) for name in true)
    found = (contrast(t, pred.get(name, {})) - c
             for (name, t), c in zip(true.items(), costs, strict=True))  # fmt: skip
    total = math.fsum(found) / n
    norm = max(0.0, (total + best) / (2 * best)) if best else math.nan
    return SoftContrast(total, norm)


def _rows(side: Mapping[Any, Any], hierarchy: Hierarchy, source: str) -> dict[Any, Weighted]:
    """Return the weights of the classes of every instance; one of 0 says nothing."""
    scores = scores_of_labels(side, hierarchy, source=source)
    pairs = zip(scores.indices.tolist(), scores.values.tolist(), strict=True)
    lengths = np.diff(scores.indptr).tolist()
    each = ({c: x for c, x in islice(pairs, n) if x > 0} for n in lengths)
    return dict(zip(side, each, strict=True))
