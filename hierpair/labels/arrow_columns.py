"""Columns of Arrow as numbers of their different values, no object per row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets
from hierpair.labels.coded import Coded, coded

__all__ = ["ArrowColumn", "of_names"]


def of_names(column: Any) -> ArrowColumn | None:
    """Return a column of texts, or of lists of texts; None for one of anything else."""
    import pyarrow.types as kinds

    def is_text(kind: Any) -> bool:
        if kinds.is_dictionary(kind):
            return is_text(kind.value_type)
        texts = kinds.is_string, kinds.is_large_string, kinds.is_string_view
        return any(asks(kind) for asks in texts)

    lists = kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list
    nested = any(asks(column.type) for asks in lists)
    if not is_text(column.type.value_type if nested else column.type):
        return None
    return ArrowColumn(column)


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
        return _coded(self.array)

    def cells(self) -> tuple[NDArray[np.int64], Coded]:
        """Return the row pointer of lists, and what is in them."""
        import pyarrow.compute as pc

        lengths = pc.fill_null(pc.list_value_length(self.array), 0).to_numpy(zero_copy_only=False)
        return offsets(lengths), _coded(self.array.flatten())


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


def _coded(array: Any) -> Coded:
    """Encode an array; null is a value too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(array.type):
        try:
            array = pc.dictionary_encode(array, null_encoding="encode")
        except pa.ArrowNotImplementedError:  # lists of lists, structs
            return coded(array.to_pylist())
    values = array.dictionary.to_pylist()
    codes = array.indices
    if codes.null_count:
        codes = pc.fill_null(codes.cast(pa.int64()), len(values))
        values = [*values, None]
    return Coded(codes.to_numpy(zero_copy_only=False).astype(np.int32, copy=False), values)
