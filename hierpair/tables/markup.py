"""Tables as Markdown and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hierpair.errors import visible

__all__ = ["html_table", "html_text", "markdown_table"]


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], best: Sequence[set[int]] = ()
) -> str:
    """Return a Markdown table; ``best`` holds the columns to set bold, row by row."""
    lines = [[_markdown(c) for c in header], ["---", *["---:"] * (len(header) - 1)]]
    for i, row in enumerate(rows):
        bold = best[i] if best else set()
        cells = [_markdown(c) for c in row]
        lines.append([f"**{c}**" if k in bold else c for k, c in enumerate(cells)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {c: f"\\{c}" for c in "\\`*[]|"}
"""Signs that Markdown would take for a cell, a link, emphasis or HTML."""


def _markdown(text: str) -> str:
    return "".join(MARKDOWN.get(c, c) for c in visible(text))


def html_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    best: Sequence[set[int]] = (),
    *,
    align: str | None = None,
    title: str = "",
) -> str:
    """Return an HTML table without style sheets; ``best`` as in :func:`markdown_table`.

    Parameters
    ----------
    header, rows
        Texts; all are escaped.
    best
        Columns to set bold, row by row.
    align
        An l or r per column (default: l, then r).
    title
        Caption of the table.

    Examples
    --------
    >>> print(html_table(["measure", "A"], [["h<f", "0.5"]]))  # doctest: +ELLIPSIS
    <table>
    <thead><tr><th style="text-align: left">measure</th>...</tr></thead>
    <tbody>
    <tr><td style="text-align: left">h&lt;f</td><td style="text-align: right">0.5</td></tr>
    </tbody>
    </table>
    """
    sides = align or "l" + "r" * (len(header) - 1)

    def line(cells: Sequence[str], kind: str, bold: set[int]) -> str:
        shown = []
        for k, (cell, side) in enumerate(zip(cells, sides, strict=True)):
            text = f"<strong>{html_text(cell)}</strong>" if k in bold else html_text(cell)
            place = "left" if side == "l" else "right"
            shown.append(f'<{kind} style="text-align: {place}">{text}</{kind}>')
        return f"<tr>{''.join(shown)}</tr>"

    caption = [f"<caption>{html_text(title)}</caption>"] if title else []
    body = [line(row, "td", best[i] if best else set()) for i, row in enumerate(rows)]
    head = f"<thead>{line(header, 'th', set())}</thead>"
    return "\n".join(["<table>", *caption, head, "<tbody>", *body, "</tbody>", "</table>"])


def html_text(text: str) -> str:
    """Return a text as HTML shows it, in letters that need no declared character set.

    >>> html_text('a < "b" ↑')
    'a &lt; &quot;b&quot; &#8593;'
    """
    return escape(visible(text)).encode("ascii", "xmlcharrefreplace").decode()
