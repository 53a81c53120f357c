"""Truth and systems in data sets of their own, joined into one table; ids that come twice."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import numpy as np

from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy.arrays import offsets
from hierpair.io.datasets.cells import (
    cells_of,
    ids_of,
    is_text,
    lists_of,
    named_labels,
    numbers_of,
    rows_of_labels,
    value_of,
    weights_of,
)
from hierpair.io.datasets.parts import DataPart, PartRows
from hierpair.io.datasets.tables import DataSet, Reader, open_dataset
from hierpair.io.labels.parquet import with_pyarrow
from hierpair.labels import Columns
from hierpair.labels.columns import SCORE_NAMES, column_named, found_column, no_row
from hierpair.labels.set_operations import none_in_truth, without_prediction, without_truth

__all__ = ["Joined", "check_ids", "joined", "repeated_ids"]

ROWS_PER_PART = 2**20
"""Rows of a part of the joined table."""

GROUP_ROWS = 2**17
"""Rows of a group of its file."""

MEMORY = 2**29
"""Bytes that DuckDB may take; what is more goes to disk. The batches on their way come on top."""

THREADS = 2
"""Threads of DuckDB."""

LEVELS = "\x1f"
"""Between the names of a path that was given level by level; no name holds it."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Truth and systems beside each other, a row per instance of the truth, in its order.

    Attributes
    ----------
    data
        The joined table, as a data set; it is gone when the ``with`` block ends.
    truth, systems
        What to give to :func:`label_sets`: the columns of the true labels, and of every system.
    sample_weight
        The column of weights, or None.
    n_missing
        For every system the number of instances that it lacks, whose sets are empty.
    unused_scores
        The systems (or ``"truth"``) with scores that no label was chosen by.
    notes
        What a user should know, such as that instances go by position.
    """

    data: DataSet
    truth: Columns
    systems: dict[str, Columns]
    sample_weight: str | None
    n_missing: dict[str, int]
    unused_scores: frozenset[str]
    notes: tuple[str, ...]


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
    """Join truth and predictions into one table of Parquet parts, for as long as needed.

    Instances are joined by id, in whatever order and form the sides come, or by position where a
    side has no ids. The labels of data sets with one label per row (``long``) are put together.

    Parameters
    ----------
    truth, systems
        Data sets whose ``columns`` say which column holds the labels. Without systems, the truth
        alone is put together.
    missing
        What an instance without prediction is: an error, or an empty set.
    sample_weight
        A column of the truth that is carried along.
    folder
        Where the temporary folder is made; by default where the system has such folders.
    rows_per_part
        Rows of a part of the joined table, about.
    memory
        Bytes that DuckDB may take before rows go to disk.
    threads
        Threads of DuckDB.

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
    ...         (rows,) = both.data.rows()
    ...         print({name: column.to_pylist() for name, column in rows.columns.items()})
    {'id': ['x', 'y'], 'truth': ['cat', 'dog'], 'mine': ['lion', 'dog']}
    """
    if missing not in ("error", "empty"):
        raise BadInput(f"missing must be 'error' or 'empty', got {missing!r}")
    if sample_weight is not None and truth.columns.long:
        raise BadInput(
            f"{truth.source}: weights need a row per instance, and this has a row per label"
        )
    used = {"id"}
    sides = [_Side(k, name, data, used) for k, (name, data) in enumerate(
        {"truth": truth, **systems}.items())]  # fmt: skip
    weight = None if sample_weight is None else _free("weight", used)
    with _database(folder, memory, threads) as (con, made):
        for side in sides:
            side.fill(con, sample_weight if side.k == 0 else None)
            side.check_ids(con)
        by_id = all(side.data.columns.ids is not None for side in sides)
        n_missing = _compared(con, sides, missing) if by_id else _counted(con, sides)
        path = made / "joined.parquet"
        rows = min(rows_per_part, GROUP_ROWS)
        con.execute(f"COPY ({_query(sides, by_id, weight)}) TO '{_quoted(path)}' "
                    f"(FORMAT parquet, ROW_GROUP_SIZE {rows}, COMPRESSION lz4_raw)")  # fmt: skip
        con.close()
        has_ids = truth.columns.ids is not None
        data = open_dataset(path, columns=Columns(ids="id" if has_ids else None),
                            rows_per_part=rows_per_part)  # fmt: skip
        several = list(dict.fromkeys(side.data.source for side in sides))
        how = f" joined by {'id' if by_id else 'position'}" if len(several) > 1 else ""
        told = " and ".join(several) + how
        homes = {name: side for side in sides for name in side.columns}
        reader = _JoinedReader(data.reader, told, homes)
        meanings = {side.name: side.meaning() for side in sides}
        yield Joined(
            replace(data, source=told, reader=reader), meanings.pop("truth"), meanings,
            weight, n_missing, frozenset(side.name for side in sides if side.has_unused_scores),
            tuple(_by_position(sides)),
        )  # fmt: skip


def check_ids(data: DataSet) -> None:
    """Refuse ids that are missing or come twice.

    Raises
    ------
    BadInput
        Names the id, and both files and rows.
    """
    if data.columns.long or isinstance(data.reader, _JoinedReader):
        return  # each is one instance already, or will be
    twice = repeated_ids(data)
    if twice:
        raise _twice(data, twice[0], len(twice))


def repeated_ids(data: DataSet) -> list[str]:
    """Return the ids that come twice, in the order in which they come first.

    Raises
    ------
    BadInput
        For an id that is missing, by file and row.
    """
    if data.columns.ids is None or _ascend(data):
        return []
    with _database(None, MEMORY, THREADS) as (con, _):
        _store(con, "ids", ({"row": at, "id": ids_of(rows)} for at, rows in _numbered(data, ())))
        return _repeated(con, "ids")


def _ascend(data: DataSet) -> bool:
    """Whether all ids are in the order of texts, so that none comes twice."""
    import pyarrow.compute as pc

    last: Any = None
    for rows in data.rows(()):
        ids = ids_of(rows)
        if last is not None and not pc.less(last, ids[0]).as_py():
            return False
        if not pc.all(pc.less(ids[:-1], ids[1:]), min_count=0).as_py():
            return False
        last = ids[-1]
    return True


def _numbered(data: DataSet, names: Sequence[str] = ()) -> Iterator[tuple[Any, PartRows]]:
    """Yield rows with their numbers, counted through all parts."""
    n = 0
    for rows in data.rows(names):
        yield np.arange(n, n + rows.n_rows), rows
        n += rows.n_rows


def _store(con: Any, name: str, tables: Iterable[dict[str, Any]]) -> bool:
    """Make a table of columns that come some rows at a time; return whether any came."""
    import pyarrow as pa

    made = False
    for columns in tables:
        con.register("incoming", pa.table(columns))
        make = f"INSERT INTO {name}" if made else f"CREATE TABLE {name} AS"
        con.execute(f"{make} SELECT * FROM incoming")
        con.unregister("incoming")
        made = True
    return made


def _repeated(con: Any, table: str) -> list[str]:
    """Return the ids that come twice in a table."""
    twice = f"SELECT id FROM {table} GROUP BY id HAVING count(*) > 1 ORDER BY min(row)"
    return [row[0] for row in con.execute(twice).fetchall()]


def _twice(data: DataSet, name: str, n: int) -> BadInput:
    """Return the error about an id that comes twice, one of some."""
    first, second = islice(_places_of_id(data, name), 2)
    more = f" ({n:,} ids come twice)" if n > 1 else ""
    return BadInput(
        f"{second}: instance {shown(name)} already occurs at {first}{more}; keep one of them, or, "
        "for one label per row, say so (--rows label, Columns(long=True))"
    )


# ---------------------------------------------------------------- the database


@contextmanager
def _database(folder: str | Path | None, memory: int, threads: int) -> Iterator[tuple[Any, Path]]:
    """Give a connection whose tables may go to a temporary folder, and the folder."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise BadInput(
            "ids of data sets are compared by DuckDB: pip install 'hierpair[data]'"
        ) from None
    with_pyarrow()
    where = Path(folder or tempfile.gettempdir())
    made = where / f"hierpair-{uuid4().hex}"
    remove = partial(shutil.rmtree, made, ignore_errors=True)
    atexit.register(remove)  # an interrupt may come while the folder is made or removed
    try:
        made.mkdir(mode=0o700)
        config: dict[str, Any] = {
            "memory_limit": f"{memory}B", "threads": threads, "temp_directory": str(made),
            "autoinstall_known_extensions": False, "autoload_known_extensions": False,
        }  # fmt: skip
        with duckdb.connect(config=config) as con:
            yield con, made
    except RuntimeError as error:  # DuckDB's word for Ctrl-C
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.OutOfMemoryException as error:
        raise BadInput(
            f"{where}: neither {memory:,} bytes of memory nor the room for temporary files are "
            f"enough to join ({_reason(error)}); allow more memory, or take another folder (TMPDIR)"
        ) from None
    except (duckdb.IOException, OSError) as error:
        reason = getattr(error, "strerror", None) or _reason(error)
        raise BadInput(
            f"{where}: no room for temporary files ({reason}); take another folder (TMPDIR)"
        ) from None
    finally:
        remove()
        atexit.unregister(remove)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:160]


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _free(name: str, used: set[str]) -> str:
    while name.lower() in used:  # columns of a table in SQL differ by more than capitals
        name += "'"
    used.add(name.lower())
    return name


# ---------------------------------------------------------------- one side


class _Side:
    """A data set as the table ``s0``, ``s1``, …: ids, cells of labels, scores, weights, rows."""

    def __init__(self, k: int, name: str, data: DataSet, used: set[str]) -> None:
        self.k, self.name, self.data = k, name, data
        given = data.columns
        table: dict[str, Any] = dict.fromkeys(data.names)
        self.labels = named_labels(table, given, data.source)
        for label in self.labels:
            column_named(table, label, (), "label", data.source, needed=True)
        # where columns of labels are named, a score may belong to any of them
        sought = () if given.labels and not given.long else SCORE_NAMES
        self.score = given.score or found_column(table, sought, data.source)
        if given.min_score is not None and self.score is None:
            raise BadInput(f"{data.source}: a least score is set, but there is no column of scores")
        one = given.long or len(self.labels) == 1
        titles = [name] if one else [f"{name}: {label}" for label in self.labels]
        self.columns = [_free(title, used) for title in titles]

    @property
    def has_unused_scores(self) -> bool:
        """Whether there are scores that no label was chosen by."""
        return self.score is not None and self.data.columns.min_score is None

    def meaning(self) -> Columns:
        """Return what the columns of the joined table mean."""
        given = self.data.columns
        paths = LEVELS if given.long and len(self.labels) > 1 else given.paths
        return Columns(
            labels=tuple(self.columns), separator=given.separator, paths=paths, each=given.each
        )

    def fill(self, con: Any, weight: str | None) -> None:
        """Make the table."""
        if not _store(con, f"s{self.k}", self.tables(weight)):
            given = self.data.columns
            none = no_row(given, self.data.source) if given.where else ""
            raise BadInput(none or f"{self.data.source}: the file has no instances")

    def tables(self, weight: str | None) -> Iterator[dict[str, Any]]:
        """Yield the columns of the table, some rows at a time."""
        import pyarrow as pa

        given = self.data.columns
        nested = [not given.long and self.is_nested(name) for name in self.labels]
        extra = [x for x in (self.score if given.long else None, weight) if x is not None]
        for numbers, rows in _numbered(self.data, [*self.labels, *extra]):
            ids, table = ids_of(rows), {"row": pa.array(numbers)}
            if ids is not None:
                table["id"] = ids
            if given.long:
                table = self.labels_apart(rows, table)
            for j, name in enumerate(() if given.long else self.labels):
                cells = cells_of(rows, name, given, ids)
                if nested[j] and cells.null_count == rows.n_rows:
                    cells = pa.nulls(rows.n_rows, pa.list_(pa.string()))
                table[f"c{j}"] = cells
            if weight is not None:
                table["weight"] = pa.array(weights_of(rows, weight))
            yield table

    def is_nested(self, name: str) -> bool:
        """Whether a column holds lists, which only a cell that is not null tells."""
        for rows in self.data.rows([name]):
            cells = cells_of(rows, name, self.data.columns, ids_of(rows))
            if cells.null_count < len(cells):
                return not is_text(cells.type)
        return False

    def labels_apart(self, rows: PartRows, table: dict[str, Any]) -> dict[str, Any]:
        """Return a row for each label of a table with one label per row, null for none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        given = replace(self.data.columns, labels=self.labels)
        if len(self.labels) > 1:
            paths = rows_of_labels(rows, given, table["id"]).coded
            cells = lists_of(paths.row_ends, [LEVELS.join(x) for x in paths.values], paths.codes)
        else:
            cells = cells_of(rows, self.labels[0], given, table["id"])
        if is_text(cells.type):  # a label each, or none
            cells = pc.utf8_trim_whitespace(cells)
            filled = pc.fill_null(pc.greater(pc.binary_length(cells), 0), False)
            pointer = offsets(filled.to_numpy(zero_copy_only=False).astype(np.int64))
            cells = pa.LargeListArray.from_arrays(pa.array(pointer), cells.filter(filled))
        lengths = pc.fill_null(pc.list_value_length(cells), 0).to_numpy(zero_copy_only=False)
        owner = np.repeat(np.arange(rows.n_rows), np.maximum(lengths, 1))
        at = np.full(len(owner), -1)
        at[(lengths > 0)[owner]] = np.arange(lengths.sum())
        flat = pc.fill_null(cells.flatten(), "")  # a label is missing, which is no lack of any
        table = {name: column.take(pa.array(owner)) for name, column in table.items()}
        table["c0"] = flat.take(pa.array(at, mask=at < 0))
        if self.score is not None:
            score = numbers_of(rows, self.score)[owner]
            odd = np.flatnonzero(~np.isfinite(score) & (at >= 0))
            if len(odd):
                i = int(owner[odd[0]])
                value = shown(value_of(rows.columns[self.score], i), 40)
                raise BadInput(f"{rows.place(i)}: a score must be a finite number, got {value}")
            table["score"] = pa.array(score)
        return table

    def check_ids(self, con: Any) -> None:
        """Refuse ids that come twice, and labels that have two scores."""
        table, given = f"s{self.k}", self.data.columns
        if given.ids is None:
            return
        if not given.long:
            twice = _repeated(con, table)
            if twice:
                raise _twice(self.data, twice[0], len(twice))
        elif self.score is not None and not given.highest:
            other = con.execute(
                f"SELECT id, c0 FROM {table} WHERE c0 <> '' GROUP BY id, c0 "
                "HAVING min(score) <> max(score) ORDER BY min(row) LIMIT 1"
            ).fetchone()
            if other is not None:
                rows = con.execute(
                    f"SELECT row, score FROM {table} WHERE id = ? AND c0 = ? ORDER BY row", other
                ).fetchall()
                again = next(row for row, score in rows if score != rows[0][1])
                first, second = place_of(self.data, rows[0][0]), place_of(self.data, again)
                raise BadInput(
                    f"{second}: instance {shown(other[0])} has the label {shown(other[1])} with "
                    f"another score at {first}"
                )

    def sql(self) -> str:
        """Return a row per instance."""
        given = self.data.columns
        if not given.long:
            return f"SELECT * FROM s{self.k}"
        least = given.min_score
        scored = "" if least is None else f" AND score >= {least!r}"
        return (
            f"SELECT id, coalesce(list(c0 ORDER BY row) FILTER (c0 IS NOT NULL{scored}), []) AS c0,"
            f" row_number() OVER (ORDER BY min(row)) - 1 AS row FROM s{self.k} GROUP BY id"
        )

    def places_of_labels(self, name: str) -> Iterator[str]:
        """Yield where the labels of an instance stand in a table with one label per row."""
        import pyarrow as pa
        import pyarrow.compute as pc

        least = self.data.columns.min_score
        for _, rows in _numbered(self.data, [*self.labels, *([self.score] if self.score else [])]):
            own = np.flatnonzero(pc.equal(ids_of(rows), name).to_numpy(zero_copy_only=False))
            some = rows.take(own)
            table = self.labels_apart(some, {"id": ids_of(some), "row": pa.array(own)})
            kept = pc.is_valid(table["c0"])
            if least is not None:
                kept = pc.and_(kept, pc.greater_equal(table["score"], least))
            yield from map(rows.place, table["row"].filter(kept).to_pylist())


def place_of(data: DataSet, row: int) -> str:
    """Tell where a row stands, counted through all parts; they are read again for it."""
    for numbers, rows in _numbered(data):
        if len(numbers) and numbers[0] <= row <= numbers[-1]:
            return str(rows.place(row - int(numbers[0])))
    raise BadInput(f"{data.source}: the files have changed since they were read")


# ---------------------------------------------------------------- several sides


def _compared(con: Any, sides: Sequence[_Side], missing: str) -> dict[str, int]:
    """Return how many instances each system lacks; refuse those that only one side has."""
    n_missing = {}
    n_true, first = con.execute("SELECT count(DISTINCT id), arg_min(id, row) FROM s0").fetchone()
    for side in sides[1:]:
        n, such = con.execute(
            f"SELECT count(DISTINCT id), arg_min(id, row) FROM s{side.k} ANTI JOIN s0 USING (id)"
        ).fetchone()
        n_ids = con.execute(f"SELECT count(DISTINCT id) FROM s{side.k}").fetchone()[0]
        if n:
            if n == n_ids:
                raise none_in_truth(side.name, n, such, first)
            raise without_truth(side.name, n, such)
        n_missing[side.name] = n_true - n_ids
        if n_true > n_ids and missing == "error":
            such = con.execute(
                f"SELECT arg_min(id, row) FROM s0 ANTI JOIN s{side.k} USING (id)"
            ).fetchone()[0]
            raise without_prediction(side.name, n_true - n_ids, such)
    return n_missing


def _counted(con: Any, sides: Sequence[_Side]) -> dict[str, int]:
    """Refuse other numbers of instances, which go by position."""
    counts = [con.execute(f"SELECT count(*) FROM ({s.sql()})").fetchone()[0] for s in sides]
    for side, n in zip(sides, counts, strict=True):
        if n != counts[0]:
            raise BadInput(
                f"{sides[0].data.source} has {counted(counts[0], 'instance')}, and "
                f"{side.data.source} ({side.name}) has {n:,}; give both the same instances, or "
                "ids on both sides to match them by"
            )
    return dict.fromkeys((side.name for side in sides[1:]), 0)


def _by_position(sides: Sequence[_Side]) -> Iterator[str]:
    """Yield what is to be said of sides some of which have no ids."""
    has = [side.data.columns.ids is not None for side in sides]
    for side, own in zip(sides[1:], has[1:], strict=True):
        if own != has[0]:
            who = "the truth" if has[0] else side.name
            yield f"{side.name}: only {who} has ids, so instances are matched by position"


def _query(sides: Sequence[_Side], by_id: bool, weight: str | None) -> str:
    """Return the joined table, a row per instance of the truth."""
    cells = [f"s.id AS {_name('id')}"] if sides[0].data.columns.ids is not None else []
    tables = [f"({sides[0].sql()}) AS s"]
    for side in sides:
        own = f"t{side.k}" if side.k else "s"
        cells += [f"{own}.c{j} AS {_name(name)}" for j, name in enumerate(side.columns)]
        if side.k:
            key = "id" if by_id else "row"
            tables.append(f"LEFT JOIN ({side.sql()}) AS {own} ON s.{key} = {own}.{key}")
    if weight is not None:
        cells.append(f"s.weight AS {_name(weight)}")
    return f"SELECT {', '.join(cells)} FROM {' '.join(tables)} ORDER BY s.row"


@dataclass(frozen=True)
class _JoinedReader:
    """Reads the joined table; places are those in the files that were joined."""

    reader: Reader
    told: str
    sides: dict[str, _Side]

    @property
    def form(self) -> str:
        """The form of the joined table."""
        return self.reader.form

    def read(self, part: DataPart, names: Sequence[str] | None = None) -> Iterator[PartRows]:
        """Yield the rows of a part."""
        start = part.first_row
        for rows in self.reader.read(part, names):
            place = partial(self._place, start, ids_of(rows))
            yield replace(rows, place=place)
            start += rows.n_rows

    def _place(self, start: int, ids: Any, i: int, of: str = "", k: int = 0) -> str:
        """Tell where a label stands in the files that were joined."""
        side = self.sides.get(of) or next(iter(self.sides.values()))
        data = side.data
        try:
            if ids is None or data.columns.ids is None:
                return place_of(data, start + i)
            name = ids[i].as_py()
            found = side.places_of_labels(name) if data.columns.long else _places_of_id(data, name)
            return next(islice(found, k if data.columns.long else 0, None), self.told)
        except BadInput:  # another machine may not see the files
            return self.told


def _places_of_id(data: DataSet, name: str) -> Iterator[str]:
    """Yield where an instance stands."""
    import pyarrow.compute as pc

    for rows in data.rows(()):
        for i in np.flatnonzero(pc.equal(ids_of(rows), name).to_numpy(zero_copy_only=False)):
            yield str(rows.place(int(i)))
