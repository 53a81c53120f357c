"""Pairs of a predicted root path and a true class, with TP, FP, FN and TN of every pair.

Ancestors of a class on a root path are a prefix of it (an ancestor of an ancestor is one), so the
overlap with the best true path is the number of the class's ancestors on the predicted one: no
path is enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.confusion.root_paths import Paths, predicted_paths, spread, true_labels
from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Ints, offsets, ragged_ranges, row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.labels.coded import places_in
from hierpair.lca import Wanted, classes_on_paths
from hierpair.pairing import Labels, Pairs

__all__ = ["PathPairs", "name_ranks", "ways_down"]

BLOCK_PAIRS = 100_000
"""Pairs of a path and a true class compared at a time."""

BLOCK_ENTRIES = 4_000_000
"""Siblings along paths gathered at a time."""


@dataclass(frozen=True, eq=False)
class PathPairs(Pairs):
    """Pairs whose predicted labels are root paths: :class:`Pairs` that know how far they agree.

    A predicted class is the end of its path.

    Attributes
    ----------
    paths
        The predicted paths, in the order of the predicted labels.
    """

    paths: Paths = field(kw_only=True)

    @classmethod
    def of_labels(
        cls,
        hierarchy: Hierarchy,
        y_true: LabelSets,
        y_pred: LabelSets,
        *,
        empty: str = "root",
        nested: str = "drop",
        blank: str = "ignore",
    ) -> PathPairs:
        """Lay out all pairs of each instance; see :func:`predicted_paths`, :func:`true_labels`."""
        paths = predicted_paths(hierarchy, y_pred, empty=empty, nested=nested, blank=blank)
        true = true_labels(hierarchy, y_true, nested=nested)
        predicted = Labels(hierarchy, "predicted", paths.ptr, paths.ends)
        n_true = np.diff(true.ptr)
        count = n_true[predicted.instance]
        return cls(
            hierarchy,
            predicted,
            true,
            offsets(np.diff(paths.ptr) * n_true),
            np.repeat(np.arange(len(count), dtype=np.int64), count),
            ragged_ranges(true.ptr[predicted.instance], count),
            paths=paths,
        )

    @cached_property
    def closure(self) -> Closure:
        """Ancestors of the true classes."""
        return ancestor_closure(self.hierarchy, self.true_labels.classes)

    @cached_property
    def tp(self) -> Ints:
        """Classes below the root that the path shares with the best true path."""
        paths, rows = self.paths, self.closure.rows(self.true)
        ones = np.ones(len(paths.nodes), dtype=np.int8)
        shape = len(paths), len(self.hierarchy)
        walked = scipy.sparse.csr_array((ones, paths.nodes, paths.node_ptr), shape=shape)
        found = np.zeros(len(rows), dtype=np.int64)
        for lo in range(0, len(rows), BLOCK_PAIRS):
            part = slice(lo, lo + BLOCK_PAIRS)
            above = self.closure.pattern[rows[part]]
            found[part] = np.diff(walked[self.predicted_at[part]].multiply(above).tocsr().indptr)
        return found - 1

    @cached_property
    def fp(self) -> Ints:
        """Nodes of the path that are not shared."""
        return self.paths.lengths[self.predicted_at] - self.tp

    @cached_property
    def fork_at(self) -> Ints:
        """Position of the last shared class of every pair among the nodes of the paths."""
        return self.paths.node_ptr[self.predicted_at] + self.tp

    @cached_property
    def fork(self) -> NDArray[np.int32]:
        """The last shared class of every pair."""
        return self.paths.nodes[self.fork_at]

    @cached_property
    def fn(self) -> Ints:
        """Edges of the shortest path from the last shared class down to the true class."""
        at = self.closure.find(self.true, self.fork)
        return self.closure.up[at].astype(np.int64)

    @cached_property
    def tn(self) -> Ints:
        """Siblings along the shared part and children of its end that neither path takes.

        ``|∪_{j ≤ i} sib(v_j) less the true path| + |children(v_i) less both paths|``: siblings
        are children of any parent, and the two parts are added, not united.
        """
        h, paths, at = self.hierarchy, self.paths, self.fork_at
        first = paths.node_ptr[self.predicted_at]
        width = np.diff(h.child_ptr)
        if h.shape == "DAG":
            new, taken = self._new_siblings(), self._children_on_path()[at] + self._rest_beside()
        else:  # the only parent of a node is the one before it, and its children are nobody else's
            new = np.append(0, width[paths.nodes[:-1]])
            taken = (at < paths.node_ptr[self.predicted_at + 1] - 1).astype(np.int64)
        running = np.cumsum(new)
        beside = running[at] - running[first] - self.tp  # without the shared nodes themselves
        tn: Ints = beside + width[self.fork] - (self.fn > 0) - taken
        return tn

    @cached_property
    def _parents(self) -> tuple[Ints, Ints]:
        """Parents of the nodes of the paths, as ascending keys (path, parent), with first steps."""
        path, step = self._steps
        at, parent = self._each_parent
        return _earliest(path[at] * len(self.hierarchy) + parent, step[at])

    @cached_property
    def _steps(self) -> tuple[Ints, Ints]:
        """The path of every node, and its step; the root is at 0."""
        path = row_numbers(self.paths.node_ptr)
        return path, np.arange(len(path)) - self.paths.node_ptr[path]

    @cached_property
    def _each_parent(self) -> tuple[Ints, NDArray[np.int32]]:
        """Positions of nodes, and a parent of each."""
        h, nodes = self.hierarchy, self.paths.nodes
        return spread(h.parent_ptr, h.parents, np.arange(len(nodes)), nodes)

    def _new_siblings(self) -> Ints:
        """Return how many children of parents of each node are of none before it on its path."""
        h, n, node_ptr = self.hierarchy, len(self.hierarchy), self.paths.node_ptr
        key, step = self._parents
        path, parent = key // n, key % n
        place = node_ptr[path] + step
        start = np.searchsorted(path, np.arange(len(self.paths) + 1))
        # what has no other parent is new with its parent; of the others the first one counts
        several = np.diff(h.parent_ptr)[h.children] > 1
        ptr, children = offsets(row_sums(several, h.child_ptr)), h.children[several]
        lone = (np.diff(h.child_ptr) - np.diff(ptr))[parent]
        new = np.bincount(place, lone, minlength=node_ptr[-1]).astype(np.int64)
        load = offsets(np.diff(ptr)[parent])[start]
        block = np.flatnonzero(np.diff(load[1:] // BLOCK_ENTRIES)) + 1
        for lo, hi in pairwise([0, *block.tolist(), len(self.paths)]):
            some, here = np.arange(start[lo], start[hi]), new[node_ptr[lo] : node_ptr[hi]]
            at, child = spread(ptr, children, some, parent[some])
            _, first = _earliest((path[at] - lo) * n + child, place[at] - node_ptr[lo])
            here += np.bincount(first, minlength=len(here))
        return new

    def _children_on_path(self) -> Ints:
        """Return how many later nodes of its path are children of each node."""
        n, (path, _), (at, parent) = len(self.hierarchy), self._steps, self._each_parent
        place = places_in(path * n + self.paths.nodes, path[at] * n + parent)  # paths ascend
        return np.bincount(place[place >= 0], minlength=len(path))

    def _rest_beside(self) -> Ints:
        """Return how many nodes of the rest of the true path are siblings of a shared node.

        Only a class with several parents can be one: a sibling shares a parent with a node that
        is not below the last shared class.
        """
        h = self.hierarchy
        pair, node = ways_down(h, self.closure, self.fork, self.true)
        several = np.flatnonzero(np.diff(h.parent_ptr)[node] > 1)
        entry, parent = spread(h.parent_ptr, h.parents, several, node[several])
        key, step = self._parents
        at = places_in(key, self.predicted_at[pair[entry]] * len(h) + parent)
        hit = (at >= 0) & (np.append(step, 0)[at] <= self.tp[pair[entry]])
        return np.bincount(pair[np.unique(entry[hit])], minlength=len(self.tp))


def _earliest(key: Ints, step: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys, ascending, with the least step of each."""
    bits = int(step.max(initial=0)).bit_length()
    both = np.sort(key << bits | step)
    key = both >> bits
    first = np.flatnonzero(np.diff(key, prepend=-1))
    return key[first], both[first] & ((1 << bits) - 1)


def ways_down(
    hierarchy: Hierarchy,
    closure: Closure,
    fork: NDArray[np.int32],
    true: NDArray[np.int32],
) -> tuple[Ints, NDArray[np.int32]]:
    """Return (pair, class) of a shortest path from each fork, without it, down to its class.

    Of several shortest paths that one is taken which, read from the true class up, goes to the
    class of the lowest level, then the first name: no order of the input matters.
    """
    h, n = hierarchy, len(hierarchy)
    found = closure.find(true, fork)
    at = np.flatnonzero(closure.up[found] > 0)
    found, node = found[at], true[at]
    length = closure.up[found].astype(np.int64)
    ptr, on_way, step = classes_on_paths(h, closure, Wanted(node, fork[at], found, length, None))
    key = row_numbers(ptr) * n + on_way
    order = np.argsort(key)
    key, step = key[order], step[order]
    rank = h.levels.astype(np.int64) * n + name_ranks(h)
    row = np.arange(len(at))
    rows, nodes = [row], [node]
    while len(row):
        going = length[row] > len(rows)
        row, parent = spread(h.parent_ptr, h.parents, row[going], node[going])
        place = places_in(key, row * n + parent)
        right = np.flatnonzero((place >= 0) & (np.append(step, 0)[place] == len(rows)))
        right = right[np.lexsort((rank[parent[right]], row[right]))]
        first = right[np.diff(row[right], prepend=-1) > 0]
        row, node = row[first], parent[first]
        rows.append(row)
        nodes.append(node)
    return at[np.concatenate(rows)], np.concatenate(nodes)


def name_ranks(hierarchy: Hierarchy) -> Ints:
    """Return the place of every class among all by name, as text."""

    def ranks() -> Ints:
        names = [str(name) for name in hierarchy.names]
        return np.argsort(sorted(range(len(names)), key=names.__getitem__))

    return hierarchy.cached("name ranks", ranks)
