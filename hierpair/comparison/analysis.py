"""What all results of comparisons share: tables of records by name, and views of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from operator import attrgetter
from typing import Any

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.evaluation.looks import TableLook, heading_of
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import Result


class Analysis(Result):
    """A result of one or several tables: all are in JSON, and one is what CSV holds.

    A class has ``views`` and ``records``, and says what these are of (``table``), or has
    ``all_records``; JSON has what is ``told`` beside them.
    """

    decimals: int | None = None
    table = "rows"
    told: Sequence[str] = ("notes",)
    looks: Sequence[str] = ("caption", "label")
    measures: Any
    records: Callable[..., Records]
    views: Callable[..., Sequence[Block | str]]

    def all_records(self) -> Mapping[str, Records]:
        """Return all records by what they are of."""
        return {self.table: self.records()}

    def facts(self) -> dict[str, Any]:
        """Return what is said of all records together."""
        pairs = (name.partition("=") for name in self.told)  # a name, or name=attribute
        return {name: attrgetter(of or name)(self) for name, _, of in pairs}

    def heads(self, form: Form) -> dict[str, str]:
        """Return by name what the measures are called in a form."""
        names = [getattr(m, "name", m) for m in self.measures]
        return {name: heading_of(name, typeset=form.typeset) for name in names}

    def content(self, digits: int | None = None, **how: Any) -> Content:
        """Return what is shown.

        ``caption``, which is plain text, and ``label`` make the LaTeX tabular a table; the other
        options are those of ``views``. One that is called as a table (``pairs=True``) or names
        it (``by=``) makes that the records of CSV and the like; otherwise they are of the first.
        """
        given = {name: how.pop(name, None) for name in self.looks}
        some = {name: x for name, x in given.items() if x is not None}
        look = self.checked(TableLook(self.decimals if digits is None else digits, **some))
        signature(self.views).bind(None, look, **how)

        def records() -> Records:
            tables = self.all_records()
            chosen = (name for name in tables if how.get(name) or how.get("by") == name)
            return tables[next(chosen, next(iter(tables)))]

        return self.viewed(look, records, lambda form: self.views(form, look, **how), self.data)

    def data(self) -> dict[str, Any]:
        """Return what JSON holds."""
        tables = {name: of.to_dicts() for name, of in self.all_records().items()}
        return {"signatures": self.signatures, **self.facts(), **tables}

    def checked(self, look: TableLook) -> TableLook:
        """Return the look, or refuse what is not among the results."""
        return look


def check_whole(least: int = 1, most: float = float("inf"), /, **numbers: Any) -> None:
    """Refuse what is no whole number in a range, by its name."""
    for name, n in numbers.items():
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not least <= n <= most:
            told = f"from {least} to {most:,}" if most < float("inf") else f"of at least {least}"
            raise BadInput(f"{name} must be a whole number {told}, got {shown(n)}")


def check_share(**numbers: Any) -> None:
    """Refuse what is not between 0 and 1, by its name."""
    for name, x in numbers.items():
        if not (isinstance(x, (int, float)) and 0 < x < 1):
            raise BadInput(f"{name} must be between 0 and 1, got {shown(x)}")
