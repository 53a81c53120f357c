"""Names in columns to class numbers and to ids: whole columns at a time, row by row the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.io.datasets.arrow_columns import ArrowColumn, Column

__all__ = ["KnownNames", "known_names", "plain_ids"]

FIRST_PLAIN, LAST_PLAIN = 0x21, 0x7E
"""ASCII without blanks and control characters: no text between two of these has to be stripped."""


@dataclass(frozen=True, eq=False)
class KnownNames:
    """The class names that a cell can hold as they are: no blanks around, no separator inside.

    Attributes
    ----------
    by_name
        Their class numbers.
    """

    by_name: Mapping[str, int]

    @cached_property
    def texts(self) -> Any:
        """The names, as an array of Arrow."""
        import pyarrow as pa

        return pa.array(map(str, self.by_name), pa.string(), size=len(self.by_name))

    @cached_property
    def numbers(self) -> NDArray[np.int32]:
        """Their class numbers, in the same order."""
        return np.fromiter(self.by_name.values(), np.int32, count=len(self.by_name))

    def numbers_of(self, array: Any) -> NDArray[np.int32] | None:
        """Return the class of every text or whole number, -1 for any other; None: no such array."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as kinds

        if kinds.is_dictionary(array.type):
            inside = self.numbers_of(array.dictionary)
            if inside is None:
                return None
            codes = pc.fill_null(array.indices.cast(pa.int64()), len(inside))
            found: NDArray[np.int32] = np.append(inside, np.int32(-1))[codes.to_numpy()]
            return found
        if kinds.is_integer(array.type):
            array = array.cast(pa.string())
        if not (kinds.is_string(array.type) or kinds.is_large_string(array.type)):
            return None
        at = pc.index_in(array, value_set=self.texts.cast(array.type))
        at = pc.fill_null(at, len(self.numbers)).to_numpy(zero_copy_only=False)
        known: NDArray[np.int32] = np.append(self.numbers, np.int32(-1))[at]
        return known

    def rows_of(
        self, column: Sequence[Any] | Column
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
        """Return row pointer and class of every label, -1 for others; None: no such column."""
        if isinstance(column, Sequence):
            return self._listed(column)
        if not isinstance(column, ArrowColumn):
            return None
        import pyarrow.compute as pc

        if not column.is_nested:
            numbers = self.numbers_of(column.array)
            return None if numbers is None else (np.arange(len(numbers) + 1), numbers)
        lengths = pc.fill_null(pc.list_value_length(column.array), 0)
        numbers = self.numbers_of(column.array.flatten())
        pointer = offsets(lengths.to_numpy(zero_copy_only=False))
        return None if numbers is None else (pointer, numbers)

    def _listed(self, column: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
        """Do it for texts, or for lists of texts."""
        kinds, flat = set(map(type, column)), column
        if nested := bool(kinds) and kinds <= {list, tuple}:
            flat = list(chain.from_iterable(column))
            kinds = set(map(type, flat))
        if not kinds <= {str, type(None)}:
            return None
        found = map(self.by_name.get, flat, repeat(-1))
        numbers = np.fromiter(found, np.int32, count=len(flat))
        if not nested:
            return np.arange(len(numbers) + 1), numbers
        return offsets(np.fromiter(map(len, column), np.int64, count=len(column))), numbers


_known: WeakKeyDictionary[Hierarchy, dict[str, KnownNames]] = WeakKeyDictionary()
"""By hierarchy and separator: made once per process."""


def known_names(hierarchy: Hierarchy, separator: str) -> KnownNames:
    """Return the names that need no splitting and no stripping."""
    by_separator = _known.setdefault(hierarchy, {})
    if separator not in by_separator:
        by_separator[separator] = _names_without(hierarchy, separator)
    return by_separator[separator]


def _names_without(hierarchy: Hierarchy, separator: str) -> KnownNames:
    plain = {
        name: number
        for name, number in hierarchy.position.items()
        if isinstance(name, str)
        and name
        and name == name.strip()
        and separator not in name
        and _is_unicode(name)
    }
    return KnownNames(plain)


def _is_unicode(name: str) -> bool:
    """Whether a name has no half of a character, which Arrow cannot hold."""
    return name.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in name)


def plain_ids(column: ArrowColumn) -> ArrowColumn | None:
    """Return the ids as texts if none is missing, blank or has blanks around it; else None."""
    import pyarrow as pa
    import pyarrow.types as kinds

    array = column.array
    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    if array.null_count:
        return None
    if kinds.is_integer(array.type):
        return ArrowColumn(array.cast(pa.string()))
    if not (kinds.is_string(array.type) or kinds.is_large_string(array.type)):
        return None
    starts, letters = text_buffers(array)
    if (starts[1:] == starts[:-1]).any():
        return None
    odd = np.zeros(len(array), dtype=bool)
    for end in (letters[starts[:-1]], letters[starts[1:] - 1]):
        odd |= (end < FIRST_PLAIN) | (end > LAST_PLAIN)
    rows = np.flatnonzero(odd)
    if any(text != text.strip() for text in array.take(rows).to_pylist()):
        return None
    return ArrowColumn(array)


def text_buffers(array: Any) -> tuple[NDArray[np.integer], NDArray[np.uint8]]:
    """Return where each text of an array starts, and the UTF-8 of all of them."""
    import pyarrow.types as kinds

    _, starts, letters = array.buffers()
    width: type[np.integer] = np.int64 if kinds.is_large_string(array.type) else np.int32
    if starts is None:
        return np.zeros(1, dtype=width), np.zeros(0, dtype=np.uint8)
    at = np.frombuffer(starts, dtype=width)[array.offset : array.offset + len(array) + 1]
    return at, np.frombuffer(b"" if letters is None else letters, dtype=np.uint8)
