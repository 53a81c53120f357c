"""Label sets in files with named columns: CSV, TSV, JSON lines, Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, did_you_mean, first_repeated, listed, shown
from hierpair.io.hierarchies.edge_list import Trouble
from hierpair.io.hierarchies.json_hierarchies import parse_json
from hierpair.io.labels.arrow_columns import ArrowColumn
from hierpair.io.text import BOMB_BYTES, BOMB_RATIO, LONGEST_LINE, read_bytes
from hierpair.labels import Columns, LabelRows, column_rows
from hierpair.labels.coded import Column
from hierpair.labels.columns import LABEL_NAMES, found_column

__all__ = ["csv_table", "json_lines", "parquet", "parquet_titles", "titles", "tsv_table"]


def csv_table(path: str | Path, lines: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """Values with a header, separated by commas, quoted where they hold separators or line ends."""
    return _titled(path, _csv_rows(path, lines), columns, trouble, other=(";", "\t"))


def tsv_table(path: str | Path, lines: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """Values separated by tabs; quotes mean nothing special."""
    rows = ((number, line.split("\t")) for number, line in enumerate(lines, start=1))
    return _titled(path, rows, columns, trouble, other=(";", ","))


def _csv_rows(path: str | Path, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each row starts, and its fields."""
    limit = csv.field_size_limit(LONGEST_LINE)  # of the whole process: put back below
    reader = csv.reader(iter(f"{line}\n" for line in lines), strict=True)
    start = 1
    try:
        for fields in reader:
            yield start, fields
            start = reader.line_num + 1
    except csv.Error as error:
        said = str(error)
        if said == "unexpected end of data":
            said = "a quotation mark opens here and none closes it"
        raise BadInput(f"{path}:{start}: not CSV: {said}") from None
    finally:
        csv.field_size_limit(limit)


def _titled(
    path: str | Path,
    rows: Iterable[tuple[int, list[str]]],
    columns: Columns,
    trouble: Trouble,
    other: tuple[str, ...],
) -> LabelRows:
    """Return the labels of rows of which the first is the header; blank rows are passed over."""
    header: list[str] = []
    table: dict[str, list[str]] = {}
    numbers: list[int] = []
    for number, fields in rows:
        if not any(field.strip() for field in fields):
            continue
        if not header:
            header = _header(path, number, fields, other)
            table = {name: [] for name in header}
            continue
        if len(fields) != len(header):
            trouble(
                f"{path}:{number}: expected {len(header)} fields as in the header, "
                f"got {len(fields)}"
            )
            continue
        numbers.append(number)
        for name, value in zip(header, fields, strict=True):
            table[name].append(value)
    if not header:
        raise BadInput(f"{path}: the file has no header")
    if not columns.labels and found_column(table, LABEL_NAMES, str(path)) is None:
        raise BadInput(
            f"{path}: there is no column {LABEL_NAMES[0]!r}; there are {listed(header)} (the first "
            "line is taken as the header: write one, or name the label column)"
        )
    return column_rows(table, columns, lambda i: f"{path}:{numbers[i]}", source=str(path))


def _header(path: str | Path, number: int, fields: list[str], other: tuple[str, ...]) -> list[str]:
    """Return the names of the columns; nameless ones, as spreadsheets leave them, are numbered."""
    if len(fields) == 1:
        for sign in other:
            if sign in fields[0]:
                raise BadInput(
                    f"{path}:{number}: the columns are separated by {sign!r}; save the file with "
                    "commas as .csv, or with tabs and the label format tsv"
                )
    header = [field.strip() or f"column {k}" for k, field in enumerate(fields, start=1)]
    if len(set(header)) < len(header):
        twice = first_repeated(header)
        raise BadInput(f"{path}:{number}: two columns are called {twice!r}")
    return header


def titles(path: str | Path, lines: list[str], sign: str) -> list[str]:
    """Return the names of the columns of a table in text."""
    found = next(
        ((number, line) for number, line in enumerate(lines, start=1) if line.strip()), (1, "")
    )
    fields = found[1].split(sign) if sign == "\t" else next(csv.reader([found[1]], delimiter=sign))
    return _header(path, found[0], fields, tuple({",", ";", "\t"} - {sign}))


def json_lines(path: str | Path, lines: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """A JSON object per line; a key that a line lacks is a blank, but not the labels."""
    records: list[dict[str, Any]] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if line.strip() == "{" or (not numbers and line.lstrip().startswith("[")):
            raise BadInput(
                f"{path}:{number}: every line must hold one whole JSON object, such as "
                '{"id": "1", "labels": ["a"]}, with nothing around or between them'
            )
        try:
            record = parse_json(f"{path}:{number}", line)
        except BadInput as error:
            trouble(str(error))
            continue
        if not isinstance(record, dict):
            trouble(f"{path}:{number}: expected a JSON object, got {shown(record, 40)}")
            continue
        records.append(record)
        numbers.append(number)
    if not records:
        trouble(f"{path}: no line holds a JSON object")
    names = dict.fromkeys(name for record in records for name in record)
    usual = columns.labels or [name for name in names if name.strip().lower() in LABEL_NAMES]
    needed = set(usual) & set(names) if len(usual) == 1 and not columns.where else ()
    for number, record in zip(numbers, records, strict=True):
        for name in needed:
            if name not in record:
                near = did_you_mean(name, record)
                trouble(f"{path}:{number}: no {name!r} in this object{near} ([] for no labels)")
    table = _Records(records, names)
    return column_rows(table, columns, lambda i: f"{path}:{numbers[i]}", source=str(path))


class _Records(Mapping[str, list[Any]]):
    """The columns of JSON objects, each made when it is asked for: objects may share no key."""

    def __init__(self, records: list[dict[str, Any]], names: Mapping[str, None]) -> None:
        self.records, self.names = records, names

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self.names:
            raise KeyError(name)
        return [record.get(name) for record in self.records]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def parquet(path: str | Path, columns: Columns, column_names: object = None) -> LabelRows:
    """A Parquet file."""
    table = _parquet_table(path)
    return column_rows(table, columns, lambda i: f"{path}: row {i + 1}", source=str(path))


def parquet_titles(path: str | Path) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    return list(_parquet_table(path))


def _parquet_table(path: str | Path) -> _Columns:
    try:
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise BadInput("Parquet needs pyarrow: pip install 'hierpair[parquet]'") from None
    data = read_bytes(path, binary=True)
    if not data.startswith(b"PAR1"):
        raise BadInput(f"{path}: not a Parquet file; another format must be named (--label-format)")
    with _refusing_damage(path):
        file = pq.ParquetFile(io.BytesIO(data))
        names, n_rows = file.schema_arrow.names, file.metadata.num_rows
        _check_promises(path, file.metadata, len(data))
    twice = first_repeated(names)
    if twice is not None:
        raise BadInput(f"{path}: two columns are called {twice!r}")
    return _Columns(path, data, names, n_rows)


MOST_ROWS, ROWS_PER_BYTE = 2**22, 8
"""A Parquet file with more rows than both, the second times its bytes, is refused."""


def _check_promises(path: str | Path, about: Any, size: int) -> None:
    """Refuse a file that promises more than it can hold: Arrow would make room for it at once."""
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    most = max([about.num_rows, *(group.num_rows for group in groups)])
    if most > max(MOST_ROWS, ROWS_PER_BYTE * size):
        raise BadInput(
            f"{path}: {size:,} bytes promise {most:,} rows, which are hardly all different; "
            "leave out rows that repeat, or save them as text"
        )
    unpacked = sum(group.total_byte_size for group in groups)
    if unpacked > max(BOMB_BYTES, BOMB_RATIO * size):
        raise BadInput(f"{path}: {size:,} bytes would unpack to {unpacked:,}")


@contextmanager
def _refusing_damage(path: str | Path) -> Iterator[None]:
    """Name the file in whatever Arrow raises: exceptions of all kinds, for a damaged file."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:160]
        raise BadInput(f"{path}: not a Parquet file: {reason}") from None


class _Columns(Mapping[str, Sequence[Any] | Column]):
    """The columns of a Parquet file, each read when it is asked for."""

    def __init__(self, path: str | Path, data: bytes, names: list[str], n_rows: int) -> None:
        self.path, self.data, self.names, self.n_rows = path, data, names, n_rows

    def __getitem__(self, name: str) -> Column:
        import pyarrow.parquet as pq

        if name not in self.names:
            raise KeyError(name)
        with _refusing_damage(self.path):  # ParquetFile.read would end the process for some
            read = pq.read_table(io.BytesIO(self.data), columns=[name], use_threads=False)
            found = ArrowColumn(read.column(name))
        if len(found) != self.n_rows:
            raise BadInput(f"{self.path}: not a Parquet file: {name!r} has {len(found)} rows")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
