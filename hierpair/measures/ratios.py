"""Ratios of columns, with every 0/0 decided in one place, and the measures that most families have.

These are precision, recall and F of two sets: what both have, relative to one or to both of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import Array, Floats, ratio

__all__ = ["Floats", "fbeta", "overlap_measures", "perfect_if_empty", "ratio"]


def fbeta(n_true: Array, n_pred: Array, n_both: Array, beta: float, zero_division: float) -> Floats:
    """(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|), which is F of precision and recall."""
    square = float(beta) ** 2
    return ratio((1 + square) * n_both, square * n_true + n_pred, zero_division)


def perfect_if_empty(n_true: Array, n_pred: Array, values: Floats) -> Floats:
    """Return 1 where there is nothing to find and nothing was said, the values elsewhere."""
    empty = n_true == 0
    if not np.any(empty):
        return values
    perfect: Floats = np.where(empty & (n_pred == 0), 1.0, values)
    return perfect


def _precision(n_pred: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    return ratio(n_both, n_pred, zero_division)


def _recall(n_true: Floats, n_both: Floats, *, zero_division: float = 0) -> Floats:
    return ratio(n_both, n_true, zero_division)


def _f(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    return fbeta(n_true, n_pred, n_both, beta, zero_division)


def _filled_precision(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
) -> Floats:
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_pred, zero_division))


def _filled_recall(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
) -> Floats:
    return perfect_if_empty(n_true, n_pred, ratio(n_both, n_true, zero_division))


def _filled_f(
    n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
) -> Floats:
    return perfect_if_empty(n_true, n_pred, fbeta(n_true, n_pred, n_both, beta, zero_division))


PLAIN = (_precision, _recall, _f)
PERFECT_IF_EMPTY = (_filled_precision, _filled_recall, _filled_f)


def overlap_measures(
    declare: Callable[..., Callable[..., Any]],
    both: str,
    predicted: str,
    true: str,
    *,
    of: str = "",
    formulas: tuple[Callable[..., Floats], ...] = PERFECT_IF_EMPTY,
    **texts: str,
) -> None:
    """Declare precision, recall and F of two sets by their names, each with its text.

    Formulas write the sets so; two empty ones agree, or are 0/0 (:data:`PLAIN`).
    """
    shares = f"{both} / {predicted}", f"{both} / {true}"
    f = f"(1 + β²) {both} / (β² {true} + {predicted})"
    parts: list[tuple[str, str] | None] = [None, None, (*texts,)[:2]]  # type: ignore[list-item]
    each = zip(texts.items(), (*shares, f), formulas, parts, strict=True)
    for (name, text), share, formula, of_f in each:
        declare(name=name, formula=share + of, text=text, parts=of_f)(formula)
