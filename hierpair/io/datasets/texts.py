"""Files of text: taken apart by Arrow, and where it might misread by the reader of small files."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput
from hierpair.io.datasets.cells import lists_of
from hierpair.io.datasets.parts import DataPart, PartRows
from hierpair.io.datasets.paths import FoundFile, opened
from hierpair.io.formats import Records, Source
from hierpair.io.labels.label_files import LABEL_FORMATS, check_meant
from hierpair.io.labels.label_texts import has_id_header
from hierpair.io.labels.parquet import with_pyarrow
from hierpair.io.text import blocks_of, collector_paused, lines_in_blocks
from hierpair.labels import Columns
from hierpair.labels.coded import Coded

if TYPE_CHECKING:
    from hierpair.io.datasets.tables import Reader

__all__ = ["form_of", "text_columns", "text_rows"]

CSV_BLOCK = 2**23
"""Bytes of a text that Arrow takes apart at a time."""

SPLIT_BY_ARROW = {"csv": ",", "tsv": "\t", "table": "\t"}
"""Forms of which Arrow takes the lines apart, and by what; the others are read by their records."""


def form_of(file: FoundFile, columns: Columns) -> str:
    """Return the form that the beginning of a file looks like."""
    return LABEL_FORMATS.choose(_source(file.path, file.n_bytes, columns)).name


def _source(path: str, n_bytes: int, columns: Columns) -> Source:
    """Return a file of which the first lines are known."""
    source = Source(path, {"columns": columns, "column_names": None, "scored": False})
    with opened(path) as content:
        source.lines = next(lines_in_blocks(path, content, n_bytes))
    source.text = "\n".join([*source.lines, ""])
    return source


def _records_of(path: str, form: str) -> Callable[[Source, Iterable[str]], Records]:
    """Return the records of a form, which whole files are read by, too."""
    made = LABEL_FORMATS[form].records
    if made is None:
        some = ", ".join(name for name, known in LABEL_FORMATS.items() if known.records)
        raise BadInput(
            f"{path}: {form} is only read at once; data sets are Parquet files or text ({some})"
        )
    return made


def text_columns(file: FoundFile, form: str, columns: Columns) -> tuple[dict[str, str], Columns]:
    """Return the columns of a file of text, and what they mean."""
    check_meant(file.path, LABEL_FORMATS[form], columns)
    records_of, source = _records_of(file.path, form), _source(file.path, file.n_bytes, columns)
    records = records_of(source, source.lines)
    names = records.columns_of()[1] if records.check else records.names
    return dict.fromkeys(names, "text"), replace(columns, **records.meaning)


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
    pa, _ = with_pyarrow()
    meaning, bare = reader.columns, replace(reader.columns, where=())
    with _read_lines(reader, part) as records:
        for _ in islice(records.rows, skip):
            pass
        while True:
            with collector_paused():
                some = islice(records.rows, reader.batch_rows)
                numbers, table = records.columns_of(some)
            if not numbers:
                return
            names = [name for name in table if needed is None or name in needed]
            columns: dict[str, Any] = {name: table[name] for name in names}
            for name, cells in columns.items():
                if isinstance(cells, Coded):
                    columns[name] = lists_of(cells.row_ends, cells.values, cells.codes)
                elif reader.form != "jsonl":
                    columns[name] = pa.array(cells, pa.string())
            check = (
                None
                if records.check is None or meaning.where
                else partial(records.check, numbers, table)
            )
            place = partial(_at, f"{part.path}:", numbers)
            yield PartRows(part, columns, len(numbers), place, bare, records.hint, check)


def _at(start: str, numbers: Sequence[int], i: int, *_: Any) -> str:
    return f"{start}{numbers[i]}"


@contextmanager
def _read_lines(reader: Reader, part: DataPart) -> Iterator[Records]:
    """Give the records of a part."""
    source = _source(part.path, part.n_bytes, reader.said)
    with opened(part.path) as content:
        blocks = lines_in_blocks(part.path, content, part.n_bytes)
        lines: Iterator[str] = chain.from_iterable(blocks)
        if reader.guessed and reader.form == "lines":
            lines = _without_tabs(part.path, lines)
        yield _records_of(part.path, reader.form)(source, lines)


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
    source, meaning = (
        _source(part.path, part.n_bytes, reader.said),
        replace(reader.columns, where=()),
    )
    head = source.lines
    records = _records_of(part.path, form)(source, head)
    names = list(records.names)
    at = next((k for k, x in enumerate(head, start=1) if x.replace(sign, "").strip()), 0)
    if '"' in head[at - 1] and form == "csv":
        raise ValueError("a title in quotes may be of several lines")
    titled = form != "table" or has_id_header(head[at - 1])
    wanted = [name for name in names if needed is None or name in needed] or names[:1]
    del source, head
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
                yield PartRows(part, columns, some.num_rows, place, meaning)
                n += some.num_rows


def _line_of(reader: Reader, part: DataPart, first: int, n: int) -> Callable[..., str]:
    """Return what tells the lines of some rows; only an error makes it look for them."""

    @cache
    def numbers() -> list[int]:
        with _read_lines(reader, part) as records:
            return [row[0] for row in islice(records.rows, first, first + n)]

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
        done = 0
        while done < len(buffer):
            if not self.rest:
                block = next(self.blocks, None)
                if block is None:
                    break
                self.rest = memoryview(block)
            n = min(len(buffer) - done, len(self.rest))
            buffer[done : done + n], self.rest = self.rest[:n], self.rest[n:]
            done += n
        return done
