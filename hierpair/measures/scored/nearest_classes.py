"""How far the nearest classes of a true class are, and the furthest two classes of all."""

from __future__ import annotations

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, descendant_sums
from hierpair.hierarchy.arrays import Floats, Indices, Ints, offsets, ragged_ranges
from hierpair.pairing import Cost, Height, Pairs, checked_cost

__all__ = ["class_distances", "largest_distance", "nearest_distances"]

BLOCK_PAIRS = 1_000_000
"""Pairs of classes, or of a true class and an ancestor, that are looked at in one go."""

LIKELY_BELOW = 100
"""Candidates below an ancestor, at most, by which blocks are cut."""

MOST_PAIRS = 200_000_000
"""Pairs of classes that are tried for the largest distance of all, at most."""


def class_distances(hierarchy: Hierarchy, cost: Cost, true: Ints, predicted: Indices) -> Floats:
    """Return the distance of every true class from each of its row's predicted classes.

    Parameters
    ----------
    hierarchy, cost
        The classes, and what a pair costs.
    true
        Shape ``(n,)``.
    predicted
        Shape ``(n, k)``; equal pairs are computed once.

    Raises
    ------
    BadInput
        For what is no cost; names the row.
    """
    key = (true[:, None] * len(hierarchy) + predicted).ravel()
    pairs, place = np.unique(key, return_inverse=True)
    place = place.ravel()
    found = np.empty(len(pairs))
    for lo in range(0, len(pairs), BLOCK_PAIRS):
        part = pairs[lo : lo + BLOCK_PAIRS]
        t, p = np.divmod(part, len(hierarchy))
        try:
            found[lo : lo + BLOCK_PAIRS] = checked_cost(cost, Pairs.of_classes(hierarchy, p, t))
        except BadInput as error:  # it names a pair, and is to name the first row that has it
            if not isinstance(error.instance, int):
                raise
            row = int(np.flatnonzero(place == lo + error.instance)[0]) // predicted.shape[1]
            raise BadInput(error.reason, row) from error
    return found[place].reshape(predicted.shape)


def nearest_distances(
    hierarchy: Hierarchy, cost: Cost, true: Ints, candidates: Ints, k: int
) -> Floats:
    """Return the k least distances of each true class to the candidates, ascending.

    Shape ``(len(true), k)``. Heights of common ancestors need no pairs of classes: of every true
    class they are found on the way up, whatever the number of classes.
    """
    if isinstance(cost, Height):
        return _nearest_heights(hierarchy, true, candidates, k) / cost.unit(hierarchy)
    found = np.empty((len(true), k))
    step = max(1, BLOCK_PAIRS // len(candidates))
    for lo in range(0, len(true), step):
        part = true[lo : lo + step]
        every = np.broadcast_to(candidates, (len(part), len(candidates)))
        distance = class_distances(hierarchy, cost, part, every)
        found[lo : lo + step] = np.sort(np.partition(distance, k - 1, axis=1)[:, :k], axis=1)
    return found


def _nearest_heights(hierarchy: Hierarchy, true: Ints, candidates: Ints, k: int) -> Floats:
    """Return the k least heights of common ancestors with the candidates.

    An ancestor with k candidates or more below it settles all that is left at its height. Only
    the candidates below lower and smaller ancestors are looked at one by one, less than k of each.
    """
    is_candidate = np.bincount(candidates, minlength=len(hierarchy)) > 0
    n_below = descendant_sums(hierarchy, is_candidate.astype(np.float64))
    above = ancestor_closure(hierarchy, np.concatenate([true, candidates]))
    owner, ancestor = above.expanded(candidates)
    small = n_below[ancestor] < k
    owner, ancestor = owner[small], ancestor[small]
    below = candidates[owner[np.argsort(ancestor, kind="stable")]]  # one ancestor after the other
    ptr = offsets(np.bincount(ancestor, minlength=len(hierarchy)))
    found = np.empty((len(true), k))
    step = max(1, BLOCK_PAIRS // max(1, above.longest_row * min(k, LIKELY_BELOW)))
    for lo in range(0, len(true), step):
        part = true[lo : lo + step]
        row, up = above.expanded(part)
        height = hierarchy.heights[up].astype(np.float64)
        settled = np.full(len(part), np.inf)
        big = n_below[up] >= k
        np.minimum.at(settled, row[big], height[big])
        near = ~big & (height < settled[row])
        row, up, height = row[near], up[near], height[near]
        own = np.flatnonzero(is_candidate[part])  # a class is at no distance from itself
        count = np.diff(ptr)[up]
        leaf = np.append(below[ragged_ranges(ptr[up], count)], part[own])
        row, height = np.append(np.repeat(row, count), own), np.repeat(height, count)
        height = np.append(height, np.zeros(len(own)))
        order = np.argsort(height, kind="stable")
        _, first = np.unique((row * len(hierarchy) + leaf)[order], return_index=True)
        nearest = order[np.sort(first)]  # each class once, at its least height
        nearest = nearest[np.argsort(row[nearest], kind="stable")]
        row, height = row[nearest], height[nearest]
        at = np.arange(len(row)) - offsets(np.bincount(row, minlength=len(part)))[row]
        least = np.repeat(settled[:, None], k, axis=1)
        least[row[at < k], at[at < k]] = height[at < k]
        found[lo : lo + step] = np.minimum(least, settled[:, None])
    return found


def largest_distance(hierarchy: Hierarchy, cost: Cost, candidates: Ints) -> float:
    """Return the largest distance of two candidates.

    Heights need no pairs where sums settle it (:func:`_highest_meeting`); on trees they are an
    ultrametric, so that the distances of any one class hold the largest.

    Raises
    ------
    BadInput
        If too many pairs would have to be tried.
    """
    n = len(candidates)
    if isinstance(cost, Height):
        highest = _highest_meeting(hierarchy, candidates)
        if highest is not None:
            return highest / cost.unit(hierarchy)
    single = isinstance(cost, Height) and hierarchy.shape == "tree"
    true = candidates[:1] if single else candidates
    if len(true) * n > MOST_PAIRS:
        raise BadInput(
            f"the largest distance of {n:,} classes would have to be looked for among all their "
            "pairs; give it as largest=…"
        )
    largest = 0.0
    step = max(1, BLOCK_PAIRS // n)
    for lo in range(0, len(true), step):
        part = true[lo : lo + step]
        every = np.tile(candidates, len(part))
        pairs = Pairs.of_classes(hierarchy, every, np.repeat(part, n))
        tried = checked_cost(cost, pairs).astype(np.float64)
        largest = max(largest, float(tried[np.isfinite(tried)].max(initial=0.0)))
    return largest


def _highest_meeting(hierarchy: Hierarchy, candidates: Ints) -> float | None:
    """Return the largest height at which two candidates meet, where sums settle it; else None.

    The distances of a class are at most the height of its lowest ancestor of all candidates. They
    reach it if its lower ancestors have, all together, fewer candidates below them than there are.
    """
    is_candidate = np.zeros(len(hierarchy))
    is_candidate[candidates] = 1
    n_below = descendant_sums(hierarchy, is_candidate)
    owner, up = ancestor_closure(hierarchy, candidates).expanded(candidates)
    height = hierarchy.heights[up].astype(np.float64)
    most = np.full(len(candidates), np.inf)
    over_all = n_below[up] == len(candidates)
    np.minimum.at(most, owner[over_all], height[over_all])
    top = float(most.max())
    lower = height < top
    reached = np.bincount(owner[lower], n_below[up[lower]], minlength=len(candidates))
    nearest = np.isfinite(top) and bool((reached[most == top] < len(candidates)).any())
    return top if nearest else None
