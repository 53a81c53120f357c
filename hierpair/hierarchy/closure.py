"""Ancestors with upward distances as CSR arrays, whole or for the classes in use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, sorted_unique
from hierpair.hierarchy.class_graph import ClassGraph
from hierpair.hierarchy.walking import MOST_REACHED, walk
from hierpair.hierarchy.whole_rows import rows_of_all

__all__ = [
    "Closure",
    "ancestor_closure",
    "cut_closure",
    "descendant_closure",
    "mean_ancestors",
]

WHOLE_LIMIT = 50_000_000
"""A whole closure with more entries than this is built only for the classes in use."""

BYTE_DEPTH = 255
"""In a hierarchy with fewer levels upward distances are kept in a byte each."""

SHORT_INDEX = 2**31
"""Matrices with fewer entries have 32-bit row pointers."""

FEW_ROWS = 2_000
"""Rows that are gathered without a matrix."""

SAMPLED_CLASSES = 200
"""Classes whose ancestors are counted where the size of the closure has to be estimated."""


@dataclass(frozen=True, eq=False)
class Closure:
    """The ancestors of classes, each class being its own, with upward distances.

    Attributes
    ----------
    indptr, indices
        CSR arrays; row ``r`` lists the ancestors of one class in ascending order.
    up
        Upward distance of each entry: hops (an integer type) or path weights (float64).
    n_columns
        Number of classes, plus one for the artificial class of a path threshold.
    row_of
        Row of every class, -1 for a class that was not asked for; or None where row and class
        number are the same.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    up: NDArray[Any]
    n_columns: int
    row_of: NDArray[np.int32] | None = None

    def rows(self, classes: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the row numbers of these classes.

        Raises
        ------
        LookupError
            For a class that this closure was not asked to hold: nothing is said about it here.
        """
        if self.row_of is None:
            return classes
        rows: NDArray[np.int32] = self.row_of[classes]
        if len(rows) and rows.min() < 0:
            absent = int(np.asarray(classes)[rows < 0][0])
            raise LookupError(
                f"this closure was built without class {absent}: ask for its row, too"
            )
        return rows

    def holds(self, classes: NDArray[np.integer]) -> bool:
        """Whether it has the rows of all these classes."""
        return self.row_of is None or bool((self.row_of[classes] >= 0).all())

    def lengths(self, classes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the number of ancestors (itself included) of these classes."""
        rows = self.rows(classes)
        lengths: NDArray[np.int64] = self.indptr[rows + 1] - self.indptr[rows]
        return lengths

    def expanded(self, classes: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the ancestors of these classes one after the other, and whose each is.

        The first array holds, for every ancestor in the second, a position in ``classes``.
        """
        ptr, indices = self.gathered(classes)
        return row_numbers(ptr), indices

    def gathered(
        self, classes: NDArray[np.integer]
    ) -> tuple[NDArray[np.integer], NDArray[np.int32]]:
        """Return the ancestors of these classes one after the other, with where each begins."""
        rows = self.rows(classes)
        if len(rows) > FEW_ROWS:  # gathering rows of a matrix is faster, once there are many
            matrix = self.pattern[rows]
            return matrix.indptr, matrix.indices
        first = self.indptr[rows]
        ptr = offsets(self.indptr[rows + 1] - first)
        return ptr, self.indices[ragged_ranges(first, np.diff(ptr))]

    def find(
        self, classes: NDArray[np.integer], ancestors: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Return the position of each (class, ancestor) in ``indices``, -1 where there is none."""
        rows = self.rows(classes)
        low, high = self.indptr[rows], self.indptr[rows + 1]
        for _ in range(self.longest_row.bit_length()):  # all rows are bisected in step
            middle = (low + high) >> 1
            right = self.indices[np.minimum(middle, len(self.indices) - 1)] < ancestors
            right &= middle < high
            low = np.where(right, middle + 1, low)
            high = np.where(right, high, middle)
        low = np.minimum(low, len(self.indices) - 1)
        hit = (self.indices[low] == ancestors) & (low < self.indptr[rows + 1])
        return np.where(hit, low, -1)

    @cached_property
    def longest_row(self) -> int:
        """The largest number of ancestors of one class."""
        return int(np.diff(self.indptr).max(initial=0))

    @cached_property
    def highest(self) -> float:
        """The largest upward distance."""
        return float(self.up.max()) if len(self.up) else 0.0

    @cached_property
    def pattern(self) -> scipy.sparse.csr_array:
        """The rows as a matrix whose data mean nothing: gathering its rows is fast."""
        return self.with_data(np.ones(len(self.indices), dtype=np.int8))

    def with_data(self, data: NDArray[np.generic]) -> scipy.sparse.csr_array:
        """Return a CSR matrix on this pattern, sharing the index arrays."""
        shape = (len(self.indptr) - 1, self.n_columns)
        small = len(self.indices) < SHORT_INDEX
        indptr = self.indptr.astype(np.int32) if small else self.indptr
        matrix = scipy.sparse.csr_array((data, self.indices, indptr), shape=shape)
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix


def ancestor_closure(
    hierarchy: ClassGraph,
    classes: NDArray[np.integer] | None = None,
    *,
    weighted: bool = False,
    threshold: int | None = None,
) -> Closure:
    """Return the ancestor closure, whole or for the classes in use.

    Parameters
    ----------
    hierarchy
        The classes.
    classes
        Class numbers in use. The whole closure is built, once, unless it would have more than
        about 50 million entries; then only the rows of these classes.
    weighted
        Upward distances add edge weights instead of counting edges.
    threshold
        Longest distance allowed between two classes, an even number ≥ 2: ancestors more than
        ``threshold / 2 - 1`` edges up are replaced by one artificial class (Kosmopoulos et al.
        2014, §3.5); see :func:`cut_closure`.

    Raises
    ------
    BadInput
        For a threshold that is not an even number ≥ 2, or combined with weights.
    """
    hops = None if threshold is None else _hops(threshold)
    if hops is not None and weighted:
        raise BadInput("a path threshold counts edges; it cannot be used with edge weights")
    key, whole = ("closure", weighted, threshold), ("closure", weighted, None)
    if key in hierarchy.cache:
        kept: Closure = hierarchy.cache[key]
        return kept
    if whole in hierarchy.cache or classes is None or _estimate(hierarchy) <= WHOLE_LIMIT:
        closure = hierarchy.cached(whole, lambda: _whole(hierarchy, weighted))
        if hops is not None:
            closure = cut_closure(closure, hops, hierarchy.root_indices)
        hierarchy.cache[key] = closure
        return closure
    used = sorted_unique(np.array(classes, dtype=np.int64))
    latest = ("latest", weighted, threshold)  # a batch asks for the same rows several times
    if latest in hierarchy.cache and hierarchy.cache[latest].holds(used):
        same: Closure = hierarchy.cache[latest]
        return same
    if weighted and len(used):
        closure = _whole_above(hierarchy, used)
    else:
        closure = _walked(hierarchy, used, hierarchy.parent_ptr, hierarchy.parents, hops)
    if hops is not None:
        closure = cut_closure(closure, hops, hierarchy.root_indices)
    hierarchy.cache[latest] = closure
    return closure


def descendant_closure(
    hierarchy: ClassGraph, classes: NDArray[np.integer] | None = None
) -> Closure:
    """Return the descendants of every class, or of the classes in use, each being its own."""
    kept = classes is None or "descendants" in hierarchy.cache
    if not kept and _estimate(hierarchy) > WHOLE_LIMIT:
        used = sorted_unique(np.array(classes, dtype=np.int64))
        return _walked(hierarchy, used, hierarchy.child_ptr, hierarchy.children)

    def turned() -> Closure:
        whole = ancestor_closure(hierarchy)
        matrix = whole.with_data(whole.up).T.tocsr()
        pointer = matrix.indptr.astype(np.int64)
        return Closure(pointer, matrix.indices, matrix.data, len(hierarchy))

    return hierarchy.cached("descendants", turned)


def cut_closure(closure: Closure, hops: int, roots: NDArray[np.integer]) -> Closure:
    """Keep ancestors at most ``hops`` edges up and put one artificial class above them.

    The artificial class is the parent of every ancestor exactly ``hops`` edges up and of every
    parentless class reached earlier, so two classes are never further apart than
    ``2 * (hops + 1)``. Its column is the last one.
    """
    n_rows = len(closure.indptr) - 1
    row = row_numbers(closure.indptr)
    up = closure.up.astype(np.int64)
    is_root = np.zeros(closure.n_columns, dtype=bool)
    is_root[roots] = True
    kept = up <= hops
    below = kept & ((up == hops) | is_root[closure.indices])
    artificial = np.full(n_rows, hops + 1, dtype=np.int64)
    np.minimum.at(artificial, row[below], up[below] + 1)
    lengths = np.bincount(row[kept], minlength=n_rows) + 1
    indptr = offsets(lengths)
    indices = np.empty(indptr[-1], dtype=np.int32)
    distance = np.empty(indptr[-1], dtype=closure.up.dtype)
    last = indptr[1:] - 1
    inner = np.ones(indptr[-1], dtype=bool)
    inner[last] = False
    indices[inner], distance[inner] = closure.indices[kept], up[kept]
    indices[last], distance[last] = closure.n_columns, artificial
    return Closure(indptr, indices, distance, closure.n_columns + 1, closure.row_of)


def _hops(threshold: Any) -> int:
    whole = isinstance(threshold, int) and not isinstance(threshold, bool)
    if not whole or threshold < 2 or threshold % 2:
        raise BadInput(f"threshold must be an even whole number ≥ 2, got {threshold!r}")
    return int(threshold) // 2 - 1


def _whole(hierarchy: ClassGraph, weighted: bool) -> Closure:
    shallow = int(hierarchy.levels[-1]) < BYTE_DEPTH
    up_type = np.dtype(np.float64 if weighted else np.uint8 if shallow else np.uint32)
    return Closure(*rows_of_all(hierarchy, up_type, weighted), len(hierarchy))


def _walked(
    hierarchy: ClassGraph,
    used: NDArray[np.int64],
    ptr: NDArray[np.int64],
    next_to: NDArray[np.int32],
    hops: int | None = None,
) -> Closure:
    """Return the rows of these classes along one kind of edge."""
    pointer, classes, up = walk(ptr, next_to, used, int(hierarchy.levels[-1]), hops)
    if int(up.max(initial=0)) < BYTE_DEPTH:
        up = up.astype(np.uint8)
    return Closure(pointer, classes, up, len(hierarchy), _row_of(used, len(hierarchy)))


def _whole_above(hierarchy: ClassGraph, used: NDArray[np.int64]) -> Closure:
    """Return the weighted rows of these classes, built on them and their ancestors alone."""
    needed = np.zeros(len(hierarchy), dtype=bool)
    front = used
    while len(front):
        needed[front] = True
        count = hierarchy.parent_ptr[front + 1] - hierarchy.parent_ptr[front]
        above = hierarchy.parents[ragged_ranges(hierarchy.parent_ptr[front], count)]
        front = np.unique(above[~needed[above]]).astype(np.int64)
    kept = np.flatnonzero(needed)  # still in the order of levels
    number = np.cumsum(needed) - 1
    edges = needed[row_numbers(hierarchy.parent_ptr)]
    upper = ClassGraph(
        parent_ptr=offsets(np.diff(hierarchy.parent_ptr)[kept]),
        parents=number[hierarchy.parents[edges]].astype(np.int32),
        child_ptr=np.zeros(len(kept) + 1, dtype=np.int64),
        children=np.empty(0, dtype=np.int32),
        levels=hierarchy.levels[kept],
        weights=None if hierarchy.weights is None else hierarchy.weights[edges],
    )
    if _estimate(upper) > MOST_REACHED:
        raise SolverLimit(
            f"weighted distances need the ancestors of all {len(kept):,} classes at or above the "
            f"labels, about {_estimate(upper):,.0f}, too many to be held ({MOST_REACHED:,}); "
            "count edges instead (cost=hops)"
        )
    whole = _whole(upper, weighted=True)
    rows = number[used]
    length = whole.lengths(rows)
    take = ragged_ranges(whole.indptr[rows], length)
    row_of = _row_of(used, len(hierarchy))
    ids = kept[whole.indices[take]].astype(np.int32)
    return Closure(offsets(length), ids, whole.up[take], len(hierarchy), row_of)


def _row_of(used: NDArray[np.int64], n: int) -> NDArray[np.int32]:
    """Return the row of every class, -1 where it has none."""
    row_of = np.full(n, -1, dtype=np.int32)
    row_of[used] = np.arange(len(used))
    return row_of


def mean_ancestors(hierarchy: ClassGraph) -> float | None:
    """Return the mean number of ancestors where the closure is too large to be built whole."""
    return None if _estimate(hierarchy) <= WHOLE_LIMIT else _estimate(hierarchy) / len(hierarchy)


def _estimate(hierarchy: ClassGraph) -> float:
    """Estimate the entries of the whole closure.

    In a forest it is exact. Otherwise, counting the ways up instead of the ancestors bounds it
    from above; only where that bound is too large, rows of evenly spread classes are counted.
    """

    def size() -> float:
        if int(np.diff(hierarchy.parent_ptr).max(initial=0)) <= 1:
            return float(hierarchy.levels.sum(dtype=np.int64)) + len(hierarchy)
        return _estimate_of_dag(hierarchy)

    return hierarchy.cached("closure size", size)


def _estimate_of_dag(hierarchy: ClassGraph) -> float:
    ways = np.ones(len(hierarchy))
    for lo, hi in hierarchy.level_ranges()[1:]:
        first, last = hierarchy.parent_ptr[lo], hierarchy.parent_ptr[hi]
        above = ways[hierarchy.parents[first:last]]
        ways[lo:hi] += np.add.reduceat(above, hierarchy.parent_ptr[lo:hi] - first)
        np.minimum(ways[lo:hi], len(hierarchy), out=ways[lo:hi])
    size = float(ways.sum())
    if size > WHOLE_LIMIT:
        sample = np.unique(np.linspace(0, len(hierarchy) - 1, SAMPLED_CLASSES).astype(np.int64))
        depth = int(hierarchy.levels[-1])
        n_reached = sum(  # few at a time: they need not be held together
            len(walk(hierarchy.parent_ptr, hierarchy.parents, some, depth)[1])
            for some in np.array_split(sample, 20)
        )
        size = len(hierarchy) * n_reached / len(sample)
    return size
