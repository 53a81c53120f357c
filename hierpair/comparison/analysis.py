"""What all results of comparisons share: tables of records by name, and views of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from hierpair._version import __version__
from hierpair.errors import BadInput, shown
from hierpair.evaluation.looks import Look, heading_of
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import Result, ScoreTable, View


class Analysis(Result):
    """A result of one or several tables: all are in JSON, the first is what CSV and the like hold.

    A class has ``views`` and ``records``, and says what these are of (``table``), or has
    ``tables``; JSON has what is ``told`` beside them.
    """

    decimals: ClassVar[int] = 4
    table: ClassVar[str] = "rows"
    told: ClassVar[Sequence[str]] = ("notes",)
    measures: Sequence[Any]
    records: Callable[..., Records]

    def tables(self) -> Mapping[str, Records]:
        """Return all records by what they are of."""
        return {self.table: self.records()}

    def facts(self) -> dict[str, Any]:
        """Return what is said of all records together."""
        pairs = (name.split("=") for name in self.told)  # a name, or name=attribute
        return {name: getattr(self, [name, *of][-1]) for name, *of in pairs}

    def views(self, form: Form, look: Look) -> Sequence[View | ScoreTable | Block]:
        """Return the tables for readers."""
        raise NotImplementedError

    def heads(self, form: Form) -> dict[str, str]:
        """Return by name what the measures are called in a form."""
        names = [getattr(m, "name", m) for m in self.measures]
        return {name: heading_of(name, typeset=form.typeset) for name in names}

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown; a caption, which is plain text, or a label are for LaTeX."""
        return self.shown_by(self.look(digits, caption, label), self.views)

    def look(self, digits: int | None, caption: str | None, label: str | None) -> Look:
        """Return how tables are shown, with decimals of the class if none are given."""
        return Look(self.decimals if digits is None else digits, caption=caption, label=label)

    def shown_by(
        self,
        look: Look,
        views: Callable[[Form, Look], Sequence[View | ScoreTable | Block]],
        first: str = "",
        before: Sequence[str] = (),
        after: Sequence[str] = (),
    ) -> Content:
        """Return what is shown in this look, with the ``first`` of the tables as records."""

        def data() -> dict[str, Any]:
            tables = {name: of.to_dicts() for name, of in self.tables().items()}
            return {"signatures": self.signatures, **self.facts(), **tables}

        def records() -> Records:
            tables = self.tables()
            return tables[first] if first else next(iter(tables.values()))

        return self.viewed(look, records, lambda form: views(form, look), data,
                           before=before, after=after)  # fmt: skip


def pinned(what: str, *more: str, **how: Any) -> str:
    """Return one line that pins how something was computed; what is None is left out."""
    told = {k: f"{x:g}" if isinstance(x, float) else x for k, x in how.items() if x is not None}
    options = ",".join(f"{name}={value}" for name, value in told.items())
    return "|".join([f"{what}({options})", *more, f"hierpair {__version__}"])


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
