"""Tables for a terminal: cells that are too wide are folded, notes stand below their row."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence

from hierpair.tables.formats import text_table, text_width

__all__ = ["fold", "terminal_width", "wrapped_table"]

WIDEST, NARROWEST = 100, 60
"""Columns of text that is meant to be read."""

BREAKS = re.compile(r"[^\s,(/=]*[,(/=]?\s*")
"""A piece that a line may end after."""


def terminal_width() -> int:
    """Return how wide text may be: that of the terminal or ``COLUMNS``, from 60 to 100."""
    width = WIDEST
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        width = shutil.get_terminal_size((WIDEST, 24)).columns
    return min(max(width, NARROWEST), WIDEST)


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
        As for :func:`hierpair.tables.formats.text_table`.
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
    lines: list[tuple[str, ...]] = []
    below: dict[int, str] = {}
    for k, row in enumerate(rows):
        cells = [fold(cell, w) for cell, w in zip(row, widths, strict=True)]
        high = max(map(len, cells))
        lines += zip(*(cell + [""] * (high - len(cell)) for cell in cells), strict=True)
        if notes and notes[k]:
            below[len(lines)] = notes[k]
    heads = [fold(cell, w) for cell, w in zip(header, widths, strict=True)]
    high = max(map(len, heads))
    top = list(zip(*(cell + [""] * (high - len(cell)) for cell in heads), strict=True))
    printed = text_table(top[0], [*top[1:], *lines], align).split("\n")
    out = printed[:high]
    for k, line in enumerate(printed[high:], start=1):
        out.append(line)
        if k in below:
            out += [f"    {part}" for part in fold(below[k], width - len(indent) - 4)]
    return "\n".join(f"{indent}{line}".rstrip() for line in out)
