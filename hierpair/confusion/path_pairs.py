"""Pairs of a predicted root path and a true class, with TP, FP, FN and TN of every pair.

Ancestors of a class on a root path are a prefix of it (an ancestor of an ancestor is one), so the
overlap with the best true path is the number of the class's ancestors on the predicted one: no
path is enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.confusion.root_paths import Paths, predicted_paths, true_labels
from hierpair.confusion.siblings import is_parent, parents_by_step, siblings_above, union_sizes
from hierpair.hierarchy import Closure, Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.lca import Wanted, classes_on_paths
from hierpair.pairing import Labels, Pairs

__all__ = ["PathPairs", "ways_down"]

BLOCK_PAIRS = 100_000
"""Pairs of a path and a true class compared at a time."""


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
        ordered: bool = False,
    ) -> PathPairs:
        """Lay out all pairs of each instance; see :func:`predicted_paths`, :func:`true_labels`."""
        paths = predicted_paths(hierarchy, y_pred, empty=empty, nested=nested, blank=blank)
        true = true_labels(hierarchy, y_true, nested=nested, ordered=ordered)
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
    def tp(self) -> NDArray[np.int64]:
        """Classes below the root that the path shares with the best true path."""
        marks = np.ones(len(self.paths.nodes), dtype=np.int16)
        walked = scipy.sparse.csr_array(
            (marks, self.paths.nodes, self.paths.node_ptr),
            shape=(len(self.paths), len(self.hierarchy)),
        )
        above = self.closure.with_data(np.ones(len(self.closure.indices), dtype=np.int16))
        rows = self.closure.rows(self.true)
        found = np.empty(len(rows), dtype=np.int64)
        for lo in range(0, len(found), BLOCK_PAIRS):
            part = slice(lo, lo + BLOCK_PAIRS)
            common = walked[self.predicted_at[part]].multiply(above[rows[part]]).tocsr()
            found[part] = np.diff(common.indptr)
        return found - 1

    @cached_property
    def fp(self) -> NDArray[np.int64]:
        """Nodes of the path that are not shared."""
        return self.paths.lengths[self.predicted_at] - self.tp

    @cached_property
    def fork(self) -> NDArray[np.int32]:
        """The last shared class of every pair."""
        fork: NDArray[np.int32] = self.paths.nodes[self.paths.node_ptr[self.predicted_at] + self.tp]
        return fork

    @cached_property
    def fn(self) -> NDArray[np.int64]:
        """Edges of the shortest path from the last shared class down to the true class."""
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

    def _children_on_path(self) -> NDArray[np.int64]:
        """Number of later nodes of the path that are children of the last shared class."""
        path = self.predicted_at
        later = self.paths.lengths[path] - self.paths.beyond[path] - self.tp
        if _is_forest(self.hierarchy):
            return (later > 0).astype(np.int64)
        pair = np.repeat(np.arange(len(later)), later)
        node = self.paths.nodes[ragged_ranges(self.paths.node_ptr[path] + self.tp + 1, later)]
        return row_sums(is_parent(self.hierarchy, self.fork[pair], node), offsets(later))

    def _siblings_beside(self) -> NDArray[np.int64]:
        """Size of the union of the siblings of the shared nodes, without the true path."""
        if _is_forest(self.hierarchy):
            return siblings_above(self.hierarchy)[self.fork]
        by_step = union_sizes(self.hierarchy, self.paths)
        at = self.paths.node_ptr[self.predicted_at] + self.tp
        beside: NDArray[np.int64] = by_step[at] - self._rest_among_siblings()
        return beside

    def _rest_among_siblings(self) -> NDArray[np.int64]:
        """Number of nodes of the rest of the true path that are siblings of a shared node.

        Only a class with several parents can be one: a sibling shares a parent with a node that
        is not below the last shared class.
        """
        h = self.hierarchy
        found = np.zeros(len(self.predicted_at), dtype=np.int64)
        pair, node = ways_down(h, self.closure, self.fork, self.true)
        several = np.diff(h.parent_ptr)[node] > 1
        pair, node = pair[several], node[several]
        key, step = parents_by_step(h, self.paths)
        if not len(pair) or not len(key):
            return found
        first = h.parent_ptr[node]
        count = h.parent_ptr[node + 1] - first
        asked = np.repeat(self.predicted_at[pair], count) * len(h)
        asked += h.parents[ragged_ranges(first, count)]
        at = np.minimum(np.searchsorted(key, asked), len(key) - 1)
        hit = (key[at] == asked) & (step[at] <= np.repeat(self.tp[pair], count))
        sibling = row_sums(hit, offsets(count)) > 0
        np.add.at(found, pair[sibling], 1)
        return found


def ways_down(
    hierarchy: Hierarchy,
    closure: Closure,
    fork: NDArray[np.int32],
    true: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return (pair, class) of a shortest path from each fork, without it, down to its class.

    Of several shortest paths that one is taken which, read from the true class up, goes to the
    class of the lowest level, then the first name.
    """
    h, n = hierarchy, len(hierarchy)
    found = closure.find(true, fork)
    at = np.flatnonzero(closure.up[found] > 0)
    found, true = found[at], true[at]
    length = closure.up[found].astype(np.int64)
    ptr, on_way, step = classes_on_paths(h, closure, Wanted(true, fork[at], found, length, None))
    owner = row_numbers(ptr)
    if _is_forest(h):
        below = step < length[owner]
        return at[owner[below]], on_way[below]
    key = owner * n + on_way
    order = np.argsort(key)
    key, step = key[order], step[order]
    rank = _class_ranks(h)
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


def _is_forest(hierarchy: Hierarchy) -> bool:
    return bool((np.diff(hierarchy.parent_ptr) <= 1).all())


def _class_ranks(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the rank of every class by level, then name: no order of the input matters."""

    def ranks() -> NDArray[np.int64]:
        names, levels = hierarchy.names, hierarchy.levels.tolist()
        order = sorted(range(len(names)), key=lambda c: (levels[c], str(names[c])))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return ranks

    return hierarchy.cached("class ranks", ranks)
