"""Fields of lines: tables with a header, quoted or not, and whole blocks of plain lines at once."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from operator import methodcaller
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput
from hierpair.io.formats import Batch, Row, Source, batched
from hierpair.io.text import LONGEST_LINE

__all__ = [
    "SIGNS",
    "Fields",
    "Plain",
    "quoted_fields",
    "quoted_rows",
    "split_batches",
    "table_rows",
]

BATCH_CHARACTERS, STEP = 2**25, 2**12
"""Lines that are read at a time hold about so many characters; they are looked at step by step."""

SIGNS = (",", ";", "\t")
"""What separates the fields of a table."""

Plain = Callable[[list[str], str, int, bool], Any]
"""Takes whole lines apart, if they are plain; see :func:`split_batches`."""

Fields = tuple[int, list[str]]
"""The line on which a row starts, and its fields."""


def quoted_fields(line: str, sign: str) -> list[str]:
    """Return the fields of one line, which may be quoted."""
    return next(csv.reader([line], delimiter=sign), [])


def quoted_rows(
    path: str | Path, lines: Iterable[str], sign: str, first: int = 1
) -> Iterator[Fields]:
    """Yield the line on which each row starts, and its fields, which may be quoted."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=sign, strict=True)
    start = first
    while True:
        limit = csv.field_size_limit(LONGEST_LINE)  # of the whole process: put back row by row
        try:
            fields = next(reader, None)
        except csv.Error as error:
            reason = str(error).replace(
                "unexpected end of data", "a quotation mark opens here and none closes it"
            )
            raise BadInput(f"{path}:{start}: not CSV: {reason}") from None
        finally:
            csv.field_size_limit(limit)
        if fields is None:
            return
        yield start, fields
        start = first + reader.line_num


def table_rows(source: Source, rows: Iterable[Fields], width: int = 0) -> Iterator[Fields]:
    """Yield the rows that are as long as the first one, or have this width; blank ones are none."""
    for number, fields in rows:
        if not any(field.strip() for field in fields):
            continue
        width = width or len(fields)
        if len(fields) == width:
            yield number, fields
        else:
            said = f"expected {width} fields as in the header, got {len(fields)}"
            source.fault(number, said)
    if not width:
        raise BadInput(f"{source.path}: the file has no header")


def split_batches(
    path: str | Path,
    lines: Iterator[str],
    sign: str | None,
    width: int,
    kept: Callable[[Iterable[Fields]], Iterable[Fields]],
    *,
    first: int = 1,
    quoted: bool = False,
    plain: Plain | None = None,
) -> Callable[[int | None], Iterator[Batch]]:
    """Return what yields lines and fields of a text, a number of lines at a time.

    Parameters
    ----------
    path, lines, first
        The file, its lines, and the number of the first of them.
    sign
        What separates the fields; None: blanks.
    width
        How many fields a row has.
    kept
        Takes rows and yields those that count, or tells what is wrong with one. Lines that can
        only be such rows are not taken apart one by one.
    quoted
        Whether fields may be quoted, and then hold separators and line ends.
    plain
        Takes lines, ``sign``, ``width`` and ``quoted``; returns the fields of all of them where
        each has as many and begins with a text, or None.
    """
    plain = plain or _plain_fields

    def batches(n: int | None) -> Iterator[Batch]:
        number = first
        while some := list(lines) if n is None else _some(lines, n):
            flat = None if sign is None else plain(some, sign, width, quoted)
            if flat is not None:
                yield range(number, number + len(some)), flat
            else:
                rows: Iterable[Fields]
                if quoted:
                    rows = quoted_rows(path, chain(some, lines), sign or ",", number)
                else:
                    rows = ((k, line.split(sign)) for k, line in enumerate(some, number))
                found: Iterable[Row] = ((k, *fields) for k, fields in kept(rows))
                yield from batched(found, n)
            number += len(some)

    return batches


def _some(lines: Iterator[str], n: int) -> list[str]:
    """Return so many lines, or fewer where they are long."""
    found, size = list[str](), 0
    while size < BATCH_CHARACTERS and (more := list(islice(lines, min(STEP, n - len(found))))):
        found += more
        size += sum(map(len, more))
    return found


def _plain_fields(lines: list[str], sign: str, width: int, quoted: bool) -> list[str] | None:
    """Return the fields of plain lines, or None."""
    text = sign.join(lines)
    if quoted and '"' in text:
        return None
    fields = text.split(sign)
    plain = set(map(methodcaller("count", sign), lines)) == {width - 1}
    return fields if plain and all(map(str.strip, fields[::width])) else None
