"""Sets in which classes weigh: by depth, or by what a wrong class costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import depth_weights, excluded_classes, grown_weights, mistake_costs
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures.columns import Column, Columns
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.pruning import parents_shared
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets

__all__ = ["DepthRecipe", "HLossRecipe"]


@dataclass(frozen=True)
class DepthRecipe:
    """Weights of the augmented sets, in which a class weighs less the deeper it lies.

    Parameters
    ----------
    w0, depth
        As for :func:`hierpair.hierarchy.depth_weights`.
    normalise
        What ``w_bound`` is: 1 (``"none"``), twice the heaviest class with all its ancestors
        (``"max-path"``), or the weights of both sets (``"path"``).
    root
        As for :class:`SetRecipe`.
    """

    family: ClassVar = "depth"
    columns: ClassVar = (
        Column("w_true", "weight 1 in the true set", float),
        Column("w_pred", "weight 1 in the predicted set", float),
        Column("w_both", "weight 1 in both sets", float),
        Column("w_single", "weight 1 in one of the sets alone", float),
        Column("w_bound", "weight 1 of what could be wrong", float),
    )

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
        found = [p.column[p.in_true | p.in_pred] for p in self.sets.cells(batch)]
        classes = np.concatenate(found)
        weight = depth_weights(batch.hierarchy, self.w0, self.depth)
        return shown_sets(
            batch,
            self.sets,
            amounts=Amounts("weight", classes, weight[classes]),
            counts=_weights_of_sets,
        )

    def compute(self, batch: Batch) -> Columns:
        """Weigh both augmented sets, what they share, and their difference."""
        h = batch.hierarchy
        if self.normalise != "none":  # the same sums, divided by something else
            sums = batch.columns(replace(self, normalise="none"))
            if self.normalise == "path":
                return {**sums, "w_bound": sums["w_true"] + sums["w_pred"]}
            heaviest = grown_weights(h, self.w0, self.depth, self.root).max()
            return {**sums, "w_bound": np.full(len(batch), 2 * float(heaviest))}
        weight = depth_weights(h, self.w0, self.depth)
        found = np.zeros((4, len(batch)))
        for part in self.sets.cells(batch):
            true, predicted = part.in_true, part.in_pred
            row, each = row_numbers(part.row_ptr), weight[part.column]
            n = len(part.row_ptr) - 1
            for k, mask in enumerate((true, predicted, true & predicted, true ^ predicted)):
                found[k, part.rows] = np.bincount(row[mask], each[mask], minlength=n)
        names = [column.name for column in self.columns]
        return dict(zip(names, [*found, np.ones(len(batch))], strict=True))


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

    family: ClassVar = "depth"
    columns: ClassVar = (Column("cost", "a mistake that costs 1", float),)

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
        amounts = Amounts("cost", classes, cost)
        return shown_sets(batch, self.sets, amounts=amounts, counts=_cost_of_mistakes)

    def compute(self, batch: Batch) -> Columns:
        """Add up the costs of what is wrong below nothing wrong."""
        mistakes = _mistakes(batch, self.sets)
        each = mistake_costs(batch.hierarchy, self.costs)[mistakes.classes]
        cost = np.bincount(mistakes.instance, each, minlength=len(batch))
        return {"cost": cost.astype(np.float64)}  # whole numbers where there is none


def _weights_of_sets(shown: SetEvidence) -> dict[str, float]:
    weight = dict(shown.amounts)
    both, true, predicted = (
        math.fsum(weight[c] for c in classes)
        for classes in (shown.shared, shown.only_true, shown.only_predicted)
    )
    found = {"w_true": both + true, "w_pred": both + predicted, "w_both": both}
    return {**found, "w_single": true + predicted}


def _cost_of_mistakes(shown: SetEvidence) -> dict[str, float]:
    return {"cost": math.fsum(cost for _, cost in shown.amounts)}


class Mistakes(NamedTuple):
    """Wrong classes whose parents are all right, and their instances."""

    instance: NDArray[np.int64]
    classes: NDArray[np.integer]


def _mistakes(batch: Batch, sets: SetRecipe) -> Mistakes:
    """Return the mistakes of every instance; they are the same whatever they cost."""
    if ("mistakes", sets) in batch.cache:
        known: Mistakes = batch.cache["mistakes", sets]
        return known
    left_out = excluded_classes(batch.hierarchy, sets.root)
    instances, classes = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for part in sets.cells(batch):
        single, n_parents, n_shared = parents_shared(
            batch.hierarchy, part.row_ptr, part.column, part.in_true & part.in_pred, left_out
        )
        first = single[n_parents == n_shared]
        first = first[part.in_true[first] | part.in_pred[first]]
        instances.append(part.first + row_numbers(part.row_ptr)[first])
        classes.append(part.column[first])
    found = Mistakes(np.concatenate(instances), np.concatenate(classes))
    batch.cache["mistakes", sets] = found
    return found
