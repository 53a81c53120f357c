"""From probabilities of classes to the probabilities that a path stops at each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Floats, Ints, offsets, row_numbers
from hierpair.labels.node_scores import NodeScores

__all__ = ["parent_of", "stop_masses"]


def stop_masses(
    scores: NodeScores, *, rescale: bool, tolerance: float
) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Return CSR arrays of (instance, class at which the path stops, probability).

    The class -1 stands for no label: what the roots lack to 1. On a DAG the set of a path is its
    last class with all ancestors, so ``p(v) = sum of stop(u) over v and its descendants u``; from
    the bottom up that gives ``stop(v) = p(v) - sum of stop(u) over proper descendants u``.

    Raises
    ------
    BadInput
        Where a class would stop with a probability below ``-tolerance``.
    """
    h = scores.hierarchy
    rows = row_numbers(scores.indptr)
    if h.shape == "DAG":
        if rescale:
            raise BadInput("excess='rescale' is defined on trees and forests, and this is a DAG")
        stop = _by_closure(scores, rows)
    else:
        if rescale:
            scores = _rescaled(scores)
            rows = row_numbers(scores.indptr)
        stop = _by_children(scores, rows)
    worst = int(stop.argmin()) if len(stop) else 0
    if len(stop) and stop[worst] < -tolerance:
        who = int(rows[worst]) if scores.ids is None else scores.ids[int(rows[worst])]
        top = shown(h.names[int(scores.indices[worst])])
        raise BadInput(
            f"instance {shown(who)}: what is below class {top} "
            f"adds up to {-stop[worst]:.3g} more than it has, so no distribution over single paths "
            "has these probabilities; excess='rescale' scales it down; or give the "
            "scenarios themselves"
        )
    stop = np.maximum(stop, 0.0)
    none = 1 - np.bincount(rows, stop, minlength=len(scores))
    none[none <= tolerance] = 0.0
    keep = stop > 0
    lacking = np.flatnonzero(none > 0)
    row = np.concatenate([rows[keep], lacking])
    tip = np.concatenate([scores.indices[keep], np.full(len(lacking), -1)])
    value = np.concatenate([stop[keep], none[lacking]])
    order = np.lexsort((tip, row))
    indptr = offsets(np.bincount(row, minlength=len(scores)))
    return indptr, tip[order].astype(np.int32), value[order]


def _by_children(scores: NodeScores, rows: Ints) -> Floats:
    """p(v) less the sum over its children, on a tree or forest."""
    h = scores.hierarchy
    parent = parent_of(h)[scores.indices]
    child = np.flatnonzero(parent >= 0)
    if not len(child):
        return scores.values.copy()
    at = scores.place(rows[child], parent[child])
    below = np.bincount(at[at >= 0], scores.values[child][at >= 0], minlength=len(scores.values))
    return scores.values - below


def _by_closure(scores: NodeScores, rows: Ints) -> Floats:
    """Level by level from the bottom: what has stopped below is taken from every ancestor."""
    h = scores.hierarchy
    above = ancestor_closure(h, scores.indices)
    stop = scores.values.copy()
    level = h.levels[scores.indices]
    for deep in np.unique(level)[::-1]:
        here = np.flatnonzero(level == deep)
        nodes = scores.indices[here]
        owner, ancestors = above.expanded(nodes)
        amount, row = stop[here][owner], rows[here][owner]
        proper = ancestors != nodes[owner]
        at = scores.place(row[proper], ancestors[proper])
        np.subtract.at(stop, at[at >= 0], amount[proper][at >= 0])
    return stop


def _rescaled(scores: NodeScores) -> NodeScores:
    """Scale the children of a class down to what it has, from the top (tree or forest)."""
    h = scores.hierarchy
    value = scores.values.copy()
    rows = row_numbers(scores.indptr)
    parent = parent_of(h)[scores.indices]
    level = h.levels[scores.indices]
    at = np.full(len(value), -1, dtype=np.int64)
    child = np.flatnonzero(parent >= 0)
    at[child] = scores.place(rows[child], parent[child])
    for depth in range(int(level.max(initial=0)) + 1):
        here = np.flatnonzero(level == depth)
        key = at[here] if depth else rows[here]
        room = value if depth else np.ones(len(scores))
        total = np.bincount(key, value[here], minlength=len(room))
        share = np.minimum(1.0, np.divide(room, total, out=np.ones(len(room)), where=total > 0))
        value[here] *= share[key]
    return NodeScores(h, scores.indptr, scores.indices, value, scores.ids)


def parent_of(hierarchy: Hierarchy) -> Ints:
    """Return the parent of every class of a tree or forest, -1 for none."""
    parent = np.full(len(hierarchy), -1, dtype=np.int64)
    parent[np.diff(hierarchy.parent_ptr) == 1] = hierarchy.parents
    return parent
