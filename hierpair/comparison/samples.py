"""What every instance adds to a pooled score, times draws: every test and every interval.

A matrix (instances × systems · fields) can be summed in any order. A draw says how often an
instance counts, or whether two systems change places on it, so one product of draws with the
columns of all systems serves every pair of them. Draws come block by block, each from a stream of
its own, so that the numbers depend on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hierpair.evaluation.partial import Partial
from hierpair.evaluation.processes import in_processes
from hierpair.evaluation.progress import Progress
from hierpair.evaluation.sums import block_columns
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.measures import Measure

GUARD_BITS = 2
"""Sums of three sums of all instances must still be exact."""

PAIR_CELLS = 250_000
"""Cells of one step over pairs: rows × pairs × fields."""

POOLED_CELLS = 4_000_000
"""Draws times fields of all systems that are summed up at a time."""


def pieces(n: int, step: int) -> Iterator[slice]:
    """Yield slices of so many (at least one) that cover a range."""
    step = max(1, step)
    yield from (slice(lo, lo + step) for lo in range(0, n, step))


@dataclass(frozen=True, eq=False)
class Sample:
    """Sufficient statistics of one measure: columns, shape ``(n_instances, n_systems · fields)``.

    The pooled score of a system is ``pool`` of the sums of its columns over the instances (or
    blocks of these); resampling and exchanging instances changes the sums alone. The entries are
    whole multiples of a power of two, few enough bits that every sum is exact: results depend
    neither on the order of the sums nor on how the work is cut.
    """

    columns: Any
    fields: int
    pool: Callable[[Floats], Floats]
    n_systems: int

    @property
    def n_instances(self) -> int:
        """Number of instances, or of blocks."""
        return int(self.columns.shape[0])

    def sums(self, draws: Floats) -> Floats:
        """Return sums over instances that count so often, shape ``(rows, n_systems, fields)``."""
        product: Floats = draws @ self.columns
        return product.reshape(len(draws), self.n_systems, self.fields)

    def whole(self) -> Floats:
        """Return the sums over all instances, shape ``(n_systems, fields)``."""
        sums: Floats = self.sums(np.ones((1, self.n_instances)))[0].astype(np.float64)
        return sums

    def scores(self) -> Floats:
        """Return the scores of all instances, by system."""
        return self.pool(self.whole())

    def pooled(self, draws: Floats) -> Floats:
        """Return the scores of draws, shape ``(rows, n_systems)``, some draws at a time."""
        parts = pieces(len(draws), POOLED_CELLS // max(1, self.n_systems * self.fields))
        return np.concatenate([self.pool(self.sums(draws[part])) for part in parts])

    def gaps(self, draws: Floats, pairs: Ints) -> Iterator[Floats]:
        """Yield how far the scores of pairs are apart once they changed places where draws say.

        Some rows at a time, absolute differences of shape ``(rows, pairs)``.
        """
        whole, moved, (one, other) = self.whole(), self.sums(draws), pairs.T
        for part in pieces(len(moved), PAIR_CELLS // (self.fields * len(pairs))):
            shift = moved[part][:, other] - moved[part][:, one]
            yield np.abs(self.pool(whole[one] + shift) - self.pool(whole[other] - shift))

    def left_out(self) -> Floats | None:
        """Return the scores with one instance left out at a time, shape ``(n_instances, …)``.

        None for averages over classes, where this would take a pass per instance.
        """
        n = self.n_instances
        if n == 1:
            return self.scores()[None]
        values = self.pool(self.whole() - self.columns.reshape(n, self.n_systems, self.fields))
        # a plain mean divides by n, and one instance is missing
        return values * n / (n - 1) if self.fields == 1 else values

    def in_groups(self, groups: Any) -> Sample:
        """Return the sample of sums of groups; ``groups`` is a sparse matrix of ones."""
        return replace(self, columns=groups @ self.columns)


def alike(samples: Sequence[Sample]) -> dict[int, list[int]]:
    """Return the numbers of the samples of so many instances: they see the same draws."""
    groups: dict[int, list[int]] = {}
    for k, sample in enumerate(samples):
        groups.setdefault(sample.n_instances, []).append(k)
    return groups


def on_grid(columns: Floats, n_rows: int | None = None) -> Floats:
    """Round numbers to a grid of powers of two on which every sum of so many rows is exact.

    Whole numbers stay. The error is below 2⁻⁴⁸ of the largest number, times the number of rows.
    """
    largest = float(np.abs(columns).max(initial=0.0))
    rows = len(columns) if n_rows is None else n_rows
    room = 53 - GUARD_BITS - int(np.ceil(np.log2(max(1, rows))))
    if largest == 0 or (largest < 2.0**room and (columns == np.rint(columns)).all()):
        return columns
    shift = room - int(np.ceil(np.log2(largest))) - 1
    return np.ldexp(np.rint(np.ldexp(columns, shift)), -shift)


def by_run(
    formula: Callable[[Floats], Floats], n_runs: int, width: int
) -> Callable[[Floats], Floats]:
    """Return a pool: the mean over runs of a formula of so many sums, rows of shape (…, width)."""

    def pool(sums: Floats) -> Floats:
        values = formula(sums.reshape(-1, width))
        means: Floats = values.reshape(*sums.shape[:-1], n_runs).mean(axis=-1)
        return means

    return pool


def values_sample(values: Floats, weight: Floats | None = None) -> Sample:
    """Return the sample of a mean over instances; NaN is left out of it.

    The values have the shape ``(n_instances, n_systems)``, or ``(n_instances, n_systems, n_runs)``.
    """
    cube = values[:, :, None] if values.ndim == 2 else values
    n, n_systems, n_runs = cube.shape
    known = ~np.isnan(cube)
    if weight is None and known.all():
        means = on_grid(cube.mean(axis=2) if n_runs > 1 else cube[:, :, 0])
        return Sample(means, 1, lambda sums: sums[..., 0] / n, n_systems)
    w = (np.ones(n) if weight is None else weight)[:, None, None]
    parts = np.stack([np.where(known, cube, 0.0) * w, known * w], -1)
    return columns_sample(None, parts)


def columns_sample(m: Measure | None, cube: Floats) -> Sample:
    """Return the sample of a formula of sums of columns, or (None) of their ratio.

    The columns have the shape ``(n_instances, n_systems, n_runs, columns)``.
    """

    def formula(sums: Floats) -> Floats:
        if m is None:
            return ratio(*sums.T)
        return m.values(dict(zip(m.definition.columns, sums.T, strict=True)))

    n, n_systems, n_runs, width = cube.shape
    pool = by_run(formula, n_runs, width)
    return Sample(on_grid(cube.reshape(n, -1)), n_runs * width, pool, n_systems)


def block_sample(one: Partial, m: Measure, groups: Sequence[Sequence[str]]) -> Sample:
    """Return the sample of a measure of a partial, a row per block.

    A mean over instances becomes a ratio of the sums of weighted values and of weights, since
    blocks are not equally large; a micro average has the sums of its columns.
    """
    names = block_columns(one.measures, one.measures.index(m))
    of = {system: sums.blocks for system, sums in zip(one.systems, one.sums, strict=True)}
    cube = [[[of[run].floats(c) for c in names] for run in runs] for runs in groups]
    columns = np.moveaxis(np.array(cube), -1, 0)
    return columns_sample(None if m.average == "samples" else m, columns)


# --------------------------------------------------------------------------------- draws

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
    cells: int = field(default_factory=lambda: BLOCK_CELLS)

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
        return max(LEAST_ROWS, self.cells // max(1, self.n))

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
    limits = []
    for sample in samples:
        one, other = sample.scores()[pairs.T]
        tie = TIE * sample.n_instances * np.maximum(np.abs(one), np.abs(other))
        limits.append(np.abs(one - other) - tie)

    def count(k: int, rows: Floats) -> Any:
        """Count exchanges whose difference is at least as large as the one observed."""
        return sum((~(gaps < limits[k])).sum(axis=0) for gaps in samples[k].gaps(rows, pairs))

    draws = Draws(EXCHANGES, 0, n_permutations, seed)
    found = over_blocks("exchanges", samples, draws, count, n_jobs, tell)
    every = [replace(draws, n=sample.n_instances) for sample in samples]
    return np.stack([of.p_values(np.sum(b, axis=0)) for of, b in zip(every, found, strict=True)])


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

    def pool(k: int, rows: Floats) -> Floats:
        return samples[k].pooled(rows)

    draws = Draws(RESAMPLES, 0, n_rounds, seed)
    found = over_blocks("bootstrap", samples, draws, pool, n_jobs, tell)
    return np.stack([*map(np.concatenate, found)])


def bootstrap_test(sample: Sample, rounds: Floats, pairs: Ints) -> Floats:
    """Return two-sided p-values (Efron and Tibshirani 1993, §16): differences around their mean.

    How often a resampled difference lies at least as far from the observed one as that does
    from 0.
    """
    if sample.n_instances == 1:  # every resample is the same and says nothing about others
        return np.ones(len(pairs))
    one, other = sample.scores()[pairs.T]
    tie = 1e-12 * np.maximum(np.abs(one), np.abs(other))
    gaps = rounds[:, pairs[:, 0]] - rounds[:, pairs[:, 1]] - (one - other)
    far = ~(np.abs(gaps) < np.abs(one - other) - tie)
    found: Floats = (far.sum(axis=0) + 1) / (len(rounds) + 1)
    return found


def over_blocks(
    what: str,
    samples: Sequence[Sample],
    draws: Draws,
    find: Callable[[int, Floats], Any],
    n_jobs: int,
    tell: Progress | None,
) -> list[list[Any]]:
    """Return for every sample, by its number, what is found in each block of draws.

    Samples of as many instances see the same draws.
    """
    found: list[list[Any]] = [[] for _ in samples]
    groups = {replace(draws, n=n): group for n, group in alike(samples).items()}
    done, whole = 0, sum(len(of) * len(group) for of, group in groups.items())
    tell = tell or (lambda *_: None)
    tell(what, 0, whole)
    for of, group in groups.items():

        def job(block: int, of: Draws = of, group: Sequence[int] = group) -> list[Any]:
            rows = of.block(block)
            return [find(k, rows) for k in group]

        numbers = range(len(of))
        alone = n_jobs == 1 or len(numbers) == 1
        for parts in map(job, numbers) if alone else in_processes(job, numbers, n_jobs):
            for k, part in zip(group, parts, strict=True):
                found[k].append(part)
            done += len(group)
            tell(what, done, whole)
    return found
