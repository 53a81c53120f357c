"""Columns of labels that count only with their whole path: constrained F, and paths as units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Bools, offsets, ragged_ranges, row_numbers, row_sums
from hierpair.measures.columns import SET_SIZES, Column, Columns, Entries
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets

__all__ = ["ConstrainedRecipe", "WholePathRecipe"]

NOT_CLOSED = "the true set lacks ancestors of its labels, which then cannot be right"
N_NEITHER = Column("n_neither", "a class that counts and is in neither set")


WHOLE = ("labels_true", "labels_pred", "labels_on_paths")


class Sides(NamedTuple):
    """The labels of some instances, and what need not be among them."""

    part: Cells
    in_true: Bools
    in_pred: Bools
    absent: NDArray[np.int64]
    """By instance the single root, where the truth has none, or -1: it need not be there."""
    left_out: NDArray[np.int64]
    """Classes that do not count and need not be there."""


@dataclass(frozen=True)
class ConstrainedRecipe:
    """Labels of both sides, and those shared labels whose ancestors are shared too.

    Parameters
    ----------
    inconsistent
        What a predicted label without its ancestors is: ``"wrong"``, or no label (``"drop"``).
    parents
        Whether ``"all"`` ancestors have to be there, or ``"any"`` way from a root will do.
    root
        As for :class:`SetRecipe`. What does not count need not be there; nor does a single root
        that the true set does not have.
    """

    family: ClassVar = "path"
    columns: ClassVar = (*SET_SIZES[:2], Column("n_hit", "a shared class whose path is shared"),
                         N_NEITHER)  # fmt: skip

    inconsistent: str = "wrong"
    parents: str = "all"
    root: str = "include"

    def compute(self, batch: Batch) -> Columns:
        """Count labels and hits."""
        found = {column.name: np.zeros(len(batch), dtype=np.int64) for column in self.columns}
        open_truth = np.zeros(len(batch), dtype=bool)
        n_classes = SetRecipe("none", self.root).n_classes(batch)
        for sides, predicted, hit in self._hits(batch):
            part = sides.part
            pointer, rows = part.row_ptr, part.rows
            found["n_true"][rows] = row_sums(sides.in_true, pointer)
            found["n_pred"][rows] = row_sums(predicted, pointer)
            found["n_hit"][rows] = row_sums(hit, pointer)
            found["n_neither"][rows] = n_classes - row_sums(sides.in_true | predicted, pointer)
            closed = _rooted(batch.hierarchy, sides, sides.in_true, self.parents)
            open_truth[rows] = row_sums(sides.in_true & ~closed, pointer) > 0
        return {**found, NOT_CLOSED: open_truth} if open_truth.any() else found

    def entries(self, batch: Batch) -> Entries:
        """Return the labels of every instance, and which of them are hits."""
        n_classes = SetRecipe("none", self.root).n_classes(batch)
        parts = [_entries(0, np.zeros(0, np.int64), np.zeros(0, np.int32), {
            name: np.zeros(0, dtype=bool) for name in ("n_true", "n_pred", "n_hit")
        }, n_classes)]  # fmt: skip
        for sides, predicted, hit in self._hits(batch):
            row = row_numbers(sides.part.row_ptr)
            columns = {"n_true": sides.in_true, "n_pred": predicted, "n_hit": hit}
            n = len(sides.part.row_ptr) - 1
            parts.append(_entries(n, row, sides.part.column, columns, n_classes))
        return Entries.joined(parts)

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the labels of both sets, and which shared ones are hits."""
        ((sides, predicted, hit),) = self._hits(batch)
        column = sides.part.column
        shared = sides.in_true & sides.in_pred
        amounts = Amounts("1 for a hit", column[shared], hit[shared].astype(np.float64), _remarks(
            batch.hierarchy, column[sides.in_pred & ~predicted],
            "without its ancestors in the prediction, so it is no label",
        ))  # fmt: skip
        n_dropped = int((sides.in_pred & ~predicted).sum())

        def counts(shown: SetEvidence) -> dict[str, float]:
            both = len(shown.shared)
            return {
                "n_true": both + len(shown.only_true),
                "n_pred": both + len(shown.only_predicted) - n_dropped,
                "n_hit": sum(number for _, number in shown.amounts),
            }

        return shown_sets(batch, SetRecipe("none", self.root), amounts=amounts, counts=counts)

    def _hits(self, batch: Batch) -> Iterator[tuple[Sides, Bools, Bools]]:
        """Return labels, the predicted ones that count, and those that are hits."""
        for sides in _sides(batch, self.root):
            h = batch.hierarchy
            if self.inconsistent == "drop":
                predicted = _rooted(h, sides, sides.in_pred, self.parents)
                yield sides, predicted, predicted & sides.in_true
            else:
                both = sides.in_true & sides.in_pred
                yield sides, sides.in_pred, _rooted(h, sides, both, self.parents)


@dataclass(frozen=True)
class WholePathRecipe:
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
        Column("n_neither", "a leaf whose path neither set has"),
        Column("labels_true", "a true label", whole=True),
        Column("labels_pred", "a predicted label", whole=True),
        Column("labels_on_paths", "a label on a whole predicted path, for each", whole=True),
    )

    root: str = "include"

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes count: the leaves."""
        leaf: Bools = np.diff(hierarchy.child_ptr) == 0
        leaf[excluded_classes(hierarchy, self.root)] = False
        return leaf

    def compute(self, batch: Batch) -> Columns:
        """Count whole paths, labels, and labels on paths."""
        found = {column.name: np.zeros(len(batch), dtype=np.int64) for column in self.columns}
        open_truth = np.zeros(len(batch), dtype=bool)
        n_leaves = int(self.counted(batch.hierarchy).sum())
        for sides, true, predicted, length in self._paths(batch):
            rows, pointer = sides.part.rows, sides.part.row_ptr
            found["n_true"][rows] = row_sums(true, pointer)
            found["n_pred"][rows] = row_sums(predicted, pointer)
            found["n_both"][rows] = row_sums(true & predicted, pointer)
            found["n_neither"][rows] = n_leaves - row_sums(true | predicted, pointer)
            found["labels_true"][rows] = row_sums(sides.in_true, pointer)
            found["labels_pred"][rows] = row_sums(sides.in_pred, pointer)
            found["labels_on_paths"][rows] = row_sums(np.where(predicted, length, 0), pointer)
            closed = _rooted(batch.hierarchy, sides, sides.in_true, "all")
            open_truth[rows] = row_sums(sides.in_true & ~closed, pointer) > 0
        return {**found, NOT_CLOSED: open_truth} if open_truth.any() else found

    def entries(self, batch: Batch) -> Entries:
        """Return the leaves whose whole path either set has."""
        n_leaves = int(self.counted(batch.hierarchy).sum())
        names = ("n_true", "n_pred", "n_both")
        parts = [_entries(0, np.zeros(0, np.int64), np.zeros(0, np.int32),
                          {name: np.zeros(0, dtype=bool) for name in names}, n_leaves)]  # fmt: skip
        for sides, true, predicted, _ in self._paths(batch):
            row = row_numbers(sides.part.row_ptr)
            columns = dict(zip(names, (true, predicted, true & predicted), strict=True))
            n = len(sides.part.row_ptr) - 1
            parts.append(_entries(n, row, sides.part.column, columns, n_leaves))
        sums = batch.columns(self)
        return replace(Entries.joined(parts), whole={c: sums[c] for c in WHOLE})

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the labels of both sets, and the leaves whose whole path a side has."""
        ((sides, true, predicted, length),) = self._paths(batch)
        column = sides.part.column
        remarks = (
            *_remarks(batch.hierarchy, column[true], "is the end of a whole path of the truth"),
            *_remarks(
                batch.hierarchy, column[predicted], "is the end of a whole path of the prediction"
            ),
        )
        known = {
            "n_true": int(true.sum()), "n_pred": int(predicted.sum()),
            "n_both": int((true & predicted).sum()),
            "labels_on_paths": int(length[predicted].sum()),
        }  # fmt: skip

        def counts(shown: SetEvidence) -> dict[str, float]:
            both = len(shown.shared)
            labels = {"labels_true": both + len(shown.only_true),
                      "labels_pred": both + len(shown.only_predicted)}  # fmt: skip
            return {**known, **labels}

        amounts = Amounts("", np.empty(0, np.int64), np.empty(0), remarks)
        return shown_sets(batch, SetRecipe("none", self.root), amounts=amounts, counts=counts)

    def _paths(self, batch: Batch) -> Iterator[tuple[Sides, Bools, Bools, NDArray[np.int64]]]:
        """Return the labels that end whole paths of either side, and how long these are."""
        h = batch.hierarchy
        several = np.diff(h.parent_ptr) > 1
        if several.any():
            c = int(several.argmax())
            raise BadInput(
                f"a class has many paths in a DAG, and path measures need one each: {h.names[c]!r} "
                f"has {int(np.diff(h.parent_ptr)[c])} parents; take c_f, which has parents='all' "
                "and parents='any'"
            )
        leaf = self.counted(h)
        for sides in _sides(batch, self.root):
            ends = leaf[sides.part.column]
            true, predicted = (
                _rooted(h, sides, side, "all") & ends for side in (sides.in_true, sides.in_pred)
            )
            yield sides, true, predicted, _path_lengths(h, sides)


def _path_lengths(hierarchy: Hierarchy, sides: Sides) -> NDArray[np.int64]:
    """Return how many labels the whole path to each label has, if the prediction has it."""
    part = sides.part
    not_counted = np.zeros(len(hierarchy), dtype=np.int64)
    for c in sides.left_out.tolist():
        not_counted[c] = 1
        not_counted[hierarchy.reached(c, upwards=False)] = 1
    row = row_numbers(part.row_ptr)
    single = sides.absent >= 0
    there = row_sums((part.column == sides.absent[row]) & sides.in_pred, part.row_ptr) > 0
    rootless = single & ~there & (not_counted[sides.absent] == 0)
    length: NDArray[np.int64] = hierarchy.levels[part.column] + 1 - not_counted[part.column]
    length -= rootless[row]
    return length


def _sides(batch: Batch, root: str) -> Iterator[Sides]:
    """Return the labels as they are given, and of which instances the single root may be absent."""
    h = batch.hierarchy
    single = int(h.root_indices[0]) if len(h.root_indices) == 1 else -1
    left_out = excluded_classes(h, root)
    for part in batch.cells("none", root):
        has_root = row_sums((part.column == single) & part.in_true, part.row_ptr) > 0
        absent = np.where(has_root, -1, single)
        yield Sides(part, part.in_true, part.in_pred, absent, left_out)


def _rooted(hierarchy: Hierarchy, sides: Sides, member: Bools, parents: str) -> Bools:
    """Return which members of the sets have all their ancestors, or any root path, in them too.

    One pass from the top over the labels, sorted by level: a class is rooted if its parents are.

    Parameters
    ----------
    hierarchy, sides
        The classes, and the labels as CSR rows.
    member
        Which of the labels are in the sets.
    parents
        ``"all"`` or ``"any"``.
    """
    part = sides.part
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
    given = np.isin(above, sides.left_out) | ((above == sides.absent[owner]) & ~here)
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


def _entries(
    n: int, row: NDArray[np.int64], column: NDArray[np.int32], columns: dict[str, Bools],
    n_classes: int,
) -> Entries:  # fmt: skip
    """Return entries of what either side has, among all classes that count."""
    some = columns["n_true"] | columns["n_pred"]
    kept: dict[str, NDArray[Any]] = {name: values[some] for name, values in columns.items()}
    kept["n_neither"] = -some[some].astype(np.int8)
    return Entries(n, row[some].astype(np.int32), column[some], kept, n_classes, ("n_neither",))


def _remarks(hierarchy: Hierarchy, classes: NDArray[np.integer], words: str) -> tuple[str, ...]:
    return tuple(f"{hierarchy.names[c]} {words}" for c in classes.tolist())
