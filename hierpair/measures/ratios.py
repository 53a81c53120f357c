"""Ratios of columns, with every 0/0 decided in one place."""

from __future__ import annotations

import numpy as np

from hierpair.hierarchy.arrays import Array, Floats, ratio

__all__ = ["Floats", "fbeta", "perfect_if_empty", "ratio"]


def fbeta(
    n_true: Array,
    n_pred: Array,
    n_both: Array,
    beta: float,
    zero_division: float,
) -> Floats:
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
