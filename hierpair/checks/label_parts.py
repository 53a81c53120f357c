"""Faults and doubts in the labels of a data set, read part by part in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import FileReport
from hierpair.checks.label_checks import looked_through, without_fault
from hierpair.checks.label_findings import Findings, FirstRows, LabelSizes
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.io.datasets import DataSet, ids_of, joined, open_dataset
from hierpair.io.datasets.batch_labels import Ids, sets_of
from hierpair.io.datasets.parts import PartRows, taken
from hierpair.io.datasets.repeated_ids import Hashes, hashes_of, rows_among
from hierpair.io.datasets.whole_files import is_dataset, is_large
from hierpair.io.datasets.zipping import OtherOrder, zipped
from hierpair.labels import Columns, LabelSets, column_rows

__all__ = ["are_parts", "compare_parts", "lint_parts"]


def are_parts(paths: Iterable[str | Path]) -> bool:
    """Whether labels are read part by part: some are folders, or all columns of one large file."""
    known = {str(path) for path in paths}
    return any(map(is_dataset, known)) or (len(known) == 1 and any(map(is_large, known)))


def compare_parts(truth: DataSet, system: DataSet, name: str, about: FileReport) -> None:
    """Add the first instance that only one of two data sets has.

    They are read side by side, and joined by id where they come in another order.
    """
    try:
        both = zipped(truth, {name: system})
        for note in both.notes:
            about.add("warning", "ids", note)
        for part in both.data.parts:
            for _ in both.data.read(part):
                continue  # reading compares every id
    except OtherOrder:
        try:
            with joined(truth, {name: system}):
                return
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
    sizes = LabelSizes(np.zeros(len(hierarchy), dtype=bool))
    found, notes = Findings(hierarchy), dict[str, None]()
    try:
        if column_names is not None:
            raise BadInput("names of columns are for matrices (npz), which are read whole")
        data = open_dataset(path, fmt, columns=columns)
        first = FirstRows(_suspects(data))
        for part in data.parts:
            for rows in data.read(part):
                meaning = replace(columns, where=(), ids=rows.meaning.ids)
                clean = _clean(rows, hierarchy, meaning)
                some = rows.columns if clean is None else _first_row(rows)
                source = column_rows(some, meaning, rows.place, source=str(path))
                notes |= dict.fromkeys(source.notes)
                if clean is not None:
                    sizes.add(without_fault(*clean, rows.place, found, first, sizes.n_instances))
                    continue
                if columns.paths is not None:
                    source = source.as_paths(columns.paths)
                source = replace(source, hint=rows.hint)
                sizes.add(looked_through(source, found, first, sizes.n_instances))
    except BadInput as error:
        about.add("error", "format", str(error))
        return None
    for note in notes:
        about.add("warning", "ids", note)
    found.tell(about, first)
    return data, sizes


def _clean(rows: PartRows, hierarchy: Hierarchy, meaning: Columns) -> tuple[Ids, LabelSets] | None:
    """Return ids and label sets of rows of which scoring would say nothing, else None.

    Those of other rows are looked through one by one.
    """
    if meaning.long or meaning.paths is not None:
        return None
    try:
        ids, sets = sets_of(rows, hierarchy, meaning, ids_of(rows))
    except BadInput:
        return None
    return None if sets.as_written is not None else (ids, sets)


def _first_row(rows: PartRows) -> dict[str, Any]:
    return {name: taken(column, np.arange(1)) for name, column in rows.columns.items()}


def _suspects(data: DataSet) -> Any:
    """Return a function that tells which of some ids may come twice, by the hashes of all."""
    if data.columns.ids is None:
        return lambda ids: ()
    if data.columns.long:
        return None  # the rows of an instance stand together, which reading makes sure of
    hashes = Hashes()
    with closing(hashes):
        for part in data.parts:
            for rows in data.read(part, []):
                hashes.add(hashes_of(ids_of(rows)))
        twice = hashes.repeated()
    return lambda ids: rows_among(ids, twice) if len(twice) else ()
