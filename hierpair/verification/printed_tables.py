"""Numbers that follow from printed tables: entries, ratios, ranks, rank correlations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from hierpair.comparison import kendall_tau
from hierpair.errors import BadInput, did_you_mean
from hierpair.io.text import read_lines

__all__ = ["Formula", "PrintedTable", "parse_formula", "read_table", "table_value"]


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
        column = dict(self.scores[known(name, self.scores, "measure")])
        known(one, column, "system")
        known(other, column, "system")
        if how == "<":
            worse = np.inf if name in self.lower_is_better else -np.inf
            column[one] = float(np.nextafter(column[other], worse))
        else:
            before, column[one] = column[one], column[other]
            if how == "<->":
                column[other] = before
        return replace(self, scores={**self.scores, name: column})


def read_table(path: Path) -> dict[str, dict[str, float]]:
    """Read a table of numbers: measure → system → value.

    Raises
    ------
    BadInput
        For a line with other fields, or what is no number; names the line.
    """
    lines = read_lines(path)
    measures = lines[0].split("\t")[1:]
    table: dict[str, dict[str, float]] = {m: {} for m in measures}
    for number, line in enumerate(lines[1:], start=2):
        system, *values = line.split("\t")
        if len(values) != len(measures):
            raise BadInput(f"{path}:{number}: expected {len(measures)} numbers, got {len(values)}")
        for m, text in zip(measures, values, strict=True):
            try:
                table[m][system] = float(text)
            except ValueError:
                raise BadInput(f"{path}:{number}: {text!r} is no number") from None
    return table


FORMULA = re.compile(r"(-?)(\w+)\(([^)]*)\)(?: after (.*))?")
CHANGE = re.compile(r"(\w+): (\S+) (<->|=|<) (\S+)")
OPEN = re.compile(r"an? (exchange|tie) in (.+)")


@dataclass(frozen=True)
class Formula:
    """A formula over a printed table.

    Attributes
    ----------
    name, measures, negative
        What is computed of which measures, and whether with a minus.
    changes
        Changes of scores that are made first.
    kind, columns
        ``"exchange"`` or ``"tie"`` and the measures in which one more, any one, is asked for;
        else empty.
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
    found = FORMULA.fullmatch(text)
    if found is None:
        raise BadInput(f"cannot read the formula {text!r}; write it like kendall(Acc, GIE)")
    sign, name, inside, after = found.groups()
    changes = after.split("; ") if after else []
    asked = OPEN.fullmatch(changes[-1]) if changes else None
    return Formula(
        name,
        tuple(m.strip() for m in inside.split(",")),
        bool(sign),
        tuple(changes[:-1] if asked else changes),
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
        known(m, table.scores, "measure")
    if (formula.name, len(measures)) not in FORMULAS:
        raise BadInput(f"there is no formula {formula.name} of {len(measures)} measures")
    if formula.name in OF_A_SYSTEM:
        known(system, table.scores[measures[0]], "system")
    value = _computed(formula.name, measures, table, system)
    return -value if formula.negative else value


FORMULAS = {
    ("entry", 1), ("rank", 1), ("dense_rank", 1), ("per", 2), ("per", 3), ("kendall", 2),
    ("difference_of_means", 2),
}  # fmt: skip
OF_A_SYSTEM = ("entry", "rank", "dense_rank", "per")


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
    known(system, scores, "rank of")
    group = {s: s for s in scores}
    for together in table.ties.get(measure, ()):
        first, *others = together.split()
        for other in (first, *others):
            group[known(other, scores, "system")] = first
    best: dict[str, float] = {}
    for s, x in scores.items():
        best[group[s]] = max(best.get(group[s], x), x)
    better = [group[s] for s in scores if best[group[s]] > best[group[system]]]
    return 1.0 + len(set(better) if dense else better)


def known(name: str, names: Mapping[str, object], what: str) -> str:
    """Return a name, or refuse it if the table does not have it."""
    if name not in names:
        raise BadInput(f"the table has no {what} {name!r}{did_you_mean(name, names)}")
    return name
