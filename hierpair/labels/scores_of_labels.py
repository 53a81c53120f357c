"""Labels that carry scores, as scores of classes, in the order of the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.labels.coded import Coded
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
    "scores_of_rows",
    "scores_of_sets",
    "unmatched",
]


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
        own = labels.hierarchy
        if own is not hierarchy and own.fingerprint != hierarchy.fingerprint:
            raise BadInput(f"{source}: these scores belong to another hierarchy")
        if own is not hierarchy and own.numbering != hierarchy.numbering:
            raise BadInput(
                f"{source}: these scores belong to a hierarchy with another order of its classes; "
                "make them with this one"
            )
        return labels
    for name, of in labels.items():
        is_filled = isinstance(of, str) or not hasattr(of, "__len__") or len(of)
        if not isinstance(of, Mapping) and is_filled:
            raise BadInput(
                f"{source}: instance {name!r} has labels without scores, and others have scores; "
                "write {label: score} for all"
            )
    ids = list(labels)
    place = [f"{source}: instance {name!r}" for name in ids]
    given = [of if isinstance(of, Mapping) else {} for of in labels.values()]
    values = [
        score_of(score, place[i], label)
        for i, of in enumerate(given)
        for label, score in of.items()
    ]
    rows = LabelRows(list(map(list, given)), lambda i, k: place[i], ids, scores=np.array(values))
    return scores_of_rows(rows, hierarchy, unknown=unknown, from_file=False)


def scores_of_rows(
    as_written: LabelRows,
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
    assert as_written.scores is not None  # the caller asks first
    rows = as_written.coded
    # every label as an instance of its own, so that labels left out take their scores along
    alone = replace(
        as_written,
        rows=Coded(rows.codes, rows.values).lists,
        where=lambda j, _: as_written.place(j, who=from_file),
        ids=None,
        bare=(),
    )
    single = LabelSets.from_rows(alone, hierarchy, unknown=unknown)
    if on_note is not None and single.n_unknown:
        lost = counted(single.n_unknown, "label")
        on_note(f"{lost} outside the hierarchy, dropped or replaced on request")
    kept = row_numbers(single.indptr)
    owner, value = row_numbers(rows.row_ends)[kept], as_written.scores[kept]
    odd = np.flatnonzero(~((value >= 0) & (value <= 1)))
    if len(odd):
        j = int(kept[odd[0]])
        raise BadInput(
            f"{alone.where(j, 0)}, class {shown(rows.values[rows.codes[j]])}: a score must be in "
            f"[0, 1], got {value[odd[0]]:g}"
        )
    n = len(hierarchy)
    keys = owner * n + single.indices
    order = np.lexsort((value, keys))
    last = np.append(keys[order][1:] != keys[order][:-1], True)[: len(order)]
    row, column = np.divmod(keys[order][last], n)
    matrix = scipy.sparse.csr_array((value[order][last], (row, column)), shape=(len(rows), n))
    return NodeScores.from_array(matrix, hierarchy, ids=as_written.ids, with_root=False)


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
    if surplus == "drop" and truth.ids is not None and scores.ids is not None:
        known = set(truth.ids)
        kept = [i for i, name in enumerate(scores.ids) if name in known]
        if len(kept) < len(scores):
            scores = _taken(scores, np.array(kept, dtype=np.int64))
    positions = LabelSets.from_arrays(
        np.arange(len(scores) + 1), np.arange(len(scores)), max(1, len(scores)), scores.ids
    )
    matched = match_instances(truth, positions, missing=missing, system=system)
    there = matched.lengths > 0
    if there.all() and np.array_equal(matched.indices, np.arange(len(scores))):
        return scores
    lengths = np.zeros(len(truth), dtype=np.int64)
    lengths[there] = np.diff(scores.indptr)[matched.indices]
    take = ragged_ranges(scores.indptr[matched.indices], lengths[there])
    return NodeScores(
        scores.hierarchy, offsets(lengths), scores.indices[take], scores.values[take], truth.ids
    )


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


def _taken(scores: NodeScores, rows: NDArray[np.int64]) -> NodeScores:
    """Return the scores of these instances."""
    lengths = np.diff(scores.indptr)[rows]
    take = ragged_ranges(scores.indptr[rows], lengths)
    ids = None if scores.ids is None else tuple(scores.ids[i] for i in rows)
    return NodeScores(
        scores.hierarchy, offsets(lengths), scores.indices[take], scores.values[take], ids
    )


def scores_of_sets(sets: LabelSets, hierarchy: Hierarchy) -> NodeScores:
    """Return label sets as scores: 1 for every label, 0 for all other classes.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> scores_of_sets(LabelSets.from_labels([["a"], []], tree), tree).dense().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return NodeScores(hierarchy, sets.indptr, sets.indices, np.ones(len(sets.indices)), sets.ids)
