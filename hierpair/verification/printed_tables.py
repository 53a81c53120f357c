"""Numbers that follow from printed tables: entries, ratios, ranks, rank correlations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from hierpair.comparison import kendall_tau
from hierpair.errors import BadInput
from hierpair.verification.published_numbers import Published, call_of, is_met, known

__all__ = ["PrintedTable", "parse_formula", "read_table", "sufficient_changes", "table_value"]


@dataclass(frozen=True)
class PrintedTable:
    """Scores of systems as printed.

    Attributes
    ----------
    scores
        Measure → system → value.
    lower_is_better
        Measures whose scores are losses.
    ties
        Measure → groups of systems that share a rank, separated by blanks.
    unranked
        Systems that have no rank.
    """

    scores: dict[str, dict[str, float]]
    lower_is_better: tuple[str, ...] = ()
    ties: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unranked: tuple[str, ...] = ()

    def upwards(self, measure: str) -> dict[str, float]:
        """Return the scores of a measure, losses with their sign turned."""
        sign = -1 if measure in self.lower_is_better else 1
        return {system: sign * x for system, x in self.scores[measure].items()}

    def changed(self, change: str) -> PrintedTable:
        """Return the table with scores changed.

        ``A: x <-> y`` exchanges two scores of a measure, ``A: x = y`` gives x the score of y,
        ``A: x < y`` places x directly after y.

        Raises
        ------
        BadInput
            For another text, or an unknown measure or system.
        """
        found = CHANGE.fullmatch(change)
        if found is None:
            raise BadInput(f"cannot read the change {change!r}; write A: x <-> y")
        name, one, how, other = found.groups()
        column = dict(self.scores[known(name, self.scores, "the table has no measure")])
        known(one, column, "the table has no system")
        known(other, column, "the table has no system")
        if how == "<":
            worse = np.inf if name in self.lower_is_better else -np.inf
            column[one] = float(np.nextafter(column[other], worse))
        else:
            before, column[one] = column[one], column[other]
            if how == "<->":
                column[other] = before
        return replace(self, scores={**self.scores, name: column})


def read_table(lines: Iterable[tuple[str, list[str]]]) -> dict[str, dict[str, float]]:
    """Read a table of numbers: measure → system → value.

    Raises
    ------
    BadInput
        For a line with other fields, or what is no number; names the line.
    """
    (_, (_, *measures)), *rest = lines
    table: dict[str, dict[str, float]] = {m: {} for m in measures}
    for place, (system, *values) in rest:
        if len(values) != len(measures):
            raise BadInput(f"{place}: expected {len(measures)} numbers, got {len(values)}")
        for m, text in zip(measures, values, strict=True):
            try:
                table[m][system] = float(text)
            except ValueError:
                raise BadInput(f"{place}: {text!r} is no number") from None
    return table


CHANGE = re.compile(r"(\w+): (\S+) (<->|=|<) (\S+)")
OPEN = re.compile(r"an? (exchange|tie) in (.+)")


@dataclass(frozen=True)
class Formula:
    """What is computed of which measures, whether with a minus, and after which changes.

    ``kind`` is ``"exchange"`` or ``"tie"`` where one more change, any one, is asked for in the
    measures ``columns``; else empty.
    """

    name: str
    measures: tuple[str, ...]
    negative: bool = False
    changes: tuple[str, ...] = ()
    kind: str = ""
    columns: tuple[str, ...] = ()


def parse_formula(text: str) -> Formula:
    """Read the text of a formula over a printed table.

    Raises
    ------
    BadInput
        For a text that is none.

    Examples
    --------
    >>> parse_formula("kendall(A, B) after an exchange in A").columns
    ('A',)
    """
    call = call_of(text)
    if call is None:
        raise BadInput(f"cannot read the formula {text!r}; write it like kendall(Acc, GIE)")
    asked = OPEN.fullmatch(call.after[-1]) if call.after else None
    return Formula(
        call.name,
        call.parts,
        call.negative,
        call.after[:-1] if asked else call.after,
        asked[1] if asked else "",
        tuple(asked[2].split(" and ")) if asked else (),
    )


def table_value(text: str | Formula, table: PrintedTable, system: str = "") -> float:
    """Return the value of a formula over a printed table, where it is about a system, of that.

    ``kendall(A, B)``: tau-b of the scores of two measures, losses with their sign turned;
    ``difference_of_means(A, B)``: between the means over all systems, without its sign;
    ``rank(A)``: one more than how many systems are better, where those that are said to share a
    rank are none the better; ``dense_rank(A)``: the same, counting the systems of one rank once;
    ``entry(A)``: the number itself; ``per(A, B)``: A by B, ``per(A, B, C)`` the same times C.
    ``… after A: x <-> y`` changes scores first (:meth:`PrintedTable.changed`); several changes are
    separated by ``; ``.

    Raises
    ------
    BadInput
        For another formula, or an unknown measure or system.
    """
    formula = parse_formula(text) if isinstance(text, str) else text
    for change in formula.changes:
        table = table.changed(change)
    measures = formula.measures
    for m in measures:
        known(m, table.scores, "the table has no measure")
    if len(measures) not in FORMULAS.get(formula.name, ()):
        raise BadInput(f"there is no formula {formula.name} of {len(measures)} measures")
    if formula.name in OF_A_SYSTEM:
        known(system, table.scores[measures[0]], "the table has no system")
    value = _computed(formula.name, measures, table, system)
    return -value if formula.negative else value


OF_A_SYSTEM = {"entry": (1,), "rank": (1,), "dense_rank": (1,), "per": (2, 3)}
FORMULAS = {**OF_A_SYSTEM, "kendall": (2,), "difference_of_means": (2,)}
"""Of how many measures a formula may be."""


def _computed(name: str, measures: tuple[str, ...], table: PrintedTable, system: str) -> float:
    if name in ("entry", "per"):
        a, *rest = (table.scores[m][system] for m in measures)
        return a if name == "entry" else a / rest[0] * (rest[1] if rest[1:] else 1)
    if name in ("rank", "dense_rank"):
        return _rank(table, measures[0], system, dense=name == "dense_rank")
    one, other = (list(table.upwards(m).values()) for m in measures)
    if name == "kendall":
        return kendall_tau(one, other)
    return abs(sum(one) - sum(other)) / len(one)


def _rank(table: PrintedTable, measure: str, system: str, *, dense: bool) -> float:
    """Return the rank of a system; the best score of those who share one places them all."""
    scores = {s: x for s, x in table.upwards(measure).items() if s not in table.unranked}
    known(system, scores, "the table has no rank of")
    group = {s: s for s in scores}
    for together in table.ties.get(measure, ()):
        first, *others = together.split()
        for other in (first, *others):
            group[known(other, scores, "the table has no system")] = first
    best: dict[str, float] = {}
    for s, x in scores.items():
        best[group[s]] = max(best.get(group[s], x), x)
    better = [group[s] for s in scores if best[group[s]] > best[group[system]]]
    return 1.0 + len(set(better) if dense else better)


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
        known(column, table.scores, "the table has no measure")
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
        after = ((row, replace(f, changes=(*f.changes, *extra))) for row, f in touched)
        if all(is_met(row, table_value(formula, table)) for row, formula in after):
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
