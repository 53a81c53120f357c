"""The classes on all shortest paths from labels up to their LCAs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.hierarchy import Closure, Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, sorted_unique

__all__ = ["Wanted", "classes_on_paths"]

BLOCK_ENTRIES = 2_000_000
"""Ancestors of labels that are looked at together where the closure is not whole."""

Placed = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Number of the link, class, and step, in any order."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """The ends of links.

    Attributes
    ----------
    label, lca, length
        Classes of the label and of the LCA (the number of classes stands for the artificial
        class of a path threshold), and the edges between.
    at
        Where the closure has the LCA as an ancestor of the label.
    threshold
        Path threshold, or None.
    """

    label: NDArray[np.int32]
    lca: NDArray[np.int32]
    at: NDArray[np.int64]
    length: NDArray[np.int64]
    threshold: int | None


def classes_on_paths(
    hierarchy: Hierarchy, closure: Closure, links: Wanted
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return row pointer, class and step of all classes on the shortest paths of every link.

    A closure that is not whole has to hold the labels, and no other class: the ancestors of all
    classes on the paths may be far more than can be held.
    """
    ends = closure.indptr[closure.rows(links.label) + 1] - (links.threshold is not None)
    if int(np.diff(hierarchy.parent_ptr).max(initial=0)) <= 1:
        # Ancestors are a chain, and its lower end is the path; the artificial class is not on it.
        ptr = offsets(links.length + 1)
        step = ragged_ranges(np.zeros(len(ends), np.int64), links.length + 1)
        node = closure.indices[np.repeat(ends - 1, links.length + 1) - step]
        node[ptr[1:] - 1] = links.lca
        return ptr, node, step
    real = links.lca < len(hierarchy)
    walked = real & (closure.row_of is None)
    parts = [_walked(hierarchy, closure, links, np.flatnonzero(walked))]
    rest = np.flatnonzero(~walked)
    starts = np.where(real, links.at, closure.indptr[closure.rows(links.label)])
    block = np.cumsum((ends - starts)[rest]) // BLOCK_ENTRIES
    parts += [
        _between(hierarchy, closure, links, some, starts[some], ends[some])
        for some in np.split(rest, np.flatnonzero(np.diff(block)) + 1)
    ]
    owner, node, step = (np.concatenate(found) for found in zip(*parts, strict=True))
    order = np.lexsort((step, owner))
    ptr = offsets(np.bincount(owner, minlength=len(ends)))
    return ptr, node[order].astype(np.int32), step[order]


def _walked(
    hierarchy: Hierarchy, closure: Closure, links: Wanted, which: NDArray[np.int64]
) -> Placed:
    """Walk up from labels, keeping to the classes from which the LCA is still in reach.

    Where a class has one parent, every path up passes it, so that only the parents of others are
    looked up, in a whole closure.
    """
    n = len(hierarchy)
    label, lca, length = links.label, links.lca, links.length
    owners, nodes = [which], [label[which].astype(np.int64)]
    steps = [np.zeros(len(which), dtype=np.int64)]
    at, walked, forked = which[length[which] > 0], 0, False
    node = label[at].astype(np.int64)
    n_parents = np.diff(hierarchy.parent_ptr)
    while len(at):
        walked += 1
        count = n_parents[node]
        above = hierarchy.parents[ragged_ranges(hierarchy.parent_ptr[node], count)].astype(np.int64)
        owner = np.repeat(at, count)
        keep = np.repeat(count == 1, count)
        left = length[owner] - walked
        ask = np.flatnonzero(~keep & (above >= lca[owner]))
        found = closure.find(above[ask], lca[owner[ask]])
        keep[ask] = (found >= 0) & (closure.up[found] == left[ask])
        at, node = owner[keep], above[keep]
        forked = forked or bool((count > 1).any())
        if forked:  # two paths may meet
            at, node = np.divmod(sorted_unique(at * n + node), n)
        owners.append(at)
        nodes.append(node)
        steps.append(np.full(len(at), walked))
        going = length[at] > walked
        at, node = at[going], node[going]
    return np.concatenate(owners), np.concatenate(nodes), np.concatenate(steps)


def _between(
    hierarchy: Hierarchy,
    closure: Closure,
    links: Wanted,
    which: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Placed:
    """Pick the classes on the paths out of the ancestors of each label (``starts`` to ``ends``).

    An ancestor is on a shortest path if it is the LCA, or if a parent of it is, one step further
    up. The artificial class of a path threshold stands above every class as many edges up as the
    threshold allows, and above roots reached earlier.
    """
    n, levels, lca = len(hierarchy), hierarchy.levels, links.lca
    owner, at = np.repeat(which, ends - starts), ragged_ranges(starts, ends - starts)
    node, step = closure.indices[at].astype(np.int64), closure.up[at].astype(np.int64)
    top = np.where(lca < n, levels[np.minimum(lca, n - 1)], -1)
    left = links.length[owner] - step
    keep = ((left > 0) & (levels[node] - top[owner] >= left)) | (node == lca[owner])
    owner, node, step, left = owner[keep], node[keep], step[keep], left[keep]
    count = hierarchy.parent_ptr[node + 1] - hierarchy.parent_ptr[node]
    hops = 0 if links.threshold is None else links.threshold // 2 - 1
    last = (left == 1) & (lca[owner] == n) & ((count == 0) | (step == hops))
    last |= left == 0
    count[last] = 0
    key = owner * n + node  # ascending, as the links are, and the ancestors of a label
    lower = np.repeat(np.arange(len(key)), count)
    upper_key = owner[lower] * n
    upper_key += hierarchy.parents[ragged_ranges(hierarchy.parent_ptr[node], count)]
    upper = np.minimum(np.searchsorted(key, upper_key), len(key) - 1)
    right = (key[upper] == upper_key) & (step[upper] == step[lower] + 1)
    # One search downwards, from a source above all last classes, reaches what is on a path.
    last_at, source = np.flatnonzero(last), len(key)
    from_source = np.full(len(last_at), source)
    edges = np.concatenate([upper[right], from_source]), np.concatenate([lower[right], last_at])
    graph = scipy.sparse.csr_array((np.ones(len(edges[0])), edges), shape=(source + 1, source + 1))
    reached = scipy.sparse.csgraph.breadth_first_order(graph, source, return_predecessors=False)[1:]
    others = which[lca[which] == n]
    return (
        np.concatenate([owner[reached], others]),
        np.concatenate([node[reached], np.full(len(others), n)]),
        np.concatenate([step[reached], links.length[others]]),
    )
