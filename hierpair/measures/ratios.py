"""Ratios of columns, with every 0/0 decided in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import Floats, ratio

__all__ = ["Floats", "fbeta", "perfect_if_empty", "ratio"]


def fbeta(
    n_true: NDArray[Any],
    n_pred: NDArray[Any],
    n_both: NDArray[Any],
    beta: float,
    zero_division: float,
) -> NDArray[np.float64]:
    """(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|), which is F of precision and recall."""
    square = float(beta) ** 2
    return ratio((1 + square) * n_both, square * n_true + n_pred, zero_division)


def perfect_if_empty(
    n_true: NDArray[Any], n_pred: NDArray[Any], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return 1 where there is nothing to find and nothing was said, the values elsewhere."""
    empty = n_true == 0
    if not np.any(empty):
        return values
    perfect: NDArray[np.float64] = np.where(empty & (n_pred == 0), 1.0, values)
    return perfect
