"""What a row names, as a call; and numbers that follow from printed tables: ratios, ranks, taus."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from hierpair.comparison import kendall_tau
from hierpair.errors import BadInput, did_you_mean
from hierpair.verification.printed import Published, is_met

__all__ = [
    "Call",
    "PrintedTable",
    "calculated",
    "call_of",
    "known",
    "read_table",
    "sufficient_changes",
    "table_value",
]

OPEN = re.compile(r"an? (exchange|tie) in (.+)")


class Call(NamedTuple):
    """A name with what its brackets hold, with a minus before it or changes after it."""

    name: str
    parts: tuple[str, ...]
    negative: bool = False
    after: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[str, tuple[str, ...]] | None:
        """The change that is asked for, any one: ``"exchange"`` or ``"tie"``, and in what."""
        found = OPEN.fullmatch(self.after[-1]) if self.after else None
        return found and (found[1], tuple(found[2].split(" and ")))

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes that come first."""
        return self.after[:-1] if self.asked else self.after


def call_of(text: str) -> Call | None:
    """Read a call, such as ``-kendall(A, B) after A: x <-> y``; None for another text.

    >>> call_of("instance(leaf 3, hf(beta=2, root=include))").parts
    ('leaf 3', 'hf(beta=2, root=include)')
    """
    found = re.fullmatch(r"(-?)(\w+)\((.*?)\)(?: after (.*))?", text.strip())
    if found is None:
        return None
    sign, name, inside, after = found.groups()
    parts, depth = [""], 0
    for c in inside:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    stripped = tuple(part.strip() for part in parts)
    return Call(name, stripped, bool(sign), tuple(after.split("; ")) if after else ())


def known(name: str, names: Iterable[str], none: str, where: str = "") -> str:
    """Return a name, or say that there is none like it."""
    if name not in (names := list(names)):
        raise BadInput(f"{none} {name!r}{where}{did_you_mean(name, names)}")
    return name


OPERATIONS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def calculated(text: str) -> float:
    """Return the value of a formula of numbers with + - * / ** and brackets.

    Raises
    ------
    BadInput
        For anything else.

    Examples
    --------
    >>> calculated("1 - 12 / 15")
    0.19999999999999996
    """

    def value(node: ast.AST) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return float(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        raise ValueError

    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, SyntaxError, ArithmeticError, RecursionError, TypeError):
        raise BadInput(f"cannot calculate {text!r}; write it like 1 - 12 / 15") from None


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

    def column(self, measure: str) -> dict[str, float]:
        """Return the scores of a measure."""
        return self.scores[known(measure, self.scores, "the table has no measure")]

    def upwards(self, measure: str) -> list[float]:
        """Return the scores of a measure, losses with their sign turned."""
        sign = -1 if measure in self.lower_is_better else 1
        return [sign * x for x in self.column(measure).values()]

    def entry(self, system: str, measure: str) -> float:
        """Return a score."""
        column = self.column(measure)
        return column[known(system, column, NO_SYSTEM)]

    def per(self, system: str, one: str, other: str, times: str = "") -> float:
        """Return a score by another one, times a third if it is named."""
        ratio = self.entry(system, one) / self.entry(system, other)
        return ratio * self.entry(system, times) if times else ratio

    def rank(self, system: str, measure: str, *, dense: bool = False) -> float:
        """Return the rank of a system; the best score of those who share one places them all."""
        self.entry(system, measure)
        ranked = zip(self.column(measure), self.upwards(measure), strict=True)
        scores = {s: x for s, x in ranked if s not in self.unranked}
        known(system, scores, "the table has no rank of")
        group = {s: s for s in scores}
        for together in self.ties.get(measure, ()):
            first, *others = together.split()
            group |= {known(other, scores, NO_SYSTEM): first for other in (first, *others)}
        best: dict[str, float] = {}
        for s, x in scores.items():
            best[group[s]] = max(best.get(group[s], x), x)
        better = [group[s] for s in scores if best[group[s]] > best[group[system]]]
        return 1.0 + len(set(better) if dense else better)

    def changed(self, change: str) -> PrintedTable:
        """Return the table with scores changed.

        ``A: x <-> y`` exchanges two scores of a measure, ``A: x = y`` gives x the score of y,
        ``A: x < y`` places x directly after y.

        Raises
        ------
        BadInput
            For another text, or an unknown measure or system.
        """
        found = re.fullmatch(r"(\w+): (\S+) (<->|=|<) (\S+)", change)
        if found is None:
            raise BadInput(f"cannot read the change {change!r}; write A: x <-> y")
        name, one, how, other = found.groups()
        column = dict(self.column(name))
        first, second = (column[known(x, column, NO_SYSTEM)] for x in (one, other))
        worse = np.inf if name in self.lower_is_better else -np.inf
        column[one] = float(np.nextafter(second, worse)) if how == "<" else second
        if how == "<->":
            column[other] = first
        return replace(self, scores={**self.scores, name: column})


NO_SYSTEM = "the table has no system"


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


def _formula(text: str) -> Call:
    """Read a formula over a printed table."""
    call = call_of(text)
    if call is None:
        raise BadInput(f"cannot read the formula {text!r}; write it like kendall(Acc, GIE)")
    return call


def table_value(text: str | Call, table: PrintedTable, system: str = "") -> float:
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
    call = _formula(text) if isinstance(text, str) else text
    for change in call.changes:
        table = table.changed(change)
    for m in call.parts:
        table.column(m)
    n_measures, work = FORMULAS.get(call.name, ((), None))
    if work is None or len(call.parts) not in n_measures:
        raise BadInput(f"there is no formula {call.name} of {len(call.parts)} measures")
    value = work(table, system, *call.parts)
    return -value if call.negative else value


def _gap(one: list[float], other: list[float]) -> float:
    return abs(sum(one) - sum(other)) / len(one)


FORMULAS: dict[str, tuple[tuple[int, ...], Callable[..., float]]] = {
    "entry": ((1,), PrintedTable.entry),
    "rank": ((1,), PrintedTable.rank),
    "dense_rank": ((1,), lambda t, s, a: t.rank(s, a, dense=True)),
    "per": ((2, 3), PrintedTable.per),
    "kendall": ((2,), lambda t, _, a, b: kendall_tau(t.upwards(a), t.upwards(b))),
    "difference_of_means": ((2,), lambda t, _, a, b: _gap(t.upwards(a), t.upwards(b))),
}
"""Of how many measures a formula is, and what it is, of a table, a system and these."""

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
    asked = _formula(text).asked
    if asked is None:
        raise BadInput(f"{text!r} asks for no change; write ... after an exchange in A")
    kind, columns = asked
    systems, *_ = (table.column(column) for column in columns)
    touched = []
    for row in printed:
        if row.measure.startswith("kendall("):
            own = _formula(row.reading) if row.reading else None
            call = own if own is not None and own.asked == asked else _formula(row.measure)
            if len({*call.parts} & {*columns}) == 1:
                touched.append((row, call))

    def suffices(change: str) -> bool:
        extra = tuple(f"{column}: {change}" for column in columns)
        after = ((row, call._replace(after=(*call.changes, *extra))) for row, call in touched)
        return all(is_met(row, table_value(call, table)) for row, call in after)

    changes = (f"{one} {SIGNS[kind]} {other}" for one, other in combinations(systems, 2))
    return tuple(filter(suffices, changes))
