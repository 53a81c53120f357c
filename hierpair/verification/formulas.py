"""What a row names, as a call; and numbers that follow from printed tables: ratios, ranks, taus."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from hierpair.comparison import kendall_tau
from hierpair.errors import BadInput, check_known
from hierpair.verification.cases import Lines
from hierpair.verification.printed import Published, is_met


class Call(NamedTuple):
    """A name with what its brackets hold, with a minus before it or changes after it.

    ``asked`` is the change that is asked for, any one: exchange or tie, and in which measures.
    """

    name: str
    parts: tuple[str, ...]
    negative: bool = False
    changes: tuple[str, ...] = ()
    asked: tuple[str, tuple[str, ...]] | None = None


def call_of(text: str) -> Call:
    """Read a call, such as ``-kendall(A, B) after A: x <-> y; a tie in B``.

    >>> call_of("instance(leaf 3, hf(beta=2, root=include))").parts
    ('leaf 3', 'hf(beta=2, root=include)')
    """
    found = re.fullmatch(r"(-?)(\w+)\((.*?)\)(?: after (.*))?", text.strip())
    if found is None:
        example = "kendall(Acc, GIE) or holds(add_right, hf)"
        raise BadInput(f"cannot read {text!r}; write it like {example}")
    parts = re.findall(r"(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+", found[3])
    changes, asked = found[4].split("; ") if found[4] else [], None
    if changes and (wanted := re.fullmatch(r"an? (exchange|tie) in (.+)", changes[-1])):
        changes, asked = changes[:-1], (wanted[1], tuple(wanted[2].split(" and ")))
    return Call(found[2], tuple(map(str.strip, parts)), bool(found[1]), tuple(changes), asked)


def calculated(text: str) -> float:
    """Return the value of a formula of numbers with + - * / and brackets, and of nothing else.

    >>> calculated("1 - 12 / 15")
    0.19999999999999996
    """
    try:
        if re.fullmatch(r"[\d\s.()+*/-]+", text) and not re.search(r"\*\*|//", text):
            return float(eval(text))
    except (SyntaxError, ArithmeticError, TypeError):
        pass
    raise BadInput(f"cannot calculate {text!r}; write it like 1 - 12 / 15")


@dataclass(frozen=True)
class PrintedTable:
    """Scores of systems as printed: measure → system → value.

    ``lower_is_better`` names losses, ``ties`` by measure groups of systems that share a rank, and
    ``unranked`` systems that have none.
    """

    scores: dict[str, dict[str, float]]
    lower_is_better: Sequence[str] = ()
    ties: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unranked: Sequence[str] = ()

    def entry(self, system: str, measure: str) -> float:
        """Return a score."""
        check_known("measure", measure, self.scores, "the table")
        check_known("system", system, self.scores[measure], "the table")
        return self.scores[measure][system]

    def upwards(self, measure: str) -> dict[str, float]:
        """Return the scores of a measure, losses with their sign turned."""
        check_known("measure", measure, self.scores, "the table")
        sign = -1 if measure in self.lower_is_better else 1
        return {system: sign * x for system, x in self.scores[measure].items()}

    def rank(self, system: str, measure: str, *, dense: bool = False) -> float:
        """Return the rank of a system; the best score of those who share one places them all."""
        self.entry(system, measure)
        scores = self.upwards(measure)
        for group in map(str.split, self.ties.get(measure, ())):
            scores |= dict.fromkeys(group, max(scores[s] for s in group))
        mine = scores[system]
        better = [x for s, x in scores.items() if s not in self.unranked and x > mine]
        return 1.0 + len(set(better) if dense else better)

    def changed(self, change: str) -> PrintedTable:
        """Return the table with scores changed.

        ``A: x <-> y`` exchanges two scores of a measure, ``A: x = y`` gives x the score of y,
        ``A: x < y`` places x directly after y.
        """
        found = re.fullmatch(r"(\w+): (\S+) (<->|=|<) (\S+)", change)
        if found is None:
            raise BadInput(f"cannot read the change {change!r}; write A: x <-> y")
        name, one, how, other = found.groups()
        first, second = (self.entry(x, name) for x in (one, other))
        worse = np.inf if name in self.lower_is_better else -np.inf
        new = {one: float(np.nextafter(second, worse)) if how == "<" else second}
        if how == "<->":
            new[other] = first
        return replace(self, scores={**self.scores, name: {**self.scores[name], **new}})


def read_table(lines: Lines) -> dict[str, dict[str, float]]:
    """Read a table of numbers: measure → system → value."""
    (_, head), *rest = lines
    return {m: {row[0]: float(row[k]) for _, row in rest} for k, m in enumerate(head) if k}


def table_value(text: str | Call, table: PrintedTable, system: str = "") -> float:
    """Return the value of a formula over a printed table, where it is about a system, of that.

    ``kendall(A, B)``: tau-b of the scores of two measures, losses with their sign turned;
    ``difference_of_means(A, B)``: without its sign; ``rank(A)``: one more than how many systems are
    better, where those that are said to share a rank are none the better; ``dense_rank(A)``: the
    same, counting the systems of one rank once; ``entry(A)``: the number itself; ``per(A, B)``: A
    by B, ``per(A, B, C)`` the same times C. ``… after A: x <-> y`` changes scores first
    (:meth:`PrintedTable.changed`); several changes are separated by ``; ``.
    """
    call = call_of(text) if isinstance(text, str) else text
    for change in call.changes:
        table = table.changed(change)
    check_known("formula", call.name, FORMULAS)
    value = FORMULAS[call.name](table, system, *call.parts)
    return -value if call.negative else value


FORMULAS: dict[str, Callable[..., float]] = {
    "entry": PrintedTable.entry,
    "rank": PrintedTable.rank,
    "dense_rank": lambda t, s, a: t.rank(s, a, dense=True),
    "per": lambda t, s, a, b, *c: t.entry(s, a) / t.entry(s, b) * (t.entry(s, *c) if c else 1),
    "kendall": lambda t, _, a, b: kendall_tau([*t.upwards(a).values()], [*t.upwards(b).values()]),
    "difference_of_means": lambda t, _, *two: float(
        abs(np.subtract(*(sum(t.upwards(m).values()) / len(t.scores[m]) for m in two)))
    ),
}
"""What a formula is, of a table, a system and the measures in its brackets."""

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
    asked = call_of(text).asked
    if asked is None:
        raise BadInput(f"{text!r} asks for no change; write ... after an exchange in A")
    kind, columns = asked
    touched = []
    for row in printed:
        if row.measure.startswith("kendall("):
            own = call_of(row.reading or row.measure)
            call = own if own.asked == asked else call_of(row.measure)
            if len({*call.parts} & {*columns}) == 1:
                touched.append((row, call))

    def suffices(change: str) -> bool:
        changed = table
        for column in columns:
            changed = changed.changed(f"{column}: {change}")
        return all(is_met(row, table_value(call, changed)) for row, call in touched)

    systems = table.upwards(columns[0])
    changes = (f"{one} {SIGNS[kind]} {other}" for one, other in combinations(systems, 2))
    return tuple(filter(suffices, changes))
