"""Numbered classes and their edges as arrays, and what is computed once of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    Shorts,
    ragged_ranges,
    sorted_unique,
)

Kept = TypeVar("Kept")

MOST_KEPT = 64
"""Things that are computed once and kept, such as depth weights with different ``w0``; each may be
as long as the classes are many."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassGraph:
    """Classes as numbers, parents before their children, and the edges between them.

    The fields are those of :class:`hierpair.Hierarchy`.
    """

    parent_ptr: Ints
    parents: Shorts
    child_ptr: Ints
    children: Shorts
    levels: Shorts
    weights: Floats | None = None
    names: tuple[Hashable, ...] = ()
    aliases: Mapping[Hashable, Hashable] = field(default_factory=dict)
    titles: Mapping[Hashable, str] = field(default_factory=dict)
    cache: dict[Any, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for array in (self.parent_ptr, self.parents, self.child_ptr, self.children, self.levels):
            array.setflags(write=False)
        if self.weights is not None:
            self.weights.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the cache from pickling: it is large and quickly made again."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init} | {"cache": {}}

    def __len__(self) -> int:
        return len(self.levels)

    def cached(self, key: Any, compute: Callable[[], Kept]) -> Kept:
        """Return what was computed under this key, or compute and keep it.

        Of more than ``MOST_KEPT`` things the one that was asked for longest ago is forgotten.
        """
        kept: Any = self.cache.pop(key, ...)
        self.cache[key] = kept = compute() if kept is ... else kept
        if len(self.cache) > MOST_KEPT:
            del self.cache[next(iter(self.cache))]
        found: Kept = kept
        return found

    @property
    def shape(self) -> str:
        """``"tree"``, ``"forest"`` or ``"DAG"``."""
        many = int(np.diff(self.parent_ptr).max(initial=0)) > 1
        return "DAG" if many else "tree" if len(self.root_indices) == 1 else "forest"

    @cached_property
    def root_indices(self) -> Ints:
        """The numbers of the parentless classes."""
        return np.flatnonzero(np.diff(self.parent_ptr) == 0)

    @cached_property
    def depths(self) -> Shorts:
        """Fewest edges from a parentless class, shape ``(n_classes,)``."""
        depths = np.zeros(len(self), dtype=np.int32)
        for lo, hi, starts, parents in self.downwards():
            depths[lo:hi] = np.minimum.reduceat(depths[parents], starts) + 1
        return depths

    @cached_property
    def heights(self) -> Shorts:
        """Longest way down to a class without children, in edges, shape ``(n_classes,)``."""
        heights = np.zeros(len(self), dtype=np.int32)
        for lo, hi in self.level_ranges()[:0:-1]:  # what is below a level is finished before it
            edges = slice(self.parent_ptr[lo], self.parent_ptr[hi])
            from_child = np.repeat(heights[lo:hi] + 1, np.diff(self.parent_ptr[lo : hi + 1]))
            np.maximum.at(heights, self.parents[edges], from_child)
        return heights

    def level_ranges(self) -> list[tuple[int, int]]:
        """Return the first and the past-the-last class number of every level."""
        bounds = np.flatnonzero(np.diff(self.levels, prepend=-1))
        return list(pairwise([*bounds.tolist(), len(self)]))

    def downwards(self) -> Iterator[tuple[int, int, Ints, Shorts]]:
        """Yield first and past-the-last class of every level but the top, and their parents.

        These are one class's after the other's; the third item says where each begins. All
        parents of a level are finished before it, so that sums can be passed down.
        """
        for lo, hi in self.level_ranges()[1:]:
            first, last = self.parent_ptr[lo], self.parent_ptr[hi]
            yield lo, hi, self.parent_ptr[lo:hi] - first, self.parents[first:last]

    def ancestor_numbers(self, number: int) -> Ints:
        """Return the numbers of the proper ancestors of one class, ascending."""
        return self.reached(number, upwards=True)

    def reached(self, number: int, *, upwards: bool) -> Ints:
        """Return the numbers of all ancestors, or all descendants, of one class, ascending."""
        return np.flatnonzero(self.reaches(np.array([number]), upwards=upwards))

    def reaches(self, classes: Indices, *, upwards: bool) -> Bools:
        """Return whether each class is an ancestor, or a descendant, of one of these."""
        ptr, next_to = self.parent_ptr, self.parents
        if not upwards:
            ptr, next_to = self.child_ptr, self.children
        found = np.zeros(len(self), dtype=bool)
        front = classes
        while len(front):
            near = next_to[ragged_ranges(ptr[front], ptr[front + 1] - ptr[front])]
            front = sorted_unique(near[~found[near]])
            found[front] = True
        return found
