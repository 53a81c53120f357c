"""Predicted labels that carry scores, from files or from dicts, as scores of classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from hierpair.errors import BadInput, counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.io import parse_labels
from hierpair.io.text import collector_paused
from hierpair.labels import Columns, LabelRows, LabelSets, Unknown
from hierpair.labels.tables import score_of
from hierpair.probabilistic.node_scores import NodeScores

__all__ = ["has_scores", "read_scored_labels", "scores_of_labels", "scores_of_rows"]


@collector_paused()
def read_scored_labels(
    path: str | Path,
    hierarchy: Hierarchy,
    *,
    fmt: str = "auto",
    unknown: Unknown = "error",
    columns: Columns | None = None,
    column_names: str | Path | None = None,
    on_note: Callable[[str], None] | None = None,
) -> NodeScores:
    r"""Read predicted labels with their scores.

    Parameters
    ----------
    path, hierarchy, fmt, unknown, columns, column_names, on_note
        As for :func:`read_labels`. One label a line with its score (``long``, and tables with a
        column of scores), JSON lines ``{"id": …, "scores": {label: score}}``, or a matrix of
        scores (``npz``). A label without a row has no score, of several scores the highest
        counts; a root is a class as any other.

    Raises
    ------
    BadInput
        For a file without scores, and as :func:`read_labels`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "run.tsv")
    ...     _ = file.write_text("x\ta\t0.75\nx\tb\t0.5\n")
    ...     read_scored_labels(file, tree).dense().tolist()
    [[0.0, 0.75, 0.5]]
    """
    rows = parse_labels(path, fmt=fmt, columns=columns, column_names=column_names, scored=True)
    if not rows.rows:
        raise BadInput(f"{path}: the file has no instances")
    for note in rows.notes if on_note is not None else ():
        on_note(note)  # type: ignore[misc]
    if rows.scores is None:
        raise BadInput(
            f"{path}: the labels have no scores, and a threshold is chosen by them: write one "
            "label a line, id TAB label TAB score, or name the column of scores (--score-column)"
        )

    on_path = None if on_note is None else lambda text: on_note(f"{path}: {text}")
    return scores_of_rows(rows, hierarchy, unknown=unknown, on_note=on_path)


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
        is_filled = isinstance(of, str) or not hasattr(of, "__len__") or len(of)
        if not isinstance(of, Mapping) and is_filled:
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
    as_written = LabelRows(rows, lambda i, k: place[i], ids, scores=values)
    return scores_of_rows(as_written, hierarchy, unknown=unknown, from_file=False)


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
    places = [(i, k) for i, row in enumerate(as_written.rows) for k in range(len(row))]
    # every label as an instance of its own, so that labels left out take their scores along
    alone = LabelRows(
        [[label] for label in chain.from_iterable(as_written.rows)],
        lambda j, _: _place(as_written, *places[j], from_file=from_file),
        None,
        as_written.levels,
        as_written.hint,
    )
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
    value = np.array(list(chain.from_iterable(as_written.scores)), dtype=np.float64)[kept]
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
    shape = (len(as_written.rows), n)
    matrix = sp.csr_array((value[order][last], (row, column)), shape=shape)
    return NodeScores.from_array(matrix, hierarchy, ids=as_written.ids, with_root=False)


def _place(as_written: LabelRows, i: int, k: int, *, from_file: bool) -> str:
    """Return where label ``k`` of instance ``i`` stands, with the instance if there are ids."""
    where = as_written.where(i, k)
    return f"{where}, instance {as_written.ids[i]!r}" if from_file and as_written.ids else where
