"""Data sets of any size: their files, what can be read on its own, and rows as columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, unknown
from hierpair.io.datasets.paths import found_files
from hierpair.io.files import note_read
from hierpair.io.formats import Source
from hierpair.io.labels.binary import opened_table, refusing_damage, with_pyarrow
from hierpair.io.labels.label_files import LABEL_FORMATS, check_meant
from hierpair.io.records import Records
from hierpair.io.text import collector_paused, lines_in_blocks
from hierpair.labels import Columns
from hierpair.labels.columns import ID_NAMES, column_named, found_column, wanted_rows

ROWS_PER_PART = 2**20
"""Rows that a part has at least where a file has so many: below it, starting tasks costs more."""

BATCH_ROWS = 2**18
"""Rows that are in memory at a time."""


@dataclass(frozen=True)
class DataPart:
    """Some rows of one file: small, and the same in every process.

    Attributes
    ----------
    id
        Names the part for good: the file below the root of the data set, and its row groups.
    path
        The file.
    first_row, n_rows
        Where its rows begin in the file, from 0, and how many there are; None where only reading
        tells, as for text.
    n_bytes
        About how much is read; of a text, the size of its file.
    row_groups
        Numbers of the row groups of a Parquet file.
    """

    id: str
    path: str
    first_row: int = 0
    n_rows: int | None = None
    n_bytes: int = 0
    row_groups: range = range(0)

    def anywhere(self) -> Self:
        """Return the same part for processes that stand in other folders."""
        return replace(self, path=os.path.abspath(self.path))  # noqa: PTH100 - any text


@dataclass(frozen=True, eq=False)
class PartRows:
    """Some rows of a part, column by column.

    Attributes
    ----------
    part
        Where they are from.
    columns
        Name → the values of all rows: an array of Arrow, or what a form holds (a list, labels that
        are numbered).
    n_rows
        How many rows there are; a table without any of the wanted columns has rows, too.
    place
        Tells where row ``i`` stands, as ``"a.parquet: row 7"``; a column of labels and the number
        of a label may be given, too.
    meaning
        What the columns mean. Conditions on rows are met: its ``where`` is empty.
    hint
        Words to add to an error about a label.
    """

    part: DataPart
    columns: Mapping[str, Any]
    n_rows: int
    place: Callable[..., str]
    meaning: Columns
    hint: str = ""

    def take(self, rows: NDArray[np.integer]) -> PartRows:
        """Return some of the rows."""
        taken = {
            name: [column[i] for i in rows] if isinstance(column, list) else column.take(rows)
            for name, column in self.columns.items()
        }
        place = lambda i, *of: self.place(int(rows[i]), *of)  # noqa: E731
        return replace(self, columns=taken, n_rows=len(rows), place=place)


@dataclass(frozen=True, eq=False)
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
    reader: Reader

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, before conditions on them; None where only reading tells."""
        known = [part.n_rows for part in self.parts]
        return None if None in known else sum(n or 0 for n in known)

    @property
    def n_bytes(self) -> int:
        """About how many bytes are read."""
        return sum(part.n_bytes for part in self.parts)

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions, a bounded number at a time.

        ``names`` are the columns that are needed beside the ids; by default all.
        """
        return self.reader.read(part, names)

    def rows(self, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of all parts."""
        return chain.from_iterable(self.read(part, names) for part in self.parts)


# ---------------------------------------------------------------- opening


def open_dataset(
    path: str | PathLike[str] | Sequence[str | PathLike[str]], fmt: str = "auto", *,
    columns: Columns | None = None, rows_per_part: int = ROWS_PER_PART,
    batch_rows: int = BATCH_ROWS,
) -> DataSet:  # fmt: skip
    """Open labels in one or many files, to be read part by part in bounded memory.

    Parameters
    ----------
    path
        A file; a folder with all that is in it and in its folders; a pattern such as
        ``day-*/part-*.parquet``; or a list of these.
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
        columns, by both files and the column; a column that is not there.

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
    source, located = found_files(path)
    start, parts, first, told = located[0][0], list[DataPart](), dict[str, None](), columns
    form = LABEL_FORMATS.choose(_beginning(start, columns), fmt).name
    for at, name, size in located:
        file, begun = DataPart(name, at, n_bytes=size), _beginning(at, columns)
        its = LABEL_FORMATS.choose(begun, fmt).name
        if its != form:
            raise BadInput(
                f"{source}: {start} is {form} and {at} is {its}; a data set is of one form: give a "
                "pattern, or name the format"
            )
        if form == "parquet":
            names, some = _parquet_parts(file, rows_per_part)
        else:
            check_meant(at, LABEL_FORMATS[form], columns)
            records = begun.records(form)
            names, some = list(records.table()[1] if form == "jsonl" else records.names), [file]
            told = replace(columns, **records.meaning)
        here = dict.fromkeys(names)
        first = first or here
        for column in sorted(first.keys() ^ here.keys() if form != "jsonl" else ()):
            absent, there = (at, start) if column in first else (start, at)
            raise BadInput(
                f"{absent}: there is no column {column!r}, which {there} has (all parts of a data "
                "set need the same columns)"
            )
        parts += some
    if not parts:
        raise BadInput(f"{source}: the file has no instances")
    for one in (told.ids, *told.labels, told.score, *dict(told.where)):
        if one is not None and one not in first:
            raise unknown("column", one, first, source)
    meaning = replace(told, ids=told.ids or found_column(first, ID_NAMES, source))
    if meaning.long:
        column_named(first, meaning.ids, ID_NAMES, "id", source, needed=True)
    reader = Reader(form, tuple(first), meaning, batch_rows)
    return DataSet(source, tuple(first), tuple(parts), meaning, reader)


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
    stood
        Of a joined table: of which data set a column is, and under ``""`` of which all are.
    """

    form: str
    names: tuple[str, ...]
    columns: Columns
    batch_rows: int = BATCH_ROWS
    stood: Mapping[str, str] | None = None

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions; see :meth:`DataSet.read`."""
        import pyarrow as pa

        needed = {*(self.names if names is None else names), *dict(self.columns.where)}
        needed |= {self.columns.ids} - {None}  # type: ignore[arg-type]
        meaning = replace(self.columns, where=())
        for rows in (_parquet_rows if self.form == "parquet" else _text_rows)(self, part, needed):
            none = pa.nulls(rows.n_rows, pa.string())  # of keys that no object has
            columns = {**dict.fromkeys(needed.intersection(self.names), none), **rows.columns}
            place = partial(_in_joined, self.stood) if self.stood else rows.place
            whole = replace(rows, columns=columns, meaning=meaning, place=place)
            keep = wanted_rows(columns, self.columns, part.path, rows.n_rows)
            if keep.all():
                yield whole
            elif keep.any():
                yield whole.take(np.flatnonzero(keep))


@dataclass(eq=False)
class _Beginning(Source):
    """A file of text, of which the first lines are known."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the first block."""
        return next(lines_in_blocks(self.path))

    @cached_property
    def text(self) -> str:
        """Their text."""
        return "\n".join([*self.lines, ""])

    def records(self, form: str, lines: Iterable[str] | None = None) -> Records:
        """Return the records of a form, by which whole files are read, too; or of these lines."""
        made = LABEL_FORMATS[form].records
        if made is None:
            some = ", ".join(name for name, known in LABEL_FORMATS.items() if known.records)
            raise BadInput(
                f"{self.path}: {form} is only read at once; data sets are Parquet files or text "
                f"({some})"
            )
        return made(self, iter(self.lines if lines is None else lines))


def _beginning(path: str, columns: Columns) -> _Beginning:
    options = {"columns": columns, "column_names": None, "scored": False}
    return _Beginning(path, options, plain=_plain_fields)


def _text_rows(reader: Reader, part: DataPart, needed: Set[str]) -> Iterator[PartRows]:
    """Yield the rows of a text by the records of its form."""
    import pyarrow as pa

    source = _beginning(part.path, reader.columns)
    records = source.records(reader.form, chain.from_iterable(lines_in_blocks(part.path)))
    batches = records.batches(reader.batch_rows)
    while True:
        with collector_paused():
            numbers, table = next(batches, ((), {}))
            columns = {name: table[name] for name in table if name in needed}
            for name, cells in columns.items():
                if isinstance(cells, list) and set(map(type, cells)) == {str}:
                    columns[name] = pa.array(cells, pa.string())
        if not len(numbers):
            return
        place = partial(_at, f"{part.path}:", numbers)
        yield PartRows(part, columns, len(numbers), place, reader.columns, records.hint)


def _plain_fields(lines: list[str], sign: str, width: int, quoted: bool) -> Any:
    """Return the fields of lines that all have as many and begin with a text, or None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if quoted and '"' in "".join(lines):
        return None
    rows = pc.split_pattern(pa.array(lines, pa.string()), sign)
    fields = rows.flatten()
    blank = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(fields[::width])), 0)
    plain = pc.all(pc.equal(pc.list_value_length(rows), width)).as_py()
    return fields if plain and not pc.any(blank).as_py() else None


def _at(start: str, numbers: Sequence[int], i: int, *_: Any) -> str:
    return f"{start}{numbers[i]}"


def _in_joined(told: Mapping[str, str], i: int, column: str = "", *_: int) -> str:
    """Return of which data set the cell of a joined table is."""
    return told.get(column, told[""])


# ---------------------------------------------------------------- Parquet


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    """Open a Parquet file, which nothing may be written over."""
    with refusing_damage(path), Path(path).open("rb") as file:
        note_read(path)
        yield opened_table(path, file, os.fstat(file.fileno()).st_size)


def _parquet_parts(file: DataPart, rows_per_part: int) -> tuple[list[str], list[DataPart]]:
    """Return the columns, and runs of row groups with so many rows."""
    with _parquet(file.path) as table:
        about, names = table.metadata, table.schema_arrow.names
        ends = np.cumsum([about.row_group(k).num_rows for k in range(about.num_row_groups)])
    parts, start, first = list[DataPart](), 0, 0
    for k, end in enumerate(ends.astype(int).tolist()):
        n = end - first
        if n and (n >= rows_per_part or k == len(ends) - 1):
            name = f"{file.id}#{start}" + (f"-{k}" if k > start else "")
            n_bytes = file.n_bytes * n // int(ends[-1])
            parts.append(DataPart(name, file.path, first, n, n_bytes, range(start, k + 1)))
            start, first = k + 1, end
    return names, parts


def _parquet_rows(reader: Reader, part: DataPart, needed: Set[str]) -> Iterator[PartRows]:
    """Yield the rows of some row groups, of which only the needed columns are read."""
    at = part.first_row
    with _parquet(part.path) as table:
        kinds = {x.name: str(x.type) for x in table.schema_arrow if x.name in needed}
        # Arrow cannot join dictionaries of lists across row groups
        apart = any("list" in kind and "dictionary" in kind for kind in kinds.values())
        how = {"batch_size": reader.batch_rows, "columns": [*kinds], "use_threads": False}
        for groups in [[group] for group in part.row_groups] if apart else [[*part.row_groups]]:
            for batch in table.iter_batches(row_groups=groups, **how):
                batch.validate(full=True)  # texts that are no UTF-8, numbers of no value
                place = partial(_at, f"{part.path}: row ", range(at + 1, at + 1 + batch.num_rows))
                columns = {name: batch.column(name) for name in kinds}
                yield PartRows(part, columns, batch.num_rows, place, reader.columns)
                at += batch.num_rows
    if at != part.first_row + (part.n_rows or 0):
        raise BadInput(f"{part.path}: not a Parquet file: {part.id} holds other rows than promised")
