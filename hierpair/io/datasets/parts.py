"""What of a data set can be read on its own, and the rows that come from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hierpair.labels import Columns

__all__ = ["DataPart", "PartRows", "absolute", "is_remote"]


def is_remote(path: str) -> bool:
    """Whether a path is an address, such as ``s3://bucket/key``."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a path that processes in other folders understand, too; addresses are such.

    >>> absolute("s3://bucket/key"), absolute("/data/../data/a")
    ('s3://bucket/key', '/data/a')
    """
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 - any text


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
        About how much is read; of a text, the size of its file.
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
        Name → the values of all rows: an array of Arrow, or what a form holds (a list, labels that
        are numbered).
    n_rows
        How many rows there are; a table without any of the wanted columns has rows, too.
    place
        Tells where row ``i`` stands, as ``"a.parquet: row 7"``; a column of labels and the number
        of a label may be given, too, since they may be from other files and rows.
    meaning
        What the columns mean. Conditions on rows are met: its ``where`` is empty.
    hint
        Words to add to an error about a label.
    check
        Takes a column of labels; refuses a row that has no such field at all.
    """

    part: DataPart
    columns: Mapping[str, Any]
    n_rows: int
    place: Callable[..., str]
    meaning: Columns
    hint: str = ""
    check: Callable[[str], None] | None = None

    def take(self, rows: NDArray[np.integer]) -> PartRows:
        """Return some of the rows."""
        return replace(
            self,
            columns={
                name: [column[i] for i in rows] if isinstance(column, list) else column.take(rows)
                for name, column in self.columns.items()
            },
            n_rows=len(rows),
            place=lambda i, *of: self.place(int(rows[i]), *of),
            check=None,
        )
