"""What all results of comparisons share: tables of records by name, and views of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from hierpair.errors import BadInput, counted, shown
from hierpair.evaluation.looks import Look
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import Found, ScoreTable, View


class Analysis(Found):
    """A result of several tables: all are in JSON, the first one is what CSV and the like hold.

    A class of results has ``tables`` and ``views``, and what JSON says beside them in ``facts``.
    """

    decimals: ClassVar[int] = 4

    def tables(self) -> Mapping[str, Records]:
        """Return all records by what they are of."""
        raise NotImplementedError

    def facts(self) -> Mapping[str, Any]:
        """Return what is said of all records together."""
        return {"notes": self.notes}

    def views(self, form: Form, look: Look) -> Sequence[View | ScoreTable | Block]:
        """Return the tables for readers."""
        raise NotImplementedError

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown; a caption, which is plain text, or a label are for LaTeX."""
        look = Look(self.decimals if digits is None else digits, caption=caption, label=label)
        return self.shown_by(look, self.views)

    def shown_by(
        self,
        look: Look,
        views: Callable[[Form, Look], Sequence[View | ScoreTable | Block]],
        first: str = "",
        before: Sequence[str] = (),
        after: Sequence[str] = (),
    ) -> Content:
        """Return what is shown in this look, with the ``first`` of the tables as records."""
        tables = self.tables()

        def data() -> dict[str, Any]:
            pins = {"signatures": self.signatures}
            return {**pins, **self.facts(), **{name: t.to_dicts() for name, t in tables.items()}}

        records = tables[first] if first else next(iter(tables.values()))
        return self.viewed(
            look, lambda: records, lambda form: (views(form, look), before), data, after=after
        )

    def __repr__(self) -> str:
        rows = counted(len(next(iter(self.tables().values())).rows), "row")
        return f"{type(self).__name__}({rows})"


def check_whole(least: int = 1, most: float = float("inf"), **numbers: Any) -> None:
    """Refuse what is no whole number in a range, by its name."""
    for name, n in numbers.items():
        if isinstance(n, bool) or not isinstance(n, int) or not least <= n <= most:
            told = f"from {least} to {most:,}" if most < float("inf") else f"of at least {least}"
            raise BadInput(f"{name} must be a whole number {told}, got {shown(n)}")


def check_share(**numbers: Any) -> None:
    """Refuse what is not between 0 and 1, by its name."""
    for name, x in numbers.items():
        if not (isinstance(x, (int, float)) and 0 < x < 1):
            raise BadInput(f"{name} must be between 0 and 1, got {shown(x)}")
