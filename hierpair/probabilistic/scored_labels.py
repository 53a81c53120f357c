"""Predicted labels that carry scores, as scores of classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from hierpair.errors import BadInput, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.labels import LabelRows, LabelSets, Unknown
from hierpair.labels.long import score_of
from hierpair.probabilistic.node_scores import NodeScores

__all__ = ["has_scores", "scores_of_labels", "scores_of_rows"]


def has_scores(labels: Any) -> bool:
    """Whether predictions are scores of classes, or ``{id: {label: score}}``."""
    if isinstance(labels, NodeScores):
        return True
    return isinstance(labels, Mapping) and any(isinstance(of, Mapping) for of in labels.values())


def scores_of_labels(
    labels: Any, hierarchy: Hierarchy, *, unknown: Unknown = "error", source: str = "y_pred"
) -> NodeScores:
    """Return :class:`NodeScores` as they are, or made from ``{id: {label: score}}``.

    Nothing is propagated, and a root without a score has none.

    Raises
    ------
    BadInput
        For an instance without scores among others that have some, an unknown label, or a score
        outside [0, 1].

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> scores_of_labels({"x": {"a": 0.7}, "y": {}}, tree).dense().tolist()
    [[0.0, 0.7, 0.0], [0.0, 0.0, 0.0]]
    """
    if isinstance(labels, NodeScores):
        if labels.hierarchy.fingerprint != hierarchy.fingerprint:
            raise BadInput(f"{source}: these scores belong to another hierarchy")
        return labels
    for name, of in labels.items():
        if not isinstance(of, Mapping) and (isinstance(of, str) or not hasattr(of, "__len__")
                                            or len(of)):  # fmt: skip
            raise BadInput(
                f"{source}: instance {name!r} has labels without scores, and others have scores; "
                "write {label: score} for all"
            )
    ids = list(labels)
    rows = [list(of) for of in labels.values()]
    place = [f"{source}: instance {name!r}" for name in ids]
    values = [
        [score_of(s, place[i]) for s in of.values()] if isinstance(of, Mapping) else []
        for i, of in enumerate(labels.values())
    ]
    given = LabelRows(rows, lambda i, k: place[i], ids, scores=values)
    return scores_of_rows(given, hierarchy, unknown=unknown, from_file=False)


def scores_of_rows(
    given: LabelRows,
    hierarchy: Hierarchy,
    *,
    unknown: Unknown = "error",
    from_file: bool = True,
    on_note: Callable[[str], None] | None = None,
) -> NodeScores:
    """Return the scores of labels as they were written; of two for a class the higher one counts.

    ``on_note`` is told how many labels were no class and were left out or replaced.

    Raises
    ------
    BadInput
        As for :meth:`LabelSets.from_labels`, and for a score outside [0, 1].
    """
    assert given.scores is not None  # the caller asks first
    places = [(i, k) for i, row in enumerate(given.rows) for k in range(len(row))]
    # every label as an instance of its own, so that labels left out take their scores along
    alone = LabelRows(
        [[label] for label in chain.from_iterable(given.rows)],
        lambda j, _: _place(given, *places[j], from_file=from_file), None, given.levels, given.hint,
    )  # fmt: skip
    if from_file:
        single = LabelSets.from_rows(alone, hierarchy, unknown=unknown)
    else:
        flat = [row[0] for row in alone.rows]
        single = LabelSets.from_labels(
            flat, hierarchy, unknown=unknown, where=lambda j: alone.where(j, 0)
        )
    if on_note is not None and single.n_unknown:
        lost = counted(single.n_unknown, "label")
        on_note(f"{lost} outside the hierarchy, dropped or replaced on request")
    kept = row_numbers(single.indptr)
    owner = np.array([i for i, _ in places], dtype=np.int64)[kept]
    value = np.array(list(chain.from_iterable(given.scores)), dtype=np.float64)[kept]
    odd = np.flatnonzero(~((value >= 0) & (value <= 1)))
    if len(odd):
        raise BadInput(
            f"{alone.where(int(kept[odd[0]]), 0)}: a score must be in [0, 1], got {value[odd[0]]:g}"
        )
    n = len(hierarchy)
    keys = owner * n + single.indices
    order = np.lexsort((value, keys))
    last = np.append(keys[order][1:] != keys[order][:-1], True)[: len(order)]
    row, column = np.divmod(keys[order][last], n)
    shape = (len(given.rows), n)
    matrix = sp.csr_array((value[order][last], (row, column)), shape=shape)
    return NodeScores.from_array(matrix, hierarchy, ids=given.ids, with_root=False)


def _place(given: LabelRows, i: int, k: int, *, from_file: bool) -> str:
    """Return where label ``k`` of instance ``i`` stands, with the instance if there are ids."""
    where = given.where(i, k)
    return f"{where}, instance {given.ids[i]!r}" if from_file and given.ids else where
