"""How firm a best pairing is: costs within which it stays the best, and what a bound costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hierpair.measures.evidence.base import cost_text
from hierpair.tables import Block

__all__ = ["SavingRow", "firm_text", "range_text", "savings_block"]

MOST_SAVINGS = 20
"""Bounds that the text lists, those that cost most first."""


@dataclass(frozen=True)
class SavingRow:
    """What one unit of a bound would save, all else as it is.

    Attributes
    ----------
    counted
        The label, group or instance in words.
    n, noun
        How many partners or pairs it has.
    bound
        ``"at most"``, raised by one, or ``"at least"``, lowered by one. Of a table of costs: its
        cheapest numbers reach one further up, or down.
    value
        The bound as it stands; None for a table of costs.
    saved
        What the best pairing would cost less.
    constraint
        Which constraint says so, of a table of costs; otherwise an empty text.
    """

    counted: str
    n: int
    noun: str
    bound: str
    value: int | None
    saved: float
    constraint: str

    @property
    def text(self) -> str:
        """The bound in words."""
        if self.value is not None:
            return f"{self.counted}: {self.bound} {self.value} {self.noun}{'s' * (self.value != 1)}"
        unit = "more" if self.bound == "at most" else "fewer"
        return f"{self.counted}: one {self.noun} {unit} ({self.constraint})"


def savings_block(rows: Sequence[SavingRow], digits: int) -> Block:
    """Return what bounds cost as a table, the dearest first."""
    shown = sorted(rows, key=lambda row: -row.saved)[:MOST_SAVINGS]
    cells = [[row.text, cost_text(row.saved, digits)] for row in shown]
    left_out = len(rows) - len(shown)
    foot = [f"{left_out} more bounds would save less; JSON has all"] if left_out else []
    return Block(["one unit of this bound", "would save"], cells, foot=foot, align="lr")


def range_text(cost: float, may_fall: float, may_rise: float, digits: int) -> str:
    """Return within which costs of a pair the pairing stays a best one.

    >>> range_text(3.0, 1.0, math.inf, 4), range_text(3.0, math.inf, 2.0, 4)
    ('≥ 2', '≤ 5')
    >>> range_text(3.0, math.inf, math.inf, 4), range_text(3.0, 1.0, 0.5, 4)
    ('any', '2 … 3.5000')
    """
    if math.isnan(may_fall):
        return ""
    low, high = (
        "" if math.isinf(change) else cost_text(cost + change, digits)
        for change in (-may_fall, may_rise)
    )
    if low and high:
        return f"{low} … {high}"
    return f"≥ {low}" if low else f"≤ {high}" if high else "any"


def firm_text(
    unique: bool, further: float, without: Sequence[str], instead: Sequence[str], digits: int
) -> str:
    """Return whether a pairing is the only best one, and how another one differs."""
    if math.isnan(further):
        return "it is the only best pairing" if unique else "it is one of several best pairings"
    if math.isinf(further):
        return "it is the only pairing that there can be"
    parts = [f"{word} {', '.join(x)}" for word, x in (("without", without), ("with", instead)) if x]
    how = " and ".join(parts)
    if unique:
        more = f"{cost_text(further, digits)} more" if further else "more by a later cost only"
        return f"it is the only best pairing; the second best costs {more} ({how})"
    return f"it is one of several best pairings (another one: {how})"
