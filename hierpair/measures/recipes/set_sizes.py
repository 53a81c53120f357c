"""Sizes of augmented sets, of all classes or those of one level, and the fields that show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Array, Bools
from hierpair.measures.columns import N_NEITHER, SET_SIZES, Column
from hierpair.measures.evidence import ARTIFICIAL
from hierpair.measures.evidence.fields import (
    ASIDE,
    BOTH,
    ONLY_PREDICTED,
    ONLY_TRUE,
    SIZES,
    Field,
    FieldEvidence,
)
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.units import Counted, Units

__all__ = ["OneLevelRecipe", "SetRecipe", "set_fields"]


@dataclass(frozen=True)
class SetRecipe(Counted):
    """Sizes of the augmented sets of every instance, or of every class.

    Parameters
    ----------
    augment
        ``"ancestors"``, ``"descendants"``, ``"pruned"`` or ``"none"``.
    root
        ``"exclude"`` (a single parentless class does not count), ``"include"``, or the name
        of the class that does not count.
    threshold
        Path threshold, or None.
    """

    columns: ClassVar[tuple[Column, ...]] = (
        *SET_SIZES,
        Column("n_classes", "a class that counts", every=True),
    )

    augment: str = "none"
    root: Any = "include"
    threshold: int | None = None

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the classes of both sets."""
        for part in self.cells(batch):
            true, predicted = part.in_true, part.in_pred
            columns = {"n_true": true, "n_pred": predicted, "n_both": true & predicted}
            yield Units(part.first, part.row_ptr, part.column, columns)

    def n_classes(self, batch: Batch) -> int:
        """Return how many classes count."""
        return len(batch.hierarchy) - len(excluded_classes(batch.hierarchy, self.root))

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets of a batch of one."""
        return set_fields(batch, self).adding(SIZES)

    def cells(self, batch: Batch) -> Iterable[Cells]:
        """Return the augmented sets of a batch."""
        return batch.cells(self.augment, self.root, self.threshold)


@dataclass(frozen=True)
class OneLevelRecipe(SetRecipe):
    """Sizes of label sets without the classes of other levels.

    Parameters
    ----------
    at_level
        The level, 0 for parentless classes, or None for all.
    """

    family: ClassVar = "level"
    columns: ClassVar = (*SetRecipe.columns, N_NEITHER)

    at_level: int | None = None

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the classes of both sets, each of which is not in neither."""
        for part in super().units(batch):
            either = part.columns["n_true"] | part.columns["n_pred"]
            yield part._replace(columns={**part.columns, "n_neither": -either.astype(np.int8)})

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count.

        Raises
        ------
        BadInput
            If the hierarchy has no such level.
        """
        counts = super().counted(hierarchy)
        if self.at_level is None:
            return counts
        deepest = int(hierarchy.levels[-1])
        if self.at_level > deepest:
            raise BadInput(
                f"at_level must be a level of the hierarchy, 0 to {deepest}, got {self.at_level}"
            )
        counts &= hierarchy.levels == self.at_level
        return counts

    def n_classes(self, batch: Batch) -> int:
        """Return how many classes count."""
        return int(self.counted(batch.hierarchy).sum())

    def cells(self, batch: Batch) -> Iterable[Cells]:
        """Return the sets of a batch; nobody has the classes of other levels."""
        counted = self.counted(batch.hierarchy)
        for part in super().cells(batch):
            here = counted[part.column]
            yield replace(part, in_true=part.in_true & here, in_pred=part.in_pred & here)


def set_fields(
    batch: Batch, sets: SetRecipe, *, amount: str = "", numbers: Array | None = None
) -> FieldEvidence:
    """Name the classes of both augmented sets of a batch of one.

    Parameters
    ----------
    batch
        One instance.
    sets
        What the sets are.
    amount, numbers
        What numbers of classes are, and those of all classes.
    """
    (part,) = sets.cells(batch)
    h, true, predicted = batch.hierarchy, part.in_true, part.in_pred
    aside = ~(true | predicted)
    excluded = np.isin(part.column, [*excluded_classes(h, sets.root), len(h)])
    fields = {
        BOTH: true & predicted,
        ONLY_TRUE: true & ~predicted,
        ONLY_PREDICTED: predicted & ~true,
        "not counted": aside & excluded,
        "pruned": aside & ~excluded & (sets.augment == "pruned"),
    }
    names, shown = [*h.names, ARTIFICIAL], []
    for name, mask in fields.items():
        classes = part.column[mask]
        if len(classes) or name not in ASIDE:
            weights: tuple[float, ...] = ()
            if numbers is not None and name != "not counted":
                weights = tuple(numbers[classes].astype(np.float64).tolist())
            shown.append(Field(name, tuple(names[c] for c in classes.tolist()), weights))
    title = "labels" if sets.augment == "none" else f"labels with {sets.augment}"
    return FieldEvidence(title, tuple(shown), amount)
