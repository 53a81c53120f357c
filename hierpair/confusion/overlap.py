"""TP, FP, FN and TN of every pair of a predicted path and a true class, as arrays.

Ancestors of a class on a root path are a prefix of it (an ancestor of an ancestor is one), so the
overlap with the best true path is the number of the class's ancestors on the predicted one: no
path is enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.confusion.root_paths import Paths, Targets
from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums
from hierpair.lca import Wanted, shortest_ways

__all__ = ["Overlaps", "class_ranks", "siblings"]

BLOCK_ENTRIES = 4_000_000
"""Siblings along paths gathered at a time."""

BLOCK_PAIRS = 100_000
"""Pairs of a path and a true class compared at a time."""


@dataclass(frozen=True, eq=False)
class Overlaps:
    """Confusion counts of all pairs of a batch.

    Parameters
    ----------
    hierarchy, paths, targets
        The classes, the predicted paths, the true classes.
    path, target
        Of every pair: the number of its path and the position of its true class.
    """

    hierarchy: Hierarchy
    paths: Paths
    targets: Targets
    path: NDArray[np.int64]
    target: NDArray[np.int64]

    @classmethod
    def of_all_pairs(cls, hierarchy: Hierarchy, paths: Paths, targets: Targets) -> Overlaps:
        """Lay out all pairs of each instance, path by path."""
        instance = row_numbers(paths.ptr)
        count = np.diff(targets.ptr)[instance]
        return cls(
            hierarchy, paths, targets, np.repeat(np.arange(len(instance)), count),
            ragged_ranges(targets.ptr[instance], count),
        )  # fmt: skip

    @cached_property
    def closure(self) -> Closure:
        """Ancestors of the true classes."""
        return ancestor_closure(self.hierarchy, self.targets.classes)

    @cached_property
    def true(self) -> NDArray[np.int32]:
        """True class of every pair."""
        classes: NDArray[np.int32] = self.targets.classes[self.target]
        return classes

    @cached_property
    def tp(self) -> NDArray[np.int64]:
        """Classes below the root that the path shares with the best true path."""
        marks = np.ones(len(self.paths.nodes), dtype=np.int16)
        walked = sp.csr_array(
            (marks, self.paths.nodes, self.paths.node_ptr),
            shape=(len(self.paths), len(self.hierarchy)),
        )
        above = self.closure.with_data(np.ones(len(self.closure.indices), dtype=np.int16))
        rows = self.closure.rows(self.true)
        found = np.empty(len(self.path), dtype=np.int64)
        for lo in range(0, len(found), BLOCK_PAIRS):
            part = slice(lo, lo + BLOCK_PAIRS)
            common = walked[self.path[part]].multiply(above[rows[part]]).tocsr()
            found[part] = np.diff(common.indptr)
        return found - 1

    @cached_property
    def fp(self) -> NDArray[np.int64]:
        """Nodes of the path that are not shared."""
        return self.paths.lengths[self.path] - self.tp

    @cached_property
    def fork(self) -> NDArray[np.int32]:
        """The last shared class of every pair."""
        fork: NDArray[np.int32] = self.paths.nodes[self.paths.node_ptr[self.path] + self.tp]
        return fork

    @cached_property
    def fn(self) -> NDArray[np.int64]:
        """Edges of the shortest way from the last shared class down to the true class."""
        at = self.closure.find(self.true, self.fork)
        return self.closure.up[at].astype(np.int64)

    @cached_property
    def tn(self) -> NDArray[np.int64]:
        """Siblings along the shared part and children of its end that neither path takes.

        ``|∪_{j ≤ i} sib(v_j) less the true path| + |children(v_i) less both paths|``: siblings
        are children of any parent, and the two parts are added, not united.
        """
        children = np.diff(self.hierarchy.child_ptr)[self.fork]
        beside = self._siblings_beside() + children - (self.fn > 0)
        return beside - self._children_on_path()

    @property
    def is_tree(self) -> bool:
        """Whether no class has several parents."""
        return bool((np.diff(self.hierarchy.parent_ptr) <= 1).all())

    def _children_on_path(self) -> NDArray[np.int64]:
        """Number of later nodes of the path that are children of the last shared class."""
        later = self.paths.lengths[self.path] - self.paths.beyond[self.path] - self.tp
        if self.is_tree:
            return (later > 0).astype(np.int64)
        pair = np.repeat(np.arange(len(later)), later)
        start = self.paths.node_ptr[self.path] + self.tp + 1
        node = self.paths.nodes[ragged_ranges(start, later)]
        child = _is_parent(self.hierarchy, self.fork[pair], node)
        return row_sums(child, offsets(later))

    def _siblings_beside(self) -> NDArray[np.int64]:
        """Size of the union of the siblings of the shared nodes, without the true path."""
        if self.is_tree:
            return _siblings_above(self.hierarchy)[self.fork]
        by_step = _union_sizes(self.hierarchy, self.paths)
        at = self.paths.node_ptr[self.path] + self.tp
        beside: NDArray[np.int64] = by_step[at] - self._rest_among_siblings()
        return beside

    def _rest_among_siblings(self) -> NDArray[np.int64]:
        """Number of nodes of the rest of the true path that are siblings of a shared node.

        Only a class with several parents can be one: a sibling shares a parent with a node that
        is not below the last shared class.
        """
        found = np.zeros(len(self.path), dtype=np.int64)
        pair, node = rests(self)
        several = np.diff(self.hierarchy.parent_ptr)[node] > 1
        pair, node = pair[several], node[several]
        n = len(self.hierarchy)
        key, step = _parents_by_step(self.hierarchy, self.paths)
        if not len(pair) or not len(key):
            return found
        first = self.hierarchy.parent_ptr[node]
        count = self.hierarchy.parent_ptr[node + 1] - first
        asked = np.repeat(self.path[pair], count) * n
        asked += self.hierarchy.parents[ragged_ranges(first, count)]
        at = np.minimum(np.searchsorted(key, asked), len(key) - 1)
        hit = (key[at] == asked) & (step[at] <= np.repeat(self.tp[pair], count))
        sibling = row_sums(hit, offsets(count)) > 0
        np.add.at(found, pair[sibling], 1)
        return found


def rests(o: Overlaps) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return (pair, class) of the rests of all true paths: what is below the last shared class.

    Of several shortest ways that one is taken which, read from the true class up, goes to the
    class of the lowest level, then the first name.
    """
    h, n = o.hierarchy, len(o.hierarchy)
    at = np.flatnonzero(o.fn > 0)
    true, fork, length = o.true[at], o.fork[at], o.fn[at]
    wanted = Wanted(true, fork, o.closure.find(true, fork), length, None)
    ptr, on_way, step = shortest_ways(h, o.closure, wanted)
    owner = row_numbers(ptr)
    if o.is_tree:
        below = step < length[owner]
        return at[owner[below]], on_way[below]
    key = owner * n + on_way
    order = np.argsort(key)
    key, step = key[order], step[order]
    rank = class_ranks(h)
    row, node, walked = np.arange(len(at)), true, 0
    rows, nodes = [row], [node]
    while True:
        going = length[row] > walked + 1
        row, node, walked = row[going], node[going], walked + 1
        if not len(row):
            break
        first = h.parent_ptr[node]
        count = h.parent_ptr[node + 1] - first
        parent = h.parents[ragged_ranges(first, count)]
        of = np.repeat(row, count)
        asked = of * n + parent
        place = np.minimum(np.searchsorted(key, asked), len(key) - 1)
        right = (key[place] == asked) & (step[place] == walked)
        of, parent = of[right], parent[right]
        order = np.lexsort((rank[parent], of))
        of, parent = of[order], parent[order]
        leading = np.ones(len(of), dtype=bool)
        np.not_equal(of[1:], of[:-1], out=leading[1:])
        row, node = of[leading], parent[leading]
        rows.append(row)
        nodes.append(node)
    return at[np.concatenate(rows)], np.concatenate(nodes)


def class_ranks(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the rank of every class by level, then name: no order of the input matters."""
    if "class ranks" not in hierarchy.cache:
        names, levels = hierarchy.names, hierarchy.levels.tolist()
        order = sorted(range(len(names)), key=lambda c: (levels[c], str(names[c])))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        hierarchy.cache["class ranks"] = ranks
    found: NDArray[np.int64] = hierarchy.cache["class ranks"]
    return found


def siblings(hierarchy: Hierarchy, c: int) -> set[int]:
    """Return the other children of all parents of a class."""
    found: set[int] = set()
    for p in hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]].tolist():
        lo, hi = hierarchy.child_ptr[p : p + 2]
        found.update(hierarchy.children[lo:hi].tolist())
    return found - {c}


def _siblings_above(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return, for every class of a tree, the number of siblings along its root path."""
    total = np.zeros(len(hierarchy), dtype=np.int64)
    n_children = np.diff(hierarchy.child_ptr)
    for lo, hi in hierarchy.level_ranges()[1:]:
        parent = hierarchy.parents[hierarchy.parent_ptr[lo:hi]]
        total[lo:hi] = total[parent] + n_children[parent] - 1
    return total


def _is_parent(
    hierarchy: Hierarchy, parent: NDArray[np.integer], child: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Whether there is an edge, pair by pair."""
    n = len(hierarchy)
    edges = hierarchy.parents.astype(np.int64) + row_numbers(hierarchy.parent_ptr) * n
    edges.sort()
    asked = child.astype(np.int64) * n + parent
    if not len(edges):
        return np.zeros(len(asked), dtype=bool)
    at = np.minimum(np.searchsorted(edges, asked), len(edges) - 1)
    found: NDArray[np.bool_] = edges[at] == asked
    return found


def _steps(paths: Paths) -> NDArray[np.int64]:
    """Return the step of every node of every path; the root is at 0."""
    return ragged_ranges(np.zeros(len(paths), np.int64), np.diff(paths.node_ptr))


def _parents_by_step(
    hierarchy: Hierarchy, paths: Paths
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (path, parent) as ascending keys, and the first step at which it is a parent."""
    first = hierarchy.parent_ptr[paths.nodes]
    count = hierarchy.parent_ptr[paths.nodes + 1] - first
    key = np.repeat(row_numbers(paths.node_ptr) * len(hierarchy), count)
    key += hierarchy.parents[ragged_ranges(first, count)]
    return _least_by_key(key, np.repeat(_steps(paths), count))


def _least_by_key(
    key: NDArray[np.int64], step: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, ascending, with the least step of each."""
    order = np.lexsort((step, key))
    key, step = key[order], step[order]
    new = np.ones(len(key), dtype=bool)
    new[1:] = key[1:] != key[:-1]
    return key[new], step[new]


def _union_sizes(hierarchy: Hierarchy, paths: Paths) -> NDArray[np.int64]:
    """Return, for every node of every path, the siblings of the nodes up to it, as a number.

    The nodes up to it are not counted, even if they are siblings of each other.
    """
    out = np.zeros(len(paths.nodes), dtype=np.int64)
    width = np.diff(hierarchy.child_ptr)
    parents_width = row_sums(width[hierarchy.parents], hierarchy.parent_ptr)
    load = offsets(row_sums(parents_width[paths.nodes], paths.node_ptr))
    cut = np.searchsorted(load, np.arange(0, load[-1] + 1, BLOCK_ENTRIES))
    for lo, hi in pairwise(dict.fromkeys([*cut.tolist(), len(paths)])):
        a, b = paths.node_ptr[lo], paths.node_ptr[hi]
        part = Paths(
            np.array([0, hi - lo]), paths.node_ptr[lo : hi + 1] - a, paths.nodes[a:b],
            paths.beyond[lo:hi],
        )  # fmt: skip
        out[a:b] = _union_sizes_of(hierarchy, part)
    return out


def _union_sizes_of(hierarchy: Hierarchy, paths: Paths) -> NDArray[np.int64]:
    n = len(hierarchy)
    key, step = _parents_by_step(hierarchy, paths)
    path, parent = np.divmod(key, n)
    first = hierarchy.child_ptr[parent]
    count = hierarchy.child_ptr[parent + 1] - first
    sibling: NDArray[np.int64] = np.repeat(path * n, count)
    sibling += hierarchy.children[ragged_ranges(first, count)]
    sibling, when = _least_by_key(sibling, np.repeat(step, count))
    # Every child of a parent of v_j but v_j itself is a sibling; the nodes of the path do not
    # count from their own step on, which takes v_j out, too.
    own = row_numbers(paths.node_ptr) * n + paths.nodes
    own_step = _steps(paths)
    added = np.bincount(paths.node_ptr[sibling // n] + when, minlength=len(paths.nodes))
    at = np.searchsorted(sibling, own)
    at = np.minimum(at, max(0, len(sibling) - 1))
    inside = (sibling[at] == own) if len(sibling) else np.zeros(len(own), dtype=bool)
    gone = np.maximum(own_step[inside], when[at[inside]])
    added -= np.bincount(
        paths.node_ptr[row_numbers(paths.node_ptr)[inside]] + gone, minlength=len(paths.nodes)
    )
    running = np.cumsum(added)
    before = running[paths.node_ptr[:-1]] - added[paths.node_ptr[:-1]]
    sizes: NDArray[np.int64] = running - np.repeat(before, np.diff(paths.node_ptr))
    return sizes
