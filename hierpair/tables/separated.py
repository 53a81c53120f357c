"""Tables as separated values, and those that are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from hierpair.errors import BadInput

__all__ = ["csv_table", "spreadsheet_safe"]


def csv_table(header: Sequence[str], rows: Sequence[Sequence[object]], separator: str = ",") -> str:
    """Return comma- or tab-separated values, quoted where needed."""
    if len(separator) != 1:
        raise BadInput(f"separator must be one character, got {separator!r}")
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def spreadsheet_safe(content: str, separator: str = ",") -> str:
    r"""Return separated values in which no text is a formula to a spreadsheet.

    What begins with ``= + - @``, in their wide forms too, a tab or a line end, and is no number,
    gets an apostrophe before it.

    >>> spreadsheet_safe("id,value\n=1+1,-2")
    "id,value\n'=1+1,-2"
    """
    before = csv.field_size_limit(max(len(content), 1))
    try:
        rows = list(csv.reader(io.StringIO(content, newline=""), delimiter=separator))
    finally:
        csv.field_size_limit(before)
    safe = [[f"'{c}" if c[:1] in FORMULA and not _is_number(c) else c for c in row] for row in rows]
    return csv_table(safe[0], safe[1:], separator) if safe else content


FORMULA = (*"=+-@＝＋－＠", "\t", "\r", "\n")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
