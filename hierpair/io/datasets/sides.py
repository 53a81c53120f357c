"""Truth and systems in data sets of their own, joined into one table; ids that come twice."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, get_args

import numpy as np

from hierpair.errors import BadInput, check_choice, shown
from hierpair.hierarchy.arrays import values_of
from hierpair.io.datasets.tables import (
    DataSet,
    PartRows,
    column_numbers,
    open_dataset,
    weights_of,
    written_labels,
)
from hierpair.io.labels.binary import with_pyarrow
from hierpair.labels import Columns, LabelRows
from hierpair.labels.coded import BLANK
from hierpair.labels.columns import (
    ID_NAMES,
    check_scale,
    column_named,
    meant,
    no_row,
    no_score,
)
from hierpair.labels.naming import Missing
from hierpair.labels.sets import without_prediction, without_truth

ROWS_PER_PART, GROUP_ROWS = 2**20, 2**17
"""Rows of a part of the joined table, and of a group of its file."""

MEMORY, THREADS = 2**29, 2
"""Bytes that DuckDB may take, and its threads; what is more goes to disk. The batches on their way
come on top."""

LEVELS, LABELS = "\x1f", "\x1e"
"""Between the names of a path, which no name holds, and between the labels of an instance."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Truth and systems beside each other, a row per instance of the truth, in its order.

    The joined table ``data`` is gone when the ``with`` block ends; ``truth`` and ``systems`` are
    the columns of labels, for :func:`label_sets`, and ``sample_weight`` that of weights. Of each
    system ``n_missing`` instances are lacking, whose sets are empty; ``unused_scores`` names the
    systems with scores that no label was chosen by.
    """

    data: DataSet
    truth: Columns
    systems: dict[str, Columns]
    sample_weight: str | None
    n_missing: dict[str, int]
    unused_scores: frozenset[str]


@contextmanager
def joined(
    truth: DataSet, systems: Mapping[str, DataSet], *,
    missing: Missing = "error", sample_weight: str | None = None,
) -> Iterator[Joined]:  # fmt: skip
    """Join truth and predictions into one table of Parquet parts, for as long as needed.

    Instances are joined by id, in whatever order and form the sides come. The labels of data sets
    with one label per row (``long``) are put together.

    Parameters
    ----------
    truth, systems
        Data sets whose ``columns`` say which column holds the labels. Without systems, the truth
        alone is put together.
    missing
        What an instance without prediction is: an error, or an empty set.
    sample_weight
        A column of the truth that is carried along.

    Raises
    ------
    BadInput
        For a side without ids; ids that are missing or repeated, by file and row; instances that
        only one side has, in the words of :func:`hierpair.labels.match_instances`; a folder that is
        full or gone; without DuckDB or pyarrow. Nothing is left behind.

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
    ...         print({name: rows.columns[name].to_pylist() for name in both.data.names})
    {'id': ['x', 'y'], 'labels s0': ['cat', 'dog'], 'labels s1': ['lion', 'dog']}
    """
    check_choice("missing", missing, get_args(Missing))
    if some := [x.source for x in (truth, *systems.values()) if x.columns.amounts]:
        raise BadInput(f"{some[0]}: amounts of labels (--amounts) are of files that are read whole")
    if sample_weight is not None and truth.columns.long:
        raise BadInput(f"{truth.source}: weights need a row per instance, not a row per label")
    sides = list(map(_meant, (truth, *systems.values())))
    with _database() as (con, made):
        for k, side in enumerate(sides):
            _fill(con, f"s{k}", side, None if k else sample_weight)
        lacking = [_n_missing(con, f"s{k}", x, missing) for k, x in enumerate(systems, start=1)]
        path, group = f"{made}/joined.parquet", min(ROWS_PER_PART, GROUP_ROWS)
        quoted, query = path.replace("'", "''"), _query(sides, sample_weight is not None)
        con.execute(
            f"COPY ({query}) TO '{quoted}' "
            f"(FORMAT parquet, ROW_GROUP_SIZE {group}, COMPRESSION lz4_raw)"
        )
        con.close()
        data = open_dataset(path, columns=Columns(ids="id"), rows_per_part=ROWS_PER_PART)
        columns = [f"labels s{k}" for k in range(len(sides))]
        source = " and ".join(dict.fromkeys(side.source for side in sides))
        first, *others = map(_joined_as, columns, sides)
        yield Joined(
            replace(data, source=source, stood=dict(zip(columns, sides, strict=True))),
            first, dict(zip(systems, others, strict=True)),
            None if sample_weight is None else "weight", dict(zip(systems, lacking, strict=True)),
            frozenset(name for name, x in zip(systems, sides[1:], strict=True)
                      if x.columns.score and x.columns.min_score is None),
        )  # fmt: skip


def check_ids(data: DataSet) -> None:
    """Refuse ids that are missing or come twice, by both files and rows."""
    # with a row per label each is one instance, and in a joined table they were compared
    if data.columns.ids is None or data.columns.long or data.stood:
        return
    with _database() as (con, _):
        if _store(con, "ids", ({"row": at, "id": rows.ids} for at, rows in _numbered(data))):
            _refuse_repeated(con, "ids", data)


def _numbered(data: DataSet, names: Sequence[str] = ()) -> Iterator[tuple[Any, PartRows]]:
    n = 0
    for rows in data.rows(names):
        yield np.arange(n, n + rows.n_rows), rows
        n += rows.n_rows


def _store(con: Any, name: str, tables: Iterable[dict[str, Any]]) -> bool:
    """Make a table of columns that come some rows at a time; return whether any came."""
    import pyarrow as pa

    make = f"CREATE TABLE {name} AS"
    for columns in tables:
        con.register("incoming", pa.table(columns))
        con.execute(f"{make} SELECT * FROM incoming")
        make = f"INSERT INTO {name}"
    return make.startswith("INSERT")


def _refuse_repeated(con: Any, table: str, data: DataSet) -> None:
    """Refuse the first of ids that come twice."""
    found = con.execute(
        f"SELECT id FROM {table} JOIN (SELECT id FROM {table} GROUP BY id HAVING count(*) > 1) "
        "USING (id) ORDER BY row LIMIT 1"
    ).fetchone()
    if found is not None:
        first, again = islice(data.places(*found).values(), 2)
        raise BadInput(
            f"{again}: instance {shown(found[0])} already occurs at {first}; keep one of them, or, "
            "for one label per row, say so (--rows label, Columns(long=True))"
        )


@contextmanager
def _database() -> Iterator[tuple[Any, str]]:
    """Give a connection whose tables may go to a temporary folder, and the folder."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise BadInput(
            "ids of data sets are compared by DuckDB: pip install 'hierpair[data]'"
        ) from None
    with_pyarrow()
    where = tempfile.gettempdir()
    try:
        with tempfile.TemporaryDirectory(prefix="hierpair-", dir=where) as made:
            # an interrupt may come while the folder is removed
            atexit.register(shutil.rmtree, made, ignore_errors=True)
            config: dict[str, Any] = {
                "memory_limit": f"{MEMORY}B", "threads": THREADS, "temp_directory": made,
                "autoinstall_known_extensions": False, "autoload_known_extensions": False,
            }  # fmt: skip
            with duckdb.connect(config=config) as con:
                con.execute("SET enable_progress_bar = false")  # it is drawn on standard output
                yield con, made
    except RuntimeError as error:  # DuckDB's word for Ctrl-C
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except (duckdb.OutOfMemoryException, duckdb.IOException, OSError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:160]
        raise BadInput(
            f"{where}: no room for temporary files ({reason}); take another folder (TMPDIR)"
        ) from None


def _meant(data: DataSet) -> DataSet:
    """Return a data set that knows its columns of labels and scores; refuse one without ids."""
    column_named(data.names, data.columns.ids, ID_NAMES, "id", data.source)
    return replace(data, columns=meant(data.names, data.columns, data.source))


def _joined_as(column: str, data: DataSet) -> Columns:
    """Return what a column of the joined table means."""
    given = data.columns
    levels = len(given.labels) > 1 and not given.each
    return Columns(labels=(column,), paths=LEVELS if levels else given.paths, separator=LABELS)


def _batches(data: DataSet, weight: str | None) -> Iterator[dict[str, Any]]:
    """Yield rows, ids, texts of labels, scores and weights, some at a time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given = data.columns
    meaning, score = replace(given, paths=None), given.score if given.long else None
    needed = [x for x in (*given.labels, score, weight) if x is not None]
    for numbers, rows in _numbered(data, needed):
        table = {"row": numbers, "id": rows.ids}
        cells = rows.columns[given.labels[0]]
        if given.long or len(given.labels) > 1 or not isinstance(cells, pa.StringArray):
            found = written_labels(rows, meaning)
            cells = _as_texts(replace(found, bare=()) if given.long else found)
        else:
            cells = pc.replace_substring(cells, given.separator, LABELS)
        table["labels"] = cells
        if score is not None:
            table["score"] = scores = column_numbers(rows, score, "score")
            labelled = cells.is_valid().to_numpy(zero_copy_only=False)
            for i in np.flatnonzero(~np.isfinite(scores) & labelled).tolist():
                raise no_score(values_of(rows.columns[score])[i], rows.place(i))
        if weight is not None:
            table["weight"] = weights_of(rows, weight)
        yield table


def _fill(con: Any, table: str, data: DataSet, weight: str | None) -> None:
    """Make the table of a side; refuse ids that come twice, and labels that have two scores."""
    given, source = data.columns, data.source
    if not _store(con, table, _batches(data, weight)):
        none = f"{source}: the file has no instances"
        raise BadInput(no_row(given, source) if given.where else none)
    if not given.long:
        _refuse_repeated(con, table, data)
    elif given.score is None:
        return
    elif given.min_score is not None:
        scores = f"SELECT min(score), max(score) FROM {table} WHERE score IS NOT NULL"
        low, high = con.execute(scores).fetchone()
        if low is not None:
            check_scale(low, high, given.min_score, source)
    if not given.long or given.highest:
        return
    other = con.execute(
        "SELECT id, label, list(row ORDER BY row), list(score ORDER BY row) FROM (SELECT id, row, "
        f"score, unnest(string_split(labels, '{LABELS}')) AS label FROM {table}) "
        "GROUP BY id, label HAVING min(score) <> max(score) ORDER BY min(row) LIMIT 1"
    ).fetchone()
    if other is not None:
        name, label, rows, scores = other
        again = next(row for row, x in zip(rows, scores, strict=True) if x != scores[0])
        at = data.places(name)
        raise BadInput(
            f"{at[again]}: instance {shown(name)} has the label {shown(label)} with another score "
            f"at {at[rows[0]]}"
        )


def _per_instance(table: str, given: Columns) -> str:
    """Return a table with a row per instance as SQL."""
    if not given.long:
        return table
    kept = "true" if given.min_score is None else f"score >= {given.min_score!r}"
    return (
        f"(SELECT id, string_agg(labels, '{LABELS}' ORDER BY row) FILTER ({kept}) AS labels, "
        f"min(row) AS row FROM {table} GROUP BY id) AS {table}"
    )


def _as_texts(found: LabelRows) -> Any:
    """Return the labels of every row as one text, or null where there are none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = found.coded
    names = [LEVELS.join(x) if found.levels else x or BLANK for x in cells.values]
    flat = pa.array(names, pa.string()).take(pa.array(cells.codes))
    texts = pc.binary_join(
        pa.ListArray.from_arrays(pa.array(cells.row_ends, pa.int32()), flat), LABELS
    )
    none = np.diff(cells.row_ends) == 0
    none[list(found.bare)] = False
    return pc.if_else(pa.array(none), None, texts)


def _n_missing(con: Any, table: str, name: str, missing: str) -> int:
    """Return how many instances a system lacks; refuse those that only one side has."""

    def first_of(rows: str) -> tuple[int, str]:
        query = f"SELECT count(DISTINCT id), arg_min(id, row) FROM {rows}"
        found: tuple[int, str] = con.execute(query).fetchone()
        return found

    n, such = first_of(f"{table} ANTI JOIN s0 USING (id)")
    n_absent, absent = first_of(f"s0 ANTI JOIN {table} USING (id)")
    if n:
        raise without_truth(name, n, such, first_of("s0")[1])
    if n_absent and missing == "error":
        raise without_prediction(name, n_absent, absent)
    return n_absent


def _query(sides: Sequence[DataSet], weighted: bool) -> str:
    every = range(len(sides))
    cells = ["id", *["s0.weight"] * weighted, *(f's{k}.labels AS "labels s{k}"' for k in every)]
    tables = " LEFT JOIN ".join(
        _per_instance(f"s{k}", sides[k].columns) + " USING (id)" * (k > 0) for k in every
    )
    return f"SELECT {', '.join(cells)} FROM {tables} ORDER BY s0.row"
