"""One label per row: what is read at a time ends where an instance ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.io.datasets.arrow_columns import ArrowColumn, Column
from hierpair.io.datasets.parts import OnDemand, PartRows
from hierpair.labels.coded import coded
from hierpair.labels.columns import ID_NAMES, column_named
from hierpair.labels.naming import is_missing

__all__ = ["whole_instances"]


def whole_instances(batches: Iterable[PartRows]) -> Iterator[PartRows]:
    """Yield the same rows, cut between instances: the rows of the last id wait for the next ones.

    Raises
    ------
    BadInput
        For an id that comes again after another one. Where the two are too far apart to be seen at
        once, they are found where ids are compared.
    """
    held: PartRows | None = None
    for rows in batches:
        both = rows if held is None else _joined(held, rows)
        cut = _start_of_last(both)
        if cut:
            yield both.take(np.arange(cut))
        held = both.take(np.arange(cut, both.n_rows)).kept() if cut else both.kept()
    if held is not None:
        yield held


def _start_of_last(rows: PartRows) -> int:
    """Return the first of the rows at the end that have the same id."""
    column = column_named(
        rows.columns, rows.meaning.ids, ID_NAMES, "id", rows.part.path, needed=True
    )
    known = coded(column if column is not None else [])
    names = [str(value).strip() for value in known.values]
    codes = known.with_equal_as_one(names).codes
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    if len(starts) > len(np.unique(codes)) and not any(map(is_missing, [*known.values, *names])):
        _refuse_apart(rows, codes, starts)
    return int(starts[-1])


def _refuse_apart(rows: PartRows, codes: NDArray[np.integer], starts: NDArray[np.int64]) -> None:
    """Name the first id that comes again after another one."""
    first: dict[int, int] = {}
    for i in starts.tolist():
        if int(codes[i]) in first:
            name = rows.columns[str(rows.meaning.ids)][i]
            raise BadInput(
                f"{rows.place(i)}: instance {shown(name)} already occurs at "
                f"{rows.place(first[int(codes[i])])}; the rows of an instance must stand together"
            )
        first[int(codes[i])] = i


def _joined(one: PartRows, other: PartRows) -> PartRows:
    """Return the rows of both."""
    n, first, second = one.n_rows, one.place, other.place
    columns = OnDemand(one.columns, lambda name: _column(one.columns[name], other.columns[name]))
    return replace(
        other,
        columns=columns,
        n_rows=n + other.n_rows,
        place=lambda i: first(i) if i < n else second(i - n),
    )


def _column(one: Sequence[Any] | Column, other: Sequence[Any] | Column) -> Sequence[Any] | Column:
    if isinstance(one, ArrowColumn) and isinstance(other, ArrowColumn):
        import pyarrow as pa

        return ArrowColumn(pa.chunked_array([one.array, other.array]))
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return [*one, *other]
    raise AssertionError
