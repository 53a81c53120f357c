"""One class for every result: records in full precision, and views of them as people read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Form, Page, Records
from hierpair.tables.text import Rows, Texts, number

Looks = Any
"""How a result is shown: what things are called, how numbers are rounded, which way round; see
``hierpair.evaluation.looks.TableLook``."""


def flattened(shape: Sequence[int], **columns: Any) -> Records:
    """Return matrices as records, one for every cell, row by row.

    A column is a matrix, a list along the last axis, the same everywhere, what :func:`down`
    returns, or None, and left out.
    """
    kept = {name: of for name, of in columns.items() if of is not None}
    each = [np.broadcast_to(np.asarray(of), shape).ravel().tolist() for of in kept.values()]
    return Records(list(kept), [list(row) for row in zip(*each, strict=True)])


def down(things: Sequence[Any]) -> Any:
    """Return a list that stands along the first of two axes."""
    return np.array([*things, None], dtype=object)[:-1, None]


def plain(value: Any, digits: int) -> str:
    """Return what a cell shows of a text, a number (a dash if it is none), or an interval."""
    if isinstance(value, tuple):
        ends = [plain(end, digits) for end in value]
        return "–" if ends[0] == "–" else " … ".join(ends)
    if isinstance(value, float):
        return "–" if math.isnan(value) else number(value, digits)
    return str(value)


def rounded(
    header: Texts, rows: Sequence[Sequence[Any]], digits: int | None, title: str = "", **more: Any
) -> Block:
    """Return a table for readers of texts, numbers (with 4 decimals by default) and intervals."""
    n = 4 if digits is None else digits
    return Block(header, [[plain(x, n) for x in row] for row in rows], title, **more)


@dataclass(frozen=True)
class ScoreTable:
    """Cells by system and column; a column is a quantity or has a heading of its own.

    ``best`` holds, row by row, the numbers of the columns to set bold; ``corner`` heads the names,
    by default as systems or measures.
    """

    systems: Texts
    columns: Sequence[Any]
    cells: Rows
    best: Sequence[set[int]] = ()
    title: str = ""
    foot: Texts = ()
    corner: str | None = None

    def block(self, form: Form, look: Looks) -> Block:
        """Return the table as rows of text, one way round or the other."""
        heads = [
            c if isinstance(c, str) else look.heading(c, typeset=form.typeset) for c in self.columns
        ]
        corner = ("measure" if look.transpose else "system") if self.corner is None else self.corner
        names = map(look.name, self.systems)
        grid = [[corner, *heads], *([n, *row] for n, row in zip(names, self.cells, strict=True))]
        bold = [set(), *({1 + k for k in row} for row in self.best)]
        if look.transpose:
            bold = [{i for i, row in enumerate(bold) if k in row} for k in range(len(grid[0]))]
            grid = [list(row) for row in zip(*grid, strict=True)]
        return Block(grid[0], grid[1:], self.title, bold[1:], fold=True, foot=self.foot)


@dataclass(frozen=True)
class View:
    """A table for readers out of records: which fields stand in its rows, columns and cells.

    ``rows`` is the field of their names; the values of the field ``columns`` head the columns, and
    ``value`` and ``interval`` are shown below, of records that have the values ``which``.
    ``heads`` are the quantities that columns are of, or plain headings, ``best`` says of which
    quantities the best number is bold.
    """

    records: Records
    rows: str
    columns: str
    value: str = "value"
    interval: tuple[str, str] | None = None
    which: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    heads: Mapping[str, Any] = field(default_factory=dict)
    best: Callable[[Any], bool] = lambda _: False
    title: str = ""
    foot: Texts = ()
    corner: str | None = None

    def block(self, form: Form, look: Looks) -> Block:
        """Return the view as rows of text."""
        at = {
            (record[self.rows], record[self.columns]): record
            for record in self.records.to_dicts()
            if all(record[name] in some for name, some in self.which.items())
        }
        rows, columns = ([*dict.fromkeys(pair[k] for pair in at)] for k in (0, 1))
        heads = [self.heads.get(c, str(c)) for c in columns]

        def cell(m: Any, record: Mapping[str, Any]) -> str:
            values = [record[name] for name in (self.value, *(self.interval or ()))]
            plainly = isinstance(m, str)
            texts = [plain(x, look.decimals) if plainly else look.cell(m, x) for x in values]
            known = len(values) > 1 and not math.isnan(values[1])
            return f"{texts[0]} [{texts[1]}, {texts[2]}]" if known else texts[0]

        cells = [[cell(m, at[r, c]) for m, c in zip(heads, columns, strict=True)] for r in rows]
        best: list[set[int]] = [set() for _ in rows]
        for k, (m, c) in enumerate(zip(heads, columns, strict=True)):
            if len(rows) > 1 and self.best(m):
                values = [at[r, c][self.value] for r in rows]
                top = (np.fmax if m.higher_is_better else np.fmin).reduce([*values, np.nan])
                for i in np.flatnonzero(values == top).tolist():
                    best[i].add(k)
        named = [of if isinstance(of := self.heads.get(r, r), str) else r for r in rows]
        table = ScoreTable(named, heads, cells, best, self.title, self.foot, self.corner)
        return table.block(form, look)


class Result(Tabular):
    """What was found: records, views of them, what has to be known, and what pins the numbers.

    A class of results has ``notes`` and ``signatures``, and a ``content`` that returns `viewed`.
    """

    if TYPE_CHECKING:  # a class has them as fields, or computes them

        @property
        def notes(self) -> Texts:
            """What has to be known beside the numbers."""

        @property
        def signatures(self) -> Texts:
            """One line per measure that pins all its conventions."""

    def viewed(
        self,
        look: Looks,
        records: Callable[[], Records],
        views: Callable[[Form], Sequence[Any]],
        data: Callable[[], Any] | None = None,
        signatures: Texts | None = None,
    ) -> Content:
        """Return what is shown in any form.

        ``records`` is what CSV holds, ``data`` what JSON does (default: the records); ``views``
        are the tables of a form, and texts that are notes before those of the result.
        """

        def page(form: Form) -> Page:
            every = views(form)
            notes = [*(v for v in every if isinstance(v, str)), *self.notes]
            blocks = [v if isinstance(v, Block) else v.block(form, look)
                      for v in every if not isinstance(v, str)]  # fmt: skip
            pins = signatures or self.signatures
            return Page(blocks, notes, pins, look.caption, look.label)

        return Content(records, page, data)

    def to_dict(self, **how: Any) -> Any:
        """Return everything as plain dicts and lists; options as for ``content``."""
        return self.content(**how).facts()


def of_points(
    best: Sequence[dict[str, Any]], points: Sequence[dict[str, Any]] | None, digits: int | None,
    notes: Texts, signatures: Texts, heads: Mapping[str, str] | None = None,
) -> Content:  # fmt: skip
    """Return what any form shows of curves: the best of each as a table, every point as a record.

    What is shown has ``heads``; without these it is all.
    """
    columns = Records.from_dicts(best).headed(heads or {name: name for name in best[0]})
    page = Page([rounded(*columns, digits)], notes, signatures)
    data = {"best": best} if points is None else {"curves": best, "points": points}
    return Content(lambda: Records.from_dicts(points or best), lambda _: page,
                   lambda: {"signatures": signatures, **data})  # fmt: skip


class NumberTable(Tabular):
    """Records whose floats are rounded, to 4 decimals by default, where people read them."""

    columns: ClassVar[Mapping[str, str]]
    """By heading the attribute of every column; its records are those of the first."""

    signature: str = ""
    """What was computed, in one line."""

    notes: Sequence[str] = ()
    """What has to be known beside the numbers."""

    @property
    def records(self) -> Records:
        """All numbers in full precision."""
        columns = {head: getattr(self, name) for head, name in self.columns.items()}
        return flattened((len(next(iter(columns.values()))),), **columns)

    def shown(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """Return headings, and what stands below them."""
        return self.records.header, self.records.rows

    def content(self, digits: int | None = None) -> Content:
        """Return what any form shows."""

        def page(_: Any) -> Page:
            table = rounded(*self.shown(), digits)
            return Page([table], self.notes, [self.signature] * bool(self.signature))

        return Content(lambda: self.records, page)
