"""Data sets of any size: their files, what can be read on its own, and rows as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from os import PathLike
from typing import Any, Self
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, listed
from hierpair.io.datasets.paths import absolute, found_files, is_remote, opened
from hierpair.io.formats import Records, Source
from hierpair.io.labels.label_files import LABEL_FORMATS, check_meant
from hierpair.io.labels.parquet import opened_table, refusing_damage, with_pyarrow
from hierpair.io.text import collector_paused, lines_in_blocks
from hierpair.labels import Columns
from hierpair.labels.columns import ID_NAMES, column_named, found_column, no_row, wanted_rows

__all__ = ["BATCH_ROWS", "ROWS_PER_PART", "DataPart", "DataSet", "PartRows", "Reader",
           "open_dataset"]  # fmt: skip

ROWS_PER_PART = 2**20
"""Rows that a part has at least where a file has so many: below it, starting tasks costs more."""

BATCH_ROWS = 2**18
"""Rows that are in memory at a time."""

KINDS = {"string": "text", "double": "numbers", "float": "numbers", "int": "whole numbers"}
"""What columns hold, by what stands in the name of their type, however it is stored."""

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What folders are called for rows without a value."""


@dataclass(frozen=True)
class DataPart:
    """Some rows of one file: small, and the same in every process.

    Attributes
    ----------
    id
        Names the part for good: the file below the root of the data set, and its row groups.
    path
        The file, or its address.
    first_row, n_rows
        Where its rows begin in the file, from 0, and how many there are; None where only reading
        tells, as for text.
    n_bytes
        About how much is read; of a text, the size of its file.
    row_groups
        Numbers of the row groups of a Parquet file; empty for other files.
    partition
        Columns that are told by the folders, such as ``split=test``.
    """

    id: str
    path: str
    first_row: int = 0
    n_rows: int | None = None
    n_bytes: int = 0
    row_groups: range = range(0)
    partition: tuple[tuple[str, str | None], ...] = ()

    def anywhere(self) -> Self:
        """Return the same part for processes that stand in other folders."""
        return replace(self, path=absolute(self.path))


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
        of a label may be given, too, since they may be from other files and rows.
    meaning
        What the columns mean. Conditions on rows are met: its ``where`` is empty.
    hint
        Words to add to an error about a label.
    check
        Takes a column of labels; refuses a row that has no such field at all.
    """

    part: DataPart
    columns: Mapping[str, Any]
    n_rows: int
    place: Callable[..., str]
    meaning: Columns
    hint: str = ""
    check: Callable[[str], None] | None = None

    def take(self, rows: NDArray[np.integer]) -> PartRows:
        """Return some of the rows."""
        return replace(
            self,
            columns={
                name: [column[i] for i in rows] if isinstance(column, list) else column.take(rows)
                for name, column in self.columns.items()
            },
            n_rows=len(rows),
            place=lambda i, *of: self.place(int(rows[i]), *of),
            check=None,
        )


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
    source, located = found_files(path)
    files = [DataPart(name, at, n_bytes=size, partition=_told(name)) for at, name, size in located]
    forms = [_form_of(file, columns) if fmt == "auto" else fmt for file in files]
    form = forms[0]
    for other, its in zip(files, forms, strict=True):
        if its != form:
            raise BadInput(
                f"{source}: {files[0].path} is {form} and {other.path} is {its}; a data set is of "
                "one form: give a pattern, or name the format"
            )
    parts, stored, told = list[DataPart](), set[str](), columns
    first, held = dict[str, str](), dict[str, tuple[str, str]]()
    for file in files:
        if form == "parquet":
            kinds, some = _parquet_parts(file, rows_per_part)
        else:
            (names, told), some = _text_columns(file, form, columns), [file]
            kinds = dict.fromkeys(names, "string")
        stored.update(kinds)
        here = dict.fromkeys([*kinds, *dict(file.partition)], file.path)
        first = first or here
        if form != "jsonl":  # objects need not have the same keys
            _check_alike(first, here, kinds, held)
        parts += some
    if not parts:
        raise BadInput(f"{source}: the file has no instances")
    meaning = _meaning(source, first, told)
    # what a file holds itself says more than its folder, such as month=01 where it has a 1
    wanted = [pair for pair in columns.where if pair[0] not in stored]
    kept = [p for p in parts if all(str(dict(p.partition).get(k)) == v for k, v in wanted)]
    if not kept:
        raise BadInput(no_row(columns, source))
    reader = Reader(form, tuple(first), meaning, batch_rows)
    return DataSet(source, tuple(first), tuple(kept), meaning, reader)


def _told(name: str) -> tuple[tuple[str, str | None], ...]:
    """Return the columns that the folders of a file tell, such as ``split=test/0.parquet``."""
    pairs = (step.partition("=") for step in name.replace("\\", "/").split("/")[:-1])
    told = {unquote(key): value for key, equals, value in pairs if key and equals}
    return tuple((key, None if x == NO_VALUE else unquote(x)) for key, x in told.items())


def _meaning(source: str, names: Mapping[str, Any], columns: Columns) -> Columns:
    """Return what the columns mean, with the column of ids by its name; refuse absent ones."""
    where = [name for name, _ in columns.where]
    told = {"id": [columns.ids], "label": columns.labels, "score": [columns.score], "where": where}
    for what, name in [(what, name) for what, given in told.items() for name in given]:
        if name is not None:
            column_named(names, name, (), what, source, needed=True)
    if columns.long:
        column_named(names, columns.ids, ID_NAMES, "id", source, needed=True)
    return replace(columns, ids=columns.ids or found_column(names, ID_NAMES, source))


def _check_alike(
    first: Mapping[str, str],
    here: Mapping[str, str],
    kinds: Mapping[str, str],
    held: dict[str, tuple[str, str]],
) -> None:
    """Refuse a file with other columns than the first one, or with other things in one of them."""
    path = next(iter(here.values()), "")
    for one, other in ((first, here), (here, first)):
        for name in (name for name in one if name not in other):
            raise BadInput(
                f"{next(iter(other.values()), '')}: there is no column {name!r}, which "
                f"{one[name]} has; there are {listed(other)} (all parts of a data set need the "
                "same columns)"
            )
    for name, kind in kinds.items():
        what = next((word for sign, word in KINDS.items() if sign in kind), kind)
        what = f"lists of {what}" if "list" in kind else what
        before, held_before = held.setdefault(name, (path, what)) if what != "null" else ("", what)
        if what != held_before:
            raise BadInput(
                f"{path}: the column {name!r} holds {what}, and in {before} it holds "
                f"{held_before}; write all parts with the same types"
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
        rows_of = _parquet_rows if self.form == "parquet" else _text_rows
        for rows in rows_of(self, part, needed):
            columns = dict(rows.columns)
            for name in (*self.names, *told):
                if name not in columns and (needed is None or name in needed):
                    columns[name] = _constant(told.get(name), rows.n_rows)
            whole = replace(rows, columns=columns, meaning=replace(self.columns, where=()))
            keep = wanted_rows(columns, self.columns, part.path, rows.n_rows)
            if keep.all():
                yield whole
            elif keep.any():
                yield whole.take(np.flatnonzero(keep))


def _constant(value: str | None, n: int) -> Any:
    """Return a column with one value in all rows."""
    pa, _ = with_pyarrow()
    codes = pa.array(np.zeros(n, np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value], pa.string()))


# ---------------------------------------------------------------- text


def _form_of(file: DataPart, columns: Columns) -> str:
    """Return the form that the ending of a file tells, or its beginning looks like."""
    known = LABEL_FORMATS.of_ending(file.path)
    return LABEL_FORMATS.choose(_beginning(file, columns)).name if known == "auto" else known


def _beginning(file: DataPart, columns: Columns) -> Source:
    """Return a file of which the first lines are known."""
    options = {"columns": columns, "column_names": None, "scored": False}
    source = Source(file.path, options, plain=_plain_fields)
    with opened(file.path) as content:
        source.lines = next(lines_in_blocks(file.path, content, file.n_bytes))
    source.text = "\n".join([*source.lines, ""])
    return source


def _records(
    file: DataPart, form: str, columns: Columns, lines: Iterable[str] | None = None
) -> Records:
    """Return the records of a form, by which whole files are read, too; or of the first lines."""
    made = LABEL_FORMATS[form].records
    if made is None:
        some = ", ".join(name for name, known in LABEL_FORMATS.items() if known.records)
        raise BadInput(
            f"{file.path}: {form} is only read at once; data sets are Parquet files or text "
            f"({some})"
        )
    source = _beginning(file, columns)
    return made(source, iter(source.lines if lines is None else lines))


def _text_columns(file: DataPart, form: str, columns: Columns) -> tuple[list[str], Columns]:
    """Return the columns of a file of text, and what they mean."""
    check_meant(file.path, LABEL_FORMATS[form], columns)
    records = _records(file, form, columns)
    names = records.table()[1] if records.check else records.names
    return list(names), replace(columns, **records.meaning)


def _text_rows(reader: Reader, part: DataPart, needed: set[str] | None) -> Iterator[PartRows]:
    """Yield the rows of a text by the records of its form."""
    import pyarrow as pa

    with opened(part.path) as content:
        lines = chain.from_iterable(lines_in_blocks(part.path, content, part.n_bytes))
        records = _records(part, reader.form, reader.columns, lines)
        batches = records.tables(reader.batch_rows)
        while True:
            with collector_paused():
                numbers, table = next(batches, ((), {}))
                columns = {x: table[x] for x in table if needed is None or x in needed}
                for name, cells in columns.items():
                    if isinstance(cells, list) and set(map(type, cells)) == {str}:
                        columns[name] = pa.array(cells, pa.string())
            if not len(numbers):
                return
            check = None
            if records.check is not None and not reader.columns.where:
                check = partial(records.check, numbers, table)
            place = partial(_at, f"{part.path}:", numbers)
            hint = records.hint
            yield PartRows(part, columns, len(numbers), place, reader.columns, hint, check)


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


def _at(start: str, numbers: Sequence[Any], i: int, *_: Any) -> str:
    return f"{start}{numbers[i]}"


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
    at = part.first_row
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
                yield PartRows(part, columns, batch.num_rows, place, reader.columns)
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
