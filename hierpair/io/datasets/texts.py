"""Files of text: taken apart by Arrow, and where it might misread by the reader of small files."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput
from hierpair.io.datasets.parts import DataPart, PartRows
from hierpair.io.datasets.paths import opened
from hierpair.io.formats import Records, Source
from hierpair.io.labels.label_files import LABEL_FORMATS, check_meant
from hierpair.io.labels.label_texts import has_id_header
from hierpair.io.text import blocks_of, collector_paused, lines_in_blocks
from hierpair.labels import Columns

if TYPE_CHECKING:
    from hierpair.io.datasets.tables import Reader

__all__ = ["form_of", "text_columns", "text_rows"]

CSV_BLOCK = 2**23
"""Bytes of a text that Arrow takes apart at a time."""

SPLIT_BY_ARROW = {"csv": ",", "tsv": "\t", "table": "\t"}
"""Forms of which Arrow takes the lines apart, and by what; the others are read by their records."""


def form_of(part: DataPart, columns: Columns) -> str:
    """Return the form that the beginning of a file looks like."""
    return LABEL_FORMATS.choose(_source(part, columns)).name


def _source(part: DataPart, columns: Columns) -> Source:
    """Return a file of which the first lines are known."""
    source = Source(part.path, {"columns": columns, "column_names": None, "scored": False})
    with opened(part.path) as content:
        source.lines = next(lines_in_blocks(part.path, content, part.n_bytes))
    source.text = "\n".join([*source.lines, ""])
    return source


def _records(part: DataPart, form: str, columns: Columns, lines: Iterable[str] | None) -> Records:
    """Return the records of a form, by which whole files are read, too; or of the first lines."""
    made = LABEL_FORMATS[form].records
    if made is None:
        some = ", ".join(name for name, known in LABEL_FORMATS.items() if known.records)
        raise BadInput(
            f"{part.path}: {form} is only read at once; data sets are Parquet files or text "
            f"({some})"
        )
    source = _source(part, columns)
    return made(source, source.lines if lines is None else lines)


def text_columns(part: DataPart, form: str, columns: Columns) -> tuple[list[str], Columns]:
    """Return the columns of a file of text, and what they mean."""
    check_meant(part.path, LABEL_FORMATS[form], columns)
    records = _records(part, form, columns, None)
    names = records.columns_of()[1] if records.check else records.names
    return list(names), replace(columns, **records.meaning)


def text_rows(reader: Reader, part: DataPart, needed: set[str] | None) -> Iterator[PartRows]:
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
    bare = replace(reader.columns, where=())
    with _read_lines(reader, part) as records:
        deque(islice(records.rows, skip), maxlen=0)
        while True:
            with collector_paused():
                numbers, table = records.columns_of(islice(records.rows, reader.batch_rows))
            if not numbers:
                return
            columns = {x: table[x] for x in table if needed is None or x in needed}
            check = None
            if records.check is not None and not reader.columns.where:
                check = partial(records.check, numbers, table)
            place = partial(_at, f"{part.path}:", numbers)
            yield PartRows(part, columns, len(numbers), place, bare, records.hint, check)


def _at(start: str, numbers: Sequence[int], i: int, *_: Any) -> str:
    return f"{start}{numbers[i]}"


@contextmanager
def _read_lines(reader: Reader, part: DataPart) -> Iterator[Records]:
    """Give the records of a part."""
    with opened(part.path) as content:
        lines = chain.from_iterable(lines_in_blocks(part.path, content, part.n_bytes))
        yield _records(part, reader.form, reader.columns, lines)


# ---------------------------------------------------------------- taken apart by Arrow


def _split_rows(reader: Reader, part: DataPart, needed: set[str] | None) -> Iterator[PartRows]:
    """Yield the rows of a text that Arrow takes apart; raise where it may read something else."""
    import pyarrow as pa
    from pyarrow import csv

    form, sign = reader.form, SPLIT_BY_ARROW[reader.form]
    names = list(_records(part, form, reader.columns, None).names)
    head = _source(part, reader.columns).lines
    at = next((k for k, x in enumerate(head, start=1) if x.replace(sign, "").strip()), 0)
    if '"' in head[at - 1] and form == "csv":
        raise ValueError("a title in quotes may be of several lines")
    passed = at if form != "table" or has_id_header(head[at - 1]) else 0
    wanted = [name for name in names if needed is None or name in needed] or names[:1]
    parse = csv.ParseOptions(
        delimiter=sign, quote_char='"' if form == "csv" else False,
        newlines_in_values=form == "csv",
        invalid_row_handler=lambda row: "error" if row.text.strip() else "skip",
    )  # fmt: skip
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), include_columns=wanted
    )
    meaning, n = replace(reader.columns, where=()), 0
    with opened(part.path) as content:
        for piece in _pieces(blocks_of(part.path, content, part.n_bytes), quoted=form == "csv"):
            how = csv.ReadOptions(
                use_threads=False, block_size=CSV_BLOCK, column_names=names, skip_rows=passed
            )
            passed = 0
            table = csv.read_csv(pa.BufferReader(piece), how, parse, convert).combine_chunks()
            _check_text(table)
            for some in table.to_batches(reader.batch_rows):
                columns = {name: some.column(name) for name in wanted}
                place = _line_of(reader, part, n, some.num_rows)
                yield PartRows(part, columns, some.num_rows, place, meaning)
                n += some.num_rows


def _check_text(table: Any) -> None:
    """Raise where a row has no text, since the forms pass over such rows."""
    import pyarrow.compute as pc

    blank: Any = True
    for texts in table.columns:
        empty = pc.or_(pc.equal(pc.binary_length(texts), 0), pc.utf8_is_space(texts))
        blank = pc.and_(blank, empty)
        if not pc.any(blank).as_py():
            return
    raise ValueError("a row without text may be none")


def _line_of(reader: Reader, part: DataPart, first: int, n: int) -> Callable[..., str]:
    """Return what tells the lines of some rows; only an error makes it look for them."""

    @cache
    def numbers() -> list[int]:
        with _read_lines(reader, part) as records:
            return [row[0] for row in islice(records.rows, first, first + n)]

    return lambda i, *_: f"{part.path}:{numbers()[i]}"


QUOTED = re.compile(rb'(?<![^,\r\n])"[^"]*(?:""[^"]*)*"(?![^,\r\n])')
"""A field of CSV in quotes."""


def _pieces(blocks: Iterable[bytes], *, quoted: bool) -> Iterator[bytes]:
    """Yield whole rows of a text; raise where Arrow would take what is none, or quotes are odd."""
    rest, begun = bytearray(), False
    for block in chain(blocks, [b""]):
        rest += block
        if block and len(rest) < CSV_BLOCK:
            continue
        end = rest.rfind(b"\n") + 1 if block else len(rest)
        while quoted and rest.count(b'"', 0, end) % 2:
            end = rest.rfind(b"\n", 0, rest.rfind(b'"', 0, end)) + 1  # it is inside quotes
        piece = bytes(rest[:end])
        del rest[:end]
        piece.decode()  # also what is in columns that are not read
        if b"\0" in piece or (quoted and b'"' in QUOTED.sub(b"", piece)) or len(rest) > CSV_BLOCK:
            raise ValueError("a NUL byte, quotes that do not hold a whole field, an endless row")
        if piece.strip():
            yield piece if begun else piece.removeprefix(codecs.BOM_UTF8)
            begun = True
    if rest:
        raise ValueError("a quotation mark opens and none closes it")
