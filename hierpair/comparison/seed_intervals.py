"""Intervals of means over runs of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hierpair.errors import BadInput

__all__ = ["seed_interval"]


def seed_interval(
    values: Sequence[float], *, level: float = 0.95, method: Literal["t", "normal"] = "t"
) -> tuple[float, float]:
    """Return the mean of runs with different seeds, and half the width of its interval.

    ``mean ± q s / sqrt(n)``, s with n - 1 below. q is Student's with n - 1 degrees of freedom
    (``"t"``), or the normal one, which is too narrow for few runs: with four runs and 95 % it is
    1.96 where Student's is 3.18. The interval is about what differs between the runs, and says
    nothing about other test data.

    Parameters
    ----------
    values
        One number per run, at least two.
    level
        Between 0 and 1.
    method
        ``"t"`` or ``"normal"``.

    Raises
    ------
    BadInput
        For fewer than two values, or options out of range.

    Examples
    --------
    >>> mean, half = seed_interval([90.1, 90.9, 90.5, 91.3])
    >>> round(mean, 2), round(half, 2)
    (90.7, 0.82)
    """
    from scipy.special import ndtri, stdtrit

    runs = np.asarray(values, dtype=np.float64)
    if runs.ndim != 1 or len(runs) < 2 or not np.isfinite(runs).all():
        raise BadInput("an interval needs at least two finite numbers")
    if not 0 < level < 1 or method not in ("t", "normal"):
        raise BadInput(f"level must be in (0, 1) and method 't' or 'normal', got {level}, {method}")
    upper = (1 + level) / 2
    factor = stdtrit(len(runs) - 1, upper) if method == "t" else ndtri(upper)
    return float(runs.mean()), float(factor * runs.std(ddof=1) / np.sqrt(len(runs)))
