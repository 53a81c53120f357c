"""Tests, effect sizes, corrections, intervals, ranks, correlations: numbers in, numbers out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from hierpair.comparison.analysis import check_share, check_whole
from hierpair.comparison.samples import PAIR_CELLS, pair_differences
from hierpair.errors import BadInput, check_choice
from hierpair.hierarchy.arrays import Floats, Ints, pieces, ratio

MOST_EXACT = 50
"""Differences up to which the signed rank test is exact."""

DIFFERENCE_BITS = 44
"""Differences are rounded to so many bits of the largest value: equal ones get equal ranks."""

LEAST_PERMUTATIONS = 10_000


def all_pairs(n_systems: int) -> Ints:
    """Return all pairs of systems, shape ``(n_pairs, 2)``."""
    return np.stack(np.triu_indices(n_systems, 1), axis=1)


def square(pairs: Ints, ahead: Floats, behind: Floats, n: int, diagonal: float = 0) -> Floats:
    """Return what the first of two systems has, and the second, as matrices; nan where unknown."""
    out = np.full((*ahead.shape[:-1], n, n), np.nan)
    out[..., range(n), range(n)] = diagonal
    one, other = pairs.T
    out[..., one, other], out[..., other, one] = ahead, behind
    return out


# ------------------------------------------------------------------- differences of instances


def rounded_to(values: Floats, largest: float) -> Floats:
    """Round to so many bits of a largest value that what only rounding parts is equal."""
    if largest == 0:
        return values
    step = int(np.ceil(np.log2(largest))) - DIFFERENCE_BITS
    return np.ldexp(np.rint(np.ldexp(values, -step)), step)


def _two_lists(x: ArrayLike, y: ArrayLike, need: str) -> tuple[Floats, Floats]:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise BadInput(f"{need} each, got {a.shape}, {b.shape}")
    return a, b


def differences_of(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return x − y where both are defined, differences that only rounding makes set to 0.

    Raises
    ------
    BadInput
        If these are not two lists of the same length.
    """
    a, b = _two_lists(x, y, "two systems need a value per instance")
    known = ~(np.isnan(a) | np.isnan(b))
    a, b = a[known], b[known]
    return rounded_to(a - b, np.abs([a, b]).max(initial=0.0))


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
    k, n = int((d > 0).sum()), int((d != 0).sum())
    if n == 0:
        return 1.0
    if exact:
        return float(scipy.stats.binomtest(k, n).pvalue)
    z = (k - 0.5 * n) / (0.5 * np.sqrt(n))
    return float(2 * scipy.stats.norm.sf(abs(z)))


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
    tied = len(np.unique(np.abs(different))) < len(different)
    method = "exact" if len(different) <= MOST_EXACT and not tied else "approx"
    return min(1.0, float(scipy.stats.wilcoxon(different, method=method).pvalue))


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
    return float(scipy.stats.ttest_1samp(d, 0.0).pvalue)


def welch_test(runs: Floats, pairs: Ints) -> Floats:
    """Return the two-sided p-values of Welch's t test of all pairs of lists of runs."""
    mean, spread = runs.mean(axis=1), runs.std(axis=1, ddof=1)
    one, other = pairs.T
    n = runs.shape[1]
    found: Floats = scipy.stats.ttest_ind_from_stats(
        mean[one], spread[one], n, mean[other], spread[other], n, equal_var=False
    ).pvalue
    found = np.where((spread[one] == 0) & (spread[other] == 0), 0.0, found)
    return np.where(mean[one] == mean[other], 1.0, found)


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
    ranks = scipy.stats.rankdata(np.abs(different))
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
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    if not (n := len(a) * len(b)):
        return 0.0
    ahead = scipy.stats.mannwhitneyu(a, b, method="asymptotic").statistic
    return float((2 * ahead - n) / n)


# --------------------------------------------------------------------------------- plans

CORRECTIONS, FAMILIES = ("holm", "bonferroni", "bh", "none"), ("measure", "all")
INTERVALS, EFFECTS = ("percentile", "bca"), ("rank_biserial", "cliffs_delta")


def adjusted(p: ArrayLike, correction: str = "holm") -> Floats:
    """Return p-values adjusted for how many there are.

    A pair is then significant at level α if its adjusted p-value is at most α.

    Parameters
    ----------
    p
        One p-value per comparison of the family.
    correction
        ``"holm"`` (Holm 1979) and ``"bonferroni"`` bound the chance of any false finding of the
        family by α, whatever the dependence; Holm never finds less. ``"bh"`` (Benjamini and
        Hochberg 1995) bounds the expected share of false findings among the findings.
        ``"none"`` leaves the values as they are.

    Returns
    -------
    ndarray
        Adjusted values in [0, 1], in the order given.

    Raises
    ------
    BadInput
        For a number outside [0, 1], or an unknown correction.

    Examples
    --------
    >>> [round(float(x), 3) for x in adjusted([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    >>> [round(float(x), 3) for x in adjusted([0.01, 0.04, 0.03, 0.005], "bh")]
    [0.02, 0.04, 0.04, 0.02]
    """
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise BadInput("p-values must be one list of numbers from 0 to 1")
    check_choice("correction", correction, CORRECTIONS)
    if correction == "holm":
        order = np.argsort(values, kind="stable")
        steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
        values = steps[np.argsort(order)]
    elif correction == "bonferroni":
        values = values * len(values)
    elif correction == "bh":
        values = scipy.stats.false_discovery_control(values)
    return np.minimum(values, 1.0)


OF_INSTANCES: dict[str, Callable[[Floats], float]] = {
    "sign": sign_test,
    "sign_normal": lambda d: sign_test(d, exact=False),
    "wilcoxon": signed_rank_test,
    "t": t_test,
}
"""Tests on the differences of the values of instances."""

TESTS = {
    "permutation": "paired sign-flip permutation test of the pooled scores",
    "bootstrap": "paired bootstrap test of the pooled scores",
    "sign": "micro sign test on the values of instances, exact binomial",
    "sign_normal": "micro sign test on the values of instances, normal approximation",
    "wilcoxon": "Wilcoxon signed rank test on the values of instances",
    "t": "paired t test on the values of instances",
    "runs": "Welch's t test on the scores of the runs",
}
"""Every test by name."""

CHOICES = {
    "test": TESTS,
    "correction": CORRECTIONS,
    "family": FAMILIES,
    "interval": INTERVALS,
    "effect": EFFECTS,
}
"""What can be chosen among, by what it is."""


@dataclass(frozen=True)
class Plan:
    """How systems are compared; see :func:`hierpair.compare`."""

    test: str = "permutation"
    correction: str = "holm"
    family: str = "measure"
    alpha: float = 0.05
    level: float = 0.95
    interval: str = "percentile"
    effect: str = "rank_biserial"
    n_permutations: int | None = None
    n_bootstrap: int = 2_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            check_choice(name, getattr(self, name), known)
        check_share(alpha=self.alpha, level=self.level)
        check_whole(n_bootstrap=self.n_bootstrap)
        check_whole(0, seed=self.seed)
        if self.n_permutations is not None:
            check_whole(n_permutations=self.n_permutations)

    def resolved(self, n_pairs: int, n_measures: int) -> Plan:
        """Return the plan with a number of exchanges: enough that a pair can be significant.

        The smallest p-value is 1 / (B + 1), and Holm and Bonferroni multiply it by the number of
        comparisons.
        """
        if self.n_permutations is not None:
            return self
        needed = 2 * self.smallest_factor(n_pairs, n_measures) / self.alpha
        return replace(self, n_permutations=max(LEAST_PERMUTATIONS, math.ceil(needed)))

    def smallest_factor(self, n_pairs: int, n_measures: int) -> int:
        """Return what the smallest p-value of a family is multiplied with, at most."""
        family = n_pairs * (n_measures if self.family == "all" else 1)
        return family if self.correction in ("holm", "bonferroni") else 1

    def adjusted(self, p: Floats) -> Floats:
        """Return p-values adjusted in their families, shape ``(n_measures, n_pairs)``."""
        if self.family == "all":
            return adjusted(p.ravel(), self.correction).reshape(p.shape)
        return np.stack([adjusted(of, self.correction) for of in p])


def few_rounds(rounds: int, alpha: float, factor: int = 1) -> str:
    """Return what is to be told if no p-value of so many random rounds can reach the level.

    >>> few_rounds(9, 0.05, 3), few_rounds(19, 0.05)
    ('too few rounds (9) for 3 comparisons: no adjusted p-value can be below 0.3', '')
    >>> few_rounds(9, 0.05)
    'too few rounds (9): no p-value can be below 0.1'
    """
    if alpha * (rounds + 1) >= factor:
        return ""
    of = f" for {factor:,} comparisons: no adjusted" if factor > 1 else ": no"
    return f"too few rounds ({rounds:,}){of} p-value can be below {factor / (rounds + 1):.2g}"


# ------------------------------------------------------------------------------- intervals


def bootstrap_interval(rounds: Floats, level: float, *observed: Floats) -> Floats:
    """Return both ends of intervals from bootstrap values along the first axis.

    They are percentiles of the rounds in which a score is defined, nan where it is in none. With
    what is ``observed``, the scores of the data and what every instance adds to them, shape
    ``(n_instances, …)``, they are bias-corrected and accelerated (Efron 1987); nan where that is
    not known, since a score is not defined without some instance.
    """
    flat, tail = rounds.reshape(len(rounds), -1), (1 - level) / 2
    shares = np.tile([[tail], [1 - tail]], flat.shape[1])
    if observed:
        whole, values = observed
        below = (rounds < whole).mean(axis=0) + 0.5 * (rounds == whole).mean(axis=0)
        bias = scipy.special.ndtri(np.clip(below, 0.5 / len(rounds), 1 - 0.5 / len(rounds)))
        influence = values - values.mean(axis=0)
        cubes, square = (influence**3).sum(axis=0), (influence**2).sum(axis=0)
        z = bias + scipy.special.ndtri(shares)
        shares = scipy.special.ndtr(bias + z / (1 - ratio(cubes, 6 * square**1.5, 0.0) * z))
    ends = [
        np.quantile(known, of) if len(known) and not np.isnan(of).any() else (np.nan, np.nan)
        for known, of in ((x[~np.isnan(x)], of) for x, of in zip(flat.T, shares.T, strict=True))
    ]
    return np.array(ends).T.reshape(2, *rounds.shape[1:])


def seed_interval(values: ArrayLike, *, level: float = 0.95) -> tuple[Any, Any]:
    """Return the mean of runs with different seeds, and half the width of its t interval.

    ``mean ± t s / sqrt(n)``, s with n - 1 below and t of n - 1 degrees of freedom. The interval is
    about what differs between the runs, and says nothing about other test data.

    Parameters
    ----------
    values
        One number per run, at least two; of several rows there are lists of means and widths.
    level
        Between 0 and 1.

    Raises
    ------
    BadInput
        For fewer than two values, or a level out of range.

    Examples
    --------
    >>> mean, half = seed_interval([90.1, 90.9, 90.5, 91.3])
    >>> round(mean, 2), round(half, 2)
    (90.7, 0.82)
    """
    runs = np.atleast_1d(np.asarray(values, dtype=np.float64))
    n = runs.shape[-1]
    if n < 2 or not np.isfinite(runs).all():
        raise BadInput("an interval needs at least two finite numbers")
    check_share(level=level)
    factor = scipy.special.stdtrit(n - 1, (1 + level) / 2)
    half = factor * runs.std(axis=-1, ddof=1) / np.sqrt(n)
    return runs.mean(axis=-1).tolist(), half.tolist()


# ------------------------------------------------------------------------------------ ranks


def ranked(values: ArrayLike, significant: ArrayLike | None = None) -> Ints:
    """Return the rank of every system, 1 for the best.

    Without ``significant``, equal values have equal ranks. With it, systems are gone through from
    the best value down, as in the tables of Kosmopoulos et al. (2014, §4.3): a system has the rank
    of the one before it if it differs significantly from no system of that rank. Two systems of one
    rank then never differ significantly; two of different ranks may.

    Parameters
    ----------
    values
        One number per system, higher is better: turn the sign of errors.
    significant
        Square matrix: whether two systems differ significantly.

    Raises
    ------
    BadInput
        For a NaN, or a matrix of another shape.

    Examples
    --------
    >>> ranked([0.5, 0.9, 0.9, 0.1]).tolist()
    [3, 1, 1, 4]
    >>> differ = [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    >>> ranked([0.9, 0.8, 0.7], differ).tolist()
    [1, 1, 3]
    """
    v = np.asarray(values, dtype=np.float64)
    if v.ndim != 1 or np.isnan(v).any():
        raise BadInput("a ranking needs one number per system, and no nan")
    if significant is None:
        differ = v[:, None] != v
    else:
        differ = np.asarray(significant, dtype=bool)
        if differ.shape != (len(v), len(v)):
            raise BadInput(f"significant must have shape {(len(v), len(v))}, got {differ.shape}")
    ranks, group = np.zeros(len(v), dtype=np.int64), list[int]()
    for position, i in enumerate(np.argsort(-v, kind="stable").tolist(), start=1):
        if not group or differ[i, group].any():
            rank, group = position, []
        group.append(i)
        ranks[i] = rank
    return ranks


def cliques(values: ArrayLike, significant: ArrayLike) -> list[list[int]]:
    """Return the longest runs of neighbours in the order of values none of which differ.

    These are the bars of a critical-difference picture; runs of one system are left out.

    Parameters
    ----------
    values, significant
        As for :func:`ranked`.

    Examples
    --------
    >>> cliques([0.9, 0.8, 0.7], [[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    [[0, 1], [1, 2]]
    """
    differ = np.asarray(significant, dtype=bool)
    order = np.argsort(-np.asarray(values, dtype=np.float64), kind="stable").tolist()
    runs, last = list[list[int]](), 0
    for first in range(len(order)):  # what is no clique with this one is none with those before
        before, last = last, max(last, first + 1)
        while last < len(order) and not differ[order[last], order[first:last]].any():
            last += 1
        if last > max(before, first + 1):
            runs.append(order[first:last])
    return runs


# ----------------------------------------------------------------------- rank correlations

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
    check_choice("variant", variant, ("a", "b"))
    return float(rank_correlations(_checked(x, y)[None], f"kendall_{variant}")[0, 0, 1])


def _checked(x: ArrayLike, y: ArrayLike) -> Floats:
    both = np.stack(_two_lists(x, y, "two rankings need one number per system"))
    if np.isnan(both).any():
        raise BadInput("a ranking cannot hold nan")
    return both


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
    right = 0.5 * (1 + np.sign(b[:, None] - b))  # whether y puts the row above the column
    total = 0.0
    for level in np.unique(-a):
        tied, above = -a == level, -a < level
        n_above, n_tied = above.sum(), tied.sum()
        of_above = right[np.ix_(above, tied)].sum() / n_tied
        within = np.arange(n_tied)  # tied systems are in either order equally often
        total += float(ratio(of_above + 0.5 * within, n_above + within, 0.0).sum())
    return 2 * total / (len(a) - 1) - 1 if len(a) > 1 else np.nan


def rank_correlations(rounds: Floats, coefficient: str, weights: Floats | None = None) -> Floats:
    """Return the correlations in every round, shape ``(n_rounds, n_measures, n_measures)``.

    They are cosines: of signs of pairs of systems, or of centred ranks. In tau-a all pairs count.
    Rounds are higher where better, ``(n_rounds, n_measures, n_systems)``; weights, for Kendall's,
    say how often every system counts in a round, by default once.
    """
    pairs, parts = all_pairs(rounds.shape[2]), []
    for some in pieces(len(rounds), PAIR_CELLS // max(1, len(pairs) * rounds.shape[1])):
        counts: Any = 1 if weights is None else weights[some][:, None, pairs].prod(axis=3)
        if coefficient == "spearman":
            each = scipy.stats.rankdata(rounds[some], axis=-1)
            each -= each.mean(axis=-1, keepdims=True)
        else:
            each = pair_signs(rounds[some], pairs)
        both = ((each * counts).astype(each.dtype) @ each.swapaxes(1, 2)).astype(np.float64)
        own = np.diagonal(both, axis1=1, axis2=2)
        below = np.sqrt(own[:, :, None] * own[:, None])
        if coefficient == "kendall_a":
            below = np.broadcast_to(counts, each.shape).sum(axis=2)[:, :1, None]
        parts.append(ratio(both, below))
    return np.concatenate(parts)


def pair_signs(upwards: Floats, pairs: Ints) -> NDArray[np.float32]:
    """Return which system of every pair is ahead: 1, −1, or 0, along the last axis."""
    return np.sign(pair_differences(upwards, pairs)).astype(np.float32)
