"""Published numbers: as printed, where, and what is expected of them."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hierpair.errors import BadInput, check_choice, did_you_mean
from hierpair.verification.cases import case_text, fields_of, source_file

__all__ = [
    "EXPECTATIONS",
    "NEEDS",
    "UNITS",
    "Call",
    "Published",
    "Value",
    "calculated",
    "call_of",
    "is_met",
    "judged",
    "known",
    "printed_value",
    "read_published",
]

Value = float | frozenset[str]
"""A computed value: a number, or a set of classes."""

COLUMNS = ("case", "system", "measure", "where", "printed", "unit", "expect", "why", "reading")
NEEDS = {"needs models": "needs models", "needs data": "no data"}
"""Expectations of numbers that nothing here can give, and their verdicts."""

EXPECTATIONS = ("same", "truncated", "propagated", "undecided", "erratum", *NEEDS)
UNITS = {"": 1.0, "%": 100.0}
DMAX = 5
"""``6+Max`` is printed where a cost holds one default cost."""


@dataclass(frozen=True)
class Published:
    """One printed number, or set of classes.

    Attributes
    ----------
    system
        Whose number; empty for a number of the whole table.
    measure
        What it is: a measure of the registry, a formula over the printed tables of the case, or
        what can be looked up in its labels.
    where
        Where it is printed.
    printed, unit
        The number as printed, ``"%"`` where it is a percentage; a fraction like ``2/3`` is meant
        exactly; ``88.87 (0.15)`` has an interval; ``{A, B}`` is a set of classes.
    expect
        ``"same"``: the computed value is within half a unit of the last printed decimal (or
        percent); a number printed without decimals is meant exactly;
        ``"truncated"``: it is truncated, not rounded; ``"propagated"``: it was computed from
        truncated numbers;
        ``"undecided"``: it does not follow from what is printed, but from a reading that may be
        meant, or from what is not printed: no error is claimed; ``"erratum"``: it does not follow;
        ``"needs models"``, ``"needs data"``: nothing here can give it.
    why, reading
        The reason, and the reading that gives the printed number: a measure or a formula. An
        erratum has both; what is undecided has a reason.
    decimals
        Least decimals of a number with a point, where zeros at the end are not printed.
    """

    system: str
    measure: str
    where: str
    printed: str
    unit: str = ""
    expect: str = "same"
    why: str = ""
    reading: str = ""
    decimals: int = field(default=0, kw_only=True)


def read_published(name: str) -> list[Published]:
    """Read the printed rows of a case from the file of its source.

    Raises
    ------
    BadInput
        For another header, a line with other fields, or a row that says too little; names the
        line.
    """
    (place, header), *rest = fields_of(source_file(name, ".tsv"))
    if tuple(header) != COLUMNS:
        raise BadInput(f"{place}: expected the header {' '.join(COLUMNS)}, separated by tabs")
    decimals = case_text(name).get("decimals", 0)
    found = []
    for place, fields in rest:
        if fields[0] != name:
            continue
        if len(fields) != len(COLUMNS):
            raise BadInput(f"{place}: expected {len(COLUMNS)} fields, got {len(fields)}")
        row = Published(*fields[1:], decimals=decimals)
        try:
            _check(row)
        except BadInput as error:
            raise BadInput(f"{place}: {error}") from None
        found.append(row)
    return found


def _check(row: Published) -> None:
    check_choice("expect", row.expect, EXPECTATIONS)
    if row.unit not in UNITS:
        raise BadInput(f"unit must be % or blank, got {row.unit!r}")
    if row.expect in ("erratum", "propagated") and not (row.why and row.reading):
        raise BadInput(
            f"{row.expect} needs a reason (why) and the reading under which the printed number "
            "arises"
        )
    if row.expect in ("undecided", *NEEDS) and not row.why:
        raise BadInput(f"{row.expect} needs a reason (why)")
    if not row.printed.startswith("{"):
        printed_value(row.printed)


def printed_value(text: str) -> tuple[float, int | None]:
    """Return the number that is printed, and how many decimals it has; None for a fraction.

    An interval in brackets behind the number is read over.

    >>> printed_value("0.66"), printed_value("6+Max"), printed_value("1/4")
    ((0.66, 2), (11.0, 0), (0.25, None))
    >>> printed_value("88.87 (0.15)")
    (88.87, 2)
    """
    fraction = re.fullmatch(r"(\d+)/([1-9]\d*)", text)
    if fraction is not None:
        return int(fraction[1]) / int(fraction[2]), None
    found = re.fullmatch(r"(-?\d+(?:\.(\d+))?)(\+Max)?(?: \(\d+(?:\.\d+)?\))?", text)
    if found is None:
        raise BadInput(f"a printed number is written like 0.66, 2/3 or 6+Max, got {text!r}")
    value = float(found[1]) + (DMAX if found[3] else 0)
    return value, len(found[2] or "")


def judged(row: Published, computed: Value, reading: Value | None = None) -> str:
    """Return the verdict on a number: ``"met"``, ``"wrong"``, or what is expected of it.

    Parameters
    ----------
    row
        What is printed and expected.
    computed
        What it is by definition, in the unit of the measure.
    reading
        What the reading gives, for a number that has one.

    Examples
    --------
    >>> judged(Published("s", "hr", "Table 1", "0.66", expect="truncated"), 2 / 3)
    'truncated'
    >>> judged(Published("s", "hr", "Table 1", "0.66"), 2 / 3)
    'wrong'
    """
    met = is_met(row, computed)
    if row.expect == "same":
        return "met" if met else "wrong"
    if met:
        return "wrong"  # it needs no explanation any more
    if row.expect == "truncated":
        return "truncated" if _is_cut(row, computed) else "wrong"
    if reading is None:
        return "undecided" if row.expect == "undecided" and not row.reading else "wrong"
    return row.expect if is_met(row, reading) or _is_cut(row, reading) else "wrong"


def is_met(row: Published, computed: Value) -> bool:
    """Whether a value is what is printed, within half a unit of the last decimal."""
    if isinstance(computed, frozenset) or row.printed.startswith("{"):
        return computed == _printed_set(row.printed)
    value, decimals = printed_value(row.printed)
    exact = decimals is None or not (decimals or row.unit)
    near = 0.0 if exact else 0.5 * 10 ** -_decimals(row)
    return bool(abs(computed * UNITS[row.unit] - value) <= near + 1e-9)


def _is_cut(row: Published, computed: Value) -> bool:
    decimals = 0 if row.printed.startswith("{") else _decimals(row)
    if isinstance(computed, frozenset) or not decimals:
        return False
    computed *= UNITS[row.unit]
    cut = math.trunc(computed * 10**decimals + math.copysign(1e-9, computed)) / 10**decimals
    return bool(abs(cut - printed_value(row.printed)[0]) < 1e-9)


def _decimals(row: Published) -> int:
    decimals = printed_value(row.printed)[1]
    return max(decimals, row.decimals) if decimals else 0


def _printed_set(text: str) -> frozenset[str] | None:
    """Return the classes of ``{A, B}``, or None for a number."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    return frozenset(x.strip() for x in text[1:-1].split(",") if x.strip())


@dataclass(frozen=True)
class Call:
    """A name with what its brackets hold, with a minus before it or changes after it."""

    name: str
    parts: tuple[str, ...]
    negative: bool = False
    after: tuple[str, ...] = ()


def call_of(text: str) -> Call | None:
    """Read a call, such as ``-kendall(A, B) after A: x <-> y``; None for another text.

    >>> call_of("instance(leaf 3, hf(beta=2, root=include))").parts
    ('leaf 3', 'hf(beta=2, root=include)')
    """
    found = re.fullmatch(r"(-?)(\w+)\((.*?)\)(?: after (.*))?", text)
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
