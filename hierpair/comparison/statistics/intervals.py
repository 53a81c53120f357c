"""Confidence intervals: bootstrap over instances, t over runs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hierpair.comparison.samples import Sample
from hierpair.errors import BadInput

__all__ = ["INTERVALS", "bca_interval", "left_out", "percentile_interval", "t_interval"]

Floats = NDArray[np.float64]

INTERVALS = ("percentile", "bca")


def percentile_interval(rounds: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the percentile interval of bootstrap values along the first axis.

    Rounds in which a score is not defined are left out.
    """
    tail = (1 - level) / 2
    defined = not np.isnan(rounds).any()
    found = (np.quantile if defined else np.nanquantile)(rounds, [tail, 1 - tail], axis=0)
    return found[0], found[1]


def bca_interval(
    rounds: Floats, observed: Floats, leaving_out: Floats, level: float
) -> tuple[Floats, Floats]:
    """Return bias-corrected and accelerated intervals (Efron 1987).

    Parameters
    ----------
    rounds
        Bootstrap values, shape ``(n_rounds, k)``.
    observed
        Scores of the data, shape ``(k,)``.
    leaving_out
        Scores with one instance left out at a time, shape ``(n_instances, k)``.
    level
        Such as 0.95.
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


def t_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the t interval of a mean over runs, with ddof 1.

    Raises
    ------
    BadInput
        For fewer than two runs.

    Examples
    --------
    >>> low, high = t_interval(np.array([0.70, 0.72, 0.74]), 0.95)
    >>> round(low, 4), round(high, 4)
    (0.6703, 0.7697)
    """
    if len(values) < 2:
        raise BadInput(f"an interval over runs needs at least two of them, got {len(values)}")
    from scipy.special import stdtrit

    half = stdtrit(len(values) - 1, 0.5 + level / 2) * values.std(ddof=1) / math.sqrt(len(values))
    mean = float(values.mean())
    return mean - float(half), mean + float(half)
