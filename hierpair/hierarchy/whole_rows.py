"""The ancestors of all classes, level by level from the top."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets, ragged_ranges
from hierpair.hierarchy.class_graph import ClassGraph

__all__ = ["rows_of_all"]


def rows_of_all(
    graph: ClassGraph, up_type: np.dtype[Any], weighted: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """Build level by level: the row of a class is the union of its parents' rows and itself.

    Parameters
    ----------
    graph
        The classes.
    up_type
        The type of the upward distances.
    weighted
        Whether these add edge weights instead of counting edges.

    Returns
    -------
    pointer, ancestors, up
        A row per class: its ancestors, ascending, with upward distances.
    """
    n = len(graph)
    depth_limit = int(graph.levels[-1])
    edge = graph.weights if weighted else None
    if weighted and edge is None:
        edge = np.ones(len(graph.parents))
    start = np.zeros(n, dtype=np.int64)
    length = np.ones(n, dtype=np.int64)
    indices, up = np.empty(4 * n, dtype=np.int32), np.empty(4 * n, dtype=up_type)
    used = 0
    for lo, hi in graph.level_ranges():
        n_parents = np.diff(graph.parent_ptr[lo : hi + 1])
        several = lo + int(np.searchsorted(n_parents > 1, True))
        for a, b in ((lo, several), (several, hi)):
            if a == b:
                continue
            span = slice(int(graph.parent_ptr[a]), int(graph.parent_ptr[b]))
            parents = graph.parents[span]
            add = None if edge is None else edge[span]
            if a == lo and lo == 0:
                ids, dist = np.empty(0, np.int32), np.empty(0, up_type)
                size = np.zeros(b - a, dtype=np.int64)
            elif b == several:
                size = length[parents]
                take = ragged_ranges(start[parents], size)
                ids, dist = indices[take], up[take]
                dist += np.array(1, up_type) if add is None else np.repeat(add, size)
            else:
                counts = n_parents[a - lo : b - lo]
                ids, dist, size = _merge(
                    parents, counts, start, length, indices, up, add, n, depth_limit
                )
            length[a:b] = size + 1
            row_end = used + np.cumsum(length[a:b])
            start[a:b] = row_end - length[a:b]
            total = int(row_end[-1])
            if total > len(indices):
                grown = max(total, 2 * len(indices))
                indices, up = np.resize(indices, grown), np.resize(up, grown)
            inner = np.ones(total - used, dtype=bool)
            inner[row_end - 1 - used] = False
            indices[used:total][inner], up[used:total][inner] = ids, dist
            indices[row_end - 1], up[row_end - 1] = np.arange(a, b), 0
            used = total
    return offsets(length), indices[:used].copy(), up[:used].copy()


def _merge(
    parents: NDArray[np.int32],
    counts: NDArray[np.int64],
    start: NDArray[np.int64],
    length: NDArray[np.int64],
    indices: NDArray[np.int32],
    up: NDArray[np.generic],
    add: NDArray[np.float64] | None,
    n: int,
    depth_limit: int,
) -> tuple[NDArray[np.int32], NDArray[np.generic], NDArray[np.int64]]:
    """Merge the rows of each class's parents, keeping the least distance per ancestor."""
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    size = length[parents]
    take = ragged_ranges(start[parents], size)
    node = np.repeat(owner, size)
    node *= n
    node += indices[take]
    if add is None:
        steps = depth_limit.bit_length()
        key = node
        key <<= steps
        key |= up[take].astype(np.int64)
        key.sort()
        pair = key >> steps
    else:
        distance = up[take] + np.repeat(add, size)
        order = np.lexsort((distance, node))
        pair = node[order]
    first = np.empty(len(pair), dtype=bool)
    first[:1] = True
    np.not_equal(pair[1:], pair[:-1], out=first[1:])
    if add is None:
        dist = (key[first] & ((1 << steps) - 1)).astype(up.dtype) + np.array(1, up.dtype)
    else:
        dist = distance[order][first]
    row, ids = np.divmod(pair[first], n)
    return ids.astype(np.int32), dist, np.bincount(row, minlength=len(counts))
