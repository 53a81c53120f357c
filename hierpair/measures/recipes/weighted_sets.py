"""Evidence in which classes weigh: by depth, or by what a wrong class costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import (
    Hierarchy,
    depth_weights,
    excluded_classes,
    grown_weights,
    mistake_costs,
)
from hierpair.hierarchy.arrays import row_numbers, row_sums
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.pooling import Counts
from hierpair.measures.recipes.pruning import parents_shared
from hierpair.measures.recipes.set_sizes import (
    AugmentedSets,
    Batch,
    SetRecipe,
    shown_sets,
    shown_sizes,
)

__all__ = ["DepthRecipe", "HLossRecipe"]


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
    def sets(self) -> SetRecipe:
        """The augmented sets."""
        return SetRecipe("ancestors", self.root)

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets, with their weights."""
        found = [p.column[p.in_true | p.in_pred] for p in self.sets.augmented(batch)]
        classes = np.concatenate(found)
        weight = depth_weights(batch.hierarchy, self.w0, self.depth)
        return shown_sets(
            batch,
            self.sets,
            amounts=Amounts("weight", classes, weight[classes]),
            counts=_weights_of_sets,
        )

    def compute(self, batch: Batch) -> Counts:
        """Weigh both augmented sets, what they share, and (``cost``) their difference."""
        if self.normalise != "none":  # the same sums, divided by something else
            sums = batch.counts(replace(self, normalise="none"))
            return replace(sums, worst=self._worst(batch.hierarchy, sums))
        h = batch.hierarchy
        weight = depth_weights(h, self.w0, self.depth)
        found = np.zeros((4, len(batch.y_true)))
        for part in self.sets.augmented(batch):
            masks = (
                part.in_true, part.in_pred, part.in_true & part.in_pred,
                part.in_true ^ part.in_pred,
            )  # fmt: skip
            _add(found, part, weight, masks)
        true, predicted, both, cost = found
        n_classes = len(h) - len(excluded_classes(h, self.root))
        return Counts(true, predicted, both, cost, n_classes, worst=np.ones(len(cost)))

    def _worst(self, hierarchy: Hierarchy, sums: Counts) -> NDArray[np.float64]:
        if self.normalise == "path":
            both_sides: NDArray[np.float64] = sums.n_true + sums.n_pred
            return both_sides
        heaviest = grown_weights(hierarchy, self.w0, self.depth, self.root).max()
        return np.full(len(sums.cost), 2 * float(heaviest))


@dataclass(frozen=True)
class HLossRecipe:
    """Costs of wrong classes none of whose ancestors is wrong.

    Parameters
    ----------
    costs
        A word of :data:`hierpair.hierarchy.COSTS`.
    root
        As for :class:`SetRecipe`.
    """

    costs: str = "sibling"
    root: Any = "exclude"

    @property
    def sets(self) -> SetRecipe:
        """The augmented sets."""
        return SetRecipe("ancestors", self.root)

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets, with the costs of the wrong ones that count."""
        classes = _mistakes(batch, self.sets).classes
        cost = mistake_costs(batch.hierarchy, self.costs)[classes]
        return shown_sets(
            batch, self.sets, amounts=Amounts("cost", classes, cost), counts=_costs_and_sizes
        )

    def compute(self, batch: Batch) -> Counts:
        """Add up the costs of what is wrong below nothing wrong."""
        h = batch.hierarchy
        mistakes = _mistakes(batch, self.sets)
        n = len(batch.y_true)
        cost: NDArray[np.float64] = np.bincount(
            mistakes.instance, mistake_costs(h, self.costs)[mistakes.classes], minlength=n
        ).astype(np.float64)  # whole numbers where there is none
        true, predicted, both = mistakes.sizes
        return Counts(true, predicted, both, cost, len(h) - len(excluded_classes(h, self.root)))


def _weights_of_sets(shown: SetEvidence) -> dict[str, float]:
    weight = dict(shown.amounts)
    both, true, predicted = (
        math.fsum(weight[c] for c in classes)
        for classes in (shown.shared, shown.only_true, shown.only_predicted)
    )
    return {"n_true": both + true, "n_pred": both + predicted, "n_both": both,
            "cost": true + predicted}  # fmt: skip


def _costs_and_sizes(shown: SetEvidence) -> dict[str, float]:
    return {**shown_sizes(shown), "cost": math.fsum(cost for _, cost in shown.amounts)}


class Mistakes(NamedTuple):
    """Wrong classes whose parents are all right, and the sizes of the augmented sets.

    ``sizes`` holds a row each for the true classes, the predicted ones and what is both.
    """

    instance: NDArray[np.int64]
    classes: NDArray[np.integer]
    sizes: NDArray[np.int64]


def _mistakes(batch: Batch, sets: SetRecipe) -> Mistakes:
    """Return the mistakes of every instance; they are the same whatever they cost."""
    if ("mistakes", sets) in batch.cache:
        known: Mistakes = batch.cache["mistakes", sets]
        return known
    left_out = excluded_classes(batch.hierarchy, sets.root)
    instances, classes = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    sizes = [np.zeros((3, 0), np.int64)]
    for part in sets.augmented(batch):
        both = part.in_true & part.in_pred
        single, n_parents, n_shared = parents_shared(
            batch.hierarchy, part.row_ptr, part.column, both, left_out
        )
        first = single[n_parents == n_shared]
        first = first[part.in_true[first] | part.in_pred[first]]
        instances.append(part.first + row_numbers(part.row_ptr)[first])
        classes.append(part.column[first])
        masks = (part.in_true, part.in_pred, both)
        sizes.append(np.stack([row_sums(mask, part.row_ptr) for mask in masks]))
    found = Mistakes(
        np.concatenate(instances), np.concatenate(classes), np.concatenate(sizes, axis=1)
    )
    batch.cache["mistakes", sets] = found
    return found


def _add(
    found: NDArray[np.float64],
    part: AugmentedSets,
    weight: NDArray[np.float64],
    masks: tuple[NDArray[np.bool_], ...],
) -> None:
    """Add the weights of the classes in each mask to the rows of their instances."""
    row, n = row_numbers(part.row_ptr), len(part.row_ptr) - 1
    rows = slice(part.first, part.first + n)
    each = weight[part.column]
    for k, mask in enumerate(masks):
        found[k, rows] = np.bincount(row[mask], each[mask], minlength=n)
