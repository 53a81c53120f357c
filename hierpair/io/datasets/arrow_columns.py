"""Columns of Arrow in the parts of a data set, no object per row."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets
from hierpair.labels.coded import Coded, coded

__all__ = ["ArrowColumn", "Column"]


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


class ArrowColumn:
    """One column, in one piece; ``take`` gives some of its rows."""

    def __init__(self, column: Any) -> None:
        import pyarrow as pa

        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        # A chunked array of no chunks, or of too many letters for one, stays chunked.
        whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
        self.array = _without_views(whole)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, i: int) -> Any:
        return self.array[i].as_py()

    def __arrow_array__(self, *_: Any) -> Any:
        return self.array

    def to_pylist(self) -> list[Any]:
        """Return the value of every row as an object."""
        values: list[Any] = self.array.to_pylist()
        return values

    @property
    def is_nested(self) -> bool:
        """Whether every cell is a list."""
        import pyarrow.types as kinds

        kind = self.array.type
        return bool(
            kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)
        )

    def take(self, rows: NDArray[np.integer]) -> ArrowColumn:
        """Return some rows."""
        return ArrowColumn(self.array.take(rows))

    def listed(self) -> list[Any]:
        """Return the value of every row as an object."""
        values: list[Any] = self.array.to_pylist()
        return values

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the values of a column of floats, nan for a null; None for other columns."""
        import pyarrow.types as kinds

        if not kinds.is_floating(self.array.type):
            return None
        values: NDArray[np.float64] = self.array.to_numpy(zero_copy_only=False).astype(np.float64)
        return values

    def coded(self) -> Coded:
        """Return the different values and their numbers."""
        return coded(self.array)

    def cells(self) -> tuple[NDArray[np.int64], Coded]:
        """Return the row pointer of lists, and what is in them."""
        import pyarrow.compute as pc

        lengths = pc.fill_null(pc.list_value_length(self.array), 0).to_numpy(zero_copy_only=False)
        return offsets(lengths), coded(self.array.flatten())


def _without_views(array: Any) -> Any:
    """Return views of texts, of which Arrow cannot take some rows, as texts; also in lists."""
    import pyarrow as pa
    import pyarrow.types as kinds

    kind = array.type
    if kinds.is_string_view(kind):
        return array.cast(pa.large_string())
    if kinds.is_dictionary(kind) and kinds.is_string_view(kind.value_type):
        return pa.DictionaryArray.from_arrays(array.indices, _without_views(array.dictionary))
    nested = kinds.is_list(kind), kinds.is_large_list(kind), kinds.is_fixed_size_list(kind)
    if any(nested) and kinds.is_string_view(kind.value_type):
        return array.cast((pa.large_list if nested[1] else pa.list_)(pa.large_string()))
    return array
