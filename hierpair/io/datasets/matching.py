"""Rows of several sides in the order of their ids: which belong together, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Faults", "SortedIds", "matched_ids"]


@dataclass
class Faults:
    """What is wrong with the ids of one side; of each kind the first row, and how many.

    Attributes
    ----------
    n_repeated, repeated
        Rows whose id came before; the first of them: row, earlier row, id.
    n_extra, extra
        Ids that the truth does not have; the first of them: row, id.
    n_absent, absent
        Ids of the truth that the side does not have; the first of them: row of the truth, id.
    n_ids
        Different ids.
    """

    n_repeated: int = 0
    repeated: tuple[int, int, str] | None = None
    n_extra: int = 0
    extra: tuple[int, str] | None = None
    n_absent: int = 0
    absent: tuple[int, str] | None = None
    n_ids: int = 0


@dataclass(frozen=True, eq=False)
class SortedIds:
    """Rows of all sides with the same ids together: every id that is here is here completely.

    Attributes
    ----------
    table
        The rows, by id, side and row.
    ids
        The column of ids.
    rows
        The number of each row on its side.
    side
        The side of each row; 0 is the truth.
    group
        The number of each row's id among the ids here.
    at
        For each side the first row of every id of the truth, -1 where the side lacks it.
    """

    table: Any
    ids: Any
    rows: NDArray[np.int64]
    side: NDArray[np.int64]
    group: NDArray[np.int64]
    at: list[NDArray[np.int64]]


@dataclass
class _Found:
    """Faults of all sides, gathered while the rows go by."""

    long: NDArray[np.bool_]
    faults: list[Faults] = field(default_factory=list)

    def repeated(self, ids: Any, rows: Any, side: Any, first: Any) -> NDArray[np.bool_]:
        """Note rows whose id came before on a side that has a row per instance."""
        again: NDArray[np.bool_] = ~first & ~self.long[side]
        if not again.any():
            return again
        before = np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))
        for s in np.unique(side[again]).tolist():
            at, known = np.flatnonzero(again & (side == s)), self.faults[s]
            i = int(at[rows[at].argmin()])
            known.n_repeated += len(at)
            known.repeated = _earlier(
                known.repeated, (int(rows[i]), int(rows[before[i]]), ids[i].as_py())
            )
        return again

    def missing(self, ids: Any, rows: Any, at: list[NDArray[np.int64]]) -> None:
        """Note ids that only one side has."""
        truth = at[0]
        for here, known in zip(at, self.faults, strict=True):
            known.n_ids += int(np.count_nonzero(here >= 0))
            extra, absent = here[(here >= 0) & (truth < 0)], truth[(here < 0) & (truth >= 0)]
            if len(extra):
                i = int(extra[rows[extra].argmin()])
                known.n_extra += len(extra)
                known.extra = _earlier(known.extra, (int(rows[i]), ids[i].as_py()))
            if len(absent):
                i = int(absent[rows[absent].argmin()])
                known.n_absent += len(absent)
                known.absent = _earlier(known.absent, (int(rows[i]), ids[i].as_py()))


def _earlier(one: Any, other: Any) -> Any:
    return other if one is None else min(one, other)


def matched_ids(
    batches: Iterable[Any], long: Sequence[bool], faults: list[Faults]
) -> Iterator[SortedIds]:
    """Yield rows with complete ids, a bounded number at a time; faults are noted on the way.

    Parameters
    ----------
    batches
        Rows with the columns ``id``, ``side`` and ``row``, sorted by them.
    long
        For every side whether it has one label per row, so that an id may come again.
    faults
        One entry per side, to be filled. Repeated rows are left out.
    """
    import pyarrow as pa

    found = _Found(np.array(long, dtype=bool), faults)
    rest: Any = None
    for batch in batches:
        new = pa.Table.from_batches([batch])
        table = new if rest is None else pa.concat_tables([rest, new]).combine_chunks()
        if not len(table):
            continue
        table, starts = _without_repeated(table, found)
        rest = table.slice(starts[-1])  # the next batch may bring more rows of this id
        if starts[-1]:
            yield _together(table.slice(0, starts[-1]), found)
    if rest is not None:
        yield _together(rest, found)


def _columns(table: Any) -> tuple[Any, NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return ids, rows and sides, and whether each row has another id than the one before."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = table.column("id").combine_chunks()
    ids = ids.chunk(0) if isinstance(ids, pa.ChunkedArray) else ids
    new = np.ones(len(ids), dtype=bool)
    new[1:] = pc.not_equal(ids[1:], ids[:-1]).to_numpy(zero_copy_only=False)
    rows, side = (table.column(name).to_numpy().astype(np.int64) for name in ("row", "side"))
    return ids, rows, side, new


def _without_repeated(table: Any, found: _Found) -> tuple[Any, NDArray[np.int64]]:
    """Return the rows without repeated ones, and where each id starts."""
    import pyarrow as pa

    ids, rows, side, new = _columns(table)
    first = new.copy()
    first[1:] |= side[1:] != side[:-1]
    again = found.repeated(ids, rows, side, first)
    if again.any():
        table, new = table.filter(pa.array(~again)), new[~again]
    return table, np.flatnonzero(new)


def _together(table: Any, found: _Found) -> SortedIds:
    ids, rows, side, new = _columns(table)
    group = np.cumsum(new) - 1
    n = int(group[-1]) + 1
    at = []
    for s in range(len(found.faults)):
        here = np.full(n, -1, dtype=np.int64)
        mine = np.flatnonzero(side == s)[::-1]  # backwards, so that the first row stays
        here[group[mine]] = mine
        at.append(here)
    found.missing(ids, rows, at)
    true = at[0] >= 0
    kept = at if true.all() else [here[true] for here in at]
    return SortedIds(table, ids, rows, side, group, kept)
