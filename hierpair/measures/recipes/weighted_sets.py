"""Sets in which classes weigh: by counts or as given, by depth, or by what a wrong class costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import depth_weights, excluded_classes, grown_weights, mistake_costs
from hierpair.hierarchy.arrays import Bools, Floats, row_numbers
from hierpair.measures.class_weights import NOT_FINITE, Weighting
from hierpair.measures.columns import SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.pruning import parents_shared
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets

__all__ = ["DepthRecipe", "HLossRecipe", "WeightedSetRecipe"]

MASKS: dict[str, Callable[[Bools, Bools], Bools]] = {
    "w_true": lambda true, predicted: true,
    "w_pred": lambda true, predicted: predicted,
    "w_both": lambda true, predicted: true & predicted,
    "w_single": lambda true, predicted: true ^ predicted,
    "tp": lambda true, predicted: true & predicted,
    "fp": lambda true, predicted: predicted & ~true,
    "fn": lambda true, predicted: true & ~predicted,
}
"""The classes that a sum is over, from those of the truth and those of the prediction."""


def weighted_sums(
    batch: Batch, sets: SetRecipe, weight: Floats, sums: Sequence[str]
) -> dict[str, Floats]:
    """Return sums of weights over the augmented sets, by names of :data:`MASKS`.

    Raises
    ------
    BadInput
        If a class that has no finite weight is in a set; names the instance.
    """
    found = {name: np.zeros(len(batch)) for name in sums}
    finite = bool(np.isfinite(weight).all())
    for part in sets.cells(batch):
        true, predicted = part.in_true, part.in_pred
        row, each = row_numbers(part.row_ptr), weight[part.column]
        if not finite:
            _check_finite(batch, part, each)
            each[~np.isfinite(each)] = 0  # these do not count
        n = len(part.row_ptr) - 1
        for name, sums_of in found.items():  # to add 0 is faster than to gather what counts
            mask = MASKS[name](true, predicted)
            sums_of[part.rows] = np.bincount(row, each * mask, minlength=n)
    return found


def _check_finite(batch: Batch, part: Cells, each: Floats) -> None:
    odd = np.flatnonzero(~np.isfinite(each) & (part.in_true | part.in_pred))
    if len(odd):
        name = batch.hierarchy.names[part.column[odd[0]]]
        instance = part.first + int(np.searchsorted(part.row_ptr, odd[0], side="right")) - 1
        raise BadInput(NOT_FINITE.format(shown(name)), instance)


@dataclass(frozen=True)
class WeightedSetRecipe:
    """Weights of what two augmented sets share, and of what each has alone.

    Parameters
    ----------
    weighting
        What classes weigh.
    sets
        The augmented sets.
    """

    columns: ClassVar = (
        Column("tp", "weight 1 in both sets", float),
        Column("fp", "weight 1 in the predicted set alone", float),
        Column("fn", "weight 1 in the true set alone", float),
        *(replace(size, unit=size.unit.replace("a class", "weight 1", 1), dtype=float)
          for size in SET_SIZES),
        Column("n", "an instance"),
    )  # fmt: skip

    weighting: Weighting
    sets: SetRecipe

    def __post_init__(self) -> None:
        if self.sets.threshold is not None:
            raise BadInput(
                "a path threshold puts an artificial class on top, which has no weight; leave "
                "threshold or weights out"
            )

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets, with their weights."""
        amounts = _amounts(batch, self.sets, batch.class_weights(self.weighting))
        return shown_sets(batch, self.sets, amounts=amounts, counts=_shares_of_sets)

    def compute(self, batch: Batch) -> Columns:
        """Weigh what both sets share and what each has alone."""
        weight = batch.class_weights(self.weighting)
        sums = weighted_sums(batch, self.sets, weight, ("tp", "fp", "fn"))
        whole = {"n_true": sums["tp"] + sums["fn"], "n_pred": sums["tp"] + sums["fp"]}
        return {**sums, **whole, "n_both": sums["tp"].copy(), "n": np.ones(len(batch), np.int64)}

    def entries(self, batch: Batch) -> Entries:
        """Return the classes of both sets: the weight of a class cancels in its own value."""
        return batch.entries(self.sets)


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
        weight = depth_weights(batch.hierarchy, self.w0, self.depth)
        amounts = _amounts(batch, self.sets, weight)
        return shown_sets(batch, self.sets, amounts=amounts, counts=_weights_of_sets)

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
        *names, bound = (column.name for column in self.columns)
        return {**weighted_sums(batch, self.sets, weight, names), bound: np.ones(len(batch))}


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


def _amounts(batch: Batch, sets: SetRecipe, weight: Floats) -> Amounts:
    """Return the weights of the classes of both sets."""
    found = [p.column[p.in_true | p.in_pred] for p in sets.cells(batch)]
    classes = np.concatenate([np.empty(0, np.int32), *found])
    return Amounts("weight", classes, weight[classes])


def _weighed(evidence: SetEvidence) -> list[float]:
    """Return the weights of the classes of both sets, of the true one alone, the predicted one."""
    weight = dict(evidence.amounts)
    return [
        math.fsum(weight[c] for c in classes)
        for classes in (evidence.shared, evidence.only_true, evidence.only_predicted)
    ]


def _shares_of_sets(evidence: SetEvidence) -> dict[str, float]:
    both, true, predicted = _weighed(evidence)
    sizes = {"n_true": both + true, "n_pred": both + predicted, "n_both": both}
    return {"tp": both, "fp": predicted, "fn": true, **sizes}


def _weights_of_sets(evidence: SetEvidence) -> dict[str, float]:
    both, true, predicted = _weighed(evidence)
    found = {"w_true": both + true, "w_pred": both + predicted, "w_both": both}
    return {**found, "w_single": true + predicted}


def _cost_of_mistakes(evidence: SetEvidence) -> dict[str, float]:
    return {"cost": math.fsum(cost for _, cost in evidence.amounts)}


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
