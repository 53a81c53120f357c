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


class Call(NamedTuple):
    """A name with what its brackets hold, with a minus before it or changes after it."""

    name: str
    parts: tuple[str, ...]
    negative: bool = False
    after: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[str, tuple[str, ...]] | None:
        """The change that is asked for, any one: ``"exchange"`` or ``"tie"``, and in what."""
        found = re.fullmatch(r"an? (exchange|tie) in (.+)", self.after[-1]) if self.after else None
        return found and (found[1], tuple(found[2].split(" and ")))


def call_of(text: str) -> Call:
    """Read a call, such as ``-kendall(A, B) after A: x <-> y``.

    Raises
    ------
    BadInput
        For another text.

    Examples
    --------
    >>> call_of("instance(leaf 3, hf(beta=2, root=include))").parts
    ('leaf 3', 'hf(beta=2, root=include)')
    """
    found = re.fullmatch(r"(-?)(\w+)\((.*?)\)(?: after (.*))?", text.strip())
    if found is None:
        example = "kendall(Acc, GIE) or holds(add_right, hf)"
        raise BadInput(f"cannot read {text!r}; write it like {example}")
    sign, name, inside, after = found.groups()
    parts = re.findall(r"(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+", inside)
    changes = tuple(after.split("; ")) if after else ()
    return Call(name, tuple(map(str.strip, parts)), bool(sign), changes)


def known(name: str, names: Iterable[str], none: str) -> str:
    """Return a name, or say that there is none like it."""
    if name not in (names := list(names)):
        raise BadInput(f"{none} {name!r}{did_you_mean(name, names)}")
    return name


OPERATIONS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def calculated(text: str) -> float:
    """Return the value of a formula of numbers with + - * / and brackets.

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
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        raise ValueError

    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, SyntaxError, ArithmeticError):
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
        return column[known(system, column, "the table has no system")]

    def per(self, system: str, one: str, other: str, times: str = "") -> float:
        """Return a score by another one, times a third if it is named."""
        ratio = self.entry(system, one) / self.entry(system, other)
        return ratio * self.entry(system, times) if times else ratio

    def rank(self, system: str, measure: str, *, dense: bool = False) -> float:
        """Return the rank of a system; the best score of those who share one places them all."""
        self.entry(system, measure)
        ranked = dict(zip(self.column(measure), self.upwards(measure), strict=True))
        groups = [together.split() for together in self.ties.get(measure, ())]
        group = {s: some[0] for some in groups for s in some}
        best: dict[str, float] = {}
        for s, x in ranked.items():
            if s not in self.unranked:
                name = group.get(s, s)
                best[name] = max(best.get(name, x), x)
        mine = best[group.get(system, system)]
        better = [name for name, x in best.items() if x > mine]
        if dense:
            return 1.0 + len(better)
        return 1.0 + sum(group.get(s, s) in better for s in ranked if s not in self.unranked)

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
        first, second = (self.entry(x, name) for x in (one, other))
        column = dict(self.column(name))
        worse = np.inf if name in self.lower_is_better else -np.inf
        column[one] = float(np.nextafter(second, worse)) if how == "<" else second
        if how == "<->":
            column[other] = first
        return replace(self, scores={**self.scores, name: column})


def read_table(lines: Iterable[tuple[str, list[str]]]) -> dict[str, dict[str, float]]:
    """Read a table of numbers: measure → system → value."""
    (_, (_, *measures)), *rest = lines
    return {
        m: {system: float(values[k]) for _, (system, *values) in rest}
        for k, m in enumerate(measures)
    }


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
    call = call_of(text) if isinstance(text, str) else text
    for change in call.after[: -1 if call.asked else None]:
        table = table.changed(change)
    work = FORMULAS[known(call.name, FORMULAS, "there is no formula")]
    value = work(table, system, *call.parts)
    return -value if call.negative else value


def _gap(one: list[float], other: list[float]) -> float:
    return abs(sum(one) - sum(other)) / len(one)


FORMULAS: dict[str, Callable[..., float]] = {
    "entry": PrintedTable.entry,
    "rank": PrintedTable.rank,
    "dense_rank": lambda t, s, a: t.rank(s, a, dense=True),
    "per": PrintedTable.per,
    "kendall": lambda t, _, a, b: kendall_tau(t.upwards(a), t.upwards(b)),
    "difference_of_means": lambda t, _, a, b: _gap(t.upwards(a), t.upwards(b)),
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

    systems = table.column(columns[0])
    changes = (f"{one} {SIGNS[kind]} {other}" for one, other in combinations(systems, 2))
    return tuple(filter(suffices, changes))
