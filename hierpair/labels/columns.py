"""What the columns of a table mean, and which ones are meant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean, facts_table, first_repeated, listed, shown
from hierpair.hierarchy.arrays import Bools
from hierpair.labels.coded import coded

__all__ = [
    "ID_NAMES",
    "LABEL_NAMES",
    "PLURALS",
    "SCORE_NAMES",
    "Columns",
    "column_named",
    "found_column",
    "no_row",
    "wanted_rows",
]

ID_NAMES = ("id", "instance", "instance_id")
LABEL_NAMES = ("labels", "label", "classes", "class")
PLURALS = ("labels", "classes")
SCORE_NAMES = ("score",)

NO_SEPARATOR = "\0"
"""The separator of texts that are never taken apart, since files hold no NUL."""


@dataclass(frozen=True, repr=False)
class Columns:
    """What the columns of a table mean.

    Attributes
    ----------
    ids
        Column of instance ids; None: ``id``, ``instance`` or ``instance_id`` if there is one.
    labels
        One column of labels, or one per level of a path; empty: ``labels``, ``label``,
        ``classes`` or ``class``.
    separator
        Between the labels of a text.
    long
        One row per label; an id may come again.
    score, min_score
        With ``long``: column of scores, and the least one that counts.
    where
        Only rows in which these columns have these values: a mapping, or pairs.
    paths
        Between the names of a label that is a path from the top, such as ``"/"`` in
        ``food/cheese/brie``; None: a label is a class.
    highest
        With ``long``: of several scores of a label the highest counts; otherwise they are an
        error.
    each
        With several columns of labels: each holds a label of its own, and they need not be a
        path, as what heads predict level by level; a blank is no label.
    """

    ids: str | None = None
    labels: tuple[str, ...] = ()
    separator: str = "|"
    long: bool = False
    score: str | None = None
    min_score: float | None = None
    where: Any = ()
    paths: str | None = None
    highest: bool = False
    each: bool = False

    def _chosen(self) -> list[tuple[str, object]]:
        """Return what differs from the defaults."""
        values = ((f.name, getattr(self, f.name), f.default) for f in fields(self))
        return [(name, value) for name, value, default in values if value != default]

    def __repr__(self) -> str:
        return f"Columns({', '.join(f'{name}={value!r}' for name, value in self._chosen())})"

    def _repr_html_(self) -> str:
        return facts_table("Columns", self._chosen() or [("columns", "by their usual names")])

    def __post_init__(self) -> None:
        named: Any = self.labels
        object.__setattr__(self, "labels", (named,) if isinstance(named, str) else tuple(named))
        object.__setattr__(self, "where", _pairs(self.where))
        if not self.separator:
            raise BadInput("the separator of labels must not be empty")
        if self.paths is not None and (not self.paths or self.paths == self.separator):
            raise BadInput(
                f"the names of a path need a separator of their own, got {self.paths!r}; "
                "such as / for food/cheese/brie"
            )
        if self.min_score is not None and not self.long:
            raise BadInput("a least score needs one label per row: set long (--long)")
        if self.min_score is not None and not math.isfinite(self.min_score):
            raise BadInput(f"the least score must be a finite number, got {self.min_score}")
        twice = first_repeated(self.labels)
        if twice is not None:
            raise BadInput(f"the column {twice!r} is named twice as a level of the path")
        if self.each and (len(self.labels) < 2 or self.long or self.paths is not None):
            raise BadInput(
                "each level is a label only where several columns of labels are named "
                "(--label-column), with one row per instance and without paths"
            )


def _pairs(where: Any) -> tuple[tuple[str, str], ...]:
    """Return columns and the values that they must have, as texts."""
    try:
        pairs = where.items() if isinstance(where, Mapping) else where
        if isinstance(pairs, str):
            raise TypeError
        return tuple((name, str(value)) for name, value in pairs)
    except (TypeError, ValueError):
        raise BadInput(
            f'where must be a mapping such as {{"task": "A"}}, or pairs, got {shown(where)}'
        ) from None


def found_column(table: Mapping[str, Any], names: Sequence[str], source: str) -> str | None:
    """Return the only column that is called by one of these names, if there is one."""
    spelled = {str(c).strip().lower(): c for c in table}
    usual = [spelled[n] for n in names if n in spelled]
    if len(usual) > 1:
        raise BadInput(
            f"{source}: which column is meant, {' or '.join(map(repr, usual))}? "
            "Name it (--label-column, --id-column)"
        )
    return usual[0] if usual else None


def column_named(
    table: Mapping[str, Any],
    name: str | None,
    usual: Sequence[str],
    what: str,
    source: str,
    *,
    needed: bool,
) -> Any:
    """Return the values of the column of this name, or of the only one with a usual name."""
    chosen = name if name is not None else found_column(table, usual, source)
    if chosen is None and not needed:
        return None
    if chosen is None or chosen not in table:
        wanted = repr(chosen) if chosen is not None else " or ".join(usual)
        near = did_you_mean(chosen, table) if chosen else ""
        raise BadInput(
            f"{source}: there is no column {wanted}{near}; "
            f"there are {listed(table)} (name the {what} column)"
        )
    return table[chosen]


def wanted_rows(table: Mapping[str, Any], columns: Columns, source: str, n: int) -> Bools:
    """Return whether each row has the wanted values; there may be none."""
    keep = np.ones(n, dtype=bool)
    for name, wanted in columns.where:
        known = coded(column_named(table, name, (), "where", source, needed=True))
        keep &= np.array([str(v) == wanted for v in known.values], dtype=bool)[known.codes]
    return keep


def no_row(columns: Columns, source: str) -> str:
    """Say that the wanted values are nowhere."""
    conditions = ", ".join(f"{k}={v}" for k, v in columns.where)
    return f"{source}: no row has {conditions}"
