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

from hierpair.comparison.samples.draws import Draws
from hierpair.comparison.samples.sample import Sample
from hierpair.evaluation.processes import in_processes
from hierpair.evaluation.progress import Progress
from hierpair.hierarchy.arrays import Floats, Ints

__all__ = ["bootstrap", "exchange_p_values"]


BLOCK_CELLS = 4_000_000
"""Cells of a block: rows × instances."""

LEAST_ROWS = 8
"""Rows of a block, however many instances there are."""

MOST_LISTED = 60
"""With fewer instances all exchanges are numbered, if so many are asked for."""

COLUMN_CELLS = 40_000_000
"""Numbers that are multiplied with a block at a time: instances × columns."""

EXCHANGES, RESAMPLES = 0, 1
"""Streams of random numbers."""

TIE = 2.0**-46
"""Scores closer than this times the number of instances, relative to the larger one, are equal:
no more than rounding to the grid can have put between them."""


def _n_rows(n: int) -> int:
    """Return the rows of a block; part of what a seed means, so it depends on nothing else."""
    return max(LEAST_ROWS, BLOCK_CELLS // max(1, n))


def _stream(seed: int, kind: int, block: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(kind, block)))


def is_exact(n_instances: int, n_permutations: int) -> bool:
    """Whether all exchanges are tried, not drawn."""
    return n_instances < MOST_LISTED and 2**n_instances <= n_permutations


def exchanges(n: int, n_permutations: int, seed: int, block: int) -> Draws:
    """Return one block of 0/1 rows: the instances on which two systems change places."""
    rows = _n_rows(n)
    first = block * rows
    if is_exact(n, n_permutations):
        number = np.arange(first, min(first + rows, 2**n))
        return Draws((number[:, None] >> np.arange(n) & 1).astype(np.uint8))
    count = min(rows, n_permutations - first)
    drawn = _stream(seed, EXCHANGES, block).integers(0, 256, (count, -(-n // 8)), dtype=np.uint8)
    return Draws(np.unpackbits(drawn, axis=1, count=n))


def resamples(n: int, n_rounds: int, seed: int, block: int) -> Draws:
    """Return one block of rows that say how often every instance is drawn."""
    rows = _n_rows(n)
    count = min(rows, n_rounds - block * rows)
    drawn = _stream(seed, RESAMPLES, block).integers(0, n, (count, n))
    drawn += np.arange(count)[:, None] * n
    return Draws(np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n))


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
    p = np.empty((len(samples), len(pairs)))
    sizes = [sample.n_instances for sample in samples]
    each = [2**n if is_exact(n, n_permutations) else n_permutations for n in sizes]
    step_done = _counter("exchanges", sizes, each, tell)
    for group in _groups(samples):
        chosen = [samples[k].for_exchanges() for k in group]
        n = chosen[0].n_instances
        exact = is_exact(n, n_permutations)
        rounds = 2**n if exact else n_permutations
        extreme = np.zeros((len(group), len(pairs)), dtype=np.int64)

        def job(block: int, chosen: Sequence[Sample] = chosen, n: int = n) -> Ints:
            return _extreme(chosen, pairs, exchanges(n, n_permutations, seed, block))

        for found in _each(job, -(-rounds // _n_rows(n)), n_jobs):
            extreme += found
            step_done(len(group))
        p[group] = extreme / rounds if exact else (extreme + 1) / (rounds + 1)
    return p


def _extreme(samples: Sequence[Sample], pairs: Ints, draws: Draws) -> Ints:
    """Count exchanges whose difference is at least as large as the one observed."""
    found = np.zeros((len(samples), len(pairs)), dtype=np.int64)
    one, other = pairs.T
    for k, sample in enumerate(samples):
        observed = sample.pool(sample.whole())
        limit = np.abs(observed[one] - observed[other])
        size = np.maximum(np.abs(observed[one]), np.abs(observed[other]))
        limit -= TIE * sample.n_instances * size
        for some, gaps in sample.exchanged(draws, pairs):
            found[k, some] += (~(gaps < limit[some])).sum(axis=0)
    return found


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
    sizes = [sample.n_instances for sample in samples]
    step_done = _counter("bootstrap", sizes, [n_rounds] * len(samples), tell)
    out = np.empty((len(samples), n_rounds, samples[0].n_systems))
    for group in _groups(samples):
        chosen = [samples[k] for k in group]
        n = chosen[0].n_instances

        def job(block: int, chosen: Sequence[Sample] = chosen, n: int = n) -> Floats:
            counts = resamples(n, n_rounds, seed, block)
            return np.stack([s.pooled(counts) for s in chosen])

        done = 0
        for part in _each(job, -(-n_rounds // _n_rows(n)), n_jobs):
            out[group, done : done + part.shape[1]] = part
            done += part.shape[1]
            step_done(len(group))
    return out


def _counter(
    what: str, sizes: Sequence[int], rounds: Sequence[int], tell: Progress | None
) -> Callable[[int], None]:
    """Return what is called after a block, with the number of measures that it was drawn for."""
    whole = sum(-(-k // _n_rows(n)) for n, k in zip(sizes, rounds, strict=True))
    done = 0

    def step_done(n_measures: int) -> None:
        nonlocal done
        done += n_measures
        if tell is not None:
            tell(what, done, whole)

    step_done(0)
    return step_done


def _groups(samples: Sequence[Sample]) -> Iterator[list[int]]:
    """Yield measures of as many instances that fit in memory together.

    Each group draws the same blocks again.
    """
    group: list[int] = []
    cells = 0
    for k, sample in enumerate(samples):
        size = sample.n_instances * sample.n_systems * sample.fields
        other = group and samples[group[0]].n_instances != sample.n_instances
        if group and (other or cells + size > COLUMN_CELLS):
            yield group
            group, cells = [], 0
        group.append(k)
        cells += size
    yield group


def _each(job: Callable[[int], Any], n_blocks: int, n_jobs: int) -> Iterator[Any]:
    """Yield what a job finds block by block, in order."""
    if n_jobs == 1 or n_blocks == 1:
        yield from map(job, range(n_blocks))
        return
    yield from in_processes(job, range(n_blocks), n_jobs)
