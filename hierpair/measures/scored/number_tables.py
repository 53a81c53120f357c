"""Tables of numbers behind measures of scores: in full precision, and rounded for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from hierpair.errors import counted
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Content, Page, Records
from hierpair.tables.result import flattened, rounded
from hierpair.tables.text import Texts


def of_points(
    best: Mapping[str, Any], points: Records, digits: int | None, notes: Texts, signatures: Texts
) -> Content:
    """Return what any form shows of a curve: the best of it as a table, every point as a record."""

    def page(_: Any) -> Page:
        return Page([rounded(Records([*best], [[*best.values()]]), digits)], notes, signatures)

    return Content(lambda: points, page, lambda: {**best, "points": points.to_dicts()})


class NumberTable(Tabular):
    """Records whose floats are rounded, to 4 decimals by default, where people read them."""

    columns: ClassVar[Mapping[str, str]]
    """By heading the attribute of every column; its records are those of the first."""

    signature: str = ""
    """What was computed, in one line."""

    notes: Sequence[str] = ()
    """What has to be known beside the numbers."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {counted(len(self.records.rows), 'row')}>"

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
            table = rounded(Records(*self.shown()), digits)
            return Page([table], self.notes, [self.signature] * (self.signature != ""))

        return Content(lambda: self.records, page)
