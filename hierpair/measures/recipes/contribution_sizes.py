"""Columns of Sun & Lim: wrong and missing classes contribute by how near they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Array, Bools, offsets, row_sums
from hierpair.measures.columns import N_NEITHER, SET_SIZES, Column
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.units import Counted, Units
from hierpair.pairing import checked_cost, cost_named


def unit_of(theta: Any) -> float:
    """Return what contributions are multiples of: the acceptable distance, if it is a number.

    So whole distances give whole contributions, and ratios of them are rounded once.
    """
    return 1.0 if theta == "mean" else float(theta)


@dataclass(frozen=True)
class ContributionRecipe(Counted):
    """Right, wrong and missing classes, and the contributions of the last two.

    A wrong class earns ``1 - distance / theta``, summed over all true classes of its instance, the
    sum cut at -1 and 1; a missing class the same over all predicted ones (Costa et al. 2007,
    eqs 7–10). An infinite distance, as between the trees of a forest, makes the whole sum -1.

    Parameters
    ----------
    cost
        The distance: a name or a callable.
    theta
        The acceptable distance, or ``"mean"``: the mean over all pairs of classes that count.
        With ``1 - CS`` as distance that is ``(CS - ACS) / (1 - ACS)`` (eq. 17).
    root
        As for :class:`SetRecipe`; what does not count is no label.
    """

    family: ClassVar = "contribution"
    columns: ClassVar = (
        *SET_SIZES,
        N_NEITHER,
        Column("contribution_true", "1 / theta of what missing classes contribute", float),
        Column("contribution_pred", "1 / theta of what wrong classes contribute", float),
    )

    kept: ClassVar = True

    cost: Any = "hops"
    theta: Any = 2
    root: Any = "exclude"

    def shown_as(self, column: Column) -> tuple[str, float]:
        """Return what a column is called; contributions are shown as they are."""
        title = column.unit.removeprefix("1 / theta of ")
        return title, 1 if title == column.unit else unit_of(self.theta)

    def remarks(self, batch: Batch) -> list[str]:
        """Return how contributions come about."""
        return [
            "a contribution is the sum of 1 - d/theta over the classes of the other side, the "
            "sum cut at -1 and 1; without a common ancestor it is -1"
        ]

    def scale(self, hierarchy: Hierarchy, counted: Bools) -> float:
        """Return the acceptable distance."""
        if self.theta != "mean":
            return float(self.theta)
        cost = cost_named(self.cost)
        if not hasattr(cost, "mean_between"):
            raise BadInput(
                "theta='mean' needs a cost that knows its mean over all pairs of classes: "
                "cosine, or a matrix; give theta as a number"
            )
        mean = float(cost.mean_between(hierarchy, np.flatnonzero(counted)))
        if not mean > 1e-12:
            raise BadInput(
                "all classes are alike (their mean distance is 0, ACS is 1), so no acceptable "
                "distance follows from them; give theta as a number"
            )
        return mean

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the labels of all true sets, then of all predicted ones, with what they earn."""
        counted = self.counted(batch.hierarchy)
        pairs = batch.pairs(None)
        theta = self.scale(batch.hierarchy, counted)
        distance = checked_cost(cost_named(self.cost), pairs).astype(np.float64)
        if self.theta == "mean":
            theta, distance = 1.0, distance / theta
        kept = counted[pairs.predicted] & counted[pairs.true]
        same = kept & (pairs.predicted == pairs.true)
        gain = np.where(kept, theta - distance, 0.0)
        for side, sets, at in (
            ("true", batch.y_true, pairs.true_at), ("pred", batch.y_pred, pairs.predicted_at),
        ):  # fmt: skip
            n = len(sets.indices)
            known = counted[sets.indices]
            credit = np.clip(np.bincount(at, gain, minlength=n), -theta, theta)[known]
            right = (np.bincount(at[same], minlength=n) > 0)[known]
            here = np.ones(len(right), dtype=bool)
            columns: dict[str, Array] = {
                f"n_{side}": here,
                f"contribution_{side}": np.where(right, 0.0, credit),
                "n_neither": -(here if side == "true" else ~right).astype(np.int8),
            }
            if side == "true":
                columns["n_both"] = right
            pointer = offsets(row_sums(known, sets.indptr))
            yield Units(0, pointer, sets.indices[known], columns)
