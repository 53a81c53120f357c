"""What all evidence shares: names of fields, costs and classes in short, records as a table."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

from hierpair.tables import Block
from hierpair.tables.text import number

Name = Hashable

ARTIFICIAL = "(any class)"
"""What the class that a path threshold puts on top is called; its number is -1."""

BOTH, ONLY_TRUE, ONLY_PREDICTED = "in both", "only true", "only predicted"
CHOSEN_LCAS = "chosen LCAs"
ASIDE = ("not counted", "pruned")

IN_SETS = {
    BOTH: (True, True), ONLY_TRUE: (True, False), ONLY_PREDICTED: (False, True),
    "TP": (True, True), "FP": (False, True), "FN": (True, False), "TN": (False, False),
}  # fmt: skip
"""Fields of what is compared: whether their classes are on the true side, and on the predicted."""

MOST_CLASSES = 60
"""Of more classes or edges in a line than this, the first ones are listed, and how many are not."""

MOST_ROWS = 40
"""Of more rows of a table than this, the first ones are listed, and how many are not."""

NUMBERS = {"classes", "pairs", "mass", "units", "allowed", "missing", "default", "paid", "cost",
           "best while", "dual price", "one unit saves"}  # fmt: skip
"""Columns of numbers."""


def cost_text(cost: float | None, digits: int = 4) -> str:
    """Return a cost as short as it is exact, with so many decimals at most.

    >>> cost_text(2.0), cost_text(1 / 3), cost_text(None), cost_text(float("inf"))
    ('2', '0.3333', '-', '∞')
    """
    if cost is None or math.isnan(cost):
        return "-"
    if cost == math.inf:
        return "∞"
    return f"{cost:.0f}" if cost == round(cost) else number(cost, digits)


def listed_classes(names: Sequence[Hashable], between: str = ", ") -> str:
    """Return the first names, and how many more there are."""
    left_out = len(names) - MOST_CLASSES
    more = [f"and {left_out:,} more (JSON has all)"] if left_out > 0 else []
    return between.join([*map(str, names[:MOST_CLASSES]), *more]) or "(none)"


def table_of(records: Sequence[Mapping[str, str]], most: int = MOST_ROWS) -> Block:
    """Return the first records as a table of those columns that say something."""
    rows = records[:most]
    heads = [head for head in rows[0] if any(row[head] for row in rows)]
    cells = [[row[head] for head in heads] for row in rows]
    more = len(records) - len(rows)
    foot = [f"{more:,} more are not listed; JSON has all"] * (more > 0)
    return Block(heads, cells, align="".join("lr"[head in NUMBERS] for head in heads), foot=foot)
