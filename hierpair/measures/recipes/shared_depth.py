"""Depths of the deepest true class, and of the deepest class that both sides share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures.columns import Column, Columns
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets

__all__ = ["SharedDepthRecipe"]

SETS = SetRecipe("ancestors", "include")


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
        found = np.zeros((2, len(batch)), dtype=np.int64)
        for part in SETS.cells(batch):
            depth = batch.hierarchy.levels[part.column]
            row = part.first + row_numbers(part.row_ptr)
            for k, mask in enumerate((part.in_true & part.in_pred, part.in_true)):
                np.maximum.at(found[k], row[mask], depth[mask])
        return dict(zip((c.name for c in self.columns), found, strict=True))

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets, with their depths."""
        found = [p.column[p.in_true | p.in_pred] for p in SETS.cells(batch)]
        classes = np.concatenate([np.empty(0, dtype=np.int32), *found])
        amounts = Amounts("depth", classes, _depths(batch.hierarchy, classes))
        return shown_sets(batch, SETS, amounts=amounts, counts=_deepest)


def _depths(hierarchy: Hierarchy, classes: NDArray[np.integer]) -> NDArray[np.float64]:
    depths: NDArray[np.float64] = hierarchy.levels[classes].astype(np.float64)
    return depths


def _deepest(shown: SetEvidence) -> dict[str, float]:
    depth = dict(shown.amounts)
    true = (*shown.shared, *shown.only_true)
    shared, all_true = (max((depth[c] for c in s), default=0) for s in (shown.shared, true))
    return {"shared_depth": shared, "true_depth": all_true}
