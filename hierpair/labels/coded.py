"""Columns and label lists as numbers: what comes often is looked at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets, ragged_ranges

__all__ = ["Coded", "CodedLists", "Column", "all_distinct", "coded", "coded_lists", "values_of"]

PLAIN = (str, type(None))

MANY_NAMES = 2**20
"""From so many names on, sorting their hashes is worth the time that it takes."""


class Column(Protocol):
    """A column that knows its different values, such as one of Arrow."""

    @property
    def is_nested(self) -> bool:
        """Whether every cell is a list."""

    def __len__(self) -> int: ...

    def __getitem__(self, i: int, /) -> Any: ...

    def take(self, rows: NDArray[np.integer], /) -> Column:
        """Return some rows."""

    def listed(self) -> list[Any]:
        """Return the value of every row as an object."""

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the values of a column of floats; None for other columns."""

    def coded(self) -> Coded:
        """Return the different values and their numbers."""

    def cells(self) -> tuple[NDArray[np.int64], Coded]:
        """Return the row pointer of lists, and what is in them."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as its different values, and the number of the value of every row.

    Attributes
    ----------
    codes
        Row ``i`` has the value ``values[codes[i]]``, shape ``(n_rows,)``.
    values
        The different values; some may not occur.
    """

    codes: NDArray[np.integer]
    values: list[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: NDArray[np.integer]) -> Coded:
        """Return some rows."""
        return Coded(self.codes[rows], self.values)

    def listed(self) -> list[Any]:
        """Return the value of every row."""
        values = np.empty(len(self.values), dtype=object)
        values[:] = self.values
        found: list[Any] = values[self.codes].tolist()
        return found

    def first_rows(self) -> NDArray[np.int64]:
        """Return the row where each value comes first; the number of rows for one that never does.

        Rows are written backwards, so that the first one stays.
        """
        first = np.full(len(self.values), len(self.codes), dtype=np.int64)
        first[self.codes[::-1]] = np.arange(len(self.codes) - 1, -1, -1)
        return first

    def each(self, function: Callable[[Any, int], Any]) -> list[Any]:
        """Return a function of every value that occurs and of its first row, in their order.

        A value that never occurs gives None.
        """
        first = self.first_rows()
        found: list[Any] = [None] * len(self.values)
        for k in np.argsort(first, kind="stable").tolist():
            if first[k] == len(self.codes):
                break
            found[k] = function(self.values[k], int(first[k]))
        return found

    def renumbered(self, values: Sequence[Any]) -> Coded:
        """Return the column with other values, of which equal ones become one."""
        number: dict[Any, int] = {}
        code = np.fromiter(
            (number.setdefault(v, len(number)) for v in values), np.int32, count=len(values)
        )
        return Coded(code[self.codes] if len(code) else self.codes, list(number))


def coded(column: Sequence[Any] | Column) -> Coded:
    """Return a column with its different values numbered as they come.

    Values of different types are different: 1 is not True. What cannot be looked up in a dict is
    different from everything else.
    """
    if not isinstance(column, Sequence):
        return column.coded()
    number: dict[Any, int] = {}
    if set(map(type, column)) <= set(PLAIN):
        codes = [number.setdefault(value, len(number)) for value in column]
        return Coded(np.array(codes, dtype=np.int32), list(number))
    values: list[Any] = []
    codes = []
    for i, value in enumerate(column):
        key: Any = (type(value), value)
        if isinstance(value, (list, tuple)):
            key = (list, tuple((type(x), x) for x in value))
        try:
            code = number.setdefault(key, len(values))
        except (TypeError, ValueError):  # unhashable, as arrays and lists of lists are
            code = number.setdefault((Coded, i), len(values))
        if code == len(values):
            values.append(value)
        codes.append(code)
    return Coded(np.array(codes, dtype=np.int32), values)


def values_of(column: Sequence[Any] | Column) -> Sequence[Any]:
    """Return the value of every row of a column."""
    return column if isinstance(column, Sequence) else column.listed()


@dataclass(frozen=True, eq=False)
class CodedLists(Sequence[list[Any]]):
    """One list of labels per instance, as numbers of the different labels.

    Attributes
    ----------
    pointer, codes
        Instance ``i`` has the labels ``labels[c] for c in codes[pointer[i]:pointer[i + 1]]``.
    labels
        The different labels; some may not occur.
    """

    pointer: NDArray[np.int64]
    codes: NDArray[np.integer]
    labels: list[Any]

    def __len__(self) -> int:
        return len(self.pointer) - 1

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        return [self.labels[c] for c in self.codes[self.pointer[i] : self.pointer[i + 1]].tolist()]

    def __iter__(self) -> Iterator[list[Any]]:
        flat, ends = Coded(self.codes, self.labels).listed(), self.pointer.tolist()
        return (flat[a:b] for a, b in pairwise(ends))

    def with_labels(self, labels: list[Any]) -> CodedLists:
        """Return the lists with other labels in the place of these."""
        return CodedLists(self.pointer, self.codes, labels)

    def take(self, rows: NDArray[np.integer]) -> CodedLists:
        """Return the lists of some instances."""
        lengths = np.diff(self.pointer)[rows]
        at = ragged_ranges(self.pointer[rows], lengths)
        return CodedLists(offsets(lengths), self.codes[at], self.labels)

    @classmethod
    def spread(cls, cells: Coded, lists: Sequence[list[Any]]) -> CodedLists:
        """Return the lists of all rows, given those of every different cell."""
        inner = coded_lists([found or [] for found in lists])
        size = np.diff(inner.pointer)
        if len(size) and (size == 1).all():
            rows = np.arange(len(cells) + 1, dtype=np.int64)
            return cls(rows, inner.codes[cells.codes], inner.labels)
        lengths = size[cells.codes]
        at = ragged_ranges(inner.pointer[cells.codes], lengths)
        return cls(offsets(lengths), inner.codes[at], inner.labels)


def coded_lists(rows: Sequence[list[Any]]) -> CodedLists:
    """Return lists of labels with the different labels numbered as they come."""
    if isinstance(rows, CodedLists):
        return rows
    flat = coded(list(chain.from_iterable(rows)))
    pointer = offsets(np.fromiter(map(len, rows), np.int64, count=len(rows)))
    return CodedLists(pointer, flat.codes, flat.values)


def all_distinct(names: Sequence[Any]) -> bool:
    """Whether no name comes twice; of many names in less memory than a set needs.

    Equal names have equal hashes, so only where two hashes are equal a set has to decide.

    >>> all_distinct(["a", "b"]), all_distinct(["a", "b", "a"])
    (True, False)
    """
    if len(names) < MANY_NAMES:
        return len(set(names)) == len(names)
    hashes = np.fromiter(map(hash, names), np.int64, count=len(names))
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any() or len(set(names)) == len(names)
