"""Ratios of set sizes, with every 0/0 decided in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.pooling import Counts

__all__ = ["fbeta", "perfect_if_empty", "precision", "ratio", "recall"]


def ratio(above: NDArray[Any], below: NDArray[Any], zero_division: float) -> NDArray[np.float64]:
    """Return ``above / below``, and ``zero_division`` where ``below`` is 0."""
    out = np.full(len(below), float(zero_division))
    np.divide(above, below, out=out, where=np.asarray(below) != 0)
    return out


def precision(counts: Counts, zero_division: float) -> NDArray[np.float64]:
    """|Ŷ ∩ Y| / |Ŷ|."""
    return ratio(counts.n_both, counts.n_pred, zero_division)


def recall(counts: Counts, zero_division: float) -> NDArray[np.float64]:
    """|Ŷ ∩ Y| / |Y|."""
    return ratio(counts.n_both, counts.n_true, zero_division)


def fbeta(counts: Counts, beta: float, zero_division: float) -> NDArray[np.float64]:
    """(1 + β²) |Ŷ ∩ Y| / (β² |Y| + |Ŷ|), which is F of precision and recall."""
    square = float(beta) ** 2
    above = (1 + square) * counts.n_both
    return ratio(above, square * counts.n_true + counts.n_pred, zero_division)


def perfect_if_empty(counts: Counts, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 where there is nothing to find and nothing was said, the values elsewhere."""
    perfect: NDArray[np.float64] = np.where(counts.n_union == 0, 1.0, values)
    return perfect
