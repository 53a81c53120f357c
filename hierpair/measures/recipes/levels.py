"""Columns of Plaud et al. (2024): levels and leaves that are right, and the shortest path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.labels import LabelSets, lowest_labels
from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.evidence import SetEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.pairings import INFEASIBLE, without
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Degree,
    Hops,
    Pairs,
    Rule,
    formulate,
    solve_pairing,
)

__all__ = ["LevelRecipe", "TipRecipe"]

AUGMENTS = ("ancestors", "none")


@dataclass(frozen=True)
class LevelRecipe:
    """At how many levels an instance is right, and how much it is wrong at each.

    Parameters
    ----------
    groups
        ``"levels"``, or ``"leaves"``: the leaves are one group and other classes none.
    augment
        Whether the prediction is augmented by its ancestors; the truth always is.
    root, absent_level
        As the options of measures.
    """

    family: ClassVar = "level"
    by: ClassVar = "level"  # what its entries are of
    columns: ClassVar = (
        Column("n_judged", "a level that is judged"),
        Column("n_said", "a level with a predicted class"),
        Column("n_right", "a judged level that is right"),
        Column("wrong_share", "a level that is wrong throughout, over the number of levels", float),
    )

    groups: str = "levels"
    augment: str = "ancestors"
    root: Any = "exclude"
    absent_level: str = "skip"

    def __post_init__(self) -> None:
        if self.augment not in AUGMENTS:
            raise BadInput(
                f"levels are compared with augment 'ancestors' or 'none', got {self.augment!r}"
            )

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both sets."""
        both = SetRecipe("ancestors", self.root), SetRecipe(self.augment, self.root)
        return shown_sets(batch, *both, counts=lambda _: {})

    def compute(self, batch: Batch) -> Columns:
        """Compare both sides level by level."""
        group, size = self._groups(batch.hierarchy)
        n_levels = int((size > 0).sum())
        columns: dict[str, NDArray[Any]]
        columns = {c.name: np.zeros(len(batch), dtype=c.dtype) for c in self.columns}
        judged, right = np.zeros((2, len(batch), len(size)), dtype=bool)
        for part in batch.cells("ancestors", of_predicted=self.augment):
            has, said, off = _by_group(part, group, len(size))
            judged[part.rows] = has > 0 if self.absent_level == "skip" else size > 0
            right[part.rows] = judged[part.rows] & (off == 0)
            columns["n_said"][part.rows] = (said > 0).sum(axis=1)
            wrong = (off / np.maximum(size, 1)).sum(axis=1)
            columns["wrong_share"][part.rows] = wrong / max(1, n_levels)
        batch.cache["levels", self] = judged, right, n_levels
        return columns | {"n_judged": judged.sum(axis=1), "n_right": right.sum(axis=1)}

    def entries(self, batch: Batch) -> Entries:
        """Return the levels that are judged of every instance, and whether they are right."""
        batch.columns(self)
        judged, right, n_levels = batch.cache["levels", self]
        row, level = (at.astype(np.int32) for at in np.nonzero(judged))
        every = np.ones(len(row), dtype=bool)
        columns = {"n_judged": every, "n_said": every, "n_right": right[row, level]}
        return Entries(len(batch), row, level, columns, n_levels)

    def _groups(self, hierarchy: Hierarchy) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the group of every class, -1 for none, and the number of classes in each."""
        if self.groups == "levels":
            group = hierarchy.levels.astype(np.int64)
        else:
            group = np.where(np.diff(hierarchy.child_ptr) == 0, 0, -1)
        group[excluded_classes(hierarchy, self.root)] = -1
        n_groups = int(hierarchy.levels[-1]) + 1 if self.groups == "levels" else 1
        return group, np.bincount(group[group >= 0], minlength=n_groups)


def _by_group(part: Cells, group: NDArray[np.int64], n_groups: int) -> list[NDArray[np.int64]]:
    """Return how many classes of every group the truth has, the prediction, and one side alone."""
    n_rows = len(part.row_ptr) - 1
    # Classes of no group, -1, are counted in a last one that is left out again.
    cell = row_numbers(part.row_ptr) * (n_groups + 1) + group[part.column] % (n_groups + 1)
    cell = 4 * cell + (part.in_true + 2 * part.in_pred.view(np.uint8))
    counts = np.bincount(cell, minlength=4 * n_rows * (n_groups + 1))
    _, true, predicted, both = np.moveaxis(counts.reshape(n_rows, n_groups + 1, 4), 2, 0)[:, :, :-1]
    return [true + both, predicted + both, true + predicted]


@dataclass(frozen=True)
class TipRecipe:
    """Distances between the most specific classes of both sides; no class at all is the root."""

    family: ClassVar = "level"
    columns: ClassVar = (Column("cost", "an edge", float), INFEASIBLE)

    tips: str = "best"

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets: their difference is the path between paths."""
        return shown_sets(batch, SetRecipe("ancestors", "include"), counts=lambda _: {})

    def compute(self, batch: Batch) -> Columns:
        """Pair the most specific classes and add up the edges between them."""
        h = batch.hierarchy
        policy = batch.on_infeasible
        (true, no_true), (predicted, no_pred) = (
            _tips(h, sets, policy) for sets in (batch.y_true, batch.y_pred)
        )
        pairs = Pairs.between(h, true, predicted)
        none = no_true | no_pred
        if self.tips == "single":
            several = (true.lengths > 1) | (predicted.lengths > 1)
            if several.any() and policy == "raise":
                raise Infeasible(
                    "several most specific classes are on one side, and tips='single' wants "
                    "one path each; take tips='best'",
                    int(several.argmax()),
                )
            none |= several
        fewest = 1 if self.tips == "best" else AS_MANY_AS_THERE_ARE
        rule = Rule(Hops(), (Degree("predicted", fewest), Degree("true", fewest)))
        pairing = solve_pairing(formulate(rule, pairs), on_infeasible=policy)
        none[pairing.infeasible] = True
        return without({"cost": pairing.cost}, np.flatnonzero(none))


def _tips(
    hierarchy: Hierarchy, sets: LabelSets, policy: str
) -> tuple[LabelSets, NDArray[np.bool_]]:
    """Return the most specific classes of every set; the single root where there is none.

    With several roots there is nothing to stand for no label: such sets are marked.
    """
    row, node = lowest_labels(hierarchy, sets)
    lengths = np.bincount(row, minlength=len(sets))
    none = np.zeros(len(sets), dtype=bool)
    if (lengths == 0).any() and len(hierarchy.root_indices) != 1:
        none = lengths == 0
        if policy == "raise":
            raise Infeasible(
                "no label stands for the root, and the hierarchy has several roots",
                int(lengths.argmin()),
            )
    elif (lengths == 0).any():
        node = np.insert(node, offsets(lengths)[:-1][lengths == 0], hierarchy.root_indices[0])
        lengths = np.maximum(lengths, 1)
    return LabelSets.from_arrays(offsets(lengths), node, len(hierarchy)), none
