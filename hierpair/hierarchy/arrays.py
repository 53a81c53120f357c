"""Arrays of whatever holds them, and small idioms on ragged rows (CSR) that the house shares."""

from __future__ import annotations

import math
from collections import UserDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, check_unique, shown

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Shorts = NDArray[np.int32]
Indices = NDArray[np.integer]


def offsets(lengths: NDArray[np.integer | np.bool_]) -> Ints:
    """Return the CSR row pointer of rows with these lengths."""
    pointer = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=pointer[1:])
    return pointer


def row_pointer(rows: Indices, n_rows: int) -> Ints:
    """Return the CSR row pointer of entries, given the row of each."""
    return offsets(np.bincount(rows, minlength=n_rows))


def marked(places: Any, n: int) -> Bools:
    """Return which of ``n`` places are among these."""
    found = np.zeros(n, dtype=bool)
    found[places] = True
    return found


def inverse(numbers: Indices, n: int) -> Ints:
    """Return where each of ``n`` numbers stands in a list of some, -1 for nowhere."""
    found = np.full(n, -1)
    found[numbers] = np.arange(len(numbers))
    return found


def groups_by(keys: Indices) -> list[Ints]:
    """Return the positions of every key, ascending by key."""
    order = np.argsort(keys, kind="stable")
    return np.split(order, starts_of_ties(keys[order])[1:]) if len(order) else []


def ragged_ranges(starts: Indices, lengths: Indices) -> Ints:
    """Return ``start, start + 1, …`` for every row, one after the other."""
    pointer = offsets(lengths)
    shift = np.asarray(starts, dtype=np.int64) - pointer[:-1]
    return np.arange(pointer[-1], dtype=np.int64) + np.repeat(shift, lengths)


def taken(pointer: Indices, rows: Indices | slice) -> tuple[Ints, Any]:
    """Return the pointer of these rows, of which negative ones are empty, and their entries.

    Those of a slice are a slice, so that nothing is copied.
    """
    if isinstance(rows, slice):
        ends = pointer[rows.start : rows.stop + 1]
        return ends - ends[0], slice(int(ends[0]), int(ends[-1]))
    lengths = np.where(rows >= 0, pointer[rows + 1] - pointer[rows], 0)
    return offsets(lengths), ragged_ranges(pointer[rows], lengths)


def places_in(keys: Ints, wanted: Ints) -> Ints:
    """Return where numbers are among ascending ones; -1 for what is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)


def ratio(above: NDArray[Any], below: NDArray[Any], zero_division: float = math.nan) -> Floats:
    """Return ``above / below``, and ``zero_division`` where ``below`` is 0."""
    defined = np.asarray(below) != 0
    shares: Floats = above / np.where(defined, below, 1)
    return shares if defined.all() else np.where(defined, shares, zero_division)


def sparse_rows(
    pointer: Indices, columns: Indices, n_columns: int, values: NDArray[Any] | None = None
) -> Any:
    """Return a sparse matrix of these rows; without values its entries are 1."""
    cells = np.ones(len(columns)) if values is None else values
    shape = len(pointer) - 1, n_columns
    return scipy.sparse.csr_array((cells, columns, pointer), shape=shape)


def row_numbers(pointer: Indices) -> Ints:
    """Return the row of every entry of a CSR array."""
    return np.repeat(np.arange(len(pointer) - 1, dtype=np.int64), np.diff(pointer))


def places_in_rows(pointer: Indices) -> Ints:
    """Return the place of every entry of a CSR array in its row, from 0."""
    return np.arange(pointer[-1]) - np.repeat(pointer[:-1], np.diff(pointer))


def row_sums(values: NDArray[np.integer | np.bool_], pointer: Indices) -> Ints:
    """Return the sum of every row of a CSR array of whole numbers."""
    if len(pointer) == 2 and values.dtype == bool:  # much faster, and one row may be long
        return np.array([np.count_nonzero(values[pointer[0] : pointer[1]])])
    short = values.dtype == bool and len(values) < 1 << 31  # then half the memory is written
    running: Indices = np.zeros(len(values) + 1, dtype=np.int32 if short else np.int64)
    np.cumsum(values, out=running[1:])
    sums: Indices = running[pointer[1:]] - running[pointer[:-1]]
    return sums.astype(np.int64, copy=False)


def pieces(n: int, step: int) -> Iterator[slice]:
    """Yield the rows of a table piece by piece, so many (at least one) at a time.

    >>> [*pieces(5, 2)]
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, step)
    yield from (slice(lo, min(lo + step, n)) for lo in range(0, n, step))


def blocks(*needs: tuple[Array, float]) -> list[tuple[int, int]]:
    """Cut rows into blocks: one begins where a running sum comes to another multiple of its step.

    >>> blocks((np.array([2, 3, 4, 5, 13, 14]), 4), (np.arange(6), 5))
    [(0, 2), (2, 4), (4, 5), (5, 6)]
    """
    begins = np.zeros(len(needs[0][0]), dtype=bool)
    begins[:1] = True
    for running, step in needs:
        multiples = step * np.arange(1, running.max(initial=0) // step + 1)
        begins[np.searchsorted(running, multiples)] = True
    return list(pairwise([*np.flatnonzero(begins).tolist(), len(begins)]))


def starts_of_ties(*columns: Array) -> Ints:
    """Return the places of the first of equal neighbours."""
    return np.flatnonzero(np.append(True, _changes(columns))[: len(columns[0])])


def ends_of_ties(*columns: Array) -> Ints:
    """Return the places of the last of equal neighbours."""
    return np.flatnonzero(np.append(_changes(columns), True)[: len(columns[0])])


def _changes(columns: tuple[Array, ...]) -> Bools:
    found: Bools = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return found


def by_row(reduce: np.ufunc, values: Array, pointer: Indices, empty: float) -> Floats:
    """Return what the values of every row are reduced to, and of an empty row ``empty``."""
    filled = np.flatnonzero(np.diff(pointer))
    out = np.full(len(pointer) - 1, float(empty))
    out[filled] = reduce.reduceat(values, pointer[filled])
    return out


def running_max(rows: Ints, values: Floats) -> Floats:
    """Return the highest value of each row up to every entry; rows ascend."""
    steps, rank = np.unique(values, return_inverse=True)
    first = rows * len(steps)
    return np.asarray(steps[np.maximum.accumulate(first + rank) - first])


def leaders(group: Ints, worth: Any) -> Ints:
    """Return the first entry with the least worth of every group that has one, by group."""
    order = np.lexsort((worth, group))
    return order[starts_of_ties(group[order])]


class Ragged:
    """Entries in rows: row ``i`` has the entries ``indptr[i] … indptr[i + 1] - 1``.

    A subclass is a dataclass, and says which of its fields hold a value per entry.
    """

    indptr: Ints
    per_entry: ClassVar[tuple[str, ...]] = ("indices",)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def row(self) -> Ints:
        """The row of every entry."""
        return row_numbers(self.indptr)

    @property
    def lengths(self) -> Ints:
        """The number of entries of every row."""
        return np.diff(self.indptr)

    def name(self, i: int) -> Hashable:
        """Return the id of a row, or its position."""
        ids = getattr(self, "ids", None)
        return int(i) if ids is None else ids[i]

    def some(self, indptr: Ints, at: Any, **more: Any) -> Self:
        """Return rows of some entries, and other fields as given."""
        held = {name: getattr(self, name) for name in self.per_entry}
        own = {name: None if of is None else of[at] for name, of in held.items()}
        rows: Any = self
        found: Self = replace(rows, indptr=indptr, **own, **more)
        return found

    def take(self, rows: Indices | slice) -> Self:
        """Return these rows in this order; a negative row number gives an empty one."""
        return self.some(*taken(self.indptr, rows))

    def part(self, lo: int, hi: int) -> Self:
        """Return the rows ``lo … hi - 1``."""
        return self.take(slice(lo, hi))

    def only(self, kept: Bools, **more: Any) -> Self:
        """Return all rows with the entries that are kept alone."""
        return self.some(offsets(row_sums(kept, self.indptr)), kept, **more)


def joined(parts: Sequence[Any]) -> Any:
    """Return the rows of several as those of one, whose other fields are those of the first."""
    first, lengths = parts[0], np.concatenate([one.lengths for one in parts])
    names = [name for name in first.per_entry if getattr(first, name) is not None]
    held = {name: np.concatenate([getattr(one, name) for one in parts]) for name in names}
    return replace(first, indptr=offsets(lengths), **held)


PADDED = 2
"""Rows are sorted as a table that has no more than so many places for each value."""

SHORT_ROWS = 2**16
"""So many rows have numbers of 16 bits, which are sorted in one pass."""


def order_of_rows(rows: Indices, n_rows: int) -> Ints:
    """Return the order of entries by row, and as they are within each.

    >>> order_of_rows(np.array([1, 0, 1]), 2).tolist()
    [1, 0, 2]
    """
    short = np.uint16 if n_rows <= SHORT_ROWS else np.int64
    return np.argsort(rows.astype(short), kind="stable")


def falling_by_row(rows: Ints, values: Floats, n_rows: int) -> Ints:
    """Return the order of values by row, from the highest; in any order where equal.

    >>> falling_by_row(np.array([1, 0, 1]), np.array([0.2, 0.5, 0.7]), 2).tolist()
    [1, 2, 0]
    """
    lengths = np.bincount(rows, minlength=n_rows)
    width = int(lengths.max(initial=0))
    if n_rows * width > PADDED * len(values):
        order = np.argsort(-values)
        return order[order_of_rows(rows[order], n_rows)]
    grouped, there = order_of_rows(rows, n_rows), np.arange(width) < lengths[:, None]
    table = np.full((n_rows, width), np.inf)  # short rows are sorted faster than all values
    table[there] = -values[grouped]
    place = np.argsort(table, axis=1) + offsets(lengths)[:-1, None]
    found: Ints = grouped[place[there]]
    return found


def sorted_unique(keys: NDArray[Any]) -> Ints:
    """Return the sorted distinct keys; sorts ``keys`` in place."""
    keys.sort()
    if len(keys) < 2:
        return keys
    keep = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=keep[1:])
    return keys[keep]


def as_they_come(entries: Iterable[Any]) -> tuple[Shorts, list[Any]]:
    """Return the number of every entry, and the different ones, numbered as they come."""
    number: defaultdict[Any, int] = defaultdict()
    number.default_factory = number.__len__  # a value that is new gets the next number
    codes = np.fromiter(map(number.__getitem__, entries), np.int32)
    number.default_factory = None  # or it would hold itself, and stay until garbage is collected
    return codes, list(number)


def keys_as_they_come(keys: Ints) -> tuple[Shorts, Ints]:
    """Return the number of every key, numbered as they come, and where each occurs first."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    by_first = np.argsort(first)
    return inverse(by_first, len(first)).astype(np.int32)[group], first[by_first]


def texts_as_they_come(texts: list[str]) -> tuple[Shorts, list[str]]:
    """As :func:`as_they_come`, by sorted hashes: a dict of many texts waits for memory."""
    hashes, each = np.fromiter(map(hash, texts), np.int64), np.fromiter(texts, object)
    codes, first = keys_as_they_come(hashes)
    names = each[first]
    # two texts may have one hash
    return (codes, names.tolist()) if (names[codes] == each).all() else as_they_come(texts)


class OnDemand(UserDict[Any, Any]):
    """A dict that is made when it is first looked into: few ask what millions of keys hold."""

    __copy__ = None  # type: ignore[assignment]  # copies are dicts, as what is unpickled

    def __init__(self, make: Callable[[], dict[Any, Any]]) -> None:
        self.make = make

    @cached_property
    def data(self) -> dict[Any, Any]:  # type: ignore[override]
        """The dict itself."""
        return self.make()

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return dict, (self.data,)


def is_array_like(kind: type) -> bool:
    """Whether things of a type hold values as arrays do: of NumPy, tensors, scalars of Arrow."""
    holds = hasattr(kind, "__array__") or hasattr(kind, "__dlpack__") or hasattr(kind, "as_py")
    return holds and not issubclass(kind, np.generic)


def array_of(thing: Any) -> NDArray[Any] | None:
    """Return an array, or what says that it can be one (a tensor on any device), or None."""
    if not is_array_like(type(thing)):
        return None
    if np.ma.is_masked(thing):
        return np.array(thing.tolist(), dtype=object)  # what is masked is None
    for way in (np.asarray, np.from_dlpack, lambda x: np.asarray(x.tolist())):
        with suppress(Exception):  # tensors elsewhere, or with gradients, raise errors of all kinds
            array: NDArray[Any] = way(thing)
            if array.dtype != object or array.ndim:
                return array
    raise BadInput(f"a {type(thing).__name__} cannot be made an array; give its .tolist()")


def plain(thing: Any) -> Any:
    """Return an array, a tensor or a scalar of Arrow as lists and values of Python."""
    if hasattr(thing, "as_py"):
        return thing.as_py()
    array = array_of(thing)
    return thing if array is None else array.tolist()


def values_of(column: Any) -> Any:
    """Return the value of every row of a column as an object, and arrays in it as lists."""
    rows = column
    if not isinstance(column, (list, tuple)):
        ways = (getattr(column, name, None) for name in ("to_pylist", "tolist", "to_list"))
        way = next(filter(None, ways), None)
        rows = list(plain(column)) if way is None else way()
    return list(map(plain, rows)) if any(map(is_array_like, set(map(type, rows)))) else rows


def is_frame(thing: Any) -> bool:
    """Whether a thing is a data frame of any library; Arrow calls columns by ``column_names``."""
    return hasattr(thing, "columns") or hasattr(thing, "column_names")


def frame_columns(frame: Any) -> dict[Any, Any]:
    """Return the columns of a data frame of any library by name."""
    if not is_frame(frame) or not hasattr(frame, "__getitem__"):
        raise BadInput(f"expected a data frame with named columns, got {type(frame).__name__}")
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    check_unique(names, lambda name: f"two columns of the frame are called {shown(name)}")
    return {name: frame[name] for name in names}
