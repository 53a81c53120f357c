"""Sign-flip permutations and bootstrap resamples of many systems at once, as matrix products.

Exchanging two systems on some instances moves sums from one to the other, so one product of a 0/1
matrix (exchanges × instances) with the columns of all systems serves every pair of systems;
one of a matrix of multiplicities serves every bootstrap interval. Both are drawn block by block,
each block from a stream of its own, so that the numbers depend on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.comparison.samples import Sample, alike
from hierpair.evaluation.processes import in_processes
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy.arrays import Floats, Ints

BLOCK_CELLS, LEAST_ROWS = 4_000_000, 8
"""Cells of a block (rows × instances), and its rows however many instances there are."""

MOST_LISTED = 60
"""With fewer instances all exchanges are numbered, if so many are asked for."""

EXCHANGES, RESAMPLES, SPLITS = 0, 1, 3
"""Streams of random numbers, and what is drawn from them: who changes places (0 or 1), how often
every instance is drawn, and its place in a random order."""

TIE = 2.0**-46
"""Scores closer than this times the number of instances, relative to the larger one, are equal:
no more than rounding to the grid can have put between them."""


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return random numbers of their own for everything that draws."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@dataclass(frozen=True)
class Draws:
    """So many rows of a number for each of n instances, in blocks; exchanges are all if few."""

    kind: int
    n: int
    rounds: int
    seed: int

    @property
    def all_listed(self) -> bool:
        """Whether all exchanges are tried, not drawn."""
        few = self.n < MOST_LISTED and 2**self.n <= self.rounds
        return self.kind == EXCHANGES and few

    @property
    def size(self) -> int:
        """How many rows there are."""
        return 2**self.n if self.all_listed else self.rounds

    @property
    def step(self) -> int:
        """The rows of a block; part of what a seed means, so it depends on nothing else."""
        return max(LEAST_ROWS, BLOCK_CELLS // max(1, self.n))

    def __len__(self) -> int:
        return len(range(0, self.size, self.step))

    def __iter__(self) -> Iterator[Floats]:
        return map(self.block, range(len(self)))

    def block(self, number: int) -> Floats:
        """Return the rows of one block."""
        n, first = self.n, number * self.step
        count = min(self.step, self.size - first)
        if self.all_listed:
            rows = np.arange(first, first + count)[:, None] >> np.arange(n) & 1
            return rows.astype(np.float64)
        rng = stream(self.seed, self.kind, number)
        if self.kind == EXCHANGES:
            drawn = rng.integers(0, 256, (count, -(-n // 8)), dtype=np.uint8)
            return np.unpackbits(drawn, axis=1, count=n).astype(np.float64)
        if self.kind == RESAMPLES:
            return multiplicities(rng.integers(0, n, (count, n)), n)
        return rng.random((count, n)).argsort(axis=1).argsort(axis=1).astype(np.float64)

    def p_values(self, extreme: Ints) -> Floats:
        """Return p-values, given how many exchanges are at least as extreme as what was seen."""
        drawn = not self.all_listed
        return (extreme + drawn) / (self.size + drawn)


def multiplicities(drawn: Ints, n: int) -> Floats:
    """Return how often each of n things is drawn in every row."""
    places = (drawn + n * np.arange(len(drawn))[:, None]).ravel()
    return np.bincount(places, minlength=len(drawn) * n).reshape(-1, n).astype(np.float64)


def exchange_p_values(
    samples: Sequence[Sample],
    pairs: Ints,
    n_permutations: int,
    seed: int,
    n_jobs: int = 1,
    tell: Progress | None = None,
) -> Floats:
    """Return two-sided p-values of paired sign-flip permutation tests, by measure and pair.

    Under the null hypothesis it does not matter which of two systems gave which of the two
    answers for an instance. The statistic is the difference of the pooled scores; the p-value is
    (b + 1) / (B + 1), with b of B random exchanges at least as extreme, or the exact share where
    all 2ⁿ exchanges are no more than ``n_permutations``. ``tell`` is told how far the work is.
    """
    extreme, limits = np.zeros((len(samples), len(pairs)), dtype=np.int64), []
    for sample in samples:
        one, other = sample.scores()[pairs.T]
        tie = TIE * sample.n_instances * np.maximum(np.abs(one), np.abs(other))
        limits.append(np.abs(one - other) - tie)
    prepared = [sample.for_exchanges() for sample in samples]

    def draws(n: int) -> Draws:
        return Draws(EXCHANGES, n, n_permutations, seed)

    def count(k: int, rows: Floats) -> Ints:
        """Count exchanges whose difference is at least as large as the one observed."""
        found = np.zeros(len(pairs), dtype=np.int64)
        for some, gaps in prepared[k].exchanged(rows, pairs):
            found[some] += (~(gaps < limits[k][some])).sum(axis=0)
        return found

    for k, _, found in _over_blocks("exchanges", samples, draws, count, n_jobs, tell):
        extreme[k] += found
    sizes = (sample.n_instances for sample in samples)
    return np.stack([draws(n).p_values(b) for n, b in zip(sizes, extreme, strict=True)])


def sign_flip_p_values(differences: Floats, n_permutations: int, seed: int) -> Floats:
    """Return two-sided p-values of sign-flip tests, one per column of differences.

    As :func:`exchange_p_values`, of sums whose signs change, the same for all columns.
    """
    limit = np.abs(differences.sum(axis=0)) * (1 - 1e-12)
    draws = Draws(EXCHANGES, len(differences), n_permutations, seed)
    extreme = sum((np.abs((1 - 2 * rows) @ differences) >= limit).sum(axis=0) for rows in draws)
    return draws.p_values(extreme)


def bootstrap(
    samples: Sequence[Sample],
    n_rounds: int,
    seed: int,
    n_jobs: int = 1,
    tell: Progress | None = None,
) -> Floats:
    """Return pooled scores of resamples of the instances with replacement.

    Shape ``(n_measures, n_rounds, n_systems)``; the rounds are the same for all systems, and for
    all measures of as many instances, so differences of systems are paired. ``tell`` is told how
    far the work is.
    """
    out = np.empty((len(samples), n_rounds, samples[0].n_systems))

    def draws(n: int) -> Draws:
        return Draws(RESAMPLES, n, n_rounds, seed)

    def pool(k: int, rows: Floats) -> Floats:
        return samples[k].pooled(rows)

    for k, block, found in _over_blocks("bootstrap", samples, draws, pool, n_jobs, tell):
        first = block * draws(samples[k].n_instances).step
        out[k, first : first + len(found)] = found
    return out


def bootstrap_test(sample: Sample, rounds: Floats, pairs: Ints) -> Floats:
    """Return two-sided p-values (Efron and Tibshirani 1993, §16): differences around their mean.

    How often a resampled difference lies at least as far from the observed one as that does
    from 0.
    """
    found, scores = np.ones(len(pairs)), sample.scores()
    if sample.n_instances > 1:  # else every resample is the same and says nothing about others
        for k, (i, j) in enumerate(pairs):
            d = scores[i] - scores[j]
            tie = 1e-12 * max(abs(scores[i]), abs(scores[j]))
            far = ~(np.abs(rounds[:, i] - rounds[:, j] - d) < abs(d) - tie)
            found[k] = (far.sum() + 1) / (len(rounds) + 1)
    return found


def _over_blocks(
    what: str,
    samples: Sequence[Sample],
    draws: Callable[[int], Draws],
    find: Callable[[int, Floats], Any],
    n_jobs: int,
    tell: Progress | None,
) -> Iterator[tuple[int, int, Any]]:
    """Yield the number of a sample, that of a block, and what is found in its draws.

    Samples of as many instances see the same draws.
    """
    groups = alike(samples)
    done, whole = 0, sum(len(draws(n)) * len(group) for n, group in groups.items())
    if tell is not None:
        tell(what, 0, whole)
    for n, group in groups.items():
        numbers, of = range(len(draws(n))), draws(n)

        def job(block: int, of: Draws = of, group: Sequence[int] = group) -> list[Any]:
            rows = of.block(block)
            return [find(k, rows) for k in group]

        alone = n_jobs == 1 or len(numbers) == 1
        each = map(job, numbers) if alone else in_processes(job, numbers, n_jobs)
        for block, found in enumerate(each):
            yield from ((k, block, one) for k, one in zip(group, found, strict=True))
            done += len(group)
            if tell is not None:
                tell(what, done, whole)
