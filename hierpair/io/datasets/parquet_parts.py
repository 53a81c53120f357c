"""Parquet tables as parts: runs of row groups, of which only the needed columns are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed
from hierpair.io.datasets.arrow_columns import ArrowColumn, Column
from hierpair.io.datasets.locating import FoundFile, is_remote, opened
from hierpair.io.datasets.parts import BATCH_ROWS, DataPart, PartRows
from hierpair.io.datasets.whole_instances import whole_instances
from hierpair.io.labels.parquet import (
    check_names,
    check_promises,
    check_start,
    refusing_damage,
    with_pyarrow,
)
from hierpair.labels import Columns
from hierpair.labels.columns import wanted_rows

__all__ = ["ParquetReader", "check_same", "parquet_parts"]


def parquet_parts(
    files: Sequence[FoundFile], rows_per_part: int
) -> tuple[tuple[str, ...], tuple[DataPart, ...], frozenset[str]]:
    """Return the columns that all files have, the runs of row groups with so many rows, and
    which columns some file holds itself, whatever its folders tell.

    A file without rows has no part, but must have the same columns.
    """
    first: tuple[FoundFile, dict[str, str]] | None = None
    parts: list[DataPart] = []
    stored = set[str]()
    for file in files:
        with _opened(file.path) as table, refusing_damage(file.path):
            about, kinds = table.metadata, _kinds(table.schema_arrow, file)
            rows = [about.row_group(k).num_rows for k in range(about.num_row_groups)]
            sizes = [about.row_group(k).total_byte_size for k in range(about.num_row_groups)]
            stored.update(table.schema_arrow.names)
        if first is None:
            first = (file, kinds)
        check_same(first[0], first[1], file, kinds)
        parts += _runs(file, rows, sizes, rows_per_part)
    return tuple(first[1]) if first else (), tuple(parts), frozenset(stored)


def _runs(
    file: FoundFile, rows: list[int], sizes: list[int], rows_per_part: int
) -> Iterator[DataPart]:
    """Yield the parts of a file; each ends at the first row group that makes it long enough."""
    start, first_row, n, total = 0, 0, 0, max(1, sum(sizes))
    for k, size in enumerate(rows):
        n += size
        last = k == len(rows) - 1
        if n and (n >= rows_per_part or last):
            groups = range(start, k + 1)
            stored = file.n_bytes * sum(sizes[start : k + 1]) // total
            name = f"{file.name}#{start}" + (f"-{k}" if k > start else "")
            yield DataPart(name, file.path, first_row, n, stored, groups, file.partition)
            start, first_row, n = k + 1, first_row + n, 0


def _kinds(schema: Any, file: FoundFile) -> dict[str, str]:
    """Return the kind of every column, those that the folders tell at the end."""
    kinds = {field.name: _kind(field.type) for field in schema}
    return kinds | {name: "text" for name, _ in file.partition if name not in kinds}


def _kind(kind: Any) -> str:
    """Return what values are, however they are stored: texts may be large, or in a dictionary."""
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return _kind(kind.value_type)
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return f"lists of {_kind(kind.value_type)}"
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind):
        return "text"
    if kinds.is_integer(kind):
        return "whole numbers"
    if kinds.is_floating(kind):
        return "numbers"
    return "nothing but nulls" if kinds.is_null(kind) else str(kind)


def check_same(
    one: FoundFile, kinds: Mapping[str, str], other: FoundFile, others: Mapping[str, str]
) -> None:
    """Refuse parts with other columns, or with other values in them."""
    for here, there, mine, its in ((one, other, kinds, others), (other, one, others, kinds)):
        for name in mine:
            if name not in its:
                raise BadInput(
                    f"{there.path}: there is no column {name!r}, which {here.path} has; there are "
                    f"{listed(its)} (all parts of a data set need the same columns)"
                )
    for name, kind in kinds.items():
        if others[name] != kind and not {kind, others[name]} & {"nothing but nulls"}:
            raise BadInput(
                f"{other.path}: the column {name!r} holds {others[name]}, and in {one.path} it "
                f"holds {kind}; write all parts with the same types"
            )


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """Open a Parquet file; what is wrong with it, now or while it is read, names the file."""
    _, pq = with_pyarrow()
    with opened(path) as file:
        check_start(path, file.read(4))
        size = file.seek(0, 2)
        file.seek(0)
        with refusing_damage(path):
            table = pq.ParquetFile(file, pre_buffer=is_remote(path))
            check_promises(path, table.metadata, size)
            names = table.schema_arrow.names
        check_names(path, names)
        yield table


def _batches(
    path: str, table: Any, rows: int, groups: list[int], names: list[str]
) -> Iterator[Any]:
    """Yield what is in some row groups; only what Arrow raises is damage of the file."""
    # Arrow cannot join dictionaries of lists across row groups
    alone = any(_is_list_of_coded(table.schema_arrow.field(name).type) for name in names)
    with refusing_damage(path):
        for some in [[group] for group in groups] if alone else [groups]:
            batches = table.iter_batches(
                batch_size=rows, row_groups=some, columns=names, use_threads=False
            )
            for batch in batches:
                batch.validate(full=True)  # texts that are no UTF-8, numbers of no value
                yield batch


def _is_list_of_coded(kind: Any) -> bool:
    import pyarrow.types as kinds

    nested = kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)
    return bool(nested and kinds.is_dictionary(kind.value_type))


@dataclass(frozen=True)
class ParquetReader:
    """Reads row groups, some rows at a time.

    Attributes
    ----------
    columns
        What the columns mean.
    batch_rows
        How many rows are read at a time.
    """

    columns: Columns
    batch_rows: int = BATCH_ROWS

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part that meet the conditions."""
        batches = self.rows(part, names)
        return whole_instances(batches) if self.columns.long else batches

    def rows(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield them as they stand: rows of one instance may be apart."""
        told = dict(part.partition)
        with _opened(part.path) as table:
            stored = table.schema_arrow.names
            wanted = [*stored, *told] if names is None else self._needed(names)
            needed = [name for name in stored if name in wanted]
            groups = list(part.row_groups)
            if groups and groups[-1] >= table.metadata.num_row_groups:
                raise BadInput(f"{part.path}: the file has changed since the data set was opened")
            at = part.first_row
            for batch in _batches(part.path, table, self.batch_rows, groups, needed):
                columns: dict[str, Sequence[Any] | Column] = {
                    name: ArrowColumn(batch.column(name)) for name in needed
                }
                for name in told.keys() & set(wanted) - set(needed):
                    columns[name] = constant(told[name], batch.num_rows)
                yield from self._kept(part, columns, at, batch.num_rows)
                at += batch.num_rows
        if at != part.first_row + (part.n_rows or 0):
            raise BadInput(
                f"{part.path}: not a Parquet file: row groups {groups[0]} to {groups[-1]} hold "
                f"{at - part.first_row:,} rows, and {part.n_rows:,} were promised"
            )

    def _needed(self, names: Sequence[str]) -> set[str]:
        ids = () if self.columns.ids is None else (self.columns.ids,)
        return {*names, *ids, *(name for name, _ in self.columns.where)}

    def _kept(
        self, part: DataPart, columns: dict[str, Sequence[Any] | Column], first: int, n: int
    ) -> Iterator[PartRows]:
        """Yield the rows that meet the conditions, if there are any."""
        meaning = replace(self.columns, where=())
        rows = PartRows(part, columns, n, lambda i: f"{part.path}: row {first + i + 1}", meaning)
        if not self.columns.where:
            yield rows
            return
        keep = wanted_rows(columns, self.columns, part.path, n)
        if keep.all():
            yield rows
        elif keep.any():
            yield rows.take(np.flatnonzero(keep))


def constant(value: str | None, n: int) -> ArrowColumn:
    """Return a column with one value in all rows."""
    pa, _ = with_pyarrow()
    values = pa.array([value], pa.string())
    return ArrowColumn(pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), values))
