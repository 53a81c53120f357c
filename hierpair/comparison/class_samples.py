"""Samples of averages over classes: columns are summed by class before a formula sees them.

Most instances add the same to most classes, whichever system it is: truths always, and wherever
predictions agree. So the columns of the first run are held, and of every other one only what it has
beyond. And at most classes two systems differ on a few instances only, so that only few sums are
possible, whoever changes places where: the values of a class in all these *states* are computed
once, and an exchange only looks them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.comparison.samples import Sample, by_run, on_grid, pieces
from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Floats, Ints, offsets, ragged_ranges
from hierpair.measures import Entries, Measure
from hierpair.measures.pooling import (
    ClassTotals,
    class_terms,
    mean_over_classes,
    summed_means,
    unseen_terms,
)

__all__ = ["ClassSample", "ExchangeTables", "class_sample"]

LARGEST_SHORT, LARGEST_SINGLE = 2**15 - 1, 2**24
"""Sums of whole numbers up to here are exact in 16 bits, or as floats of 32; both are faster."""

CACHED_CELLS = 84_000
"""Classes times data sets whose values are computed at a time, so that they stay in the cache."""

MOVED_CELLS = 16_000_000
"""Exchanges times what moves of all runs that are held at a time."""

MOST_STATES, ALL_STATES = 2**14, 4_000_000
"""Most states of a class that has a table, whose places then fit in 16 bits, and of all of them."""

MOST_JOINED = 2**11
"""Most states of classes that share a table, so that it stays in the cache."""

STATES_AT_A_TIME = 30_000
"""States whose values are computed at a time."""

CACHED_PLACES = 16_000
"""Places of every run that are looked up at a time, so that they stay in the cache."""

LARGEST_EXACT = 2.0**52
"""Sums up to here are whole numbers of 64 bits as well as floats."""


@dataclass(frozen=True)
class ClassFields:
    """What the fields of one run are, and what an average makes of them.

    Attributes
    ----------
    m
        The average over classes.
    names
        Columns by class; the fields are all classes of the first, all of the second, …
    width
        Number of classes that occur.
    every
        Columns to which every instance adds its weight, which is the field after those of classes.
    shown
        Columns of all instances together, the last fields.
    n_classes
        Number of classes that count.
    """

    m: Measure
    names: tuple[str, ...]
    width: int
    every: tuple[str, ...]
    shown: tuple[str, ...]
    n_classes: int

    @property
    def by_class(self) -> int:
        """Number of the fields of classes, which come first."""
        return len(self.names) * self.width

    def __len__(self) -> int:
        return self.by_class + 1 + len(self.shown)

    def totals(self, by_name: Floats, common: Floats) -> ClassTotals:
        """Return the sums that a formula takes.

        ``by_name`` has the shape ``(names, rows, classes)``, ``common`` the last fields, of all
        rows or of every row, shape ``(rows, 1 + shown)``.
        """
        _, rows, n = by_name.shape
        known: dict[str, Floats] = dict(zip(self.names, by_name, strict=True))
        total, *others = np.broadcast_to(common, (rows, common.shape[-1])).T
        shared = dict.fromkeys(self.every, total)
        known |= {name: np.maximum(total[:, None] + known[name], 0.0) for name in shared}
        shared |= dict(zip(self.shown, others, strict=True))
        known |= {c: np.repeat(shared[c][:, None], n, axis=1) for c in self.shown}
        return ClassTotals(known, shared, self.n_classes)

    def means(self, flat: Floats) -> Floats:
        """Return the average over classes of rows of fields, some rows at a time."""
        found = [np.zeros(0)]
        for part in pieces(len(flat), CACHED_CELLS // max(1, self.width)):
            rows = flat[part]
            shape = len(rows), len(self.names), self.width
            by_name = rows[:, : self.by_class].reshape(shape).swapaxes(0, 1)
            totals = self.totals(
                np.ascontiguousarray(by_name, dtype=np.float64),
                rows[:, self.by_class :].astype(np.float64),
            )
            found.append(mean_over_classes(self.m, totals, summed_means))
        return np.concatenate(found)

    def terms(self, by_name: Floats, common: Floats) -> tuple[Floats, Floats]:
        """Return what classes add to both sides of the ratio that the average is, by class."""
        return class_terms(self.m, self.totals(by_name, common))

    def unseen(self, common: Floats) -> tuple[float, float]:
        """Return what classes that do not occur add to both sides, given the last fields."""
        nothing = np.zeros((len(self.names), 1, self.width))
        above, below = unseen_terms(self.m, self.totals(nothing, common))
        return float(above[0]), float(below[0])


@dataclass(frozen=True, eq=False)
class ClassSample(Sample):
    """Sufficient statistics of an average over classes.

    Attributes
    ----------
    columns
        Of the first run, a row per field: sparse, shape ``(fields, n_instances)``.
    beyond
        What the other runs have beyond those, one such matrix per run.
    largest, entry
        Largest sum of a field, and largest number, regardless of signs; infinite if not all
        numbers are whole.
    of_run
        What the fields of one run are.
    tables
        Where averages of exchanges can be looked up.
    """

    beyond: tuple[Any, ...]
    largest: float
    entry: float
    of_run: ClassFields
    tables: ExchangeTables | None = None

    is_dense = False

    @classmethod
    def of(cls, runs: Sequence[Any], of_run: ClassFields, n_systems: int) -> ClassSample:
        """Return the sample of runs, each a CSR array of shape ``(fields, n_instances)``."""
        beyond = tuple((run - runs[0]).tocsr() for run in runs[1:])
        every = [abs(matrix) for matrix in (*runs, *beyond)]
        sums = max(matrix.sum(axis=1).max(initial=0.0) for matrix in every)
        entry = max(matrix.data.max(initial=0.0) for matrix in every)
        whole = all((run.data == np.rint(run.data)).all() for run in runs)
        n_runs = len(runs) // n_systems
        pool = by_run(of_run.means, n_runs, len(of_run))
        return cls(
            columns=runs[0], fields=n_runs * len(of_run), pool=pool, n_systems=n_systems,
            beyond=beyond, largest=float(sums) if whole else np.inf,
            entry=float(entry) if whole else np.inf, of_run=of_run,
        )  # fmt: skip

    @property
    def n_instances(self) -> int:
        """Number of instances, or of blocks."""
        return int(self.columns.shape[1])

    def sums(self, draws: Floats) -> Floats:
        """Return sums in 16 bits, or floats of 32, where these hold them and their differences."""
        return self.of_runs(draws).reshape(len(draws), self.n_systems, self.fields)

    def moved(self, draws: Floats) -> Floats:
        """Return the sums less those of the first run."""
        found = self.of_runs(draws, with_first=False)
        return found.reshape(len(draws), self.n_systems, self.fields)

    def of_runs(self, draws: Floats, *, with_first: bool = True) -> Floats:
        """Return sums of runs, shape ``(rows, runs, fields)``; draws are whole numbers."""
        drawn = float(draws.max(initial=0)), float(draws.sum(axis=1).max(initial=0))
        largest = 2 * min(self.largest * drawn[0], self.entry * drawn[1])
        kind: Any = np.float32 if largest <= LARGEST_SINGLE else np.float64
        kind = np.int16 if largest <= LARGEST_SHORT else kind
        turned = np.ascontiguousarray(draws.T, dtype=kind)
        shape = len(draws), 1 + len(self.beyond), self.columns.shape[0]
        out: NDArray[Any] = np.zeros(shape, dtype=kind)
        if with_first:
            out += (self.columns.astype(kind) @ turned).T[:, None]
        for at, matrix in enumerate(self.beyond, 1):
            if matrix.nnz:
                product = matrix.astype(kind) @ turned
                for part in pieces(len(product), 1_000):  # which stay in the cache
                    out[:, at, part] += product[part].T
        return out

    def left_out(self) -> None:
        """Return nothing: it would take a pass per instance."""

    def in_groups(self, groups: Any) -> Sample:
        """Return the sample of sums of groups; ``groups`` is a sparse matrix of ones."""
        first = (self.columns @ groups.T).tocsr()
        runs = [first, *((first + other @ groups.T).tocsr() for other in self.beyond)]
        return ClassSample.of(runs, self.of_run, self.n_systems)

    def for_exchanges(self) -> ClassSample:
        """Return the sample with its tables."""
        return replace(self, tables=ExchangeTables.of(self))

    def exchanged(self, draws: Floats, pairs: Ints) -> Iterator[tuple[slice, Floats]]:
        """Yield differences of pairs as :meth:`Sample.exchanged` does."""
        if self.tables is None:
            yield from super().exchanged(draws, pairs)
            return
        n_runs = self.fields // len(self.of_run)
        runs = pairs[:, None] * n_runs + np.arange(n_runs)[:, None]
        both = np.stack([runs, runs[..., ::-1]]).reshape(-1, 2)
        held = max(self.tables.places.size, self.tables.rest_sums.size, 4 * len(both))
        for part in pieces(len(draws), MOVED_CELLS // held):
            means = self.tables.means(draws[part], both).reshape(2, len(pairs), n_runs, -1)
            one, other = means.mean(axis=2)
            yield slice(None), np.abs(one - other).T


def class_sample(
    m: Measure, groups: Sequence[Sequence[Entries]], weight: Floats | None
) -> ClassSample:
    """Return the sample of an average over classes; a group holds the entries of a system's runs.

    The columns of a run are those of its entries, each with all classes that occur, and the weight.
    """
    every = [e for runs in groups for e in runs]
    numbers = np.unique(np.concatenate([e.number for e in every]))
    e = every[0]
    names, width = tuple(e.columns), len(numbers)
    fields = ClassFields(m, names, width, e.every, tuple(e.whole), e.n_classes)
    matrices = [_of_run(e, numbers, fields, weight) for e in every]
    data = on_grid(np.concatenate([x.data for x in matrices])[:, None], e.n_instances)[:, 0]
    ends = np.cumsum([matrix.nnz for matrix in matrices])[:-1]
    for matrix, of_run in zip(matrices, np.split(data, ends), strict=True):
        matrix.data = of_run
    return ClassSample.of(matrices, fields, len(groups))


def _of_run(e: Entries, numbers: Ints, fields: ClassFields, weight: Floats | None) -> Any:
    """Return the columns of one run, a row per field: columns by class, the weight, whole ones."""
    at, each = np.searchsorted(numbers, e.number), np.arange(e.n_instances)
    common = [np.ones(e.n_instances, dtype=bool), *e.whole.values()]
    parts: list[tuple[Any, Any, Any]] = [
        (i * fields.width + at, e.row, of) for i, of in enumerate(e.columns.values())
    ]
    parts += [(np.full_like(each, fields.by_class + i), each, of) for i, of in enumerate(common)]
    some = [np.flatnonzero(values) for _, _, values in parts]
    row, column, data = (
        np.concatenate([side[kept] for side, kept in zip(sides, some, strict=True)])
        for sides in zip(*parts, strict=True)
    )
    values = data.astype(np.float64) if weight is None else data * weight[column]
    return scipy.sparse.csr_array((values, (row, column)), shape=(len(fields), e.n_instances))


@dataclass(frozen=True, eq=False)
class ExchangeTables:
    """What classes add to an average in every state that exchanges can bring them to.

    The states of a class are a box around its possible sums. They are numbered one after the
    other; the last of its columns counts 1. Classes with few states share a table of all
    combinations, so that one look-up gives the values of several.

    Attributes
    ----------
    above, below
        What every state of groups of classes adds to both sides of the ratio, one table after
        the other; below, of the first groups: others add the same there in every state.
    n_varying
        How many groups add to the side below what depends on the state: the first ones.
    always
        What does not depend on the state, of both sides.
    places
        Place in the tables of the state that every run is in, shape ``(n_runs, n_groups)``.
    steps
        By run but the first, how far its answer to an instance moves the state of a group, against
        that of the first run: sparse, shape ``(n_groups, n_instances)``.
    rest, rest_sums
        The classes without a table, and their sums, shape ``(n_runs, fields)``.
    common
        The sums of the fields that are not of classes.
    """

    above: Floats
    below: Floats
    n_varying: int
    always: tuple[float, float]
    places: Ints
    steps: tuple[Any, ...]
    rest: ClassSample
    rest_sums: Floats
    common: Floats

    @classmethod
    def of(cls, sample: ClassSample) -> ExchangeTables | None:
        """Return the tables of a sample, or None where there can be none.

        Numbers have to be whole, and only those of classes may depend on the system; some classes
        have to weigh the same in every state, so that the average is always a ratio of sums. The
        formula has to take every state, also those that no labels have (such as more classes in
        both sets than in one), as they are a box around those that some have.
        """
        fields, n = sample.of_run, sample.of_run.by_class
        if sample.largest > LARGEST_EXACT or any(other[n:].nnz for other in sample.beyond):
            return None
        shape = len(fields.names), fields.width
        whole = sample.whole().reshape(-1, len(fields))
        common, sums = whole[:1, n:], whole[:, :n].reshape(len(whole), *shape).astype(np.int64)
        low = high = scipy.sparse.csr_array(sample.columns.shape)
        for other in sample.beyond:
            low, high = low.minimum(other), high.maximum(other)
        fall, rise = (side.sum(axis=1)[:n].reshape(shape) for side in (low, high))
        counts = (rise - fall + 1).prod(axis=0)
        order = np.argsort(counts, kind="stable")
        few = (counts[order] <= MOST_STATES) & (counts[order].cumsum() <= ALL_STATES)
        chosen = order[few]
        least = sums[0] + fall.astype(np.int64)
        sizes = (rise - fall)[:, chosen].astype(np.int64) + 1
        pointer = offsets(counts[chosen].astype(np.int64))
        try:
            above, below = _of_states(fields, least[:, chosen], sizes, pointer, common)
        except BadInput:  # what it says of sums that some labels have is said without tables
            return None
        first, fixed, constant = pointer[:-1], sizes.prod(axis=0) == 1, np.zeros(0, dtype=bool)
        if len(chosen):
            ends = (end.reduceat(below, first) for end in (np.minimum, np.maximum))
            constant = np.equal(*ends)
        unseen = fields.unseen(common)
        always = (
            unseen[0] + float(above[first[fixed]].sum()),
            unseen[1] + float(below[first[constant]].sum()),
        )
        if always[1] <= 0:
            return None
        counts = sizes.prod(axis=0)
        varying = _joined(counts, np.flatnonzero(~constant))
        groups = [*varying, *_joined(counts, np.flatnonzero(constant & ~fixed))]
        # by class, how far a state of its group is from the next one: the last one counts 1
        moves = np.concatenate([np.zeros(0, dtype=np.int64), *groups])
        after = [counts[g[:0:-1]].cumprod()[::-1] for g in groups]
        step = np.concatenate([np.zeros(0, dtype=np.int64), *(np.append(x, 1) for x in after)])
        group_of = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
        tables = [_table(above, pointer, g) for g in groups]
        start = offsets(np.array([len(table) for table in tables], dtype=np.int64))[:-1]
        classes = chosen[moves]
        stride = np.ones_like(sizes)
        stride[:-1] = sizes[:0:-1].cumprod(axis=0)[::-1]
        stride = stride[:, moves] * step
        at = (np.arange(shape[0])[:, None] * shape[1] + classes).ravel()
        by_name = scipy.sparse.csr_array(  # from the fields of classes to the states of groups
            (stride.ravel(), (np.tile(group_of, shape[0]), at)), (len(groups), n)
        )
        states = (by_name @ (sums - least).reshape(len(sums), n).T).T
        rest = np.setdiff1d(np.arange(shape[1]), chosen)
        at_rest = (np.arange(shape[0])[:, None] * shape[1] + rest).ravel()
        return cls(
            np.concatenate([np.zeros(0), *tables]),
            np.concatenate([np.zeros(0), *(_table(below, pointer, g) for g in varying)]),
            len(varying), always, start + states,
            tuple((by_name @ other[:n]).astype(np.int16) for other in sample.beyond),
            replace(sample, columns=sample.columns[at_rest],
                    beyond=tuple(other[at_rest] for other in sample.beyond)),
            whole[:, at_rest], common,
        )  # fmt: skip

    def means(self, draws: Floats, pairs: Ints) -> Floats:
        """Return the averages of runs that have the answers of others where draws say.

        The draws are zeros and ones, the pairs (run, partner); shape ``(pairs, rows)``.
        """
        above, below = (np.full((len(pairs), len(draws)), always) for always in self.always)
        turned = np.ascontiguousarray(draws.T, dtype=np.int16)
        gained = np.zeros((*self.places.shape, len(draws)), dtype=np.int16)
        for of_run, steps in zip(gained[1:], self.steps, strict=True):
            of_run[:] = steps @ turned
        for part in pieces(gained.shape[1], CACHED_PLACES // max(1, len(draws))):
            of_partner = gained[:, part].astype(np.intp)
            left = self.places[:, part, None] - of_partner
            n_varying = max(0, self.n_varying - part.start)
            for at, (run, partner) in enumerate(pairs):
                place = left[run] + of_partner[partner]
                above[at] += self.above.take(place).sum(axis=0)
                if n_varying:
                    below[at] += self.below.take(place[:n_varying]).sum(axis=0)
        if self.rest_sums.size:
            self._compute(draws, pairs, above, below)
        means: Floats = above / below
        return means

    def _compute(self, draws: Floats, pairs: Ints, above: Floats, below: Floats) -> None:
        """Add what classes without a table add to both sides, by the formula."""
        moved, n_names = self.rest.of_runs(draws, with_first=False), len(self.rest.of_run.names)
        width = self.rest_sums.shape[1] // n_names
        for part in pieces(len(draws), CACHED_CELLS // width):
            for at, (run, partner) in enumerate(pairs):
                sums = self.rest_sums[run] + (moved[part, partner] - moved[part, run])
                by_name = np.ascontiguousarray(sums.reshape(-1, n_names, width).swapaxes(0, 1))
                sides = self.rest.of_run.terms(by_name, self.common)
                above[at, part] += sides[0].sum(axis=1)
                below[at, part] += sides[1].sum(axis=1)


def _joined(counts: Ints, chosen: Ints) -> list[Ints]:
    """Return classes, with ascending numbers of states, in groups that can share a table.

    The largest one that is left takes along as many of the smallest ones as it can.
    """
    most = min(MOST_JOINED, 2 * ALL_STATES // max(1, len(chosen)))
    groups, states = [], counts[chosen].tolist()
    lo, hi = 0, len(states)
    while lo < hi:
        hi -= 1
        first, size = lo, states[hi]
        while lo < hi and size * states[lo] <= most:
            size *= states[lo]
            lo += 1
        groups.append(np.append(chosen[first:lo], chosen[hi]))
    return groups


def _table(values: Floats, pointer: Ints, group: Ints) -> Floats:
    """Return the sums of values in all combinations of states; the last class counts 1."""
    each = [values[pointer[at] : pointer[at + 1]] for at in group]
    return reduce(lambda table, added: np.add.outer(table, added).ravel(), each)


def _of_states(
    fields: ClassFields, least: Ints, sizes: Ints, pointer: Ints, common: Floats
) -> tuple[Floats, Floats]:
    """Return what every state adds to both sides of an average; some classes at a time."""
    above, below = np.empty(pointer[-1]), np.empty(pointer[-1])
    lo = 0
    while lo < len(pointer) - 1:
        end = np.searchsorted(pointer, pointer[lo] + STATES_AT_A_TIME, side="right")
        hi = max(lo + 1, int(end) - 1)
        at = np.arange(lo, hi)
        sums = np.zeros((0, hi - lo), dtype=np.int64)
        for first, several in zip(least, sizes, strict=True):
            # every row that there is becomes one for each sum of the next column
            added = ragged_ranges(first[at], several[at])
            sums = np.concatenate([np.repeat(sums, several[at], axis=1), added[None]])
            at = np.repeat(at, several[at])
        some = slice(pointer[lo], pointer[hi])
        with np.errstate(all="ignore"):  # no labels have some of the states
            sides = fields.terms(sums.astype(np.float64)[:, None], common)
        above[some], below[some] = (side[0] for side in sides)
        lo = hi
    return above, below
