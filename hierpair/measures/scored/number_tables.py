"""Tables of numbers behind measures of scores: in full precision, and rounded for readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

__all__ = ["NumberTable"]


class NumberTable(Tabular):
    """Records whose floats are rounded, to 4 decimals by default, where people read them."""

    signature: str = ""

    @property
    def records(self) -> Records:
        """All numbers in full precision."""
        raise NotImplementedError

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        return []

    def shown(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """Return headings, and what stands below them."""
        return self.records.header, self.records.rows

    def content(self, digits: int | None = None) -> Content:
        """Return what any form shows."""
        decimals = 4 if digits is None else digits

        def page(_: Any) -> Page:
            header, rows = self.shown()
            cells = [
                [number(x, decimals) if isinstance(x, float) else str(x) for x in row]
                for row in rows
            ]
            pins = [self.signature] if self.signature else []
            return Page([Block(header, cells)], self.notes, pins)

        return Content(lambda: self.records, page)
