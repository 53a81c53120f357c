"""Which constraint of a rule says something, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from hierpair.errors import called, shown
from hierpair.pairing.constraints.numbers import Table

__all__ = ["NOBODY", "Source", "constraint_text"]


class Source(NamedTuple):
    """Which constraint of a rule gives a bound: its number from 1, and its text."""

    number: int
    text: str

    def __str__(self) -> str:
        return f"constraint {self.number}, {self.text}" if self.number else self.text


NOBODY = Source(0, "another bound")
"""For a builder that is written on without a rule."""


def constraint_text(constraint: Callable[..., Any]) -> str:
    """Return a constraint as it is written, without what is left at its default.

    >>> from hierpair.pairing import Degree
    >>> constraint_text(Degree("true", upper=2)), constraint_text(len)
    ("Degree('true', upper=2)", 'len')
    """
    if not is_dataclass(constraint):
        return called(constraint)
    parts = []
    for number, f in enumerate(fields(constraint)):
        value = getattr(constraint, f.name)
        if value is f.default or (isinstance(value, int) and value == f.default):
            continue
        text = (
            called(value) if callable(value) and not isinstance(value, Table) else shown(value, 40)
        )
        parts.append(text if number == 0 else f"{f.name}={text}")
    return f"{type(constraint).__name__}({', '.join(parts)})"
