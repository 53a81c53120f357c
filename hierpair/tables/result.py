"""One class for every result: records in full precision, and views of them as people read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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


def score_table(
    form: Form, look: Looks, names: Texts, columns: Sequence[Any], cells: Rows,
    best: Any, title: str = "", foot: Texts = (), corner: str | None = None,
) -> Block:  # fmt: skip
    """Return a table of cells by system and column, one way round or the other.

    A column is a quantity or has a heading of its own. ``best`` says which cells to set bold;
    ``corner`` heads the names, by default as systems or measures.
    """
    heads = [c if isinstance(c, str) else look.heading(c, typeset=form.typeset) for c in columns]
    corner = ("measure" if look.transpose else "system") if corner is None else corner
    named = zip(map(look.name, names), cells, strict=True)
    grid = [[corner, *heads], *([name, *row] for name, row in named)]
    if look.transpose:
        grid, best = [list(row) for row in zip(*grid, strict=True)], best.T
    bold = [{*(1 + np.flatnonzero(row)).tolist()} for row in best]
    return Block(grid[0], grid[1:], title, bold, fold=True, foot=foot)


def crossed(
    form: Form, look: Looks, records: Records, rows: str, columns: str, value: str = "value",
    interval: Texts = (), which: Mapping[str, Sequence[Any]] | None = None,
    heads: Mapping[str, Any] | None = None, best: Callable[[Any], bool] = lambda _: False,
    **more: Any,
) -> Block:  # fmt: skip
    """Return a table out of records: which fields stand in its rows, columns and cells.

    ``rows`` is the field of their names; the values of the field ``columns`` head the columns, and
    ``value`` and ``interval`` are shown below, of records that have the values ``which``.
    ``heads`` are the quantities that columns are of, or plain headings, ``best`` says of which
    quantities the best number is bold; ``more`` is that of :func:`score_table`.
    """
    grid, heads = dict[Any, dict[Any, Any]](), heads or {}
    for record in records.to_dicts():
        if all(record[name] in some for name, some in (which or {}).items()):
            grid.setdefault(record[rows], {})[record[columns]] = record
    known = {c: heads.get(c, str(c)) for of in grid.values() for c in of}

    def cell(m: Any, record: Mapping[str, Any]) -> str:
        values = [record[name] for name in (value, *interval)]
        plainly = isinstance(m, str)
        texts = [plain(x, look.decimals) if plainly else look.cell(m, x) for x in values]
        ended = interval and not math.isnan(values[1])
        return "{} [{}, {}]".format(*texts) if ended else texts[0]

    top = np.zeros((len(grid), len(known)), dtype=bool)
    for k, (c, m) in enumerate(known.items()):
        if len(grid) > 1 and best(m):
            values = m.sign * np.array([of[c][value] for of in grid.values()])
            top[:, k] = values == np.fmax.reduce(values)
    named = [of if isinstance(of := heads.get(r, r), str) else r for r in grid]
    cells = [[cell(m, of[c]) for c, m in known.items()] for of in grid.values()]
    return score_table(form, look, named, [*known.values()], cells, top, **more)


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
        views: Callable[[Form], Sequence[Block | str]],
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
            blocks = [v for v in every if isinstance(v, Block)]
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
