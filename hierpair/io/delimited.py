"""Tables in text: a header, and rows that are as long, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from hierpair.errors import BadInput
from hierpair.io.formats import Source
from hierpair.io.text import LONGEST_LINE

__all__ = ["SIGNS", "quoted_fields", "quoted_rows", "table_rows"]

SIGNS = (",", ";", "\t")
"""What separates the fields of a table."""


def quoted_fields(line: str, sign: str) -> list[str]:
    """Return the fields of one line, which may be quoted."""
    return next(csv.reader([line], delimiter=sign), [])


def quoted_rows(
    path: str | Path, lines: Iterable[str], sign: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each row starts, and its fields, which may be quoted."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=sign, strict=True)
    start = 1
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
        start = reader.line_num + 1


def table_rows(
    source: Source, rows: Iterable[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the header, then the rows that are as long; blank rows are passed over."""
    width = 0
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
