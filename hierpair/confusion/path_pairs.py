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

from hierpair.confusion.root_paths import Paths, predicted_paths, spread, true_labels
from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Ints, Shorts, offsets, places_in, row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.lca import paths_of_links, ways_up
from hierpair.pairing import Labels, Pairs

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
        return cls.of_sides(predicted, true, paths=paths)

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
    def fork(self) -> Shorts:
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
        first, end = (paths.node_ptr[self.predicted_at + k] for k in (0, 1))
        width = np.diff(h.child_ptr)
        # in a tree the only parent of a node is the one before it, and its children its own
        new, taken = np.append(0, width[paths.nodes[:-1]]), (at < end - 1).astype(np.int64)
        if h.shape == "DAG":
            new, taken = self._in_dag()
        running = np.cumsum(new)
        beside = running[at] - running[first] - self.tp  # without the shared nodes themselves
        tn: Ints = beside + width[self.fork] - (self.fn > 0) - taken
        return tn

    def _in_dag(self) -> tuple[Ints, Ints]:
        """Return what is new at nodes of paths, and what either path takes of it for every pair.

        New are children of parents of the node that are of none before it; taken are children of
        the fork on the rest of the path, and siblings of a shared node on that of the true path.
        """
        h, n = self.hierarchy, len(self.hierarchy)
        nodes, node_ptr = self.paths.nodes, self.paths.node_ptr
        path = row_numbers(node_ptr)
        at, parent = spread(h.parent_ptr, h.parents, np.arange(len(path)), nodes)
        above = path[at] * n + parent
        place = places_in(path * n + nodes, above)  # paths ascend
        children = np.bincount(place[place >= 0], minlength=len(path))[self.fork_at]
        key, step = _earliest(above, at - node_ptr[path[at]])
        owner, above = key // n, key % n
        place = node_ptr[owner] + step
        # What has no other parent is new with its parent; of the others the first one counts.
        several = np.diff(h.parent_ptr)[h.children] > 1
        ptr, shared = offsets(row_sums(several, h.child_ptr)), h.children[several]
        lone = (np.diff(h.child_ptr) - np.diff(ptr))[above]
        new = np.bincount(place, lone, minlength=len(path)).astype(np.int64)
        start = np.searchsorted(owner, np.arange(len(self.paths) + 1))
        load = offsets(np.diff(ptr)[above])[start]
        block = np.flatnonzero(np.diff(load[1:] // BLOCK_ENTRIES)) + 1
        for lo, hi in pairwise([0, *block.tolist(), len(self.paths)]):
            some, here = np.arange(start[lo], start[hi]), new[node_ptr[lo] : node_ptr[hi]]
            at, child = spread(ptr, shared, some, above[some])
            _, first = _earliest((owner[at] - lo) * n + child, place[at] - node_ptr[lo])
            here += np.bincount(first, minlength=len(here))
        # Only a class with several parents can be a sibling: it shares a parent with a node that
        # is not below the last shared class.
        pair, node = ways_down(h, self.closure, self.fork, self.true)
        some = np.flatnonzero(np.diff(h.parent_ptr)[node] > 1)
        entry, parent = spread(h.parent_ptr, h.parents, some, node[some])
        found = places_in(key, self.predicted_at[pair[entry]] * n + parent)
        hit = (found >= 0) & (np.append(step, 0)[found] <= self.tp[pair[entry]])
        rest = np.bincount(pair[np.unique(entry[hit])], minlength=len(self.tp))
        return new, children + rest


def _earliest(key: Ints, step: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys, ascending, with the least step of each."""
    bits = int(step.max(initial=0)).bit_length()
    both = np.sort(key << bits | step)
    key = both >> bits
    first = np.flatnonzero(np.diff(key, prepend=-1))
    return key[first], both[first] & ((1 << bits) - 1)


def ways_down(
    hierarchy: Hierarchy, closure: Closure, fork: Shorts, true: Shorts
) -> tuple[Ints, Shorts]:
    """Return (pair, class) of a shortest path from each fork, without it, down to its class.

    Of several, read from below, that to the class of the lowest level, then the first name.
    """
    pair = np.flatnonzero(fork != true)
    ways = ways_up(hierarchy, closure, true[pair], fork[pair])
    at, ptr = paths_of_links(hierarchy, ways, np.arange(len(pair)), np.zeros_like)
    below = np.ones(len(at), dtype=bool)
    below[ptr[1:] - 1] = False
    return pair[row_numbers(ptr)[below]], ways.node[at[below]]
