"""Augmented cells: which classes each instance has, in the truth, in the prediction or in both.

They are found by sorting keys of instance, class and side, which brings equal cells together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure, descendant_closure
from hierpair.hierarchy.arrays import (
    Array,
    Bools,
    Indices,
    Ints,
    Shorts,
    offsets,
    ragged_ranges,
    row_numbers,
    row_sums,
)
from hierpair.labels import LabelSets

__all__ = ["AUGMENTATIONS", "Cells", "blocks_of", "cells_of", "closures_of", "grow_together",
           "parents_shared", "prune"]  # fmt: skip

BLOCK_ENTRIES = 50_000
"""Entries of augmented sets that are sorted together: few enough for the cache of a core."""

MANY_ENTRIES = 20_000
"""An instance with more entries than this,"""

CLASSES_PER_ENTRY = 8
"""and at most so many classes for each of them, is a block of its own: marking its classes is
cheaper than sorting them."""

GATHERED_BLOCKS = 8
"""Blocks of instances whose ancestors are gathered at once: few calls, and still little memory."""

FEW_LABELS = 1_000
"""So few labels grow side by side: to find out which of them both sides have takes longer."""

KEY_BITS = 32
"""Bits of a key of instance, class and side,"""

MOST_CLASS_BITS = 24
"""of which class and side may take so many: with more it would hold fewer than 256 instances, and
keys of 64 bits are used."""

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

    @property
    def rows(self) -> slice:
        """Where the instances are in their batch."""
        return slice(self.first, self.first + len(self.row_ptr) - 1)


AUGMENTATIONS = ("none", "ancestors", "descendants", "pruned")
"""How label sets grow: not at all; by ancestors (Kosmopoulos et al. 2014, eqs 2–3); by
descendants (Ipeirotis et al. 2001); by ancestors, less what over- and under-specialisation
adds (Cesa-Bianchi et al. 2006; Kosmopoulos et al. 2014, eqs 4–5)."""


def closures_of(
    hierarchy: Hierarchy, sides: Sides, augment: tuple[str, str], threshold: int | None
) -> Closures:
    """Return what the labels of either side bring; None where they stay as they are."""
    used = np.concatenate([side.indices for side in sides])
    made: dict[str, Closure | None] = {"none": None}
    for name in augment:
        if name == "descendants" and name not in made:
            made[name] = descendant_closure(hierarchy)
        elif name not in made:
            made[name] = ancestor_closure(hierarchy, used, threshold=threshold)
    return made[augment[0]], made[augment[1]]


def cells_of(
    sides: Sides,
    closures: Closures,
    blocks: list[tuple[int, int]],
    labels: Sequence[Cells] | None = None,
) -> Iterator[Cells]:
    """Return the cells of all instances, block by block.

    The number of classes stands for the artificial class of a path threshold. ``labels`` are the
    cells of the labels as they are, if these are known.
    """
    layout = _layout(sides, closures)
    for group in _groups(blocks, GATHERED_BLOCKS if layout.with_both else 1):
        start, stop = group[0][0], group[-1][1]
        if stop == start + 1:
            yield Cells(start, *_marked(sides, closures, start, stop))
            continue
        for (lo, hi), keys in zip(
            group, _keys(sides, closures, group, layout, labels), strict=True
        ):
            yield Cells(lo, *_sorted(keys, hi - lo, layout, merge=closures == (None, None)))


def _groups(blocks: list[tuple[int, int]], most: int) -> Iterator[list[tuple[int, int]]]:
    """Put so many blocks together at most; a single instance stays alone."""
    group: list[tuple[int, int]] = []
    for block in blocks:
        alone = block[1] == block[0] + 1
        if group and (alone or len(group) == most or group[-1][1] == group[-1][0] + 1):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _keys(
    sides: Sides,
    closures: Closures,
    group: list[tuple[int, int]],
    layout: KeyLayout,
    labels: Sequence[Cells] | None,
) -> Iterator[Array]:
    """Return, block by block, a key for every (instance, class, side), in runs that are sorted.

    Instances are numbered within their block.
    """
    lo, hi = group[0][0], group[-1][1]
    closure = closures[0]
    if closure is None or not layout.with_both:  # then the group is one block
        yield _side_by_side(sides, closures, lo, hi, layout)
        return
    ptr, classes, in_true, in_pred = (
        _merged(sides, lo, hi) if labels is None else _some(labels, lo, hi)
    )
    row = np.arange(hi - lo)
    for start, stop in group:
        row[start - lo : stop - lo] -= start - lo
    owner = layout.owners(np.repeat(row, np.diff(ptr)), 1 + in_pred.astype(np.int8) - in_true)
    grown_ptr, grown = closure.gathered(classes)
    keys = layout.keys(grown, np.repeat(owner, np.diff(grown_ptr)))
    for start, stop in group:
        yield keys[grown_ptr[ptr[start - lo]] : grown_ptr[ptr[stop - lo]]]


def _merged(sides: Sides, lo: int, hi: int) -> Sorted:
    """Return the labels of instances lo … hi-1, and which side has each."""
    layout = KeyLayout.of(_width(sides, (None, None)), with_both=False, wide=True)
    keys = _side_by_side(sides, (None, None), lo, hi, layout)
    return _sorted(keys, hi - lo, layout, merge=True)


def _some(cells: Sequence[Cells], lo: int, hi: int) -> Sorted:
    """Return instances lo … hi-1 of the cells of all."""
    starts = [part.first for part in cells]
    parts = []
    for part in cells[bisect_right(starts, lo) - 1 : bisect_left(starts, hi)]:
        ptr = part.row_ptr[max(lo - part.first, 0) : hi - part.first + 1]
        some = slice(ptr[0], ptr[-1])
        parts.append((np.diff(ptr), part.column[some], part.in_true[some], part.in_pred[some]))
    lengths, column, in_true, in_pred = (
        each[0] if len(each) == 1 else np.concatenate(each) for each in zip(*parts, strict=True)
    )
    return offsets(lengths), column, in_true, in_pred


def _side_by_side(sides: Sides, closures: Closures, lo: int, hi: int, layout: KeyLayout) -> Array:
    """Return keys of all true sets of instances lo … hi-1, and then of all predicted ones."""
    parts = []
    for mark, side, closure in zip((0, layout.predicted), sides, closures, strict=True):
        ptr = side.indptr[lo : hi + 1]
        classes = side.indices[ptr[0] : ptr[-1]]
        owner = layout.owners(row_numbers(ptr), mark)
        if closure is not None:
            grown_ptr, grown = closure.gathered(classes)
            classes, owner = grown, np.repeat(owner, np.diff(grown_ptr))
        parts.append(layout.keys(classes, owner))
    return np.concatenate(parts)


def _sorted(keys: Array, n_rows: int, layout: KeyLayout, *, merge: bool) -> Sorted:
    """Return the union of both augmented sets of every instance, and who has each class.

    Labels as they are make two runs of keys, for which ``merge`` is quickest.
    """
    keys.sort(kind="stable" if merge else None)
    return distinct(keys, n_rows, layout)


def _marked(sides: Sides, closures: Closures, lo: int, hi: int) -> Sorted:
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
    column = np.flatnonzero(found).astype(np.int32)
    return np.array([0, len(column)]), column, has[0][found], has[1][found]


def _width(sides: Sides, closures: Closures) -> int:
    """Return how many classes there may be, with an artificial one where there is a threshold."""
    return max([sides[0].n_classes, *(c.n_columns for c in closures if c is not None)])


def _layout(sides: Sides, closures: Closures) -> KeyLayout:
    """Return how keys are laid out; "both sides" is marked if labels of both grow once."""
    return KeyLayout.of(_width(sides, closures), with_both=grow_together(sides, closures))


def grow_together(sides: Sides, closures: Closures) -> bool:
    """Whether a label of both sides grows once: if both grow alike, and there are not few."""
    n_labels = sum(len(side.indices) for side in sides)
    return closures[0] is closures[1] is not None and n_labels > FEW_LABELS


def blocks_of(sides: Sides, closures: Closures) -> tuple[list[tuple[int, int]], int]:
    """Cut the instances so that the augmented sets of a block stay small and fit the keys.

    No instances are one empty block. Returns the blocks, and how many entries there are in all of
    them together.
    """
    n = len(sides[0])
    layout = _layout(sides, closures)
    size = np.zeros(n, dtype=np.int64)
    for side, closure in zip(sides, closures, strict=True):
        each = None if closure is None else closure.lengths(side.indices)
        size += side.lengths if each is None else row_sums(each, side.indptr)
    many = size > max(MANY_ENTRIES, sides[0].n_classes // CLASSES_PER_ENTRY)
    block = np.cumsum(np.where(many, 0, size)) // BLOCK_ENTRIES
    if layout.most_rows is not None:
        block = block * n + np.arange(n) // layout.most_rows
    cuts = np.flatnonzero((np.diff(block) > 0) | many[1:] | many[:-1]) + 1
    edges = [0, *cuts.tolist(), n]
    return list(pairwise(edges)), int(size.sum())


def prune(
    hierarchy: Hierarchy,
    row_ptr: Ints,
    column: Indices,
    in_true: Bools,
    in_pred: Bools,
    left_out: Ints,
) -> None:
    """Drop a class of one side if all its parents are outside the other; parentless ones stay."""
    single, n_parents, n_shared = parents_shared(
        hierarchy, row_ptr, column, in_true & in_pred, left_out
    )
    dropped = single[(n_parents > 0) & (n_shared == 0)]
    in_true[dropped] = False
    in_pred[dropped] = False


def parents_shared(
    hierarchy: Hierarchy,
    row_ptr: Ints,
    column: Indices,
    both: Bools,
    left_out: Ints,
) -> tuple[Ints, Ints, Ints]:
    """Return the entries that not both sides have, and how many parents, and shared ones, each has.

    What does not count ("any class") is in every set.
    """
    n = len(hierarchy)
    row = row_numbers(row_ptr) * n
    shared = row[both] + column[both]  # ascending, as rows and columns are
    single = np.flatnonzero(~both)
    first = hierarchy.parent_ptr[column[single]]
    count = hierarchy.parent_ptr[column[single] + 1] - first
    above = hierarchy.parents[ragged_ranges(first, count)]
    parent = np.repeat(row[single], count) + above
    found = np.isin(above, left_out)
    if len(shared):
        at = np.minimum(np.searchsorted(shared, parent), len(shared) - 1)
        found |= shared[at] == parent
    return single, count, row_sums(found, offsets(count))


class KeyLayout(NamedTuple):
    """How instance, class and side share the bits of a key.

    The lowest ``side_bits`` are of the side: 0 is the truth, ``predicted`` the prediction, and what
    lies between them both sides. Class and side take ``bits``, the instance those above.
    """

    predicted: int
    side_bits: int
    bits: int
    key_type: Any

    @classmethod
    def of(cls, n_classes: int, *, with_both: bool, wide: bool = False) -> KeyLayout:
        """Lay out keys.

        Parameters
        ----------
        n_classes
            Number of classes.
        with_both
            Whether there is a mark for both sides.
        wide
            Whether there are more instances than narrow keys can tell apart.
        """
        predicted = 2 if with_both else 1
        side_bits = predicted.bit_length()
        bits = max(1, int(n_classes - 1).bit_length()) + side_bits
        narrow = bits <= MOST_CLASS_BITS and not wide
        return cls(predicted, side_bits, bits, np.uint32 if narrow else np.int64)

    @property
    def with_both(self) -> bool:
        """Whether there is a mark for both sides."""
        return self.predicted == 2

    @property
    def most_rows(self) -> int | None:
        """How many instances a narrow key can tell apart; None where the key is wide."""
        return 1 << max(0, KEY_BITS - self.bits) if self.key_type is np.uint32 else None

    def owners(self, row: Ints, side: Indices | int) -> Array:
        """Return the part of keys that instances and sides give."""
        owners: Array = (row << self.bits | side).astype(self.key_type)
        return owners

    def keys(self, classes: Indices, owners: Array) -> Array:
        """Return the keys of some classes."""
        keys = classes.astype(self.key_type)
        keys <<= self.side_bits
        keys |= owners
        return keys


def distinct(keys: Array, n_rows: int, layout: KeyLayout) -> Sorted:
    """Return the cells of sorted keys: classes of every instance, and the sides that have them.

    Equal cells stand together, the truth first.
    """
    side_bits, predicted = layout.side_bits, layout.predicted
    cell = keys >> side_bits
    new = np.ones(len(keys) + 1, dtype=bool)
    np.not_equal(cell[1:], cell[:-1], out=new[1:-1])
    edge = np.flatnonzero(new)
    first = keys.take(edge[:-1])
    edge -= 1
    last = keys.take(edge[1:])
    side = (1 << side_bits) - 1  # in a byte that is found faster than in all bits
    in_true = (first.astype(np.uint8) & side) != predicted
    in_pred = (last.astype(np.uint8) & side) != 0
    row = first >> layout.bits
    begins = np.ones(len(row) + 1, dtype=bool)
    np.not_equal(row[1:], row[:-1], out=begins[1:-1])
    begin = np.flatnonzero(begins)
    lengths = np.zeros(n_rows, dtype=np.int64)
    lengths[row[begin[:-1]]] = begin[1:] - begin[:-1]
    first >>= side_bits
    first &= (1 << (layout.bits - side_bits)) - 1
    return offsets(lengths), first.astype(np.int32, copy=False), in_true, in_pred
