"""Augmented cells: which classes each instance has, in the truth, in the prediction or in both.

They are found by sorting keys of instance, class and side, which brings equal cells together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure, descendant_closure
from hierpair.hierarchy.arrays import (
    Array,
    Bools,
    Indices,
    Ints,
    Shorts,
    blocks,
    offsets,
    places_in,
    row_numbers,
    row_sums,
)
from hierpair.labels import LabelSets

BLOCK_ENTRIES = 250_000
"""Entries of augmented sets that are sorted together: few enough for a cache."""

MANY_ENTRIES = 20_000
"""An instance with more entries than this,"""

CLASSES_PER_ENTRY = 8
"""and at most so many classes for each, is a block of its own: marking all its classes takes half
the time of sorting them."""

LONG_ROW = 1_000
"""What a label with more entries than this brings is marked without a copy of it."""

ROW_BITS = 11
"""Keys have 32 bits if class and side leave so many to the instances of a block, or else 64."""

SIDE_BITS = 2
TRUE, BOTH, PREDICTED = 0, 1, 2
"""The lowest bits of a key: which side has the class. Of equal cells the truth comes first."""

Sides = tuple[LabelSets, LabelSets]
Closures = tuple[Closure | None, Closure | None]
Sorted = tuple[Ints, Shorts, Bools, Bools]
"""Where instances begin, the classes of each, and which side has each class."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The augmented sets of consecutive instances: their classes, and which side has each.

    Instance ``first + i`` has the classes ``column[row_ptr[i]:row_ptr[i + 1]]``, ascending.
    """

    first: int
    row_ptr: Ints
    column: Shorts
    in_true: Bools
    in_pred: Bools

    def __len__(self) -> int:
        return len(self.row_ptr) - 1

    @property
    def row(self) -> Ints:
        """The instance of every class, the first one is 0."""
        return row_numbers(self.row_ptr)


def closures_of(
    hierarchy: Hierarchy, sides: Sides, augment: tuple[str, str], threshold: int | None
) -> Closures:
    """Return what the labels of either side bring; None where they stay as they are."""
    used = np.concatenate([side.indices for side in sides])
    made: dict[str, Callable[[], Closure | None]] = {
        "none": lambda: None,
        "ancestors": lambda: ancestor_closure(hierarchy, used, threshold=threshold),
        "descendants": lambda: descendant_closure(hierarchy),
    }
    of_true = made[augment[0]]()
    return of_true, of_true if augment[0] == augment[1] else made[augment[1]]()


def cells_of(sides: Sides, closures: Closures) -> tuple[Iterator[tuple[Cells, Cells]], int]:
    """Return the cells of all instances block by block: labels as they are, and what these bring.

    Instances are cut so that the augmented sets of a block stay small and fit the keys; no
    instances are one empty block. The second number is how many entries the sets have in all. The
    number of classes stands for the artificial class of a path threshold.
    """
    n, size = len(sides[0]), np.zeros(len(sides[0]), dtype=np.int64)
    for side, closure in zip(sides, closures, strict=True):
        each = None if closure is None else closure.lengths(side.indices)
        size += side.lengths if each is None else row_sums(each, side.indptr)
    width = max([sides[0].n_classes, *(c.n_columns for c in closures if c is not None)])
    bits = int(width - 1).bit_length() + SIDE_BITS
    many = (size > max(MANY_ENTRIES, width // CLASSES_PER_ENTRY)) & (closures != (None, None))
    most_rows = 1 << (8 * _key_type(bits).itemsize - bits)
    alone = many.copy()  # a block begins where there are many entries, and after that
    alone[1:] |= many[:-1]
    few = np.where(many, 0, size)
    needs = (few.cumsum(), BLOCK_ENTRIES), (np.arange(n), most_rows), (alone.cumsum(), 1)

    def found() -> Iterator[tuple[Cells, Cells]]:
        for lo, hi in blocks(*needs) or [(0, 0)]:
            labels = grown = Cells(lo, *_distinct(_label_keys(sides, lo, hi, bits), hi - lo, bits))
            if many[lo:hi].any():
                one = sides[0].part(lo, hi), sides[1].part(lo, hi)
                grown = Cells(lo, *_marked(one, closures, width))
            elif closures != (None, None):
                grown = Cells(lo, *_distinct(_grown_keys(labels, closures, bits), hi - lo, bits))
            yield labels, grown

    return found(), int(size.sum())


def _marked(one: Sides, closures: Closures, width: int) -> Sorted:
    """Return the cells of one instance by a mark for every class."""
    has = np.zeros((2, width), dtype=bool)
    for mark, side, closure in zip(has, one, closures, strict=True):
        if closure is None:
            mark[side.indices] = True
            continue
        long = closure.lengths(side.indices) > LONG_ROW
        mark[closure.gathered(side.indices[~long])[1]] = True
        for c in side.indices[long].tolist():  # no copy of what it brings
            brought = closure.indices[closure.indptr[c] : closure.indptr[c + 1]]
            mark[brought if len(brought) < width else slice(None)] = True  # a root brings all
    found = has[0] | has[1]
    column = np.flatnonzero(found).astype(np.int32)
    return np.array([0, len(column)]), column, has[0][found], has[1][found]


def _key_type(bits: int) -> np.dtype[Any]:
    """Return the type of keys whose class and side take so many bits."""
    return np.dtype(np.uint32 if bits + ROW_BITS <= 32 else np.uint64)


def _owners(row: Ints, side: Indices | int, bits: int) -> Array:
    """Return the part of keys that instances and sides give."""
    return (row << bits | side).astype(_key_type(bits))


def _keys(classes: Indices, owners: Array) -> Array:
    """Return the keys of some classes."""
    keys = classes.astype(owners.dtype)
    keys <<= SIDE_BITS
    keys |= owners
    return keys


def _label_keys(sides: Sides, lo: int, hi: int, bits: int) -> Array:
    """Return keys of the labels of some instances."""
    runs = []
    for side, code in zip(sides, (TRUE, PREDICTED), strict=True):
        ptr = side.indptr[lo : hi + 1]
        runs.append(_keys(side.indices[ptr[0] : ptr[-1]], _owners(row_numbers(ptr), code, bits)))
    return np.concatenate(runs)


def _grown_keys(labels: Cells, closures: Closures, bits: int) -> Array:
    """Return keys of all that labels bring; a label of both sides brings it once if both do."""
    column, true, predicted = labels.column, labels.in_true, labels.in_pred
    row = labels.row

    def grown(closure: Closure | None, classes: Indices, owner: Array) -> Array:
        if closure is None:
            return _keys(classes, owner)
        begins, above = closure.gathered(classes)
        return _keys(above, np.repeat(owner, np.diff(begins)))

    if closures[0] is closures[1]:
        side = BOTH + predicted.astype(np.int8) - true
        return grown(closures[0], column, _owners(row, side, bits))
    ways = zip(closures, (true, predicted), (TRUE, PREDICTED), strict=True)
    return np.concatenate([grown(c, column[has], _owners(row[has], x, bits)) for c, has, x in ways])


def _distinct(keys: Array, n_rows: int, bits: int) -> Sorted:
    """Return the cells of keys; of equal cells, which a stable sort brings together, the truth's
    comes first.
    """
    keys.sort(kind="stable")  # they come in sorted runs
    cell = keys >> SIDE_BITS
    new = np.ones(len(keys) + 1, dtype=bool)
    np.not_equal(cell[1:], cell[:-1], out=new[1:-1])
    edge = np.flatnonzero(new)
    first = keys.take(edge[:-1])
    edge -= 1
    last = keys.take(edge[1:])
    side = (1 << SIDE_BITS) - 1  # in a byte that is found faster than in all bits
    in_true = (first.astype(np.uint8) & side) != PREDICTED
    in_pred = (last.astype(np.uint8) & side) != TRUE
    row = first >> bits
    begins = np.ones(len(row) + 1, dtype=bool)
    np.not_equal(row[1:], row[:-1], out=begins[1:-1])
    begin = np.flatnonzero(begins)
    lengths = np.zeros(n_rows, dtype=np.int64)
    lengths[row[begin[:-1]]] = begin[1:] - begin[:-1]
    first >>= SIDE_BITS
    first &= (1 << (bits - SIDE_BITS)) - 1
    return offsets(lengths), first.astype(np.int32, copy=False), in_true, in_pred


def prune(
    hierarchy: Hierarchy,
    row_ptr: Ints,
    column: Indices,
    in_true: Bools,
    in_pred: Bools,
    uncounted: Bools,
) -> None:
    """Drop a class of one side if all its parents are outside the other; parentless ones stay."""
    single, n_parents, n_shared = parents_shared(
        hierarchy, row_ptr, column, (in_true & in_pred) | uncounted
    )
    dropped = single[(n_parents > 0) & (n_shared == 0)]
    in_true[dropped] = False
    in_pred[dropped] = False


def parents_shared(
    hierarchy: Hierarchy, row_ptr: Ints, column: Indices, both: Bools
) -> tuple[Ints, Ints, Ints]:
    """Return the entries that not both sides have, and how many parents, and shared ones, each has.

    The sets hold all ancestors; what does not count ("any class") is given as what both have.
    """
    n = len(hierarchy)
    row = row_numbers(row_ptr) * n
    shared = row[both] + column[both]  # ascending, as rows and columns are
    single = np.flatnonzero(~both)
    pointer, above = hierarchy.parents_of(column[single])
    count = np.diff(pointer)
    parent = np.repeat(row[single], count) + above
    return single, count, row_sums(places_in(shared, parent) >= 0, pointer)
