"""Random relatives of classes: ancestors, descendants, siblings, cousins, unrelated ones.

A single parentless class stands for "any class": it is nobody's ancestor here, and what only it is
above is unrelated. Every function takes an array of classes and one of random numbers for it, and
returns an array of classes, with -1 where there is no such relative.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import Bools, Ints, offsets, ragged_ranges, row_numbers

__all__ = ["Relatives"]

GUESSES = 12
"""Unrelated classes are drawn and refused so often, before the rest are looked up one and all."""

CELLS = 4_000_000
"""Classes × labels that are looked up at a time."""


@dataclass(frozen=True, eq=False)
class Relatives:
    """Who is related to whom in a hierarchy."""

    hierarchy: Hierarchy

    @cached_property
    def low(self) -> int:
        """The least level of a class that counts."""
        return len(excluded_classes(self.hierarchy, "exclude"))

    @cached_property
    def counting(self) -> Ints:
        """All classes that count."""
        left_out = excluded_classes(self.hierarchy, "exclude")
        return np.delete(np.arange(len(self.hierarchy)), left_out)

    @cached_property
    def parents(self) -> scipy.sparse.csr_array:
        """The parents of every class, a row per class."""
        h = self.hierarchy
        ones, n = np.ones(len(h.parents)), len(h)
        return scipy.sparse.csr_array((ones, h.parents, h.parent_ptr), shape=(n, n))

    @cached_property
    def tops(self) -> scipy.sparse.csr_array:
        """Which highest classes every class is below (or is), shape ``(n_classes, n_tops)``.

        Two classes are unrelated if they share none of these.
        """
        h = self.hierarchy
        top = h.root_indices if not self.low else h.children[h.child_ptr[0] : h.child_ptr[1]]
        n_top = len(top)
        own = scipy.sparse.csr_array(
            (np.ones(n_top), (top, np.arange(n_top))), shape=(len(h), n_top)
        )
        found = own
        for _ in range(int(h.levels.max(initial=0))):
            found = own + self.parents @ found
            found.data[:] = 1.0
        return scipy.sparse.csr_array(found)

    @cached_property
    def by_depth(self) -> list[Ints]:
        """The classes of every depth."""
        depths = self.hierarchy.depths
        order = np.argsort(depths, kind="stable")
        return np.split(order, np.searchsorted(depths[order], np.arange(1, depths.max() + 1)))

    def ancestors(self, of: Ints, k: int, u: NDArray[np.float64]) -> Ints:
        """Return a class ``k`` edges above each, by random parents; ``u`` has the shape (k, n)."""
        h, found = self.hierarchy, of
        for more, numbers in zip(range(k - 1, -1, -1), u, strict=True):
            far_enough = h.levels[h.parents] >= self.low + more
            found = _walked(h.parent_ptr, h.parents, far_enough, found, numbers)
        return found

    def descendants(self, of: Ints, k: int, u: NDArray[np.float64]) -> Ints:
        """Return a class ``k`` edges below each, by random children; ``u`` has the shape (k, n)."""
        h, found = self.hierarchy, of
        for more, numbers in zip(range(k - 1, -1, -1), u, strict=True):
            found = _walked(h.child_ptr, h.children, h.heights[h.children] >= more, found, numbers)
        return found

    def siblings(self, of: Ints, u: NDArray[np.float64]) -> Ints:
        """Return another child of a random parent that counts; ``u`` has the shape (2, n)."""
        h = self.hierarchy
        n_children = np.diff(h.child_ptr)
        good = (h.levels[h.parents] >= self.low) & (n_children[h.parents] > 1)
        parent = _walked(h.parent_ptr, h.parents, good, of, u[0])
        some = parent >= 0
        p, c = parent[some], of[some]
        nth = (u[1][some] * (n_children[p] - 1)).astype(np.int64)
        nth += nth >= self._edge(p, c) - h.child_ptr[p]
        return self._kept(of, some, h.children[h.child_ptr[p] + nth])

    def cousins(self, of: Ints, u: NDArray[np.float64]) -> Ints:
        """Return a random child of the other children of a random grandparent; ``u`` is (2, n).

        One that is a sibling, too, by another parent, is none.
        """
        h = self.hierarchy
        grandchildren = offsets(np.diff(h.child_ptr)[h.children])  # by edge: those of all before
        row, parent = _expanded(h, np.arange(len(of)), of)
        at, above = _expanded(h, np.arange(len(row)), parent)
        row, parent = row[at], parent[at]
        first = grandchildren[h.child_ptr[above]]
        own = h.child_ptr[parent + 1] - h.child_ptr[parent]
        n_other = grandchildren[h.child_ptr[above + 1]] - first - own
        good = (n_other > 0) & (h.levels[above] >= self.low) & (h.levels[parent] >= self.low)
        ways = np.flatnonzero(good)  # child, parent, grandparent
        ptr = offsets(np.bincount(row[good], minlength=len(of)))
        chosen = _picked(ptr, ways, np.arange(len(of)), u[0])
        some = chosen >= 0
        way = chosen[some]
        nth = (u[1][some] * n_other[way]).astype(np.int64)
        before = grandchildren[self._edge(above[way], parent[way])] - first[way]
        nth += np.where(nth >= before, own[way], 0)
        place = first[way] + nth
        edge = np.searchsorted(grandchildren, place, side="right") - 1
        found = h.children[h.child_ptr[h.children[edge]] + place - grandchildren[edge]]
        found = self._kept(of, some, found)
        known = found >= 0
        known[known] = ~self._are_siblings(of[known], found[known])
        return np.where(known, found, -1)

    def unrelated(
        self, of: Ints, labels: scipy.sparse.csr_array, taken: list[Ints], rng: np.random.Generator
    ) -> Ints:
        """Return a random class as deep as each that is unrelated to all labels beside it.

        Parameters
        ----------
        of
            Classes.
        labels
            Of each, the highest classes that its instance's labels are below.
        taken
            What has been drawn for each before.
        rng
            Random numbers.
        """
        h = self.hierarchy
        sizes = offsets(np.array([len(classes) for classes in self.by_depth]))
        order = np.concatenate(self.by_depth)
        depth = h.depths[of].astype(np.int64)
        found = np.full(len(of), -1, dtype=np.int64)
        left = np.arange(len(of))
        for _ in range(GUESSES):
            d = depth[left]
            nth = (rng.random(len(left)) * (sizes[d + 1] - sizes[d])).astype(np.int64)
            guess = order[sizes[d] + nth]
            free = np.ravel((self.tops[guess] * labels[left]).sum(axis=1)) == 0
            for earlier in taken:
                free &= guess != earlier[left]
            free &= h.levels[guess] >= self.low
            found[left[free]] = guess[free]
            left = left[~free]
        if len(left):
            found[left] = self._looked_up(depth[left], labels[left], [t[left] for t in taken], rng)
        return found

    def _looked_up(
        self,
        depth: Ints,
        labels: scipy.sparse.csr_array,
        taken: list[Ints],
        rng: np.random.Generator,
    ) -> Ints:
        """Return a random unrelated class of this depth from all of them, or -1."""
        found = np.full(len(depth), -1, dtype=np.int64)
        for d in np.unique(depth):
            rows, classes = np.flatnonzero(depth == d), self.by_depth[d]
            step = max(1, CELLS // len(classes))
            for lo in range(0, len(rows), step):
                at = rows[lo : lo + step]
                free = (labels[at] @ self.tops[classes].T).toarray() == 0
                for earlier in taken:
                    free &= classes != earlier[at][:, None]
                free &= self.hierarchy.levels[classes] >= self.low
                drawn = np.where(free, rng.random(free.shape), -1.0)
                best = drawn.argmax(axis=1)
                found[at] = np.where(free.any(axis=1), classes[best], -1)
        return found

    def _edge(self, parent: Ints, child: Ints) -> Ints:
        """Return the place of these children in the list of all children."""
        keys, order = self._edges
        wanted = parent.astype(np.int64) * len(self.hierarchy) + child
        return order[np.searchsorted(keys, wanted, sorter=order)]

    @cached_property
    def _edges(self) -> tuple[Ints, Ints]:
        """A number for every edge, and their order."""
        h = self.hierarchy
        keys = row_numbers(h.child_ptr) * len(h) + h.children
        return keys, np.argsort(keys, kind="stable")

    def _kept(self, of: Ints, some: Bools, relative: NDArray[np.integer]) -> Ints:
        """Return relatives where there are some that are not above or below the class, or it."""
        found = np.full(len(of), -1, dtype=np.int64)
        one, other = of[some], relative.astype(np.int64)
        closure = ancestor_closure(self.hierarchy, np.union1d(one, other))
        in_line = (closure.find(one, other) >= 0) | (closure.find(other, one) >= 0)
        found[some] = np.where(in_line, -1, other)
        return found

    def _are_siblings(self, one: Ints, other: Ints) -> Bools:
        """Return whether two classes have a parent in common."""
        shared: Bools = np.ravel((self.parents[one] * self.parents[other]).sum(axis=1)) > 0
        return shared


def _expanded(h: Hierarchy, rows: Ints, classes: Ints) -> tuple[Ints, Ints]:
    """Return the parents of classes one after the other, and the row of each."""
    lengths = h.parent_ptr[classes + 1] - h.parent_ptr[classes]
    parents = h.parents[ragged_ranges(h.parent_ptr[classes], lengths)]
    return np.repeat(rows, lengths), parents.astype(np.int64)


def _walked(
    ptr: Ints, next_to: NDArray[np.integer], good: Bools, of: Ints, u: NDArray[np.float64]
) -> Ints:
    """Return a random one of the good neighbours of each class."""
    kept = offsets(good.astype(np.int64))[ptr]
    return _picked(kept, next_to[good].astype(np.int64), of, u)


def _picked(ptr: Ints, values: Ints, rows: Ints, u: NDArray[np.float64]) -> Ints:
    """Return a value of each row of a CSR array, by a number in [0, 1); a negative row has none."""
    known = rows >= 0
    start = np.where(known, ptr[rows], 0)
    length = np.where(known, ptr[rows + 1] - start, 0)
    place = start + (u * length).astype(np.int64)
    found = np.full(len(rows), -1, dtype=np.int64)
    some = length > 0
    found[some] = values[place[some]]
    return found
