"""Label sets in Parquet files: columns as numbers of their different values, no object per row."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.io.formats import Format, Source
from hierpair.io.labels.label_tables import TABLE_OPTIONS
from hierpair.io.text import BOMB_BYTES, BOMB_RATIO
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import LabelRows, LabelSets, column_rows
from hierpair.labels.coded import Coded, Column, coded

__all__ = [
    "PARQUET",
    "ArrowColumn",
    "check_names",
    "check_promises",
    "check_start",
    "refusing_damage",
    "with_pyarrow",
]

MOST_ROWS, ROWS_PER_BYTE = 2**22, 8
"""A Parquet file with more rows than both, the second times its bytes, is refused."""


def _read(source: Source) -> LabelRows:
    path = source.path
    place = lambda i: f"{path}: row {i + 1}"  # noqa: E731
    return column_rows(_columns_of(source), source.options["columns"], place, source=str(path))


def with_pyarrow() -> tuple[Any, Any]:
    """Return ``pyarrow`` and ``pyarrow.parquet``, or say what to install."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise BadInput("Parquet needs pyarrow: pip install 'hierpair[parquet]'") from None
    return pyarrow, pyarrow.parquet


def _columns_of(source: Source) -> _Columns:
    _, pq = with_pyarrow()
    path, data = source.path, source.data
    check_start(path, data)
    with refusing_damage(path):
        file = pq.ParquetFile(io.BytesIO(data))
        names, n_rows = file.schema_arrow.names, file.metadata.num_rows
        check_promises(path, file.metadata, len(data))
    check_names(path, names)
    return _Columns(path, data, names, n_rows)


def check_start(path: str | Path, start: bytes) -> None:
    """Refuse a file that does not begin as Parquet files do."""
    if not start.startswith(b"PAR1"):
        raise BadInput(f"{path}: not a Parquet file; another format must be named (--label-format)")


def check_names(path: str | Path, names: list[str]) -> None:
    """Refuse columns of one name."""
    twice = first_repeated(names)
    if twice is not None:
        raise BadInput(f"{path}: two columns are called {twice!r}")


def check_promises(path: str | Path, about: Any, size: int) -> None:
    """Refuse a file that promises more than it can hold: Arrow would make room for it at once."""
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    most = max([about.num_rows, *(group.num_rows for group in groups)])
    if most > max(MOST_ROWS, ROWS_PER_BYTE * size):
        raise BadInput(
            f"{path}: {size:,} bytes promise {most:,} rows, which are hardly all different; "
            "leave out rows that repeat, or save them as text"
        )
    unpacked = sum(group.total_byte_size for group in groups)
    if unpacked > max(BOMB_BYTES, BOMB_RATIO * size):
        raise BadInput(f"{path}: {size:,} bytes would unpack to {unpacked:,}")


@contextmanager
def refusing_damage(path: str | Path) -> Iterator[None]:
    """Name the file in whatever Arrow raises: exceptions of all kinds, for a damaged file."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:160]
        raise BadInput(f"{path}: not a Parquet file: {reason}") from None


class _Columns(Mapping[str, Sequence[Any] | Column]):
    """The columns of a Parquet file, each read when it is asked for."""

    def __init__(self, path: str | Path, data: bytes, names: list[str], n_rows: int) -> None:
        self.path, self.data, self.names, self.n_rows = path, data, names, n_rows

    def __getitem__(self, name: str) -> Column:
        _, pq = with_pyarrow()
        if name not in self.names:
            raise KeyError(name)
        with refusing_damage(self.path):  # ParquetFile.read would end the process for some
            read = pq.read_table(io.BytesIO(self.data), columns=[name], use_threads=False)
            column = ArrowColumn(read.column(name))
            column.array.validate(full=True)  # texts that are no UTF-8, numbers of no value
        if len(column) != self.n_rows:
            raise BadInput(f"{self.path}: not a Parquet file: {name!r} has {len(column)} rows")
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


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


def _write(sets: LabelSets, hierarchy: Hierarchy) -> bytes:
    pa, pq = with_pyarrow()
    columns = {} if sets.ids is None else {"id": pa.array(written_ids(sets), pa.string())}
    columns["labels"] = pa.array(label_names(sets, hierarchy, ""), pa.list_(pa.string()))
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content)
    return content.getvalue()


PARQUET = Format(
    "parquet",
    "a Parquet table (extra parquet)",
    _read,
    _write,
    endings=(".parquet", ".pq"),
    options=TABLE_OPTIONS,
    titles=lambda source: list(_columns_of(source)),
)
