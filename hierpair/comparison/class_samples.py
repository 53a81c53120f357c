"""Samples of averages over classes: columns are summed by class before a formula sees them.

At most classes two systems differ on a few instances only, so that only few sums are possible,
whoever changes places where: the values of a class in all these *states* are computed once, and an
exchange only looks them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.comparison.samples import Sample, by_run, on_grid, pieces
from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets
from hierpair.measures import Entries, Measure
from hierpair.measures.pooling import (
    ClassTotals,
    class_terms,
    mean_over_classes,
    summed_means,
    unseen_terms,
)

LARGEST_SHORT = 2**15 - 1
"""Sums of whole numbers up to here are exact in 16 bits, which are faster than floats."""

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

    They are all classes that occur (``width``) of the first of the columns by class (``names``), of
    the second, …, then the weight of an instance, which is added to columns ``every``, and columns
    of all instances together (``shown``). ``n_classes`` count.
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
        """Return the sums that a formula takes, of shape ``(names, rows, classes)``.

        ``common`` has the last fields, of all rows or of every row, shape ``(rows, 1 + shown)``.
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
            by_name, common = np.split(flat[part].astype(np.float64), [self.by_class], axis=1)
            totals = self.totals(self.apart(by_name), common)
            found.append(mean_over_classes(self.m, totals, summed_means))
        return np.concatenate(found)

    def apart(self, rows: Floats) -> Floats:
        """Return sums of some classes by name, of shape ``(names, rows, classes)``."""
        by_name = rows.reshape(len(rows), len(self.names), -1).swapaxes(0, 1)
        return np.ascontiguousarray(by_name, dtype=np.float64)

    def terms(self, by_name: Floats, common: Floats) -> tuple[Floats, Floats]:
        """Return what classes add to both sides of the ratio that the average is, by class."""
        return class_terms(self.m, self.totals(by_name, common))


@dataclass(frozen=True, eq=False)
class ClassSample(Sample):
    """Sufficient statistics of an average over classes; its columns are sparse.

    They say what other runs have beyond the first (``shared``), whose fields are ``of_run``. No
    number of an instance is larger than ``entry``, which is infinite if any is not whole.
    """

    shared: Any
    entry: float
    of_run: ClassFields

    def sums(self, draws: Floats) -> Floats:
        """Return sums over instances that count so often, shape ``(rows, n_systems, fields)``."""
        beyond, shared = (summed(draws, of, self.entry) for of in (self.columns, self.shared))
        n_runs = self.n_systems * self.fields // len(self.of_run)
        sums: Floats = np.repeat(shared[:, None], n_runs, axis=1)
        sums[:, 1:] += beyond.reshape(len(draws), n_runs - 1, len(self.of_run))
        return sums.reshape(len(draws), self.n_systems, -1)

    def in_groups(self, groups: Any) -> Sample:
        """Return the sample of sums of groups; ``groups`` is a sparse matrix of ones."""
        entry = self.entry * float(groups.sum(axis=1).max())
        columns, shared = groups @ self.columns, groups @ self.shared
        return replace(self, columns=columns.tocsc(), shared=shared, entry=entry)

    def left_out(self) -> None:
        """Return nothing: it would take a pass per instance."""

    @cached_property
    def tables(self) -> ExchangeTables | None:
        """Tables in which averages of exchanges are looked up, if there can be any."""
        return ExchangeTables.of(self)

    def gaps(self, draws: Floats, pairs: Ints) -> Iterator[Floats]:
        """Yield differences of pairs as :meth:`Sample.gaps` does."""
        if self.tables is None:
            yield from super().gaps(draws, pairs)
            return
        n_runs = self.fields // len(self.of_run)
        runs = pairs[:, None] * n_runs + np.arange(n_runs)[:, None]
        both = np.stack([runs, runs[..., ::-1]]).reshape(-1, 2)
        held = max(self.tables.places.size, self.tables.rest_sums.size, 4 * len(both))
        for part in pieces(len(draws), MOVED_CELLS // held):
            means = self.tables.means(draws[part], both).reshape(2, len(pairs), n_runs, -1)
            yield np.abs(np.subtract(*means.mean(axis=2))).T


def class_sample(
    m: Measure, groups: Sequence[Sequence[Entries]], weight: Floats | None
) -> ClassSample:
    """Return the sample of an average over classes; a group holds the entries of a system's runs.

    The columns of a run are those of its entries, each with all classes that occur, and the weight.
    """
    every = [e for runs in groups for e in runs]
    numbers = np.unique(np.concatenate([e.number for e in every]))
    e, n, n_runs = every[0], every[0].n_instances, len(groups[0])
    fields = ClassFields(m, tuple(e.columns), len(numbers), e.every, tuple(e.whole), e.n_classes)
    ones, parts = np.ones(n) if weight is None else weight, list[Any]()
    for e in every:
        at = e.row, np.searchsorted(numbers, e.number)
        parts += [
            scipy.sparse.coo_array((of * ones[e.row], at), (n, fields.width))
            for of in e.columns.values()
        ]
        parts.append(np.stack([ones, *(of * ones for of in e.whole.values())], axis=1))
    columns = scipy.sparse.hstack([*map(scipy.sparse.coo_array, parts)], "csc")
    whole = (columns.data == np.rint(columns.data)).all()
    entry = 2 * float(np.abs(columns.data).max(initial=0.0)) if whole else np.inf
    columns.data = on_grid(columns.data[:, None], n)[:, 0]
    shared = columns[:, : len(fields)]
    columns = (columns - scipy.sparse.hstack([shared] * len(every), "csc"))[:, len(fields) :]
    pool = by_run(fields.means, n_runs, len(fields))
    return ClassSample(columns, n_runs * len(fields), pool, len(groups), shared, entry, fields)


def summed(draws: Floats, columns: Any, entry: float) -> NDArray[Any]:
    """Return sums of sparse columns, a row per draw, in 16 bits if these hold them.

    No number is larger than ``entry``; of two sums these hold the difference, too.
    """
    largest = 2 * entry * draws.sum(axis=1).max(initial=0.0)
    kind: Any = np.int16 if largest <= LARGEST_SHORT else np.float64
    product = columns.T.astype(kind) @ np.ascontiguousarray(draws.astype(kind).T)
    return np.ascontiguousarray(product.T)


@dataclass(frozen=True, eq=False)
class ExchangeTables:
    """What classes add to an average in every state that exchanges can bring them to.

    The states of a class are a box around its possible sums, numbered one after the other; the last
    of its columns counts 1. Classes with few states share a table of all combinations, so that one
    look-up gives the values of several. ``sides`` are these tables of both sides of the ratio, one
    after the other, or None where no state changes a side; ``always`` is what depends on no state.
    ``places`` are those of the states that runs are in, and ``steps`` say how far an answer of each
    other run moves them, against that of the first. ``rest`` are columns of classes without a
    table, ``common`` sums that are of none.
    """

    sides: Sequence[Floats | None]
    always: Floats
    places: Ints
    steps: Any
    sample: ClassSample
    rest: Any
    rest_sums: Floats
    common: Floats

    @classmethod
    def of(cls, sample: ClassSample) -> ExchangeTables | None:
        """Return the tables of a sample, or None where there can be none.

        Numbers have to be whole, and only those of classes may depend on the system; in every state
        some class has to weigh something, so that the average is always a ratio of sums. The
        formula has to take every state, also those that no labels have (such as more classes in
        both sets than in one), as they are a box around those that some have.
        """
        fields, n = sample.of_run, sample.of_run.by_class
        whole, shape = sample.whole().reshape(-1, len(fields)), (len(fields.names), fields.width)
        starts = len(fields) * np.arange(len(whole) - 1)
        beyond = [sample.columns[:, lo : lo + len(fields)].T.tocsr() for lo in starts]
        too_large = sample.entry * sample.n_instances > LARGEST_EXACT
        if not n or too_large or any(other[n:].count_nonzero() for other in beyond):
            return None
        nothing = scipy.sparse.csr_array(sample.shared.T.shape)
        falls = reduce(lambda low, other: low.minimum(other), beyond, nothing)
        rises = reduce(lambda high, other: high.maximum(other), beyond, nothing)
        fall, rise = (side.sum(axis=1)[:n].reshape(shape) for side in (falls, rises))
        counts = (rise - fall + 1).prod(axis=0)
        order = np.argsort(counts, kind="stable")
        few = (counts[order] <= MOST_STATES) & (counts[order].cumsum() <= ALL_STATES)
        chosen, rest = order[few], np.sort(order[~few])
        common, sums = whole[:1, n:], whole[:, :n].reshape(-1, *shape).astype(np.int64)
        least = sums[0] + fall.astype(np.int64)
        sizes = (rise - fall)[:, chosen].astype(np.int64) + 1
        pointer, strides = offsets(counts := sizes.prod(axis=0)), np.ones_like(sizes)
        strides[:-1] = sizes[:0:-1].cumprod(axis=0)[::-1]
        values, moves = np.empty((2, pointer[-1])), counts > 1
        try:
            for part in pieces(pointer[-1], STATES_AT_A_TIME):
                place = np.arange(part.start, min(part.stop, pointer[-1]))
                of = np.searchsorted(pointer, place, side="right") - 1
                states = (place - pointer[of]) // strides[:, of] % sizes[:, of]
                with np.errstate(all="ignore"):  # no labels have some of the states
                    states = (states + least[:, chosen[of]]).astype(np.float64)
                    values[:, part] = [side[0] for side in fields.terms(states[:, None], common)]
        except BadInput:  # what it says of sums that some labels have is said without tables
            return None
        low, high = (ends.reduceat(values, pointer[:-1], axis=1) if len(chosen) else values
                     for ends in (np.minimum, np.maximum))  # fmt: skip
        varies: Bools = np.asarray((low < high).any(axis=1))
        unseen = fields.totals(np.zeros((len(fields.names), 1, fields.width)), common)
        always = np.array([side[0] for side in unseen_terms(fields.m, unseen)])
        if not always[1] + low[1].sum() > 0:
            return None
        always += np.where(moves & varies[:, None], 0.0, low).sum(axis=1)
        groups = _joined(counts, np.flatnonzero(moves))
        tables = [
            [
                reduce(lambda table, more: np.add.outer(table, more).ravel(),
                       [side[pointer[c] : pointer[c + 1]] for c in group])
                for group in groups
            ]
            for side in values
        ]  # fmt: skip
        moved = np.concatenate([np.zeros(0, dtype=np.int64), *groups])
        # in the table of a group the last class counts 1
        after = [np.append(counts[g[:0:-1]].cumprod()[::-1], 1) for g in groups]
        stride = strides[:, moved] * np.concatenate([np.zeros(0, dtype=np.int64), *after])
        group_of = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        at, at_rest = (
            (np.arange(shape[0])[:, None] * shape[1] + classes).ravel()
            for classes in (chosen[moved], rest)
        )
        by_name = scipy.sparse.csr_array(  # from the fields of classes to the states of groups
            (stride.ravel(), (np.tile(group_of, shape[0]), at)), (len(groups), n)
        )
        start = offsets(np.array([len(table) for table in tables[0]], dtype=np.int64))[:-1]
        first = scipy.sparse.csr_array((len(groups), sample.n_instances))  # it moves against itself
        return cls(
            [np.concatenate([np.zeros(0), *side]) if some else None
             for side, some in zip(tables, varies, strict=True)],
            always, start + (by_name @ (sums - least).reshape(len(sums), n).T).T,
            scipy.sparse.vstack([first, *(by_name @ of[:n] for of in beyond)]).astype(np.int16),
            sample, sample.columns[:, np.add.outer(starts, at_rest).ravel()], whole[:, at_rest],
            common,
        )  # fmt: skip

    def means(self, draws: Floats, pairs: Ints) -> Floats:
        """Return the averages of runs that have the answers of others where draws say.

        The draws are zeros and ones, the pairs (run, partner); shape ``(pairs, rows)``.
        """
        totals = np.tile(self.always[:, None, None], (1, len(pairs), len(draws)))
        turned = np.ascontiguousarray(draws.astype(np.int16).T)
        gained = (self.steps @ turned).reshape(*self.places.shape, len(draws))
        for part in pieces(gained.shape[1], CACHED_PLACES // max(1, len(draws))):
            of_partner = gained[:, part].astype(np.intp)
            left = self.places[:, part, None] - of_partner
            for at, (run, partner) in enumerate(pairs):
                place = left[run] + of_partner[partner]
                for total, table in zip(totals, self.sides, strict=True):
                    if table is not None:
                        total[at] += table.take(place).sum(axis=0)
        fields, n = self.sample.of_run, self.rest_sums.shape[1]
        if n:  # by the formula
            moved = summed(draws, self.rest, self.sample.entry).reshape(len(draws), -1, n)
            moved = np.concatenate([np.zeros_like(moved[:, :1]), moved], axis=1)
            for part in pieces(len(draws), CACHED_CELLS * len(fields.names) // n):
                for at, (run, partner) in enumerate(pairs):
                    rows = self.rest_sums[run] + (moved[part, partner] - moved[part, run])
                    sides = fields.terms(fields.apart(rows), self.common)
                    totals[:, at, part] += [side.sum(axis=1) for side in sides]
        means: Floats = totals[0] / totals[1]
        return means


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
