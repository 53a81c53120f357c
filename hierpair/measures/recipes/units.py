"""What a recipe counts, said once: units of instances, from which columns and entries follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Array, Bools, Indices, Ints, row_numbers, row_sums
from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.evidence.base import Name
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.recipes.batch import Batch


class Units(NamedTuple):
    """The units of some consecutive instances, such as the classes of their sets.

    Instance ``first + i`` has units ``row_ptr[i]`` to ``row_ptr[i + 1] - 1``; each has the number
    of its class (or level), and by the names of columns what it counts.
    """

    first: int
    row_ptr: Ints
    number: Indices
    columns: dict[str, Array]

    @property
    def rows(self) -> slice:
        """Where the instances are in their batch."""
        return slice(self.first, self.first + len(self.row_ptr) - 1)


class Counted:
    """A recipe that adds up its units.

    It is inherited by a frozen dataclass of options that has :attr:`columns` and :meth:`units`.
    What :meth:`units` names beside these columns is a remark upon the instances that have such a
    unit. Units of the same instances may come in several parts; a part has no columns of zeros.
    Where :attr:`kept` is true, a batch keeps units until both columns and entries are made of them.
    A class (or level) occurs at an instance where any of the columns :attr:`seen_by` is not 0, by
    default all that it has a part of.
    """

    columns: ClassVar[Any] = ()
    kept: ClassVar[bool] = False
    seen_by: ClassVar[tuple[str, ...]] = ()

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return the units of all instances."""
        raise NotImplementedError

    def found(self, batch: Batch) -> Iterable[Units]:
        """Return the units of all instances, found once if they are kept."""
        if not self.kept:
            return self.units(batch)
        units: list[Units] = batch.once(("units", self), lambda: [*self.units(batch)])
        return units

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which classes (or levels) count, by number."""
        counts = np.ones(len(hierarchy), dtype=bool)
        counts[excluded_classes(hierarchy, getattr(self, "root", "include"))] = False
        return counts

    def n_classes(self, batch: Batch) -> int:
        """Return how many classes (or levels) count."""
        return int(self.counted(batch.hierarchy).sum())

    def compute(self, batch: Batch) -> Columns:
        """Add up the units of every instance."""
        declared: tuple[Column, ...] = self.columns
        n_classes = self.n_classes(batch) if any(c.every for c in declared) else 0
        found: dict[str, Array] = {
            c.name: np.full(len(batch), n_classes * c.every, dtype=c.dtype) for c in declared
        }
        remarks: dict[str, Array] = {}
        for part in self.found(batch):
            row = None
            for name, each in part.columns.items():
                if name not in found:
                    holds = remarks.setdefault(name, np.zeros(len(batch), dtype=bool))
                    holds[part.rows] |= row_sums(each, part.row_ptr) > 0
                elif each.dtype.kind == "f":
                    row = row_numbers(part.row_ptr) if row is None else row
                    sums = np.bincount(row, each, minlength=len(part.row_ptr) - 1)
                    found[name][part.rows] += sums
                else:
                    found[name][part.rows] += row_sums(each, part.row_ptr)
        return found | {name: holds for name, holds in remarks.items() if holds.any()}

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
        """Return what a column is called where it is shown, and what its numbers are divided by."""
        return column.unit, 1

    def name_of(self, hierarchy: Hierarchy, number: int) -> Name:
        """Return what a class (or level) is called."""
        by_level = getattr(self, "by", "class") == "level"
        return f"level {number}" if by_level else hierarchy.names[number]

    def entries(self, batch: Batch) -> Entries:
        """Return what every instance adds to every class (or level)."""
        declared: tuple[Column, ...] = self.columns
        of_class = {c.name for c in declared if not (c.whole or c.alone)}
        rows, numbers, parts = [], [], []
        for part in self.found(batch):
            columns = {name: each for name, each in part.columns.items() if name in of_class}
            occurs = [columns[name] for name in self.seen_by or columns]
            kept = np.flatnonzero(reduce(np.logical_or, occurs))
            rows.append((part.first + row_numbers(part.row_ptr)).take(kept).astype(np.int32))
            numbers.append(part.number.take(kept).astype(np.int32))  # a mask would be slower
            parts.append({name: each.take(kept) for name, each in columns.items()})
        types = {name: each.dtype for part in parts for name, each in part.items()}
        sums = batch.columns(self) if any(c.whole for c in declared) else {}
        return Entries(
            len(batch),
            np.concatenate(rows),
            np.concatenate(numbers),
            {
                name: np.concatenate(
                    [
                        part.get(name, np.zeros(len(some), dtype))
                        for part, some in zip(parts, rows, strict=True)
                    ]
                )
                for name, dtype in types.items()
            },
            self.n_classes(batch),
            tuple(c.name for c in declared if c.every and c.name in types),
            {c.name: sums[c.name] for c in declared if c.whole},
        )
