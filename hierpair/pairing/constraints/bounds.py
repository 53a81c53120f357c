"""Bounds that several constraints put on the same things: they intersect, or contradict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import called, shown
from hierpair.pairing.constraints.values import OPEN, Table

__all__ = ["NOBODY", "Bounds", "Contradiction", "Source", "constraint_text"]


class Source(NamedTuple):
    """Which constraint of a rule gives a bound: its number from 1, and its text."""

    number: int
    text: str

    def __str__(self) -> str:
        return f"constraint {self.number}, {self.text}" if self.number else self.text


NOBODY = Source(0, "another bound")
"""For a builder that is written on without a rule."""


class Contradiction(NamedTuple):
    """Where a lower bound is above an upper one, and who wanted them."""

    at: int
    lower: int
    upper: int
    from_lower: Source
    from_upper: Source


class _Statement(NamedTuple):
    source: Source
    lower: Any
    upper: Any
    chosen: NDArray[np.bool_] | None


@dataclass
class Bounds:
    """Lower and upper bounds of n things: the largest lower and the smallest upper ones count.

    Attributes
    ----------
    lower, upper
        Shape ``(n,)``; :data:`OPEN` is no upper bound.
    """

    n: int
    lower: NDArray[np.int64] = field(init=False)
    upper: NDArray[np.int64] = field(init=False)
    statements: list[_Statement] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lower = np.zeros(self.n, dtype=np.int64)
        self.upper = np.full(self.n, OPEN, dtype=np.int64)

    def add(
        self,
        lower: NDArray[np.int64] | int,
        upper: NDArray[np.int64] | int,
        chosen: NDArray[np.bool_] | None,
        source: Source,
    ) -> Contradiction | None:
        """Take bounds in; return the first contradiction with those before, if there is one."""
        where: Any = True if chosen is None else chosen
        np.maximum(self.lower, lower, out=self.lower, where=where)
        np.minimum(self.upper, upper, out=self.upper, where=where)
        self.statements.append(_Statement(source, lower, upper, chosen))
        bad = np.flatnonzero(self.lower > self.upper)
        if not len(bad):
            return None
        at = int(bad[0])
        low, high = int(self.lower[at]), int(self.upper[at])
        return Contradiction(
            at, low, high, self._who(at, "lower", low), self._who(at, "upper", high)
        )

    def _who(self, at: int, what: str, value: int) -> Source:
        """Return the first statement that gives this thing this bound."""
        for statement in self.statements:
            given = np.broadcast_to(getattr(statement, what), (self.n,))
            if (statement.chosen is None or statement.chosen[at]) and int(given[at]) == value:
                return statement.source
        return NOBODY


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
