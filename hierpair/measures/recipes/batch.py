"""A batch of instances, what recipes compute of it, and units, from which all that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, TypeVar, cast

import numpy as np

from hierpair.errors import BadInput, HierpairError, Infeasible
from hierpair.hierarchy import Hierarchy, counted_classes, root_classes
from hierpair.hierarchy.arrays import Array, Bools, Floats, Indices, Ints, row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.labels.annotation_counts import AnnotationCounts
from hierpair.labels.sets import are_aside, as_far_as_true, that_count
from hierpair.measures.class_weights import Weighting
from hierpair.measures.columns import Column, Columns, Entries, without
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.evidence.graphs import Name
from hierpair.measures.recipes.augmentation import Cells, cells_of, closures_of, prune
from hierpair.pairing import Pairs

Made = TypeVar("Made")

NOTHING_LEFT = "no true class that counts, left out of means"
"""What is noted of instances that had true classes, none of which counts."""

KEPT_ENTRIES = 10_000_000
"""The latest cells of a batch with no more entries than this are kept, and those of its labels; of
a larger one they are sorted again for each recipe, block by block."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some instances of one system, with what has been computed for them so far.

    ``first`` is the place of the first one among all ``n_all`` that are evaluated together (None:
    unknown, as these are a part of them), and ``on_infeasible`` says what is done with an instance
    that has no pairing. ``counts`` are the numbers of annotations in the truth of all instances,
    where weights are counted from it.

    Where some classes do not count (``are_aside``), ``given`` are the
    labels as they came, from which sets grow before what does not count is cut away; ``y_true`` and
    ``y_pred`` are then the labels that count themselves.
    """

    hierarchy: Hierarchy
    y_true: LabelSets
    y_pred: LabelSets
    cache: dict[Any, Any] = field(default_factory=dict)
    first: int | None = 0
    n_all: int | None = None
    on_infeasible: Literal["raise", "nan"] = "raise"
    counts: AnnotationCounts | None = None
    given: tuple[LabelSets, LabelSets] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.hierarchy.of_interest is None and self.y_true.ignored is None:
            return
        sides = self.y_true, self.y_pred
        object.__setattr__(self, "given", sides)
        for name, side in zip(("y_true", "y_pred"), sides, strict=True):
            if isinstance(side, LabelSets):  # of scores it is looked up where they are read
                object.__setattr__(self, name, that_count(self.hierarchy, sides[0], side))

    @property
    def sides(self) -> tuple[LabelSets, LabelSets]:
        """The labels of truth and prediction as they came."""
        return self.given or (self.y_true, self.y_pred)

    def __len__(self) -> int:
        return len(self.y_true)

    def once(self, key: Any, make: Callable[[], Made]) -> Made:
        """Return what has been made under a key; the first time it is made."""
        if key not in self.cache:
            self.cache[key] = make()
        return cast(Made, self.cache[key])

    def pairs(self, threshold: int | None) -> Pairs:
        """Return all pairs of each instance; their distances are computed once."""
        sides = self.y_true, self.y_pred
        return self.once(
            ("pairs", threshold),
            lambda: Pairs.between(
                self.hierarchy, *sides, threshold, first=self.first, n_all=self.n_all
            ),
        )

    def columns(self, recipe: Recipe) -> Columns:
        """Return the columns of a recipe, one row per instance, computed once.

        It raises why the first instance without columns has none; with ``on_infeasible="nan"``
        instances without a pairing are left out instead.
        """
        found = self.defined(recipe)
        lenient = (Infeasible,) if self.on_infeasible == "nan" else ()
        refused = [i for i, e in self.reasons(recipe).items() if not isinstance(e, lenient)]
        if refused:
            raise self.reasons(recipe)[min(refused)]
        return found

    def defined(self, recipe: Recipe) -> Columns:
        """Return the columns of a recipe without the instances that have :meth:`reasons`."""

        def made() -> Columns:
            found, reasons = dict(recipe.compute(self)), self.reasons(recipe)
            left_out = self.left_out(recipe)
            at = np.flatnonzero(left_out)
            for i in at.tolist():
                reasons.pop(i, None)
            found = without(found, np.append(at, np.array([*reasons], dtype=np.int64)))
            if len(at):
                found[NOTHING_LEFT] = left_out
            for column in found.values():
                column.setflags(write=False)  # measures share them
            return found

        return self.once(recipe, made)

    def reasons(self, recipe: Recipe) -> dict[int, HierpairError]:
        """Return why instances have no columns of a recipe that was computed, by position."""
        return self.once(("reasons", recipe), dict[int, HierpairError])

    def left_out(self, recipe: Recipe) -> Bools:
        """Return which instances had true classes, none of which counts for a recipe."""
        if self.given is None:
            return np.zeros(len(self), dtype=bool)
        grown = not getattr(recipe, "of_labels", False)

        def found() -> Bools:
            n = self.y_true.lengths
            if grown:
                parts = self.cells("ancestors")
                n = np.concatenate([row_sums(part.in_true, part.row_ptr) for part in parts])
            out: Bools = (self.sides[0].lengths > 0) & (n == 0)
            return out

        return self.once(("left out", grown), found)

    def are_aside(self, rows: Indices, classes: Indices) -> Bools:
        """Return which classes of instances do not count whatever the root."""
        return are_aside(self.hierarchy, self.sides[0], rows, classes)

    def uncounted(self, part: Cells, root: Any) -> Bools:
        """Return which classes of instances do not count."""
        aside = np.zeros(len(part.column), dtype=bool)
        if self.given is not None:
            aside = self.are_aside(part.first + part.row, part.column)
        if root != "include":  # the artificial class does not count either
            for c in *root_classes(self.hierarchy, root).tolist(), len(self.hierarchy):
                aside |= part.column == c
        return aside

    def refuse(self, recipe: Recipe, error: HierpairError) -> None:
        """Note, for a recipe that is computing, why an instance has no columns.

        Of several reasons the first one counts. What the recipe returns for it does not matter.
        """
        self.reasons(recipe).setdefault(cast(int, error.instance), error)

    def left(self, recipe: Recipe, *sides: LabelSets) -> list[LabelSets]:
        """Return label sets of the instances, empty for those that are refused."""
        rows, refused = np.arange(len(self)), [*self.reasons(recipe)]
        rows[refused] = -1
        return [side.take(rows) if refused else side for side in sides]

    def class_weights(self, weighting: Weighting) -> Floats:
        """Return the weight of every class; without ``n_all`` this batch is the whole truth."""
        truth = self.sides[0] if self.n_all is None else None
        return weighting.array(self.hierarchy, self.counts, truth)

    def entries(self, recipe: Any) -> Entries:
        """Return what every instance adds to every class, computed once."""
        return self.once(("entries", recipe), lambda: cast(Entries, recipe.entries(self)))

    def cells(
        self,
        augment: str,
        root: Any = "include",
        threshold: int | None = None,
        *,
        of_predicted: str | None = None,
        deeper: str = "wrong",
    ) -> Iterable[Cells]:
        """Return the augmented sets of both sides, block by block, without what does not count.

        They are sorted once for recipes that grow alike and stand together. ``of_predicted`` says
        how the predicted sets grow, if not as the true ones; all else is as for
        :class:`SetRecipe`.
        """
        if threshold is not None and augment != "ancestors":
            raise BadInput(
                f"a path threshold cuts ancestors; it cannot be used with augment={augment!r}"
            )
        base = "ancestors" if augment == "pruned" else augment
        cells = self._grown((base, of_predicted or base), threshold, deeper)
        if augment != "pruned" and root == "include" and self.given is None:
            return cells  # a copy of flat sets is a sixth of what they take
        return self._cut(cells, root, pruned=augment == "pruned")

    def labels(self) -> Iterable[Cells]:
        """Return the labels of both sides as they came, those that do not count among them."""
        return self._grown(("none", "none"), None, "wrong")

    def _grown(
        self, augment: tuple[str, str], threshold: int | None, deeper: str
    ) -> Iterable[Cells]:
        """Return the cells with all classes: kept until others are asked for, or too many."""
        place = "labels" if augment == ("none", "none") else "grown"
        latest, kept = self.cache.get(place, (None, []))
        if latest != (augment, threshold, deeper):
            self.cache.pop(place, None)
            sides = self.sides
            if deeper == "right":
                sides = (
                    sides[0],
                    self.once("as far", lambda: as_far_as_true(self.hierarchy, *sides)),
                )
            closures = closures_of(self.hierarchy, sides, augment, threshold)
            cells, n_entries = cells_of(sides, closures)
            if n_entries > KEPT_ENTRIES:
                return (grown for _, grown in cells)
            labels, kept = zip(*cells, strict=True)
            self.cache["labels"] = (("none", "none"), None, deeper), labels
            self.cache[place] = (augment, threshold, deeper), kept
        return cast(tuple[Cells], kept)

    def _cut(self, cells: Iterable[Cells], root: Any, *, pruned: bool) -> Iterator[Cells]:
        """Leave out what does not count; with ``pruned`` what the other side leads nowhere near."""
        for part in cells:
            in_true, in_pred = part.in_true, part.in_pred
            aside = self.uncounted(part, root)
            if pruned:
                in_true, in_pred = in_true.copy(), in_pred.copy()
                prune(self.hierarchy, part.row_ptr, part.column, in_true, in_pred, aside)
            counted = ~aside
            yield replace(part, in_true=in_true & counted, in_pred=in_pred & counted)


class Recipe(Protocol):
    """What has to be computed of every instance; equal recipes are computed once.

    Recipes are compared and hashed, so a frozen dataclass of options is what they usually are. One
    that can count by class (or level) has also a method ``entries``, which returns what every
    instance adds to every class (:class:`Entries`); one that can show what it computed, a method
    ``evidence``, which returns what the values of a batch of one rest on, in names.
    """

    @property
    def columns(self) -> tuple[Column, ...]:
        """What it computes."""
        ...

    def compute(self, batch: Batch) -> Columns:
        """Return the columns of a batch, one row per instance."""
        ...


@dataclass(frozen=True, eq=False)
class Units:
    """The units of some consecutive instances, such as the classes of their sets.

    Instance ``first + i`` has units ``row_ptr[i]`` to ``row_ptr[i + 1] - 1``; each has the number
    of its class (or level), and by the names of columns what it counts.
    """

    first: int
    row_ptr: Ints
    number: Indices
    columns: dict[str, Array]

    @classmethod
    def of_levels(cls, first: int, tables: Mapping[str, Array]) -> Units:
        """Return all levels of instances, from tables with a row for each instance."""
        n, n_levels = next(iter(tables.values())).shape
        row_ptr, level = np.arange(n + 1) * n_levels, np.tile(np.arange(n_levels), n)
        return cls(first, row_ptr, level, {name: each.ravel() for name, each in tables.items()})

    @property
    def rows(self) -> slice:
        """Where the instances are in their batch."""
        return slice(self.first, self.first + len(self.row_ptr) - 1)

    @cached_property
    def row(self) -> Ints:
        """The instance of every unit, the first one is 0."""
        return row_numbers(self.row_ptr)

    def summed(self, name: str) -> Array:
        """Return what the units of every instance count together."""
        each = self.columns[name]
        if each.dtype.kind != "f":
            return row_sums(each, self.row_ptr)
        return np.bincount(self.row, each, minlength=len(self.row_ptr) - 1)


class Counted:
    """A recipe that adds up its units.

    It is inherited by a frozen dataclass of options that has :attr:`columns` and :meth:`units`.
    What :meth:`units` names beside these columns is a remark upon the instances that have such a
    unit. Units of the same instances may come in several parts; a part has no columns of zeros.
    Where :attr:`kept` is true, a batch keeps units until both columns and entries are made of them;
    where :attr:`of_leaves` is, only leaves count.
    A class (or level) occurs at an instance where any of the columns :attr:`seen_by` is not 0, by
    default all that it has a part of.
    """

    columns: ClassVar[Any] = ()
    kept: ClassVar[bool] = False
    of_leaves: ClassVar[bool] = False
    seen_by: ClassVar[tuple[str, ...]] = ()

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the units of all instances."""
        raise NotImplementedError

    def found(self, batch: Batch) -> Iterable[Units]:
        """Return the units of all instances, found once if they are kept."""
        every = [column.name for column in self.columns if column.every]
        ignored = batch.sides[0].ignored

        def found() -> Iterable[Units]:
            yield from self.units(batch)
            if ignored is not None and every:  # what is 1 at every class that counts is not there
                there = -self.counted(batch.hierarchy)[ignored.indices].astype(np.int8)
                yield Units(0, ignored.indptr, ignored.indices, dict.fromkeys(every, there))

        return batch.once(("units", self), lambda: [*found()]) if self.kept else found()

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes (or levels) count, by number."""
        counts = counted_classes(hierarchy, getattr(self, "root", "include"))
        return counts & hierarchy.is_leaf if self.of_leaves else counts

    def n_classes(self, batch: Batch) -> int:
        """Return how many classes (or levels) count."""
        return int(self.counted(batch.hierarchy).sum())

    def compute(self, batch: Batch) -> Columns:
        """Add up the units of every instance."""
        found: dict[str, Array] = {
            c.name: np.full(len(batch), self.n_classes(batch) if c.every else 0, dtype=c.dtype)
            for c in self.columns
        }
        names = {*found}
        for part in self.found(batch):
            for name in part.columns:
                total = part.summed(name)
                if name in names:
                    found[name][part.rows] += total
                elif total.any():
                    remark = found.setdefault(name, np.zeros(len(batch), dtype=bool))
                    remark[part.rows] |= total > 0
        return found

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the units of a batch of one: a field for each column, which adds up to it."""
        declared: dict[str, Column] = {column.name: column for column in self.columns}
        fields, counts, remarks = [], [], [*self.remarks(batch)]
        for part in self.found(batch):
            for name, each in part.columns.items():
                some = np.flatnonzero(each)
                column = declared.get(name)
                if column is None:
                    remarks += [name] * bool(len(some))
                elif not column.every:
                    title, scale = self.shown_as(column)
                    units = [self.name_of(batch.hierarchy, k) for k in part.number[some].tolist()]
                    numbers = () if each.dtype == bool else (each[some] / scale).tolist()
                    fields.append(Field(title, tuple(units), tuple(numbers)))
                    counts.append((name, scale * fields[-1].total))
        return FieldEvidence("labels", tuple(fields), "", tuple(remarks), tuple(counts))

    def remarks(self, batch: Batch) -> Iterable[str]:
        """Return what has to be known of the evidence of a batch of one."""
        return ()

    def shown_as(self, column: Column) -> tuple[str, float]:
        """Return what a column is called beside numbers, and what these are divided by."""
        return column.unit.removeprefix("1 of ").removesuffix(" that costs 1"), 1

    def name_of(self, hierarchy: Hierarchy, number: int) -> Name:
        """Return what a class (or level) is called."""
        by_level = getattr(self, "by", "class") == "level"
        return f"level {number}" if by_level else hierarchy.names[number]

    def entries(self, batch: Batch) -> Entries:
        """Return what every instance adds to every class (or level)."""
        of_class = [c.name for c in self.columns if not (c.whole or c.alone)]
        left_out = batch.left_out(cast(Recipe, self))
        aside = left_out if left_out.any() else None
        rows, numbers, columns = [], [], []
        for part in self.found(batch):
            row, seen = part.first + part.row, {*(self.seen_by or of_class)}
            some = np.zeros(len(row), dtype=bool)
            for name in seen & part.columns.keys():
                some |= part.columns[name] != 0
            if aside is not None:
                some &= ~aside[row]
            kept = np.flatnonzero(some)
            rows.append(row.take(kept).astype(np.int32))
            numbers.append(part.number.take(kept).astype(np.int32))  # a mask would be slower
            none = np.zeros(len(some), dtype=np.int8)
            columns.append([part.columns.get(name, none).take(kept) for name in of_class])
        return Entries(
            len(batch),
            np.concatenate(rows),
            np.concatenate(numbers),
            dict(zip(of_class, map(np.concatenate, zip(*columns, strict=True)), strict=True)),
            self.n_classes(batch),
            tuple(c.name for c in self.columns if c.every and not c.alone),
            {c.name: batch.columns(cast(Recipe, self))[c.name] for c in self.columns if c.whole},
            aside,
        )
