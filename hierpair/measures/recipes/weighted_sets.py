"""Sets in which classes weigh: by counts or as given, by depth, or by what a wrong class costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import (
    Hierarchy,
    depth_weights,
    excluded_classes,
    grown_weights,
    mistake_costs,
)
from hierpair.hierarchy.arrays import Bools, Floats, row_numbers
from hierpair.measures.class_weights import Weighting
from hierpair.measures.columns import SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence.base import BOTH, ONLY_TRUE
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.recipes.augmentation import parents_shared
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe, Sets
from hierpair.measures.recipes.units import Counted, Units


@dataclass(frozen=True)
class WeightedSetRecipe(Sets):
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
    sums: ClassVar = ("tp", "fp", "fn")

    weighting: Weighting
    sets: SetRecipe

    def __post_init__(self) -> None:
        if self.sets.threshold is not None:
            raise BadInput(
                "a path threshold puts an artificial class on top, which has no weight; leave "
                "threshold or weights out"
            )

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count."""
        return self.sets.counted(hierarchy)

    def weight(self, batch: Batch) -> Floats:
        """Return the weight of every class."""
        return batch.class_weights(self.weighting)

    def compute(self, batch: Batch) -> Columns:
        """Weigh what both sets share and what each has alone."""
        sums = super().compute(batch)
        sizes = {"n_true": sums["tp"] + sums["fn"], "n_pred": sums["tp"] + sums["fp"]}
        return {**sums, **sizes, "n_both": sums["tp"], "n": np.ones(len(batch), dtype=np.int64)}

    def entries(self, batch: Batch) -> Entries:
        """Return the classes of both sets: the weight of a class cancels in its own value."""
        return batch.entries(self.sets)


@dataclass(frozen=True)
class DepthRecipe(Sets):
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

    @property
    def sets(self) -> SetRecipe:  # type: ignore[override]
        """The augmented sets."""
        return SetRecipe("ancestors", self.root)

    def weight(self, batch: Batch) -> Floats:
        """Return the weight of every class."""
        return depth_weights(batch.hierarchy, self.w0, self.depth)

    def compute(self, batch: Batch) -> Columns:
        """Weigh both augmented sets, what they share, and their difference."""
        sums = super().compute(batch)
        bound = np.ones(len(batch))
        if self.normalise == "path":
            bound = sums["w_true"] + sums["w_pred"]
        elif self.normalise != "none":
            bound *= 2 * grown_weights(batch.hierarchy, self.w0, self.depth, self.root).max()
        return {**sums, "w_bound": bound}


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

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the wrong classes whose parents are all right."""
        h = batch.hierarchy
        cost, left_out = mistake_costs(h, self.costs), excluded_classes(h, self.root)
        for part in batch.cells("ancestors", self.root):
            true, predicted = part.in_true, part.in_pred
            single, n_parents, n_shared = parents_shared(
                h, part.row_ptr, part.column, true & predicted, left_out
            )
            first = single[n_parents == n_shared]
            first = first[true[first] | predicted[first]]
            number = part.column[first]
            yield Units(
                part.first, np.searchsorted(first, part.row_ptr), number, {"cost": cost[number]}
            )


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
        """Name the classes of both augmented sets, and the deepest ones with their depths."""
        h, found = batch.hierarchy, SetRecipe("ancestors").evidence(batch)
        deepest, counts = [], []
        for column, names in zip(self.columns, ((BOTH,), (BOTH, ONLY_TRUE)), strict=True):
            level = {c: float(h.levels[h.position[c]]) for c in found.of(*names)}
            some = [max(level, key=level.__getitem__)] if level else []
            deepest.append(Field(column.unit, tuple(some), tuple(level[c] for c in some)))
            counts.append((column.name, deepest[-1].total))
        fields = (*found.fields, *deepest)
        return replace(found, fields=fields, amount="depth", counts=tuple(counts))
