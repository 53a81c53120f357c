"""Label sets in files with named columns: CSV, TSV, JSON lines, Parquet."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.labels import Columns, LabelRows, column_rows
from hierpair.readers.jsonfiles import parse_json
from hierpair.readers.parsed import Trouble
from hierpair.readers.text import read_bytes

__all__ = ["csv_table", "json_lines", "parquet", "tsv_table"]


def csv_table(path: str | Path, lines: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """Values with a header, separated by commas, quoted where they hold separators or line ends."""
    reader = csv.reader(iter(f"{line}\n" for line in lines), strict=True)
    header: list[str] = []
    table: dict[str, list[str]] = {}
    numbers: list[int] = []
    start = 1
    try:
        for fields in reader:
            number, start = start, reader.line_num + 1
            if not any(field.strip() for field in fields):
                continue
            if not header:
                header = [field.strip() for field in fields]
                table = {name: [] for name in header}
                if len(table) < len(header):
                    twice = next(c for i, c in enumerate(header) if c in header[:i])
                    raise BadInput(f"{path}:{number}: two columns are called {twice!r}")
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
    except csv.Error as error:
        raise BadInput(f"{path}:{start}: not CSV: {error}") from None
    if not header:
        raise BadInput(f"{path}: the file has no header")
    return column_rows(table, columns, lambda i: f"{path}:{numbers[i]}", source=str(path))


def tsv_table(path: str | Path, lines: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """Values separated by tabs; quotes mean nothing special."""
    header = [field.strip() for field in lines[0].split("\t")]
    if len(set(header)) < len(header):
        twice = next(c for i, c in enumerate(header) if c in header[:i])
        raise BadInput(f"{path}:1: two columns are called {twice!r}")
    table: dict[str, list[str]] = {name: [] for name in header}
    numbers = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != len(header):
            trouble(
                f"{path}:{number}: expected {len(header)} fields as in the header, "
                f"got {len(fields)}"
            )
            continue
        numbers.append(number)
        for name, value in zip(header, fields, strict=True):
            table[name].append(value)
    return column_rows(table, columns, lambda i: f"{path}:{numbers[i]}", source=str(path))


def json_lines(path: str | Path, lines: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """A JSON object per line; a key that a line lacks is a blank."""
    records: list[dict[str, Any]] = []
    numbers = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
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
    names = dict.fromkeys(name for record in records for name in record)
    table = {name: [record.get(name) for record in records] for name in names}
    return column_rows(table, columns, lambda i: f"{path}:{numbers[i]}", source=str(path))


def parquet(path: str | Path, columns: Columns, column_names: object = None) -> LabelRows:
    """A Parquet file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise BadInput("Parquet needs pyarrow: pip install 'hierpair[parquet]'") from None
    data = read_bytes(path)
    try:
        found = pq.read_table(io.BytesIO(data))
        table = {name: found[name].to_pylist() for name in found.column_names}
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:160]
        raise BadInput(f"{path}: not a Parquet file: {reason}") from None
    return column_rows(table, columns, lambda i: f"{path}: row {i + 1}", source=str(path))
