"""Data sets of any size: their files, what can be read on its own, and rows as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from os import PathLike
from typing import Any

import numpy as np

from hierpair.errors import BadInput, counted, listed
from hierpair.io.datasets.parts import DataPart, PartRows, is_remote
from hierpair.io.datasets.paths import found_files, opened
from hierpair.io.datasets.texts import form_of, text_columns, text_rows
from hierpair.io.labels.label_files import LABEL_FORMATS
from hierpair.io.labels.parquet import opened_table, refusing_damage, with_pyarrow
from hierpair.labels import Columns
from hierpair.labels.columns import ID_NAMES, column_named, found_column, no_row, wanted_rows

__all__ = ["BATCH_ROWS", "ROWS_PER_PART", "DataSet", "Reader", "open_dataset"]

ROWS_PER_PART = 2**20
"""Rows that a part has at least where a file has so many: below it, starting tasks costs more."""

BATCH_ROWS = 2**18
"""Rows that are in memory at a time."""

KINDS = {"string": "text", "double": "numbers", "float": "numbers", "int": "whole numbers",
         "null": "null"}  # fmt: skip
"""What columns hold, by what stands in the name of their type, however it is stored."""


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """Labels in one or many files, read part by part; see :func:`open_dataset`.

    Attributes
    ----------
    source
        What the data set is called in messages.
    names
        The names of its columns.
    parts
        What can be read on its own, in the order of files and rows.
    columns
        What the columns mean; its ``ids`` names the column of ids, or is None without one.
    reader
        Reads a part. A process that is given parts needs nothing else.
    """

    source: str
    names: tuple[str, ...]
    parts: tuple[DataPart, ...]
    columns: Columns
    reader: Any

    def __repr__(self) -> str:
        rows = "" if self.n_rows is None else f"{counted(self.n_rows, 'row')}, "
        parts = counted(len(self.parts), "part")
        return f"DataSet({self.source!r}, {rows}{parts}, columns {', '.join(self.names)})"

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, before conditions on them; None where only reading tells."""
        known = [part.n_rows for part in self.parts if part.n_rows is not None]
        return sum(known) if len(known) == len(self.parts) else None

    @property
    def n_bytes(self) -> int:
        """About how many bytes are read."""
        return sum(part.n_bytes for part in self.parts)

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions, a bounded number at a time.

        Parameters
        ----------
        part
            One of ``parts``.
        names
            The columns that are needed beside the ids; by default all.

        Raises
        ------
        BadInput
            For a file that is gone or damaged, and what else the reader of its form refuses.
        """
        found: Iterator[PartRows] = self.reader.read(part, names)
        return found

    def rows(self, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of all parts."""
        return chain.from_iterable(self.read(part, names) for part in self.parts)


# ---------------------------------------------------------------- opening


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
        A part of a Parquet file ends where it has so many rows; a file of text is one part.
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
    ...             print(part.id, labels.ids.to_pylist(), labels.truth.names_of(0, tree))
    0.parquet#0 ['0.0', '0.1'] ['a']
    1.parquet#0 ['1.0'] ['b']
    """
    columns = columns or Columns()
    LABEL_FORMATS.check(fmt)
    with_pyarrow()
    source, files = found_files(path)
    forms = dict.fromkeys([file.path for file in files], fmt)
    for file in files if fmt == "auto" else ():
        known = LABEL_FORMATS.of_ending(file.path)
        forms[file.path] = form_of(file, columns) if known == "auto" else known
    form = forms[files[0].path]
    for other, its in forms.items():
        if its != form:
            raise BadInput(
                f"{source}: {files[0].path} is {form} and {other} is {its}; a data set is of one "
                "form: give a pattern, or name the format"
            )
    parts, stored, told, first = list[DataPart](), set[str](), columns, dict[str, str]()
    held = dict[str, tuple[str, str]]()
    for file in files:
        if form == "parquet":
            kinds, some = _parquet_parts(file, rows_per_part)
            names = list(kinds)
            for name, kind in kinds.items():
                _check_kind(name, kind, file, held)
        else:
            (names, told), some = text_columns(file, form, columns), [file]
        stored.update(names)
        here = dict.fromkeys([*names, *dict(file.partition)], file.path)
        first = first or here
        if form != "jsonl":  # objects need not have the same keys
            _check_same(first, here)
            _check_same(here, first)
        parts += some
    meaning = _meaning(source, first, told)
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
    reader = Reader(form, tuple(first), meaning, batch_rows)
    return DataSet(source, tuple(first), kept, meaning, reader)


def _meaning(source: str, names: Mapping[str, Any], columns: Columns) -> Columns:
    """Return what the columns mean, with the column of ids by its name; refuse absent ones."""
    where = [name for name, _ in columns.where]
    told = {"id": [columns.ids], "label": columns.labels, "score": [columns.score], "where": where}
    for what, given in told.items():
        for name in given:
            if name is not None:
                column_named(names, name, (), what, source, needed=True)
    if columns.long:
        column_named(names, columns.ids, ID_NAMES, "id", source, needed=True)
    return replace(columns, ids=columns.ids or found_column(names, ID_NAMES, source))


def _check_kind(name: str, kind: str, file: DataPart, held: dict[str, tuple[str, str]]) -> None:
    """Refuse a column that holds something else than in the files before; nulls are anything."""
    what = next((word for sign, word in KINDS.items() if sign in kind), kind)
    what = f"lists of {what}" if "list" in kind else what
    if what == "null":
        return
    one, before = held.setdefault(name, (file.path, what))
    if what != before:
        raise BadInput(
            f"{file.path}: the column {name!r} holds {what}, and in {one} it holds {before}; "
            "write all parts with the same types"
        )


def _check_same(one: Mapping[str, str], other: Mapping[str, str]) -> None:
    """Refuse a file without a column of another one; both are known by their columns."""
    for name in (name for name in one if name not in other):
        here, there = next(iter(one.values())), next(iter(other.values()), "")
        raise BadInput(
            f"{there}: there is no column {name!r}, which {here} has; there are "
            f"{listed(other)} (all parts of a data set need the same columns)"
        )


# ---------------------------------------------------------------- reading


@dataclass(frozen=True)
class Reader:
    """Reads parts, in this process or in another one.

    Attributes
    ----------
    form
        The form of the files, by its name in ``LABEL_FORMATS``.
    names
        The columns that are known; objects of a file may lack some.
    columns
        What the columns mean.
    batch_rows
        How many rows are read at a time.
    """

    form: str
    names: tuple[str, ...]
    columns: Columns
    batch_rows: int = BATCH_ROWS

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions; see :meth:`DataSet.read`."""
        where = [name for name, _ in self.columns.where]
        needed = None if names is None else {*names, *where, self.columns.ids or ""}
        told = dict(part.partition)
        of_form = _parquet_rows if self.form == "parquet" else text_rows
        for rows in of_form(self, part, needed):
            columns = dict(rows.columns)
            for name in (*self.names, *told):
                if name not in columns and (needed is None or name in needed):
                    columns[name] = _constant(told.get(name), rows.n_rows)
            whole = replace(rows, columns=columns)
            if not where:
                yield whole
                continue
            keep = wanted_rows(columns, self.columns, part.path, rows.n_rows)
            if keep.any():
                yield whole if keep.all() else whole.take(np.flatnonzero(keep))


def _constant(value: str | None, n: int) -> Any:
    """Return a column with one value in all rows."""
    pa, _ = with_pyarrow()
    codes = pa.array(np.zeros(n, np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value], pa.string()))


# ---------------------------------------------------------------- Parquet


def _parquet_parts(file: DataPart, rows_per_part: int) -> tuple[dict[str, str], list[DataPart]]:
    """Return the columns and their types, and runs of row groups with so many rows."""
    with _parquet(file.path) as table, refusing_damage(file.path):
        about = table.metadata
        rows = [about.row_group(k).num_rows for k in range(about.num_row_groups)]
        kinds = {column.name: str(column.type) for column in table.schema_arrow}
    parts, start, first_row, n = list[DataPart](), 0, 0, 0
    for k, size in enumerate(rows):
        n += size
        if n and (n >= rows_per_part or k == len(rows) - 1):
            groups = range(start, k + 1)
            name = f"{file.id}#{start}" + (f"-{k}" if k > start else "")
            parts.append(
                replace(
                    file, id=name, first_row=first_row, n_rows=n, row_groups=groups,
                    n_bytes=file.n_bytes * n // sum(rows),
                )
            )  # fmt: skip
            start, first_row, n = k + 1, first_row + n, 0
    return kinds, parts


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    """Open a Parquet file."""
    with opened(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        yield opened_table(path, file, size, pre_buffer=is_remote(path))


def _parquet_rows(reader: Reader, part: DataPart, needed: set[str] | None) -> Iterator[PartRows]:
    """Yield the rows of some row groups, of which only the needed columns are read."""
    meaning, at = replace(reader.columns, where=()), part.first_row
    with _parquet(part.path) as table:
        kinds = {
            x.name: str(x.type) for x in table.schema_arrow if needed is None or x.name in needed
        }
        if part.row_groups.stop > table.metadata.num_row_groups:
            raise BadInput(f"{part.path}: the file has changed since the data set was opened")
        # Arrow cannot join dictionaries of lists across row groups
        apart = any("list" in kind and "dictionary" in kind for kind in kinds.values())
        how = {"batch_size": reader.batch_rows, "columns": [*kinds], "use_threads": False}
        for groups in [[group] for group in part.row_groups] if apart else [[*part.row_groups]]:
            for batch in _batches(part.path, table.iter_batches(row_groups=groups, **how)):
                columns = {name: batch.column(name) for name in kinds}
                place = partial(_row_of, part.path, at)
                yield PartRows(part, columns, batch.num_rows, place, meaning)
                at += batch.num_rows
    if at != part.first_row + (part.n_rows or 0):
        raise BadInput(
            f"{part.path}: not a Parquet file: {part.id} holds {at - part.first_row:,} rows, and "
            f"{part.n_rows:,} were promised"
        )


def _row_of(path: str, first: int, i: int, *_: Any) -> str:
    return f"{path}: row {first + i + 1}"


def _batches(path: str, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches that are whole; only what Arrow raises is damage of the file."""
    with refusing_damage(path):
        for batch in batches:
            batch.validate(full=True)  # texts that are no UTF-8, numbers of no value
            yield batch
