"""Tests of all pairs of systems under all measures, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.comparison.samples.sample import Sample
from hierpair.comparison.statistics.corrections import adjusted
from hierpair.comparison.statistics.paired_tests import (
    differences_of,
    sign_test,
    signed_rank_test,
    t_test,
)
from hierpair.comparison.statistics.resampling import exchange_p_values
from hierpair.errors import BadInput, check_choice
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy.arrays import Floats, Ints

__all__ = ["OF_INSTANCES", "TESTS", "Plan", "all_pairs", "p_values", "square"]


LEAST_PERMUTATIONS = 10_000

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
        from hierpair.comparison.statistics.corrections import CORRECTIONS
        from hierpair.comparison.statistics.intervals import INTERVALS

        check_choice("test", self.test, TESTS)
        check_choice("correction", self.correction, CORRECTIONS)
        check_choice("family", self.family, ("measure", "all"))
        check_choice("interval", self.interval, INTERVALS)
        check_choice("effect", self.effect, ("rank_biserial", "cliffs_delta"))
        for name in ("alpha", "level"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 < value < 1):
                raise BadInput(f"{name} must be between 0 and 1, got {value!r}")
        for name, least in (("n_permutations", 1), ("n_bootstrap", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is None and name == "n_permutations":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise BadInput(f"{name} must be a whole number of at least {least}, got {value!r}")

    def resolved(self, n_systems: int, n_measures: int) -> Plan:
        """Return the plan with a number of exchanges: enough that a pair can be significant.

        The smallest p-value is 1 / (B + 1), and Holm and Bonferroni multiply it by the number of
        comparisons.
        """
        if self.n_permutations is not None:
            return self
        needed = 2 * self.smallest_factor(n_systems, n_measures) / self.alpha
        return replace(self, n_permutations=max(LEAST_PERMUTATIONS, math.ceil(needed)))

    def smallest_factor(self, n_systems: int, n_measures: int) -> int:
        """Return what the smallest p-value of a family is multiplied with, at most."""
        pairs = n_systems * (n_systems - 1) // 2
        family = pairs * (n_measures if self.family == "all" else 1)
        return family if self.correction in ("holm", "bonferroni") else 1


def all_pairs(n_systems: int) -> Ints:
    """Return all pairs of systems, shape ``(n_pairs, 2)``."""
    return np.array(list(combinations(range(n_systems), 2)), dtype=np.int64).reshape(-1, 2)


def square(pairs: Ints, values: NDArray[Any], n: int, *, turned: int = 1) -> Any:
    """Return values of pairs as matrices: ``turned=-1`` for what changes sign with the order."""
    out = np.zeros((*values.shape[:-1], n, n), dtype=values.dtype)
    out[..., pairs[:, 0], pairs[:, 1]] = values
    out[..., pairs[:, 1], pairs[:, 0]] = turned * values
    return out


def p_values(
    plan: Plan,
    samples: Sequence[Sample],
    values: Callable[[int], Floats],
    pairs: Ints,
    *,
    rounds: Floats | None = None,
    runs: Floats | None = None,
    n_jobs: int = 1,
    tell: Progress | None = None,
) -> tuple[Floats, Floats]:
    """Return p-values of all pairs, as they are and adjusted, shape ``(n_measures, n_pairs)``.

    Of every measure there are its sample, the ``values`` of instances by its number, the scores of
    bootstrap rounds, and those of runs, shape ``(n_systems, n_runs)``.
    """
    if plan.test == "permutation":
        n = plan.n_permutations or LEAST_PERMUTATIONS
        raw = exchange_p_values(samples, pairs, n, plan.seed, n_jobs, tell)
    elif plan.test == "bootstrap":
        if rounds is None:
            raise BadInput("the bootstrap test needs bootstrap rounds")
        raw = np.stack([_bootstrap_test(s, r, pairs) for s, r in zip(samples, rounds, strict=True)])
    elif plan.test == "runs":
        if runs is None:
            raise BadInput("the test on runs needs several runs per system; name them with runs")
        raw = np.stack([_welch(of, pairs) for of in runs])
    else:
        test = OF_INSTANCES[plan.test]
        of_measures = (values(k) for k in range(len(samples)))
        raw = np.array(
            [[test(differences_of(of[:, i], of[:, j])) for i, j in pairs] for of in of_measures]
        )
    raw = np.minimum(raw, 1.0)
    if plan.family == "all":
        return raw, adjusted(raw.ravel(), plan.correction).reshape(raw.shape)
    return raw, np.stack([adjusted(p, plan.correction) for p in raw])


def _bootstrap_test(sample: Sample, rounds: Floats, pairs: Ints) -> Floats:
    """Return two-sided p-values (Efron and Tibshirani 1993, §16): differences around their mean.

    How often a resampled difference lies at least as far from the observed one as that does
    from 0.
    """
    observed = sample.pool(sample.whole())
    found = np.ones(len(pairs))
    if sample.n_instances < 2:  # every resample is the same: it says nothing about others
        return found
    for k, (i, j) in enumerate(pairs):
        d = observed[i] - observed[j]
        tie = 1e-12 * max(abs(observed[i]), abs(observed[j]))
        far = ~(np.abs(rounds[:, i] - rounds[:, j] - d) < abs(d) - tie)
        found[k] = (far.sum() + 1) / (len(rounds) + 1)
    return found


def _welch(runs: Floats, pairs: Ints) -> Floats:
    """Return the two-sided p-values of Welch's t test of all pairs of lists of runs."""
    from scipy import stats

    mean, spread = runs.mean(axis=1), runs.std(axis=1, ddof=1)
    one, other = pairs.T
    n = runs.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):  # of runs that are all the same
        found: Floats = stats.ttest_ind_from_stats(
            mean[one], spread[one], n, mean[other], spread[other], n, equal_var=False
        ).pvalue
    found = np.where((spread[one] == 0) & (spread[other] == 0), 0.0, found)
    return np.where(mean[one] == mean[other], 1.0, found)
