"""A data set as parts that any process can read: what a part is, and the rows that come from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import counted, facts_table
from hierpair.io.datasets.arrow_columns import Column
from hierpair.io.datasets.locating import absolute
from hierpair.labels import Columns

__all__ = [
    "BATCH_ROWS",
    "ROWS_PER_PART",
    "DataPart",
    "DataSet",
    "OnDemand",
    "PartReader",
    "PartRows",
    "taken",
]

ROWS_PER_PART = 2**20
"""Rows that a part has at least where a file has so many: below it, starting tasks costs more."""

BATCH_ROWS = 2**18
"""Rows that are in memory at a time."""


@dataclass(frozen=True)
class DataPart:
    """Some rows of one file: small, and the same in every process.

    Attributes
    ----------
    id
        Names the part for good: the file below the root of the data set, and its row groups.
    path
        The file, or its address.
    first_row, n_rows
        Where its rows begin in the file, from 0, and how many there are; None where only reading
        tells, as for text.
    n_bytes
        About how much is read.
    row_groups
        Numbers of the row groups of a Parquet file; empty for other files.
    partition
        Columns that are told by the folders, such as ``split=test``.
    """

    id: str
    path: str
    first_row: int = 0
    n_rows: int | None = None
    n_bytes: int = 0
    row_groups: range = range(0)
    partition: tuple[tuple[str, str | None], ...] = ()

    def anywhere(self) -> Self:
        """Return the same part for processes that stand in other folders."""
        return replace(self, path=absolute(self.path))


@dataclass(frozen=True, eq=False)
class PartRows:
    """Some rows of a part, column by column.

    Attributes
    ----------
    part
        Where they are from.
    columns
        Name → the values of all rows: a list, or a column that knows its different values.
    n_rows
        How many rows there are; a table without any of the wanted columns has rows, too.
    place
        Tells where row ``i`` stands, as ``"a.parquet: row 7"``.
    meaning
        What the columns mean. Conditions on rows are met: its ``where`` is empty.
    hint
        Words to add to an error about a label.
    check
        Takes a column of labels; refuses a row that has no such field at all.
    sides
        Where columns are from other files than these rows: name → the same rows of those files.
    """

    part: DataPart
    columns: Mapping[str, Sequence[Any] | Column]
    n_rows: int
    place: Callable[[int], str]
    meaning: Columns
    hint: str = ""
    check: Callable[[str], None] | None = None
    sides: Mapping[str, PartRows] = field(default_factory=dict)

    def take(self, rows: NDArray[np.integer]) -> PartRows:
        """Return some of the rows."""
        columns, place, sides = self.columns, self.place, self.sides
        return replace(
            self,
            columns=OnDemand(columns, lambda name: taken(columns[name], rows)),
            n_rows=len(rows),
            place=lambda i: place(int(rows[i])),
            check=None,
            sides=OnDemand(sides, lambda name: sides[name].take(rows)),
        )

    def between(self, low: int, high: int) -> PartRows:
        """Return the rows ``low … high - 1``."""
        return self if (low, high) == (0, self.n_rows) else self.take(np.arange(low, high))

    def kept(self) -> PartRows:
        """Return the rows with nothing left of those that they were taken from."""
        return replace(self, columns={name: self.columns[name] for name in self.columns})


class OnDemand(Mapping[str, Any]):
    """Columns that are made when they are asked for: of many, few may be needed."""

    def __init__(self, names: Iterable[str], column: Callable[[str], Any]) -> None:
        self.names, self.column = dict.fromkeys(names), column

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise KeyError(name)
        return self.column(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def taken(column: Sequence[Any] | Column, rows: NDArray[np.integer]) -> Sequence[Any] | Column:
    """Return some rows of a column."""
    if isinstance(column, Sequence):
        return [column[i] for i in rows.tolist()]
    return column.take(rows)


class PartReader(Protocol):
    """What reads parts, in this process or in another one: small, and without the parts."""

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part, some at a time."""

    def rows(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield them as they stand: with one label per row, those of an instance may be apart."""


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """Labels in one or many files, read part by part; see :func:`open_dataset`.

    Attributes
    ----------
    source
        What the data set is called in messages.
    names
        The names of its columns.
    parts
        What can be read on its own, in the order of files and rows.
    columns
        What the columns mean; its ``ids`` names the column of ids, or is None without one.
    reader
        Reads a part. A process that is given parts needs nothing else.
    """

    source: str
    names: tuple[str, ...]
    parts: tuple[DataPart, ...]
    columns: Columns
    reader: PartReader

    def __repr__(self) -> str:
        return f"DataSet({self.source!r}, {', '.join(text for _, text in self._facts())})"

    def _repr_html_(self) -> str:
        return facts_table("DataSet", [("source", self.source), *self._facts()])

    def _facts(self) -> list[tuple[str, str]]:
        rows = [] if self.n_rows is None else [("rows", counted(self.n_rows, "row"))]
        return [*rows, ("parts", counted(len(self.parts), "part")),
                ("columns", "columns " + ", ".join(self.names))]  # fmt: skip

    @property
    def n_rows(self) -> int | None:
        """How many rows there are, before conditions on them; None where only reading tells."""
        known = [part.n_rows for part in self.parts if part.n_rows is not None]
        return sum(known) if len(known) == len(self.parts) else None

    @property
    def n_bytes(self) -> int:
        """About how many bytes are read."""
        return sum(part.n_bytes for part in self.parts)

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part, a bounded number at a time.

        Parameters
        ----------
        part
            One of ``parts``.
        names
            The columns that are needed beside the ids; by default all.

        Raises
        ------
        BadInput
            For a file that is gone or damaged, and what else its reader refuses.
        """
        return self.reader.read(part, names)
