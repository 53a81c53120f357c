"""Every form in which results are shown, by name; a new one is one entry."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from hierpair.errors import check_choice, counted, shortened, visible
from hierpair.tables.latex import LONG, NEGATIVE, captioned, latex_text
from hierpair.tables.records import Block, Content, Form, Page, json_text
from hierpair.tables.text import WIDEST, Texts, folded_table, text_table

if TYPE_CHECKING:
    import pandas as pd


def show(content: Content, fmt: str) -> str:
    """Return a content in a form.

    Examples
    --------
    >>> from hierpair.tables import listing
    >>> print(show(listing(["a", "b"], [["1", "x"]]), "jsonl"))
    {"a": "1", "b": "x"}
    """
    check_choice("format", fmt, FORMS)
    form = FORMS[fmt]
    return form.show(content, form)


class Shown:
    """A result that shows itself in every form: a class has ``content(digits=None, **how)``."""

    content: Callable[..., Content]

    def to_table(self, fmt: str = "text", digits: int | None = None, **how: Any) -> str:
        """Return the form that ``--format`` names: text, Markdown, CSV, JSON, ….

        Parameters
        ----------
        fmt
            ``"text"``, ``"markdown"``, ``"latex"``, ``"html"``: rounded tables with notes;
            ``"csv"``, ``"tsv"``, ``"json"``, ``"jsonl"``: records in full precision; or a form
            that was added to :data:`hierpair.tables.FORMS`.
        digits
            Decimals of rounded tables.
        how
            What this kind of result offers beside it.
        """
        return show(self.content(digits, **how), fmt)

    def __str__(self) -> str:
        return self.to_table()

    def _repr_html_(self) -> str:
        return small_page(self.content().page(FORMS["html"]))


class Tabular(Shown):
    """A result of numbers that has a method for every usual form.

    ``how`` are the options of its method ``content``: those of ``Scores.content`` for scores.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(len(self.content().records().rows), 'row')})"

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

    def to_csv(self, **how: Any) -> str:
        """Return comma-separated values in full precision, a line per record.

        A text may be a formula to a spreadsheet: :func:`hierpair.tables.spreadsheet_safe`.
        """
        return self.to_table("csv", **how)

    def to_json(self, **how: Any) -> str:
        """Return a JSON object with everything, in full precision; NaN becomes null."""
        return self.to_table("json", **how)

    def to_dataframe(self, **how: Any) -> pd.DataFrame:
        """Return the records as a pandas DataFrame; options as for ``content``."""
        return self.content(**how).records().to_dataframe()


def marked_rows(block: Block, text: Callable[[str], str], bold: str) -> list[list[str]]:
    """Return the rows of a table in the letters of a form, with the best cells in bold."""
    return [
        [(bold if k in best else "{}").format(text(cell)) for k, cell in enumerate(row)]
        for row, best in zip_longest(block.rows, block.best, fillvalue=())
    ]


def sides_of(block: Block) -> str:
    """Return an l or r per column."""
    return block.align or "l" + "r" * (len(block.header) - 1)


def markdown_table(block: Block) -> str:
    """Return a Markdown table.

    >>> print(markdown_table(Block(["of", "said", "n"], [["a", "b", "1"]], align="llr")))
    | of | said | n |
    | --- | --- | ---: |
    | a | b | 1 |
    """
    marks = ["---:" if side == "r" else "---" for side in sides_of(block)]
    lines = [[*map(_escaped, block.header)], marks, *marked_rows(block, _escaped, "**{}**")]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | {c: f"\\{c}" for c in "\\`*[]|"}
"""Signs that Markdown would take for a cell, a link, emphasis or HTML."""


def _escaped(text: str) -> str:
    return "".join(MARKDOWN.get(c, c) for c in visible(text))


def html_table(block: Block) -> str:
    """Return an HTML table without style sheets; the title is its caption."""
    places = ["left" if side == "l" else "right" for side in sides_of(block)]

    def line(cells: Texts, kind: str) -> str:
        aligned = zip(places, cells, strict=True)
        shown = (f'<{kind} style="text-align: {place}">{c}</{kind}>' for place, c in aligned)
        return f"<tr>{''.join(shown)}</tr>"

    caption = [f"<caption>{html_text(block.title)}</caption>"] if block.title else []
    head = f"<thead>{line([*map(html_text, block.header)], 'th')}</thead>"
    body = (line(row, "td") for row in marked_rows(block, html_text, "<strong>{}</strong>"))
    return "\n".join(["<table>", *caption, head, "<tbody>", *body, "</tbody>", "</table>"])


def html_text(text: str) -> str:
    """Return a text as HTML shows it, in letters that need no declared character set.

    >>> html_text('a < "b" ↑')
    'a &lt; &quot;b&quot; &#8593;'
    """
    return escape(visible(text)).encode("ascii", "xmlcharrefreplace").decode()


def latex_table(block: Block) -> str:
    """Return a LaTeX tabular in booktabs style; texts of a column that has long ones are broken."""
    columns = zip(sides_of(block), block.header, *block.rows, strict=True)
    widths = (r"p{0.4\textwidth}" if max(map(len, x)) > LONG else side for side, *x in columns)
    rows = marked_rows(block, lambda cell: latex_text(NEGATIVE.sub("−", cell)), r"\textbf{{{}}}")
    wide = rf"\multicolumn{{{len(block.header)}}}{{p{{0.9\textwidth}}}}"
    return "\n".join([
        rf"\begin{{tabular}}{{{''.join(widths)}}}",
        r"\toprule",
        " & ".join(map(latex_text, block.header)) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        *(rf"{wide}{{\footnotesize {latex_text(note)}}} \\" for note in block.foot),
        r"\end{tabular}",
    ])  # fmt: skip


def csv_table(header: Texts, rows: Sequence[Sequence[object]], separator: str = ",") -> str:
    """Return comma- or tab-separated values, quoted where needed."""
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


def _text(content: Content, form: Form) -> str:
    def table(b: Block) -> str:
        if b.fold is True:
            return folded_table(b.header, b.rows)
        return text_table(b.header, b.rows, b.align, WIDEST if b.fold else math.inf)

    page = content.page(form)
    parts = [f"{visible(b.title)}\n\n{table(b)}" if b.title else table(b) for b in page.blocks]
    lines = ("\n".join(map(visible, said)) for said in (page.notes, page.signatures) if said)
    return "\n\n".join([*parts, *lines])


def _markdown(content: Content, form: Form) -> str:
    page = content.page(form)
    parts = [f"**{visible(b.title)}**\n\n" * bool(b.title) + markdown_table(b) for b in page.blocks]
    notes = [*page.notes, *(f"`{s}`" for s in page.signatures)]
    return "\n\n".join([*parts, *(["\n".join(f"- {visible(n)}" for n in notes)] if notes else [])])


def _latex(content: Content, form: Form) -> str:
    page = content.page(form)
    parts = [*map(latex_table, page.blocks)]
    parts[:1] = [captioned(table, page.caption, page.label) for table in parts[:1]]
    titled = (f"% {visible(b.title)}\n" * bool(b.title) + table
              for b, table in zip(page.blocks, parts, strict=True))  # fmt: skip
    notes = [f"% {visible(line)}" for line in [*page.notes, *page.signatures]]
    return "\n".join([*notes, "\n\n".join(titled)])


def html_page(page: Page) -> str:
    """Return tables as HTML, and below them what has to be known beside them."""
    lists = {
        "<ul>\n{}\n</ul>": page.notes,
        "<details><summary>signatures</summary><ul>\n{}\n</ul></details>": page.signatures,
    }
    told = (
        form.format("\n".join(f"<li>{html_text(line)}</li>" for line in lines))
        for form, lines in lists.items() if lines
    )  # fmt: skip
    return "\n".join(["<div>", *map(html_table, page.blocks), *told, "</div>"])


MOST_ROWS, LONGEST_LINE = 50, 1_000
"""Rows of a table in a notebook, and letters of a cell or a note."""


def small_page(page: Page) -> str:
    """Return a page as notebooks show it: HTML of bounded size, whatever the result and names."""

    def short(texts: Texts) -> list[str]:
        return [shortened(text, LONGEST_LINE) for text in texts]

    def few(lines: Texts) -> list[str]:
        return short(lines[:MOST_ROWS]) + ["…"] * (len(lines) > MOST_ROWS)

    blocks = [
        replace(b, header=short(b.header), rows=[*map(short, b.rows[:MOST_ROWS])],
                title=shortened(b.title, LONGEST_LINE), best=b.best[:MOST_ROWS])
        for b in page.blocks
    ]  # fmt: skip
    more = [
        f"and {len(b.rows) - MOST_ROWS:,} more rows; to_table() has all"
        for b in page.blocks
        if len(b.rows) > MOST_ROWS
    ]
    return html_page(Page(blocks, [*more, *few(page.notes)], few(page.signatures)))


def _separated(content: Content, form: Form) -> str:
    records = content.records()
    return csv_table(records.header, records.rows, form.separator or ",")


def _json_lines(content: Content, form: Form) -> str:
    return "\n".join(json_text(record, indent=None) for record in content.records().to_dicts())


FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form("text", _text, paper=True),
        Form("json", lambda content, form: json_text(content.facts()), (".json",)),
        Form("jsonl", _json_lines, (".jsonl", ".ndjson")),
        Form("csv", _separated, (".csv",), separator=","),
        Form("tsv", _separated, (".tsv",), separator="\t"),
        Form("markdown", _markdown, (".md",), paper=True),
        Form("latex", _latex, (".tex",), paper=True, typeset=True),
        Form(
            "html",
            lambda content, form: html_page(content.page(form)),
            (".html", ".htm"),
            paper=True,
        ),
    )
}
"""Every form by name: results and the command line's ``--format`` know what is added here."""
