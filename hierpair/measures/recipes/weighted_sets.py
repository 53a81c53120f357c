"""Sets in which classes weigh: by counts or as given, by depth, or by what a wrong class costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import (
    Hierarchy,
    depth_weights,
    excluded_classes,
    grown_weights,
    mistake_costs,
)
from hierpair.hierarchy.arrays import Bools, Floats, row_numbers
from hierpair.measures.class_weights import NOT_FINITE, Weighting
from hierpair.measures.columns import SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence.fields import (
    BOTH,
    ONLY_PREDICTED,
    ONLY_TRUE,
    SIZES,
    Field,
    FieldEvidence,
)
from hierpair.measures.recipes.augmentation import parents_shared
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


class Weighed(Counted):
    """A recipe that adds up weights of the classes of two augmented sets."""

    sums: ClassVar[tuple[str, ...]]
    sets: SetRecipe

    def weight(self, batch: Batch) -> Floats:
        """Return the weight of every class."""
        raise NotImplementedError

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the weights of the classes of both sets; instances need finite ones."""
        weight = self.weight(batch)
        finite = bool(np.isfinite(weight).all())
        for part in self.sets.cells(batch):
            true, predicted, each = part.in_true, part.in_pred, weight[part.column]
            if not finite:
                odd = np.flatnonzero(~np.isfinite(each) & (true | predicted))
                instances = part.first + np.searchsorted(part.row_ptr, odd, side="right") - 1
                for c, i in zip(part.column[odd].tolist(), instances.tolist(), strict=True):
                    text = NOT_FINITE.format(shown(batch.hierarchy.names[c]))
                    batch.refuse(self, BadInput(text, i))
                each[~np.isfinite(each)] = 0  # these do not count
            columns = {name: each * SUMS[name][0](true, predicted) for name in self.sums}
            yield Units(part.first, part.row_ptr, part.column, columns)

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets, with their weights."""
        found = set_fields(batch, self.sets, amount="weight", numbers=self.weight(batch))
        return found.adding({name: SUMS[name][1] for name in self.sums})


@dataclass(frozen=True)
class WeightedSetRecipe(Weighed):
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
        tp = sums["tp"]
        sizes = {"n_true": tp + sums["fn"], "n_pred": tp + sums["fp"], "n_both": tp}
        return {**sums, **sizes, "n": np.ones(len(batch), dtype=np.int64)}

    def entries(self, batch: Batch) -> Entries:
        """Return the classes of both sets: the weight of a class cancels in its own value."""
        return batch.entries(self.sets)

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets, with their weights."""
        return super().evidence(batch).adding({name: SUMS[name][1] for name in self.sums} | SIZES)


@dataclass(frozen=True)
class DepthRecipe(Weighed):
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
    def sets(self) -> SetRecipe:  # type: ignore[override] # as it follows from the root
        """The augmented sets."""
        return SetRecipe("ancestors", self.root)

    def weight(self, batch: Batch) -> Floats:
        """Return the weight of every class."""
        return depth_weights(batch.hierarchy, self.w0, self.depth)

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
        """Name the classes of both augmented sets, and the deepest ones with their depths."""
        h = batch.hierarchy
        found = set_fields(batch, SetRecipe("ancestors"))
        deepest = []
        for column, names in zip(self.columns, ((BOTH,), (BOTH, ONLY_TRUE)), strict=True):
            classes = max(found.of(*names), key=lambda c: h.levels[h.position[c]], default=None)
            some = () if classes is None else (classes,)
            levels = tuple(float(h.levels[h.position[c]]) for c in some)
            deepest.append(Field(column.unit, some, levels))
        found = replace(found, fields=(*found.fields, *deepest), amount="depth")
        return found.adding({column.name: (column.unit,) for column in self.columns})


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
