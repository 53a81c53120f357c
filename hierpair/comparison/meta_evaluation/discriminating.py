"""Scores in, how well the measures tell systems apart out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hierpair.comparison.block_samples import of_partial
from hierpair.comparison.joined_scores import groups_of, joined_scores
from hierpair.comparison.measure_samples import samples_of
from hierpair.comparison.meta_evaluation.discrimination import Discrimination
from hierpair.comparison.meta_evaluation.planted import planted_power
from hierpair.comparison.meta_evaluation.subsamples import (
    linear_values,
    resampled_power,
    shares_by_size,
)
from hierpair.comparison.shared_instances import common_notes, on_common
from hierpair.comparison.statistics.intervals import defined_interval
from hierpair.comparison.statistics.resampling import exchange_p_values
from hierpair.comparison.statistics.tests_by_name import Plan, all_pairs
from hierpair.errors import BadInput, shown
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels.naming import check_order

__all__ = ["discrimination"]

FIRST_SIZE = 25
"""The smallest of the sizes that are taken by default; each is twice the one before."""

SHARES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05)
"""Shares of answers that are made wrong by default."""


def discrimination(
    scores: Scores | Sequence[Scores],
    *,
    alpha: float = 0.05,
    sizes: Sequence[int] | None = None,
    planted: Sequence[float] | None = None,
    target: float = 0.8,
    swap: float = 0.05,
    splits: int = 200,
    repeats: int = 20,
    n_permutations: int = 2_000,
    n_bootstrap: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int = 1,
) -> Discrimination:
    """Return how well measures tell systems apart, with all instances and with fewer.

    Power is no validity: recall finds most differences and can be had for nothing. And on real
    pairs measures differ in power mostly since they ask different questions, so that the true
    differences differ; planted differences are the same for all of them.

    Parameters
    ----------
    scores
        Scores of at least two systems, with values of instances; or a list of these.
    alpha
        A pair of systems differs if its p-value is at most this. The p-values are not adjusted for
        the number of pairs, as is usual for this quantity: they are no findings about the systems.
    sizes
        Sizes of subsamples; by default 25, 50, 100 … up to half of the instances, and that half.
        A swap rate needs two disjoint subsamples.
    planted
        Shares of answers of a system that are made wrong; by default 0.05 % to 5 %; an empty list
        plants nothing.
    target
        Power for the needed number of instances and the least planted share.
    swap
        Swap rate for the minimum sample size.
    splits, repeats
        Random splits of the instances; planted differences by system and share.
    n_permutations
        Rounds of the sign-flip tests of whole samples and of planted differences; subsamples are
        tested by paired t tests, which for means of many values give the same.
    n_bootstrap, level
        Of the interval of the power over resampled instances; it is for comparing with the power
        itself, which is not always in its middle: a resample is more uneven than the instances.
    seed, n_jobs
        Of the random numbers; processes for the tests (needs the extra ``parallel``).

    Returns
    -------
    Discrimination
        Power, p-values, power and swap rate by size, needed sizes, planted differences.

    Raises
    ------
    BadInput
        For a single system, an undefined score, the scores of a partial, or an unknown option.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> truth = ["c", "d", "b", "c"] * 20
    >>> systems = {"good": truth, "near": ["d", "d", "b", "c"] * 20, "poor": ["b"] * 80}
    >>> found = discrimination(score(tree, truth, systems, ["hf", "gie"]), sizes=[10, 40])
    >>> found.power.tolist(), found.swap_rate[:, 1].tolist()
    ([1.0, 1.0], [0.0, 0.0])
    """
    Plan(
        alpha=alpha, level=level, n_permutations=n_permutations, n_bootstrap=n_bootstrap, seed=seed
    )
    _check({"target": target, "swap": swap}, {"splits": splits, "repeats": repeats})
    check_jobs(n_jobs)
    joined = joined_scores(scores)
    refuse_of_scores(joined.measures)
    if of_partial(joined) is not None:
        raise BadInput(
            "power by number of instances needs the value of every instance, and a partial keeps "
            "sums alone; score the labels of all instances"
        )
    if len(joined.systems) < 2:
        raise BadInput("telling systems apart needs at least two of them")
    whole = on_common(joined)
    for i, k in np.argwhere(np.isnan(whole.values))[:1]:
        raise BadInput(
            f"the {whole.measures[k]} of {whole.systems[i]} is not defined (nan); leave the "
            "measure out, or set zero_division"
        )
    pairs = all_pairs(len(whole.systems))
    samples = samples_of(whole, list(groups_of(whole, None).values()))
    linear = [linear_values(sample) for sample in samples]
    taken = _sizes(sizes, min(sample.n_instances for sample in samples))
    p = exchange_p_values(samples, pairs, n_permutations, seed, n_jobs)
    low, high = (np.full(len(samples), np.nan) for _ in range(2))
    needed = np.full(p.shape, np.nan)
    known = [(k, values) for k, values in enumerate(linear) if values is not None]
    for n in {len(values) for _, values in known}:
        same = [(k, values) for k, values in known if len(values) == n]
        at = [k for k, _ in same]
        rounds = resampled_power([of for _, of in same], pairs, alpha, n_bootstrap, seed)
        low[at], high[at] = defined_interval(rounds, level)
        needed[at] = [_needed(values, pairs, alpha, target) for _, values in same]
    by_size, swapped = shares_by_size(samples, linear, pairs, taken, alpha, splits, seed)
    notes = [*common_notes(whole), *_left_out(whole, linear)]
    shares = _shares(planted, whole.n_instances)
    found = np.empty((len(samples), 0))
    if shares and whole.scored is None:
        if planted is not None:
            raise BadInput(
                "planted differences need the labels, and these scores have none; plant none "
                "(planted=[]), or score the labels"
            )
        notes.append("no planted differences: these scores have no labels")
        shares = ()
    elif shares and whole.scored is not None:
        found = planted_power(whole, whole.scored, shares, repeats, alpha, n_permutations, seed)
    plan: dict[str, Any] = {
        "alpha": alpha, "target": target, "swap": swap, "splits": splits, "repeats": repeats,
        "permutations": n_permutations, "bootstrap": n_bootstrap, "level": level, "seed": seed,
    }  # fmt: skip
    return Discrimination(
        whole.systems, whole.measures, tuple((int(i), int(k)) for i, k in pairs), p,
        (p <= alpha).mean(axis=1), low, high, taken, by_size, swapped, needed, shares, found, plan,
        whole.n_instances, (*notes, *_explained(plan, bool(taken), bool(shares))),
    )  # fmt: skip


def _check(shares: dict[str, float], counts: dict[str, int]) -> None:
    """Refuse what is no share, or no number of rounds."""
    for name, value in shares.items():
        if not (isinstance(value, (int, float)) and 0 < value < 1):
            raise BadInput(f"{name} must be between 0 and 1, got {shown(value)}")
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadInput(f"{name} must be a whole number of at least 1, got {shown(value)}")


def _sizes(sizes: Sequence[int] | None, n: int) -> tuple[int, ...]:
    """Return sizes of subsamples, ascending."""
    if sizes is None:
        doubled = [FIRST_SIZE * 2**k for k in range(n.bit_length())]
        return tuple(sorted({*(size for size in doubled if 2 * size <= n), max(2, n // 2)}))
    check_order(sizes, "sizes")
    for size in sizes:
        whole = isinstance(size, (int, np.integer)) and not isinstance(size, bool)
        if not whole or not 2 <= size <= n:
            raise BadInput(f"a size must be a whole number from 2 to {n:,}, got {shown(size)}")
    return tuple(sorted({int(size) for size in sizes}))


def _shares(shares: Sequence[float] | None, n: int) -> tuple[float, ...]:
    """Return shares of answers, ascending; by default those that are at least one answer."""
    if shares is None:
        return tuple(share for share in SHARES if round(share * n))
    check_order(shares, "planted")
    for share in shares:
        if not (isinstance(share, (int, float)) and 0 < share <= 1 and round(share * n)):
            raise BadInput(
                f"a planted share must be above 0, at most 1, and at least half of one of {n:,} "
                f"answers, got {shown(share)}"
            )
    return tuple(sorted({float(share) for share in shares}))


def _needed(values: Floats, pairs: Ints, alpha: float, target: float) -> Floats:
    """Return how many instances each pair needs."""
    from scipy.special import ndtri

    d = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    mean, spread = d.mean(axis=0), d.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = ((ndtri(1 - alpha / 2) + ndtri(target)) * spread / mean) ** 2
    found[mean == 0] = np.inf
    return found


def _left_out(scores: Scores, linear: Sequence[Floats | None]) -> list[str]:
    """Return what cannot be told of averages over classes."""
    names = [m.name for m, of in zip(scores.measures, linear, strict=True) if of is None]
    if not names:
        return []
    return [
        f"{', '.join(names)}: no interval, power by n and needed n, since averages over classes "
        "have no value per instance"
    ]


def _explained(plan: dict[str, Any], by_size: bool, planted: bool) -> list[str]:
    """Return what the numbers are."""
    lines = [
        f"power: share of the pairs with p ≤ {plan['alpha']:g} in a paired sign-flip test, not "
        f"adjusted; needed n: for power {plan['target']:g}"
    ]
    if by_size:
        lines.append(
            f"{plan['splits']:,} random splits; subsamples are tested by paired t tests; minimum "
            f"size: the least of these sizes with a swap rate of at most {plan['swap']:g}"
        )
    if planted:
        lines.append(
            "planted: each answer of a system with this probability replaced by labels that are "
            f"unrelated to the truth, {plan['repeats']:,} times for every system; the values of "
            "instances are tested"
        )
    return [*lines, "power is not validity: what is easy to detect need not be what matters"]
