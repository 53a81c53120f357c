"""Columns of labels that count only with their whole path: constrained F, and paths as units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Ints,
    offsets,
    ragged_ranges,
    row_numbers,
    row_sums,
)
from hierpair.measures.columns import N_NEITHER, SET_SIZES, Column
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SUMS
from hierpair.measures.recipes.units import Counted, Units

NOT_CLOSED = "the true set lacks ancestors of its labels, which then cannot be right"


class Rooted(Counted):
    """A recipe of labels that count only with their ancestors.

    What does not count need not be there; nor does a single root that the true set does not have.
    """

    kept: ClassVar = True

    root: str

    def parts(self, batch: Batch) -> Iterator[tuple[Cells, Ints]]:
        """Return the labels, and by instance the single root where the truth has none, or -1."""
        roots = batch.hierarchy.root_indices
        single = int(roots[0]) if len(roots) == 1 else -1
        for part in batch.cells("none", self.root):
            has_root = row_sums((part.column == single) & part.in_true, part.row_ptr) > 0
            yield part, np.where(has_root, -1, single)

    def rooted(
        self, hierarchy: Hierarchy, part: Cells, absent: Ints, member: Bools, parents: str = "all"
    ) -> Bools:
        """Return which members of the sets have all ancestors, or any root path, in them too.

        One pass from the top over the labels, sorted by level: a class is rooted if its parents
        are. ``member`` says which of the labels are in the sets.
        """
        n = len(hierarchy)
        at = np.flatnonzero(member)
        row, column = row_numbers(part.row_ptr)[at], part.column[at].astype(np.int64)
        key = row * n + column  # ascending
        starts = hierarchy.parent_ptr[column]
        count = hierarchy.parent_ptr[column + 1] - starts
        above = hierarchy.parents[ragged_ranges(starts, count)]
        owner = np.repeat(row, count)
        wanted = owner * n + above
        place = np.searchsorted(key, wanted)
        place[place == len(key)] = 0
        here = key[place] == wanted if len(key) else np.zeros(0, dtype=bool)
        given = np.isin(above, excluded_classes(hierarchy, self.root)) | (above == absent[owner])
        pointer = offsets(count)
        rooted = np.zeros(len(at), dtype=bool)
        level = hierarchy.levels[column]
        order = np.argsort(level, kind="stable")
        bounds = np.searchsorted(level[order], np.arange(int(level.max(initial=-1)) + 2))
        for lo, hi in pairwise(bounds.tolist()):
            some = order[lo:hi]
            links = ragged_ranges(pointer[some], count[some])
            fine = given[links] | (here[links] & rooted[place[links]])
            n_fine = row_sums(fine, offsets(count[some]))
            enough = n_fine == count[some] if parents == "all" else n_fine > 0
            rooted[some] = enough | (count[some] == 0)
        found = np.zeros(len(member), dtype=bool)
        found[at] = rooted
        return found


@dataclass(frozen=True)
class ConstrainedRecipe(Rooted):
    """Labels of both sides, and those shared labels whose ancestors are shared too.

    Parameters
    ----------
    inconsistent
        What a predicted label without its ancestors is: ``"wrong"``, or no label (``"drop"``).
    parents
        Whether ``"all"`` ancestors have to be there, or ``"any"`` way from a root will do.
    root
        As for :class:`SetRecipe`.
    """

    family: ClassVar = "path"
    columns: ClassVar = (
        *SET_SIZES[:2],
        Column("n_hit", "a shared class whose path is shared"),
        N_NEITHER,
    )

    inconsistent: str = "wrong"
    parents: str = "all"
    root: str = "include"

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the labels that count, and which of them are hits."""
        rooted = partial(self.rooted, batch.hierarchy, parents=self.parents)
        for part, absent in self.parts(batch):
            true, predicted = part.in_true, part.in_pred
            if self.inconsistent == "drop":
                predicted = rooted(part, absent, predicted)
                hit = predicted & true
            else:
                hit = rooted(part, absent, true & predicted)
            columns = {
                "n_true": true,
                "n_pred": predicted,
                "n_hit": hit,
                "n_neither": SUMS["n_neither"](true, predicted),
            }
            columns[NOT_CLOSED] = true & ~rooted(part, absent, true)
            yield Units(part.first, part.row_ptr, part.column, columns)


@dataclass(frozen=True)
class WholePathRecipe(Rooted):
    """Paths from the root to the leaves that the sets hold wholly, in a tree or forest.

    Parameters
    ----------
    root
        As for :class:`ConstrainedRecipe`.
    """

    family: ClassVar = "path"
    columns: ClassVar = (
        Column("n_true", "a whole path of the true set", support=True),
        Column("n_pred", "a whole path of the predicted set"),
        Column("n_both", "a whole path of both sets"),
        Column("n_neither", "a leaf whose path neither set has", every=True),
        Column("labels_true", "a true label", whole=True),
        Column("labels_pred", "a predicted label", whole=True),
        Column("labels_on_paths", "a label on a whole predicted path, for each", whole=True),
    )

    root: str = "include"

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count: the leaves."""
        counts = super().counted(hierarchy)
        counts &= np.diff(hierarchy.child_ptr) == 0
        return counts

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the labels, those that end whole paths of either side, and how long these are."""
        h = batch.hierarchy
        n_parents = np.diff(h.parent_ptr)
        if (n_parents > 1).any():
            c = int((n_parents > 1).argmax())
            raise BadInput(
                f"a class has many paths in a DAG, and path measures need one each: {h.names[c]!r} "
                f"has {int(n_parents[c])} parents; take c_f, which has parents='all' "
                "and parents='any'"
            )
        leaf = self.counted(h)
        for part, absent in self.parts(batch):
            closed = self.rooted(h, part, absent, part.in_true)
            ends = leaf[part.column]
            true, predicted = closed & ends, self.rooted(h, part, absent, part.in_pred) & ends
            lengths = self.path_lengths(h, part, absent)
            columns = {
                "n_true": true,
                "n_pred": predicted,
                "n_both": true & predicted,
                "n_neither": SUMS["n_neither"](true, predicted),
                "labels_true": part.in_true,
                "labels_pred": part.in_pred,
                "labels_on_paths": np.where(predicted, lengths, 0),
                NOT_CLOSED: part.in_true & ~closed,
            }
            yield Units(part.first, part.row_ptr, part.column, columns)

    def path_lengths(self, hierarchy: Hierarchy, part: Cells, absent: Ints) -> Ints:
        """Return how many labels the whole path to each label has, if the prediction has it."""
        not_counted = np.zeros(len(hierarchy), dtype=np.int64)
        for c in excluded_classes(hierarchy, self.root).tolist():
            not_counted[c] = 1
            not_counted[hierarchy.reached(c, upwards=False)] = 1
        row = row_numbers(part.row_ptr)
        there = row_sums((part.column == absent[row]) & part.in_pred, part.row_ptr) > 0
        rootless = (absent >= 0) & ~there & (not_counted[absent] == 0)
        length: Ints = hierarchy.levels[part.column] + 1 - not_counted[part.column]
        length -= rootless[row]
        return length
