"""Ancestors with upward distances as CSR arrays, whole or for the classes in use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.hierarchy.arrays import (
    Bools,
    Ints,
    offsets,
    ragged_ranges,
    row_numbers,
    sorted_unique,
)
from hierpair.hierarchy.class_graph import ClassGraph

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

MOST_HELD = 300_000_000
"""Ancestors of all classes that are held at a time, five to twelve bytes each,"""

MOST_BUILT = 3_000_000_000
"""and those that are looked at for the classes in use, on their way."""


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
    SolverLimit
        Where the classes have more than 300 million ancestors, or where more than 3 billion would
        be looked at on the way to them.
    """
    hops = None if threshold is None else _hops(threshold)
    if hops is not None and weighted:
        raise BadInput("a path threshold counts edges; it cannot be used with edge weights")
    key, whole = ("closure", weighted, threshold), ("closure", weighted, None)
    if key in hierarchy.cache:
        kept: Closure = hierarchy.cache[key]
        return kept
    if whole in hierarchy.cache or classes is None or _estimate(hierarchy) <= WHOLE_LIMIT:
        closure = hierarchy.cached(
            whole, lambda: Closure(*_rows(hierarchy, weighted=weighted), len(hierarchy))
        )
    else:
        used = sorted_unique(np.array(classes, dtype=np.int64))
        key = ("latest", weighted, threshold)  # a batch asks for the same rows several times
        if key in hierarchy.cache and hierarchy.cache[key].holds(used):
            same: Closure = hierarchy.cache[key]
            return same
        closure = _of_used(hierarchy, used, weighted=weighted)
    if hops is not None:
        closure = cut_closure(closure, hops, hierarchy.root_indices)
    hierarchy.cache[key] = closure
    return closure


def descendant_closure(
    hierarchy: ClassGraph, classes: NDArray[np.integer] | None = None
) -> Closure:
    """Return the descendants of every class, or of the classes in use, each being its own."""
    kept = classes is None or "descendants" in hierarchy.cache
    if not kept and _estimate(hierarchy) > WHOLE_LIMIT:
        used = sorted_unique(np.array(classes, dtype=np.int64))
        return _of_used(hierarchy, used, upwards=False)

    def turned() -> Closure:
        whole = ancestor_closure(hierarchy)
        return Closure(*_turned(whole.indptr, whole.indices, whole.up), len(hierarchy))

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


Rows = tuple[Ints, NDArray[np.int32], NDArray[Any]]
"""Pointer, ancestors and upward distances of rows, each ascending."""


def _of_used(
    hierarchy: ClassGraph, used: Ints, *, upwards: bool = True, weighted: bool = False
) -> Closure:
    """Return the rows of these classes, built on them and what is above (or below) them alone."""
    n = len(hierarchy)
    row_of = np.full(n, -1, dtype=np.int32)
    row_of[used] = np.arange(len(used))
    there = hierarchy.reaches(used, upwards=upwards) | (row_of >= 0)
    classes = np.flatnonzero(there)
    part, asked = _part(hierarchy, there), row_of[classes] >= 0
    least = int(part.levels.sum(dtype=np.int64))
    if least > MOST_BUILT:
        raise SolverLimit(
            f"{len(classes):,} classes at or {'above' if upwards else 'below'} the labels have at "
            f"least {least:,} ancestors, too many to be looked at ({MOST_BUILT:,}): the hierarchy "
            f"has {int(part.levels.max()):,} levels; cut it, or leave out levels that have no "
            "choice"
        )
    if upwards:
        pointer, found, up = _rows(part, weighted=weighted, wanted=asked)
    else:
        pointer, found, up = _turned(*_rows(part, columns=asked))
        pointer = pointer[np.append(asked, True)]  # the rows of others are empty
    return Closure(pointer, classes[found].astype(np.int32), up, n, row_of)


def _part(hierarchy: ClassGraph, there: Bools) -> ClassGraph:
    """Return some classes, in their order, and the edges between them, downwards ones left out."""
    parents, child = hierarchy.parents, row_numbers(hierarchy.parent_ptr)
    edges = there[parents] & there[child]
    number = np.cumsum(there) - 1
    return ClassGraph(
        parent_ptr=offsets(np.bincount(child[edges], minlength=len(there))[there]),
        parents=number[parents[edges]].astype(np.int32),
        child_ptr=np.empty(0, dtype=np.int64),
        children=np.empty(0, dtype=np.int32),
        levels=hierarchy.levels[there],
        weights=None if hierarchy.weights is None else hierarchy.weights[edges],
    )


def _turned(pointer: Ints, ancestors: NDArray[np.int32], up: NDArray[Any]) -> Rows:
    """Return for every class whose ancestor it is, from a row for every class."""
    n = len(pointer) - 1
    if n == 0:
        return pointer, ancestors, up
    matrix = Closure(pointer, ancestors, up, n).with_data(up).T.tocsr()
    return matrix.indptr.astype(np.int64), matrix.indices, matrix.data


def _rows(
    graph: ClassGraph,
    *,
    weighted: bool = False,
    columns: Bools | None = None,
    wanted: Bools | None = None,
) -> Rows:
    """Build level by level: the row of a class is the union of its parents' rows and itself.

    Parameters
    ----------
    graph
        The classes.
    weighted
        Whether upward distances add edge weights instead of counting edges.
    columns
        Whether each class is listed as an ancestor; by default all are.
    wanted
        Whether each class gets a row; by default all do. Rows of others are forgotten as soon as
        no child needs them.
    """
    n, depth = len(graph), int(graph.levels.max(initial=0))
    up_type = np.dtype(np.float64 if weighted else np.uint8 if depth < BYTE_DEPTH else np.uint32)
    edge = graph.weights if weighted else None
    if weighted and edge is None:
        edge = np.ones(len(graph.parents))
    listed = np.ones(n, dtype=bool) if columns is None else columns
    held = _Held(graph, up_type, wanted)
    for lo, hi in graph.level_ranges():
        n_parents = np.diff(graph.parent_ptr[lo : hi + 1])
        several = n_parents > 1  # these come last, unless parents are left out
        first = lo + int(several.argmax()) if several.any() else hi
        for a, b in ((lo, first), (first, hi)):
            if a == b:
                continue
            span = slice(int(graph.parent_ptr[a]), int(graph.parent_ptr[b]))
            counts = n_parents[a - lo : b - lo]
            size, ids, up = held.rows(graph.parents[span])
            up += np.array(1, up_type) if edge is None else np.repeat(edge[span], size)
            if b == first:
                alone = np.zeros(b - a, dtype=np.int64)
                alone[counts > 0] = size
                size = alone
            else:
                owner = np.repeat(np.repeat(np.arange(b - a), counts), size)
                size, ids, up = _merged(owner, ids, up, b - a, n, depth)
            held.add(a, size, ids, up, listed[a:b])
    if wanted is None:
        return offsets(held.length), held.indices[: held.end].copy(), held.up[: held.end].copy()
    size, ids, up = held.rows(np.flatnonzero(wanted))
    return offsets(size), ids, up


def _merged(
    owner: Ints, ids: NDArray[np.int32], up: NDArray[Any], n_rows: int, n: int, depth: int
) -> Rows:
    """Merge what several parents have, keeping the shortest distance to each ancestor."""
    pair = owner * n
    pair += ids
    if up.dtype.kind == "u":  # the smallest of packed numbers: far faster than by two keys
        steps = depth.bit_length()
        pair <<= steps
        pair |= up.astype(np.int64)
        pair.sort()
        up = (pair & ((1 << steps) - 1)).astype(up.dtype)
        pair >>= steps
    else:
        order = np.lexsort((up, pair))
        pair, up = pair[order], up[order]
    first = np.ones(len(pair), dtype=bool)
    np.not_equal(pair[1:], pair[:-1], out=first[1:])
    row, found = np.divmod(pair[first], n)
    return np.bincount(row, minlength=n_rows), found.astype(np.int32), up[first]


class _Held:
    """Rows one after the other, those that nobody needs any longer forgotten when room is short."""

    def __init__(self, graph: ClassGraph, up_type: np.dtype[Any], wanted: Bools | None) -> None:
        n = len(graph)
        self.start, self.length = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.indices, self.up = np.empty(4 * n, dtype=np.int32), np.empty(4 * n, dtype=up_type)
        self.end = 0
        self.last_needed: Ints | None = None
        if wanted is not None:
            self.last_needed = np.where(wanted, n, -1)
            child = row_numbers(graph.parent_ptr)  # ascending, so the last one stays
            self.last_needed[graph.parents] = np.maximum(child, self.last_needed[graph.parents])

    def rows(self, classes: NDArray[np.integer]) -> Rows:
        """Return lengths, ancestors and distances of the rows of these classes."""
        size = self.length[classes]
        take = ragged_ranges(self.start[classes], size)
        return size, self.indices[take], self.up[take]

    def add(
        self, a: int, size: Ints, ids: NDArray[np.int32], up: NDArray[Any], listed: Bools
    ) -> None:
        """Add the rows of the classes from ``a`` on, where listed with themselves at the end."""
        length = size + listed
        n_new = int(length.sum())
        if self.end + n_new > len(self.indices):
            self._make_room(a, n_new)
        end = self.end + np.cumsum(length)
        of = slice(a, a + len(length))
        self.length[of], self.start[of] = length, end - length
        new, last = slice(self.end, self.end + n_new), end[listed] - 1
        inner = np.ones(n_new, dtype=bool)
        inner[last - self.end] = False
        self.indices[new][inner], self.up[new][inner] = ids, up
        self.indices[last], self.up[last] = np.flatnonzero(listed) + a, 0
        self.end += n_new

    def _make_room(self, a: int, n_new: int) -> None:
        """Forget the rows that no class from ``a`` on needs, and make room for more."""
        indices, up = self.indices[: self.end], self.up[: self.end]
        if self.last_needed is not None:
            alive = np.flatnonzero(self.last_needed[:a] >= a)
            size, indices, up = self.rows(alive)
            self.start[alive] = offsets(size)[:-1]
            self.end = len(indices)
        if self.end + n_new > MOST_HELD:
            raise SolverLimit(
                f"the ancestors or descendants of {len(self.start):,} classes, of which {a:,} have "
                f"{self.end:,}, are too many to be held ({MOST_HELD:,}); score fewer instances at "
                "a time (chunk), or with fewer labels each"
            )
        room = max(len(self.indices), 2 * (self.end + n_new))
        self.indices, self.up = np.empty(room, np.int32), np.empty(room, up.dtype)
        self.indices[: self.end], self.up[: self.end] = indices, up


def mean_ancestors(hierarchy: ClassGraph) -> float | None:
    """Return the mean number of ancestors where the closure is too large to be built whole."""
    return None if _estimate(hierarchy) <= WHOLE_LIMIT else _estimate(hierarchy) / len(hierarchy)


def _estimate(hierarchy: ClassGraph) -> float:
    """Estimate the entries of the whole closure: exactly in a forest, elsewhere by a sample.

    Where all pairs of classes would be few enough, their number will do.
    """
    n = len(hierarchy)

    def size() -> float:
        if int(np.diff(hierarchy.parent_ptr).max(initial=0)) <= 1:
            return float(hierarchy.levels.sum(dtype=np.int64)) + n
        if n * n <= WHOLE_LIMIT:
            return n * n
        sample = np.unique(np.linspace(0, n - 1, SAMPLED_CLASSES).astype(np.int64))
        return n * len(_of_used(hierarchy, sample).indices) / len(sample)

    return hierarchy.cached("closure size", size)
