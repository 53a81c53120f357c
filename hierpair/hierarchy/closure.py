"""Numbered classes, their ancestors with upward distances, and what pairs of classes share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit, shown
from hierpair.hierarchy.arrays import (
    Floats,
    Indices,
    Ints,
    Shorts,
    blocks,
    by_row,
    marked,
    offsets,
    pieces,
    ragged_ranges,
    row_numbers,
    row_sums,
    sorted_unique,
    sparse_rows,
    starts_of_ties,
    taken,
)

Cached = TypeVar("Cached")

Graph = TypeVar("Graph", bound="ClassGraph")
Values = ParamSpec("Values")

MOST_KEPT = 64
"""Things that are computed once and kept, such as depth weights with different ``w0``; each may be
as long as the classes are many."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClassGraph:
    """Classes as numbers, parents first, and their edges: the fields of :class:`Hierarchy`."""

    parent_ptr: Ints
    parents: Shorts
    child_ptr: Ints
    children: Shorts
    levels: Shorts
    weights: Floats | None = None
    names: tuple[Hashable, ...] = ()
    aliases: Mapping[Hashable, Hashable] = field(default_factory=dict)
    titles: Mapping[Hashable, str] = field(default_factory=dict)
    ranks: Mapping[Hashable, str] = field(default_factory=dict)
    called: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    of_interest: NDArray[np.bool_] | None = None
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

    def cached(self, key: Any, compute: Callable[[], Cached]) -> Cached:
        """Return what was computed under this key, or compute and keep it; too many are left."""
        if key not in self.cache:
            if len(self.cache) >= MOST_KEPT:
                self.cache.clear()
            self.cache[key] = compute()
        found: Cached = self.cache[key]
        return found

    @property
    def shape(self) -> str:
        """``"tree"``, ``"forest"`` or ``"DAG"``."""
        several = (self.n_parents > 1).any()
        return "DAG" if several else "tree" if self.has_one_root else "forest"

    @property
    def n_parents(self) -> Ints:
        """How many parents each class has."""
        return np.diff(self.parent_ptr)

    @property
    def n_children(self) -> Ints:
        """How many children each class has."""
        return np.diff(self.child_ptr)

    def parents_of(self, classes: Indices) -> tuple[Ints, Shorts]:
        """Return the parents of classes one after the other, with a row pointer; -1 has none."""
        pointer, edges = taken(self.parent_ptr, classes)
        return pointer, self.parents[edges]

    def children_of(self, classes: Indices) -> tuple[Ints, Shorts]:
        """Return the children of classes one after the other, with a row pointer."""
        pointer, edges = taken(self.child_ptr, classes)
        return pointer, self.children[edges]

    @cached_property
    def root_indices(self) -> Ints:
        """The numbers of the parentless classes."""
        return np.flatnonzero(self.n_parents == 0)

    @property
    def has_one_root(self) -> bool:
        """Whether a single class is above all others."""
        return len(self.root_indices) == 1

    @property
    def leaf_indices(self) -> Ints:
        """The numbers of the classes without children."""
        return np.flatnonzero(self.is_leaf)

    @property
    def n_levels(self) -> int:
        """How many levels there are."""
        return int(self.levels[-1]) + 1

    def need_one_parent(self, why: str, instead: str) -> None:
        """Refuse a DAG in which a class has several parents."""
        for c in np.flatnonzero(self.n_parents > 1)[:1]:
            n = self.n_parents[c]
            raise BadInput(f"{why}: {shown(self.names[c])} has {n} parents; {instead}")

    @cached_property
    def parent(self) -> Ints:
        """The (first) parent of every class, -1 for none."""
        first = np.append(self.parents, -1)[self.parent_ptr[:-1]].astype(np.int64)
        return np.where(self.n_parents > 0, first, -1)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each class has no children."""
        return np.equal(self.n_children, 0)

    @cached_property
    def depths(self) -> Shorts:
        """Fewest edges from a parentless class, shape ``(n_classes,)``."""
        return least_ways(self, np.ones(len(self.parents))).astype(np.int32)

    @cached_property
    def heights(self) -> Shorts:
        """Longest way down to a class without children, in edges, shape ``(n_classes,)``."""
        heights = np.zeros(len(self), dtype=np.int32)
        for lo, hi in self.level_ranges()[::-1]:  # what is below a level is finished before it
            pointer, edges = taken(self.child_ptr, slice(lo, hi))
            heights[lo:hi] = by_row(np.maximum, heights[self.children[edges]] + 1, pointer, 0)
        return heights

    def level_ranges(self) -> list[tuple[int, int]]:
        """Return the first and the past-the-last class number of every level."""
        return blocks((self.levels, 1))

    def downwards(self) -> Iterator[tuple[int, int, Ints, Shorts]]:
        """Yield the bounds of every level but the top, where parents of each begin, and these."""
        for lo, hi in self.level_ranges()[1:]:
            pointer, edges = taken(self.parent_ptr, slice(lo, hi))
            yield lo, hi, pointer[:-1], self.parents[edges]

    def ancestor_numbers(self, number: int) -> Ints:
        """Return the numbers of the proper ancestors of one class, ascending."""
        return _reached(self.parent_ptr, self.parents, np.array([number]))

    def descendant_numbers(self, number: int) -> Ints:
        """Return the numbers of the proper descendants of one class, ascending."""
        return _reached(self.child_ptr, self.children, np.array([number]))


def remembered(
    compute: Callable[Concatenate[Graph, Values], Cached],
) -> Callable[Concatenate[Graph, Values], Cached]:
    """Let a hierarchy keep what a function returns of it and of other values."""

    @wraps(compute)
    def found(graph: Graph, /, *values: Values.args, **named: Values.kwargs) -> Cached:
        key = compute, values, *named.items()
        return graph.cached(key, lambda: compute(graph, *values, **named))

    return found


def least_ways(hierarchy: ClassGraph, lengths: Floats) -> Floats:
    """Return the length of the shortest way from every class up to a parentless one.

    ``lengths`` are those of the edges, in the order of ``parents``.
    """
    found = np.zeros(len(hierarchy))
    for lo, hi, starts, parents in hierarchy.downwards():
        edges = slice(hierarchy.parent_ptr[lo], hierarchy.parent_ptr[hi])
        found[lo:hi] = np.minimum.reduceat(lengths[edges] + found[parents], starts)
    return found


def _reached(pointer: Ints, next_to: Shorts, front: Indices) -> Ints:
    """Return what is next to some classes, to these, and so on, ascending."""
    found = np.zeros(len(pointer) - 1, dtype=bool)
    while len(front):
        near = next_to[taken(pointer, front)[1]]
        front = sorted_unique(near[~found[near]])
        found[front] = True
    return np.flatnonzero(found)


WHOLE_LIMIT = 50_000_000
"""A whole closure with more entries than this is built only for the classes in use."""

BYTE_DEPTH = 255
"""In a hierarchy with fewer levels upward distances are kept in a byte each."""

FEW_ROWS = 300
"""Rows that are gathered without a matrix, and without the time that it takes to load those."""

SAMPLED_CLASSES = 200
"""Classes whose ancestors are counted where the size of the closure has to be estimated."""

MOST_HELD = 300_000_000
"""Ancestors of all classes that are held at a time, five to twelve bytes each."""


@dataclass(frozen=True, eq=False)
class Closure:
    """The ancestors of classes, each class being its own, with upward distances.

    Row ``c`` of the CSR arrays ``indptr`` and ``indices`` lists the ancestors of class ``c`` in
    ascending order, and is empty for a class that was not asked for; ``up`` is the upward distance
    of each: hops (an integer type) or path weights (float64). There are ``n_columns`` classes, with
    one more for the artificial class of a path threshold.
    """

    indptr: Ints
    indices: Shorts
    up: NDArray[Any]
    n_columns: int

    @cached_property
    def n_rows(self) -> int:
        """How many classes have a row."""
        return int(np.count_nonzero(np.diff(self.indptr)))

    def holds(self, classes: Indices) -> bool:
        """Whether all of these classes have a row."""
        whole = self.n_rows == len(self.indptr) - 1
        return whole or bool((self.indptr[classes + 1] > self.indptr[classes]).all())

    def need(self, classes: Indices) -> None:
        """Raise ``LookupError`` for a class without a row."""
        if not self.holds(classes):
            raise LookupError("this closure was built without some of these classes")

    def lengths(self, classes: Indices) -> Ints:
        """Return the number of ancestors (itself included) of these classes."""
        self.need(classes)
        return self.indptr[classes + 1] - self.indptr[classes]

    def expanded(self, classes: Indices) -> tuple[Ints, Shorts]:
        """Return the ancestors of these classes one after the other, and whose each is.

        The first array holds, for every ancestor in the second, a position in ``classes``.
        """
        ptr, indices = self.gathered(classes)
        return row_numbers(ptr), indices

    def gathered(self, classes: Indices) -> tuple[Indices, Shorts]:
        """Return the ancestors of these classes one after the other, with where each begins."""
        self.need(classes)
        if len(classes) > FEW_ROWS:  # gathering rows of a matrix is faster, once there are many
            matrix = self.pattern[classes]
            return matrix.indptr, matrix.indices
        ptr, at = taken(self.indptr, classes)
        return ptr, self.indices[at]

    def find(self, classes: Indices, ancestors: Indices) -> Ints:
        """Return the position of each (class, ancestor) in ``indices``, -1 where there is none."""
        self.need(classes)
        at = self.indptr[classes].astype(np.int64)
        left = self.indptr[classes + 1] - at  # where it may still be: every row is halved at once
        for _ in range(int(left.max(initial=1) - 1).bit_length()):
            half = left >> 1
            at += half * (self.indices[at + half] <= ancestors)
            left -= half
        return np.where(self.indices[at] == ancestors, at, -1)

    @cached_property
    def pattern(self) -> scipy.sparse.csr_array:
        """The rows as a matrix whose data mean nothing: gathering its rows is fast."""
        return self.with_data(np.ones(len(self.indices), dtype=np.int8))

    @cached_property
    def sums(self) -> scipy.sparse.csr_array:
        """1 + i·up: the imaginary parts of products of two rows add up distances."""
        return self.with_data(1 + 1j * self.up)

    @cached_property
    def powers(self) -> scipy.sparse.csr_array | None:
        """The powers ``2**-up``, whose products add up distances in hops; None without room."""
        highest = int(self.up.max(initial=0))
        if self.up.dtype.kind != "u" or 2 * highest >= EXPONENT_ROOM:
            return None
        return self.with_data(np.ldexp(np.float32(1), -np.arange(highest + 1))[self.up])

    def with_data(self, data: NDArray[np.generic]) -> scipy.sparse.csr_array:
        """Return a CSR matrix on this pattern, sharing the index arrays."""
        indptr = self.indptr.astype(np.int32)  # or else the indices are copied as long ones
        matrix: scipy.sparse.csr_array = sparse_rows(indptr, self.indices, self.n_columns, data)
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix


def ancestor_closure(
    hierarchy: ClassGraph, classes: Indices | None = None, *, weighted: bool = False,
    threshold: int | None = None,
) -> Closure:  # fmt: skip
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
        2014, §3.5); see :func:`cut_closure`. Not with weights.

    Raises
    ------
    SolverLimit
        Where the classes, with those above them, have more than 300 million ancestors.
    """
    if threshold is not None:
        if not isinstance(threshold, int) or threshold < 2 or threshold % 2:
            raise BadInput(f"threshold must be an even whole number ≥ 2, got {threshold!r}")
        if weighted:
            raise BadInput("a path threshold counts edges; it cannot be used with edge weights")

    def cut(closure: Closure) -> Closure:
        roots = hierarchy.root_indices
        return closure if threshold is None else cut_closure(closure, threshold // 2 - 1, roots)

    whole_key = "closure", weighted, None
    if classes is None or whole_key in hierarchy.cache or _estimate(hierarchy) <= WHOLE_LIMIT:
        whole = hierarchy.cached(whole_key, lambda: _whole(hierarchy, weighted))
        return hierarchy.cached(("closure", weighted, threshold), lambda: cut(whole))
    used = sorted_unique(np.array(classes, dtype=np.int64))
    key = ("latest", weighted, threshold)  # a batch asks for the same rows several times
    kept: Closure | None = hierarchy.cache.get(key)
    if kept is None or not kept.holds(used):
        hierarchy.cache[key] = kept = cut(_of_used(hierarchy, used, weighted))
    return kept


def ancestors_of(hierarchy: ClassGraph, classes: Indices) -> tuple[Ints, Shorts]:
    """Return the ancestors of classes one after the other, and whose each is: a position."""
    return ancestor_closure(hierarchy, classes).expanded(classes)


@remembered
def descendant_closure(hierarchy: ClassGraph) -> Closure:
    """Return the descendants of every class, each being its own, with upward distances."""
    whole = ancestor_closure(hierarchy)
    matrix = whole.with_data(whole.up).T.tocsr()
    return Closure(matrix.indptr, matrix.indices, matrix.data, whole.n_columns)


def cut_closure(closure: Closure, hops: int, roots: Indices) -> Closure:
    """Keep ancestors at most ``hops`` edges up and put one artificial class above them.

    The artificial class is the parent of every ancestor exactly ``hops`` edges up and of every
    parentless class reached earlier, so two classes are never further apart than
    ``2 * (hops + 1)``. Its column is the last one.
    """
    filled, up = np.flatnonzero(np.diff(closure.indptr)), closure.up.astype(np.int64)
    kept = up <= hops
    below = kept & ((up == hops) | marked(roots, closure.n_columns)[closure.indices])
    artificial = np.minimum.reduceat(np.where(below, up + 1, hops + 1), closure.indptr[filled])
    lengths = row_sums(kept, closure.indptr)
    ends = np.cumsum(lengths)[filled]
    indices = np.insert(closure.indices[kept], ends, closure.n_columns)
    distance = np.insert(closure.up[kept], ends, artificial)
    lengths[filled] += 1
    return Closure(offsets(lengths), indices, distance, closure.n_columns + 1)


def _of_used(hierarchy: ClassGraph, used: Ints, weighted: bool) -> Closure:
    """Return the rows of these classes and of what is above them alone."""
    above = _reached(hierarchy.parent_ptr, hierarchy.parents, used)
    return _whole(hierarchy, weighted, np.union1d(above, used))


def _whole(graph: ClassGraph, weighted: bool, classes: Ints | None = None) -> Closure:
    """Build level by level: a row is the union of the parents' rows and itself; of all or some."""
    n = len(graph)
    classes = np.arange(n) if classes is None else classes
    levels, is_dag = graph.levels[classes], graph.shape == "DAG"
    is_deep = levels.max(initial=0) >= BYTE_DEPTH
    up_type = np.dtype(np.float64 if weighted else np.uint32 if is_deep else np.uint8)
    edge = np.ones(len(graph.parents), up_type)
    if weighted and graph.weights is not None:
        edge = graph.weights
    length, end = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    size = 4 * len(classes)
    held, ups, last = np.empty(size, dtype=np.int32), np.empty(size, dtype=up_type), 0
    for a, b in blocks((levels, 1)):
        some = classes[a:b]
        owner, span = taken(graph.parent_ptr, some)
        parents = graph.parents[span]
        sizes = length[parents]
        take = ragged_ranges(end[parents] - sizes, sizes)
        ids, up = held[take], ups[take] + np.repeat(edge[span], sizes)
        owner = np.repeat(row_numbers(owner), sizes)
        if is_dag:
            owner, ids, up = _merged(owner, ids, up, n)
        counts = np.bincount(owner, minlength=b - a)
        ends = np.cumsum(counts)
        length[some], end[some] = counts + 1, last + ends + np.arange(1, b - a + 1)
        new = slice(last, last + len(ids) + b - a)
        last = new.stop
        if last > len(held):
            if last > MOST_HELD:
                raise SolverLimit(
                    f"the ancestors of {len(classes):,} classes are too many to be held "
                    f"({MOST_HELD:,}); score fewer instances at a time (chunk), or with fewer "
                    "labels each, or cut levels of the hierarchy that have no choice"
                )
            held = np.append(held, np.empty(last, np.int32))
            ups = np.append(ups, np.empty(last, up_type))
        held[new], ups[new] = np.insert(ids, ends, some), np.insert(up, ends, 0)
    return Closure(offsets(length), held[:last].copy(), ups[:last].copy(), n)


def _merged(
    owner: Ints, ids: Shorts, up: NDArray[Any], n: int
) -> tuple[Ints, Shorts, NDArray[Any]]:
    """Merge what several parents have, keeping the shortest distance to each ancestor."""
    pair = owner * n + ids
    order = np.argsort(pair, kind="stable")  # fast where long parts are sorted already
    pair = pair[order]
    first = starts_of_ties(pair)
    row, found = np.divmod(pair[first], n)
    return row, found.astype(np.int32), np.minimum.reduceat(up[order], first)


def mean_ancestors(hierarchy: ClassGraph) -> float | None:
    """Return the mean number of ancestors where the closure is too large to be built whole."""
    return None if _estimate(hierarchy) <= WHOLE_LIMIT else _estimate(hierarchy) / len(hierarchy)


@remembered
def _estimate(hierarchy: ClassGraph) -> float:
    """Estimate the entries of the whole closure, by a sample."""
    n = len(hierarchy)
    if n * n <= WHOLE_LIMIT:
        return n * n
    sample = np.unique(np.linspace(0, n - 1, SAMPLED_CLASSES).astype(np.int64))
    return n * float(_of_used(hierarchy, sample, weighted=False).lengths(sample).mean())


BLOCK_ENTRIES = 250_000
"""Ancestor entries gathered at a time: small enough to stay in the processor's cache."""

EXPONENT_ROOM = 126
"""Distances are read off exponents where these stay below it; a float of 32 bits has so many."""


def common_ancestor_distances(closure: Closure, u: Indices, v: Indices) -> Floats:
    """Return d(u[i], v[i]) = min over common ancestors a of up(u[i], a) + up(v[i], a).

    ``u`` and ``v`` are class numbers; without a common ancestor it is inf.
    """
    out = np.zeros(len(u))
    apart = np.flatnonzero(u != v)
    for part, common, distance in _added_distances(closure, u[apart], v[apart]):
        out[apart[part]] = by_row(np.minimum, distance, common.indptr, np.inf)
    return out


def nearest_common_ancestors(
    closure: Closure, u: Indices, v: Indices
) -> tuple[Floats, Ints, Shorts]:
    """Return d(u[i], v[i]), and all common ancestors a with up(u[i], a) + up(v[i], a) = d.

    The first array is that of :func:`common_ancestor_distances`; the second holds pair numbers,
    ascending, the third an ancestor each.
    """
    distances = np.empty(len(u))
    pairs, ancestors = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for part, common, added in _added_distances(closure, u, v):
        least = by_row(np.minimum, added, common.indptr, np.inf)
        nearest = np.flatnonzero(added == np.repeat(least, np.diff(common.indptr)))
        distances[part] = least
        pairs.append(part.start + row_numbers(common.indptr)[nearest])
        ancestors.append(common.indices[nearest].astype(np.int32))
    return distances, np.concatenate(pairs), np.concatenate(ancestors)


def _added_distances(
    closure: Closure, u: Indices, v: Indices
) -> Iterator[tuple[slice, Any, NDArray[Any]]]:
    """Yield common ancestors and up(u, a) + up(v, a): exponents of products, or imaginary parts."""
    powers = closure.powers
    matrix = closure.sums if powers is None else powers
    for part, common in _common_ancestors(closure, u, v, matrix):
        added = common.data.imag if powers is None else 1 - np.frexp(common.data)[1]
        yield part, common, added


def highest_common_ancestors(closure: Closure, u: Indices, v: Indices, values: Floats) -> Ints:
    """Return the common ancestor of u[i] and v[i] with the highest value, -1 where there is none.

    ``values`` holds one number per class; of equal ones the class with the larger number is taken.
    """

    def highest(common: Any) -> Floats:
        each = values[common.indices]
        top = np.repeat(by_row(np.maximum, each, common.indptr, 0), np.diff(common.indptr))
        return by_row(np.maximum, np.where(each == top, common.indices, -1), common.indptr, -1)

    return _of_pairs(closure, u, v, closure.pattern, highest).astype(np.int64)


def common_ancestor_depths(closure: Closure, u: Indices, v: Indices, depth: Indices) -> Floats:
    """Return max over common ancestors a of 2 D / (up(u[i], a) + up(v[i], a) + 2 D), D = depth[a].

    ``depth`` holds one number > 0 per class. Without a common ancestor it is 0.
    """

    def similar(common: Any) -> Floats:
        each = common.data.imag / depth[common.indices]
        return 2 / (by_row(np.minimum, each, common.indptr, np.inf) + 2)

    return _of_pairs(closure, u, v, closure.sums, similar)


def common_ancestor_sums(closure: Closure, u: Indices, v: Indices, values: Floats) -> Floats:
    """Return the sum of ``values``, one per class, over all common ancestors of u[i] and v[i]."""
    return _of_pairs(closure, u, v, closure.pattern, lambda common: common @ values)


def _of_pairs(
    closure: Closure, u: Indices, v: Indices, matrix: Any, found: Callable[[Any], Floats]
) -> Floats:
    out = np.empty(len(u))
    for part, common in _common_ancestors(closure, u, v, matrix):
        out[part] = found(common)
    return out


def _common_ancestors(
    closure: Closure, u: Indices, v: Indices, matrix: Any
) -> Iterator[tuple[slice, Any]]:
    """Yield products of the rows of consecutive pairs in a matrix, a row each, block by block."""
    closure.need(u)
    closure.need(v)
    mean_row = max(1, len(closure.indices) // max(1, closure.n_rows))
    for part in pieces(len(u), BLOCK_ENTRIES // mean_row):
        yield part, matrix[u[part]].multiply(matrix[v[part]]).tocsr()
