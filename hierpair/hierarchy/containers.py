"""Columns, arrays and frames of any library as lists of plain values."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated, shown

__all__ = ["array_of", "frame_columns", "is_array_like", "is_frame", "plain", "values_of"]


def is_array_like(kind: type) -> bool:
    """Whether things of a type hold values as arrays do: of NumPy, tensors, scalars of Arrow."""
    holds = any(hasattr(kind, name) for name in ("__array__", "__dlpack__", "as_py"))
    return holds and not issubclass(kind, np.generic)


def array_of(thing: Any) -> NDArray[Any] | None:
    """Return an array, or what says that it can be one (a tensor on any device); None for others.

    >>> array_of(memoryview(b"ab")) is None, array_of(np.array([1])).tolist()
    (True, [1])
    """
    if not is_array_like(type(thing)):
        return None
    for way in (np.asarray, np.from_dlpack, lambda x: np.asarray(x.tolist())):
        with suppress(Exception):  # tensors elsewhere, or with gradients, raise errors of all kinds
            array: NDArray[Any] = way(thing)
            if array.dtype != object or array.ndim:
                return array
    raise BadInput(f"a {type(thing).__name__} does not become an array; give .tolist() of it")


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
        raise BadInput(
            "expected a data frame of pandas, polars, pyarrow or another with named columns, "
            f"got {type(frame).__name__}"
        )
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    twice = first_repeated(names)
    if twice is not None:
        raise BadInput(f"two columns of the frame are called {shown(twice)}")
    return {name: frame[name] for name in names}
