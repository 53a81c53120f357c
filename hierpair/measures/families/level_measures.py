"""Measures of Plaud et al. (2024): accuracy and Hamming loss by level, leaves, shortest path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy import Hierarchy, ancestor_closure, excluded_classes
from hierpair.hierarchy.arrays import offsets, row_numbers, sorted_unique
from hierpair.labels import LabelSets, lowest_labels
from hierpair.measures.definition import set_measure
from hierpair.measures.evidence import SetEvidence
from hierpair.measures.pooling import ClassEntries, Counts
from hierpair.measures.ratios import perfect_if_empty, ratio
from hierpair.measures.recipes.pairings import without
from hierpair.measures.recipes.set_sizes import Batch, SetRecipe, shown_sets
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Degree,
    Hops,
    Pairs,
    Rule,
    formulate,
    solve_pairing,
)

__all__ = ["leaf_accuracy", "level_accuracy", "level_hamming", "shortest_path"]

SOURCE = "Plaud et al. 2024"
GROUPS = ("levels", "leaves")
AUGMENTS = ("ancestors", "none")


class Compared(NamedTuple):
    """Sizes of the levels; and of every instance at every level what is judged, right and wrong.

    ``said`` and ``off`` are numbers of classes: the predicted ones, and those that one side has
    alone.
    """

    size: NDArray[np.int64]
    judged: NDArray[np.bool_]
    right: NDArray[np.bool_]
    said: NDArray[np.int64]
    off: NDArray[np.int64]


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
    by_class
        Count per level instead of per instance.
    """

    groups: str = "levels"
    augment: str = "ancestors"
    root: Any = "exclude"
    absent_level: str = "skip"
    by_class: bool = False

    def __post_init__(self) -> None:
        if self.augment not in AUGMENTS:
            raise BadInput(f"levels are compared with augment 'ancestors' or 'none', got "
                           f"{self.augment!r}")  # fmt: skip

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both sets."""
        both = SetRecipe("ancestors", self.root), SetRecipe(self.augment, self.root)
        return shown_sets(batch, *both, counts=lambda _: {})

    def per_class(self) -> LevelRecipe:
        """Return the recipe that counts per level."""
        return replace(self, by_class=True)

    def compute(self, batch: Batch) -> Counts:
        """Compare both sides level by level.

        ``n_true`` counts the levels that are judged, ``n_both`` those that are right, and
        ``cost`` is the mean over levels of the share of classes that are wrong.
        """
        c = self._compared(batch)
        n_levels = int((c.size > 0).sum())
        if self.by_class:
            weight = np.ones(len(c.judged)) if batch.weight is None else batch.weight
            n_judged, n_right = weight @ c.judged, weight @ c.right
            return Counts(n_judged, n_judged, n_right, np.zeros(len(c.size)), n_levels)
        cost = (c.off / np.maximum(c.size, 1)).sum(axis=1) / max(1, n_levels)
        return Counts(
            c.judged.sum(axis=1), (c.said > 0).sum(axis=1), c.right.sum(axis=1), cost, n_levels
        )

    def class_entries(self, batch: Batch) -> ClassEntries:
        """Return the levels that are judged of every instance, and whether they are right."""
        c = self._compared(batch)
        row, level = (at.astype(np.int32) for at in np.nonzero(c.judged))
        judged = np.ones(len(row), dtype=bool)
        fields = {"n_true": judged, "n_pred": judged, "n_both": c.right[row, level]}
        return ClassEntries(len(c.judged), row, level, fields, int((c.size > 0).sum()))

    def _compared(self, batch: Batch) -> Compared:
        """Compare both sides of every instance, level by level."""
        h = batch.hierarchy
        group, size = self._groups(h)
        true = _keys(h, batch.y_true, augment=True)
        predicted = _keys(h, batch.y_pred, augment=self.augment == "ancestors")
        wrong = np.setxor1d(true, predicted, assume_unique=True)
        n_rows, n_groups = len(batch.y_true), len(size)
        has, said, off = (_counted(k, h, group, n_rows, n_groups) for k in (true, predicted, wrong))
        judged = (
            (has > 0) if self.absent_level == "skip" else np.repeat(size[None] > 0, n_rows, axis=0)
        )
        return Compared(size, judged, judged & (off == 0), said, off)

    def _groups(self, hierarchy: Hierarchy) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the group of every class, -1 for none, and the number of classes in each."""
        if self.groups == "levels":
            group = hierarchy.levels.astype(np.int64)
        else:
            group = np.where(np.diff(hierarchy.child_ptr) == 0, 0, -1)
        group[excluded_classes(hierarchy, self.root)] = -1
        n_groups = int(hierarchy.levels[-1]) + 1 if self.groups == "levels" else 1
        return group, np.bincount(group[group >= 0], minlength=n_groups)


def _keys(hierarchy: Hierarchy, sets: LabelSets, *, augment: bool) -> NDArray[np.int64]:
    """Return (instance, class) of all classes of all sets as ascending numbers."""
    n = len(hierarchy)
    row = row_numbers(sets.indptr)
    if not augment:
        return row * n + sets.indices
    closure = ancestor_closure(hierarchy, sets.indices)
    owner, above = closure.expanded(sets.indices)
    return sorted_unique(row[owner] * n + above)


def _counted(
    keys: NDArray[np.int64],
    hierarchy: Hierarchy,
    group: NDArray[np.int64],
    n_rows: int,
    n_groups: int,
) -> NDArray[np.int64]:
    """Return the number of classes in every group of every instance."""
    row, node = np.divmod(keys, len(hierarchy))
    keep = group[node] >= 0
    cells = row[keep] * n_groups + group[node[keep]]
    return np.bincount(cells, minlength=n_rows * n_groups).reshape(n_rows, n_groups)


@dataclass(frozen=True)
class TipRecipe:
    """Distances between the most specific classes of both sides; no class at all is the root."""

    tips: str = "best"

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both augmented sets: their difference is the path between paths."""
        return shown_sets(batch, SetRecipe("ancestors", "include"), counts=lambda _: {})

    def compute(self, batch: Batch) -> Counts:
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
        n_true, n_pred = true.lengths, predicted.lengths
        counts = Counts(n_true, n_pred, np.zeros(len(true), np.int64), pairing.cost, len(h))
        return without(counts, np.flatnonzero(none)) if none.any() else counts


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


def _levels(options: Mapping[str, Any]) -> LevelRecipe:
    return LevelRecipe("levels", options["augment"], options["root"], options["absent_level"])


# Functions with names, not lambdas: measures travel to other processes.


def _leaf_recipe(options: Mapping[str, Any]) -> LevelRecipe:
    return LevelRecipe("leaves", options["augment"], options["root"], "skip")


def _none_class_recipe(options: Mapping[str, Any]) -> LevelRecipe:
    return LevelRecipe("levels", options["augment"], options["root"], "none-class")


def _tip_recipe(options: Mapping[str, Any]) -> TipRecipe:
    return TipRecipe(options["tips"])


@set_measure(
    formula="mean over levels of the share of instances whose classes at the level are right",
    source=f"{SOURCE}, §5.3.1",
    direction="higher",
    range="[0, 1]",
    traits=("perfect", "bounded", "total"),
    averages=("macro", "micro", "samples"),
    family="level",
    recipe=_levels,
    cautions=(
        "A level with four classes counts as much as one with four hundred.",
        "Levels that few instances reach rest on few of them.",
        "Predicting beyond the end of the true path costs nothing with absent_level='skip': the "
        "level is not judged.",
    ),
)
def level_accuracy(
    counts: Counts,
    augment: str = "ancestors",
    root: Any = "exclude",
    absent_level: str = "skip",
    average: str = "macro",
    zero_division: float = 0,
) -> NDArray[np.float64]:
    """Accuracy by level: whether exactly the true classes of a level are predicted there."""
    return perfect_if_empty(counts, ratio(counts.n_both, counts.n_true, zero_division))


@set_measure(
    formula="1 if the leaves of Ŷ_aug are the leaves of Y_aug, else 0",
    source=f"{SOURCE}, §5.3.1",
    direction="higher",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded"),
    averages=("samples",),
    family="level",
    recipe=_leaf_recipe,
    cautions=(
        "A sibling of the true leaf is as wrong as a leaf of another branch.",
        "A true inner class without a leaf below it in the truth is not judged, however wrong the "
        "prediction is.",
    ),
)
def leaf_accuracy(
    counts: Counts,
    augment: str = "ancestors",
    root: Any = "exclude",
    average: str = "samples",
    zero_division: float = math.nan,
) -> NDArray[np.float64]:
    """Accuracy at the leaves, whatever their depths; truths without a leaf are left out."""
    return ratio(counts.n_both, counts.n_true, zero_division)


@set_measure(
    formula="mean over levels of |Ŷ_l Δ Y_l| / (number of classes at level l)",
    source=f"{SOURCE}, §5.3.2",
    direction="lower",
    range="[0, 1]",
    traits=("symmetric", "perfect", "bounded", "total"),
    averages=("samples",),
    family="level",
    recipe=_none_class_recipe,
    cautions=(
        "An error at a level with few classes costs far more than one at a level with many.",
        "Values are small where classes are many: predicting nothing looks good.",
    ),
)
def level_hamming(
    counts: Counts, augment: str = "ancestors", root: Any = "exclude", average: str = "samples"
) -> NDArray[np.float64]:
    """Hamming loss by level: the share of the classes of a level that one side has alone."""
    return np.asarray(counts.cost, dtype=np.float64)


@set_measure(
    formula="edges between the most specific classes of both sides, paired at the least cost",
    source=f"{SOURCE}, §3.1; Garnot and Landrieu 2021",
    direction="lower",
    range="[0, ∞)",
    traits=("symmetric", "perfect"),
    averages=("samples",),
    family="level",
    recipe=_tip_recipe,
    cautions=(
        "Edges near the root count as much as edges between leaves.",
        "Where the paper has several paths it adds up all pairs (tips='sum'): then a perfect "
        "prediction of two sibling leaves costs 4, and one class is always better than two.",
        "Not defined for two classes without a common ancestor.",
    ),
)
def shortest_path(
    counts: Counts, tips: str = "best", average: str = "samples"
) -> NDArray[np.float64]:
    """Shortest path: how far the end of the predicted path is from the end of the true one."""
    return np.asarray(counts.cost, dtype=np.float64)
