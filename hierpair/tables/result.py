"""One class for every result: records in full precision, and views of them as people read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import table_width

__all__ = ["Result", "ScoreTable", "View", "laid_out"]

Looks = Any
"""How a result is shown: what things are called, how numbers are rounded, which way round; see
``hierpair.evaluation.looks.Look``."""


@dataclass(frozen=True)
class ScoreTable:
    """Cells by system and column; a column is a quantity or has a heading of its own.

    ``best`` holds, row by row, the numbers of the columns to set bold.
    """

    systems: Sequence[str]
    columns: Sequence[Any]
    cells: Sequence[Sequence[str]]
    best: Sequence[set[int]] = ()
    title: str = ""
    foot: Sequence[str] = ()

    def block(self, form: Form, look: Looks, *, transpose: bool) -> Block:
        """Return the table as rows of text, one way round or the other."""
        heads = [
            c if isinstance(c, str) else look.heading(c, typeset=form.typeset) for c in self.columns
        ]
        names = [look.name(system) for system in self.systems]
        sides, cells, best = (names, heads), self.cells, self.best
        if transpose:
            sides, cells = (heads, names), [*zip(*self.cells, strict=True)]
            every = range(len(heads))
            best = [{i for i, row in enumerate(self.best) if k in row} for k in every]
        rows = [[name, *some] for name, some in zip(sides[0], cells, strict=True)]
        bold = [{1 + k for k in row} for row in best] if self.best else []
        corner = "measure" if transpose else "system"
        return Block([corner, *sides[1]], rows, self.title, bold, fold=True, foot=self.foot)


def laid_out(tables: Sequence[ScoreTable], form: Form, look: Looks) -> list[Block]:
    """Return tables with systems as rows, all the same way round.

    Where a form has a width, tables that would be wider are turned if that makes them fit.
    """
    upright, turned = (
        [t.block(form, look, transpose=way) for t in tables] for way in (False, True)
    )
    if look.transpose:
        return turned
    wide, narrow = (max(table_width(b.header, b.rows) for b in x) for x in (upright, turned))
    return turned if form.width is not None and wide > form.width >= narrow else upright


@dataclass(frozen=True)
class View:
    """A table for readers out of records: which fields stand in its rows, columns and cells.

    Attributes
    ----------
    records
        In full precision.
    rows
        Fields whose values are names; if there is one, and columns, it names the rows.
    columns
        The field whose values head the columns; ``""``: every other field is a column.
    value
        The field of the cells, where ``columns`` is given.
    interval
        The fields of the ends of an interval, which stand behind the value.
    which
        Of these fields only records with this value are shown.
    heads
        By heading of a column, the quantity that its numbers are of.
    best
        Whether the best number of a column is bold: for each quantity, or for none.
    title, foot
        What stands above, and notes that LaTeX prints below.

    Examples
    --------
    >>> records = Records(["system", "measure", "value"], [["a", "hf", 0.5], ["b", "hf", 1.0]])
    >>> View(records, ("system",), "measure").pivoted()
    (['a', 'b'], ['hf'], [[0.5], [1.0]])
    """

    records: Records
    rows: Sequence[str]
    columns: str = ""
    value: str = "value"
    interval: tuple[str, str] | None = None
    which: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    heads: Mapping[str, Any] = field(default_factory=dict)
    best: Callable[[Any], bool] = lambda _: False
    title: str = ""
    foot: Sequence[str] = ()

    def _shown(self) -> list[dict[str, Any]]:
        every = self.records.to_dicts()
        return [r for r in every if all(r[name] in some for name, some in self.which.items())]

    def pivoted(self, value: str = "") -> tuple[list[Any], list[Any], list[list[Any]]]:
        """Return names of rows and of columns, and the values (or another field) between them."""
        (row,), some = self.rows, self._shown()
        rows, columns = (list(dict.fromkeys(r[name] for r in some)) for name in (row, self.columns))
        found = {(r[row], r[self.columns]): r[value or self.value] for r in some}
        return rows, columns, [[found[a, b] for b in columns] for a in rows]

    def table(self, look: Looks) -> ScoreTable:
        """Return the view as a table whose rows and columns can change places."""
        rows, columns, values = self.pivoted()
        heads = [self.heads.get(c, c) for c in columns]
        cells = [[look.cell(m, x) for m, x in zip(heads, row, strict=True)] for row in values]
        if self.interval is not None:
            low, high = (self.pivoted(end)[2] for end in self.interval)
            cells = [
                [
                    f"{x} [{look.cell(m, a)}, {look.cell(m, b)}]"
                    for m, x, a, b in zip(heads, *row, strict=True)
                ]
                for row in zip(cells, low, high, strict=True)
            ]
        best: list[set[int]] = [set() for _ in rows]
        for k, m in enumerate(heads if len(rows) > 1 else ()):
            known = [row[k] for row in values if row[k] == row[k]]
            if known and self.best(m):
                top = max(known) if m.higher_is_better else min(known)
                for i, row in enumerate(values):
                    best[i] |= {k} if row[k] == top else set()
        return ScoreTable(rows, heads, cells, best, self.title, self.foot)

    def listing(self, form: Form, look: Looks) -> Block:
        """Return the view as a list of its records; numbers are of the quantity of their column.

        Where a column has none, they are of the one that the record names.
        """

        def cell(name: str, record: dict[str, Any]) -> str:
            if name in self.rows:
                return str(record[name] if name == "instance" else look.name(str(record[name])))
            text: str = look.cell(
                self.heads.get(name) or self.heads[record["measure"]], record[name]
            )
            return text

        heads = [
            look.heading(self.heads[name], typeset=form.typeset, arrow=False)
            if name in self.heads else name
            for name in self.records.header
        ]  # fmt: skip
        rows = [[cell(name, record) for name in self.records.header] for record in self._shown()]
        align = "".join("l" if name in self.rows else "r" for name in self.records.header)
        return Block(heads, rows, self.title, align=align)


class Result(Tabular):
    """What was found: records, views of them, what has to be known, and what pins the numbers.

    A class of results has ``notes`` and ``signatures``, and a method ``content`` that names its
    options and returns :meth:`viewed`.
    """

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        return []

    @property
    def signatures(self) -> list[str]:
        """One line per measure that pins all its conventions."""
        return []

    def viewed(
        self,
        look: Looks,
        records: Callable[[], Records],
        views: Callable[[Form], tuple[Sequence[View], Sequence[str]]],
        data: Callable[[], Any] | None = None,
        signatures: Sequence[str] | None = None,
    ) -> Content:
        """Return what is shown in any form.

        Parameters
        ----------
        look
            How it is shown, with the caption and label of the first table.
        records
            Makes what CSV and the like hold.
        views
            Returns the tables of a form, and notes that stand before the others.
        data
            Makes what a JSON object holds; by default the list of records.
        signatures
            Others than those of the result.
        """

        def page(form: Form) -> Page:
            some, more = views(form)
            tables = [view.table(look) for view in some if view.columns]
            blocks = laid_out(tables, form, look) if tables else []
            blocks += [view.listing(form, look) for view in some if not view.columns]
            pins = self.signatures if signatures is None else signatures
            return Page(blocks, [*more, *self.notes], pins, look.caption, look.label)

        return Content(records, page, data)
