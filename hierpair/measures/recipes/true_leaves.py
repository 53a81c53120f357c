"""Columns by true leaf, and of the classes of one level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Bools, row_numbers, row_sums
from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.evidence import SetEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets

__all__ = ["LeafRecipe", "OneLevelRecipe"]


@dataclass(frozen=True)
class LeafRecipe:
    """The true leaves of every instance, and whether its leaves are right.

    Parameters
    ----------
    augment
        Whether the prediction is augmented by its ancestors; for leaves that is the same.
    root
        As for :class:`SetRecipe`.
    """

    family: ClassVar = "level"
    columns: ClassVar = (
        Column("n_true", "a true leaf", support=True),
        Column("n_right", "a true leaf of an instance whose leaves are right"),
    )

    root: Any = "exclude"

    def compute(self, batch: Batch) -> Columns:
        """Count true leaves, and compare the leaves of both sides."""
        found = {column.name: np.zeros(len(batch), dtype=np.int64) for column in self.columns}
        for part, true, right in self._leaves(batch):
            n_true = row_sums(true, part.row_ptr)
            found["n_true"][part.rows] = n_true
            found["n_right"][part.rows] = n_true * right
        return found

    def entries(self, batch: Batch) -> Entries:
        """Return the true leaves of every instance."""
        n_leaves = int(_leaves_of(batch.hierarchy, self.root).sum())
        nobody, nothing = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=bool)
        parts = [Entries(0, nobody, nobody, {"n_true": nothing, "n_right": nothing}, n_leaves)]
        for part, true, right in self._leaves(batch):
            row = row_numbers(part.row_ptr)[true]
            columns = {"n_true": np.ones(len(row), dtype=bool), "n_right": right[row]}
            n = len(part.row_ptr) - 1
            parts.append(Entries(n, row.astype(np.int32), part.column[true], columns, n_leaves))
        return Entries.joined(parts)

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both sets."""
        h = batch.hierarchy
        leaf = {h.names[c] for c in np.flatnonzero(_leaves_of(h, self.root)).tolist()}

        def counts(shown: SetEvidence) -> dict[str, float]:
            n_true = len(leaf.intersection((*shown.shared, *shown.only_true)))
            wrong = leaf.intersection((*shown.only_true, *shown.only_predicted))
            return {"n_true": n_true, "n_right": 0 if wrong else n_true}

        return shown_sets(batch, SetRecipe("none", self.root), counts=counts)

    def _leaves(self, batch: Batch) -> Iterable[tuple[Cells, Bools, Bools]]:
        """Return which labels are true leaves, and of which instances the leaves are right."""
        leaf = _leaves_of(batch.hierarchy, self.root)
        for part in batch.cells("none", self.root):
            counts = leaf[part.column]
            wrong = row_sums(counts & (part.in_true ^ part.in_pred), part.row_ptr) > 0
            yield part, counts & part.in_true, ~wrong


def _leaves_of(hierarchy: Hierarchy, root: Any) -> Bools:
    leaf: NDArray[np.bool_] = np.diff(hierarchy.child_ptr) == 0
    leaf[excluded_classes(hierarchy, root)] = False
    return leaf


@dataclass(frozen=True)
class OneLevelRecipe(SetRecipe):
    """Sizes of label sets without the classes of other levels.

    Parameters
    ----------
    at_level
        The level, 0 for parentless classes, or None for all.
    """

    family: ClassVar = "level"
    columns: ClassVar = (
        *SetRecipe.columns,
        Column("n_neither", "a class that counts and is in neither set"),
    )

    at_level: int | None = None

    def compute(self, batch: Batch) -> Columns:
        """Count the classes of both sets, and those of neither."""
        found = super().compute(batch)
        either = found["n_true"] + found["n_pred"] - found["n_both"]
        return {**found, "n_neither": found["n_classes"] - either}

    def entries(self, batch: Batch) -> Entries:
        """Return the classes of both sets of every instance."""
        found = super().entries(batch)
        here = -np.ones(len(found.row), dtype=np.int8)
        return replace(found, columns={**found.columns, "n_neither": here}, every=("n_neither",))

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count.

        Raises
        ------
        BadInput
            If the hierarchy has no such level.
        """
        counts: NDArray[np.bool_] = np.ones(len(hierarchy), dtype=bool)
        counts[excluded_classes(hierarchy, self.root)] = False
        if self.at_level is None:
            return counts
        deepest = int(hierarchy.levels[-1])
        if self.at_level > deepest:
            raise BadInput(
                f"at_level must be a level of the hierarchy, 0 to {deepest}, got {self.at_level}"
            )
        counts &= hierarchy.levels == self.at_level
        return counts

    def cells(self, batch: Batch) -> Iterable[Cells]:
        """Return the sets of a batch; nobody has the classes of other levels."""
        counted = self.counted(batch.hierarchy)
        for part in super().cells(batch):
            here = counted[part.column]
            yield replace(part, in_true=part.in_true & here, in_pred=part.in_pred & here)

    def n_classes(self, batch: Batch) -> int:
        """Return how many classes count."""
        return int(self.counted(batch.hierarchy).sum())
