"""What every instance adds to a pooled score, times draws: every test and every interval.

A matrix (instances × systems · fields) can be summed in any order. A draw says how often an
instance counts, or whether two systems change places on it, so one product of draws with the
columns of all systems serves every pair of them. Draws come block by block, each from a stream of
its own, so that the numbers depend on the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.evaluation.processes import in_processes
from hierpair.evaluation.progress import Progress, unseen
from hierpair.hierarchy.arrays import (
    Floats,
    Ints,
    offsets,
    pieces,
    places_in_rows,
    ratio,
    row_numbers,
)
from hierpair.measures import Entries, Measure
from hierpair.measures.pooling import (
    ClassTotals,
    class_terms,
    mean_over_classes,
    summed_means,
    unseen_terms,
)

GUARD_BITS = 2
"""Sums of three sums of all instances must still be exact."""

PAIR_CELLS = 250_000
"""Cells of one step over pairs: rows × pairs × fields."""

POOLED_CELLS = 4_000_000
"""Draws times fields of all systems that are summed up at a time."""


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
        sums: Floats = self.sums(np.ones((1, self.n_instances)))[0]
        return sums

    def scores(self) -> Floats:
        """Return the scores of all instances, by system."""
        return self.pool(self.whole())

    def pooled(self, draws: Floats) -> Floats:
        """Return the scores of draws, shape ``(rows, n_systems)``, some draws at a time."""
        parts = pieces(len(draws), POOLED_CELLS // (self.n_systems * self.fields))
        return np.concatenate([self.pool(self.sums(draws[part])) for part in parts])

    def gaps(self, draws: Floats, pairs: Ints) -> Iterator[Floats]:
        """Yield how far the scores of pairs are apart once they changed places where draws say.

        Some rows at a time, absolute differences of shape ``(rows, pairs)``.
        """
        whole, moved, (one, other) = self.whole(), self.sums(draws), pairs.T
        for part in pieces(len(moved), PAIR_CELLS // (self.fields * len(pairs))):
            shift = moved[part][:, other] - moved[part][:, one]
            yield np.abs(self.pool(whole[one] + shift) - self.pool(whole[other] - shift))

    def linear_values(self) -> Floats:
        """Return what every instance adds to a score, shape ``(n_instances, n_systems)``.

        Of a mean they are the values; of a formula of sums jackknife pseudo-values
        n θ − (n − 1) θ₍₋ᵢ₎ (Tukey 1958), whose mean has the variance of the score; nan where there
        are none.
        """
        n = self.n_instances
        if self.fields == 1:
            return np.asarray(self.columns)
        if n == 1:
            return self.scores()[None]
        left = self.pool(self.whole() - self.columns.reshape(n, self.n_systems, self.fields))
        return n * self.scores() - (n - 1) * left


def pair_differences(values: Floats, pairs: Ints) -> Floats:
    """Return the first less the second of every pair, along the last axis."""
    one, other = pairs.T
    return values[..., one] - values[..., other]


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
        return max(LEAST_ROWS, BLOCK_CELLS // self.n)

    def __len__(self) -> int:
        return len(range(0, self.size, self.step))

    def block(self, number: int) -> Floats:
        """Return the rows of one block."""
        n, first = self.n, number * self.step
        count = min(self.step, self.size - first)
        if self.all_listed:
            return (np.arange(first, first + count)[:, None] >> np.arange(n) & 1).astype(np.float64)
        rng = stream(self.seed, self.kind, number)
        if self.kind == EXCHANGES:
            drawn = rng.integers(0, 256, (count, -(-n // 8)), dtype=np.uint8)
            rows: Any = np.unpackbits(drawn, axis=1, count=n)
        elif self.kind == RESAMPLES:
            rows = multiplicities(rng.integers(0, n, (count, n)), n)
        else:
            rows = rng.random((count, n)).argsort(axis=1).argsort(axis=1)
        return np.asarray(rows, dtype=np.float64)

    def p_values(self, extreme: Ints) -> Floats:
        """Return p-values, given how many exchanges are at least as extreme as what was seen."""
        drawn = not self.all_listed
        return (extreme + drawn) / (self.size + drawn)


def multiplicities(drawn: Ints, n: int) -> Floats:
    """Return how often each of n things is drawn in every row; what was drawn is written over."""
    drawn += n * np.arange(len(drawn))[:, None]
    times = np.bincount(drawn.ravel(), minlength=len(drawn) * n)
    found = drawn.view(np.float64)  # memory that is at hand
    found[:] = times.reshape(-1, n)
    return found


def exchange_p_values(
    samples: Sequence[Sample],
    pairs: Ints,
    n_permutations: int,
    seed: int,
    n_jobs: int = 1,
    tell: Progress = unseen,
) -> Floats:
    """Return two-sided p-values of paired sign-flip permutation tests, by measure and pair.

    (b + 1) / (B + 1), with b of B random exchanges whose pooled scores are at least as far apart,
    or the exact share where all 2ⁿ exchanges are no more than ``n_permutations``.
    """
    limits = []
    for sample in samples:
        one, other = sample.scores()[pairs.T]
        tie = TIE * sample.n_instances * np.maximum(np.abs(one), np.abs(other))
        limits.append(np.abs(one - other) - tie)

    def count(k: int, rows: Floats) -> Any:
        """Count exchanges whose difference is at least as large as the one observed."""
        return sum((~(gaps < limits[k])).sum(axis=0) for gaps in samples[k].gaps(rows, pairs))

    how = "exchanges", samples, EXCHANGES, n_permutations, seed
    return np.stack([
        draws.p_values(np.sum(parts, axis=0))
        for draws, parts in over_blocks(*how, count, n_jobs, tell)
    ])  # fmt: skip


def bootstrap(
    samples: Sequence[Sample],
    n_rounds: int,
    seed: int,
    n_jobs: int = 1,
    tell: Progress = unseen,
) -> Floats:
    """Return pooled scores of resamples, shape ``(n_measures, n_rounds, n_systems)``.

    Rounds are the same for all systems, and for all measures of as many instances.
    """
    how = "bootstrap", samples, RESAMPLES, n_rounds, seed
    found = over_blocks(*how, lambda k, rows: samples[k].pooled(rows), n_jobs, tell)
    return np.stack([np.concatenate(parts) for _, parts in found])


def bootstrap_test(sample: Sample, rounds: Floats, pairs: Ints) -> Floats:
    """Return how often a resampled difference is as far from the observed one as that is from 0.

    These are two-sided p-values (Efron and Tibshirani 1993, §16).
    """
    if sample.n_instances == 1:  # every resample is the same and says nothing about others
        return np.ones(len(pairs))
    one, other = sample.scores()[pairs.T]
    tie = 1e-12 * np.maximum(np.abs(one), np.abs(other))
    gaps = pair_differences(rounds, pairs) - (one - other)
    far = ~(np.abs(gaps) < np.abs(one - other) - tie)
    found: Floats = (far.sum(axis=0) + 1) / (len(rounds) + 1)
    return found


def over_blocks(
    what: str,
    samples: Sequence[Sample],
    kind: int,
    rounds: int,
    seed: int,
    find: Callable[[int, Floats], Any],
    n_jobs: int,
    tell: Progress = unseen,
) -> list[tuple[Draws, list[Any]]]:
    """Return for every sample its draws, and what is found in each block of these by its number.

    Samples of as many instances see the same draws.
    """
    found = [(Draws(kind, sample.n_instances, rounds, seed), list[Any]()) for sample in samples]
    done, whole = 0, sum(len(draws) for draws, _ in found)
    tell(what, 0, whole)
    for n in dict.fromkeys(draws.n for draws, _ in found):
        group = [k for k, (draws, _) in enumerate(found) if draws.n == n]
        draws = found[group[0]][0]

        def job(block: int, draws: Draws = draws, group: Sequence[int] = group) -> list[Any]:
            rows = draws.block(block)
            return [find(k, rows) for k in group]

        numbers = range(len(draws))
        for parts in in_processes(job, numbers, n_jobs):
            for k, part in zip(group, parts, strict=True):
                found[k][1].append(part)
            done += len(group)
            tell(what, done, whole)
    return found


# ----------------------------------------------------------------- averages over classes

CACHED_CELLS = 84_000
"""Classes times data sets whose values are computed at a time, so that they stay in the cache."""

MOVED_CELLS = 16_000_000
"""Exchanges times what moves of all runs that are held at a time."""

MOST_STATES, ALL_STATES = 2**14, 4_000_000
"""Most states of a class that has a table, so that steps fit in 16 bits, and of all of them."""

STATES_AT_A_TIME = 30_000
"""States whose values are computed at a time."""

CACHED_PLACES = 16_000
"""Places of every run that are looked up at a time, so that they stay in the cache."""

Complex = NDArray[np.complex128]
"""Both sides of ratios, as real and as imaginary parts."""

LARGEST_EXACT = 2.0**52
"""Sums up to here are whole numbers of 64 bits as well as floats."""


@dataclass(frozen=True, eq=False)
class ClassFields:
    """What the fields of one run are, and what an average makes of them.

    They are, for each column of ``entries``, all classes that occur (``numbers``); the weight of an
    instance, which is added to columns of every class; and columns of all instances (``whole``).
    """

    m: Measure
    entries: Entries
    numbers: Ints

    @property
    def by_class(self) -> int:
        """Number of the fields of classes, which come first."""
        return len(self.entries.columns) * len(self.numbers)

    def __len__(self) -> int:
        return self.by_class + 1 + len(self.entries.whole)

    def totals(self, by_class: Floats, common: Floats) -> ClassTotals:
        """Return the sums that a formula takes, out of rows of the fields of some classes.

        ``common`` has the last fields, of all rows or of every row, shape ``(rows, 1 + whole)``.
        """
        e, rows = self.entries, len(by_class)
        by_name = by_class.reshape(rows, len(e.columns), -1).swapaxes(0, 1)
        by_name = np.ascontiguousarray(by_name, dtype=np.float64)
        known: dict[str, Floats] = dict(zip(e.columns, by_name, strict=True))
        total, *others = np.broadcast_to(common, (rows, common.shape[-1])).T
        known |= {name: np.maximum(total[:, None] + known[name], 0.0) for name in e.every}
        of_all = dict(zip(e.whole, others, strict=True))
        known |= {c: np.repeat(x[:, None], by_name.shape[2], axis=1) for c, x in of_all.items()}
        every = dict.fromkeys(e.every, total) | of_all
        return ClassTotals(known, every, e.n_classes, self.numbers)

    def means(self, flat: Floats) -> Floats:
        """Return the average over classes of rows of fields, some rows at a time."""
        found = [np.zeros(0)]
        for part in pieces(len(flat), CACHED_CELLS // max(1, len(self.numbers))):
            totals = self.totals(*np.split(flat[part], [self.by_class], axis=1))
            found.append(mean_over_classes(self.m, totals, summed_means))
        return np.concatenate(found)

    def terms(self, by_class: Floats, common: Floats) -> Complex:
        """Return what classes add to both sides of the ratio that the average is, by class."""
        above, below = class_terms(self.m, self.totals(by_class, common))
        return above + 1j * below


@dataclass(frozen=True, eq=False)
class ClassSample(Sample):
    """Sufficient statistics of an average over classes; its columns are sparse.

    Those of the first run are as they are, those of others what they have beyond it.
    """

    of_run: ClassFields

    def sums(self, draws: Floats) -> Floats:
        """Return sums over instances that count so often, shape ``(rows, n_systems, fields)``."""
        packed = summed(draws, self.columns).T
        sums = np.array(packed, np.float64, order="C").reshape(len(draws), -1, len(self.of_run))
        sums[:, 1:] += sums[:, :1]
        return sums.reshape(len(draws), self.n_systems, -1)

    def linear_values(self) -> Floats:
        """Return nan: it would take a pass per instance."""
        return np.full((self.n_instances, self.n_systems), np.nan)

    @cached_property
    def tables(self) -> Sides | None:
        """What looks averages of exchanges up, if anything can."""
        try:
            return exchange_tables(self)
        except BadInput:  # what it says of sums that some labels have is said without tables
            return None

    def gaps(self, draws: Floats, pairs: Ints) -> Iterator[Floats]:
        """Yield differences of pairs as :meth:`Sample.gaps` does."""
        n_runs = self.fields // len(self.of_run)
        runs = pairs[:, None] * n_runs + np.arange(n_runs)[:, None]
        both = np.stack([runs, runs[..., ::-1]]).reshape(-1, 2)
        held = self.n_systems * self.fields + 4 * len(both)
        for part in pieces(len(draws), MOVED_CELLS // held):
            sides = self.tables(draws[part], both) if self.tables else np.zeros(1)
            if (sides.imag > 0).all():
                means = (sides.real / sides.imag).reshape(2, len(pairs), n_runs, -1).mean(axis=2)
                yield np.abs(np.subtract(*means)).T
            else:  # where no class has weight, the average is another
                yield from super().gaps(draws[part], pairs)


def class_sample(
    m: Measure, groups: Sequence[Sequence[Entries]], weight: Floats | None
) -> ClassSample:
    """Return the sample of an average over classes; a group holds the entries of a system's runs.

    The columns of a run are those of its entries, each with all classes that occur, and the weight.
    """
    every = [e for runs in groups for e in runs]
    occurs = np.zeros(max(int(e.number.max(initial=-1)) for e in every) + 1, dtype=bool)
    for e in every:
        occurs[e.number] = True
    numbers, place = np.flatnonzero(occurs), np.cumsum(occurs) - 1
    e, n, n_runs = every[0], every[0].n_instances, len(groups[0])
    fields, ones = ClassFields(m, e, numbers), np.ones(n) if weight is None else weight
    parts = list[Any]()
    for e in every:
        at, shape = (e.row, place[e.number]), (n, len(numbers))
        parts += [
            scipy.sparse.csc_array((of * ones[e.row], at), shape) for of in e.columns.values()
        ]
        judged = ones * e.judged
        parts.append(np.stack([judged, *(of * judged for of in e.whole.values())], axis=1))
    columns = scipy.sparse.hstack([*map(scipy.sparse.csc_array, parts)], "csc")
    columns.data = on_grid(columns.data, n)
    first = columns[:, : len(fields)]
    none = scipy.sparse.csc_array(first.shape)
    columns -= scipy.sparse.hstack([none, *[first] * (len(every) - 1)], "csc")
    pool = by_run(fields.means, n_runs, len(fields))
    return ClassSample(columns, n_runs * len(fields), pool, len(groups), fields)


def whole_up_to(columns: Any) -> float:
    """Return the largest number of sparse columns, or infinity if any number is not whole."""
    whole = (columns.data == np.rint(columns.data)).all()
    return float(np.abs(columns.data).max(initial=0.0)) if whole else np.inf


def summed(draws: Floats, columns: Any) -> NDArray[Any]:
    """Return sums of sparse columns, a column per draw; in few bits, which are fast, if these do.

    Whole numbers of 16 or 32 bits are added several at a time.
    """
    each = whole_up_to(columns) * draws.sum(axis=1).max(initial=0.0)
    largest = min(each, np.abs(columns).sum(axis=0).max(initial=0.0) * draws.max(initial=0.0))
    kinds = [kind for kind in (np.int16, np.int32) if largest <= np.iinfo(kind).max]
    kind: Any = kinds[0] if kinds and np.isfinite(each) else np.float64
    sums: NDArray[Any] = columns.T.astype(kind) @ np.ascontiguousarray(draws.astype(kind).T)
    return sums


Sides = Callable[[Floats, Ints], Complex]
"""From exchanges (zeros and ones) and pairs (run, partner) to the averages of the runs with the
answers of their partners where exchanges say, as both sides of ratios, shape ``(pairs, rows)``."""


def exchange_tables(sample: ClassSample) -> Sides | None:
    """Return what looks averages of exchanges up, or None where there can be no tables.

    The states of a class are a box around the sums of its columns that exchanges can bring it to,
    numbered one after the other; what it adds to both sides of the ratio stands in a table. Numbers
    have to be whole, and only those of classes may depend on the system; and the formula has to
    take states that no labels have (such as more classes in both sets than in one), as they are a
    box around the others. Classes with too many states are left to the formula.
    """
    fields, n, width = sample.of_run, sample.of_run.by_class, len(sample.of_run)
    beyond = [sample.columns[:, at : at + width] for at in range(0, sample.columns.shape[1], width)]
    own = hasattr(fields.m.recipe, "pooled")  # which is no ratio of sums over classes
    if own or whole_up_to(sample.columns) * sample.n_instances > LARGEST_EXACT:
        return None
    beyond[0] = scipy.sparse.csc_array(beyond[0].shape)
    fall, rise = (
        reduce(end, beyond).sum(axis=0)
        for end in (scipy.sparse.csc_array.minimum, scipy.sparse.csc_array.maximum)
    )
    if (fall < rise)[n:].any():
        return None
    by_name = np.arange(n).reshape(len(fields.entries.columns), -1)
    sizes = (rise - fall)[by_name] + 1
    n_states = sizes.prod(axis=0)
    moving = np.flatnonzero(n_states > 1)
    order = moving[np.argsort(n_states[moving], kind="stable")]
    few = (n_states[order] <= MOST_STATES) & (n_states[order].cumsum() <= ALL_STATES)
    at, rest = by_name[:, order[few]], by_name[:, order[~few]].ravel()
    whole = sample.whole().reshape(-1, width)
    least, common = (whole[0] + fall)[at], whole[:1, n:]
    sizes = sizes[:, order[few]].astype(np.int64)
    strides = sizes.cumprod(axis=0) // sizes
    pointer = offsets(sizes.prod(axis=0))
    values = np.empty(pointer[-1], dtype=np.complex128)
    of, number = row_numbers(pointer), places_in_rows(pointer)
    for part in pieces(len(values), STATES_AT_A_TIME):
        low, stride, size = (x.take(of[part], axis=1) for x in (least, strides, sizes))
        sums = low + number[part] // stride % size
        with np.errstate(all="ignore"):  # no labels have some of the states
            values[part] = fields.terms(sums.reshape(1, -1), common)[0]
    first = whole[:1, :n], common
    always = complex(*np.ravel(unseen_terms(fields.m, fields.totals(*first))))
    always += fields.terms(*first)[0, n_states == 1].sum()
    places = pointer[:-1] + ((whole[:, at] - least) * strides).sum(axis=1).astype(np.intp)
    steps = [sum(run[:, one] * by for one, by in zip(at, strides, strict=True)) for run in beyond]
    columns = scipy.sparse.hstack([*steps, *(run[:, rest] for run in beyond)], "csc")

    def sides(draws: Floats, pairs: Ints) -> Complex:
        totals = np.full((len(pairs), len(draws)), always)
        gained, moved = np.split(summed(draws, columns), [places.size])
        gained = gained.reshape(*places.shape, len(draws))
        for part in pieces(gained.shape[1], CACHED_PLACES // len(draws)):
            of_partner = gained[:, part].astype(np.intp)
            left = places[:, part, None] - of_partner
            for k, (run, partner) in enumerate(pairs):
                totals[k] += values.take(left[run] + of_partner[partner]).sum(axis=0)
        if not rest.size:
            return totals
        moved = moved.T.reshape(len(draws), -1, rest.size)  # by the formula
        for part in pieces(len(draws), CACHED_CELLS * len(by_name) // rest.size):
            for k, (run, partner) in enumerate(pairs):
                gain = np.subtract(moved[part, partner], moved[part, run], dtype=np.float64)
                totals[k, part] += fields.terms(whole[run, rest] + gain, common).sum(axis=1)
        return totals

    return sides
