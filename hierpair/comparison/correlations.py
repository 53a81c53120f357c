"""Rank correlations of two rankings of systems, one by one and in many rounds at once."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hierpair.comparison.samples import PAIR_CELLS, pieces
from hierpair.comparison.statistics import all_pairs
from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Floats, Ints, ratio

COEFFICIENTS = {
    "kendall_b": "Kendall's tau-b",
    "kendall_a": "Kendall's tau-a",
    "spearman": "Spearman's rho",
}
"""Rank correlations, and what they are called."""


def kendall_tau(x: ArrayLike, y: ArrayLike, variant: Literal["a", "b"] = "b") -> float:
    """Kendall's rank correlation of two rankings of the same systems.

    Parameters
    ----------
    x, y
        One number per system, higher is better in both: turn the sign of errors and ranks.
    variant
        ``"b"``: (C − D) / √((n₀ − n₁)(n₀ − n₂)), with the pairs tied in ``x`` or ``y`` taken out
        of n₀ = n(n − 1)/2; ``"a"``: (C − D) / n₀.

    Returns
    -------
    float
        In [−1, 1]; NaN if there is nothing to compare (all systems tied, or fewer than two).

    Raises
    ------
    BadInput
        If the lengths differ, a number is NaN, or the variant is unknown.

    References
    ----------
    Kendall 1938; the published tables of Kosmopoulos et al. 2014 are tau-b of the scores.

    Examples
    --------
    >>> x, y = [3, 2, 1], [3, 1, 1]
    >>> round(kendall_tau(x, y), 4), round(kendall_tau(x, y, "a"), 4)
    (0.8165, 0.6667)
    """
    both = _checked(x, y)
    if variant not in ("a", "b"):
        raise BadInput(f"variant must be 'a' or 'b', got {variant!r}")
    return float(rank_correlations(both[None], f"kendall_{variant}")[0, 0, 1])


def spearman_rho(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's correlation of the (mean) ranks.

    Parameters, range and errors are those of :func:`kendall_tau`.

    Examples
    --------
    >>> round(spearman_rho([3, 2, 1], [3, 1, 1]), 4)
    0.866
    """
    from scipy.stats import spearmanr

    a, b = both = _checked(x, y)
    return (
        float(spearmanr(a, b).statistic) if len(a) and np.ptp(both, axis=1).all() else float("nan")
    )


def _checked(x: ArrayLike, y: ArrayLike) -> Floats:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise BadInput(f"two rankings need one number per system each, got {a.shape}, {b.shape}")
    if np.isnan([a, b]).any():
        raise BadInput("a ranking cannot hold nan")
    return np.stack([a, b])


def tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """AP correlation of a ranking with one that is held for true: errors at the top count more.

    2 / (n − 1) · Σ C(i) / (i − 1) − 1 over the ranks i ≥ 2 of ``x``, with C(i) the systems above
    rank i that ``y`` also puts above that one (Yilmaz, Aslam and Robertson 2008). Where ``y`` has a
    tie half a system counts; of systems tied in ``x`` it is the mean over all their orders.

    Parameters
    ----------
    x, y
        One number per system, higher is better in both. The two are not exchangeable.

    Returns
    -------
    float
        In [−1, 1]; NaN for fewer than two systems.

    Examples
    --------
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.3333, 0.7778)
    """
    a, b = _checked(x, y)
    n = len(a)
    if n < 2:
        return float("nan")
    right = 0.5 * (1 + np.sign(b[:, None] - b))  # whether y puts the row above the column
    levels = np.unique(-a)
    total = 0.0
    for level in levels:
        tied, above = -a == level, -a < level
        n_above, n_tied = int(above.sum()), int(tied.sum())
        of_above = float(right[np.ix_(above, tied)].sum()) / n_tied
        within = np.arange(n_tied)  # tied systems are in either order equally often
        total += float(ratio(of_above + 0.5 * within, n_above + within, 0.0).sum())
    return 2 * total / (n - 1) - 1


def rank_correlations(rounds: Floats, coefficient: str, weights: Floats | None = None) -> Floats:
    """Return the correlations in every round, shape ``(n_rounds, n_measures, n_measures)``.

    Parameters
    ----------
    rounds
        Higher is better, shape ``(n_rounds, n_measures, n_systems)``.
    coefficient
        A name in :data:`COEFFICIENTS`.
    weights
        How often every system counts in a round, for Kendall's; by default once.
    """
    if coefficient == "spearman":
        from scipy.stats import rankdata

        ranks = rankdata(rounds, axis=-1)
        centred = ranks - ranks.mean(axis=-1, keepdims=True)
        square = (centred**2).sum(axis=-1)
        below = np.sqrt(square[:, :, None] * square[:, None])
        return ratio(centred @ centred.swapaxes(1, 2), below)
    pairs, parts = all_pairs(rounds.shape[2]), []
    for some in pieces(len(rounds), PAIR_CELLS // max(1, len(pairs) * rounds.shape[1])):
        both = None if weights is None else weights[some][:, pairs].prod(axis=2)
        parts.append(correlations(pair_signs(rounds[some], pairs), coefficient[-1], both))
    return np.concatenate(parts)


def pair_signs(upwards: Floats, pairs: Ints) -> NDArray[np.float32]:
    """Return which system of every pair is ahead: 1, −1, or 0, along the last axis."""
    first, second = pairs.T
    return np.sign(upwards[..., first] - upwards[..., second]).astype(np.float32)


def correlations(
    signs: NDArray[np.float32], variant: str, weights: NDArray[Any] | None = None
) -> Floats:
    """Return Kendall's tau of all pairs of measures in every round; NaN if nothing is compared.

    Parameters
    ----------
    signs
        From :func:`pair_signs`, shape ``(n_rounds, n_measures, n_pairs)``.
    variant
        ``"a"`` or ``"b"``, as for :func:`kendall_tau`.
    weights
        How often every pair counts in a round, shape ``(n_rounds, n_pairs)``; by default once.
    """
    counts = np.ones((len(signs), signs.shape[2])) if weights is None else weights
    weighted = signs * counts[:, None].astype(np.float32)
    concordance = (weighted @ signs.swapaxes(1, 2)).astype(np.float64)
    if variant == "a":
        return ratio(concordance, counts.sum(axis=1)[:, None, None])
    untied = (weighted * signs).sum(axis=2, dtype=np.float64)
    return ratio(concordance, np.sqrt(untied[:, :, None] * untied[:, None]))
