"""How well measures tell systems apart: discriminative power, sizes needed, planted differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from hierpair.comparison.analysis import Analysis, check_share, check_whole
from hierpair.comparison.common_scores import (
    common_notes,
    defined,
    groups_of,
    on_common,
    samples_of,
    scores_of,
    signs_of,
)
from hierpair.comparison.perturbation import Tips, one_below_the_other, sets_of
from hierpair.comparison.samples import (
    RESAMPLES,
    SPLITS,
    Sample,
    exchange_p_values,
    over_blocks,
    pair_differences,
    stream,
    values_sample,
)
from hierpair.comparison.statistics import all_pairs, bootstrap_interval, few_rounds, pair_signs
from hierpair.errors import BadInput, counted
from hierpair.evaluation.batches import Task, found_of
from hierpair.evaluation.checked import refuse_of_scores
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.processes import check_jobs
from hierpair.evaluation.scores import ByName, Scores
from hierpair.evaluation.sums import WAYS
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Bools, Floats, Ints, ragged_ranges, ratio
from hierpair.labels import LabelSets
from hierpair.measures import Measure
from hierpair.tables.records import Block, Form, Records, pinned
from hierpair.tables.result import crossed, rounded

FIRST_SIZE = 25
"""The smallest of the sizes that are taken by default; each is twice the one before."""

SHARES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05)
"""Shares of answers that are made wrong by default."""

PLANTED = 4
"""A stream of random numbers, beside those of resampling."""

TITLES = {
    "power_by_n": "Power by number of instances",
    "swap_rate": "Swap rate of two disjoint samples",
    "planted_power": "Planted wrong answers that are found",
}
"""What is shown as a matrix of measures and sizes or shares."""

QUANTITIES = (
    "power",
    "power_low",
    "power_high",
    "minimum_size",
    "median_needed",
    "least_planted",
    "power_by_n",
    "swap_rate",
    "planted_power",
    "p",
    "needed",
)
"""What there are records of."""


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(ByName, Analysis):
    """Discriminative power of measures, and what they tell on fewer instances.

    Attributes
    ----------
    systems, measures
        Names of the systems, and the measures.
    pairs
        The pairs of systems, by number, shape ``(n_pairs, 2)``.
    p
        Two-sided, unadjusted p-values of the pairs, shape ``(n_measures, n_pairs)``.
    power, power_low, power_high
        Discriminative power (Sakai 2006): the share of pairs with p ≤ alpha; with intervals over
        resampled instances, nan where they cannot be told.
    sizes
        Sizes of subsamples.
    power_by_n
        Share of the pairs that are significant in subsamples, shape ``(n_measures, n_sizes)``.
    swap_rate
        Share of the pairs that two disjoint subsamples order differently (Voorhees and Buckley
        2002), of the same shape; nan where there are no two.
    minimum_size
        The least of the sizes from which on the swap rate is at most ``swap``; nan if there is
        none.
    needed
        Instances that each pair needs for power ``target``: ((z₁₋α/₂ + z_target) / d)², with d the
        mean of the paired differences over their standard deviation; inf where it is 0.
    shares, planted_power
        Shares of answers that were made wrong, and how often that was found, shape
        ``(n_measures, n_shares)``; empty where nothing was planted.
    plan
        What it depends on beside, by name: alpha, splits, rounds, seed, …
    notes
        What has to be known beside the numbers.
    signatures
        How it was computed, and the conventions of every measure.
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    pairs: Ints
    p: Floats
    power: Floats
    power_low: Floats
    power_high: Floats
    sizes: tuple[int, ...]
    power_by_n: Floats
    swap_rate: Floats
    needed: Floats
    shares: tuple[float, ...]
    planted_power: Floats
    plan: dict[str, Any]
    n_instances: int
    notes: tuple[str, ...]

    done = "examined"
    decimals = 2
    table = "numbers"
    told = ("signature", "settings=plan", "systems", "n_instances", "notes")

    @property
    def signature(self) -> str:
        """One line that pins how it was computed, with the seed."""
        return pinned("discrimination", **self.plan)

    @property
    def signatures(self) -> list[str]:
        """How it was computed, and the conventions of every measure."""
        return [self.signature, *(m.signature for m in self.measures)]

    @property
    def minimum_size(self) -> Floats:
        """The least size from which on the swap rate is small enough, by measure."""
        known, small = ~np.isnan(self.swap_rate), self.swap_rate <= self.plan["swap"]
        after = np.logical_and.accumulate((small | ~known)[:, ::-1], axis=1)[:, ::-1]
        return _first(small & after, self.sizes)

    @property
    def median_needed(self) -> Floats:
        """Instances that half of the pairs need, by measure."""
        return np.median(self.needed, axis=1)

    @property
    def least_planted(self) -> Floats:
        """The least share of wrong answers that is found with the power asked for, by measure."""
        return _first(self.planted_power >= self.plan["target"], self.shares)

    def views(self, form: Form, look: TableLook) -> list[Block]:
        """Return a row per measure of whole samples, and by size and share."""

        def counts(of: Floats) -> list[Any]:
            return [x if np.isnan(x) else f"{x:,.15g}" for x in of.tolist()]

        heads, columns = self.heads(form), {
            "power": self.power.tolist(), "low": self.power_low.tolist(),
            "high": self.power_high.tolist(), "minimum size": counts(self.minimum_size),
            "needed n (median)": counts(np.ceil(self.median_needed)),
            "planted share [%]": counts(100 * self.least_planted),
        }  # fmt: skip
        told = f"Share of the {counted(len(self.pairs), 'pair')} of systems with p ≤ α"
        rows = [*zip(heads.values(), *columns.values(), strict=True)]
        heads |= {str(n): f"n = {n:,}" for n in self.sizes}
        heads |= {str(share): f"{100 * share:g} %" for share in self.shares}
        return [rounded(["", *columns], rows, look.decimals, told), *(
            crossed(form, look, self.records(), "measure", "of", which={"quantity": [quantity]},
                    heads=heads, title=title, corner="")
            for quantity, title in TITLES.items() if getattr(self, quantity).size
        )]  # fmt: skip

    def records(self) -> Records:
        """Return a record per quantity, measure and what it is of."""
        pairs, m = [f"{self.systems[i]} | {self.systems[j]}" for i, j in self.pairs], self.measures
        of: dict[str, Any] = {
            "power_by_n": self.sizes, "swap_rate": self.sizes, "planted_power": self.shares,
            "p": pairs, "needed": pairs,
        }  # fmt: skip
        rows = [
            [one.name, name, str(x), value, one.signature]
            for name in QUANTITIES
            for one, values in zip(m, getattr(self, name).reshape(len(m), -1).tolist(), strict=True)
            for x, value in zip(of.get(name, [""]), values, strict=True)
        ]
        return Records(["measure", "quantity", "of", "value", "signature"], rows)


def _first(good: Bools, of: Sequence[float]) -> Floats:
    """Return the first that is good in every row, nan where none is."""
    last = np.column_stack([good, np.ones(len(good), dtype=bool)])
    found: Floats = np.array([*of, np.nan], dtype=np.float64)[last.argmax(axis=1)]
    return found


# ------------------------------------------------------------------------------------ computing


def discrimination(
    scores: Scores,
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

    Power is no validity: recall finds most differences, and predicting every class maximises it.
    On real pairs measures differ in power mostly since they ask different questions, so that the
    true differences differ; planted differences are the same for all of them.

    Parameters
    ----------
    scores
        Scores of at least two systems, with values of instances.
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
        Seed of the random numbers; processes for the tests (needs the extra ``parallel``).

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
    check_share(alpha=alpha, level=level, target=target, swap=swap)
    check_whole(
        splits=splits, repeats=repeats, n_permutations=n_permutations, n_bootstrap=n_bootstrap
    )
    check_whole(0, seed=seed)
    check_jobs(n_jobs)
    joined = scores_of(scores, "telling systems apart needs at least two of them")
    refuse_of_scores(joined.measures)
    if joined.partial is not None:
        raise BadInput(
            "power by number of instances needs the value of every instance, and a partial keeps "
            "sums alone; score the labels of all instances"
        )
    whole = defined(on_common(joined), "; leave the measure out, or set zero_division")
    pairs, notes, n_all = all_pairs(len(whole.systems)), common_notes(whole), whole.n_instances
    found, lacking = samples_of(whole, list(groups_of(whole).values()))
    if lacking:
        raise BadInput("; ".join(lacking))
    samples = [*found.values()]
    values = [sample.linear_values() for sample in samples]
    taken = _sizes(sizes, min(sample.n_instances for sample in samples))
    p = exchange_p_values(samples, pairs, n_permutations, seed, n_jobs)
    rounds = over_blocks(
        "resamples", samples, RESAMPLES, n_bootstrap, seed,
        lambda k, rows: n_significant(rows, values[k], pairs, alpha) / len(pairs), n_jobs,
    )  # fmt: skip
    low, high = np.transpose([
        bootstrap_interval(np.concatenate(parts), level) for _, parts in rounds
    ])  # fmt: skip
    factor = scipy.special.ndtri([1 - alpha / 2, target]).sum()
    gains = (pair_differences(of, pairs) for of in values)
    needed = np.array([
        ratio(factor * d.std(axis=0, ddof=1), d.mean(axis=0), np.inf) ** 2 for d in gains
    ])  # fmt: skip
    by_size = shares_by_size(samples, values, pairs, taken, alpha, splits, seed, n_jobs)
    no_values = [m.name for m in whole.measures if WAYS.get(m.average) == "classes"]
    shares, wrong = _shares(planted, n_all), np.empty((len(samples), 0))
    if shares:
        wrong = planted_power(whole, shares, repeats, alpha, n_permutations, seed)
    told = {
        f"{', '.join(no_values)}: no interval, power by n and needed n, since averages over "
        "classes have no value per instance": no_values,
        f"power: share of the pairs with p ≤ {alpha:g} in a paired sign-flip test, not adjusted; "
        f"needed n: for power {target:g}": True,
        f"{splits:,} random splits; subsamples are tested by paired t tests; minimum size: the "
        f"least of these sizes with a swap rate of at most {swap:g}": taken,
        "planted: each answer of a system with this probability replaced by labels that are "
        f"unrelated to the truth, {repeats:,} times for every system; the values of instances are "
        "tested": shares,
        few_rounds(n_permutations, alpha): True,
        "power is not validity: what is easy to detect need not be what matters": True,
    }  # fmt: skip
    plan: dict[str, Any] = {
        "alpha": alpha, "target": target, "swap": swap, "splits": splits, "repeats": repeats,
        "permutations": n_permutations, "bootstrap": n_bootstrap, "level": level, "seed": seed,
    }  # fmt: skip
    return Discrimination(
        whole.systems, whole.measures, pairs, p,
        (p <= alpha).mean(axis=1), low, high, taken, *by_size, needed,
        shares, wrong, plan, n_all,
        (*notes, *(note for note, holds in told.items() if note and holds)),
    )  # fmt: skip


def _sizes(sizes: Sequence[int] | None, n: int) -> tuple[int, ...]:
    """Return sizes of subsamples, ascending."""
    if n < 2:
        raise BadInput(f"telling systems apart needs at least two instances with values, got {n}")
    if sizes is None:
        doubled = [FIRST_SIZE * 2**k for k in range(n.bit_length())]
        sizes = [*(size for size in doubled if 2 * size <= n), max(2, n // 2)]
    for size in sizes:
        check_whole(2, n, **{"a size": size})
    return tuple(sorted({*sizes}))


def _shares(shares: Sequence[float] | None, n: int) -> tuple[float, ...]:
    """Return shares of answers, ascending; by default those that are at least one answer."""
    if shares is None:
        shares = [share for share in SHARES if round(share * n)]
    for share in shares:
        check_share(**{"a planted share": share})
    return tuple(sorted({*map(float, shares)}))


def paired_p_values(weights: Floats, values: Floats, pairs: Ints) -> Floats:
    """Return two-sided p-values of paired t tests, shape ``(rows, pairs)``.

    A row of weights says how often every instance counts in a sample; there is a value per
    instance and system.
    """
    d = pair_differences(values, pairs)
    if np.isnan(d).any(axis=0).all():
        return np.full((len(weights), len(pairs)), np.nan)
    n = weights.sum(axis=1)[:, None]
    mean, square = weights @ d / n, weights @ d**2 / n
    spread = square - mean**2
    spread[spread <= 1e-12 * square] = 0.0  # nothing but rounding
    t = ratio(mean, np.sqrt(spread / (n - 1)), np.inf)
    p: Floats = 2 * scipy.special.stdtr(n - 1, -np.abs(t))
    p[mean == 0] = 1.0
    return p


def n_significant(weights: Floats, values: Floats, pairs: Ints, alpha: float) -> Floats:
    """Return in how many pairs a difference is found, by row; nan where that cannot be told."""
    p = paired_p_values(weights, values, pairs)
    found: Floats = ((p <= alpha) + 0 * p).sum(axis=1)
    return found


def shares_by_size(
    samples: Sequence[Sample],
    values: Sequence[Floats],
    pairs: Ints,
    sizes: Sequence[int],
    alpha: float,
    splits: int,
    seed: int,
    n_jobs: int = 1,
) -> tuple[Floats, Floats]:
    """Return the share of significant pairs and that of swapped ones, by measure and size.

    In every split of the instances the first n make one sample and the next n another, so samples
    of all sizes are nested, and all measures of as many instances see the same. A pair is swapped
    if the two samples order it differently; it is counted as significant in the first.
    """

    def count(k: int, places: Floats) -> Floats:
        found, sample = np.full((2, len(sizes)), np.nan), samples[k]
        for s, size in enumerate(sizes):
            first, both = ((places < x).astype(np.float64) for x in (size, 2 * size))
            found[0, s] = n_significant(first, values[k], pairs, alpha).sum()
            if 2 * size <= sample.n_instances:
                halves = first, both - first
                one, other = (pair_signs(sample.pooled(rows), pairs) for rows in halves)
                found[1, s] = (one * other < 0).sum()
        return found

    counts = over_blocks("splits", samples, SPLITS, splits, seed, count, n_jobs)
    by_measure = [np.sum(parts, axis=0) for _, parts in counts]
    significant, swapped = np.stack(by_measure, axis=1) / (splits * len(pairs))
    return significant, swapped


def planted_power(
    scores: Scores,
    shares: Sequence[float],
    repeats: int,
    alpha: float,
    n_permutations: int,
    seed: int,
) -> Floats:
    """Return how often a planted difference is found, by measure and share.

    Every system is compared with itself, where every answer was made wrong with the probability of
    the share; what a smaller one replaces, a larger one does too. It is found if the sign-flip test
    of the values of instances has p ≤ alpha and the replaced answers are the worse ones.
    """
    labels: Any = scores.scored  # they are there: values of instances are, and not of scores
    measures, tests = scores.measures, [name for name in scores.systems for _ in range(repeats)]
    rng, rows, chances = stream(seed, PLANTED), list[Ints](), list[Floats]()
    for _ in tests:
        u = rng.random(scores.n_instances)
        rows.append(np.flatnonzero(u <= max(shares[-1], u.min())))
        chances.append(u[rows[-1]])
    sides = [*zip(tests, rows, strict=True)]
    every, chance = np.concatenate(rows), np.concatenate(chances)[:, None]
    truth = labels.truth.take(every)
    answers = one_below_the_other([labels.systems[name].take(some) for name, some in sides])
    wrong = wrong_answers(labels.hierarchy, truth, answers, rng)
    task = Task(labels.hierarchy, measures, truth, on_infeasible="nan", of_whole=False)
    before = np.concatenate([scores.per_instance[name][some] for name, some in sides])
    loss = np.nan_to_num((before - found_of(task, wrong, "planted").values) * signs_of(measures))
    if scores.weight is not None:
        loss = loss * scores.weight[every][:, None]
    n_of = np.array([*map(len, rows)])
    at = ragged_ranges(np.zeros_like(n_of), n_of), np.repeat(np.arange(len(tests)), n_of)
    power = np.empty((len(measures), len(shares)))
    for q, share in enumerate(shares):
        cube = np.zeros((n_of.max(), len(tests), len(measures)))  # answers × tests × measures
        cube[at] = np.where(chance < share, loss, 0.0)
        losses = cube.reshape(len(cube), -1)
        sample = values_sample(np.column_stack([losses, np.zeros(len(cube))]))  # the last: none
        last = losses.shape[1]
        pairs = np.array([(column, last) for column in range(last)])
        p = exchange_p_values([sample], pairs, n_permutations, seed)[0]
        right = (p <= alpha) & (losses.sum(axis=0) > 0)
        power[:, q] = right.reshape(-1, len(measures)).mean(axis=0)
    return power


def wrong_answers(
    hierarchy: Hierarchy, truth: LabelSets, answers: LabelSets, rng: np.random.Generator
) -> LabelSets:
    """Return answers with labels that are unrelated to the truth in place of all labels.

    A label is left out where no class of its depth is unrelated. Where an answer names classes
    above its labels, too, those above the new ones are named.
    """
    tips, true = Tips.of(hierarchy, answers), Tips.of(hierarchy, truth)
    new = tips.unrelated(true.tops[tips.row], [], rng)
    row, label = tips.row[new >= 0], new[new >= 0]
    owner, above = ancestor_closure(hierarchy, np.unique(label)).expanded(label)
    is_closed = answers.lengths > tips.sets.lengths
    kept = (is_closed[row[owner]] & (hierarchy.levels[above] >= tips.low)) | (above == label[owner])
    return sets_of(row[owner[kept]], above[kept], len(truth), len(hierarchy))
