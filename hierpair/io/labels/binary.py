"""Label sets in binary files: Parquet tables, and matrices in ``.npz`` and ``.npy`` files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from hierpair.errors import BadInput, check_unique
from hierpair.hierarchy import Hierarchy
from hierpair.io.files import FilePath, note_read
from hierpair.io.formats import (
    TABLE_OPTIONS,
    Format,
    LazyColumns,
    Source,
    Table,
    TableRows,
    label_names,
    written_ids,
)
from hierpair.io.text import BOMB_BYTES, BOMB_RATIO, read_lines
from hierpair.labels import LabelRows, LabelSets
from hierpair.labels.columns import indicator_rows, matrix_rows

MOST_ROWS, ROWS_PER_BYTE = 2**22, 8
"""A file with more rows than both, the second times its bytes, is refused: a few bytes may promise
any number of them."""

LISTED = (1, "STRING")
"""Depth and type of lists of texts."""


def _check_promises(path: FilePath, size: int, rows: int, unpacked: int) -> None:
    """Refuse a file that promises more than it can hold: room would be made for it at once."""
    rows_too = rows > max(MOST_ROWS, ROWS_PER_BYTE * size)
    if rows_too or unpacked > max(BOMB_BYTES, BOMB_RATIO * size):
        promised = f"{rows:,} rows" if rows_too else f"{unpacked:,} bytes once they are unpacked"
        raise BadInput(f"{path}: {size:,} bytes promise {promised}")


@contextmanager
def refusing_damage(path: FilePath, said: str = "not a Parquet file") -> Iterator[None]:
    """Say what a file is not, where another library fails on it: that happens in many ways."""
    try:
        yield
    except BadInput:
        raise
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadInput(f"{path}: {said}: {reason}") from None


# ---------------------------------------------------------------- Parquet


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


def opened_table(path: FilePath, file: BinaryIO, size: int) -> Any:
    """Return an open Parquet file; refuse what is none, or has columns of one name.

    Lists of texts come numbered, as the file has them: seven times as fast.
    """
    _, pq = with_pyarrow()
    if file.read(4) != b"PAR1":
        raise BadInput(f"{path}: not a Parquet file; another format must be named (--label-format)")
    file.seek(0)
    with refusing_damage(path):
        table = pq.ParquetFile(file)
        about = table.metadata
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        rows = sum(group.num_rows for group in groups)
        _check_promises(path, size, rows, sum(group.total_byte_size for group in groups))
        names = table.schema_arrow.names
        check_unique(names, lambda name: f"{path}: two columns are called {name!r}")
        columns = map(about.schema.column, range(about.num_columns))
        lists = [x.path for x in columns if (x.max_repetition_level, x.logical_type.type) == LISTED]
        return pq.ParquetFile(file, metadata=about, read_dictionary=lists)


@contextmanager
def opened_parquet(source: Source) -> Iterator[Any]:
    """Open a Parquet file: what is read whole is in memory."""
    path = source.path
    if source.in_parts:
        with refusing_damage(path), Path(path).open("rb") as file:
            yield opened_table(path, file, note_read(file) or 0)
    else:
        yield opened_table(path, io.BytesIO(source.data), len(source.data))


def parquet_rows(source: Source) -> TableRows:
    """Rows of a Parquet file; some at a time those of a part, with the columns that are needed."""
    path, options = source.path, source.options
    with opened_parquet(source) as table:
        names, about, n_rows = table.schema_arrow.names, table.metadata, table.metadata.num_rows
    groups = [about.row_group(k).num_rows for k in range(about.num_row_groups)]

    def column(name: str) -> Any:
        _, pq = with_pyarrow()
        with refusing_damage(path):  # ParquetFile.read would end the process for some
            data = io.BytesIO(source.data)
            found = pq.read_table(data, columns=[name], use_threads=False).column(name)
            found.validate(full=True)  # texts that are no UTF-8, numbers of no value
            if len(found) != n_rows:
                raise ValueError(f"{name!r} has {len(found)} rows")
        return found

    def batches(n: int | None) -> Iterator[Table]:
        if n is None:
            yield range(1, n_rows + 1), LazyColumns({x: partial(column, x) for x in names})
            return
        part = options["part"]
        at, needed = part.first_row, [name for name in names if name in options["needed"]]
        with opened_parquet(source) as table:
            how = {"batch_size": n, "columns": needed, "use_threads": False}
            # one by one: Arrow cannot join dictionaries of lists across row groups
            for group in part.row_groups:
                for batch in table.iter_batches(row_groups=[group], **how):
                    batch.validate(full=True)
                    end = at + batch.num_rows
                    yield range(at + 1, end + 1), {name: batch.column(name) for name in needed}
                    at = end
        if at != part.first_row + part.n_rows:
            said = f"not a Parquet file: {part.id} holds other rows than promised"
            raise BadInput(f"{path}: {said}")

    return TableRows(tuple(names), batches, mark=": row ", groups=groups)


def write_parquet(sets: LabelSets, hierarchy: Hierarchy) -> bytes:
    """Return label sets as a table of Parquet."""
    pa, pq = with_pyarrow()
    columns = {} if sets.ids is None else {"id": pa.array(written_ids(sets), pa.string())}
    columns["labels"] = pa.array(label_names(sets, hierarchy, ""), pa.list_(pa.string()))
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content)
    return content.getvalue()


# ---------------------------------------------------------------- matrices


def _read_matrix(source: Source) -> LabelRows:
    """An indicator matrix: a row per instance, a column per class; or a matrix of scores.

    The file holds one array of two dimensions, or what ``scipy.sparse.save_npz`` writes, and
    perhaps arrays ``classes`` and ``ids``. The option ``column_names`` is a file with the class of
    every column. Pickled objects are refused.
    """
    path, options, data = source.path, source.options, source.data
    with refusing_damage(path, "no matrix of NumPy or scipy.sparse (names are texts, dtype str)"):
        matrix, beside = _loaded(path, data)
        n_rows, n_columns = matrix.shape
    _check_promises(path, len(data), n_rows, 0)
    classes, ids, told = beside.get("classes"), beside.get("ids"), options["column_names"]
    if ids is not None and (len(ids) != n_rows or "" in ids):
        raise BadInput(f"{path}: ids must be a text for each of {n_rows} rows")
    if told is not None:
        named = [x for x in map(str.strip, read_lines(told)) if x]
        if classes not in (None, named):
            raise BadInput(
                f"{path}: the file itself gives the class of every column, and {told} says "
                "otherwise; leave one of them out"
            )
        classes = named
    if classes is None:
        raise BadInput(
            f"{path}: which class is which column? Give a file with a class per line (--columns), "
            "or save an array called classes beside the matrix"
        )
    try:
        found = (matrix_rows if options["scored"] else indicator_rows)(matrix, classes)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    where = lambda i, _: f"{path}: row {i + 1}"  # noqa: E731
    return LabelRows(found.coded, where, ids, scores=found.scores, n_columns=n_columns)


def _loaded(path: FilePath, data: bytes) -> tuple[Any, dict[str, list[Any]]]:
    """Return the matrix in a file, and the names beside it."""
    import scipy.sparse as sp

    found: Any = np.load(io.BytesIO(data), allow_pickle=False)
    if isinstance(found, np.ndarray):
        return found, {}
    _check_promises(path, len(data), 0, sum(member.file_size for member in found.zip.infolist()))
    names = {*found} - {"classes", "ids"}
    beside = {x: [str(name).strip() for name in found[x].tolist()] for x in {*found} - names}
    if "format" not in names:
        if len(names) != 1:
            raise ValueError(f"expected one matrix beside classes and ids, got {', '.join(found)}")
        return found[names.pop()], beside
    matrix = sp.load_npz(io.BytesIO(data))
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)
    return matrix, beside


MATRIX = Format(
    "npz", "a NumPy or scipy.sparse indicator matrix (npy, npz)", _read_matrix,
    endings=(".npz", ".npy"), options=TABLE_OPTIONS,
)  # fmt: skip
