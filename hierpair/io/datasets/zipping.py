"""Truth and predictions in files of their own that come in the same order: read side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any, Self

import numpy as np

from hierpair.errors import BadInput, counted, shown
from hierpair.io.datasets.arrow_columns import ArrowColumn
from hierpair.io.datasets.batch_labels import Ids
from hierpair.io.datasets.parts import DataPart, DataSet, OnDemand, PartRows
from hierpair.io.datasets.zipped_sides import Piece, Side, side_of
from hierpair.labels import Columns
from hierpair.labels.coded import values_of

__all__ = ["OtherOrder", "Zipped", "ZippedPart", "zipped"]


class OtherOrder(BadInput):
    """The instances of truth and predictions do not come in the same order, or are not the same."""


@dataclass(frozen=True)
class ZippedPart(DataPart):
    """The same instances in the files of the truth and of every system.

    Attributes
    ----------
    sides
        For the truth, then for every system, what is to be read.
    """

    sides: tuple[tuple[Piece, ...], ...] = ()

    def anywhere(self) -> Self:
        """Return the same part for processes that stand in other folders."""
        sides = (tuple(replace(one, part=one.part.anywhere()) for one in s) for s in self.sides)
        return replace(super().anywhere(), sides=tuple(sides))


@dataclass(frozen=True, eq=False)
class Zipped:
    """Truth and systems beside each other, a row per instance, in the order of the files.

    Attributes
    ----------
    data
        The rows, as a data set.
    truth, systems
        What to give to :func:`label_sets`: the columns of the true labels, and of every system.
    notes
        What a user should know, such as that instances go by position.
    """

    data: DataSet
    truth: Columns
    systems: dict[str, Columns]
    notes: tuple[str, ...]


def zipped(truth: DataSet, systems: Mapping[str, DataSet]) -> Zipped:
    """Return truth and systems as one data set, without changing the order of any.

    Every id is compared while they are read. Where rows are known beforehand, as in Parquet files
    without conditions, the parts are those of the truth; otherwise one part is a file of the truth
    and the file in the same place of every system, or everything where the numbers of files differ.

    Parameters
    ----------
    truth
        The true labels; its ``columns`` say which.
    systems
        The predicted labels by the names of the systems.

    Raises
    ------
    OtherOrder
        For other numbers of rows; while it is read, for the first id that is not the same.

    Examples
    --------
    >>> import tempfile
    >>> from hierpair import Hierarchy
    >>> from hierpair.io.datasets import label_sets, open_dataset
    >>> tree = Hierarchy.from_edges([("root", "a"), ("root", "b")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, label in (("gold", "b"), ("svm", "a")):
    ...         with open(f"{folder}/{name}.csv", "w") as file:
    ...             print("id,label", f"x,{label}", "y,a", sep=chr(10), file=file)
    ...     gold, svm = (open_dataset(f"{folder}/{name}.csv") for name in ("gold", "svm"))
    ...     both = zipped(gold, {"svm": svm})
    ...     for rows in both.data.read(both.data.parts[0]):
    ...         found = label_sets(rows, tree, truth=both.truth, systems=both.systems)
    ...         print(found.ids, found.systems["svm"].indices.tolist())
    ['x', 'y'] [1, 1]
    """
    sets = [truth, *systems.values()]
    taken: dict[str, None] = dict.fromkeys(truth.names)
    sides = [side_of(None, truth, {})]
    for name, data in systems.items():
        sides.append(side_of(name, data, taken))
        taken |= dict.fromkeys(new for new, _ in sides[-1].columns)
    parts = _parts(sets, ["truth", *systems])
    with_ids = [data.columns.ids is not None for data in sets]
    notes = tuple(
        f"{name}: only {'the truth' if with_ids[0] else name} has ids, so instances are matched "
        "by position"
        for name, has in zip(systems, with_ids[1:], strict=True)
        if has != with_ids[0]
    )
    reader = ZippedReader(tuple(sides))
    meaning = Columns(ids=truth.columns.ids)
    source = f"{truth.source} with {', '.join(data.source for data in systems.values())}"
    data = DataSet(source, tuple(taken), parts, meaning, reader)
    labels = {side.name: side.meaning for side in sides}
    return Zipped(data, labels[None], {name: labels[name] for name in systems}, notes)


# ---------------------------------------------------------------- parts


def _parts(sets: Sequence[DataSet], names: Sequence[str]) -> tuple[ZippedPart, ...]:
    """Return what is read together."""
    counts = [data.n_rows for data in sets]
    if all(n is not None and not d.columns.where and not d.columns.long
           for n, d in zip(counts, sets, strict=True)):  # fmt: skip
        for name, data, n in zip(names[1:], sets[1:], counts[1:], strict=True):
            if n != counts[0]:
                raise OtherOrder(
                    f"{sets[0].source} has {counted(int(counts[0] or 0), 'row')}, and "
                    f"{data.source} ({name}) {counted(int(n or 0), 'row')}"
                )
        return tuple(_counted_parts(sets))
    files = [[tuple(some) for _, some in groupby(d.parts, key=lambda p: p.path)] for d in sets]
    if len({len(some) for some in files}) > 1:
        files = [[data.parts] for data in sets]
    return tuple(
        _part(together[0][0], [tuple(map(Piece, some)) for some in together])
        for together in zip(*files, strict=True)
    )


def _counted_parts(sets: Sequence[DataSet]) -> Iterator[ZippedPart]:
    """Yield the parts of the truth with the same rows of every system."""
    starts = [list(accumulate((p.n_rows or 0 for p in d.parts), initial=0)) for d in sets]
    for part, low, high in zip(sets[0].parts, starts[0], starts[0][1:], strict=False):
        others = [
            tuple(
                Piece(other, max(0, low - a), min(high, b) - max(low, a))
                for other, a, b in zip(data.parts, at, at[1:], strict=False)
                if a < high and b > low
            )
            for data, at in zip(sets[1:], starts[1:], strict=True)
        ]
        yield _part(part, [(Piece(part),), *others])


def _part(first: DataPart, sides: Sequence[tuple[Piece, ...]]) -> ZippedPart:
    """Return a part that is called as the one of the truth is."""
    read, last = [piece for side in sides for piece in side], sides[0][-1].part
    n_bytes = sum(
        p.part.n_bytes * p.most // max(1, p.part.n_rows) if p.most and p.part.n_rows
        else p.part.n_bytes
        for p in read
    )  # fmt: skip
    n_rows = [piece.part.n_rows for piece in sides[0]]
    known = [n for n in n_rows if n is not None]
    return ZippedPart(
        first.id if last is first else f"{first.id} to {last.id}",
        first.path,
        first.first_row,
        sum(known) if len(known) == len(n_rows) else None,
        n_bytes,
        first.row_groups,
        sides=tuple(sides),
    )


# ---------------------------------------------------------------- reading


@dataclass(frozen=True)
class ZippedReader:
    """Reads the same instances of truth and systems at a time, and compares their ids.

    Attributes
    ----------
    sides
        The truth, then the systems.
    """

    sides: tuple[Side, ...]

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield rows that have the columns of all sides."""
        if not isinstance(part, ZippedPart):
            raise BadInput(f"{part.id}: this part is of one data set, not of several")
        wanted = None if names is None else set(names)
        streams = [
            side.rows(pieces, wanted) for side, pieces in zip(self.sides, part.sides, strict=True)
        ]
        held: list[tuple[PartRows, Ids] | None] = [None] * len(streams)
        while True:
            for k, stream in enumerate(streams):
                if held[k] is None:
                    rows = next(stream, None)
                    held[k] = None if rows is None else (rows, self.sides[k].ids_in(rows))
            there = [one for one in held if one is not None]
            if not there:
                return
            if len(there) < len(held):
                self._refuse_rest(part, held)
            n = min(rows.n_rows for rows, _ in there)
            heads = [(rows.between(0, n), _cut(ids, 0, n)) for rows, ids in there]
            self._compare(heads)
            yield self._beside(part, heads)
            held = [
                None if rows.n_rows == n else (rows.between(n, rows.n_rows), _cut(ids, n, None))
                for rows, ids in there
            ]

    rows = read  # what is beside each other is whole already

    def _compare(self, heads: Sequence[tuple[PartRows, Ids]]) -> None:
        """Refuse the first id that differs."""
        (truth, ids), *others = heads
        for (rows, own), side in zip(others, self.sides[1:], strict=True):
            at = None if ids is None or own is None else _first_other(ids, own)
            if at is not None and ids is not None and own is not None:
                raise OtherOrder(
                    f"{rows.place(at)}: instance {shown(own[at])} of {side.name} stands where the "
                    f"truth has {shown(ids[at])} ({truth.place(at)}); sort both by their ids"
                )

    def _refuse_rest(self, part: ZippedPart, held: list[tuple[PartRows, Ids] | None]) -> None:
        """Say who has more instances than another one."""
        names = ["the truth" if side.name is None else side.name for side in self.sides]
        k = next(k for k, one in enumerate(held) if one is not None)
        ended = next(k for k, one in enumerate(held) if one is None)
        more = held[k]
        if more is None:
            raise AssertionError
        rows, ids = more
        which = "" if ids is None else f" ({shown(ids[0])})"
        path = part.sides[ended][-1].part.path if part.sides[ended] else part.path
        raise OtherOrder(
            f"{rows.place(0)}: {names[k]} has an instance{which} after the last one of "
            f"{names[ended]} in {path}"
        )

    def _beside(self, part: ZippedPart, heads: Sequence[tuple[PartRows, Ids]]) -> PartRows:
        """Return the columns of all sides, with the ids of the truth."""
        truth, ids = heads[0]
        name = self.sides[0].ids
        home = {column: rows for rows, _ in heads for column in rows.columns}
        if name is not None:
            truth = replace(truth, columns=_with(truth.columns, name, ids))
            home[name] = truth
        meaning = Columns(ids=name)
        return PartRows(
            part,
            OnDemand(home, lambda column: home[column].columns[column]),
            truth.n_rows,
            truth.place,
            meaning,
            sides={column: replace(rows, meaning=meaning) for column, rows in home.items()},
        )


def _with(columns: Mapping[str, Any], name: str, ids: Ids) -> Mapping[str, Any]:
    return OnDemand([*columns, name], lambda column: ids if column == name else columns[column])


def _cut(ids: Ids, low: int, high: int | None) -> Ids:
    if isinstance(ids, ArrowColumn):
        return ArrowColumn(ids.array[low:high])
    return None if ids is None else ids[low:high]


def _first_other(one: Any, other: Any) -> int | None:
    """Return the first place where two columns of ids differ."""
    if isinstance(one, ArrowColumn) and isinstance(other, ArrowColumn):
        import pyarrow as pa
        import pyarrow.compute as pc

        same = pc.equal(one.array.cast(pa.large_string()), other.array.cast(pa.large_string()))
        differs = np.flatnonzero(~same.to_numpy(zero_copy_only=False))
        return int(differs[0]) if len(differs) else None
    pairs = zip(values_of(one), values_of(other), strict=True)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), None)
