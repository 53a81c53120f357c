"""Averages over classes of systems that change places on instances, looked up in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from hierpair.comparison.samples.class_columns import ClassColumns
from hierpair.comparison.samples.class_fields import CACHED_CELLS, ClassFields
from hierpair.comparison.samples.class_states import ClassStates
from hierpair.comparison.samples.draws import Draws
from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Floats, Ints, offsets

__all__ = ["ExchangeTables"]

CACHED_PLACES = 16_000
"""Places of every run that are looked up at a time, so that they stay in the cache."""

LARGEST_EXACT = 2.0**52
"""Sums up to here are whole numbers of 64 bits as well as floats."""


@dataclass(frozen=True, eq=False)
class ExchangeTables:
    """What classes add to an average in every state that exchanges can bring them to.

    Attributes
    ----------
    above, below
        Tables of what groups of classes add to both sides of the ratio, one after the other. Those
        of the side below are of the first groups: others add the same there in every state.
    n_varying
        Number of groups that have a table of the side below.
    always
        What does not depend on the state, of both sides.
    places
        Place in the tables of the state that every run is in, shape ``(n_runs, n_groups)``.
    steps
        By run but the first, how far its answer to an instance moves the state of a group, against
        that of the first run: sparse, shape ``(n_groups, n_instances)``.
    rest, rest_sums
        Columns of the classes without a table, and their sums, shape ``(n_runs, fields)``.
    fields, common
        What the fields are, and the sums of those that are not of classes.
    """

    above: Floats
    below: Floats
    n_varying: int
    always: tuple[float, float]
    places: Ints
    steps: tuple[Any, ...]
    rest: ClassColumns
    rest_sums: Floats
    fields: ClassFields
    common: Floats

    @classmethod
    def of(cls, columns: ClassColumns, fields: ClassFields) -> ExchangeTables | None:
        """Return the tables of columns, or None where there can be none.

        Numbers have to be whole, and only those of classes may depend on the system; some classes
        have to weigh the same in every state, so that the average is always a ratio of sums. The
        formula has to take every state, also those that no labels have (such as more classes in
        both sets than in one), as they are a box around those that some have.
        """
        n_names, width = len(fields.names), fields.width
        n = n_names * width
        if not columns.whole_numbers or any(other[n:].nnz for other in columns.others):
            return None
        whole = columns.whole()
        common, sums = whole[0, n:], whole[:, :n].reshape(len(whole), n_names, width)
        least, most = (sums[0] + side[:n].reshape(n_names, width) for side in columns.reach())
        if max(np.abs(least).max(initial=0), np.abs(most).max(initial=0)) > LARGEST_EXACT:
            return None
        states = ClassStates.of(least, most)
        try:
            above, below = states.values(fields, common)
        except BadInput:  # what it says of sums that some labels have is said without tables
            return None
        first, fixed = states.pointer[:-1], states.counts == 1
        constant = states.are_constant(below)
        unseen = fields.unseen(common)
        always = (
            unseen[0] + float(above[first[fixed]].sum()),
            unseen[1] + float(below[first[constant]].sum()),
        )
        if always[1] <= 0:
            return None
        varying = states.groups(np.flatnonzero(~constant))
        groups = [*varying, *states.groups(np.flatnonzero(constant & ~fixed))]
        tables = [states.table(above, group) for group in groups]
        step, group_of = _steps(states, groups, (n_names, width))
        start = offsets(np.array([len(table) for table in tables], dtype=np.int64))[:-1]
        rest = np.setdiff1d(np.arange(width), states.classes)
        at_rest = (np.arange(n_names)[:, None] * width + rest).ravel()
        return cls(
            above=np.concatenate([np.zeros(0), *tables]),
            below=np.concatenate([np.zeros(0), *(states.table(below, group) for group in varying)]),
            n_varying=len(varying),
            always=always,
            places=np.stack(
                [start + _states_of(of - least, step, group_of, len(start)) for of in sums]
            ),
            steps=tuple(_moving(other[:n], step, group_of, len(start)) for other in columns.others),
            rest=columns.of_fields(at_rest),
            rest_sums=whole[:, at_rest],
            fields=fields,
            common=common,
        )

    def means(self, draws: Draws, pairs: Ints) -> Floats:
        """Return the averages of runs that have the answers of others where draws say.

        The draws are zeros and ones, the pairs (run, partner); shape ``(pairs, rows)``.
        """
        sides = np.empty((2, len(pairs), len(draws)))
        sides[0], sides[1] = self.always
        self._look_up(draws, pairs, *sides)
        if self.rest_sums.shape[1]:
            self._compute(draws, pairs, *sides)
        means: Floats = sides[0] / sides[1]
        return means

    def _look_up(self, draws: Draws, pairs: Ints, above: Floats, below: Floats) -> None:
        """Add what classes with tables add to both sides, some groups at a time."""
        turned = draws.by_instance(np.int16)
        gained = np.zeros((*self.places.shape, len(draws)), dtype=np.int16)
        for of_run, steps in zip(gained[1:], self.steps, strict=True):
            of_run[:] = steps @ turned
        step = max(1, CACHED_PLACES // max(1, len(draws)))
        for lo in range(0, gained.shape[1], step):
            of_partner = gained[:, lo : lo + step].astype(np.intp)
            left = self.places[:, lo : lo + step, None] - of_partner
            n_varying = max(0, self.n_varying - lo)
            for at, (run, partner) in enumerate(pairs):
                place = left[run] + of_partner[partner]
                above[at] += self.above.take(place).sum(axis=0)
                if n_varying:
                    below[at] += self.below.take(place[:n_varying]).sum(axis=0)

    def _compute(self, draws: Draws, pairs: Ints, above: Floats, below: Floats) -> None:
        """Add what classes without a table add to both sides, by the formula."""
        moved = self.rest.sums(draws, shared=False)
        n_names = len(self.fields.names)
        width = self.rest_sums.shape[1] // n_names
        step = max(1, CACHED_CELLS // width)
        for lo in range(0, len(draws), step):
            some = slice(lo, lo + step)
            for at, (run, partner) in enumerate(pairs):
                sums = self.rest_sums[run] + (moved[some, partner] - moved[some, run])
                by_name = np.ascontiguousarray(sums.reshape(-1, n_names, width).swapaxes(0, 1))
                common = np.broadcast_to(self.common, (len(sums), len(self.common)))
                sides = self.fields.terms(by_name, common)
                above[at, some] += sides[0].sum(axis=1)
                below[at, some] += sides[1].sum(axis=1)


def _steps(
    states: ClassStates, groups: Sequence[Ints], shape: tuple[int, int]
) -> tuple[Ints, Ints]:
    """Return by how much the state of its group rises with a column of a class, and the group.

    Shapes ``(names, width)`` and ``(width,)``; classes without a table are in no group, -1.
    """
    step, group_of = np.zeros(shape, dtype=np.int64), np.full(shape[1], -1)
    rise = np.ones(len(states.classes), dtype=np.int64)
    for group in groups:
        if len(group) > 1:
            rise[group[:-1]] = states.counts[group[:0:-1]].cumprod()[::-1]
    chosen = np.concatenate([np.zeros(0, dtype=np.int64), *groups])
    of = states.classes[chosen]
    step[:, of] = states.strides[:, chosen] * rise[chosen]
    group_of[of] = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return step, group_of


def _states_of(above_least: Floats, step: Ints, group_of: Ints, n_groups: int) -> Ints:
    """Return the states of groups, given how far every column is above its least sum."""
    known = group_of >= 0
    by_class = (step * above_least.astype(np.int64)).sum(axis=0)[known]
    return np.bincount(group_of[known], by_class, n_groups).astype(np.int64)


def _moving(other: Any, step: Ints, group_of: Ints, n_groups: int) -> Any:
    """Return how far instances move the states of groups, given how far they move the columns."""
    entries = other.tocoo()
    name, of = np.divmod(entries.row, step.shape[1])
    by = step[name, of] * entries.data.astype(np.int64)
    some = np.flatnonzero((group_of[of] >= 0) & (by != 0))
    places = group_of[of[some]], entries.col[some]
    return scipy.sparse.csr_array(
        (by[some].astype(np.int16), places), shape=(n_groups, other.shape[1])
    )
