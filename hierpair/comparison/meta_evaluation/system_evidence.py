"""How sure the agreement of rankings is: resampled instances and systems, p-values of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.comparison.block_samples import block_sample, of_partial, with_blocks
from hierpair.comparison.joined_scores import groups_of
from hierpair.comparison.measure_samples import sample_of_measure
from hierpair.comparison.meta_evaluation.rank_correlations import (
    correlations,
    pair_signs,
    rank_correlations,
    tau_ap,
)
from hierpair.comparison.samples.sample import PAIR_CELLS, Sample
from hierpair.comparison.statistics.intervals import defined_interval
from hierpair.comparison.statistics.resampling import bootstrap, exchange_p_values
from hierpair.comparison.statistics.tests_by_name import all_pairs
from hierpair.errors import BadInput
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints

__all__ = ["MANY_SYSTEMS", "SystemEvidence", "system_evidence"]

MANY_SYSTEMS = 10
"""With so many systems they are resampled, too."""

SYSTEMS = 2
"""Stream of random numbers, beside those of resampling."""


@dataclass(frozen=True, eq=False)
class SystemEvidence:
    """What stands beside the correlation of two measures; all matrices are measures × measures.

    Attributes
    ----------
    low, high
        Percentile interval of the correlation over instances that are resampled with
        replacement, the same for all systems and both measures; nan where it cannot be told.
    system_low, system_high
        The same with systems resampled, too, and no system compared with itself; None for few
        systems.
    left_out_low, left_out_high
        Least and largest correlation if one system is left out; nan for two systems.
    accuracy
        Share of the pairs of systems that both measures put in the same order, or both tie.
    soft_accuracy
        One minus the mean absolute difference of the one-sided p-values of the pairs (Thompson et
        al. 2024), from the paired sign-flip test; nan where it cannot be told.
    tau_ap
        AP correlation of the measure of the row with that of the column, which is held for true.
    n_bootstrap, level, seed
        Rounds, also of exchanges; level of the intervals; of the random numbers.
    """

    low: Floats
    high: Floats
    system_low: Floats | None
    system_high: Floats | None
    left_out_low: Floats
    left_out_high: Floats
    accuracy: Floats
    soft_accuracy: Floats
    tau_ap: Floats
    n_bootstrap: int
    level: float
    seed: int


def system_evidence(
    scores: Scores, coefficient: str, n_bootstrap: int, level: float, seed: int, n_jobs: int
) -> tuple[SystemEvidence, list[str]]:
    """Return what stands beside the correlations of all pairs of measures, and what is lacking."""
    m, n = len(scores.measures), len(scores.systems)
    pairs = all_pairs(n)
    turned = np.array([1 if m.higher_is_better else -1 for m in scores.measures])
    upwards = (scores.values * turned).T
    signs = pair_signs(upwards, pairs)
    accuracy = np.array([(signs == one).mean(axis=1) for one in signs])
    ap = np.array([[tau_ap(x, y) for y in upwards] for x in upwards])
    kept, samples, notes = _samples(scores)
    low, high, soft = (np.full((m, m), np.nan) for _ in range(3))
    system_low = system_high = None
    if samples:
        at = np.ix_(kept, kept)
        rounds = bootstrap(samples, n_bootstrap, seed, n_jobs) * turned[kept, None, None]
        rounds = rounds.swapaxes(0, 1)  # rounds × measures × systems
        low[at], high[at] = defined_interval(_in_rounds(rounds, pairs, coefficient), level)
        if n >= MANY_SYSTEMS and coefficient != "spearman":
            system_low, system_high = np.full((m, m), np.nan), np.full((m, m), np.nan)
            found = _in_rounds(rounds, pairs, coefficient, _drawn_systems(n_bootstrap, n, seed))
            system_low[at], system_high[at] = defined_interval(found, level)
        p = exchange_p_values(samples, pairs, n_bootstrap, seed, n_jobs)
        one_sided = 0.5 + 0.5 * signs[kept] * (p - 1)
        soft[at] = [1 - np.abs(one_sided - one).mean(axis=1) for one in one_sided]
    left_low, left_high = _one_left_out(upwards, coefficient)
    evidence = SystemEvidence(
        low, high, system_low, system_high, left_low, left_high, accuracy, soft, ap, n_bootstrap,
        level, seed,
    )  # fmt: skip
    return evidence, notes


def _samples(scores: Scores) -> tuple[list[int], list[Sample], list[str]]:
    """Return the measures that can be resampled, their samples, and why others cannot be."""
    groups = list(groups_of(scores, None).values())
    if of_partial(scores) is not None:
        try:
            known, lines = with_blocks(scores)
        except BadInput as error:
            return [], [], [f"no intervals: {error}"]
        kept = [scores.measures.index(m) for m in known.measures]
        samples = [block_sample(known, k, groups) for k in range(len(kept))]
        return kept, samples, [f"no interval: {line}" for line in lines]
    kept, samples, notes = [], [], []
    for k in range(len(scores.measures)):
        try:
            samples.append(sample_of_measure(scores, k, groups))
            kept.append(k)
        except BadInput as error:
            notes.append(f"no interval: {error}")
    return kept, samples, notes


def _in_rounds(
    rounds: Floats, pairs: Ints, coefficient: str, weights: Floats | None = None
) -> Floats:
    """Return the correlations in every round, shape ``(n_rounds, n_measures, n_measures)``."""
    if coefficient == "spearman":
        return rank_correlations(rounds)
    parts = []
    step = max(1, PAIR_CELLS // (len(pairs) * rounds.shape[1]))
    for lo in range(0, len(rounds), step):
        some = None
        if weights is not None:
            of = weights[lo : lo + step]
            some = (of[:, pairs[:, 0]] * of[:, pairs[:, 1]]).astype(np.float32)
        signs = pair_signs(rounds[lo : lo + step], pairs)
        parts.append(correlations(signs, coefficient[-1], some))
    return np.concatenate(parts)


def _drawn_systems(n_rounds: int, n: int, seed: int) -> Floats:
    """Return how often every system is drawn in every round."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(SYSTEMS,)))
    drawn = rng.integers(0, n, (n_rounds, n)) + n * np.arange(n_rounds)[:, None]
    return np.bincount(drawn.ravel(), minlength=n * n_rounds).reshape(n_rounds, n).astype(float)


def _one_left_out(upwards: Floats, coefficient: str) -> tuple[Floats, Floats]:
    """Return the least and the largest correlation with one system left out."""
    n = upwards.shape[1]
    if n < 3:
        nothing = np.full((len(upwards),) * 2, np.nan)
        return nothing, nothing
    others = np.array([np.delete(upwards, i, axis=1) for i in range(n)])
    found = _in_rounds(others, all_pairs(n - 1), coefficient)
    return np.fmin.reduce(found), np.fmax.reduce(found)
