"""All single changes of printed scores after which printed correlations follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from hierpair.errors import BadInput
from hierpair.verification.printed_tables import (
    Formula,
    PrintedTable,
    known,
    parse_formula,
    table_value,
)
from hierpair.verification.published_numbers import Published, is_met

__all__ = ["sufficient_changes"]

SIGNS = {"exchange": "<->", "tie": "="}


def sufficient_changes(
    text: str, table: PrintedTable, printed: Sequence[Published]
) -> tuple[str, ...]:
    """Return every exchange of two scores, or tie, after which all correlations follow.

    Nothing is said about which of them, if any, has happened.

    Parameters
    ----------
    text
        A formula that asks for it: ``kendall(A, B) after an exchange in A``, or ``… in A and B``
        if the two systems change places in both columns, or ``… after a tie in A`` for two equal
        scores.
    table
        The printed scores.
    printed
        What is printed for them. All correlations of a changed column with another must follow;
        one whose own reading names further changes, after these.

    Returns
    -------
    tuple of str
        Like ``"C <-> F"``, in the order of the table.

    Raises
    ------
    BadInput
        If the text asks for no change, or for one in an unknown measure.

    Examples
    --------
    >>> table = PrintedTable({"A": {"x": 3, "y": 2, "z": 1}, "B": {"x": 3, "y": 1, "z": 2}})
    >>> printed = [Published("", "kendall(A, B)", "", "1")]
    >>> sufficient_changes("kendall(A, B) after an exchange in A", table, printed)
    ('y <-> z',)
    """
    asked = parse_formula(text)
    if not asked.kind:
        raise BadInput(f"{text!r} asks for no change; write ... after an exchange in A")
    for column in asked.columns:
        known(column, table.scores, "measure")
    touched = [
        (row, formula)
        for row in printed
        if (formula := _formula(row, asked)) is not None
        and len(set(formula.measures) & set(asked.columns)) == 1
    ]
    found = []
    for one, other in combinations(table.scores[asked.columns[0]], 2):
        change = f"{one} {SIGNS[asked.kind]} {other}"
        extra = tuple(f"{column}: {change}" for column in asked.columns)
        if all(_follows(row, formula, extra, table) for row, formula in touched):
            found.append(change)
    return tuple(found)


def _formula(row: Published, asked: Formula) -> Formula | None:
    """Return the correlation that a row prints, with the changes of its own; None for others."""
    if not row.measure.startswith("kendall("):
        return None
    own = parse_formula(row.reading) if row.reading else None
    if own is not None and (own.kind, own.columns) == (asked.kind, asked.columns):
        return own
    return parse_formula(row.measure)


def _follows(row: Published, formula: Formula, extra: tuple[str, ...], table: PrintedTable) -> bool:
    changed = Formula(
        formula.name, formula.measures, formula.negative, (*formula.changes, *extra)
    )  # fmt: skip
    return is_met(row, table_value(changed, table))
