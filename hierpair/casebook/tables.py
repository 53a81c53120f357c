"""Numbers that follow from printed tables: rank correlations, ranks against scores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from hierpair.comparison import kendall_tau
from hierpair.errors import BadInput, did_you_mean
from hierpair.readers.text import read_lines

__all__ = ["PrintedTable", "read_table", "table_value"]


@dataclass(frozen=True)
class PrintedTable:
    """Scores and ranks of systems as printed.

    Attributes
    ----------
    scores, ranks
        Measure → system → value; a rank of 1 is best.
    lower_is_better
        Measures whose scores are losses.
    """

    scores: dict[str, dict[str, float]]
    ranks: dict[str, dict[str, float]]
    lower_is_better: tuple[str, ...] = ()


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
NUMBER = re.compile(r"-?\d+\.\d+")
CHANGE = re.compile(r"(\w+): (\S+) (<->|=) (\S+)")


def table_value(text: str, table: PrintedTable, system: str = "") -> float:
    """Return the value of a formula over a printed table, where it is about a system, of that.

    ``kendall(A, B)``: tau-b of the scores of two measures, losses with their sign turned;
    ``difference_of_means(A, B)``: between the means over all systems, without its sign;
    ``contradictions(A)``: pairs of systems of which the one with the better score has the worse
    rank; ``per(A, B)``: A of the system by B, ``per(A, B, C)`` the same times C.
    ``… after A: x <-> y`` exchanges two scores of a measure first, ``… after A: x = y`` gives x
    the score of y, or y itself if it is a number; several changes are separated by ``; ``.

    Raises
    ------
    BadInput
        For another formula, or an unknown measure or system.
    """
    found = FORMULA.fullmatch(text)
    if found is None:
        raise BadInput(f"cannot read the formula {text!r}; write it like kendall(Acc, GIE)")
    sign, name, inside, changes = found.groups()
    measures = [m.strip() for m in inside.split(",")]
    scores = {m: dict(column) for m, column in table.scores.items()}
    for text_of_change in changes.split("; ") if changes else []:
        change = CHANGE.fullmatch(text_of_change)
        if change is None:
            raise BadInput(f"cannot read the change {text_of_change!r}; write A: x <-> y")
        m, one, how, other = change.groups()
        _known(m, scores, "measure")
        _known(one, scores[m], "system")
        if how == "=" and NUMBER.fullmatch(other):
            scores[m][one] = float(other)
            continue
        _known(other, scores[m], "system")
        old, scores[m][one] = scores[m][one], scores[m][other]
        if how == "<->":
            scores[m][other] = old
    for m in measures:
        _known(m, scores, "measure")
    columns = [_upwards(m, scores, table) for m in measures]
    if name == "per" and len(measures) in (2, 3):
        _known(system, scores[measures[0]], "system")
        a, b, *c = (scores[m][system] for m in measures)
        value = a / b * (c[0] if c else 1)
    elif name == "kendall" and len(measures) == 2:
        value = kendall_tau(columns[0], columns[1])
    elif name == "difference_of_means" and len(measures) == 2:
        value = abs(sum(columns[0]) - sum(columns[1])) / len(columns[0])
    elif name == "contradictions" and len(measures) == 1:
        ranks = table.ranks[measures[0]]
        ranked = {s: x for s, x in zip(scores[measures[0]], columns[0], strict=True) if s in ranks}
        value = sum(
            (ranked[s] - ranked[t]) * (ranks[t] - ranks[s]) < 0 for s, t in combinations(ranked, 2)
        )
    else:
        raise BadInput(f"there is no formula {name} of {len(measures)} measures")
    return -value if sign else value


def _upwards(measure: str, scores: dict[str, dict[str, float]], table: PrintedTable) -> list[float]:
    sign = -1 if measure in table.lower_is_better else 1
    return [sign * x for x in scores[measure].values()]


def _known(name: str, names: Mapping[str, object], what: str) -> None:
    if name not in names:
        raise BadInput(f"the table has no {what} {name!r}{did_you_mean(name, names)}")
