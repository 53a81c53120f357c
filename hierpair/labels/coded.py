"""Columns and labels of any container as pointer, codes and values: what comes often is looked at
once.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import offsets, ragged_ranges

__all__ = [
    "Coded",
    "all_distinct",
    "array_of",
    "coded",
    "is_array_like",
    "numbered",
    "places_in",
    "plain",
    "taken",
    "together",
    "values_of",
]

BLOCK = 1 << 16
"""Entries of an array that are objects at one time."""

PLAIN = (str, bytes, type(None))
"""Types whose values equal none of another type."""

MANY_NAMES = 2**20
"""From so many names on, sorting their hashes is worth the time that it takes."""


@dataclass(frozen=True, eq=False)
class Coded(Sequence[Any]):
    """A value per row, or a list of values per row, as numbers of the different values.

    Attributes
    ----------
    codes
        Entry ``k`` is ``values[codes[k]]``.
    values
        The different values; some may not occur.
    pointer
        Row ``i`` is the list of the entries ``pointer[i] … pointer[i + 1] - 1``; None: row ``i`` is
        entry ``i`` alone.

    Examples
    --------
    >>> coded([["a", "b"], [], ["b"]])[0], coded(["a", "b", "a"]).codes.tolist()
    (['a', 'b'], [0, 1, 0])
    """

    codes: NDArray[np.integer]
    values: list[Any]
    pointer: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.codes) if self.pointer is None else len(self.pointer) - 1

    def __getitem__(self, i: Any) -> Any:
        found = list(self.take(np.atleast_1d(np.arange(len(self))[i])))
        return found if isinstance(i, slice) else found[0]

    def __iter__(self) -> Iterator[Any]:
        flat = map(self.values.__getitem__, self.codes.tolist())
        if self.pointer is None:
            return flat
        entries = list(flat)
        return (entries[a:b] for a, b in pairwise(self.pointer.tolist()))

    @property
    def row_ends(self) -> NDArray[np.int64]:
        """The row pointer, also where every row is one value."""
        return np.arange(len(self.codes) + 1) if self.pointer is None else self.pointer

    @property
    def lists(self) -> Coded:
        """The column with a list for every row."""
        return replace(self, pointer=self.row_ends)

    def row_of(self, entry: int) -> tuple[int, int]:
        """Return the row of an entry, and its place in the row."""
        row = int(np.searchsorted(self.row_ends, entry, side="right")) - 1
        return row, entry - int(self.row_ends[row])

    def take(self, rows: NDArray[np.integer]) -> Coded:
        """Return some rows."""
        if self.pointer is None:
            return replace(self, codes=self.codes[rows])
        pointer, at = taken(self.pointer, rows)
        return Coded(self.codes[at], self.values, pointer)

    def each(self, function: Callable[[Any, int], Any]) -> list[Any]:
        """Return a function of every value that occurs and of its first entry, in their order.

        A value that never occurs gives None.
        """
        n = len(self.codes)
        first = np.full(len(self.values), n, dtype=np.int64)
        first[self.codes[::-1]] = np.arange(n)[::-1]  # backwards, so that the first one stays
        found: list[Any] = [None] * len(first)
        for k in np.argsort(first, kind="stable")[: np.count_nonzero(first < n)].tolist():
            found[k] = function(self.values[k], int(first[k]))
        return found

    def spread(self, lists: Sequence[list[Any] | None] | Iterator[list[str]]) -> Coded:
        """Return a list for every row, given that of every value (None for one without use).

        Lists of texts may come one by one; they are numbered on the way, and not all are held.
        """
        if isinstance(lists, Iterator):
            inner = _coded_texts(lists)
        else:
            inner = coded([found or [] for found in lists]).lists
        if (np.diff(inner.row_ends) == 1).all():
            return Coded(inner.codes[self.codes], inner.values).lists
        return inner.take(self.codes)


def places_in(keys: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where numbers are among ascending ones; -1 for what is not there.

    >>> places_in(np.array([2, 5]), np.array([5, 3])).tolist()
    [1, -1]
    """
    at = np.searchsorted(keys, wanted)
    return np.where(np.append(keys, -1)[at] == wanted, at, -1)


def taken(
    pointer: NDArray[np.int64], rows: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pointer of these rows, of which negative ones are empty, and their entries.

    >>> pointer, entries = taken(np.array([0, 2, 3]), np.array([1, -1, 0]))
    >>> pointer.tolist(), entries.tolist()
    ([0, 1, 1, 3], [2, 0, 1])
    """
    lengths = np.where(rows >= 0, np.append(np.diff(pointer), 0)[rows], 0)
    return offsets(lengths), ragged_ranges(pointer[rows], lengths)


def coded(column: Any) -> Coded:
    """Return a column, or a list per row, with the different values numbered as they come.

    Takes lists, arrays of NumPy, Arrow and tensors, series of pandas and polars, categories and
    what can be gone through. Values of different types are different: 1 is not True. What cannot
    be looked up in a dict is different from everything else.
    """
    if isinstance(column, Coded):
        return column
    if isinstance(column, (list, tuple)):
        return _coded_list(column)
    library = type(column).__module__.partition(".")[0]
    if library == "pyarrow" or (library != "pandas" and hasattr(column, "__arrow_array__")):
        return _coded_arrow(column)
    if library == "pandas" and hasattr(column.dtype, "categories"):
        kept = getattr(column, "cat", column)
        values = kept.categories.tolist()
        codes = np.asarray(kept.codes, dtype=np.int32)
        return Coded(np.where(codes < 0, len(values), codes), [*values, None])
    listed = getattr(column, "to_list", None)
    if listed is not None:
        return _coded_list(listed())
    array = array_of(column)
    if array is None:
        return _coded_list(list(column))
    if array.ndim != 1:
        return _coded_list(array.tolist())
    if array.dtype == object:
        return _coded_list(list(array))
    blocks = (array[i : i + BLOCK].tolist() for i in range(0, len(array), BLOCK))
    return numbered(chain.from_iterable(blocks), len(array))


def together(columns: Sequence[Coded]) -> Coded:
    """Return the cells of every row of several columns as one value.

    >>> [*together([coded(["a", "a", "b"]), coded([1, 1, 2])])]
    [['a', 1], ['a', 1], ['b', 2]]
    """
    code = columns[0].codes.astype(np.int64)
    for column in columns[1:]:
        code = code * max(1, len(column.values)) + column.codes
        code = np.unique(code, return_inverse=True)[1].astype(np.int64)
    _, first, code = np.unique(code, return_index=True, return_inverse=True)
    return Coded(code, [[c.values[c.codes[row]] for c in columns] for row in first.tolist()])


def values_of(column: Any) -> Sequence[Any]:
    """Return the value of every row of a column as an object."""
    if isinstance(column, (list, tuple)):
        return column
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            listed: list[Any] = getattr(column, name)()
            return listed
    return list(column)


def is_array_like(kind: type) -> bool:
    """Whether things of a type hold labels as arrays do: of NumPy, tensors, scalars of Arrow."""
    if issubclass(kind, (str, int, float, bytes, np.generic)) or kind.__module__ == "builtins":
        return False
    return any(hasattr(kind, name) for name in ("__array__", "__dlpack__", "as_py"))


def array_of(thing: Any) -> NDArray[Any] | None:
    """Return an array, or what says that it can be one (a tensor on any device); None for others.

    >>> array_of(memoryview(b"ab")) is None, array_of(np.array([1])).tolist()
    (True, [1])
    """
    if isinstance(thing, np.ndarray):
        return thing
    if not is_array_like(type(thing)):
        return None
    ways: tuple[Callable[[Any], Any], ...]
    ways = np.asarray, np.from_dlpack, lambda x: np.asarray(x.tolist())
    for way in ways:
        try:
            array: NDArray[Any] = way(thing)
        except Exception:  # tensors on other devices, or with gradients, raise errors of all kinds
            continue
        if array.dtype != object or array.ndim:
            return array
    raise BadInput(f"a {type(thing).__name__} does not become an array; give .tolist() of it")


def plain(thing: Any) -> Any:
    """Return an array, a tensor or a scalar of Arrow as lists and values of Python."""
    if hasattr(thing, "as_py"):
        return thing.as_py()
    array = array_of(thing)
    return thing if array is None else array.tolist()


def _coded_list(column: Sequence[Any]) -> Coded:
    kinds = set(map(type, column))
    if any(map(is_array_like, kinds)):
        column = list(map(plain, column))
        kinds = set(map(type, column))
    if kinds and kinds <= {list, tuple}:
        pointer = offsets(np.fromiter(map(len, column), np.int64, count=len(column)))
        flat = _coded_values(lambda: chain.from_iterable(column), int(pointer[-1]))
        return replace(flat, pointer=pointer)
    return _coded_values(lambda: iter(column), len(column))


def _coded_values(entries: Callable[[], Iterator[Any]], n: int) -> Coded:
    """Encode entries; of two types of numbers, equal ones may differ."""
    found = None
    with suppress(TypeError):  # unhashable
        found = numbered(entries(), n)
        if all(issubclass(kind, PLAIN) for kind in set(map(type, found.values))):
            return found
    kinds = set(map(type, entries()))
    if any(map(is_array_like, kinds)):
        return _coded_values(lambda: map(plain, entries()), n)
    if found is not None and sum(not issubclass(kind, PLAIN) for kind in kinds) == 1:
        return found
    number: dict[Any, int] = {}
    values: list[Any] = []
    codes = []
    for i, value in enumerate(entries()):
        key: Any = (type(value), value)
        if isinstance(value, (list, tuple)):
            key = (list, tuple((type(x), x) for x in value))
        try:
            code = number.setdefault(key, len(values))
        except (TypeError, ValueError):  # unhashable, as lists of lists are
            code = number.setdefault((Coded, i), len(values))
        if code == len(values):
            values.append(value)
        codes.append(code)
    return Coded(np.array(codes, dtype=np.int32), values)


def _coded_texts(lists: Iterable[list[str]]) -> Coded:
    lengths = array("q")

    def counted() -> Iterator[list[str]]:
        for found in lists:
            lengths.append(len(found))
            yield found

    flat = numbered(chain.from_iterable(counted()))
    return replace(flat, pointer=offsets(np.frombuffer(lengths, dtype=np.int64)))


def numbered(entries: Iterable[Any], n: int = -1) -> Coded:
    """Number hashable entries as they come."""
    number: defaultdict[Any, int] = defaultdict()
    number.default_factory = number.__len__  # a value that is new gets the next number
    codes = np.fromiter(map(number.__getitem__, entries), np.int32, count=n)
    number.default_factory = None  # or it would hold itself, and stay until garbage is collected
    return Coded(codes, list(number))


# ---------------------------------------------------------------- Arrow


def _coded_arrow(column: Any) -> Coded:
    """Encode a column of Arrow without an object per row; null is a value, and an empty list."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    column = column if hasattr(column, "type") else column.__arrow_array__()
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    # A chunked array of no chunks, or of too many letters for one, stays chunked.
    whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
    kind, pointer = whole.type, None
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        lengths = pc.fill_null(pc.list_value_length(whole), 0).to_numpy(zero_copy_only=False)
        pointer, whole = offsets(lengths), whole.flatten()
    if kinds.is_string_view(whole.type):
        whole = whole.cast(pa.large_string())
    if not kinds.is_dictionary(whole.type):
        try:
            whole = pc.dictionary_encode(whole, null_encoding="encode")
        except pa.ArrowNotImplementedError:  # lists of lists, structs
            listed = whole.to_pylist()
            return replace(_coded_values(lambda: iter(listed), len(listed)), pointer=pointer)
    values, codes = whole.dictionary.to_pylist(), whole.indices
    if codes.null_count:
        codes = pc.fill_null(codes.cast(pa.int64()), len(values))
        values = [*values, None]
    return Coded(codes.to_numpy(zero_copy_only=False).astype(np.int32), values, pointer)


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
