"""Recipes of levels and paths: what is right at each level, and labels that need their path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy import Hierarchy, ancestors_of, counted_classes
from hierpair.hierarchy.arrays import (
    Bools,
    Ints,
    groups_by,
    marked,
    offsets,
    places_in,
    row_numbers,
    row_sums,
    taken,
)
from hierpair.labels import LabelSets, lowest_labels
from hierpair.measures.columns import INFEASIBLE, N_NEITHER, SET_SIZES, Column, Columns, without
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch, Counted, Units
from hierpair.measures.recipes.sets import SUMS
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Degree,
    Hops,
    Pairs,
    Rule,
    formulate,
    solve_pairing,
)

AUGMENTS = ("ancestors", "none")


@dataclass(frozen=True)
class LevelRecipe(Counted):
    """At how many levels an instance is right, and how much it is wrong at each."""

    family: ClassVar = "level"
    by: ClassVar = "level"  # what its entries are of
    seen_by: ClassVar = ("n_judged",)
    columns: ClassVar = (
        Column("n_judged", "a level that is judged"),
        Column("n_said", "a level with a predicted class"),
        Column("n_right", "a judged level that is right"),
        Column("wrong_share", "a level that is wrong throughout, over the number of levels", float,
               alone=True),
    )  # fmt: skip

    augment: str = "ancestors"
    root: Any = "exclude"
    absent_level: str = "skip"

    def __post_init__(self) -> None:
        if self.augment not in AUGMENTS:
            raise BadInput(
                f"levels are compared with augment 'ancestors' or 'none', got {self.augment!r}"
            )

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which levels have classes that count."""
        return self._levels(hierarchy)[1] > 0

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return all levels of every instance: whether they are judged, and whether right."""
        counted = self.counted(batch.hierarchy)
        every = self.absent_level != "skip"
        for first, true, said, n_wrong in self._found(batch):
            right = n_wrong == 0  # also where nobody has a class
            judged = np.broadcast_to(counted, true.shape) if every else true
            columns = {"n_judged": judged, "n_said": said, "n_right": judged & right}
            yield Units.of_levels(first, columns)

    def compute(self, batch: Batch) -> Columns:
        """Count levels, and add up the shares of their classes that only one side has."""
        (level, size), n_levels = self._levels(batch.hierarchy), max(1, self.n_classes(batch))
        counted = self.counted(batch.hierarchy)
        if (ignored := batch.sides[0].ignored) is not None:  # these are no classes there
            cells = ignored.row, level[ignored.indices]
            sizes = np.tile(np.append(size, 0), (len(batch), 1))
            np.subtract.at(sizes, cells, 1)
            size = sizes[:, :-1]
        size = np.broadcast_to(np.maximum(size, 1), (len(batch), len(counted)))
        shares = [
            (n_wrong / size[at : at + len(n_wrong)]).sum(axis=1)
            for at, *_, n_wrong in self._found(batch)
        ]
        return {**super().compute(batch), "wrong_share": np.concatenate(shares) / n_levels}

    def _found(self, batch: Batch) -> list[LevelTable]:
        """Return the levels of all instances, once for recipes that differ in what they count."""

        def found() -> list[LevelTable]:
            level, size = self._levels(batch.hierarchy)
            tables, n = list[LevelTable](), len(size) + 1
            for part in batch.cells("ancestors", of_predicted=self.augment):
                n_rows, cell = len(part), part.row * n + level[part.column]
                cell += (np.arange(4) * n_rows * n)[2 * part.in_true.view(np.int8) + part.in_pred]
                counts = np.bincount(cell, minlength=4 * n_rows * n).reshape(4, n_rows, n)
                _, predicted, true, both = counts[:, :, :-1]
                said, of_truth = predicted + both > 0, true + both > 0
                tables.append((part.first, of_truth, said, true + predicted))
            return tables

        return batch.once(("levels", self.augment, self.root), found)

    def _levels(self, hierarchy: Hierarchy) -> tuple[Ints, Ints]:
        """Return the level of every class, one more for what does not count, and their sizes."""
        n, level = hierarchy.n_levels, hierarchy.levels.astype(np.int64)
        level[~counted_classes(hierarchy, self.root)] = n
        return level, np.bincount(level, minlength=n + 1)[:n]


LevelTable = tuple[int, Bools, Bools, Ints]
"""Levels by instance, in tables: with a true class, with a predicted one, how many wrong."""


@dataclass(frozen=True)
class LeafRecipe(Counted):
    """The true leaves of every instance, and whether its leaves are right."""

    family: ClassVar = "level"
    of_labels: ClassVar = True
    columns: ClassVar = (
        Column("n_true", "a true leaf", support=True),
        Column("n_right", "a true leaf of an instance whose leaves are right"),
    )

    of_leaves: ClassVar = True

    root: Any = "exclude"

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the true leaves of every instance."""
        leaf = self.counted(batch.hierarchy)
        for part in batch.cells("none", self.root):
            counts = leaf[part.column]
            true = counts & part.in_true
            right = row_sums(counts & (part.in_true ^ part.in_pred), part.row_ptr) == 0
            columns = {"n_true": true, "n_right": true & right[part.row]}
            yield Units(part.first, part.row_ptr, part.column, columns)


@dataclass(frozen=True)
class TipRecipe:
    """Distances between the most specific classes of both sides; no class at all is the root."""

    family: ClassVar = "level"
    of_labels: ClassVar = True
    columns: ClassVar = (Column("cost", "an edge", float), INFEASIBLE)

    tips: str = "best"

    def compute(self, batch: Batch) -> Columns:
        """Pair the most specific classes and add up the edges between them."""
        true, predicted = (self._tips(batch, sets) for sets in (batch.y_true, batch.y_pred))
        if self.tips == "single":
            several = (true.lengths > 1) | (predicted.lengths > 1)
            for i in np.flatnonzero(several).tolist():
                text = (
                    "several most specific classes are on one side, and tips='single' wants "
                    "one path each; take tips='best'"
                )
                batch.refuse(self, Infeasible(text, i))
        fewest = 1 if self.tips == "best" else AS_MANY_AS_THERE_ARE
        rule = Rule(Hops(), (Degree("predicted", fewest), Degree("true", fewest)))
        true, predicted = batch.left(self, true, predicted)
        problem = formulate(rule, Pairs.between(batch.hierarchy, true, predicted))
        pairing = solve_pairing(problem, on_infeasible=batch.on_infeasible)
        return without({"cost": pairing.cost}, pairing.infeasible)

    def _tips(self, batch: Batch, sets: LabelSets) -> LabelSets:
        """Return the most specific classes of every set; the single root where there is none.

        With several roots there is nothing to stand for no label: such sets are refused.
        """
        h = batch.hierarchy
        row, node = lowest_labels(h, sets)
        lengths = np.bincount(row, minlength=len(sets))
        if not h.has_one_root:
            for i in np.flatnonzero(lengths == 0).tolist():
                text = "no label stands for the root, and the hierarchy has several roots"
                batch.refuse(self, Infeasible(text, i))
        else:
            node = np.insert(node, offsets(lengths)[:-1][lengths == 0], h.root_indices[0])
            lengths = np.maximum(lengths, 1)
        return LabelSets.from_arrays(offsets(lengths), node, len(h))


GIVE = (
    "measures of paths compare sets with one class per level, all of them given (of columns: "
    "--each-level, LabelSets.from_levels with each=True)"
)


@dataclass(frozen=True)
class LevelPathRecipe(Counted):
    """Of every instance: its levels, the right ones, and the links between neighbouring ones.

    Its levels are those of its true classes, from the top; at others the prediction is not judged,
    and what it has there is superfluous. A single root may be left out of the labels. Several
    classes of one level are no path, nor is a true set that leaves a level out.
    """

    family: ClassVar = "path"
    of_labels: ClassVar = True
    by: ClassVar = "level"
    columns: ClassVar = (
        Column("n_levels", "a level with a true class"),
        Column("n_right", "such a level with the right class"),
        Column("n_extra", "a predicted class at another level", alone=True),
        Column("n_prefix", "a right level above which all levels are right", alone=True),
        Column("n_links", "two neighbouring levels", alone=True),
        Column("n_links_right", "two neighbouring levels that are right", alone=True),
        Column("n_links_wrong", "two neighbouring levels without a predicted edge between them",
               alone=True),
        Column("k_levels", "a class of such a level", support=True, per="n_levels"),
        Column("k_right", "a class of such a level, if that is right"),
    )  # fmt: skip
    kept: ClassVar = True

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which levels count: all."""
        return np.ones(hierarchy.n_levels, dtype=bool)

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return all levels of every instance; a link is that of its lower level."""
        h = batch.hierarchy
        n_classes = np.bincount(h.levels).astype(np.int32)
        for part in batch.cells("none"):
            true = self._table(batch, part, "true")
            predicted = self._table(batch, part, "predicted")
            of_level = n_classes[: true.shape[1]]
            judged = true != -1
            right = judged & (true == predicted)
            neighbours = (
                judged[:, 1:] & judged[:, :-1],
                right[:, 1:] & right[:, :-1],
                _is_edge(h, predicted[:, :-1], predicted[:, 1:]),
            )
            link, linked, edge = (np.pad(x, ((0, 0), (1, 0))) for x in neighbours)
            columns = {
                "n_levels": judged,
                "n_right": right,
                "n_extra": ~judged & (predicted != -1),
                "n_prefix": np.logical_and.accumulate(right | ~judged, axis=1) & judged,
                "n_links": link,
                "n_links_right": linked,
                "n_links_wrong": link & ~edge,
                "k_levels": judged * of_level,
                "k_right": right * of_level,
            }
            yield Units.of_levels(part.first, columns)

    def _table(self, batch: Batch, part: Cells, side: str) -> Ints:
        """Return the class of every instance and level, -1 where there is none."""
        h = batch.hierarchy
        mask = part.in_true if side == "true" else part.in_pred
        row, classes = part.row[mask], part.column[mask]
        level = h.levels[classes]
        deepest = int(h.levels[part.column].max(initial=0))
        table = np.full((len(part), deepest + 1), -1)
        table[row, level] = classes
        same = (row[1:] == row[:-1]) & (level[1:] == level[:-1])  # classes of a row ascend

        def refuse(i: int, text: str) -> None:
            reason = f"its {side} set has {text}; {GIVE}"
            batch.refuse(self, BadInput(reason, part.first + i))

        for k in np.flatnonzero(same).tolist():
            one, other = (h.names[c] for c in classes[k : k + 2])
            refuse(int(row[k]), f"several classes of level {level[k]}, {one!r} and {other!r}")
        gaps = side == "true" and batch.given is None  # what does not count may leave some
        lacking = (table[:, 1:] != -1) & (table[:, :-1] == -1) & gaps
        lacking[:, : h.has_one_root] = False  # a single root need not be there
        for i, above in np.argwhere(lacking).tolist():
            name = h.names[table[i, above + 1]]
            refuse(i, f"{name!r} of level {above + 1}, and no class of level {above}")
        return table


def _is_edge(hierarchy: Hierarchy, upper: Ints, lower: Ints) -> Bools:
    """Return whether there are two classes, and the upper one is a parent of the lower one."""
    pointer, above = hierarchy.parents_of(lower.ravel())
    at = row_numbers(pointer)
    return marked(at[above == upper.ravel()[at]], lower.size).reshape(lower.shape)


NOT_CLOSED = "the true set lacks ancestors of its labels, which then cannot be right"


class Rooted(Counted):
    """A recipe of labels that count only with their ancestors.

    What does not count need not be there; nor does a single root that the true set does not have.
    """

    kept: ClassVar = True

    root: str

    def has_root(self, batch: Batch, part: Cells, member: Bools) -> Bools:
        """Return which sets have the single root; where there are several it is no matter."""
        several = not batch.hierarchy.has_one_root
        return several | (row_sums((part.column == 0) & member, part.row_ptr) > 0)

    def rooted(self, batch: Batch, part: Cells, member: Bools, parents: str = "all") -> Bools:
        """Return which members of the sets have all ancestors, or any root path, in them too.

        One pass from the top over the labels, sorted by level: a class is rooted if its parents
        are. ``member`` says which of the labels are in the sets.
        """
        hierarchy, n = batch.hierarchy, len(batch.hierarchy)
        at = np.flatnonzero(member)
        row, column = part.row[at], part.column[at].astype(np.int64)
        pointer, above = hierarchy.parents_of(column)
        count = np.diff(pointer)
        owner = np.repeat(row, count)
        place = places_in(row * n + column, owner * n + above)
        given = ~counted_classes(hierarchy, self.root)[above]
        given |= (above == 0) & ~self.has_root(batch, part, part.in_true)[owner]
        given |= batch.are_aside(part.first + owner, above)
        rooted = np.zeros(len(at), dtype=bool)
        level = hierarchy.levels[column]
        for some in groups_by(level):
            ends, links = taken(pointer, some)
            fine = given[links] | ((place[links] >= 0) & rooted[place[links]])
            n_fine = row_sums(fine, ends)
            enough = n_fine == count[some] if parents == "all" else n_fine > 0
            rooted[some] = enough | (count[some] == 0)
        found = np.zeros(len(member), dtype=bool)
        found[at] = rooted
        return found


@dataclass(frozen=True)
class ConstrainedRecipe(Rooted):
    """Labels of both sides, and those shared labels whose ancestors are shared too."""

    family: ClassVar = "path"
    of_labels: ClassVar = True
    columns: ClassVar = (
        *SET_SIZES[:2],
        Column("n_both", "a shared class whose path is shared"),
        N_NEITHER,
    )

    inconsistent: str = "wrong"
    parents: str = "all"
    root: str = "include"

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the labels that count, and which of them are hits."""
        for part in batch.cells("none", self.root):
            rooted = partial(self.rooted, batch, part, parents=self.parents)
            true, predicted = part.in_true, part.in_pred
            if self.inconsistent == "drop":
                predicted = rooted(predicted)
                hit = predicted & true
            else:
                hit = rooted(true & predicted)
            columns = {
                "n_true": true,
                "n_pred": predicted,
                "n_both": hit,
                "n_neither": SUMS["n_neither"](true, predicted),
            }
            columns[NOT_CLOSED] = true & ~rooted(true)
            yield Units(part.first, part.row_ptr, part.column, columns)


@dataclass(frozen=True)
class WholePathRecipe(Rooted):
    """Paths from the root to the leaves that the sets hold wholly, in a tree or forest."""

    family: ClassVar = "path"
    of_labels: ClassVar = True
    columns: ClassVar = (
        Column("n_true", "a whole path of the true set", support=True),
        Column("n_pred", "a whole path of the predicted set"),
        Column("n_both", "a whole path of both sets"),
        Column("n_neither", "a leaf whose path neither set has", every=True),
        Column("labels_true", "a true label", whole=True),
        Column("labels_pred", "a predicted label", whole=True),
        Column("labels_on_paths", "a label on a whole predicted path, for each", whole=True),
    )

    of_leaves: ClassVar = True

    root: str = "include"

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the labels, those that end whole paths of either side, and how long these are."""
        h = batch.hierarchy
        instead = "take constrained_f, which has parents='all' and parents='any'"
        h.need_one_parent(
            "a class has many paths in a DAG, and path measures need one each", instead
        )
        leaf = self.counted(h)
        for part in batch.cells("none", self.root):
            closed = self.rooted(batch, part, part.in_true)
            ends = leaf[part.column]
            true, predicted = closed & ends, self.rooted(batch, part, part.in_pred) & ends
            owner, above = ancestors_of(h, part.column)
            row = part.row[owner]
            counted = self.has_root(batch, part, part.in_pred)[row] | (above > 0)
            counted &= counted_classes(h, self.root)[above]
            counted &= ~batch.are_aside(part.first + row, above)
            n_above = np.bincount(owner[counted], minlength=len(part.column))
            columns = {
                "n_true": true,
                "n_pred": predicted,
                "n_both": true & predicted,
                "n_neither": SUMS["n_neither"](true, predicted),
                "labels_true": part.in_true,
                "labels_pred": part.in_pred,
                "labels_on_paths": predicted * n_above,
                NOT_CLOSED: part.in_true & ~closed,
            }
            yield Units(part.first, part.row_ptr, part.column, columns)
