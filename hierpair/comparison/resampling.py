"""Sign-flip permutations and bootstrap resamples of many systems at once, as matrix products.

Exchanging two systems on some instances moves sums from one to the other, so one product of a 0/1
matrix (exchanges × instances) with the columns of all systems serves every pair of systems;
one of a matrix of multiplicities serves every bootstrap interval. Both are drawn block by block,
each block from a stream of its own, so that the numbers depend on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hierpair.comparison.samples import Sample
from hierpair.evaluation.processes import in_processes
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy.arrays import Floats, Ints

BLOCK_CELLS, LEAST_ROWS = 4_000_000, 8
"""Cells of a block (rows × instances), and its rows however many instances there are."""

MOST_LISTED = 60
"""With fewer instances all exchanges are numbered, if so many are asked for."""

EXCHANGES, RESAMPLES = 0, 1
"""Streams of random numbers."""

TIE = 2.0**-46
"""Scores closer than this times the number of instances, relative to the larger one, are equal:
no more than rounding to the grid can have put between them."""


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return random numbers of their own for everything that draws."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def n_rows(n: int) -> int:
    """Return the rows of a block; part of what a seed means, so it depends on nothing else."""
    return max(LEAST_ROWS, BLOCK_CELLS // max(1, n))


def n_blocks(n: int, rounds: int) -> int:
    """Return how many blocks so many rounds are drawn in."""
    return -(-rounds // n_rows(n))


def is_exact(n_instances: int, n_permutations: int) -> bool:
    """Whether all exchanges are tried, not drawn."""
    return n_instances < MOST_LISTED and 2**n_instances <= n_permutations


def n_exchanges(n: int, n_permutations: int) -> int:
    """Return how many exchanges there are."""
    return 2**n if is_exact(n, n_permutations) else n_permutations


def exchanges(n: int, n_permutations: int, seed: int, block: int) -> Floats:
    """Return one block of 0/1 rows: the instances on which two systems change places."""
    first = block * n_rows(n)
    count = min(n_rows(n), n_exchanges(n, n_permutations) - first)
    if is_exact(n, n_permutations):
        number = np.arange(first, first + count)[:, None]
        return (number >> np.arange(n) & 1).astype(np.float64)
    drawn = stream(seed, EXCHANGES, block).integers(0, 256, (count, -(-n // 8)), dtype=np.uint8)
    return np.unpackbits(drawn, axis=1, count=n).astype(np.float64)


def resamples(n: int, n_rounds: int, seed: int, block: int) -> Floats:
    """Return one block of rows that say how often every instance is drawn."""
    count = min(n_rows(n), n_rounds - block * n_rows(n))
    return multiplicities(stream(seed, RESAMPLES, block).integers(0, n, (count, n)), n)


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
    """Return two-sided p-values of paired sign-flip permutation tests.

    Under the null hypothesis it does not matter which of two systems gave which of the two
    answers for an instance. The statistic is the difference of the pooled scores; the p-value is
    (b + 1) / (B + 1), with b of B random exchanges at least as extreme, or the exact share where
    all 2ⁿ exchanges are no more than ``n_permutations``.

    There is a sample per measure, and a p-value per measure and pair of systems. ``tell`` is told
    how far the work is.
    """
    prepared = [sample.for_exchanges() for sample in samples]
    extreme = np.zeros((len(samples), len(pairs)), dtype=np.int64)

    def draw(n: int, block: int) -> Floats:
        return exchanges(n, n_permutations, seed, block)

    def count(sample: Sample, draws: Floats) -> Ints:
        """Count exchanges whose difference is at least as large as the one observed."""
        found = np.zeros(len(pairs), dtype=np.int64)
        one, other = sample.scores()[pairs.T]
        size = np.maximum(np.abs(one), np.abs(other))
        limit = np.abs(one - other) - TIE * sample.n_instances * size
        for some, gaps in sample.exchanged(draws, pairs):
            found[some] += (~(gaps < limit[some])).sum(axis=0)
        return found

    def blocks(n: int) -> int:
        return n_blocks(n, n_exchanges(n, n_permutations))

    for k, _, found in _over_blocks("exchanges", prepared, blocks, draw, count, n_jobs, tell):
        extreme[k] += found
    of_measures = zip(extreme, samples, strict=True)
    return np.stack([share_of(b, sample.n_instances, n_permutations) for b, sample in of_measures])


def share_of(extreme: Ints, n: int, n_permutations: int) -> Floats:
    """Return p-values, given how many exchanges are at least as extreme as what was observed."""
    drawn, rounds = not is_exact(n, n_permutations), n_exchanges(n, n_permutations)
    return (extreme + drawn) / (rounds + drawn)


def sign_flip_p_values(differences: Floats, n_permutations: int, seed: int) -> Floats:
    """Return two-sided p-values of sign-flip tests, one per column of differences.

    (b + 1) / (B + 1), with b of B random changes of signs, the same for all columns, whose sum is
    at least as far from 0; the exact share where all changes are no more than that.
    """
    n = len(differences)
    limit = np.abs(differences.sum(axis=0)) * (1 - 1e-12)
    extreme = np.zeros(differences.shape[1], dtype=np.int64)
    for block in range(n_blocks(n, n_exchanges(n, n_permutations))):
        flips = 1 - 2 * exchanges(n, n_permutations, seed, block)
        extreme += (np.abs(flips @ differences) >= limit).sum(axis=0)
    return share_of(extreme, n, n_permutations)


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

    def draw(n: int, block: int) -> Floats:
        return resamples(n, n_rounds, seed, block)

    def blocks(n: int) -> int:
        return n_blocks(n, n_rounds)

    pool = Sample.pooled
    for k, block, found in _over_blocks("bootstrap", samples, blocks, draw, pool, n_jobs, tell):
        first = block * n_rows(samples[k].n_instances)
        out[k, first : first + len(found)] = found
    return out


def bootstrap_test(sample: Sample, rounds: Floats, pairs: Ints) -> Floats:
    """Return two-sided p-values (Efron and Tibshirani 1993, §16): differences around their mean.

    How often a resampled difference lies at least as far from the observed one as that does
    from 0.
    """
    found, scores = np.ones(len(pairs)), sample.scores()
    for k, (i, j) in enumerate(pairs):
        d = scores[i] - scores[j]
        tie = 1e-12 * max(abs(scores[i]), abs(scores[j]))
        far = ~(np.abs(rounds[:, i] - rounds[:, j] - d) < abs(d) - tie)
        found[k] = (far.sum() + 1) / (len(rounds) + 1)
    # where every resample is the same it says nothing about others
    return found if sample.n_instances > 1 else np.ones(len(pairs))


def _over_blocks(
    what: str,
    samples: Sequence[Sample],
    blocks: Callable[[int], int],
    draw: Callable[[int, int], Floats],
    find: Callable[[Sample, Floats], Any],
    n_jobs: int,
    tell: Progress | None,
) -> Iterator[tuple[int, int, Any]]:
    """Yield the number of a sample, that of a block, and what is found in its draws.

    Samples of as many instances see the same draws.
    """
    sizes = [sample.n_instances for sample in samples]
    done, whole = 0, sum(map(blocks, sizes))
    if tell is not None:
        tell(what, 0, whole)
    for n in dict.fromkeys(sizes):
        group = [k for k, size in enumerate(sizes) if size == n]

        def job(block: int, n: int = n, group: Sequence[int] = group) -> list[Any]:
            draws = draw(n, block)
            return [find(samples[k], draws) for k in group]

        numbers = range(blocks(n))
        alone = n_jobs == 1 or len(numbers) == 1
        each = map(job, numbers) if alone else in_processes(job, numbers, n_jobs)
        for block, found in enumerate(each):
            yield from ((k, block, of) for k, of in zip(group, found, strict=True))
            done += len(group)
            if tell is not None:
                tell(what, done, whole)
