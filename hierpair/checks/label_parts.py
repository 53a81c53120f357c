"""Faults and doubts in the labels of a data set, read part by part in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from hierpair.checks.findings import FileReport
from hierpair.checks.label_checks import LabelFindings, LabelSizes
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.io.datasets import DataSet, ids_of, joined, open_dataset, repeated_ids, sets_of
from hierpair.io.datasets.cells import label_rows
from hierpair.io.datasets.paths import is_dataset, is_large
from hierpair.labels import Columns
from hierpair.labels.columns import ID_NAMES

__all__ = ["are_parts", "compare_parts", "lint_parts"]


def are_parts(paths: Iterable[str | Path]) -> bool:
    """Whether labels are read part by part: some are folders, or all columns of one large file."""
    known = {str(path) for path in paths}
    return any(map(is_dataset, known)) or (len(known) == 1 and any(map(is_large, known)))


def compare_parts(truth: DataSet, system: DataSet, name: str, about: FileReport) -> None:
    """Add the first instance that only one of two data sets has."""
    try:
        with joined(truth, {name: system}) as both:
            for note in both.notes:
                about.add("warning", "ids", note)
    except BadInput as error:
        about.add("error", "instances", str(error))


def lint_parts(
    path: str | Path,
    hierarchy: Hierarchy,
    about: FileReport,
    *,
    fmt: str = "auto",
    columns: Columns | None = None,
    column_names: str | None = None,
) -> tuple[DataSet, LabelSizes] | None:
    """Add what is wrong with one column of labels; return the data set and how many there are.

    Parameters
    ----------
    path
        The data set.
    hierarchy, about
        The classes, and where findings go.
    fmt, columns, column_names
        As for :func:`hierpair.io.parse_labels`.
    """
    columns = columns or Columns()
    found = LabelFindings(hierarchy)
    try:
        if column_names is not None:
            raise BadInput("names of columns are for matrices (npz), which are read whole")
        data = open_dataset(path, fmt, columns=columns)
        with ExitStack() as stack:
            rows_of, meaning = data, replace(data.columns, where=())
            if meaning.long:
                together = stack.enter_context(joined(data, {}))
                rows_of, meaning = together.data, together.truth
            twice = set(() if meaning.long else repeated_ids(rows_of))
            found.suspects = lambda ids: [i for i, name in enumerate(ids) if name in twice]
            for rows in rows_of.rows():
                ids = ids_of(rows)
                try:
                    sets = sets_of(rows, hierarchy, meaning, ids)
                    clean = None if sets.as_written is not None else sets
                except BadInput:
                    clean = None
                if clean is None:
                    named = None if ids is None else ids.to_pylist()
                    found.look_through(replace(label_rows(rows, meaning, ids), ids=named))
                    continue
                found.count(None if ids is None else ids.to_pylist(), clean, rows.place)
    except BadInput as error:
        about.add("error", "format", str(error))
        return None
    if data.columns.ids is None:
        about.add("warning", "ids", (
            f"{path}: no column {' or '.join(ID_NAMES)}; instances are taken by position"
        ))  # fmt: skip
    found.tell(about)
    return data, found.sizes
