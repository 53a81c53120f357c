"""Label sets in Parquet files: columns as numbers of their different values, no object per row."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from hierpair.errors import BadInput, first_repeated
from hierpair.hierarchy import Hierarchy
from hierpair.io.formats import Format, LazyColumns, Source
from hierpair.io.labels.label_texts import TABLE_OPTIONS
from hierpair.io.text import BOMB_BYTES, BOMB_RATIO
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import LabelRows, LabelSets, column_rows

__all__ = ["PARQUET", "opened_table", "refusing_damage", "with_pyarrow"]

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
        raise BadInput(
            "Parquet files and data sets need pyarrow: pip install 'hierpair[data]'"
        ) from None
    return pyarrow, pyarrow.parquet


def _columns_of(source: Source) -> LazyColumns:
    file = opened_table(source.path, io.BytesIO(source.data), len(source.data))
    n_rows = file.metadata.num_rows

    def column(name: str) -> Any:
        _, pq = with_pyarrow()
        with refusing_damage(source.path):  # ParquetFile.read would end the process for some
            read = pq.read_table(io.BytesIO(source.data), columns=[name], use_threads=False)
            found = read.column(name)
            found.validate(full=True)  # texts that are no UTF-8, numbers of no value
        if len(found) != n_rows:
            raise BadInput(f"{source.path}: not a Parquet file: {name!r} has {len(found)} rows")
        return found

    return LazyColumns(file.schema_arrow.names, column)


def opened_table(path: str | Path, file: BinaryIO, size: int, **how: Any) -> Any:
    """Return an open Parquet file; refuse what is none, or has columns of one name."""
    _, pq = with_pyarrow()
    if file.read(4) != b"PAR1":
        raise BadInput(f"{path}: not a Parquet file; another format must be named (--label-format)")
    file.seek(0)
    with refusing_damage(path):
        table = pq.ParquetFile(file, **how)
        _check_promises(path, table.metadata, size)
        twice = first_repeated(table.schema_arrow.names)
    if twice is not None:
        raise BadInput(f"{path}: two columns are called {twice!r}")
    return table


def _check_promises(path: str | Path, about: Any, size: int) -> None:
    """Refuse a file that promises more than it can hold: Arrow would make room for it at once."""
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    rows = max(about.num_rows, sum(group.num_rows for group in groups))
    unpacked = sum(group.total_byte_size for group in groups)
    for n, most, what in (
        (rows, max(MOST_ROWS, ROWS_PER_BYTE * size), "rows, which are hardly all different"),
        (unpacked, max(BOMB_BYTES, BOMB_RATIO * size), "bytes once they are unpacked"),
    ):
        if n > most:
            raise BadInput(f"{path}: {size:,} bytes promise {n:,} {what}")


@contextmanager
def refusing_damage(path: str | Path, said: str = "not a Parquet file") -> Iterator[None]:
    """Say what a file is not, where another library fails on it: that happens in many ways."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadInput(f"{path}: {said}: {reason}") from None


def _write(sets: LabelSets, hierarchy: Hierarchy) -> bytes:
    pa, pq = with_pyarrow()
    columns = {} if sets.ids is None else {"id": pa.array(written_ids(sets), pa.string())}
    columns["labels"] = pa.array(label_names(sets, hierarchy, ""), pa.list_(pa.string()))
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content)
    return content.getvalue()


PARQUET = Format(
    "parquet",
    "a Parquet table (extra data)",
    _read,
    _write,
    endings=(".parquet", ".pq"),
    options=TABLE_OPTIONS,
    titles=lambda source: list(_columns_of(source)),
)
