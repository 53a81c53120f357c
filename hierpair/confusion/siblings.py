"""How many siblings stand beside the nodes of root paths."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.root_paths import Paths
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, row_sums

__all__ = ["is_parent", "parents_by_step", "siblings_above", "union_sizes"]

BLOCK_ENTRIES = 4_000_000
"""Siblings along paths gathered at a time."""


def siblings_above(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return, for every class of a tree, the number of siblings along its root path."""
    total = np.zeros(len(hierarchy), dtype=np.int64)
    n_children = np.diff(hierarchy.child_ptr)
    for lo, hi in hierarchy.level_ranges()[1:]:
        parent = hierarchy.parents[hierarchy.parent_ptr[lo:hi]]
        total[lo:hi] = total[parent] + n_children[parent] - 1
    return total


def is_parent(
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


def parents_by_step(
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


def union_sizes(hierarchy: Hierarchy, paths: Paths) -> NDArray[np.int64]:
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
    key, step = parents_by_step(hierarchy, paths)
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
