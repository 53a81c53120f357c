"""Labels of many instances as sorted whole numbers: instance times classes, plus class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import Bools, Ints, row_numbers
from hierpair.labels import LabelSets

__all__ = ["BLOCK_LABELS", "MOST_ROWS", "Merged", "blocks_of", "keys_of", "merged"]

BLOCK_LABELS = 4_000_000
"""Labels of all sides together that are held at a time."""


MOST_ROWS = 2**31
"""Instances of a block, unless less is asked for."""


def blocks_of(
    sides: Sequence[LabelSets], most_labels: int, most_rows: int = MOST_ROWS
) -> Iterator[tuple[int, int]]:
    """Cut the instances of all sides into blocks with few enough labels of all sides together."""
    labels = np.sum([side.lengths for side in sides], axis=0)
    block = np.cumsum(labels) // most_labels
    few = np.arange(len(labels)) // most_rows
    edges = [0, *(np.flatnonzero(np.diff(block) | np.diff(few)) + 1).tolist(), len(labels)]
    return (cut for cut in pairwise(edges) if cut[0] < cut[1])


def keys_of(sets: LabelSets, lo: int, hi: int, number: NDArray[np.integer] | None = None) -> Ints:
    """Return the labels of instances ``lo … hi - 1``, ascending: row times classes, plus class.

    Parameters
    ----------
    sets
        The label sets.
    lo, hi
        The instances; the first of them is row 0.
    number
        Another number of every class, by which the labels of an instance are then sorted.
    """
    pointer = sets.indptr[lo : hi + 1]
    labels = sets.indices[pointer[0] : pointer[-1]]
    keys = row_numbers(pointer) * sets.n_classes
    if number is None:  # ascending in every row, as label sets are
        return keys + labels
    keys += number[labels]
    keys.sort()
    return keys


@dataclass(frozen=True, eq=False)
class Merged:
    """The keys of two sides, ascending.

    Attributes
    ----------
    keys
        All of them; what both sides have stands there twice.
    second
        Whether each is of the second side.
    again
        Whether each is the same as the one before.

    Examples
    --------
    >>> both = merged(np.array([1, 4]), np.array([0, 4, 6]))
    >>> both.both.tolist(), both.either.tolist()
    ([4], [0, 1, 4, 6])
    >>> [part.tolist() for part in both.alone()]
    [[1], [0, 6]]
    """

    keys: Ints
    second: Bools
    again: Bools

    @property
    def both(self) -> Ints:
        """What both sides have."""
        return self.keys[self.again]

    @property
    def either(self) -> Ints:
        """What one side has, or both."""
        return self.keys[~self.again]

    def alone(self) -> tuple[Ints, Ints]:
        """Return what only the first, and what only the second side has."""
        single = ~self.again
        single[:-1] &= single[1:]
        return self.keys[single & ~self.second], self.keys[single & self.second]


def merged(one: Ints, other: Ints) -> Merged:
    """Merge the keys of two sides, ascending ones."""
    keys = np.concatenate([one << 1, other << 1 | 1])
    keys.sort(kind="stable")  # which merges what is sorted already
    second = (keys & 1).astype(bool)
    keys >>= 1
    again = np.zeros(len(keys), dtype=bool)
    np.equal(keys[1:], keys[:-1], out=again[1:])
    return Merged(keys, second, again)
