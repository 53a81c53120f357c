"""What measures tell on fewer instances: tests and orders in random subsamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hierpair.comparison.samples.sample import Sample
from hierpair.comparison.statistics.intervals import left_out
from hierpair.comparison.statistics.resampling import BLOCK_CELLS, LEAST_ROWS, resamples
from hierpair.hierarchy.arrays import Bools, Floats, Ints

__all__ = ["linear_values", "paired_p_values", "resampled_power", "shares_by_size"]

SPLITS = 3
"""Stream of random numbers, beside those of resampling."""


def linear_values(sample: Sample) -> Floats | None:
    """Return what every instance adds to a score, shape ``(n_instances, n_systems)``.

    Of a mean they are the values; of a formula of sums jackknife pseudo-values
    n θ − (n − 1) θ₍₋ᵢ₎ (Tukey 1958), whose mean has the variance of the score; None for averages
    over classes, where these would take a pass per instance.
    """
    if not isinstance(sample.columns, np.ndarray):
        return None
    if sample.fields == 1:
        values: Floats = sample.columns
        return values
    n = sample.n_instances
    return n * sample.pool(sample.whole()) - (n - 1) * left_out(sample)


def paired_p_values(weights: Floats, values: Floats, pairs: Ints) -> Floats:
    """Return two-sided p-values of paired t tests, shape ``(rows, pairs)``.

    Parameters
    ----------
    weights
        How often every instance counts, a row per sample.
    values
        A value per instance and system.
    pairs
        Pairs of systems.
    """
    from scipy.special import stdtr

    d = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    n = weights.sum(axis=1)[:, None]
    mean, square = weights @ d / n, weights @ d**2 / n
    spread = square - mean**2
    spread[spread <= 1e-12 * square] = 0.0  # nothing but rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(spread / (n - 1))
    p: Floats = 2 * stdtr(np.broadcast_to(n - 1, t.shape), -np.abs(t))
    p[(spread == 0) & (mean != 0)] = 0.0
    p[mean == 0] = 1.0
    return p


def resampled_power(
    values: Sequence[Floats], pairs: Ints, alpha: float, n_rounds: int, seed: int
) -> Floats:
    """Return the share of pairs with p ≤ alpha in a paired t test, by round and measure.

    The measures have as many instances, and the same ones are drawn for all of them.
    """
    n, found = len(values[0]), []
    rows = max(LEAST_ROWS, BLOCK_CELLS // max(1, n))
    for block in range(-(-n_rounds // rows)):
        counts = resamples(n, n_rounds, seed, block).floats
        p = np.stack([paired_p_values(counts, of, pairs) for of in values], axis=1)
        found.append((p <= alpha).mean(axis=2))
    return np.concatenate(found)


def shares_by_size(
    samples: Sequence[Sample],
    values: Sequence[Floats | None],
    pairs: Ints,
    sizes: Sequence[int],
    alpha: float,
    splits: int,
    seed: int,
) -> tuple[Floats, Floats]:
    """Return the share of significant pairs and that of swapped ones, by measure and size.

    In every split of the instances the first n make one sample and the next n another, so samples
    of all sizes are nested, and all measures of as many instances see the same. A pair is swapped
    if the two samples order it differently; it is counted as significant in the first.
    """
    shape = (len(samples), len(sizes))
    significant, swapped = np.full(shape, np.nan), np.full(shape, np.nan)
    for n in {sample.n_instances for sample in samples}:
        of_size = [k for k, sample in enumerate(samples) if sample.n_instances == n]
        for s, size in enumerate(sizes):
            for k in of_size:
                significant[k, s] = 0.0 if size <= n and values[k] is not None else np.nan
                swapped[k, s] = 0.0 if 2 * size <= n else np.nan
        for ranks in _splits(n, splits, seed):
            for s, size in enumerate(sizes):
                if size > n:
                    continue
                one, other = (ranks < size), (ranks >= size) & (ranks < 2 * size)
                for k in of_size:
                    of = values[k]
                    if of is not None:
                        p = paired_p_values(one.astype(np.float64), of, pairs)
                        significant[k, s] += (p <= alpha).sum()
                    if 2 * size <= n:
                        swapped[k, s] += _swaps(samples[k], one, other, pairs)
    whole = splits * len(pairs)
    return significant / whole, swapped / whole


def _splits(n: int, splits: int, seed: int) -> Iterator[Ints]:
    """Yield random places of all instances, some splits at a time."""
    rows = max(LEAST_ROWS, BLOCK_CELLS // max(1, n))
    for block, lo in enumerate(range(0, splits, rows)):
        key = np.random.SeedSequence(seed, spawn_key=(SPLITS, block))
        drawn = np.random.default_rng(key).random((min(rows, splits - lo), n))
        yield drawn.argsort(axis=1).argsort(axis=1)


def _swaps(sample: Sample, one: Bools, other: Bools, pairs: Ints) -> int:
    """Return how many pairs two samples order differently, over all splits."""
    signs = []
    for rows in (one, other):
        scores = sample.pool(sample.sums(rows.astype(np.float64)))
        signs.append(np.sign(scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]))
    return int((signs[0] * signs[1] < 0).sum())
