"""Evidence in which classes weigh: by depth, or by what a wrong class costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import (
    Hierarchy,
    ancestor_sums,
    depth_weights,
    descendant_sums,
    sibling_shares,
    uncounted,
)
from hierpair.hierarchy.arrays import row_numbers, row_sums
from hierpair.measures.evidence import AugmentedSets, Batch, SetRecipe, parents_shared
from hierpair.measures.pooling import Counts

__all__ = ["COSTS", "DepthRecipe", "HLossRecipe"]

COSTS = ("sibling", "ones", "subtree")
"""What a wrong class costs in the H-loss."""


@dataclass(frozen=True)
class DepthRecipe:
    """Weights of the augmented sets, in which a class weighs less the deeper it lies.

    Parameters
    ----------
    w0, depth
        As for :func:`hierpair.hierarchy.depth_weights`.
    normalise
        What ``worst`` is: 1 (``"none"``), twice the heaviest class with all its ancestors
        (``"max-path"``), or the weights of both sets (``"path"``).
    root
        As for :class:`SetRecipe`.
    """

    w0: float = 0.75
    depth: str = "mean"
    normalise: str = "none"
    root: Any = "exclude"

    @property
    def shown(self) -> SetRecipe:
        """The augmented sets."""
        return SetRecipe("ancestors", self.root)

    def compute(self, batch: Batch) -> Counts:
        """Weigh both augmented sets, what they share, and (``cost``) their difference."""
        h = batch.hierarchy
        weight = self._weights(h)
        found = np.zeros((4, len(batch.y_true)))
        for part in self.shown.augmented(batch):
            masks = (
                part.in_true, part.in_pred, part.in_true & part.in_pred,
                part.in_true ^ part.in_pred,
            )  # fmt: skip
            _add(found, part, weight, masks)
        true, predicted, both, cost = found
        if self.normalise == "path":
            worst = true + predicted
        else:
            largest = 2 * self._heaviest(h) if self.normalise == "max-path" else 1.0
            worst = np.full(len(cost), largest)
        n_classes = len(h) - len(uncounted(h, self.root))
        return Counts(true, predicted, both, cost, n_classes, worst=worst)

    def _weights(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        key = ("depth weights", self.w0, self.depth)
        if key not in hierarchy.cache:
            hierarchy.cache[key] = depth_weights(hierarchy, self.w0, self.depth)
        found: NDArray[np.float64] = hierarchy.cache[key]
        return found

    def _heaviest(self, hierarchy: Hierarchy) -> float:
        """Return the largest weight of a class with all its ancestors."""
        key = ("heaviest", self.w0, self.depth, self.root)
        if key not in hierarchy.cache:
            weight = self._weights(hierarchy).copy()
            weight[uncounted(hierarchy, self.root)] = 0
            hierarchy.cache[key] = float(ancestor_sums(hierarchy, weight).max())
        return float(hierarchy.cache[key])


@dataclass(frozen=True)
class HLossRecipe:
    """Costs of wrong classes none of whose ancestors is wrong.

    Parameters
    ----------
    costs
        A word of :data:`COSTS`.
    root
        As for :class:`SetRecipe`.
    """

    costs: str = "sibling"
    root: Any = "exclude"

    @property
    def shown(self) -> SetRecipe:
        """The augmented sets."""
        return SetRecipe("ancestors", self.root)

    def compute(self, batch: Batch) -> Counts:
        """Add up the costs; a class counts if all its parents are in both augmented sets."""
        h = batch.hierarchy
        left_out = uncounted(h, self.root)
        cost = self._costs(h)
        found = np.zeros((4, len(batch.y_true)))
        for part in self.shown.augmented(batch):
            both = part.in_true & part.in_pred
            single, n_parents, n_shared = parents_shared(
                h, part.row_ptr, part.column, both, left_out
            )
            counted = np.zeros(len(both), dtype=bool)
            counted[single[n_parents == n_shared]] = True
            counted &= part.in_true | part.in_pred
            _add(found[:1], part, cost, (counted,))
            _add(found[1:], part, None, (part.in_true, part.in_pred, both))
        return Counts(found[1], found[2], found[3], found[0], len(h) - len(left_out))

    def _costs(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        key = ("costs", self.costs)
        if key not in hierarchy.cache:
            cost = np.ones(len(hierarchy))
            if self.costs == "sibling":
                cost = sibling_shares(hierarchy)
            elif self.costs == "subtree":
                cost = descendant_sums(hierarchy, cost) / len(hierarchy)
            hierarchy.cache[key] = cost
        found: NDArray[np.float64] = hierarchy.cache[key]
        return found


def _add(
    found: NDArray[np.float64],
    part: AugmentedSets,
    weight: NDArray[np.float64] | None,
    masks: tuple[NDArray[np.bool_], ...],
) -> None:
    """Add the weights of the classes in each mask, or their number, to the rows of instances."""
    row, n = row_numbers(part.row_ptr), len(part.row_ptr) - 1
    rows = slice(part.first, part.first + n)
    each = None if weight is None else weight[part.column]
    for k, mask in enumerate(masks):
        if each is None:
            found[k, rows] = row_sums(mask, part.row_ptr)
        else:
            found[k, rows] = np.bincount(row[mask], each[mask], minlength=n)
