"""Sizes of augmented sets, of all classes or those of one level, and the fields that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Bools, Floats
from hierpair.measures.class_weights import NOT_FINITE
from hierpair.measures.columns import N_NEITHER, SET_SIZES, Column
from hierpair.measures.evidence import ARTIFICIAL
from hierpair.measures.evidence.base import ASIDE, BOTH, ONLY_PREDICTED, ONLY_TRUE
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.units import Counted, Units

SUMS: dict[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(("n_true", "w_true"), lambda true, predicted: true),
    **dict.fromkeys(("n_pred", "w_pred"), lambda true, predicted: predicted),
    **dict.fromkeys(("n_both", "w_both", "tp"), lambda true, predicted: true & predicted),
    "w_single": lambda true, predicted: true ^ predicted,
    "fp": lambda true, predicted: predicted & ~true,
    "fn": lambda true, predicted: true & ~predicted,
    "n_neither": lambda true, predicted: -(true | predicted).astype(np.int8),
}
"""The classes that a column adds up, from those of the truth and those of the prediction."""


class Sets(Counted):
    """A recipe that adds up the classes of two augmented sets, or what these weigh."""

    sums: ClassVar[tuple[str, ...]] = ("n_true", "n_pred", "n_both")
    sets: SetRecipe

    def weight(self, batch: Batch) -> Floats | None:
        """Return the weight of every class, or None where they are counted."""
        return None

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the classes of both sets; instances need finite weights."""
        weight = self.weight(batch)
        finite = weight is None or bool(np.isfinite(weight).all())
        for part in self.sets.cells(batch):
            true, predicted = part.in_true, part.in_pred
            columns = {name: SUMS[name](true, predicted) for name in self.sums}
            if weight is not None:
                each = weight[part.column]
                if not finite:
                    odd = np.flatnonzero(~np.isfinite(each) & (true | predicted))
                    instances = part.first + np.searchsorted(part.row_ptr, odd, side="right") - 1
                    for c, i in zip(part.column[odd].tolist(), instances.tolist(), strict=True):
                        text = NOT_FINITE.format(shown(batch.hierarchy.names[c]))
                        batch.refuse(self, BadInput(text, i))
                    each[~np.isfinite(each)] = 0  # these do not count
                columns = {name: each * among for name, among in columns.items()}
            yield Units(part.first, part.row_ptr, part.column, columns)

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes of both augmented sets of a batch of one, with their weights."""
        (part,) = self.sets.cells(batch)
        h, true, predicted, weight = batch.hierarchy, part.in_true, part.in_pred, self.weight(batch)
        aside, augment = ~(true | predicted), self.sets.augment
        excluded = np.isin(part.column, [*excluded_classes(h, self.sets.root), len(h)])
        fields = {
            BOTH: true & predicted,
            ONLY_TRUE: true & ~predicted,
            ONLY_PREDICTED: predicted & ~true,
            "not counted": aside & excluded,
            "pruned": aside & ~excluded & (augment == "pruned"),
        }
        names, found = [*h.names, ARTIFICIAL], []
        for name, mask in fields.items():
            classes = part.column[mask].tolist()
            if classes or name not in ASIDE:
                weights: tuple[float, ...] = ()
                if weight is not None and name != "not counted":
                    weights = tuple(weight[classes].astype(np.float64).tolist())
                found.append(Field(name, tuple(names[c] for c in classes), weights))
        title = "labels" if augment == "none" else f"labels with {augment}"
        amount = "" if weight is None else "weight"
        has = {BOTH: (True, True), ONLY_TRUE: (True, False), ONLY_PREDICTED: (False, True)}
        counts = {
            column.name: [name for name in has if SUMS[column.name](*np.array(has[name]))]
            for column in self.columns
            if column.name in SUMS and not column.every
        }
        return FieldEvidence(title, tuple(found), amount).adding(counts)


@dataclass(frozen=True)
class SetRecipe(Sets):
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

    @property
    def sets(self) -> SetRecipe:  # type: ignore[override]
        """The augmented sets: its own."""
        return self

    def n_classes(self, batch: Batch) -> int:
        """Return how many classes count."""
        return len(batch.hierarchy) - len(excluded_classes(batch.hierarchy, self.root))

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
    sums: ClassVar = (*SetRecipe.sums, "n_neither")

    at_level: int | None = None

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
