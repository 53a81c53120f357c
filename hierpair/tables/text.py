"""Tables as aligned text: whole, folded between columns, or with folded cells."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from itertools import chain, zip_longest

from hierpair.errors import visible

WIDEST, NARROWEST = 100, 60
"""Columns of text that is meant to be read."""

BREAKS = re.compile(r"[^\s,(/=]*[,(/=]?\s*")
"""A piece that a line may end after."""


def number(value: float, digits: int) -> str:
    """Return a value with so many decimals; one that would show as 0 keeps two digits.

    >>> number(2 / 3, 4), number(0.0, 4), number(9.01e-6, 4), number(float("nan"), 4)
    ('0.6667', '0.0000', '9.0e-06', 'nan')
    """
    if math.isnan(value):
        return "nan"
    tiny = value != 0 and float(f"{value:.{digits}f}") == 0
    return f"{value:.1e}" if tiny else f"{value:.{digits}f}"


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], align: str | None = None
) -> str:
    """Return an aligned table; ``align`` has an l or r per column (default: l, then r).

    Line ends and signs that steer a terminal are spelled out in cells.

    >>> print(text_table(["measure", "A"], [["hf", "0.5"]]))
    measure    A
    hf       0.5
    """
    header, rows = [*map(visible, header)], [[*map(visible, row)] for row in rows]
    widths = [max(map(text_width, column)) for column in zip(header, *rows, strict=True)]
    sides = align or "l" + "r" * (len(header) - 1)
    lines = []
    for row in [header, *rows]:
        cells = [_pad(*cell) for cell in zip(row, widths, sides, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def folded_table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int = 100) -> str:
    """Return an aligned table in parts that are no wider than this, each with the first column.

    A row that is blank in one of several parts is left out there.

    >>> print(folded_table(["", "one", "two"], [["x", "1", "2"]], 7))
       one
    x    1
    <BLANKLINE>
       two
    x    2
    """
    widths = [2 + max(map(text_width, column)) for column in zip(header, *rows, strict=True)]
    parts: list[list[int]] = [[]]
    for k in range(1, len(header)):
        if parts[-1] and widths[0] - 2 + sum(widths[j] for j in parts[-1]) + widths[k] > width:
            parts.append([])
        parts[-1].append(k)
    shown = []
    for part in parts:
        cells = [[row[0], *(row[k] for k in part)] for row in rows]
        kept = [row for row in cells if len(parts) == 1 or any(row[1:])]
        shown.append(text_table([header[0], *(header[k] for k in part)], kept))
    return "\n\n".join(shown)


def wrapped_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: str,
    width: int,
    notes: Sequence[str] = (),
    indent: str = "",
) -> str:
    """Return an aligned table of at most so many columns.

    Parameters
    ----------
    header, rows, align
        As for :func:`text_table`.
    width
        Columns of the terminal; the widest columns are folded until the table fits.
    notes
        A text for each row, which stands below it if it is not empty.
    indent
        What every line begins with.
    """
    room = width - len(indent) - 2 * (len(header) - 1)
    widths = [max(map(text_width, column)) for column in zip(header, *rows, strict=True)]
    while sum(widths) > room:
        widths[widths.index(max(widths))] -= 1
    lines = [[*zip_longest(*map(fold, row, widths), fillvalue="")] for row in (header, *rows)]
    printed = iter(text_table(lines[0][0], list(chain(*lines))[1:], align).split("\n"))
    out = []
    for some, note in zip_longest(lines, ["", *notes], fillvalue=""):
        out += [next(printed) for _ in some]
        out += [f"    {part}" for part in fold(note, width - len(indent) - 4) if note]
    return "\n".join(f"{indent}{line}".rstrip() for line in out)


def fold(text: str, width: int) -> list[str]:
    """Return a text in lines that are at most so wide; a longer word is cut.

    >>> fold("hf(root=include, beta=2)", 16)
    ['hf(root=include,', 'beta=2)']
    """
    lines, line = [], ""
    for piece in BREAKS.findall(" ".join(text.split())):
        if line and text_width((line + piece).rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
        while text_width(line.rstrip()) > width:
            cut = next(n for n in range(len(line), 0, -1) if text_width(line[:n]) <= width)
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def terminal_width() -> int:
    """Return how wide text may be: that of the terminal or ``COLUMNS``, from 60 to 100."""
    width = WIDEST
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        width = shutil.get_terminal_size((WIDEST, 24)).columns
    return min(max(width, NARROWEST), WIDEST)


def table_width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how many columns of a terminal a table takes."""
    columns = zip(header, *rows, strict=True)
    return sum(2 + max(map(text_width, column)) for column in columns) - 2


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _pad(text: str, width: int, side: str) -> str:
    blanks = " " * (width - text_width(text))
    return text + blanks if side == "l" else blanks + text
