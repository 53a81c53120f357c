"""Data sets of any size: their files, what can be read on its own, and rows as columns."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, listed
from hierpair.io.datasets.paths import FoundFile, absolute, found_files, is_remote, opened
from hierpair.io.formats import Records, Source
from hierpair.io.labels.label_files import LABEL_FORMATS, check_meant
from hierpair.io.labels.label_lines import has_id_header
from hierpair.io.labels.parquet import (
    check_names,
    check_promises,
    check_start,
    refusing_damage,
    with_pyarrow,
)
from hierpair.io.text import collector_paused
from hierpair.io.text_blocks import blocks_of, lines_in_blocks
from hierpair.labels import Columns
from hierpair.labels.columns import ID_NAMES, column_named, found_column, no_row

__all__ = [
    "BATCH_ROWS",
    "ROWS_PER_PART",
    "DataPart",
    "DataSet",
    "PartRows",
    "Reader",
    "open_dataset",
]

ROWS_PER_PART = 2**20
"""Rows that a part has at least where a file has so many: below it, starting tasks costs more."""

BATCH_ROWS = 2**18
"""Rows that are in memory at a time."""

CSV_BLOCK = 2**23
"""Bytes of a text that Arrow takes apart at a time."""

SPLIT_BY_ARROW = {"csv": ",", "tsv": "\t", "table": "\t"}
"""Forms of which Arrow takes the lines apart, and by what; the others are read by their records."""

OF_TEXTS = ("csv", "tsv", "table", "long")
"""Forms whose fields are texts."""


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
        About how much is read.
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
        Name → the values of all rows: an array of Arrow, or a list where a form holds anything.
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
        place = self.place
        return replace(
            self,
            columns={name: taken(column, rows) for name, column in self.columns.items()},
            n_rows=len(rows),
            place=lambda i, *of: place(int(rows[i]), *of),
            check=None,
        )


def taken(column: Any, rows: NDArray[np.integer]) -> Any:
    """Return some rows of a column."""
    return [column[i] for i in rows.tolist()] if isinstance(column, list) else column.take(rows)


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
            kinds, told = _text_columns(file, form, columns)
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
            head = Source(file.path, _options(columns))
            head.lines = _head(file.path, file.n_bytes)
            head.text = "\n".join([*head.lines, ""])
            form, guessed = LABEL_FORMATS.choose(head).name, True
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
        for rows in (_parquet_rows if self.form == "parquet" else _text_rows)(self, part, needed):
            columns = dict(rows.columns)
            for name in (*self.names, *told):
                if name not in columns and (needed is None or name in needed):
                    columns[name] = _constant(told.get(name), rows.n_rows)
            rows = replace(rows, columns=columns)  # noqa: PLW2901
            if not self.columns.where:
                yield rows
                continue
            keep = np.ones(rows.n_rows, dtype=bool)
            for name, value in self.columns.where:
                keep &= _equals(rows, name, value)
            if keep.any():
                yield rows if keep.all() else rows.take(np.flatnonzero(keep))


def _constant(value: str | None, n: int) -> Any:
    """Return a column with one value in all rows."""
    pa, _ = with_pyarrow()
    codes = pa.array(np.zeros(n, np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value], pa.string()))


def _equals(rows: PartRows, name: str, wanted: str) -> NDArray[np.bool_]:
    """Return in which rows a column has a value."""
    column = column_named(rows.columns, name, (), "where", rows.part.path, needed=True)
    if isinstance(column, list):
        return np.array([str(value) == wanted for value in column], dtype=bool)
    array: Any = column
    coded = array if hasattr(array, "dictionary") else array.dictionary_encode()
    values = coded.dictionary.to_pylist()
    same = np.array([str(value) == wanted for value in [*values, None]], dtype=bool)
    codes: NDArray[np.int64] = coded.indices.cast("int64").fill_null(len(values)).to_numpy()
    found: NDArray[np.bool_] = same[codes]
    return found


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
    if _is_list(kind):
        return f"lists of {_kind(kind.value_type)}"
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind):
        return "text"
    if kinds.is_integer(kind):
        return "whole numbers"
    if kinds.is_floating(kind):
        return "numbers"
    return "nothing but nulls" if kinds.is_null(kind) else str(kind)


def _is_list(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind))


@contextmanager
def _parquet(path: str) -> Iterator[Any]:
    """Open a Parquet file; what is wrong with it, now or while it is read, names the file."""
    _, pq = with_pyarrow()
    with opened(path) as file:
        check_start(path, file.read(4))
        size = file.seek(0, 2)
        file.seek(0)
        with refusing_damage(path):
            table = pq.ParquetFile(file, pre_buffer=is_remote(path))
            check_promises(path, table.metadata, size)
            names = table.schema_arrow.names
        check_names(path, names)
        yield table


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
            place = lambda i, *_, at=at: f"{part.path}: row {at + i + 1}"  # noqa: E731
            columns = {name: batch.column(name) for name in names}
            yield PartRows(part, columns, batch.num_rows, place, meaning)
            at += batch.num_rows
    if at != part.first_row + (part.n_rows or 0):
        raise BadInput(
            f"{part.path}: not a Parquet file: row groups {groups[0]} to {groups[-1]} hold "
            f"{at - part.first_row:,} rows, and {part.n_rows:,} were promised"
        )


def _batches(path: str, table: Any, n: int, groups: list[int], names: list[str]) -> Iterator[Any]:
    """Yield what is in some row groups; only what Arrow raises is damage of the file."""
    import pyarrow.types as kinds

    types = [table.schema_arrow.field(name).type for name in names]
    # Arrow cannot join dictionaries of lists across row groups
    alone = any(_is_list(kind) and kinds.is_dictionary(kind.value_type) for kind in types)
    with refusing_damage(path):
        for some in [[group] for group in groups] if alone else [groups]:
            how = {"batch_size": n, "columns": names, "use_threads": False}
            for batch in table.iter_batches(row_groups=some, **how):
                batch.validate(full=True)  # texts that are no UTF-8, numbers of no value
                yield batch


# ---------------------------------------------------------------- text


def _options(columns: Columns) -> dict[str, Any]:
    return {"columns": columns, "column_names": None, "scored": False}


def _records(path: str, form: str, columns: Columns, lines: Iterable[str]) -> Records:
    """Return the records of a form, whose reader for small files they come from."""
    made = LABEL_FORMATS[form].records
    if made is None:
        some = ", ".join(name for name, f in LABEL_FORMATS.items() if f.records is not None)
        raise BadInput(
            f"{path}: {form} is only read at once; data sets are Parquet files or text ({some})"
        )
    return made(Source(path, _options(columns)), lines)


def _head(path: str, n_bytes: int) -> list[str]:
    """Return the first lines of a file."""
    with opened(path) as content:
        return next(lines_in_blocks(path, content, n_bytes))


def _text_columns(file: FoundFile, form: str, columns: Columns) -> tuple[dict[str, str], Columns]:
    """Return the columns of a file of text, and what they mean."""
    check_meant(file.path, LABEL_FORMATS[form], columns)
    head = [] if LABEL_FORMATS[form].records is None else _head(file.path, file.n_bytes)
    records = _records(file.path, form, columns, head)
    told = records.check is None and form != "long"  # or else rows tell which columns there are
    names = records.names if told else records.columns_of(list(records.rows))
    return dict.fromkeys(names, "text"), replace(columns, **records.meaning)


def _text_rows(reader: Reader, part: DataPart, needed: set[str] | None) -> Iterator[PartRows]:
    """Yield the rows of a text: taken apart by Arrow, or by the records of its form.

    Where Arrow finds a fault, or something that it might not read as the form does, the records go
    on from there: they read it, or name what is wrong with its line.
    """
    n = 0
    if reader.form in SPLIT_BY_ARROW:
        import pyarrow as pa

        try:
            for rows in _split_rows(reader, part, needed):
                n += rows.n_rows
                yield rows
        except (pa.ArrowException, ValueError, OSError):
            pass
        else:
            return
    yield from _record_rows(reader, part, needed, n)


def _record_rows(
    reader: Reader, part: DataPart, needed: set[str] | None, skip: int
) -> Iterator[PartRows]:
    """Yield the rows of a text but for the first ones, by the records of its form."""
    pa, _ = with_pyarrow()
    meaning, bare = reader.columns, replace(reader.columns, where=())
    with _read_lines(reader, part) as records:
        for _ in islice(records.rows, skip):
            pass
        while True:
            with collector_paused():
                rows = list(islice(records.rows, reader.batch_rows))
                table = records.columns_of(rows) if rows else {}
            if not rows:
                return
            names = [name for name in table if needed is None or name in needed]
            columns: dict[str, Any] = {name: table[name] for name in names}
            if reader.form in OF_TEXTS:
                columns = {name: pa.array(x, pa.string()) for name, x in columns.items()}
            check = None if records.check is None or meaning.where else partial(records.check, rows)
            place = partial(_at_line, part.path, [number for number, _ in rows])
            yield PartRows(part, columns, len(rows), place, bare, records.hint, check)


def _at_line(path: str, numbers: Sequence[int], i: int, *_: Any) -> str:
    return f"{path}:{numbers[i]}"


@contextmanager
def _read_lines(reader: Reader, part: DataPart) -> Iterator[Records]:
    """Give the records of a part."""
    with opened(part.path) as content:
        blocks = lines_in_blocks(part.path, content, part.n_bytes)
        lines: Iterator[str] = chain.from_iterable(blocks)
        if reader.guessed and reader.form == "lines":
            lines = _without_tabs(part.path, lines)
        yield _records(part.path, reader.form, reader.said, lines)


def _without_tabs(path: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines that were taken for lines of labels since none of the first ones has a tab."""
    for number, line in enumerate(lines, start=1):
        if "\t" in line:
            raise BadInput(
                f"{path}:{number}: a tab, and none far before it, so that the file was read as "
                "lines of labels; name the format"
            )
        yield line


def _split_rows(reader: Reader, part: DataPart, needed: set[str] | None) -> Iterator[PartRows]:
    """Yield the rows of a text that Arrow takes apart; raise where it may read something else."""
    import pyarrow.compute as pc
    from pyarrow import csv, string

    form, sign = reader.form, SPLIT_BY_ARROW[reader.form]
    head, meaning = _head(part.path, part.n_bytes), replace(reader.columns, where=())
    records = _records(part.path, form, reader.said, head)
    names = list(records.names)
    titled = form != "table" or has_id_header(head[0])
    at = next((k for k, x in enumerate(head, start=1) if x.replace(sign, "").strip()), 0)
    if '"' in head[at - 1] and form == "csv":
        raise ValueError("a title in quotes may be of several lines")
    wanted = [name for name in names if needed is None or name in needed] or names[:1]
    n = 0
    with opened(part.path) as content:
        blocks = blocks_of(part.path, content, part.n_bytes)
        batches = csv.open_csv(
            _Stream(_looked_through(blocks, quoted=form == "csv")),
            csv.ReadOptions(
                block_size=CSV_BLOCK, column_names=names, skip_rows=at if titled else 0
            ),
            csv.ParseOptions(
                delimiter=sign, quote_char='"' if form == "csv" else False,
                newlines_in_values=form == "csv",
                invalid_row_handler=lambda row: "error" if row.text.strip() else "skip",
            ),
            csv.ConvertOptions(column_types=dict.fromkeys(names, string()), include_columns=wanted),
        )  # fmt: skip
        for whole in batches:
            blank: Any = True
            for name in wanted:  # the form passes over rows without any text
                texts = whole.column(name)
                empty = pc.or_(pc.equal(pc.binary_length(texts), 0), pc.utf8_is_space(texts))
                blank = pc.and_(blank, empty)
                if not pc.any(blank).as_py():
                    break
            else:
                raise ValueError("a row without text may be none")
            for start in range(0, whole.num_rows, reader.batch_rows):
                some = whole.slice(start, reader.batch_rows)
                columns = {name: some.column(name) for name in wanted}
                place = _line_of(reader, part, n, some.num_rows)
                yield PartRows(part, columns, some.num_rows, place, meaning, records.hint)
                n += some.num_rows


def _line_of(reader: Reader, part: DataPart, first: int, n: int) -> Callable[..., str]:
    """Return what tells the lines of some rows; only an error makes it look for them."""

    @cache
    def numbers() -> list[int]:
        with _read_lines(reader, part) as records:
            return [number for number, _ in islice(records.rows, first, first + n)]

    return lambda i, *_: f"{part.path}:{numbers()[i]}"


QUOTED = re.compile(rb'(?<![^,\r\n])"[^"]*(?:""[^"]*)*"(?![^,\r\n])')
"""A field of CSV in quotes."""


def _looked_through(blocks: Iterable[bytes], *, quoted: bool) -> Iterator[bytes]:
    """Yield blocks of a text; raise where Arrow would take what is none, or quotes that are odd."""
    decoder, rest, begun = codecs.getincrementaldecoder("utf-8")(), b"", False
    for block in blocks:
        decoder.decode(block)
        rest += block
        end = rest.rfind(b"\n")
        while quoted and end >= 0 and rest.count(b'"', 0, end) % 2:
            end = rest.rfind(b"\n", 0, end)  # it is inside quotes
        odd = quoted and (b'"' in QUOTED.sub(b"", rest[: end + 1]) or len(rest) > CSV_BLOCK)
        if odd or b"\0" in block:
            raise ValueError("quotes that do not hold a whole field, or a NUL byte")
        rest = rest[end + 1 :] if quoted else b""
        yield block if begun else block.removeprefix(codecs.BOM_UTF8)
        begun = True
    decoder.decode(b"", final=True)
    if b'"' in QUOTED.sub(b"", rest):
        raise ValueError("a quotation mark opens and none closes it")


class _Stream(io.RawIOBase):
    """Blocks of bytes as a file that Arrow reads."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks, self.rest = blocks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.rest:
            block = next(self.blocks, None)
            if block is None:
                return 0
            self.rest = memoryview(block)
        n = min(len(buffer), len(self.rest))
        buffer[:n], self.rest = self.rest[:n], self.rest[n:]
        return n
