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
from hierpair.io.datasets.cells import is_list, is_text
from hierpair.io.datasets.parts import DataPart, PartRows
from hierpair.io.datasets.paths import FoundFile, found_files, is_remote, opened
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
    form, guessed = (fmt, False) if fmt != "auto" else _common_form(source, files, columns)
    first: tuple[FoundFile, dict[str, str]] | None = None
    parts: list[DataPart] = []
    stored, told = set[str](), columns
    for file in files:
        if form == "parquet":
            kinds, some = _parquet_parts(file, rows_per_part)
        else:
            kinds, told = text_columns(file, form, columns)
            some = [DataPart(file.name, file.path, n_bytes=file.n_bytes, partition=file.partition)]
        stored.update(kinds)
        kinds |= {name: "text" for name, _ in file.partition if name not in kinds}
        first = first or (file, kinds)
        if form != "jsonl":  # objects need not have the same keys
            _check_same(*first, file, kinds)
        parts += some
    names = tuple(first[1] if first else ())
    meaning = _meaning(source, names, told)
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
    reader = Reader(form, names, meaning, columns, batch_rows, guessed)
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


def _check_same(
    one: FoundFile, kinds: Mapping[str, str], other: FoundFile, others: Mapping[str, str]
) -> None:
    """Refuse parts with other columns, or with other values in them."""
    for here, there, mine, its in ((one, other, kinds, others), (other, one, others, kinds)):
        for name in mine:
            if name not in its:
                raise BadInput(
                    f"{there.path}: there is no column {name!r}, which {here.path} has; there are "
                    f"{listed(its)} (all parts of a data set need the same columns)"
                )
    for name, kind in kinds.items():
        if others[name] != kind and not {kind, others[name]} & {"nothing but nulls"}:
            raise BadInput(
                f"{other.path}: the column {name!r} holds {others[name]}, and in {one.path} it "
                f"holds {kind}; write all parts with the same types"
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
    said
        What the user said about columns, of which a form without names knows no more.
    batch_rows
        How many rows are read at a time.
    guessed
        Whether the form was seen in the beginning of a file.
    """

    form: str
    names: tuple[str, ...]
    columns: Columns
    said: Columns
    batch_rows: int = BATCH_ROWS
    guessed: bool = False

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions; see :meth:`DataSet.read`."""
        ids = () if self.columns.ids is None else (self.columns.ids,)
        needed = None if names is None else {*names, *ids, *(x for x, _ in self.columns.where)}
        told = dict(part.partition)
        for rows in (_parquet_rows if self.form == "parquet" else text_rows)(self, part, needed):
            columns = dict(rows.columns)
            for name in (*self.names, *told):
                if name not in columns and (needed is None or name in needed):
                    columns[name] = _constant(told.get(name), rows.n_rows)
            whole = replace(rows, columns=columns)
            if not self.columns.where:
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


def _parquet_parts(file: FoundFile, rows_per_part: int) -> tuple[dict[str, str], list[DataPart]]:
    """Return the kinds of columns, and runs of row groups with so many rows."""
    with _parquet(file.path) as table, refusing_damage(file.path):
        about = table.metadata
        groups = [about.row_group(k) for k in range(about.num_row_groups)]
        rows, sizes = [g.num_rows for g in groups], [g.total_byte_size for g in groups]
        kinds = {field.name: _kind(field.type) for field in table.schema_arrow}
    parts, start, first_row, n = [], 0, 0, 0
    for k, size in enumerate(rows):
        n += size
        if n and (n >= rows_per_part or k == len(rows) - 1):
            stored = file.n_bytes * sum(sizes[start : k + 1]) // max(1, sum(sizes))
            name = f"{file.name}#{start}" + (f"-{k}" if k > start else "")
            parts.append(DataPart(name, file.path, first_row, n, stored, range(start, k + 1),
                                  file.partition))  # fmt: skip
            start, first_row, n = k + 1, first_row + n, 0
    return kinds, parts


def _kind(kind: Any) -> str:
    """Return what values are, however they are stored: texts may be large, or in a dictionary."""
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return _kind(kind.value_type)
    if is_list(kind):
        return f"lists of {_kind(kind.value_type)}"
    if is_text(kind):
        return "text"
    if kinds.is_integer(kind):
        return "whole numbers"
    if kinds.is_floating(kind):
        return "numbers"
    return "nothing but nulls" if kinds.is_null(kind) else str(kind)


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    """Open a Parquet file."""
    with opened(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        yield opened_table(path, file, size, pre_buffer=is_remote(path))


def _parquet_rows(reader: Reader, part: DataPart, needed: set[str] | None) -> Iterator[PartRows]:
    """Yield the rows of some row groups, of which only the needed columns are read."""
    meaning = replace(reader.columns, where=())
    with _parquet(part.path) as table:
        names = [x for x in table.schema_arrow.names if needed is None or x in needed]
        groups = list(part.row_groups)
        if groups and groups[-1] >= table.metadata.num_row_groups:
            raise BadInput(f"{part.path}: the file has changed since the data set was opened")
        at = part.first_row
        for batch in _batches(part.path, table, reader.batch_rows, groups, names):
            columns = {name: batch.column(name) for name in names}
            place = partial(_row_of, part.path, at)
            yield PartRows(part, columns, batch.num_rows, place, meaning)
            at += batch.num_rows
    if at != part.first_row + (part.n_rows or 0):
        raise BadInput(
            f"{part.path}: not a Parquet file: row groups {groups[0]} to {groups[-1]} hold "
            f"{at - part.first_row:,} rows, and {part.n_rows:,} were promised"
        )


def _row_of(path: str, first: int, i: int, *_: Any) -> str:
    return f"{path}: row {first + i + 1}"


def _batches(path: str, table: Any, n: int, groups: list[int], names: list[str]) -> Iterator[Any]:
    """Yield what is in some row groups; only what Arrow raises is damage of the file."""
    import pyarrow.types as kinds

    types = [table.schema_arrow.field(name).type for name in names]
    # Arrow cannot join dictionaries of lists across row groups
    alone = any(is_list(kind) and kinds.is_dictionary(kind.value_type) for kind in types)
    with refusing_damage(path):
        for some in [[group] for group in groups] if alone else [groups]:
            how = {"batch_size": n, "columns": names, "use_threads": False}
            for batch in table.iter_batches(row_groups=some, **how):
                batch.validate(full=True)  # texts that are no UTF-8, numbers of no value
                yield batch
