"""Columns of Plaud et al. (2024): levels and leaves that are right, and the shortest path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import offsets, row_sums
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

SHARES_TOGETHER = 1_000_000
"""Shares of levels that are added up together."""


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
        n_levels = int((self._groups(batch.hierarchy).size > 0).sum())
        columns: dict[str, NDArray[Any]]
        columns = {c.name: np.zeros(len(batch), dtype=c.dtype) for c in self.columns}
        for rows, found in self._found(batch):
            if self.absent_level == "skip":
                columns["n_judged"][rows] = found.of_rows(found.of_truth)
                columns["n_right"][rows] = found.of_rows(found.of_truth & found.right)
            else:
                columns["n_judged"][rows] = n_levels
                columns["n_right"][rows] = n_levels - found.of_rows(~found.right)
            columns["n_said"][rows] = found.of_rows(found.said)
            columns["wrong_share"][rows] = found.wrong_share / max(1, n_levels)
        return columns

    def entries(self, batch: Batch) -> Entries:
        """Return the levels that are judged of every instance, and whether they are right."""
        levels = np.flatnonzero(self._groups(batch.hierarchy).size)
        none = np.empty(0, dtype=np.int32)
        parts = [_level_entries(0, none, none, none.astype(bool), len(levels))]
        for _, found in self._found(batch):
            skipping = self.absent_level == "skip"
            shown = np.flatnonzero(found.of_truth if skipping else ~found.right)
            row, level, n_rows = found.row[shown], found.level[shown], len(found.row_ptr) - 1
            if skipping:
                parts.append(_level_entries(n_rows, row, level, found.right[shown], len(levels)))
            else:
                parts.append(_every_level(n_rows, row, level, levels))
        return Entries.joined(parts)

    def _found(self, batch: Batch) -> list[tuple[slice, FoundLevels]]:
        """Return the levels of all instances, once for recipes that differ in what they count."""
        key = "levels", self.groups, self.augment, self.root
        if key not in batch.cache:
            groups = self._groups(batch.hierarchy)
            cells = batch.cells("ancestors", of_predicted=self.augment)
            batch.cache[key] = [
                (part.rows, _found_levels(_runs(part, groups), groups.size)) for part in cells
            ]
        found: list[tuple[slice, FoundLevels]] = batch.cache[key]
        return found

    def _groups(self, hierarchy: Hierarchy) -> Groups:
        """Return the group of every class; they are found once."""

        def found() -> Groups:
            if self.groups == "levels":
                of_class = hierarchy.levels.astype(np.int32)
            else:
                of_class = np.where(np.diff(hierarchy.child_ptr) == 0, 0, -1).astype(np.int32)
            of_class[excluded_classes(hierarchy, self.root)] = -1
            n_groups = int(hierarchy.levels[-1]) + 1 if self.groups == "levels" else 1
            size = np.bincount(of_class[of_class >= 0], minlength=n_groups)
            return Groups(of_class, size, bool((of_class[1:] >= of_class[:-1]).all()))

        return hierarchy.cached(("groups of classes", self.groups, self.root), found)


class Groups(NamedTuple):
    """The group of every class, -1 for none, and the number of classes in each.

    Where groups are ``in_order``, they ascend with the numbers of classes, those of none first.
    """

    of_class: NDArray[np.int32]
    size: NDArray[np.int64]
    in_order: bool


@dataclass(frozen=True, eq=False)
class Runs:
    """Levels at which an instance has classes, and how many: in the truth, predicted, in one only.

    There are no more of them than there are classes in the augmented sets, however many levels the
    hierarchy has.
    """

    n_rows: int
    row: NDArray[np.int32]
    level: NDArray[np.int32]
    n_true: NDArray[np.int64]
    n_pred: NDArray[np.int64]
    n_off: NDArray[np.int64]


class FoundLevels(NamedTuple):
    """Levels at which an instance has classes: in the truth, predicted, the same in both.

    Those of instance ``i`` are ``row_ptr[i]:row_ptr[i + 1]``. Over all levels of an instance, the
    shares of classes that only one side has are added up to ``wrong_share``.
    """

    row_ptr: NDArray[np.int64]
    row: NDArray[np.int32]
    level: NDArray[np.int32]
    of_truth: NDArray[np.bool_]
    said: NDArray[np.bool_]
    right: NDArray[np.bool_]
    wrong_share: NDArray[np.float64]

    def of_rows(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many of these levels every instance has."""
        return row_sums(which, self.row_ptr)


def _found_levels(runs: Runs, size: NDArray[np.int64]) -> FoundLevels:
    """Return what is kept of runs: it is a third of their memory."""
    row_ptr = offsets(np.bincount(runs.row, minlength=runs.n_rows))
    marks = runs.n_true > 0, runs.n_pred > 0, runs.n_off == 0
    return FoundLevels(row_ptr, runs.row, runs.level, *marks, _shares(runs, size))


def _runs(part: Cells, groups: Groups) -> Runs:
    """Count the classes of every level: they stand together, since classes are in that order.

    A class of no level between those of one would part them, so it is left out first; where these
    come first, they are left out last, all at once.
    """
    level, row_ptr = groups.of_class[part.column], part.row_ptr
    true, predicted = part.in_true, part.in_pred
    if not groups.in_order:
        counts = np.flatnonzero(level >= 0)
        row_ptr = np.searchsorted(counts, row_ptr)
        level, true, predicted = level[counts], true[counts], predicted[counts]
    filled = np.flatnonzero(row_ptr[1:] > row_ptr[:-1])
    begins = np.zeros(len(level), dtype=bool)
    begins[row_ptr[filled]] = True
    first = begins.copy()
    first[1:] |= level[1:] != level[:-1]
    start = np.flatnonzero(first)
    ptr = np.append(start, len(level))
    kept = np.flatnonzero(level[start] >= 0)
    row = filled[np.cumsum(begins[start])[kept] - 1].astype(np.int32)
    n_true, n_pred = row_sums(true, ptr)[kept], row_sums(predicted, ptr)[kept]
    n_off = 2 * np.diff(ptr)[kept] - n_true - n_pred  # a class has one side at least
    return Runs(len(row_ptr) - 1, row, level[start[kept]], n_true, n_pred, n_off)


def _shares(runs: Runs, size: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum over levels of the share of classes that only one side has."""
    shares = np.empty(runs.n_rows)
    step = max(1, SHARES_TOGETHER // max(1, len(size)))
    for lo in range(0, runs.n_rows, step):
        hi = min(lo + step, runs.n_rows)
        some = slice(*np.searchsorted(runs.row, [lo, hi]))
        row, level = runs.row[some] - lo, runs.level[some]
        wrong = np.zeros((hi - lo, len(size)))
        wrong[row, level] = runs.n_off[some] / size[level]
        shares[lo:hi] = wrong.sum(axis=1)
    return shares


def _every_level(
    n_rows: int, row: NDArray[np.int32], level: NDArray[np.int32], levels: NDArray[np.int64]
) -> Entries:
    """Return entries of all levels, of which some are wrong."""
    right = np.ones((n_rows, len(levels)), dtype=bool)
    right[row, np.searchsorted(levels, level)] = False
    every_row, every_level = np.repeat(np.arange(n_rows), len(levels)), np.tile(levels, n_rows)
    return _level_entries(n_rows, every_row, every_level, right.ravel(), len(levels))


def _level_entries(
    n_rows: int,
    row: NDArray[np.integer],
    level: NDArray[np.integer],
    right: NDArray[np.bool_],
    n_levels: int,
) -> Entries:
    every = np.ones(len(row), dtype=bool)
    columns = {"n_judged": every, "n_said": every, "n_right": right}
    return Entries(n_rows, row.astype(np.int32), level.astype(np.int32), columns, n_levels)


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
