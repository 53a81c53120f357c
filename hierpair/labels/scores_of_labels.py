"""Labels that carry scores, as scores of classes, in the order of the truth."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import row_numbers
from hierpair.labels.coded import array_of
from hierpair.labels.containers import (
    check_levels,
    depth_of,
    is_frame,
    leaves_of,
    level_rows,
    matrix_cells,
    matrix_of,
)
from hierpair.labels.naming import PathNames
from hierpair.labels.node_scores import NodeScores
from hierpair.labels.resolve import Unknown
from hierpair.labels.rows import LabelRows
from hierpair.labels.set_operations import match_instances
from hierpair.labels.sets import LabelSets
from hierpair.labels.tables import score_of

__all__ = [
    "has_scores",
    "match_scores",
    "scores_of_labels",
    "scores_of_rankings",
    "scores_of_sets",
    "unmatched",
]

SUMS_TO_ONE = 1e-3
"""Scores of leaves that add up to 1, but for so much, are those of a distribution."""


def has_scores(labels: Any) -> bool:
    """Whether predictions are scores of classes: a matrix, one per level, ``{id: {label: score}}``.

    >>> has_scores(np.array([[0.75, 0.25]])), has_scores([["a"]]), has_scores({"x": {"a": 0.5}})
    (True, False, True)
    """
    if isinstance(labels, Mapping):
        return any(isinstance(of, Mapping) for of in labels.values())
    ready = isinstance(labels, NodeScores) or hasattr(labels, "marginals")
    return ready or _is_by_level(labels) or _matrix(labels) is not None


def scores_of_labels(
    labels: Any,
    hierarchy: Hierarchy,
    *,
    unknown: Unknown = "error",
    source: str = "y_pred",
    ids: Sequence[Hashable] | None = None,
) -> NodeScores:
    """Return scores of classes, in whatever form they come, as :class:`NodeScores`.

    Parameters
    ----------
    labels
        :class:`NodeScores` as they are; a distribution, whose marginals are taken; ``{id: {label:
        score}}``, of which nothing is propagated, and a root without a score has none; a matrix,
        dense or sparse or a tensor, with a column for every class or every leaf in the order of
        ``hierarchy.names``; the pair ``(matrix, classes)``; a data frame with classes as columns;
        or a list with a matrix per level (:meth:`NodeScores.from_levels`). Of leaves whose scores
        add up to 1 every inner class has the sum of those below it.
    hierarchy, unknown
        As for :meth:`LabelSets.from_labels`.
    source
        What the scores are called in errors.
    ids
        The instances of the rows of matrices.

    Raises
    ------
    BadInput
        For an instance without scores among others that have some, an unknown label, or a score
        outside [0, 1].

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> scores_of_labels({"x": {"a": 0.7}, "y": {}}, tree).dense().tolist()
    [[0.0, 0.7, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
    >>> scores_of_labels(np.array([[0.5, 0.25, 0.25]]), tree).dense().tolist()  # b, c, d
    [[1.0, 0.5, 0.5, 0.25, 0.25]]
    """
    hierarchy = Hierarchy.of(hierarchy)
    if hasattr(labels, "marginals"):  # a distribution, which a higher room knows
        labels = labels.marginals()
    if isinstance(labels, NodeScores):
        own = labels.hierarchy
        same = own.fingerprint == hierarchy.fingerprint and own.numbering == hierarchy.numbering
        if own is hierarchy or same:
            return labels
        raise BadInput(
            f"{source}: these scores belong to another hierarchy, or to one with another order of "
            "its classes; make them with this one"
        )
    if isinstance(labels, Mapping):
        return _of_dicts(labels, hierarchy, unknown, source)
    try:
        if _is_by_level(labels):
            return NodeScores.from_levels(labels, hierarchy, ids=_for(ids, labels[0]))
        matrix, classes = _matrix(labels) or (labels, None)
        how: dict[str, Any] = {"classes": classes, "ids": _for(ids, matrix), "with_root": False}
        return _summed(NodeScores.from_array(matrix, hierarchy, **how), np.shape(matrix)[1])
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from None


def _of_dicts(
    labels: Mapping[Hashable, Any], hierarchy: Hierarchy, unknown: Unknown, source: str
) -> NodeScores:
    """Return the scores of ``{id: {label: score}}``."""
    places = [f"{source}: instance {name!r}" for name in labels]
    values = []
    for place, of in zip(places, labels.values(), strict=True):
        if not isinstance(of, Mapping) and of not in ([], ()):
            raise BadInput(
                f"{place} has labels without scores, and others have scores; "
                "write {label: score} for all"
            )
        values += [score_of(of[label], place, label) for label in of]
    given, scores = list(map(list, labels.values())), np.array(values, dtype=np.float64)
    rows = LabelRows(given, lambda i, k: places[i], scores=scores)
    return replace(NodeScores.from_rows(rows, hierarchy, unknown=unknown), ids=tuple(labels))


def _is_by_level(labels: Any) -> bool:
    """Whether there is a list with a matrix of numbers per level."""
    kinds = (int, float, np.number)
    return isinstance(labels, (list, tuple)) and bool(labels) and all(
        depth_of(x) == 2 and not is_frame(x) and len(x) and isinstance(x[0][0], kinds)
        for x in labels
    )  # fmt: skip


def _matrix(labels: Any) -> tuple[Any, Sequence[Hashable] | None] | None:
    """Return a matrix of numbers between whole ones, and the classes of its columns if given.

    Whole numbers alone may be classes, or an indicator.
    """
    matrix, classes = matrix_of(labels)
    if isinstance(matrix, list) and depth_of(matrix) == 2 and float in map(type, matrix[0]):
        with suppress(TypeError, ValueError):
            matrix = np.array(matrix, dtype=np.float64)
    values = matrix.data if hasattr(matrix, "tocsr") else array_of(matrix)
    if values is None or len(matrix.shape) != 2 or values.dtype.kind != "f" or not values.size:
        return None
    whole = values == np.floor(values)
    inside = (values >= 0) & (values <= 1)
    scores = inside.all() or (np.isfinite(values).all() and not whole.all())
    return (matrix, classes) if scores else None


def _for(ids: Sequence[Hashable] | None, matrix: Any) -> Sequence[Hashable] | None:
    """Return the ids if there is one for each row; it is said elsewhere if there is not."""
    return ids if ids is not None and len(ids) == np.shape(matrix)[0] else None


def _summed(scores: NodeScores, n_columns: int) -> NodeScores:
    """Return the scores of a matrix; what leaves sum up to 1 is summed for inner classes."""
    hierarchy, row = scores.hierarchy, row_numbers(scores.indptr)
    inner = np.diff(hierarchy.child_ptr)[scores.indices] > 0
    if inner.any() or n_columns != len(leaves_of(hierarchy)):
        return scores.rooted()
    total = np.bincount(row, scores.values, len(scores))
    if (np.abs(total - 1) > SUMS_TO_ONE).any():
        return replace(scores, holds="leaves")
    owner, above = ancestor_closure(hierarchy, scores.indices).expanded(scores.indices)
    shape = len(scores), len(hierarchy)
    summed = scipy.sparse.coo_array((scores.values[owner], (row[owner], above)), shape=shape)
    _, row, node, value = matrix_cells(summed)
    return scores.of_cells(hierarchy, len(scores), row, node, np.minimum(value, 1.0), scores.ids)


def scores_of_rankings(rankings: Any, hierarchy: Hierarchy) -> NodeScores | None:
    """Return a matrix of leaves, best first, as scores that fall; None for anything else.

    Rows that are paths from the top are labels, level by level.
    """
    array = array_of(rankings)
    if array is None or array.ndim != 2 or array.dtype.kind not in "iuUO" or not array.shape[1]:
        return None
    check_levels(array, hierarchy)
    resolve = PathNames(hierarchy)
    if all(resolve(path) is not None for path in level_rows(array).values):
        return None
    numbers = hierarchy.index(array.ravel().tolist())
    if (np.diff(hierarchy.child_ptr)[numbers] > 0).any():  # a path with a fault in it
        return None
    n, k = array.shape
    row, values = np.repeat(np.arange(n), k), np.tile(np.arange(k, 0, -1) / k, n)
    if len(np.unique(row * len(hierarchy) + numbers)) < n * k:
        raise BadInput("a row of classes, best first, names a class twice")
    ranked = NodeScores.of_cells(hierarchy, n, row, numbers, values)
    return replace(ranked, holds="ranks")


def match_scores(
    truth: LabelSets,
    scores: NodeScores,
    *,
    missing: Literal["error", "empty"] = "error",
    surplus: Literal["error", "drop"] = "error",
    system: str = "scores",
) -> NodeScores:
    """Return the scores in the order of the truth; see :func:`match_instances`.

    With ``missing="empty"`` all scores of an instance that has none are 0; with
    ``surplus="drop"`` those of instances without a truth are left out.
    """
    return match_instances(truth, scores, missing=missing, surplus=surplus, system=system)


def unmatched(truth: LabelSets, scores: NodeScores) -> tuple[int, int]:
    """Return how many instances of a truth have no scores, and how many with scores no truth.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> truth = LabelSets.from_labels({"x": "a", "y": "b", "z": "b"}, tree)
    >>> unmatched(truth, scores_of_labels({"x": {"a": 1}, "w": {"a": 0.5}}, tree))
    (2, 1)
    """
    if truth.ids is None or scores.ids is None:
        return 0, 0
    true, said = set(truth.ids), set(scores.ids)
    return len(true - said), len(said - true)


def scores_of_sets(sets: LabelSets, hierarchy: Hierarchy) -> NodeScores:
    """Return label sets as scores: 1 for every label, 0 for all other classes.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> scores_of_sets(LabelSets.from_labels([["a"], []], tree), tree).dense().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return NodeScores(hierarchy, sets.indptr, sets.indices, np.ones(len(sets.indices)), sets.ids)
