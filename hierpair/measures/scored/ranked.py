"""Ranked predictions: how far the first k classes are from the true one, and from the best k."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from hierpair.errors import BadInput, Infeasible, check_choice, shown
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.labels import LabelSets
from hierpair.measures.scored.nearest_classes import (
    class_distances,
    largest_distance,
    nearest_distances,
)
from hierpair.measures.scored.rankings import Rankings
from hierpair.pairing import Cost, RightIsFree

__all__ = ["IDEALS", "Ranked"]

NOISE = 1e-12
"""Means of differences below this share of the largest distance are 0 but for rounding."""

IDEALS = ("instances", "classes")
"""Whose best rankings similarities are compared with: those of the true class of every instance,
or of every class once."""

Kept = TypeVar("Kept")


@dataclass(frozen=True, eq=False)
class Ranked:
    """Rankings beside the true classes, and what is computed once of them.

    Parameters
    ----------
    truth
        One class per instance.
    rankings
        Of the same instances in the same order.
    """

    truth: LabelSets
    rankings: Rankings
    known: dict[Hashable, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        several = np.flatnonzero(self.truth.lengths != 1)
        if len(several):
            i = int(several[0])
            raise BadInput(
                f"a ranking is compared with one true class, and there are {self.truth.lengths[i]}",
                self.rankings.name(i) if self.truth.ids is None else self.truth.ids[i],
            )

    def __len__(self) -> int:
        return len(self.truth)

    def top_is_wrong(self) -> Bools:
        """Return whether the first class is not the true one, shape ``(n_instances,)``."""
        wrong: Bools = self.first(1)[:, 0] != self.truth.indices
        return wrong

    def first(self, k: int) -> Ints:
        """Return the first k classes, shape ``(n_instances, k)``."""
        return self._once(("first", k), lambda: self.rankings.first(k))

    def distances(self, k: int, cost: Cost) -> Floats:
        """Return how far the first k classes are from the true one, shape ``(n_instances, k)``.

        Raises
        ------
        BadInput
            If a class costs something to get right.
        Infeasible
            If a class has no common ancestor with the true one.
        """
        return self._once(("distances", k, cost), lambda: self._distances(k, cost))

    def _distances(self, k: int, cost: Cost) -> Floats:
        h, true = self.rankings.hierarchy, self.truth.indices.astype(np.int64)
        first = self.first(k)
        try:
            found = class_distances(h, RightIsFree(cost), true, first)
        except BadInput as error:
            if not isinstance(error.instance, int):
                raise
            raise BadInput(error.reason, self.rankings.name(error.instance)) from error
        if np.isinf(found).any():
            i, j = np.argwhere(np.isinf(found))[0]
            names = shown(h.names[first[i, j]]), shown(h.names[true[i]])
            raise Infeasible(
                f"the ranked class {names[0]} and the true class {names[1]} have no common "
                "ancestor; put a class above all roots, or give distances as cost=matrix('FILE')",
                self.rankings.name(int(i)),
            )
        return found

    def nearest(self, k: int, cost: Cost) -> Floats:
        """Return the k least distances to the true class of every instance, ascending."""

        def found() -> Floats:
            used, place = np.unique(self.truth.indices.astype(np.int64), return_inverse=True)
            near = nearest_distances(self.rankings.hierarchy, cost, used, self._candidates, k)
            whole: Floats = near[place]
            return whole

        return self._once(("nearest", k, cost), found)

    def nearest_of_classes(self, k: int, cost: Cost) -> Floats:
        """Return the k least distances to every class that can be ranked, ascending."""
        h, classes = self.rankings.hierarchy, self._candidates
        key = ("of classes", k, cost)
        return self._once(key, lambda: nearest_distances(h, cost, classes, classes, k))

    def largest(self, cost: Cost) -> float:
        """Return the largest distance between two classes that can be ranked."""
        h = self.rankings.hierarchy
        return self._once(("largest", cost), lambda: largest_distance(h, cost, self._candidates))

    @property
    def _candidates(self) -> Ints:
        return self.rankings.by_name

    def _once(self, key: Hashable, compute: Callable[[], Kept]) -> Kept:
        if key not in self.known:
            self.known[key] = compute()
        found: Kept = self.known[key]
        return found

    # ------------------------------------------------------------------------- the numbers

    def accuracy(self, k: int) -> float:
        """Return the share of instances whose true class is among the first k."""
        return _mean((self.first(k) == self.truth.indices[:, None]).any(axis=1))

    def mean_distance(self, k: int, cost: Cost) -> float:
        """Return the mean distance of the first k classes: AHD@k."""
        return _mean(self.distances(k, cost))

    def mean_distance_of_mistakes(self, k: int, cost: Cost) -> float:
        """Return the same over the instances whose first class is wrong; nan if there is none."""
        return _mean(self.distances(k, cost)[self.top_is_wrong()])

    def mean_of_nearest(self, k: int, cost: Cost) -> float:
        """Return the mean distance of the nearest of the first k classes."""
        return _mean(self.distances(k, cost).min(axis=1)) if len(self) else math.nan

    def share_of_ball(self, k: int, cost: Cost) -> float:
        """Return the mean share of the first k that are among the k nearest, with what ties them.

        The ball of a true class has the least radius that holds k classes or more.
        """
        radius = self.nearest(k, cost)[:, -1:]
        return _mean(self.distances(k, cost) <= radius)

    def similarity_share(
        self, k: int, cost: Cost, largest: float | None = None, ideal: str = "instances"
    ) -> float:
        """Return the similarities 1 − d/D of the first k, as a share of those of the best k.

        ``ideal="classes"`` compares mean similarities with the mean over all classes.

        Raises
        ------
        BadInput
            If a class is further away than the largest distance, so that its similarity would be
            negative.
        Infeasible
            If a class has no common ancestor with the true one, or with too few others.
        """
        check_choice("ideal", ideal, IDEALS)
        best = self.nearest if ideal == "instances" else self.nearest_of_classes
        top = self.largest(cost) if largest is None else largest
        found, nearest = self.distances(k, cost), best(k, cost)
        self._refuse_further(found, top)
        if np.isinf(nearest).any():
            raise Infeasible(
                f"not every class has a common ancestor with {k} that are ranked, so similarities "
                "have no largest sum; put a class above all roots, or take ideal='instances'"
            )
        if nearest.max(initial=0) > top:
            raise BadInput(
                f"the {k} nearest classes are up to {nearest.max():g} away, and the largest "
                f"distance is {top:g}; give a larger one as largest=…"
            )
        if not top:
            return math.nan  # a single class: nothing is further than anything else
        below = _mean(top - nearest)  # not shares of the top, whose rounding hides that it is 0
        return _mean(top - found) / below if below > NOISE * top else math.nan

    def _refuse_further(self, found: Floats, top: float) -> None:
        """Refuse a distance beyond the one that is no similarity at all."""
        further = np.argwhere(found > top)
        if len(further):
            i, j = map(int, further[0])
            names = self.rankings.hierarchy.names
            raise BadInput(
                f"the ranked class {shown(names[self.first(j + 1)[i, j]])} is at the distance "
                f"{found[i, j]:g} from the true class {shown(names[self.truth.indices[i]])}, and "
                f"the largest is {top:g}; give a larger one as largest=…",
                self.rankings.name(i),
            )


def _mean(values: Floats | Bools) -> float:
    return float(values.mean()) if values.size else math.nan
