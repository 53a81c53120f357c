"""Classes in the order of their scores: the first k of every instance, and how far they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hierpair.errors import BadInput, Infeasible, check_choice, counted, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure, descendant_sums
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Indices,
    Ints,
    offsets,
    ragged_ranges,
    row_numbers,
)
from hierpair.measures.scored.system import Scored
from hierpair.pairing import Cost, Height, Pairs, RightIsFree, checked_cost, cost_named

__all__ = [
    "CANDIDATES",
    "TIES",
    "Ranked",
    "class_distances",
    "largest_distance",
    "nearest_distances",
    "ranked_classes",
]

CANDIDATES = ("leaves", "all")
"""Which classes are ranked: those without children, or all but a single root."""

TIES = ("error", "name")
"""What is done where equal scores leave open which classes are among the first k."""

Kept = TypeVar("Kept")


@dataclass(frozen=True, eq=False)
class Ranked:
    """Rankings beside the true classes; what is computed of them is computed once per system.

    Attributes
    ----------
    scored
        Scores, the highest of which is ranked first, beside one true class per instance. Classes
        that are not listed have 0 and stand last, by name; a ranking that was given as one
        (:attr:`NodeScores.holds`) says nothing of the classes that it does not name.
    candidates, ties
        A word of :data:`CANDIDATES` and one of :data:`TIES`.
    """

    scored: Scored
    candidates: str = "leaves"
    ties: str = "error"

    def __post_init__(self) -> None:
        check_choice("ties", self.ties, TIES)
        lengths = self.scored.truth.lengths
        if (lengths != 1).any():
            i = int((lengths != 1).argmax())
            raise BadInput(
                f"a ranking is compared with one true class, and there are {lengths[i]}",
                self.scored.who(i),
            )

    @property
    def true(self) -> Ints:
        """The true class of every instance."""
        return self.scored.truth.indices.astype(np.int64)

    @property
    def classes(self) -> Ints:
        """The classes that can be ranked, by name."""
        return ranked_classes(self.scored.hierarchy, self.candidates)

    def wrong(self) -> Bools:
        """Return whether the first class is not the true one."""
        wrong: Bools = self.first(1)[:, 0] != self.true
        return wrong

    def first(self, k: int) -> Ints:
        """Return the first k classes of every instance, shape ``(n_instances, k)``.

        Raises
        ------
        BadInput
            If a ranking is shorter, or equal scores leave open which classes these are.
        """
        return self._once("first", lambda: self._first(k), k)

    def _order(self) -> tuple[Ints, Ints, Floats]:
        """Return row pointers, classes and scores of the candidates, by falling score."""
        scores, by_name = self.scored.scores, self.classes
        place = np.full(len(self.scored.hierarchy), -1)
        place[by_name] = np.arange(len(by_name))
        kept = place[scores.indices] >= 0
        row, node = row_numbers(scores.indptr)[kept], scores.indices[kept]
        value = scores.values[kept]
        order = np.lexsort((place[node], -value, row))
        indptr = offsets(np.bincount(row, minlength=len(scores)))
        return indptr, node[order].astype(np.int64), value[order]

    def _first(self, k: int) -> Ints:
        by_name = self.classes
        if k > len(by_name):
            most = counted(len(by_name), "class")
            raise BadInput(f"k is {k}, and a ranking has at most {most}")
        indptr, classes, values = self._once("order", self._order)
        lengths = np.diff(indptr)
        short = np.flatnonzero(lengths < k)
        if self.scored.scores.holds == "ranks" and len(short):
            i = int(short[0])
            raise BadInput(
                f"the ranking names {counted(int(lengths[i]), 'class')}, and k is {k}",
                self.scored.who(i),
            )
        if self.ties == "error":
            self._refuse_ties(k, indptr, values)
        row = row_numbers(indptr)
        column = np.arange(len(classes)) - indptr[row]
        found = np.full((len(lengths), k), -1, dtype=np.int64)
        kept = column < k
        found[row[kept], column[kept]] = classes[kept]
        for i in short.tolist():  # classes with the score 0 follow by name
            rest = by_name[:k][~np.isin(by_name[:k], found[i, : lengths[i]])]
            found[i, lengths[i] :] = rest[: k - lengths[i]]
        return found

    def _refuse_ties(self, k: int, indptr: Ints, values: Floats) -> None:
        """Refuse a k between two equal scores: the order among the first k does not matter."""
        lengths = np.diff(indptr)
        longer = np.flatnonzero(lengths > k)
        last = indptr[longer] + k - 1
        tied = longer[values[last] == values[last + 1]]
        if k < len(self.classes):
            tied = np.append(tied, np.flatnonzero(lengths < k))
        if len(tied):
            i = int(tied.min())
            value = values[indptr[i] + k - 1] if lengths[i] >= k else 0
            raise BadInput(
                f"several classes have the score {value:g}, and which of them are among the first "
                f"{k} is not said; ties='name' takes them by name",
                self.scored.who(i),
            )

    def distances(self, k: int, cost: str | Cost) -> Floats:
        """Return how far the first k classes are from the true one, shape ``(n_instances, k)``.

        Raises
        ------
        BadInput
            If a class costs something to get right.
        Infeasible
            If a class has no common ancestor with the true one.
        """
        return self._once("distances", lambda: self._distances(k, cost_named(cost)), k, cost)

    def _distances(self, k: int, cost: Cost) -> Floats:
        h, first = self.scored.hierarchy, self.first(k)
        try:
            found = class_distances(h, RightIsFree(cost), self.true, first)
        except BadInput as error:
            if not isinstance(error.instance, int):
                raise
            raise BadInput(error.reason, self.scored.who(error.instance)) from error
        if np.isinf(found).any():
            i, j = np.argwhere(np.isinf(found))[0].tolist()
            raise Infeasible(
                f"the ranked class {shown(h.names[first[i, j]])} and the true class "
                f"{shown(h.names[self.true[i]])} have no common ancestor; put a class above all "
                "roots, or give distances as cost=matrix('FILE')",
                self.scored.who(i),
            )
        return found

    def nearest(self, k: int, cost: str | Cost, *, of_classes: bool = False) -> Floats:
        """Return the k least distances to the true class of every instance, ascending.

        With ``of_classes`` those to every class that can be ranked, once each.
        """

        def found() -> Floats:
            h, price, classes = self.scored.hierarchy, cost_named(cost), self.classes
            used, place = (
                (classes, slice(None)) if of_classes else np.unique(self.true, return_inverse=True)
            )
            near: Floats = nearest_distances(h, price, used, classes, k)[place]
            return near

        return self._once("nearest", found, k, cost, of_classes)

    def largest(self, cost: str | Cost) -> float:
        """Return the largest distance between two classes that can be ranked."""
        h, price = self.scored.hierarchy, cost_named(cost)
        key = ("largest distance", price, self.candidates)
        return h.cached(key, lambda: largest_distance(h, price, self.classes))

    def _once(self, what: str, compute: Callable[[], Kept], *of: object) -> Kept:
        return self.scored.shared((what, self.candidates, self.ties, *of), compute)


def ranked_classes(hierarchy: Hierarchy, candidates: str) -> Ints:
    """Return the classes that can be ranked, by name: the leaves, or all but a single root."""
    check_choice("candidates", candidates, CANDIDATES)

    def by_name() -> Ints:
        if candidates == "leaves":
            classes = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
        else:
            classes = np.arange(len(hierarchy))
            if len(hierarchy.root_indices) == 1 and len(hierarchy) > 1:
                classes = classes[1:]
        names = [str(hierarchy.names[c]) for c in classes]
        order = sorted(range(len(names)), key=names.__getitem__)
        return classes[order].astype(np.int64)

    return hierarchy.cached(("ranked", candidates), by_name)


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
        reached = np.full(len(part), np.inf)
        big = n_below[up] >= k
        np.minimum.at(reached, row[big], height[big])
        near = ~big & (height < reached[row])
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
        least = np.repeat(reached[:, None], k, axis=1)
        least[row[at < k], at[at < k]] = height[at < k]
        found[lo : lo + step] = np.minimum(least, reached[:, None])
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
