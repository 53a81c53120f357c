"""Planted differences: some answers of a system made wrong, and whether a test finds that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from hierpair.comparison.meta_evaluation.perturbation.relatives import Relatives
from hierpair.comparison.meta_evaluation.perturbation.tips import (
    Tips,
    one_below_the_other,
    sets_of,
)
from hierpair.comparison.statistics.resampling import BLOCK_CELLS, LEAST_ROWS, exchanges, is_exact
from hierpair.evaluation.scores import ScoredLabels, Scores
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import ancestor_closure
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels import LabelSets

__all__ = ["planted_power", "sign_flip_p_values"]

PLANTED = 4
"""Stream of random numbers, beside those of resampling."""


def _changed_counts(shares: Sequence[float], n: int, rng: np.random.Generator) -> list[int]:
    """Return how many of n answers change at each share, one of them being a part of the next."""
    order, counts, changed, before = np.argsort(shares), [0] * len(shares), 0, 0.0
    for q in order.tolist():
        rest = min(1.0, (shares[q] - before) / (1 - before)) if before < 1 else 0.0
        changed += int(rng.binomial(n - changed, rest))
        counts[q], before = changed, shares[q]
    return counts


def planted_power(
    scores: Scores,
    labels: ScoredLabels,
    shares: Sequence[float],
    repeats: int,
    alpha: float,
    n_permutations: int,
    seed: int,
) -> Floats:
    """Return how often a planted difference is found, by measure and share.

    Every system is compared with itself, where every answer was replaced with the probability of
    the share: each of its labels that is above none of the others by a class of equal depth that
    is unrelated to all true labels of the instance. It is found if the sign-flip test of the
    values of instances has p ≤ alpha and the replaced answers are the worse ones. What a smaller
    share replaces, a larger one does too.
    """
    n, measures = scores.n_instances, scores.measures
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(PLANTED,)))
    tests = range(len(scores.systems) * repeats)
    counts = np.array([_changed_counts(shares, n, rng) for _ in tests]).reshape(-1, len(shares))
    most = max(1, int(counts.max()))
    drawn = [
        np.concatenate([rng.permutation(n)[:most] for _ in range(repeats)]) for _ in scores.systems
    ]
    sides = list(zip(scores.systems, drawn, strict=True))
    answers = [_wrong(labels, labels.systems[name], rows, rng) for name, rows in sides]
    every = np.concatenate(drawn)
    found = score(
        labels.hierarchy, labels.truth.take(every), {"planted": one_below_the_other(answers)},
        measures, on_infeasible="nan", on_progress=False,
    )  # fmt: skip
    before = np.concatenate([scores.per_instance[name][rows] for name, rows in sides])
    signs = np.array([1.0 if m.higher_is_better else -1.0 for m in measures])
    loss = np.nan_to_num((before - found.per_instance["planted"]) * signs)
    if scores.weight is not None:
        loss = loss * scores.weight[every][:, None]
    cube = loss.reshape(-1, most, len(measures)).transpose(1, 0, 2)  # answers × tests × measures
    power = np.empty((len(measures), len(shares)))
    for q, count in enumerate(counts.T):
        some = cube * (np.arange(most)[:, None] < count)[:, :, None]
        p = sign_flip_p_values(some.reshape(most, -1), n_permutations, seed)
        right = (p <= alpha) & (some.sum(axis=0).ravel() > 0)
        power[:, q] = right.reshape(-1, len(measures)).mean(axis=0)
    return power


def sign_flip_p_values(differences: Floats, n_permutations: int, seed: int) -> Floats:
    """Return two-sided p-values of sign-flip tests, one per column of differences.

    (b + 1) / (B + 1), with b of B random changes of signs, the same for all columns, whose sum is
    at least as far from 0; the exact share where all changes are no more than that.
    """
    n = len(differences)
    exact = is_exact(n, n_permutations)
    rounds = 2**n if exact else n_permutations
    observed = np.abs(differences.sum(axis=0))
    limit = observed * (1 - 1e-12)
    extreme = np.zeros(differences.shape[1], dtype=np.int64)
    rows = max(LEAST_ROWS, BLOCK_CELLS // max(1, n))
    for block in range(-(-rounds // rows)):
        flips = 1 - 2 * exchanges(n, n_permutations, seed, block).floats
        extreme += (np.abs(flips @ differences) >= limit).sum(axis=0)
    return extreme / rounds if exact else (extreme + 1) / (rounds + 1)


def _wrong(
    labels: ScoredLabels, answers: LabelSets, rows: Ints, rng: np.random.Generator
) -> LabelSets:
    """Return the answers to these instances with unrelated labels in place of all labels.

    A label is left out where no class of its depth is unrelated. Where a system names the classes
    above its labels, too, those above the new ones are named.
    """
    h, n = labels.hierarchy, len(rows)
    relatives = Relatives(h)
    tips = Tips.of(relatives, answers.take(rows))
    true_tops = Tips.of(relatives, labels.truth.take(rows)).tops
    new = relatives.unrelated(tips.label, scipy.sparse.csr_array(true_tops[tips.row]), [], rng)
    some = new >= 0
    row, label = tips.row[some], new[some]
    if len(answers.indices) > len(Tips.of(relatives, answers).label):
        owner, above = ancestor_closure(h, np.unique(label)).expanded(label)
        kept = h.levels[above] >= relatives.low
        row, label = row[owner[kept]], above[kept].astype(np.int64)
    return sets_of(row, label, n, len(h))
