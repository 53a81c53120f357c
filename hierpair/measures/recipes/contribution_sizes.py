"""Columns of Sun & Lim: wrong and missing classes contribute by how near they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures.columns import SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets, shown_sizes
from hierpair.pairing import checked_cost, cost_named

__all__ = ["ContributionRecipe", "unit_of"]


SHOWN = 5
"""Pairs without a common ancestor that an explanation names."""


class Side(NamedTuple):
    """The labels of one side that count: instance, class, whether right, and their credit."""

    instance: NDArray[np.int64]
    classes: NDArray[np.int32]
    right: NDArray[np.bool_]
    credit: NDArray[np.float64]


def unit_of(theta: Any) -> float:
    """Return what contributions are multiples of: the acceptable distance, if it is a number.

    So whole distances give whole contributions, and ratios of them are rounded once.
    """
    return 1.0 if theta == "mean" else float(theta)


@dataclass(frozen=True)
class ContributionRecipe:
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
        Column("n_neither", "a class that counts and is in neither set"),
        Column("contribution_true", "1 / theta of what missing classes contribute", float),
        Column("contribution_pred", "1 / theta of what wrong classes contribute", float),
    )

    cost: Any = "hops"
    theta: Any = 2
    root: Any = "exclude"

    def entries(self, batch: Batch) -> Entries:
        """Return the labels of every instance with their contributions, true ones first."""
        counted = self._counted(batch.hierarchy)
        sides = self._sides(batch, counted)
        true = np.repeat([True, False], [len(side.classes) for side in sides])
        right, credit = (np.concatenate([side[k] for side in sides]) for k in (2, 3))
        columns = {
            "n_true": true,
            "n_pred": ~true,
            "n_both": true & right,
            "n_neither": -(true | ~right).astype(np.int8),
            "contribution_true": np.where(true & ~right, credit, 0.0),
            "contribution_pred": np.where(~true & ~right, credit, 0.0),
        }
        row, number = (np.concatenate([side[k] for side in sides]) for k in (0, 1))
        return Entries(
            len(batch),
            row.astype(np.int32),
            number.astype(np.int32),
            columns,
            int(counted.sum()),
            every=("n_neither",),
        )

    def compute(self, batch: Batch) -> Columns:
        """Count and credit the labels of both sides."""
        counted = self._counted(batch.hierarchy)
        sides = self._sides(batch, counted)
        n = len(batch)
        n_true, n_pred = (np.bincount(side.instance, minlength=n) for side in sides)
        n_both = np.bincount(sides[1].instance[sides[1].right], minlength=n)
        earned = [
            np.bincount(side.instance[~side.right], side.credit[~side.right], minlength=n)
            for side in sides
        ]
        return {
            "n_true": n_true,
            "n_pred": n_pred,
            "n_both": n_both,
            "n_neither": int(counted.sum()) - (n_true + n_pred - n_both),
            "contribution_true": earned[0].astype(np.float64),
            "contribution_pred": earned[1].astype(np.float64),
        }

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the labels of both sides, with the contributions of missing and of wrong ones."""
        sides = self._sides(batch, self._counted(batch.hierarchy))
        wrong = [~side.right for side in sides]
        classes, credit = (
            np.concatenate([side[k][w] for side, w in zip(sides, wrong, strict=True)])
            for k in (1, 3)
        )
        unit = unit_of(self.theta)
        amounts = Amounts("contribution", classes, credit / unit, self._remarks(batch))

        def counts(shown: SetEvidence) -> dict[str, float]:
            known = dict(shown.amounts)
            missing, wrong = (
                unit * math.fsum(known[c] for c in side)
                for side in (shown.only_true, shown.only_predicted)
            )
            sizes = shown_sizes(shown)
            return {**sizes, "contribution_true": missing, "contribution_pred": wrong}

        return shown_sets(batch, SetRecipe("none", self.root), amounts=amounts, counts=counts)

    def _remarks(self, batch: Batch) -> tuple[str, ...]:
        """Return how contributions come about, and which pairs alone make them -1."""
        pairs = batch.pairs(None)
        names = batch.hierarchy.names
        distance = checked_cost(cost_named(self.cost), pairs)
        counted = self._counted(batch.hierarchy)
        kept = counted[pairs.predicted] & counted[pairs.true]
        apart = np.flatnonzero(kept & np.isinf(distance))
        remarks = [
            "a contribution is the sum of 1 - d/theta over the classes of the other side, the "
            "sum cut at -1 and 1"
        ]
        remarks += [
            f"{names[pairs.predicted[k]]} and {names[pairs.true[k]]} have no common ancestor: "
            "their distance is infinite, which makes the whole sum of either -1"
            for k in apart[:SHOWN].tolist()
        ]
        remarks += [f"and {len(apart) - SHOWN} more such pairs"] * (len(apart) > SHOWN)
        return tuple(remarks)

    def _counted(self, hierarchy: Hierarchy) -> NDArray[np.bool_]:
        counted = np.ones(len(hierarchy), dtype=bool)
        counted[excluded_classes(hierarchy, self.root)] = False
        return counted

    def scale(self, hierarchy: Hierarchy, counted: NDArray[np.bool_]) -> float:
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

    def _sides(self, batch: Batch, counted: NDArray[np.bool_]) -> tuple[Side, Side]:
        """Return the labels that count, the true ones and the predicted ones."""
        if ("contributions", self) in batch.cache:
            known: tuple[Side, Side] = batch.cache["contributions", self]
            return known
        pairs = batch.pairs(None)
        theta = self.scale(batch.hierarchy, counted)
        distance = checked_cost(cost_named(self.cost), pairs).astype(np.float64)
        if self.theta == "mean":
            theta, distance = 1.0, distance / theta
        kept = counted[pairs.predicted] & counted[pairs.true]
        same = kept & (pairs.predicted == pairs.true)
        gain = np.where(kept, theta - distance, 0.0)

        def side(sets: Any, at: NDArray[np.int64]) -> Side:
            n = len(sets.indices)
            credit = np.clip(np.bincount(at, gain, minlength=n), -theta, theta)
            right = np.bincount(at[same], minlength=n) > 0
            known = counted[sets.indices]
            instance = row_numbers(sets.indptr)
            return Side(instance[known], sets.indices[known], right[known], credit[known])

        found = side(batch.y_true, pairs.true_at), side(batch.y_pred, pairs.predicted_at)
        batch.cache["contributions", self] = found
        return found
