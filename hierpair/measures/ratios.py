"""Ratios of columns, with every 0/0 decided in one place, and the measures that most families have.

These are precision, recall and F of two sets: what both have, relative to one or to both of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import Array, Floats, ratio

__all__ = ["Floats", "f_of", "fbeta", "holds", "overlap_measures", "perfect_if_empty", "ratio"]


def fbeta(n_true: Array, n_pred: Array, n_both: Array, beta: float, zero_division: float) -> Floats:
    """(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|), which is F of precision and recall."""
    square = float(beta) ** 2
    return ratio((1 + square) * n_both, square * n_true + n_pred, zero_division)


def f_of(precision: Array, recall: Array, beta: float) -> Floats:
    """Return F of precision and recall; 0 where both are."""
    square = float(beta) ** 2
    return ratio((1 + square) * precision * recall, square * precision + recall, 0)


def perfect_if_empty(n_true: Array, n_pred: Array, values: Floats, perfect: float = 1) -> Floats:
    """Return 1 where there is nothing to find and nothing was said, the values elsewhere."""
    empty = n_true == 0
    if not np.any(empty):
        return values
    return np.where(empty & (n_pred == 0), perfect, values)


def holds(condition: Any) -> Floats:
    """Return 1 where something holds, 0 elsewhere."""
    return np.asarray(condition, dtype=np.float64)


def _overlaps(*, filled: bool) -> tuple[Callable[..., Floats], ...]:
    """Return F, precision and recall, which are F of β = 0; ``filled``: two empty sets agree."""

    def f(
        n_true: Floats, n_pred: Floats, n_both: Floats, *, beta: float = 1, zero_division: float = 0
    ) -> Floats:
        values = fbeta(n_true, n_pred, n_both, beta, zero_division)
        return perfect_if_empty(n_true, n_pred, values) if filled else values

    def precision(
        n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
    ) -> Floats:
        return f(n_true, n_pred, n_both, beta=0, zero_division=zero_division)

    def recall(
        n_true: Floats, n_pred: Floats, n_both: Floats, *, zero_division: float = 0
    ) -> Floats:
        return f(n_pred, n_true, n_both, beta=0, zero_division=zero_division)

    return f, precision, recall


PLAIN, PERFECT_IF_EMPTY = _overlaps(filled=False), _overlaps(filled=True)


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
    """Declare F, precision and recall of two sets by their names, each with its text.

    Formulas write the sets so; two empty ones agree, or are 0/0 (:data:`PLAIN`).
    """
    f, *parts = texts
    written = (
        f"(1 + β²) {both} / (β² {true} + {predicted})",
        f"{both} / {predicted}",
        f"{both} / {true}",
    )
    for name, formula, value in zip(texts, written, formulas, strict=True):
        of_f = (parts[0], parts[1]) if name == f else None
        declare(name=name, formula=formula + of, text=texts[name], parts=of_f)(value)
