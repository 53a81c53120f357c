"""Columns and labels of any container as pointer, codes and values: each value is seen once."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import (
    Indices,
    Ints,
    as_they_come,
    is_array_like,
    offsets,
    plain,
    taken,
    values_of,
)

PLAIN = {str, bytes, type(None)}
"""Types whose values equal none of another type."""

NESTED = {list, tuple, dict, set, frozenset}
"""Types that are told apart by how they are written: what they hold may be unhashable."""


class Texts(Sequence[str]):
    """Texts of Arrow, each a value of Python only when somebody looks at it."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, k: Any) -> Any:
        return self.array[int(k)].as_py()

    def __iter__(self) -> Iterator[str]:
        return iter(self.array.to_pylist())

    def places(self, names: Any) -> Ints:
        """Return where each text is in an array of Arrow, -1 for nowhere."""
        import pyarrow.compute as pc

        found = pc.index_in(self.array, value_set=names.cast(self.array.type))
        return np.asarray(pc.fill_null(found, -1), np.int64)


def are_texts(values: Sequence[Any]) -> bool:
    """Whether all values are texts."""
    return isinstance(values, Texts) or set(map(type, values)) <= {str}


def stripped(texts: Sequence[str]) -> Sequence[str]:
    """Return texts without blanks around."""
    if not isinstance(texts, Texts):
        return list(map(str.strip, texts))
    import pyarrow.compute as pc

    return Texts(pc.utf8_trim_whitespace(texts.array))


BLANK = "\0"
"""Stands in a joined table for a blank label of a list, where a blank text is no label."""


def split_texts(column: Any, separator: str) -> tuple[list[int], Coded]:
    """Return a column, of texts of Arrow the parts of each, and the rows with a blank text."""
    if str(getattr(column, "type", "")) not in ("string", "large_string"):
        return [], coded(column)
    import pyarrow.compute as pc

    blank = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(column)), 0)
    texts = pc.if_else(pc.fill_null(blank, True), None, pc.replace_substring(column, BLANK, ""))
    found = coded(pc.split_pattern(texts, separator))
    bare = np.flatnonzero(pc.fill_null(blank, False).to_numpy(zero_copy_only=False))
    return bare.tolist(), replace(found, values=stripped(found.values))


@dataclass(frozen=True, eq=False)
class Coded:
    """A value per row, or a list of values per row, as numbers of the different values.

    Row ``i`` has the entries ``pointer[i] … pointer[i + 1] - 1``, or without a pointer entry ``i``.
    """

    codes: Indices
    values: Sequence[Any]
    pointer: Ints | None = None

    def __len__(self) -> int:
        return len(self.row_ends) - 1

    def __iter__(self) -> Iterator[Any]:
        entries = list(map(self.values.__getitem__, self.codes.tolist()))
        if self.pointer is None:
            return iter(entries)
        return (entries[a:b] for a, b in pairwise(self.pointer.tolist()))

    @property
    def row_ends(self) -> Ints:
        """The row pointer, also where every row is one value."""
        return np.arange(len(self.codes) + 1) if self.pointer is None else self.pointer

    def row_of(self, entry: int) -> tuple[int, int]:
        """Return the row of an entry, and its place in the row."""
        row = int(np.searchsorted(self.row_ends, entry, side="right")) - 1
        return row, entry - int(self.row_ends[row])

    def take(self, rows: Indices) -> Coded:
        """Return some rows."""
        pointer, at = (None, rows) if self.pointer is None else taken(self.pointer, rows)
        return Coded(self.codes[at], self.values, pointer)

    def each(self, function: Callable[[Any, int], Any]) -> list[Any]:
        """Return a function of every value and of its first entry; None for one without any."""
        first = np.full(len(self.values), -1)
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]  # the first one stays
        pairs = zip(self.values, first.tolist(), strict=True)
        return [None if k < 0 else function(value, k) for value, k in pairs]

    def spread(self, lists: Sequence[list[Any] | None] | Iterator[list[str]]) -> Coded:
        """Return a list for every row, given that of every value; texts may come one by one."""
        lengths = array("q")

        def noted(found: list[Any] | None) -> Sequence[Any]:
            lengths.append(len(found or ()))
            return found or ()

        flat = chain.from_iterable(map(noted, lists))
        inner = numbered(flat) if isinstance(lists, Iterator) else different(list(flat))
        return replace(inner, pointer=offsets(np.array(lengths))).take(self.codes)


def coded(column: Any) -> Coded:
    """Return a column of any container, or a list per row; values of two types are different."""
    if isinstance(column, Coded):
        return column
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return _coded_arrow(column)
    rows = values_of(column)
    if rows and set(map(type, rows)) <= {list, tuple}:
        flat = different(list(chain.from_iterable(rows)))
        return replace(flat, pointer=offsets(np.fromiter(map(len, rows), np.int64)))
    return different(rows)


def different(entries: Sequence[Any]) -> Coded:
    """Number entries of any types: equal ones of two types, such as 1 and True, are different."""
    kinds = set(map(type, entries))
    if any(map(is_array_like, kinds)):
        return different(list(map(plain, entries)))
    if len(kinds - PLAIN) < 2 and not kinds & NESTED:
        return numbered(entries)
    found = numbered((type(x), repr(x) if type(x) in NESTED else x) for x in entries)
    first = np.unique(found.codes, return_index=True)[1]
    return replace(found, values=[entries[i] for i in first.tolist()])


def together(columns: Sequence[Coded]) -> Coded:
    """Return the cells of every row of several columns as one value."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        key = code * max(1, len(column.values)) + column.codes
        _, first, code = np.unique(key, return_index=True, return_inverse=True)
    cells = [[c.values[k] for k in c.codes[first].tolist()] for c in columns]
    return Coded(code, list(zip(*cells, strict=True)))


def numbered(entries: Iterable[Any]) -> Coded:
    """Number hashable entries as they come."""
    return Coded(*as_they_come(entries))


def _coded_arrow(column: Any) -> Coded:
    """Encode a column of Arrow without an object per row; null is a value, and an empty list."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    pointer = None
    if isinstance(whole, (pa.ListArray, pa.LargeListArray)):
        lengths = pc.fill_null(pc.list_value_length(whole), 0).to_numpy(zero_copy_only=False)
        pointer, whole = offsets(lengths), whole.flatten()
    if isinstance(whole, pa.DictionaryArray) and (
        whole.null_count or len(pc.unique(whole.dictionary)) < len(whole.dictionary)
    ):
        whole = whole.dictionary_decode()
    try:
        found = pc.dictionary_encode(whole, null_encoding="encode")
    except pa.ArrowNotImplementedError:  # lists of lists, structs
        return replace(different(whole.to_pylist()), pointer=pointer)
    values = found.dictionary
    texts = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    seen = Texts(values) if texts and not values.null_count else values.to_pylist()
    return Coded(found.indices.to_numpy(), seen, pointer)
