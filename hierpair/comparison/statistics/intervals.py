"""Confidence intervals: bootstrap over instances, t over runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hierpair.comparison.samples.sample import Sample
from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Floats

__all__ = [
    "INTERVALS",
    "bca_interval",
    "defined_interval",
    "left_out",
    "percentile_interval",
    "seed_interval",
]


INTERVALS = ("percentile", "bca")


def percentile_interval(rounds: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the percentile interval of bootstrap values along the first axis.

    Rounds in which a score is not defined are left out.
    """
    tail = (1 - level) / 2
    defined = not np.isnan(rounds).any()
    found = (np.quantile if defined else np.nanquantile)(rounds, [tail, 1 - tail], axis=0)
    return found[0], found[1]


def defined_interval(rounds: Floats, level: float) -> tuple[Floats, Floats]:
    """Return percentile intervals along the first axis; nan where no round is defined."""
    known = ~np.isnan(rounds).all(axis=0)
    low, high = np.full(known.shape, np.nan), np.full(known.shape, np.nan)
    if known.any():
        low[known], high[known] = percentile_interval(rounds[:, known], level)
    return low, high


def bca_interval(
    rounds: Floats, observed: Floats, leaving_out: Floats, level: float
) -> tuple[Floats, Floats]:
    """Return bias-corrected and accelerated intervals of k scores (Efron 1987).

    From bootstrap values, shape ``(n_rounds, k)``, the scores of the data, and those with one
    instance left out at a time, shape ``(n_instances, k)``.
    """
    from scipy.special import ndtr, ndtri

    below = (rounds < observed).mean(axis=0) + 0.5 * (rounds == observed).mean(axis=0)
    bias = ndtri(np.clip(below, 0.5 / len(rounds), 1 - 0.5 / len(rounds)))
    influence = leaving_out.mean(axis=0) - leaving_out
    square = (influence**2).sum(axis=0)
    acceleration = np.divide(
        (influence**3).sum(axis=0), 6 * square**1.5, out=np.zeros_like(square), where=square > 0
    )
    ends = []
    for tail in ((1 - level) / 2, 1 - (1 - level) / 2):
        z = bias + ndtri(tail)
        share = ndtr(bias + z / (1 - acceleration * z))
        columns = zip(rounds.T, np.atleast_1d(share), strict=True)
        ends.append(np.array([np.quantile(column, q) for column, q in columns]))
    return ends[0], ends[1]


def left_out(sample: Sample) -> Floats:
    """Return the pooled scores with one instance left out at a time, for BCa intervals.

    Raises
    ------
    BadInput
        For averages over classes, where this would take a pass per instance.
    """
    if not isinstance(sample.columns, np.ndarray):
        raise BadInput("BCa intervals are not offered for averages over classes; use percentile")
    n = sample.n_instances
    each = sample.columns.reshape(n, sample.n_systems, sample.fields)
    if n == 1:
        return sample.pool(sample.whole())[None]
    values = sample.pool(sample.whole() - each)
    if sample.fields == 1:  # a plain mean divides by n, and one instance is missing
        values = values * n / (n - 1)
    return values


def seed_interval(
    values: Sequence[float] | Floats, *, level: float = 0.95, method: Literal["t", "normal"] = "t"
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
