"""Sets in which classes weigh: by counts or as given, by depth, or by what a wrong class costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import depth_weights, excluded_classes, grown_weights, mistake_costs
from hierpair.hierarchy.arrays import Bools, Floats, row_numbers
from hierpair.measures.class_weights import NOT_FINITE, Weighting
from hierpair.measures.columns import SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence.fields import BOTH, ONLY_PREDICTED, ONLY_TRUE, FieldEvidence
from hierpair.measures.recipes.augmentation import Cells, parents_shared
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe, set_fields
from hierpair.measures.recipes.units import Counted, Units

__all__ = ["DepthRecipe", "HLossRecipe", "SharedDepthRecipe", "WeightedSetRecipe"]

SUMS: dict[str, tuple[Callable[[Bools, Bools], Bools], tuple[str, ...]]] = {
    "w_true": (lambda true, predicted: true, (BOTH, ONLY_TRUE)),
    "w_pred": (lambda true, predicted: predicted, (BOTH, ONLY_PREDICTED)),
    "w_both": (lambda true, predicted: true & predicted, (BOTH,)),
    "w_single": (lambda true, predicted: true ^ predicted, (ONLY_TRUE, ONLY_PREDICTED)),
    "tp": (lambda true, predicted: true & predicted, (BOTH,)),
    "fp": (lambda true, predicted: predicted & ~true, (ONLY_PREDICTED,)),
    "fn": (lambda true, predicted: true & ~predicted, (ONLY_TRUE,)),
}
"""The classes that a sum is over, from those of the truth and those of the prediction, and the
fields of evidence that hold them."""


@dataclass(frozen=True)
class WeightedSetRecipe(Counted):
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

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets, with their weights."""
        weight = batch.class_weights(self.weighting)
        shown = set_fields(batch, self.sets, amount="weight", numbers=weight)
        return shown.counted(lambda e: _with_sizes(_totals(e, ("tp", "fp", "fn"))))

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the weights of the classes of both sets; instances need finite ones."""
        weight = batch.class_weights(self.weighting)
        finite = bool(np.isfinite(weight).all())
        for part in self.sets.cells(batch):
            each = weight[part.column]
            if not finite:
                self._refuse_infinite(batch, part, each)
                each[~np.isfinite(each)] = 0  # these do not count
            yield _weighed(part, each, ("tp", "fp", "fn"))

    def compute(self, batch: Batch) -> Columns:
        """Weigh what both sets share and what each has alone."""
        return {**_with_sizes(super().compute(batch)), "n": np.ones(len(batch), np.int64)}

    def entries(self, batch: Batch) -> Entries:
        """Return the classes of both sets: the weight of a class cancels in its own value."""
        return batch.entries(self.sets)

    def _refuse_infinite(self, batch: Batch, part: Cells, each: Floats) -> None:
        odd = np.flatnonzero(~np.isfinite(each) & (part.in_true | part.in_pred))
        instances = part.first + np.searchsorted(part.row_ptr, odd, side="right") - 1
        for at, instance in zip(odd.tolist(), instances.tolist(), strict=True):
            name = batch.hierarchy.names[part.column[at]]
            batch.refuse(self, BadInput(NOT_FINITE.format(shown(name)), instance))


@dataclass(frozen=True)
class DepthRecipe(Counted):
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
    sums: ClassVar = ("w_true", "w_pred", "w_both", "w_single")

    w0: float = 0.75
    depth: str = "mean"
    normalise: str = "none"
    root: Any = "exclude"

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets, with their weights."""
        weight = depth_weights(batch.hierarchy, self.w0, self.depth)
        sets = SetRecipe("ancestors", self.root)
        shown = set_fields(batch, sets, amount="weight", numbers=weight)
        return shown.counted(lambda e: _totals(e, self.sums))

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the weights of the classes of both sets."""
        weight = depth_weights(batch.hierarchy, self.w0, self.depth)
        for part in batch.cells("ancestors", self.root):
            yield _weighed(part, weight[part.column], self.sums)

    def compute(self, batch: Batch) -> Columns:
        """Weigh both augmented sets, what they share, and their difference."""
        if self.normalise == "none":
            return {**super().compute(batch), "w_bound": np.ones(len(batch))}
        sums = batch.columns(replace(self, normalise="none"))  # divided by something else
        if self.normalise == "path":
            return {**sums, "w_bound": sums["w_true"] + sums["w_pred"]}
        heaviest = grown_weights(batch.hierarchy, self.w0, self.depth, self.root).max()
        return {**sums, "w_bound": np.full(len(batch), 2 * float(heaviest))}


@dataclass(frozen=True)
class HLossRecipe(Counted):
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

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets, with the costs of the wrong ones that count."""
        cost = np.full(len(batch.hierarchy), np.nan)
        for part in self.units(batch):
            cost[part.number] = part.columns["cost"]
        shown = set_fields(batch, SetRecipe("ancestors", self.root), amount="cost", numbers=cost)
        return shown.counted(lambda e: {"cost": e.total(ONLY_TRUE, ONLY_PREDICTED)})

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the mistakes of every instance; they are the same whatever they cost."""
        cost = mistake_costs(batch.hierarchy, self.costs)
        found: list[Units] = batch.once(
            ("mistakes", self.root), lambda: [*_mistakes(batch, self.root)]
        )
        for part in found:
            yield part._replace(columns={"cost": cost[part.number]})


@dataclass(frozen=True)
class SharedDepthRecipe:
    """How deep the truth goes, and down to which level the prediction goes with it.

    The depth of a class is its longest way from a root, so that every class is deeper than its
    ancestors. Of two single classes the deepest class that both augmented sets share is their
    deepest common ancestor. Nothing shared, and nothing true, is depth 0.
    """

    family: ClassVar = "depth"
    columns: ClassVar = (
        Column("shared_depth", "a level down to the deepest shared class"),
        Column("true_depth", "a level down to the deepest true class"),
    )

    def compute(self, batch: Batch) -> Columns:
        """Find the deepest classes of both sets and of the true one."""
        shared, true = np.zeros((2, len(batch)), dtype=np.int64)
        for part in batch.cells("ancestors"):
            depth = batch.hierarchy.levels[part.column]
            row = part.first + row_numbers(part.row_ptr)
            for found, mask in ((shared, part.in_true & part.in_pred), (true, part.in_true)):
                np.maximum.at(found, row[mask], depth[mask])
        return {"shared_depth": shared, "true_depth": true}

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets, with their depths."""
        levels = batch.hierarchy.levels
        shown = set_fields(batch, SetRecipe("ancestors"), amount="depth", numbers=levels)
        depth = dict(shown.amounts)
        fields = {"shared_depth": (BOTH,), "true_depth": (BOTH, ONLY_TRUE)}
        return shown.counted(
            lambda e: {
                column: max((depth[c] for c in e.of(*names)), default=0)
                for column, names in fields.items()
            }
        )


def _weighed(part: Cells, each: Floats, sums: tuple[str, ...]) -> Units:
    """Return the weights of cells by the names of :data:`SUMS`."""
    true, predicted = part.in_true, part.in_pred
    columns = {name: each * SUMS[name][0](true, predicted) for name in sums}
    return Units(part.first, part.row_ptr, part.column, columns)


def _totals(shown: FieldEvidence, sums: tuple[str, ...]) -> dict[str, float]:
    """Return what the weights that are shown add up to, by the names of :data:`SUMS`."""
    return {name: shown.total(*SUMS[name][1]) for name in sums}


def _with_sizes(sums: Mapping[str, Any]) -> dict[str, Any]:
    tp = sums["tp"]
    return {**sums, "n_true": tp + sums["fn"], "n_pred": tp + sums["fp"], "n_both": tp}


def _mistakes(batch: Batch, root: Any) -> Iterator[Units]:
    """Return the wrong classes whose parents are all right."""
    left_out = excluded_classes(batch.hierarchy, root)
    for part in batch.cells("ancestors", root):
        single, n_parents, n_shared = parents_shared(
            batch.hierarchy, part.row_ptr, part.column, part.in_true & part.in_pred, left_out
        )
        first = single[n_parents == n_shared]
        first = first[part.in_true[first] | part.in_pred[first]]
        pointer = np.searchsorted(first, part.row_ptr)
        yield Units(part.first, pointer, part.column[first], {})
