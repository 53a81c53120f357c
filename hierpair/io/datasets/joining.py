"""Truth and predictions that come in different orders: joined by id, in bounded memory."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hierpair.errors import BadInput, shown
from hierpair.io.datasets.arrow_columns import ArrowColumn
from hierpair.io.datasets.external_sort import no_room, sorted_batches, with_duckdb
from hierpair.io.datasets.joined_parts import PartsWriter
from hierpair.io.datasets.joined_sides import LEVELS, Side, text_type
from hierpair.io.datasets.matching import Faults, SortedIds, matched_ids
from hierpair.io.datasets.opening import open_dataset
from hierpair.io.datasets.parts import BATCH_ROWS, DataPart, DataSet, PartReader, PartRows
from hierpair.labels import Columns, column_rows
from hierpair.labels.columns import no_row
from hierpair.labels.set_operations import none_in_truth, without_prediction, without_truth

__all__ = ["Joined", "joined"]

ROWS_PER_PART = 1_000_000
"""Rows of a part of the joined table."""

MEMORY = 2**29
"""Bytes that sorting may take; the batches on their way come on top."""

THREADS = 2
"""Threads that sort."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Truth and systems beside each other, a row per instance of the truth, ordered by id.

    Attributes
    ----------
    data
        The joined table, as a data set; it is gone when the ``with`` block ends.
    truth, systems
        What to give to :func:`label_sets`: the columns of the true labels, and of every system.
    sample_weight
        The column of weights, or None.
    n_rows
        Rows of the truth and of every system that were read, by name.
    n_missing
        For every system the number of instances that it lacks, whose sets are empty.
    unused_scores
        The systems (or ``"truth"``) with scores that no label was chosen by.
    """

    data: DataSet
    truth: Columns
    systems: dict[str, Columns]
    sample_weight: str | None
    n_rows: dict[str, int]
    n_missing: dict[str, int]
    unused_scores: frozenset[str]


@contextmanager
def joined(
    truth: DataSet,
    systems: Mapping[str, DataSet],
    *,
    missing: Literal["error", "empty"] = "error",
    sample_weight: str | None = None,
    folder: str | Path | None = None,
    rows_per_part: int = ROWS_PER_PART,
    memory: int = MEMORY,
    threads: int = THREADS,
) -> Iterator[Joined]:
    """Join truth and predictions by id into one table of Parquet parts, for as long as needed.

    The rows of all sides are sorted by id together; what does not fit in memory goes to disk. So
    the sides may come in any order and form, and the parts are the same every time.

    Parameters
    ----------
    truth, systems
        Data sets with a column of ids. Their ``columns`` say which column holds the labels;
        data sets with one label per row (``long``) are gathered into lists.
    missing
        What an instance without prediction is: an error, or an empty set.
    sample_weight
        A column of the truth that is carried along.
    folder
        Where the temporary folder is made; by default where the system has such folders.
    rows_per_part
        Rows of a part of the joined table, at most.
    memory
        Bytes that sorting may take before rows go to disk.
    threads
        Threads that sort.

    Raises
    ------
    BadInput
        For ids that are missing or repeated, by file and row; instances that only one side has,
        in the words of :func:`hierpair.labels.match_instances`; a folder that is full or gone;
        without DuckDB or pyarrow. Nothing is left behind.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow, pyarrow.parquet
    >>> from hierpair.io.datasets import joined, open_dataset
    >>> tables = {"truth": {"id": ["x", "y"], "label": ["cat", "dog"]},
    ...           "mine": {"id": ["y", "x"], "label": ["dog", "lion"]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, table in tables.items():
    ...         path = pathlib.Path(folder) / f"{name}.parquet"
    ...         pyarrow.parquet.write_table(pyarrow.table(table), path)
    ...     truth, mine = (open_dataset(f"{folder}/{name}.parquet") for name in tables)
    ...     with joined(truth, {"mine": mine}) as both:
    ...         (rows,) = both.data.read(both.data.parts[0])
    ...         print({name: column.listed() for name, column in rows.columns.items()})
    {'id': ['x', 'y'], 'truth': ['cat', 'dog'], 'mine': ['lion', 'dog']}
    """
    with_duckdb()
    if missing not in ("error", "empty"):
        raise BadInput(f"missing must be 'error' or 'empty', got {missing!r}")
    limits = {"rows_per_part": rows_per_part, "memory": memory, "threads": threads}
    for what, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadInput(f"{what} must be a whole number from 1, got {value!r}")
    if not systems:
        raise BadInput("a join needs predictions beside the truth; give one system at least")
    if sample_weight is not None and truth.columns.long:
        raise BadInput(
            f"{truth.source}: weights need a row per instance, and this has a row per label"
        )
    sides = [Side("truth", truth, sample_weight)]
    sides += [Side(name, data) for name, data in systems.items()]
    try:
        made = Path(tempfile.mkdtemp(prefix="hierpair-join-", dir=folder))
    except OSError as error:
        raise no_room(Path(folder or tempfile.gettempdir()), error) from None
    try:
        join = _Join(sides, missing, made)
        join.run(rows_per_part, memory, threads)
        yield join.result()
    finally:
        shutil.rmtree(made, ignore_errors=True)


class _Join:
    """The steps of one join, and what they share: the columns, and what was found."""

    def __init__(self, sides: list[Side], missing: str, folder: Path) -> None:
        self.sides, self.missing, self.folder = sides, missing, folder
        self.parts = folder / "parts"
        self.n_rows = [0] * len(sides)
        self.faults = [Faults() for _ in sides]
        self.first_true: str | None = None
        used = {"id"}
        self.names = [_names(side, used) for side in sides]
        self.weight = _free("weight", used) if sides[0].weight is not None else None

    # ------------------------------------------------------------ rows of all sides in one table

    def fields(self) -> list[tuple[str, Any]]:
        """Return the columns that rows of all sides share: as many of each kind as one side has."""
        import pyarrow as pa

        columns = [("id", pa.string()), ("side", pa.int16()), ("row", pa.int64())]
        for kind in ("text", "list"):
            most = max(side.kinds.count(kind) for side in self.sides)
            columns += [(f"{kind} {k}", text_type(kind)) for k in range(most)]
        if any(side.weight is not None or side.score is not None for side in self.sides):
            columns.append(("number", pa.float64()))
        return columns

    def unsorted(self, schema: Any) -> Iterator[Any]:
        """Yield the rows of all sides, one side after the other."""
        import pyarrow as pa

        for s, side in enumerate(self.sides):
            for rows in side.rows():
                n, at = rows.n_rows, self.n_rows[s]
                ids, cells, numbers = side.carried(rows)
                if not at and not s and n:
                    self.first_true = ids[0].as_py()
                filled = dict(zip(_slots(side), (array for _, array in cells), strict=True))
                filled |= {"id": ids, "side": pa.array(np.full(n, s, np.int16))}
                filled |= {"row": pa.array(np.arange(at, at + n))}
                if numbers is not None:
                    filled["number"] = pa.array(numbers)
                arrays = [
                    filled[x.name] if x.name in filled else pa.nulls(n, x.type) for x in schema
                ]
                yield pa.record_batch(arrays, schema=schema)
                self.n_rows[s] = at + n
            if not self.n_rows[s]:
                meaning, source = side.data.columns, side.data.source
                none = no_row(meaning, source) if meaning.where else ""
                raise BadInput(none or f"{source}: the file has no instances")

    # ------------------------------------------------------------ the joined table

    def run(self, rows_per_part: int, memory: int, threads: int) -> None:
        """Write the joined table, or raise what is wrong with the ids."""
        import pyarrow as pa

        schema = pa.schema(self.fields())
        batches = sorted_batches(
            schema,
            self.unsorted(schema),
            ("id", "side", "row"),
            self.folder,
            memory=memory,
            threads=threads,
            batch_rows=BATCH_ROWS,
        )
        try:
            with closing(batches), PartsWriter(self.parts, rows_per_part) as writer:
                long = [side.is_long for side in self.sides]
                for found in matched_ids(batches, long, self.faults):
                    if not self.is_faulty() and len(found.at[0]):
                        writer.add(self.joined_rows(found))
        except OSError as error:
            raise no_room(self.folder, error) from None
        self.check()

    def is_faulty(self) -> bool:
        """Whether something is wrong already, so that only counting is left."""
        strict = self.missing == "error"
        return any(f.n_repeated or f.n_extra or (strict and f.n_absent) for f in self.faults)

    def joined_rows(self, found: SortedIds) -> Any:
        """Return the rows of the joined table, one per id of the truth."""
        import pyarrow as pa

        columns = {"id": found.ids.take(pa.array(found.at[0]))}
        for s, side in enumerate(self.sides):
            at = pa.array(found.at[s], mask=found.at[s] < 0)
            if side.is_long:
                columns[self.names[s][0]] = self.gathered(found, s).take(at)
                continue
            for name, slot in zip(self.names[s], _slots(side), strict=True):
                columns[name] = _whole(found.table.column(slot)).take(at)
        if self.weight is not None:
            columns[self.weight] = _whole(found.table.column("number")).take(pa.array(found.at[0]))
        return pa.table(columns)

    def gathered(self, found: SortedIds, s: int) -> Any:
        """Return for every row the labels of its id as a list, on a side with one label per row."""
        import pyarrow as pa

        side, mine = self.sides[s], np.flatnonzero(found.side == s)
        rows = pa.array(mine)
        names = tuple(f"label {k}" for k in range(len(side.labels)))
        table = {"id": ArrowColumn(found.ids.take(rows))}
        for name, slot in zip(names, _slots(side), strict=True):
            table[name] = ArrowColumn(_whole(found.table.column(slot)).take(rows))
        if side.score is not None:
            table["score"] = ArrowColumn(_whole(found.table.column("number")).take(rows))
        meaning = replace(
            side.data.columns,
            ids="id",
            labels=names,
            score="score" if side.score is not None else None,
            where=(),
            paths=None,
        )
        place = lambda i: side.place(int(found.rows[mine[i]]))  # noqa: E731
        lists = column_rows(table, meaning, place, source=side.data.source).coded
        labels = [LEVELS.join(x) if isinstance(x, tuple) else x for x in lists.values]
        flat = pa.array(labels, pa.string()).take(pa.array(lists.codes))
        number = np.unique(found.group[mine], return_inverse=True)[1]
        whole = pa.ListArray.from_arrays(pa.array(lists.row_ends, pa.int32()), flat)
        of_row = np.zeros(len(found.side), dtype=np.int64)
        of_row[mine] = number
        return whole.take(pa.array(of_row)) if len(mine) else pa.nulls(len(of_row), whole.type)

    # ------------------------------------------------------------ what was found

    def check(self) -> None:
        """Raise what is wrong with the ids: first of the truth, then of the systems."""
        for side, fault in zip(self.sides, self.faults, strict=True):
            if fault.repeated is not None:
                row, before, name = fault.repeated
                rows = "row repeats an id" if fault.n_repeated == 1 else "rows repeat an id"
                raise BadInput(
                    f"{side.place(row)}: instance {shown(name)} already occurs at "
                    f"{side.place(before)} ({fault.n_repeated} {rows}); keep one of them, or for "
                    "one label per row set long (--rows label)"
                )
        for side, fault in zip(self.sides[1:], self.faults[1:], strict=True):
            if fault.extra is not None:
                name = fault.extra[1]
                if fault.n_extra == fault.n_ids:
                    raise none_in_truth(side.name, fault.n_extra, name, self.first_true)
                raise without_truth(side.name, fault.n_extra, name)
            if fault.absent is not None and self.missing == "error":
                raise without_prediction(side.name, fault.n_absent, fault.absent[1])

    def result(self) -> Joined:
        """Return the joined table as a data set."""
        data = open_dataset(self.parts, columns=Columns(ids="id"))
        told = f"{' and '.join(dict.fromkeys(s.data.source for s in self.sides))} joined by id"
        meanings = [
            side.joined_columns(names) for side, names in zip(self.sides, self.names, strict=True)
        ]
        names = [side.name for side in self.sides]
        return Joined(
            replace(data, source=told, reader=_Reader(data.reader, told)),
            meanings[0],
            dict(zip(names[1:], meanings[1:], strict=True)),
            self.weight,
            dict(zip(names, self.n_rows, strict=True)),
            {name: f.n_absent for name, f in zip(names[1:], self.faults[1:], strict=True)},
            frozenset(side.name for side in self.sides if side.has_unused_scores),
        )


@dataclass(frozen=True)
class _Reader:
    """Reads the joined table; errors name what was joined, since the table is soon gone."""

    reader: PartReader
    told: str

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part."""
        for rows in self.reader.read(part, names):
            yield replace(rows, place=lambda i: self.told)

    rows = read


def _slots(side: Side) -> list[str]:
    """Return the shared column that each column of a side goes to."""
    before: dict[str, int] = {"text": 0, "list": 0}
    slots = []
    for kind in side.kinds:
        slots.append(f"{kind} {before[kind]}")
        before[kind] += 1
    return slots


def _names(side: Side, used: set[str]) -> tuple[str, ...]:
    """Return what the columns of a side are called in the joined table."""
    if side.is_long or len(side.labels) == 1:
        return (_free(side.name, used),)
    return tuple(_free(f"{side.name}: {label}", used) for label in side.labels)


def _free(name: str, used: set[str]) -> str:
    while name in used:
        name += "'"
    used.add(name)
    return name


def _whole(column: Any) -> Any:
    """Return a column in one piece."""
    return ArrowColumn(column).array
