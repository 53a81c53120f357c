"""Tables as aligned text: whole, folded between columns, or with long cells in several lines."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap

from hierpair.errors import visible

Texts = Sequence[str]
Rows = Sequence[Texts]
"""Cells, or other lines, and several rows of them."""

WIDEST, LEAST = 100, 20
"""Columns of text that is meant to be read; and of a cell that goes on in further lines."""


def number(value: float, digits: int) -> str:
    """Return a value with so many decimals; one that would show as 0 keeps two digits.

    >>> number(2 / 3, 4), number(0.0, 4), number(9.01e-6, 4), number(float("nan"), 4)
    ('0.6667', '0.0000', '9.0e-06', 'nan')
    """
    if math.isnan(value):
        return "nan"
    tiny = value != 0 and float(f"{value:.{digits}f}") == 0
    return f"{value:.1e}" if tiny else f"{value:.{digits}f}"


def text_table(header: Texts, rows: Rows, align: str | None = None, most: float = math.inf) -> str:
    """Return an aligned table; ``align`` has an l or r per column (default: l, then r).

    Line ends and signs that steer a terminal are spelled out in cells. In a table that would be
    wider than ``most`` long cells of columns on the left go on in further lines.

    >>> print(text_table(["measure", "A"], [["hf", "0.5"]]))
    measure    A
    hf       0.5
    """
    grid = [[*map(visible, row)] for row in (header, *rows)]
    widths = [*map(column_width, zip(*grid, strict=True))]
    sides = align or "l" + "r" * (len(header) - 1)
    if sum(widths) + 2 * len(widths) - 2 > most:
        long = [k for k, side in enumerate(sides) if side == "l"]
        while sum(widths) + 2 * len(widths) - 2 > most:
            widest = max(long, key=widths.__getitem__)
            if widths[widest] <= LEAST:
                break
            widths[widest] -= 1
        lines = (map(wrap, row, widths) for row in grid)
        grid = [[*line] for row in lines for line in zip_longest(*row, fillvalue="")]

    def padded(text: str, width: int, side: str) -> str:
        blanks = " " * (width - text_width(text))
        return text + blanks if side == "l" else blanks + text

    return "\n".join("  ".join(map(padded, row, widths, sides)).rstrip() for row in grid)


def folded_table(header: Texts, rows: Rows) -> str:
    """Return an aligned table in parts, each with the first column, without rows that are blank."""
    first, *columns = zip(header, *rows, strict=True)
    parts, taken = [[first]], 0
    for column in columns:
        wide = 2 + column_width(column)
        if taken and column_width(first) + taken + wide > WIDEST:
            parts, taken = [*parts, [first]], 0
        parts[-1].append(column)
        taken += wide
    shown = []
    for part in parts:
        head, *body = zip(*part, strict=True)
        shown.append(text_table(head, [x for x in body if len(parts) == 1 or any(x[1:])]))
    return "\n\n".join(shown)


def column_width(texts: Iterable[str]) -> int:
    """Return how many columns of a terminal the widest of these texts takes."""
    return max(map(text_width, texts))


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
