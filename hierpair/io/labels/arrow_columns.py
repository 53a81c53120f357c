"""A column of an Arrow table as numbers of its different values: no object per row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets
from hierpair.labels.coded import Coded, coded

__all__ = ["ArrowColumn"]


class ArrowColumn:
    """One column, in one piece; ``take`` gives some of its rows."""

    def __init__(self, column: Any) -> None:
        import pyarrow as pa

        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        # A chunked array of no chunks, or of too many letters for one, stays chunked.
        self.array = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole

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
        found: list[Any] = self.array.to_pylist()
        return found

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the values of a column of floats, nan for a null; None for other columns."""
        import pyarrow.types as kinds

        if not kinds.is_floating(self.array.type):
            return None
        found: NDArray[np.float64] = self.array.to_numpy(zero_copy_only=False).astype(np.float64)
        return found

    def coded(self) -> Coded:
        """Return the different values and their numbers."""
        return _coded(self.array)

    def cells(self) -> tuple[NDArray[np.int64], Coded]:
        """Return the row pointer of lists, and what is in them."""
        import pyarrow.compute as pc

        lengths = pc.fill_null(pc.list_value_length(self.array), 0).to_numpy(zero_copy_only=False)
        return offsets(lengths), _coded(self.array.flatten())


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
