"""The published pairing: predictions choose in a fixed order, each the class that is left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion.path_pairs import PathPairs
from hierpair.confusion.root_paths import Paths
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.pairing import Pairing, Side

__all__ = ["greedy_pairing"]


def greedy_pairing(pairs: PathPairs) -> Pairing:
    """Return the published pairing; its cost counts the FP, as that of the exact one does.

    Predictions are ordered once by their largest overlap with any true class, largest first, of
    equal ones the larger list of names first; each takes the class with the largest overlap that
    is left, of equal ones the first (Riehl et al. 2023, §IV-D, with the tie order of the
    published tables). All instances choose at the same time, prediction by prediction.
    """
    path, target, n_paths = pairs.predicted_at, pairs.true_at, len(pairs.paths)
    lengths, owner = pairs.paths.lengths, pairs.predicted_labels.instance
    chosen = np.zeros(len(path), dtype=bool)
    best = np.full(n_paths, -1, dtype=np.int64)
    np.maximum.at(best, path, pairs.tp)
    names = _text_ranks(pairs.hierarchy, pairs.paths) if n_paths else best
    order = np.lexsort((-names, -best, owner))
    rank = np.empty(n_paths, dtype=np.int64)
    rank[order] = np.arange(n_paths) - pairs.paths.ptr[owner[order]]
    free = np.ones(len(pairs.true_labels.classes), dtype=bool)
    by_round = np.lexsort((target, -pairs.tp, path, rank[path]))
    rounds = rank[path[by_round]]
    for r in range(int(rounds.max(initial=-1)) + 1):
        lo, hi = np.searchsorted(rounds, [r, r + 1])
        left = by_round[lo:hi]
        left = left[free[target[left]]]
        first = np.ones(len(left), dtype=bool)
        first[1:] = path[left[1:]] != path[left[:-1]]
        taken = left[first]
        chosen[taken] = True
        free[target[taken]] = False
    alone = np.ones(n_paths, dtype=np.int64)
    alone[path[chosen]] = 0
    cost = np.bincount(owner, lengths * alone, minlength=len(pairs.ptr) - 1).astype(np.float64)
    cost += np.bincount(pairs.instance[chosen], pairs.fp[chosen], minlength=len(cost))
    missing: dict[Side, NDArray[np.int64]] = {"predicted": alone, "true": free.astype(np.int64)}
    return Pairing(chosen, missing, cost, np.zeros(len(cost)))


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
