"""Sizes of augmented sets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import excluded_classes
from hierpair.hierarchy.arrays import row_numbers, row_sums
from hierpair.measures.columns import SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence import ARTIFICIAL, Amounts, SetEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch

__all__ = ["SetRecipe", "shown_sets", "shown_sizes"]


@dataclass(frozen=True)
class SetRecipe:
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

    columns: ClassVar[tuple[Column, ...]] = (*SET_SIZES, Column("n_classes", "a class that counts"))

    augment: str = "none"
    root: Any = "include"
    threshold: int | None = None

    def compute(self, batch: Batch) -> Columns:
        """Augment both sets of every instance and count."""
        sizes = np.zeros((3, len(batch)), dtype=np.int64)
        for part in self.cells(batch):
            masks = (part.in_true, part.in_pred, part.in_true & part.in_pred)
            for k, mask in enumerate(masks):
                sizes[k, part.rows] = row_sums(mask, part.row_ptr)
        return {
            "n_true": sizes[0],
            "n_pred": sizes[1],
            "n_both": sizes[2],
            "n_classes": np.full(len(batch), self.n_classes(batch)),
        }

    def entries(self, batch: Batch) -> Entries:
        """Return the classes of both augmented sets of every instance."""
        none, nobody = np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int32)
        nothing = {"n_true": none, "n_pred": none, "n_both": none}
        n_classes = self.n_classes(batch)
        parts = [Entries(0, nobody, nobody, nothing, n_classes)]
        for part in self.cells(batch):
            kept = np.flatnonzero(part.in_true | part.in_pred)  # a mask would be slower to take by
            true, predicted = part.in_true.take(kept), part.in_pred.take(kept)
            row = row_numbers(part.row_ptr).take(kept).astype(np.int32)
            columns = {"n_true": true, "n_pred": predicted, "n_both": true & predicted}
            n = len(part.row_ptr) - 1
            parts.append(Entries(n, row, part.column.take(kept), columns, n_classes))
        return Entries.joined(parts)

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets of a batch of one."""
        return shown_sets(batch, self)

    def cells(self, batch: Batch) -> Iterable[Cells]:
        """Return the augmented sets of a batch."""
        return batch.cells(self.augment, self.root, self.threshold)

    def n_classes(self, batch: Batch) -> int:
        """Return how many classes count."""
        return len(batch.hierarchy) - len(excluded_classes(batch.hierarchy, self.root))


def shown_sets(
    batch: Batch,
    of_true: SetRecipe,
    of_predicted: SetRecipe | None = None,
    amounts: Amounts | None = None,
    counts: Callable[[SetEvidence], Mapping[str, float]] | None = None,
) -> SetEvidence:
    """Name the classes of both augmented sets of a batch of one.

    Parameters
    ----------
    batch
        One instance.
    of_true, of_predicted
        What the true sets are, and the predicted ones if they are something else.
    amounts
        Numbers of classes.
    counts
        What the recipe counts, from what is shown; by default the sizes of the sets.
    """
    both = of_true, of_predicted or of_true
    numbers = amounts or Amounts("", np.empty(0, np.int64), np.empty(0))
    remarks = numbers.remarks
    if both[1].augment != of_true.augment:
        grown = "as they are" if both[1].augment == "none" else f"with {both[1].augment}"
        text = f"only the true labels have {of_true.augment}; predicted ones are {grown}"
        remarks = (text, *remarks)
    true, predicted = _members(batch, *both)
    uncut = [replace(r, augment="ancestors") if r.augment == "pruned" else r for r in both]
    before = np.union1d(*_members(batch, *uncut))
    whole = np.union1d(*_members(batch, *(replace(r, root="include") for r in uncut)))
    names = [*batch.hierarchy.names, ARTIFICIAL]

    def named(classes: NDArray[np.integer]) -> tuple[Hashable, ...]:
        return tuple(names[c] for c in classes.tolist())

    shown = SetEvidence(
        of_true.augment,
        named(np.intersect1d(true, predicted)),
        named(np.setdiff1d(true, predicted)),
        named(np.setdiff1d(predicted, true)),
        named(np.setdiff1d(whole, before)),
        named(np.setdiff1d(before, np.union1d(true, predicted))),
        numbers.word,
        tuple(zip(named(numbers.classes), numbers.numbers.tolist(), strict=True)),
        remarks,
    )
    return replace(shown, counts=tuple((counts or shown_sizes)(shown).items()))


def shown_sizes(shown: SetEvidence) -> dict[str, float]:
    """Return the sizes of the sets that are shown."""
    both = len(shown.shared)
    n_true, n_pred = both + len(shown.only_true), both + len(shown.only_predicted)
    return {"n_true": n_true, "n_pred": n_pred, "n_both": both}


def _members(
    batch: Batch, of_true: SetRecipe, of_predicted: SetRecipe
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes of the true and of the predicted augmented set."""
    none = np.empty(0, dtype=np.int64)
    true = [p.column[p.in_true] for p in of_true.cells(batch)]
    predicted = [p.column[p.in_pred] for p in of_predicted.cells(batch)]
    return np.concatenate([none, *true]), np.concatenate([none, *predicted])
