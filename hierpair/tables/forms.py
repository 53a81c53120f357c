"""Every form in which results are shown, by name; a new one is one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hierpair.errors import BadInput, did_you_mean, visible
from hierpair.tables.latex import captioned, latex_listing, latex_table
from hierpair.tables.markup import html_table, html_text, markdown_table
from hierpair.tables.records import Content, Form, json_text
from hierpair.tables.separated import csv_table, spreadsheet_safe
from hierpair.tables.text import WIDEST, folded_table, text_table

__all__ = ["FORMS", "Shown", "add_form", "form_named", "show"]


FORMS: dict[str, Form] = {}
"""Every form by name."""


def add_form(form: Form) -> Form:
    """Add a form: every result and the command line's ``--format`` know it from now on.

    Parameters
    ----------
    form
        Replaces the one of the same name, if there is one.

    Raises
    ------
    BadInput
        For an ending that another form has, or a name with blanks.
    """
    if not form.name or form.name != "".join(form.name.split()):
        raise BadInput(f"a form needs a name without blanks, got {form.name!r}")
    for other in FORMS.values():
        shared = set(other.endings) & set(form.endings)
        if other.name != form.name and shared:
            raise BadInput(f"files that end in {min(shared)} are already of the form {other.name}")
    FORMS[form.name] = form
    return form


def form_named(name: str) -> Form:
    """Return a form by its name.

    Raises
    ------
    BadInput
        For an unknown one.
    """
    if name not in FORMS:
        raise BadInput(
            f"format must be one of {', '.join(FORMS)}, got {name!r}{did_you_mean(name, FORMS)}"
        )
    return FORMS[name]


def show(content: Content, fmt: str, *, spreadsheet: bool = False) -> str:
    """Return a content in a form; ``spreadsheet``: no text is a formula to a spreadsheet.

    Examples
    --------
    >>> from hierpair.tables import listing
    >>> print(show(listing(["a", "b"], [["1", "x"]]), "jsonl"))
    {"a": "1", "b": "x"}
    """
    form = form_named(fmt)
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
        return _html(self.content(), FORMS["html"], MOST_ROWS)


MOST_ROWS = 50
"""Rows of a table in a notebook."""


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
    parts = []
    for b in page.blocks:
        if b.prose:
            table = latex_listing(b.header, b.rows)
        else:
            table = latex_table(b.header, b.rows, b.best, b.foot)
        parts.append(f"% {visible(b.title)}\n{table}" if b.title else table)
    notes = [f"% {visible(line)}" for line in [*page.notes, *page.signatures]]
    return captioned("\n".join([*notes, "\n\n".join(parts)]), page.caption, page.label)


def _html(content: Content, form: Form, most_rows: int | None = None) -> str:
    page = content.page(form)
    parts = []
    for b in page.blocks:
        more = len(b.rows) - most_rows if most_rows is not None else 0
        short = replace(b, rows=b.rows[:most_rows], best=b.best[:most_rows])
        parts.append(html_table(short.header, short.rows, short.best, align=b.align, title=b.title))
        parts += [f"<p>and {more:,} more rows; to_table() has all</p>"] if more > 0 else []
    for lines in (page.notes, page.signatures):
        items = "\n".join(f"<li>{html_text(line)}</li>" for line in lines)
        if lines is page.signatures and lines:
            parts.append(f"<details><summary>signatures</summary><ul>\n{items}\n</ul></details>")
        elif lines:
            parts.append(f"<ul>\n{items}\n</ul>")
    return "\n".join(["<div>", *parts, "</div>"])


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
    Form("html", _html, (".html", ".htm"), paper=True),
):
    add_form(_form)
