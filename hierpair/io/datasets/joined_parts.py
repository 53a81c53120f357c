"""A table written as Parquet parts that are the same every time, however its rows come."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from hierpair.io.labels.parquet import with_pyarrow

__all__ = ["PartsWriter"]

GROUP_ROWS = 125_000
"""Rows of a row group."""


class PartsWriter:
    """Writes rows into ``part-00000.parquet`` and so on, each with so many rows at most.

    Parameters
    ----------
    folder
        Where the parts go; it is made.
    rows_per_part
        Where a part ends. Row groups end there, too, and at every 125,000 rows.
    """

    def __init__(self, folder: Path, rows_per_part: int) -> None:
        folder.mkdir()
        self.folder, self.rows_per_part = folder, rows_per_part
        self.n_parts = self.n_written = self.n_waiting = 0
        self.waiting: list[Any] = []
        self.writer: Any = None

    def __enter__(self) -> PartsWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self.n_waiting:
            self._write(self.n_waiting)
        if self.writer is not None:
            self.writer.close()

    def add(self, table: Any) -> None:
        """Add rows; those that fill no row group wait for more."""
        self.waiting.append(table)
        self.n_waiting += len(table)
        while self.n_waiting >= (n := min(GROUP_ROWS, self.rows_per_part - self.n_written)):
            self._write(n)

    def _write(self, n: int) -> None:
        """Write the first rows that wait as one row group."""
        pa, pq = with_pyarrow()
        table = pa.concat_tables(self.waiting)
        if self.writer is None:
            path = self.folder / f"part-{self.n_parts:05}.parquet"
            texts = [name for name in table.column_names if name != "id"]
            self.writer = pq.ParquetWriter(path, table.schema, use_dictionary=texts)
        self.writer.write_table(table.slice(0, n), row_group_size=n)
        self.waiting, self.n_waiting = [table.slice(n)], self.n_waiting - n
        self.n_written += n
        if self.n_written == self.rows_per_part:
            self.writer.close()
            self.writer, self.n_written, self.n_parts = None, 0, self.n_parts + 1
