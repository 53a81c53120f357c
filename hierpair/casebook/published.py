"""Published numbers: as printed, where, and what is expected of them."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hierpair.errors import BadInput, did_you_mean
from hierpair.readers.text import read_lines

__all__ = ["EXPECTATIONS", "Published", "calculated", "judged", "printed_value", "read_published"]

COLUMNS = ("system", "measure", "where", "printed", "unit", "expect", "why", "reading")
EXPECTATIONS = ("same", "truncated", "propagated", "erratum")
UNITS = {"": 1.0, "%": 100.0}
DMAX = 5
"""``6+Max`` is printed where a cost holds one default price."""


@dataclass(frozen=True)
class Published:
    """One printed number.

    Attributes
    ----------
    system
        Whose number; empty for a number of the whole table.
    measure
        What it is: a measure of the registry, or a formula over the printed tables of the case.
    where
        Where it is printed.
    printed, unit
        The number as printed, and ``"%"`` where it is a percentage.
    expect
        ``"same"``: the computed value is within half a unit of the last printed decimal (or
        percent); a number printed without decimals is meant exactly;
        ``"truncated"``: it is cut off; ``"propagated"``: it was computed from cut-off numbers;
        ``"erratum"``: it does not follow.
    why, reading
        For an erratum the reason, and the reading that gives the printed number: a measure or a
        formula.
    """

    system: str
    measure: str
    where: str
    printed: str
    unit: str = ""
    expect: str = "same"
    why: str = ""
    reading: str = ""


def read_published(path: Path) -> list[Published]:
    """Read published.tsv.

    Raises
    ------
    BadInput
        For another header, a line with other fields, or a row that says too little; names the
        line.
    """
    lines = read_lines(path)
    if tuple(lines[0].split("\t")) != COLUMNS:
        raise BadInput(f"{path}:1: expected the header {' '.join(COLUMNS)}, separated by tabs")
    found = []
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        if len(fields) != len(COLUMNS):
            raise BadInput(f"{path}:{number}: expected {len(COLUMNS)} fields, got {len(fields)}")
        row = Published(*fields)
        if row.expect not in EXPECTATIONS:
            raise BadInput(
                f"{path}:{number}: expect must be one of {', '.join(EXPECTATIONS)}, got "
                f"{row.expect!r}{did_you_mean(row.expect, EXPECTATIONS)}"
            )
        if row.unit not in UNITS:
            raise BadInput(f"{path}:{number}: unit must be % or blank, got {row.unit!r}")
        if row.expect in ("erratum", "propagated") and not (row.why and row.reading):
            raise BadInput(
                f"{path}:{number}: {row.expect} needs a reason (why) and the reading under which "
                "the printed number arises"
            )
        try:
            printed_value(row.printed)
        except BadInput as error:
            raise BadInput(f"{path}:{number}: {error}") from None
        found.append(row)
    return found


def printed_value(text: str) -> tuple[float, int]:
    """Return the number that is printed, and how many decimals it has.

    >>> printed_value("0.66"), printed_value("6+Max")
    ((0.66, 2), (11.0, 0))
    """
    found = re.fullmatch(r"(-?\d+(?:\.(\d+))?)(\+Max)?", text)
    if found is None:
        raise BadInput(f"a printed number is written like 0.66 or 6+Max, got {text!r}")
    value = float(found[1]) + (DMAX if found[3] else 0)
    return value, len(found[2] or "")


def judged(row: Published, computed: float, reading: float | None = None) -> str:
    """Return ``"met"``, ``"truncated"``, ``"propagated"``, ``"erratum"`` or ``"wrong"``.

    Parameters
    ----------
    row
        What is printed and expected.
    computed
        What it is by definition, in the unit of the measure.
    reading
        What the reading gives, for an erratum or a propagated value.

    Examples
    --------
    >>> judged(Published("s", "hr", "Table 1", "0.66", expect="truncated"), 2 / 3)
    'truncated'
    >>> judged(Published("s", "hr", "Table 1", "0.66"), 2 / 3)
    'wrong'
    """
    scale = UNITS[row.unit]
    met = _is_met(row, computed * scale)
    cut = _is_cut(row.printed, computed * scale)
    if row.expect == "same":
        return "met" if met else "wrong"
    if met:
        return "wrong"  # it needs no explanation any more
    if row.expect == "truncated":
        return "truncated" if cut else "wrong"
    if reading is None or not (
        _is_met(row, reading * scale) or _is_cut(row.printed, reading * scale)
    ):
        return "wrong"
    return row.expect


def _is_met(row: Published, computed: float) -> bool:
    value, decimals = printed_value(row.printed)
    near = 0.5 * 10**-decimals if decimals or row.unit else 0.0
    return bool(abs(computed - value) <= near + 1e-9)


def _is_cut(printed: str, computed: float) -> bool:
    value, decimals = printed_value(printed)
    if not decimals:
        return False
    cut = math.trunc(computed * 10**decimals + math.copysign(1e-9, computed)) / 10**decimals
    return bool(abs(cut - value) < 1e-9)


OPERATIONS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def calculated(text: str, names: Mapping[str, float] | None = None) -> float:
    """Return the value of a formula of numbers and names with + - * / ** and brackets.

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
        if isinstance(node, ast.Name) and names is not None and node.id in names:
            return names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return OPERATIONS[type(node.op)](value(node.left), value(node.right))
        raise ValueError

    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, SyntaxError, ArithmeticError, RecursionError, TypeError):
        raise BadInput(f"cannot calculate {text!r}; write it like 1 - 12 / 15") from None
