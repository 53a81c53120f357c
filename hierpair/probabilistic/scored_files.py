"""Predictions with scores, from the same files as label sets and from files of probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.io.hierarchies.edge_list import stop
from hierpair.io.hierarchies.json_hierarchies import parse_json, text_name
from hierpair.io.labels.indicator_files import matrix_file
from hierpair.io.labels.label_reading import (
    LABEL_FORMATS,
    check_label_format,
    detect_labels,
    format_of_ending,
    rows_of_text,
)
from hierpair.io.text import collector_paused, read_text, split_lines
from hierpair.labels import Columns, LabelRows, Unknown
from hierpair.labels.long import score_of
from hierpair.probabilistic.node_scores import NodeScores
from hierpair.probabilistic.scored_labels import scores_of_rows

__all__ = ["read_scored_labels"]


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
    """Read predicted labels with their scores.

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
    """
    rows = _rows(path, fmt, replace(columns or Columns(), highest=True), column_names)
    if not rows.rows:
        raise BadInput(f"{path}: the file has no instances")
    for note in rows.notes if on_note is not None else ():
        on_note(note)  # type: ignore[misc]
    if rows.scores is None:
        raise BadInput(
            f"{path}: the labels have no scores, and a threshold is chosen by them: write one "
            "label a line, id TAB label TAB score, or name the column of scores (--score-column)"
        )

    def told(text: str) -> None:
        if on_note is not None:
            on_note(f"{path}: {text}")

    return scores_of_rows(rows, hierarchy, unknown=unknown, on_note=told)


def _rows(
    path: str | Path, fmt: str, columns: Columns, column_names: str | Path | None
) -> LabelRows:
    check_label_format(fmt)
    known = format_of_ending(path) if fmt == "auto" else fmt
    if known == "npz":
        rows = _matrix_rows(path, column_names, columns.min_score)
        return rows if columns.paths is None else rows.as_paths(columns.paths)
    if known in LABEL_FORMATS and LABEL_FORMATS[known].binary:
        rows = LABEL_FORMATS[known].read(path, replace(columns, long=True), column_names)
        return rows if columns.paths is None else rows.as_paths(columns.paths)
    text = read_text(path)
    if known == "auto":
        known = detect_labels(path, text, columns)
    if known == "jsonl" and columns.score is None and '"scores"' in text.split("\n", 1)[0]:
        rows = _json_rows(path, split_lines(path, text), columns.min_score)
        return rows if columns.paths is None else rows.as_paths(columns.paths)
    table = LABEL_FORMATS[known].columns
    return rows_of_text(path, text, known, replace(columns, long=True) if table else columns, stop)


def _matrix_rows(
    path: str | Path, column_names: str | Path | None, least: float | None
) -> LabelRows:
    matrix, classes, ids = matrix_file(path, column_names)
    try:
        dense = matrix if hasattr(matrix, "tocsr") else np.asarray(matrix, dtype=np.float64)
        table = sp.csr_array(dense).astype(np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{path}: the matrix must hold numbers, got {matrix.dtype}") from None
    if table.shape[1] != len(classes):
        raise BadInput(f"{path}: {table.shape[1]} columns, and {len(classes)} names of classes")
    table.sum_duplicates()
    kept = table.data != 0 if least is None else (table.data >= least) & (table.data != 0)
    value = np.where(kept, table.data, 0.0).tolist()
    number, ends = table.indices.tolist(), table.indptr.tolist()
    spans = list(pairwise(ends))
    at = [[k for k in range(a, b) if kept[k]] for a, b in spans]
    return LabelRows(
        [[classes[number[k]] for k in row] for row in at],
        lambda i, k: f"{path}: row {i + 1}", list(ids) if ids else None,
        scores=[[value[k] for k in row] for row in at],
    )  # fmt: skip


def _json_rows(path: str | Path, lines: list[str], least: float | None) -> LabelRows:
    rows: list[list[str]] = []
    scores: list[list[float]] = []
    names: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        record = parse_json(place, line)
        if not isinstance(record, dict):
            raise BadInput(f"{place}: expected a JSON object, got {shown(record, 40)}")
        name = text_name(record.get("id", len(names)))
        if name is None:
            raise BadInput(f"{place}: id must be a text or a whole number")
        names.append(name)
        numbers.append(number)
        of = record.get("scores")
        if not isinstance(of, dict):
            raise BadInput(f"{place}: no 'scores' (an object, such as {{\"a\": 0.9}})")
        kept = {c: score_of(s, place) for c, s in of.items()}
        kept = {c: s for c, s in kept.items() if least is None or s >= least}
        rows.append(list(kept))
        scores.append(list(kept.values()))
    return LabelRows(rows, lambda i, k: f"{path}:{numbers[i]}", list(names), scores=scores)
