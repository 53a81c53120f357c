"""The edges that the shortest paths of links may use, for many links at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers
from hierpair.lca.links import Links

__all__ = ["LinkEdges", "edges_of_links"]


@dataclass(frozen=True, eq=False)
class LinkEdges:
    """Some links of a batch with their classes and edges.

    Attributes
    ----------
    at, ptr
        Where ``links.node`` has the classes of the links; those of link ``k`` are
        ``at[ptr[k]:ptr[k + 1]]``, step by step from the label to the LCA.
    row, left
        Of every class: its link, and how many edges below the LCA it is.
    lower, upper
        The edges as positions in ``at``; ascending by the lower end.
    """

    at: NDArray[np.int64]
    ptr: NDArray[np.int64]
    row: NDArray[np.int64]
    left: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]


def edges_of_links(hierarchy: Hierarchy, links: Links, rows: NDArray[np.int64]) -> LinkEdges:
    """Return the edges between classes of consecutive steps of these links.

    Below the artificial class of a path threshold are all classes of the step before it.
    """
    width = len(hierarchy) + 1
    count = links.node_ptr[rows + 1] - links.node_ptr[rows]
    ptr, at = offsets(count), ragged_ranges(links.node_ptr[rows], count)
    row, node = row_numbers(ptr), links.node[at].astype(np.int64)
    left = links.length[rows][row] - links.step[at]
    key = row * width + node  # a class is on a link once
    order = np.argsort(key)
    ranked = key[order]
    below_top = (links.lca[rows] == len(hierarchy))[row] & (left == 1)
    parent_ptr = hierarchy.parent_ptr
    going = np.flatnonzero((left > 0) & ~below_top)
    first = parent_ptr[node[going]]
    n_parents = parent_ptr[node[going] + 1] - first
    lower = np.repeat(going, n_parents)
    wanted = row[lower] * width + hierarchy.parents[ragged_ranges(first, n_parents)]
    place = np.minimum(np.searchsorted(ranked, wanted), max(len(ranked) - 1, 0))
    upper = order[place]
    right = (ranked[place] == wanted) & (left[upper] == left[lower] - 1)
    lower, upper = lower[right], upper[right]
    last = np.flatnonzero(below_top)
    if len(last):
        lower = np.concatenate([lower, last])
        upper = np.concatenate([upper, ptr[row[last] + 1] - 1])
        sort = np.argsort(lower, kind="stable")
        lower, upper = lower[sort], upper[sort]
    return LinkEdges(at, ptr, row, left, lower, upper)
