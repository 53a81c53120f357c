"""Every form in which results are shown, by name; a new one is one entry."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from hierpair.errors import BadInput, check_choice, shortened, visible
from hierpair.tables.latex import captioned, latex_table
from hierpair.tables.records import Content, Form, Page, json_text
from hierpair.tables.text import WIDEST, folded_table, text_table

FORMS: dict[str, Form] = {}
"""Every form by name."""


def add_form(form: Form) -> Form:
    """Add a form: every result and the command line's ``--format`` know it from now on.

    Parameters
    ----------
    form
        Replaces the one of the same name, if there is one.
    """
    FORMS[form.name] = form
    return form


def show(content: Content, fmt: str, *, spreadsheet: bool = False) -> str:
    """Return a content in a form; ``spreadsheet``: no text is a formula to a spreadsheet.

    Examples
    --------
    >>> from hierpair.tables import listing
    >>> print(show(listing(["a", "b"], [["1", "x"]]), "jsonl"))
    {"a": "1", "b": "x"}
    """
    check_choice("format", fmt, FORMS)
    form = FORMS[fmt]
    text = form.show(content, form)
    return spreadsheet_safe(text, form.separator) if spreadsheet and form.separator else text


class Shown:
    """A result that shows itself in every form.

    A class of results has a method ``content(digits=None, **how)`` that returns a
    :class:`Content`; the rest is done here.
    """

    content: Callable[..., Content]

    def to_table(
        self, fmt: str = "text", digits: int | None = None, *, spreadsheet: bool = False, **how: Any
    ) -> str:
        """Return the form that ``--format`` names: text, Markdown, CSV, JSON, ….

        Parameters
        ----------
        fmt
            ``"text"``, ``"markdown"``, ``"latex"``, ``"html"``: rounded tables with notes;
            ``"csv"``, ``"tsv"``, ``"json"``, ``"jsonl"``: records in full precision; or a form
            that was added (:func:`hierpair.tables.add_form`).
        digits
            Decimals of rounded tables.
        spreadsheet
            No text of CSV and TSV is a formula to a spreadsheet.
        how
            What this kind of result offers beside it.
        """
        return show(self.content(digits, **how), fmt, spreadsheet=spreadsheet)

    def __str__(self) -> str:
        return self.to_table()

    def _repr_html_(self) -> str:
        return small_page(self.content().page(FORMS["html"]))


class Tabular(Shown):
    """A result of numbers that has a method for every usual form.

    ``how`` are the options of its method ``content``: those of ``Scores.content`` for scores.
    """

    def to_text(self, digits: int | None = None, **how: Any) -> str:
        """Return aligned tables, followed by notes and signatures."""
        return self.to_table("text", digits, **how)

    def to_markdown(self, digits: int | None = None, **how: Any) -> str:
        """Return Markdown tables, the best system of each measure bold, notes and signatures."""
        return self.to_table("markdown", digits, **how)

    def to_latex(self, digits: int | None = None, **how: Any) -> str:
        """Return LaTeX tabulars (booktabs), the best bold; notes and signatures are comments.

        Measures are headed as people write them (:attr:`Measure.label`). A caption, which is plain
        text, or a label makes the tabular a table. Of a measure whose values are not over the same
        instances no system is bold, which is said below the table.
        """
        return self.to_table("latex", digits, **how)

    def to_csv(self, *, separator: str = ",", spreadsheet: bool = False, **how: Any) -> str:
        """Return separated values in full precision, a line per record.

        With ``spreadsheet`` no text is a formula to a spreadsheet
        (:func:`hierpair.tables.spreadsheet_safe`).
        """
        records = self.content(**how).records()
        content = csv_table(records.header, records.rows, separator)
        return spreadsheet_safe(content, separator) if spreadsheet else content

    def to_json(self, **how: Any) -> str:
        """Return a JSON object with everything, in full precision; NaN becomes null."""
        return self.to_table("json", **how)

    def to_jsonl(self, **how: Any) -> str:
        """Return one JSON object per line, for every record of :meth:`to_csv`."""
        return self.to_table("jsonl", **how)


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], best: Sequence[set[int]] = ()
) -> str:
    """Return a Markdown table; ``best`` holds the columns to set bold, row by row."""
    lines = [[_escaped(c) for c in header], ["---", *["---:"] * (len(header) - 1)]]
    for i, row in enumerate(rows):
        bold = best[i] if best else set()
        cells = [_escaped(c) for c in row]
        lines.append([f"**{c}**" if k in bold else c for k, c in enumerate(cells)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {c: f"\\{c}" for c in "\\`*[]|"}
"""Signs that Markdown would take for a cell, a link, emphasis or HTML."""


def _escaped(text: str) -> str:
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
    rows = [*csv.reader(io.StringIO(content, newline=""), delimiter=separator)]
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


MOST_ROWS, LONGEST_LINE = 50, 1_000
"""Rows of a table in a notebook, and letters of a cell or a note."""


def _text(content: Content, form: Form) -> str:
    page = content.page(form)
    parts = []
    for b in page.blocks:
        table = folded_table(b.header, b.rows) if b.fold else text_table(b.header, b.rows, b.align)
        parts.append(f"{visible(b.title)}\n\n{table}" if b.title else table)
    lines = ("\n".join(map(visible, said)) for said in (page.notes, page.signatures) if said)
    return "\n\n".join([*parts, *lines])


def _markdown(content: Content, form: Form) -> str:
    page = content.page(form)
    parts = []
    for b in page.blocks:
        table = markdown_table(b.header, b.rows, b.best)
        parts.append(f"**{visible(b.title)}**\n\n{table}" if b.title else table)
    notes = [*page.notes, *(f"`{s}`" for s in page.signatures)]
    return "\n\n".join([*parts, *(["\n".join(f"- {visible(n)}" for n in notes)] if notes else [])])


def _latex(content: Content, form: Form) -> str:
    page = content.page(form)
    parts, caption, label = [], page.caption, page.label
    for b in page.blocks:
        table = captioned(latex_table(b.header, b.rows, b.best, b.foot, b.align), caption, label)
        parts.append(f"% {visible(b.title)}\n{table}" if b.title else table)
        caption = label = None  # they are those of the first
    notes = [f"% {visible(line)}" for line in [*page.notes, *page.signatures]]
    return "\n".join([*notes, "\n\n".join(parts)])


def html_page(page: Page) -> str:
    """Return tables as HTML, and below them what has to be known beside them."""
    parts = [
        html_table(b.header, b.rows, b.best, align=b.align, title=b.title) for b in page.blocks
    ]
    for lines in (page.notes, page.signatures):
        items = "\n".join(f"<li>{html_text(line)}</li>" for line in lines)
        if lines is page.signatures and lines:
            parts.append(f"<details><summary>signatures</summary><ul>\n{items}\n</ul></details>")
        elif lines:
            parts.append(f"<ul>\n{items}\n</ul>")
    return "\n".join(["<div>", *parts, "</div>"])


def small_page(page: Page) -> str:
    """Return a page as notebooks show it: HTML of bounded size, whatever the result and names."""

    def short(texts: Sequence[str]) -> list[str]:
        return [shortened(text, LONGEST_LINE) for text in texts]

    blocks, more = [], []
    for b in page.blocks:
        rows = [short(row) for row in b.rows[:MOST_ROWS]]
        [title], header, best = short([b.title]), short(b.header), b.best[:MOST_ROWS]
        blocks.append(replace(b, header=header, rows=rows, title=title, best=best))
        if left := len(b.rows) - len(rows):
            more.append(f"and {left:,} more rows; to_table() has all")
    notes, pins = (
        short(lines[:MOST_ROWS]) + ["…"] * (len(lines) > MOST_ROWS)
        for lines in (page.notes, page.signatures)
    )
    return html_page(Page(blocks, [*more, *notes], pins))


def _separated(content: Content, form: Form) -> str:
    records = content.records()
    return csv_table(records.header, records.rows, form.separator or ",")


def _json(content: Content, form: Form) -> str:
    return json_text(content.data() if content.data else content.records().to_dicts())


def _json_lines(content: Content, form: Form) -> str:
    return "\n".join(json_text(record, indent=None) for record in content.records().to_dicts())


for _form in (
    Form("text", _text, paper=True, width=WIDEST),
    Form("json", _json, (".json",)),
    Form("jsonl", _json_lines, (".jsonl", ".ndjson")),
    Form("csv", _separated, (".csv",), separator=","),
    Form("tsv", _separated, (".tsv",), separator="\t"),
    Form("markdown", _markdown, (".md",), paper=True),
    Form("latex", _latex, (".tex",), paper=True, typeset=True),
    Form(
        "html", lambda content, form: html_page(content.page(form)), (".html", ".htm"), paper=True
    ),
):
    add_form(_form)
