"""Augmented cells: which classes each instance has, in the truth, in the prediction or in both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure, descendant_closure
from hierpair.hierarchy.arrays import row_numbers, row_sums
from hierpair.labels import LabelSets

__all__ = ["AUGMENTATIONS", "Cells", "blocks_of", "cells_of", "closures_of"]

BLOCK_ENTRIES = 50_000
"""Entries of augmented sets that are sorted together: few enough for the cache of a core."""

MANY_ENTRIES = 20_000
"""An instance with more entries than this,"""

CLASSES_PER_ENTRY = 8
"""and at most so many classes for each of them, is a block of its own: marking its classes is
cheaper than sorting them."""

KEY_BITS = 32
"""Bits of a key of instance, class and side,"""

MOST_CLASS_BITS = 24
"""of which class and side may take so many: with more it would hold fewer than 256 instances, and
keys of 64 bits are used."""

Sides = tuple[LabelSets, LabelSets]
Closures = tuple[Closure | None, Closure | None]


@dataclass(frozen=True, eq=False)
class Cells:
    """The augmented sets of consecutive instances: their classes, and which side has each.

    Instance ``first + i`` has the classes ``column[row_ptr[i]:row_ptr[i + 1]]``, ascending.
    """

    first: int
    row_ptr: NDArray[np.int64]
    column: NDArray[np.int32]
    in_true: NDArray[np.bool_]
    in_pred: NDArray[np.bool_]

    @property
    def rows(self) -> slice:
        """Where the instances are in their batch."""
        return slice(self.first, self.first + len(self.row_ptr) - 1)


def _ancestors(hierarchy: Hierarchy, used: NDArray[np.int32], threshold: int | None) -> Closure:
    return ancestor_closure(hierarchy, used, threshold=threshold)


def _descendants(hierarchy: Hierarchy, used: NDArray[np.int32], threshold: int | None) -> Closure:
    return descendant_closure(hierarchy, used)


Grow = Callable[[Hierarchy, NDArray[np.int32], int | None], Closure]

AUGMENTATIONS: dict[str, Grow | None] = {
    "none": None,
    "ancestors": _ancestors,
    "descendants": _descendants,
    "pruned": _ancestors,
}
"""How label sets grow: not at all; by ancestors (Kosmopoulos et al. 2014, eqs 2–3); by
descendants (Ipeirotis et al. 2001); by ancestors, less what over- and under-specialisation
adds (Cesa-Bianchi et al. 2006; Kosmopoulos et al. 2014, eqs 4–5)."""


def closures_of(
    hierarchy: Hierarchy, sides: Sides, augment: tuple[str, str], threshold: int | None
) -> Closures:
    """Return what the labels of either side bring; None where they stay as they are."""
    used = np.concatenate([side.indices for side in sides])
    grown = {name: grow for name in augment if (grow := AUGMENTATIONS[name]) is not None}
    made = {name: grow(hierarchy, used, threshold) for name, grow in grown.items()}
    return made.get(augment[0]), made.get(augment[1])


def cells_of(sides: Sides, closures: Closures, blocks: list[tuple[int, int]]) -> Iterator[Cells]:
    """Return the cells of all instances, block by block.

    The number of classes stands for the artificial class of a path threshold.
    """
    for lo, hi in blocks:
        grow = _marked if hi == lo + 1 else _sorted
        row_ptr, column, in_true, in_pred = grow(sides, closures, lo, hi)
        yield Cells(lo, row_ptr, column.astype(np.int32), in_true, in_pred)


def _sorted(
    sides: Sides, closures: Closures, lo: int, hi: int
) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the union of both augmented sets of instances lo … hi-1, and who has each class.

    Every (instance, class, side) becomes one number; sorting them puts what is equal side by
    side, the true set first.
    """
    bits, key_type = _key_layout(sides, closures)
    parts = []
    for k, (side, closure) in enumerate(zip(sides, closures, strict=True)):
        ptr = side.indptr[lo : hi + 1]
        labels = side.indices[ptr[0] : ptr[-1]]
        owner = (row_numbers(ptr) << bits | k).astype(key_type)
        if closure is None:
            parts.append(labels.astype(key_type) << 1 | owner)
            continue
        grown = closure.pattern[closure.rows(labels)]
        keys = grown.indices.astype(key_type)
        keys <<= 1
        keys |= np.repeat(owner, np.diff(grown.indptr))
        parts.append(keys)
    keys = np.concatenate(parts)
    # Labels as they are come sorted, side by side: a stable sort merges what is in order.
    keys.sort(kind="stable" if closures == (None, None) else None)
    cell = keys >> 1
    new = np.ones(len(cell), dtype=bool)
    np.not_equal(cell[1:], cell[:-1], out=new[1:])
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(keys))[: len(first)] - 1
    in_true, in_pred = (keys[first] & 1) == 0, (keys[last] & 1) == 1
    found = cell[first]
    row_ptr = np.searchsorted(found, np.arange(hi - lo + 1, dtype=np.int64) << (bits - 1))
    return row_ptr, found & ((1 << (bits - 1)) - 1), in_true, in_pred


def _marked(
    sides: Sides, closures: Closures, lo: int, hi: int
) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return what :func:`_sorted` does, of one instance, by a mark for every class."""
    width = _width(sides, closures)
    has = np.zeros((2, width), dtype=bool)
    for mark, sets, closure in zip(has, sides, closures, strict=True):
        for c in sets.indices[sets.indptr[lo] : sets.indptr[hi]].tolist():
            if closure is None:
                mark[c] = True
                continue
            row = c if closure.row_of is None else int(closure.row_of[c])
            grown = closure.indices[closure.indptr[row] : closure.indptr[row + 1]]
            mark[grown if len(grown) < width else slice(None)] = True
    found = has[0] | has[1]
    column = np.flatnonzero(found)
    return np.array([0, len(column)]), column, has[0][found], has[1][found]


def _width(sides: Sides, closures: Closures) -> int:
    """Return how many classes there may be, with an artificial one where there is a threshold."""
    return max([sides[0].n_classes, *(c.n_columns for c in closures if c is not None)])


def _key_layout(sides: Sides, closures: Closures) -> tuple[int, Any]:
    """Return the bits of class and side, and the number type that then holds the row too."""
    bits = max(1, int(_width(sides, closures) - 1).bit_length()) + 1
    return bits, np.uint32 if bits <= MOST_CLASS_BITS else np.int64


def blocks_of(sides: Sides, closures: Closures) -> tuple[list[tuple[int, int]], int]:
    """Cut the instances so that the augmented sets of a block stay small and fit the keys.

    Returns the blocks, and how many entries there are in all of them together.
    """
    n = len(sides[0])
    bits, key_type = _key_layout(sides, closures)
    size = np.zeros(n, dtype=np.int64)
    for side, closure in zip(sides, closures, strict=True):
        each = None if closure is None else closure.lengths(side.indices)
        size += side.lengths if each is None else row_sums(each, side.indptr)
    many = size > max(MANY_ENTRIES, sides[0].n_classes // CLASSES_PER_ENTRY)
    block = np.cumsum(np.where(many, 0, size)) // BLOCK_ENTRIES
    if key_type is np.uint32:
        block = block * n + np.arange(n) // 2 ** (KEY_BITS - bits)
    cuts = np.flatnonzero((np.diff(block) > 0) | many[1:] | many[:-1]) + 1
    edges = [0, *cuts.tolist(), n]
    return list(pairwise(edges)) if n else [], int(size.sum())
