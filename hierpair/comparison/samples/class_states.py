"""States of classes: what systems that change places on some instances can bring their sums to.

Of a class at which systems differ on a few instances only few sums are possible, whoever changes
places where. Its values are computed once for all of these, its *states*, and an exchange only
looks them up. Classes with few states share a table of all combinations, so that one look-up gives
the values of several. What has too many states is left to the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from hierpair.comparison.samples.class_fields import ClassFields
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, ragged_ranges

__all__ = ["ClassStates"]

MOST_STATES = 2**14
"""Most states of a class that has a table. Steps from one to another fit in 16 bits, as do those
of classes that share one."""

MOST_JOINED = 2**11
"""Most states of classes that share a table, so that it stays in the cache."""

ALL_STATES = 4_000_000
"""Most states of all classes that have a table, so that they stay in memory."""

STATES_AT_A_TIME = 30_000
"""States whose values are computed at a time."""


@dataclass(frozen=True, eq=False)
class ClassStates:
    """The states of the classes that have few, one after the other, ascending by their number.

    A state says how far every column is above its least sum; that of the last column counts 1.

    Attributes
    ----------
    classes
        Numbers of the classes, shape ``(n,)``.
    least
        Least sums of their columns, shape ``(names, n)``.
    sizes
        Numbers of sums of their columns, shape ``(names, n)``.

    Examples
    --------
    >>> states = ClassStates.of(np.array([[3, 1], [0, 2]]), np.array([[5, 1], [1, 2]]))
    >>> states.classes.tolist(), states.counts.tolist(), states.strides.tolist()
    ([1, 0], [1, 6], [[1, 2], [1, 1]])
    """

    classes: Ints
    least: Ints
    sizes: Ints

    @classmethod
    def of(cls, least: Floats, most: Floats) -> ClassStates:
        """Return the states between least and largest sums, both of shape ``(names, width)``."""
        counts = (most - least + 1).prod(axis=0, dtype=np.float64)
        order = np.argsort(counts, kind="stable")
        ascending = counts[order]
        few = (ascending <= MOST_STATES) & (ascending.cumsum() <= ALL_STATES)
        chosen = order[few]
        low, high = (side[:, chosen].astype(np.int64) for side in (least, most))
        return cls(chosen, low, high - low + 1)

    @cached_property
    def counts(self) -> Ints:
        """Numbers of states."""
        counts: Ints = self.sizes.prod(axis=0)
        return counts

    @cached_property
    def pointer(self) -> Ints:
        """Where the states of every class begin."""
        return offsets(self.counts)

    @cached_property
    def strides(self) -> Ints:
        """By how much a state rises with a column, shape ``(names, n)``."""
        after = np.ones_like(self.sizes)
        after[:-1] = self.sizes[:0:-1].cumprod(axis=0)[::-1]
        return after

    def values(self, fields: ClassFields, common: Floats) -> tuple[Floats, Floats]:
        """Return what every state adds to both sides of an average; computed in pieces."""
        above, below = np.empty(self.pointer[-1]), np.empty(self.pointer[-1])
        lo = 0
        while lo < len(self.classes):
            end = np.searchsorted(self.pointer, self.pointer[lo] + STATES_AT_A_TIME, side="right")
            hi = max(lo + 1, int(end) - 1)
            sums = self._sums(lo, hi).astype(np.float64)
            some = slice(self.pointer[lo], self.pointer[hi])
            with np.errstate(all="ignore"):  # no labels have some of the states
                sides = fields.terms(sums[:, None], common[None])
            above[some], below[some] = (side[0] for side in sides)
            lo = hi
        return above, below

    def _sums(self, lo: int, hi: int) -> Ints:
        """Return the sums of all columns in every state of some classes, shape ``(names, states)``.

        Column by column, every row that there is becomes one for each sum of the next column.
        """
        sums = np.zeros((0, hi - lo), dtype=np.int64)
        at = np.arange(lo, hi)
        for least, sizes in zip(self.least, self.sizes, strict=True):
            lengths = sizes[at]
            added = ragged_ranges(least[at], lengths)
            sums = np.concatenate([np.repeat(sums, lengths, axis=1), added[None]])
            at = np.repeat(at, lengths)
        return sums

    def are_constant(self, values: Floats) -> Bools:
        """Return of which classes all states have the same value."""
        if not len(self.classes):
            return np.zeros(0, dtype=bool)
        first = self.pointer[:-1]
        constant: Bools = np.minimum.reduceat(values, first) == np.maximum.reduceat(values, first)
        return constant

    def groups(self, chosen: Ints) -> list[Ints]:
        """Put classes, given by their places here, together that can share a table.

        The largest one that is left takes along as many of the smallest ones as it can.
        """
        most = min(MOST_JOINED, 2 * ALL_STATES // max(1, len(chosen)))
        groups, counts = [], self.counts[chosen].tolist()
        lo, hi = 0, len(counts)
        while lo < hi:
            hi -= 1
            first, states = lo, counts[hi]
            while lo < hi and states * counts[lo] <= most:
                states *= counts[lo]
                lo += 1
            groups.append(np.append(chosen[first:lo], chosen[hi]))
        return groups

    def table(self, values: Floats, group: Ints) -> Floats:
        """Return the sums of values in all combinations of states; the last class counts 1."""
        each = [values[self.pointer[at] : self.pointer[at + 1]] for at in group]
        return reduce(lambda table, added: np.add.outer(table, added).ravel(), each)
