"""The published pairing: predictions choose in a fixed order, each the class that is left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.overlap import Overlaps
from hierpair.confusion.root_paths import Paths
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers

__all__ = ["greedy_pairs"]


def greedy_pairs(o: Overlaps) -> NDArray[np.bool_]:
    """Return which pairs are chosen, shape ``(n_pairs,)``.

    Predictions are ordered once by their largest overlap with any true class, largest first, of
    equal ones the larger list of names first; each takes the class with the largest overlap that
    is left, of equal ones the first (Riehl et al. 2023, §IV-D, with the tie order of the
    published tables). All instances choose at the same time, prediction by prediction.
    """
    chosen = np.zeros(len(o.path), dtype=bool)
    if not len(o.path):
        return chosen
    n_paths = len(o.paths)
    best = np.full(n_paths, -1, dtype=np.int64)
    np.maximum.at(best, o.path, o.tp)
    owner = row_numbers(o.paths.ptr)
    order = np.lexsort((-_text_ranks(o.hierarchy, o.paths), -best, owner))
    turn = np.empty(n_paths, dtype=np.int64)
    turn[order] = np.arange(n_paths) - o.paths.ptr[owner[order]]
    free = np.ones(len(o.targets.classes), dtype=bool)
    by_turn = np.lexsort((o.target, -o.tp, o.path, turn[o.path]))
    rounds = turn[o.path[by_turn]]
    for r in range(int(rounds[-1]) + 1):
        lo, hi = np.searchsorted(rounds, [r, r + 1])
        pairs = by_turn[lo:hi]
        pairs = pairs[free[o.target[pairs]]]
        first = np.ones(len(pairs), dtype=bool)
        first[1:] = o.path[pairs[1:]] != o.path[pairs[:-1]]
        taken = pairs[first]
        chosen[taken] = True
        free[o.target[taken]] = False
    return chosen


def _text_ranks(hierarchy: Hierarchy, paths: Paths) -> NDArray[np.int64]:
    """Return the rank of every path as a list of names, compared letter by letter."""
    names = [str(name) for name in hierarchy.names]
    alphabetical = np.empty(len(names), dtype=np.int64)
    alphabetical[sorted(range(len(names)), key=names.__getitem__)] = np.arange(1, len(names) + 1)
    length = np.diff(paths.node_ptr) + paths.beyond
    table = np.full((int(length.max(initial=0)), len(paths)), -1, dtype=np.int64)
    row = row_numbers(paths.node_ptr)
    table[np.arange(len(row)) - paths.node_ptr[row], row] = alphabetical[paths.nodes]
    blank = np.flatnonzero(paths.beyond)
    table[length[blank] - 1, blank] = 0  # a blank name comes before all others
    order = np.lexsort(table[::-1])
    ranks = np.zeros(len(paths), dtype=np.int64)
    new = (table[:, order[1:]] != table[:, order[:-1]]).any(axis=0)
    ranks[order[1:]] = np.cumsum(new)
    return ranks
