"""Classes in the order of their scores: the first k of every instance, and how far they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hierpair.errors import BadInput, Infeasible, check_choice, counted, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, row_numbers
from hierpair.measures.scored.nearest_classes import (
    class_distances,
    largest_distance,
    nearest_distances,
)
from hierpair.measures.scored.system import Scored
from hierpair.pairing import Cost, RightIsFree, cost_named

__all__ = ["CANDIDATES", "TIES", "Ranked", "ranked_classes"]

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
            rest = by_name[~np.isin(by_name, found[i, : lengths[i]])]
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
