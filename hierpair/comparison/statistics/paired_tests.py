"""Paired tests on the values of instances: sign, Wilcoxon, t; and effect sizes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Floats

__all__ = [
    "cliffs_delta",
    "differences_of",
    "rank_biserial",
    "sign_test",
    "signed_rank_test",
    "t_test",
    "wins_and_losses",
]


MOST_EXACT = 50
"""Differences up to which the signed rank test is exact."""

DIFFERENCE_BITS = 44
"""Differences are rounded to so many bits of the largest value: equal ones get equal ranks."""


def differences_of(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return x − y where both are defined, differences that only rounding makes set to 0.

    Raises
    ------
    BadInput
        If these are not two lists of the same length.
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise BadInput(f"two systems need a value per instance each, got {a.shape}, {b.shape}")
    known = ~(np.isnan(a) | np.isnan(b))
    d = a[known] - b[known]
    largest = float(max(np.abs(a[known]).max(initial=0.0), np.abs(b[known]).max(initial=0.0)))
    if largest == 0:
        return d
    step = int(np.ceil(np.log2(largest))) - DIFFERENCE_BITS
    return np.ldexp(np.rint(np.ldexp(d, -step)), step)


def wins_and_losses(d: Floats) -> tuple[int, int]:
    """Return on how many instances a difference is positive, and negative."""
    return int((d > 0).sum()), int((d < 0).sum())


def sign_test(d: Floats, *, exact: bool = True) -> float:
    """Return the two-sided p-value of the (micro) sign test.

    Of the n instances on which two systems differ, the first is better on k. Under the null
    hypothesis k is binomial with p = 1/2.

    Parameters
    ----------
    d
        Differences, one per instance.
    exact
        The binomial distribution; otherwise the normal approximation
        Z = (k − n/2) / (√n / 2) of Kosmopoulos et al. 2014, eq. 6 (Yang and Liu 1999), which
        they use for n > 12. Their one-sided p-value is half of this one.

    Examples
    --------
    >>> d = np.array([1.0] * 12 + [-1.0] * 4)
    >>> round(sign_test(d), 4), round(sign_test(d, exact=False), 4)
    (0.0768, 0.0455)
    """
    k, lost = wins_and_losses(d)
    n = k + lost
    if n == 0:
        return 1.0
    from scipy import stats

    if exact:
        return float(stats.binomtest(k, n).pvalue)
    z = (k - 0.5 * n) / (0.5 * np.sqrt(n))
    return float(2 * stats.norm.sf(abs(z)))


def signed_rank_test(d: Floats) -> float:
    """Return the two-sided p-value of Wilcoxon's signed rank test (Wilcoxon 1945).

    Zero differences are left out; exact for at most 50 differences without ties, otherwise by the
    normal approximation with the correction for ties.

    Examples
    --------
    >>> signed_rank_test(np.array([1.0, 2.0, 3.0, 4.0, 5.0, -6.0]))
    0.4375
    """
    different = d[d != 0]
    if not len(different):
        return 1.0
    from scipy import stats

    tied = len(np.unique(np.abs(different))) < len(different)
    method = "exact" if len(different) <= MOST_EXACT and not tied else "approx"
    return min(1.0, float(stats.wilcoxon(different, method=method).pvalue))


def t_test(d: Floats) -> float:
    """Return the two-sided p-value of the paired t test.

    Examples
    --------
    >>> round(t_test(np.array([1.0, 2.0, 3.0])), 4)
    0.0742
    """
    if len(d) < 2 or not d.any():
        return 1.0
    if (d == d[0]).all():
        return 0.0
    from scipy import stats

    return float(stats.ttest_1samp(d, 0.0).pvalue)


def rank_biserial(d: Floats) -> float:
    """Return the matched-pairs rank-biserial correlation (Kerby 2014), in [−1, 1].

    (R₊ − R₋) / (R₊ + R₋), with R the sum of the ranks of absolute differences over the positive and
    over the negative ones; 1 if all differences are positive, 0 if there are none.

    Examples
    --------
    >>> round(rank_biserial(np.array([1.0, 2.0, -3.0, 4.0])), 4)
    0.4
    """
    different = d[d != 0]
    if not len(different):
        return 0.0
    from scipy.stats import rankdata

    ranks = rankdata(np.abs(different))
    return float((ranks * np.sign(different)).sum() / ranks.sum())


def cliffs_delta(x: ArrayLike, y: ArrayLike) -> float:
    """Return Cliff's delta (Cliff 1993), in [−1, 1].

    The share of all pairs of a value of ``x`` and one of ``y`` in which x is larger, less the
    share in which it is smaller. It does not use that the values are paired.

    Examples
    --------
    >>> cliffs_delta([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 2.0, 0.0])
    0.6875
    """
    a, b = (np.asarray(side, dtype=np.float64) for side in (x, y))
    a, b = a[~np.isnan(a)], np.sort(b[~np.isnan(b)])
    if not len(a) or not len(b):
        return 0.0
    below = np.searchsorted(b, a, side="left").sum()
    above = (len(b) - np.searchsorted(b, a, side="right")).sum()
    return float(int(below) - int(above)) / (len(a) * len(b))
