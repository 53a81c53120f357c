"""Evidence of Sun & Lim: wrong and missing classes earn credit by how near they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.pooling import ClassEntries, Counts
from hierpair.measures.recipes.set_sizes import Batch, SetRecipe, shown_sets, shown_sizes
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
    """Return what credits are multiples of: the acceptable distance, if it is a number.

    So whole distances give whole credits, and ratios of them are rounded once.
    """
    return 1.0 if theta == "mean" else float(theta)


@dataclass(frozen=True)
class ContributionRecipe:
    """Right, wrong and missing classes, and the credits of the last two.

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
    by_class
        Count per class instead of per instance.
    """

    cost: Any = "hops"
    theta: Any = 2
    root: Any = "exclude"
    by_class: bool = False

    def per_class(self) -> ContributionRecipe:
        """Return the recipe that counts per class."""
        return replace(self, by_class=True)

    def class_entries(self, batch: Batch) -> ClassEntries:
        """Return the labels of every instance with their credits, true ones first."""
        counted = self._counted(batch.hierarchy)
        sides = self._sides(batch, counted)
        true = np.repeat([True, False], [len(side.classes) for side in sides])
        right, credit = (np.concatenate([side[k] for side in sides]) for k in (2, 3))
        fields = {
            "n_true": true,
            "n_pred": ~true,
            "n_both": true & right,
            "contribution_true": np.where(true & ~right, credit, 0.0),
            "contribution_pred": np.where(~true & ~right, credit, 0.0),
        }
        row, column = (np.concatenate([side[k] for side in sides]) for k in (0, 1))
        return ClassEntries(
            len(batch.y_true), row.astype(np.int32), column.astype(np.int32), fields,
            int(counted.sum()), neither=True,
        )  # fmt: skip

    def compute(self, batch: Batch) -> Counts:
        """Count and credit the labels of both sides."""
        h = batch.hierarchy
        counted = self._counted(h)
        sides = self._sides(batch, counted)
        n_classes = int(counted.sum())
        n = len(batch.y_true)
        each = self._tallied(sides, [s.instance for s in sides], n, None, n_classes)
        neither = n_classes - each.n_union
        per_instance = replace(each, n_neither=neither)
        if not self.by_class:
            return per_instance
        batch.cache.setdefault(replace(self, by_class=False), per_instance)
        weight = np.ones(n) if batch.weight is None else batch.weight
        of_class = self._tallied(sides, [s.classes for s in sides], len(h), weight, n_classes)
        neither = np.where(counted, np.maximum(weight.sum() - of_class.n_union, 0), 0)
        return replace(of_class, n_neither=neither)

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
        said = ["a contribution is the sum of 1 - d/theta over the classes of the other side, the "
                "sum cut at -1 and 1"]  # fmt: skip
        said += [
            f"{names[pairs.predicted[k]]} and {names[pairs.true[k]]} have no common ancestor: "
            "their distance is infinite, which makes the whole sum of either -1"
            for k in apart[:SHOWN].tolist()
        ]
        said += [f"and {len(apart) - SHOWN} more such pairs"] * (len(apart) > SHOWN)
        return tuple(said)

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

        return side(batch.y_true, pairs.true_at), side(batch.y_pred, pairs.predicted_at)

    def _tallied(
        self,
        sides: tuple[Side, Side],
        groups: list[NDArray[Any]],
        n: int,
        weight: NDArray[np.float64] | None,
        n_classes: int,
    ) -> Counts:
        """Add up labels and credits by group: instances, or classes with weights."""
        sizes: list[NDArray[Any]] = []
        credits_: list[NDArray[np.float64]] = []
        both: NDArray[Any] = np.zeros(n)
        for side, group in zip(sides, groups, strict=True):
            each = None if weight is None else weight[side.instance]
            sizes.append(np.bincount(group, each, minlength=n))
            earned = side.credit if each is None else side.credit * each
            wrong = ~side.right
            credits_.append(np.bincount(group[wrong], earned[wrong], minlength=n).astype(float))
            right = None if each is None else each[side.right]
            both = np.bincount(group[side.right], right, minlength=n)
        return Counts(
            sizes[0], sizes[1], both, np.zeros(n), n_classes,
            contribution_true=credits_[0], contribution_pred=credits_[1],
        )  # fmt: skip
