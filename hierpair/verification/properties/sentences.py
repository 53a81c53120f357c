"""The sentence of a violation: which inequality fails, with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hierpair.verification.properties.relations import TOLERANCE

__all__ = ["failed_inequality"]

TURNED = {"≥": "≤", ">": "<", "=": "="}


def failed_inequality(
    relation: str, cells: Sequence[str], values: Sequence[float], *, higher: bool
) -> str:
    """Return what was expected of the values of cells and what they are.

    Parameters
    ----------
    relation
        A name in ``RELATIONS``.
    cells
        How each cell is written, such as ``"v({1}, {1, 2})"``.
    values
        Their values, which violate the relation.
    higher
        Whether higher values are better; otherwise inequalities are turned.

    Examples
    --------
    >>> failed_inequality("≥", ["v(T,P)", "v(T,P∪{x})"], [0.5, 4 / 7], higher=True)
    'expected v(T,P) ≥ v(T,P∪{x}); is 0.5 < 0.5714'
    >>> failed_inequality("≥", ["v(T,P)", "v(T,P∪{x})"], [5, 2], higher=False)
    'expected v(T,P) ≤ v(T,P∪{x}); is 5 > 2'
    """
    if relation == "in [0, 1]":
        k = next(k for k, v in enumerate(values) if not -TOLERANCE <= v <= 1 + TOLERANCE)
        return f"expected 0 ≤ {cells[k]} ≤ 1; is {_number(values[k])}"
    if relation == "triangle":
        perfect, direct, one, between, other = values if higher else [-v for v in values]
        errors = [perfect - direct, perfect - one, between - other]
        a, b, c = (_number(error) for error in errors)
        return f"expected e({_pair(cells[1])}) ≤ e({_pair(cells[2])}) + e({_pair(cells[4])}); " \
               f"is {a} > {b} + {c}"  # fmt: skip
    if relation == "same difference":
        a, b = _number(values[0] - values[1]), _number(values[2] - values[3])
        return f"expected {cells[0]} − {cells[1]} = {cells[2]} − {cells[3]}; is {a} ≠ {b}"
    if relation == "same order":
        first, second = _compared(*values[:2]), _compared(*values[2:])
        return (
            f"expected {cells[0]} and {cells[1]} to compare as {cells[2]} and {cells[3]}; "
            f"is {first}, but {second}"
        )
    sign = relation if higher else TURNED[relation]
    for k, (v, w) in enumerate(pairwise(values)):
        if _fails(relation, (v, w) if higher else (w, v)):
            return f"expected {cells[k]} {sign} {cells[k + 1]}; is {_compared(v, w)}"
    raise ValueError(f"{values} obey {relation}")


def _fails(relation: str, pair: tuple[float, float]) -> bool:
    one, other = pair
    if relation == "=":
        return abs(one - other) > TOLERANCE
    return not (one > other + TOLERANCE if relation == ">" else one >= other - TOLERANCE)


def _compared(v: float, w: float) -> str:
    sign = "=" if abs(v - w) <= TOLERANCE else "<" if v < w else ">"
    return f"{_number(v)} {sign} {_number(w)}"


def _pair(cell: str) -> str:
    """Return what stands in the brackets of a cell."""
    return cell[cell.index("(") + 1 : cell.rindex(")")]


def _number(value: float) -> str:
    """Return a number with four decimals at most."""
    return f"{round(value, 4) + 0.0:.4f}".rstrip("0").rstrip(".")
