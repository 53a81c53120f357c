"""Opening a data set: which files, which form, what its columns mean, which parts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from hierpair.errors import BadInput
from hierpair.io.datasets.locating import FoundFile, found_files
from hierpair.io.datasets.parquet_parts import ParquetReader, parquet_parts
from hierpair.io.datasets.parts import BATCH_ROWS, ROWS_PER_PART, DataSet, PartReader
from hierpair.io.datasets.text_parts import TextReader, form_of, text_parts
from hierpair.io.labels.label_files import LABEL_FORMATS
from hierpair.labels import Columns
from hierpair.labels.columns import ID_NAMES, column_named, found_column, no_row

__all__ = ["open_dataset"]


def open_dataset(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    fmt: str = "auto",
    *,
    columns: Columns | None = None,
    rows_per_part: int = ROWS_PER_PART,
    batch_rows: int = BATCH_ROWS,
) -> DataSet:
    """Open labels in one or many files, to be read part by part in bounded memory.

    Parameters
    ----------
    path
        A file; a folder with all that is in it and in its folders, of which ``split=test`` tells
        a column; a pattern such as ``day-*/part-*.parquet``; or a list of these. Addresses such as
        ``s3://bucket/key`` need fsspec.
    fmt
        A name in ``LABEL_FORMATS``, or ``"auto"``: by the endings of the files.
    columns
        What the columns mean. The columns of truth and systems are named when they are read, by
        :func:`label_sets`.
    rows_per_part
        A part of a file ends where it has so many rows.
    batch_rows
        How many rows are read at a time.

    Raises
    ------
    BadInput
        For files that are missing, damaged, of several forms, or without rows; parts with other
        columns or types, by both files and the column; a column that is not there.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow, pyarrow.parquet
    >>> from hierpair import Hierarchy
    >>> from hierpair.io.datasets import label_sets, open_dataset
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k, labels in enumerate((["a", "b"], ["b"])):
    ...         ids = [f"{k}.{i}" for i in range(len(labels))]
    ...         table = pyarrow.table({"id": ids, "truth": labels})
    ...         pyarrow.parquet.write_table(table, pathlib.Path(folder) / f"{k}.parquet")
    ...     data = open_dataset(folder)
    ...     for part in data.parts:
    ...         for rows in data.read(part):
    ...             labels = label_sets(rows, tree, truth="truth")
    ...             print(part.id, labels.ids.listed(), labels.truth.names_of(0, tree))
    0.parquet#0 ['0.0', '0.1'] ['a']
    1.parquet#0 ['1.0'] ['b']
    """
    columns = columns or Columns()
    LABEL_FORMATS.check(fmt)
    for what, value in (("rows_per_part", rows_per_part), ("batch_rows", batch_rows)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadInput(f"{what} must be a whole number from 1, got {value!r}")
    source, files = found_files(path)
    form, guessed = (fmt, False) if fmt != "auto" else _common_form(source, files, columns)
    reader: PartReader
    if form == "parquet":
        # an instance of several rows may begin in any row group
        most = sys.maxsize if columns.long else rows_per_part
        names, parts, stored = parquet_parts(files, most)
        meaning = _meaning(source, names, columns)
        reader = ParquetReader(meaning, batch_rows)
    else:
        names, parts, told, stored = text_parts(files, form, columns)
        meaning = _meaning(source, names, told)
        reader = TextReader(names, meaning, form, columns, batch_rows, guessed)
    if not parts:
        raise BadInput(f"{source}: the file has no instances")
    # what a file holds itself says more than its folder, such as month=01 where it has a 1
    wanted = [(name, value) for name, value in columns.where if name not in stored]
    kept = tuple(
        part for part in parts
        if all(str(dict(part.partition).get(name)) == value for name, value in wanted)
    )  # fmt: skip
    if not kept:
        raise BadInput(no_row(columns, source))
    return DataSet(source, names, kept, meaning, reader)


def _common_form(source: str, files: Sequence[FoundFile], columns: Columns) -> tuple[str, bool]:
    """Return the form of all files, and whether only their content told it."""
    forms: dict[str, str] = {}
    guessed = False
    for file in files:
        form = LABEL_FORMATS.of_ending(file.path)
        if form == "auto":
            form, guessed = form_of(file, columns), True
        forms.setdefault(form, file.path)
    if len(forms) > 1:
        one, other = list(forms.items())[:2]
        raise BadInput(
            f"{source}: {one[1]} is {one[0]} and {other[1]} is {other[0]}; a data set is of one "
            "form: give a pattern, or name the format"
        )
    return next(iter(forms)), guessed


def _meaning(source: str, names: Sequence[str], columns: Columns) -> Columns:
    """Return what the columns mean, with the column of ids by its name; refuse absent ones."""
    table: dict[str, Any] = dict.fromkeys(names)
    told = {"id": (columns.ids,), "label": columns.labels, "score": (columns.score,),
            "where": tuple(name for name, _ in columns.where)}  # fmt: skip
    for what, given in told.items():
        for name in given:
            if name is not None:
                column_named(table, name, (), what, source, needed=True)
    if columns.long and columns.ids is None:
        column_named(table, None, ID_NAMES, "id", source, needed=True)
    return replace(columns, ids=columns.ids or found_column(table, ID_NAMES, source))
