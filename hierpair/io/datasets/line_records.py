"""Label files as rows that come one by one, for the parts of a data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from hierpair.errors import BadInput, counted, did_you_mean, first_repeated
from hierpair.io.delimited import quoted_rows, table_rows
from hierpair.io.formats import Records, Row, Source, fields_as_columns
from hierpair.io.json_values import json_objects
from hierpair.labels import Columns
from hierpair.labels.columns import NO_SEPARATOR

__all__ = ["RECORDS"]

LINES_HINT = (
    " [read as lines of labels separated by blanks or commas; "
    "ids, and names with blanks, need tabs: id TAB label|label]"
)
IDS = ("id", "instance")


def has_id_header(line: str) -> bool:
    """Whether a first line is a header that begins with the ids."""
    return line.split("\t", maxsplit=1)[0].strip().lower() in IDS


def tabbed_lines(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines without header and blank ones, from 1, split by tabs."""
    for number, line in enumerate(lines, start=1):
        if line.strip() and not (number == 1 and has_id_header(line)):
            yield number, line.split("\t")


def _line_records(source: Source, lines: Iterable[str]) -> Records:
    sign = source.options["columns"].separator

    def labels(line: str) -> list[str]:
        if sign == Columns().separator:
            return line.replace(",", " ").split()
        return [label.strip() for label in line.split(sign)] if line.strip() else []

    rows = ((number, (labels(line),)) for number, line in enumerate(lines, start=1))
    return Records(
        ("labels",), rows, fields_as_columns(["labels"]), {"labels": ("labels",)}, LINES_HINT
    )


def _table_records(source: Source, lines: Iterable[str]) -> Records:
    names, told = ("id", "labels"), {"ids": "id", "labels": ("labels",)}
    return Records(names, _table_rows(source, lines), fields_as_columns(names), told)


def _table_rows(source: Source, lines: Iterable[str]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the id and the text of the labels of every line."""
    path = source.path
    for number, fields in tabbed_lines(lines):
        if len(fields) == 3 and not fields[2].strip():
            fields.pop()
        if len(fields) != 2:
            remedy = (
                "a tab stands even before no labels"
                if len(fields) < 2
                else "separate labels by bars, or give named columns a header"
            )
            source.trouble(
                f"{path}:{number}: expected id TAB label|label, "
                f"got {counted(len(fields), 'field')}; {remedy}"
            )
            continue
        name, labels = fields[0].strip(), fields[1].strip()
        if not name:
            source.trouble(f"{path}:{number}: the instance id is missing")
            continue
        yield number, (name, labels)


def _long_records(source: Source, lines: Iterable[str]) -> Records:
    names = ["id", "label", "score"]
    scored: set[bool] = set()

    def columns_of(rows: list[Row]) -> Mapping[str, list[str]]:
        # an instance without labels needs no score
        scored.update(len(fields) == 3 for _, fields in rows if len(fields) > 1 and fields[1])
        if len(scored) == 2:
            source.trouble(f"{source.path}: some lines have a score and some have none")
        known = names if scored == {True} else names[:2]
        return {
            name: [fields[k] if k < len(fields) else "" for _, fields in rows]
            for k, name in enumerate(known)
        }

    told = {"ids": "id", "labels": ("label",), "long": True}
    return Records(("id", "label"), _long_rows(source, lines), columns_of, told)


def _long_rows(source: Source, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the one to three fields of every line."""
    path = source.path
    for number, raw in tabbed_lines(lines):
        fields = [field.strip() for field in raw]
        if len(fields) > 3:
            source.trouble(
                f"{path}:{number}: expected id TAB label [TAB score], "
                f"got {counted(len(fields), 'field')}"
            )
            continue
        if not fields[0]:
            source.trouble(f"{path}:{number}: the instance id is missing")
            continue
        yield number, fields


def _csv_records(source: Source, lines: Iterable[str]) -> Records:
    return _records_of(source, quoted_rows(source.path, lines, ","), ",")


def _tsv_records(source: Source, lines: Iterable[str]) -> Records:
    rows = ((number, line.split("\t")) for number, line in enumerate(lines, start=1))
    return _records_of(source, rows, "\t")


def _records_of(source: Source, rows: Iterable[tuple[int, list[str]]], sign: str) -> Records:
    """Return rows of which the first is the header."""
    filled = table_rows(source, rows)
    header = _header(source, *next(filled), sign)
    return Records(tuple(header), filled, fields_as_columns(header))


def _header(source: Source, number: int, fields: list[str], sign: str) -> list[str]:
    """Return the names of the columns; nameless ones, as spreadsheets leave them, are numbered."""
    signs = (s for s in (";", "\t", ",") if s != sign and s in "".join(fields))
    foreign = next(signs, None) if len(fields) == 1 else None
    if foreign is not None:
        raise BadInput(
            f"{source.path}:{number}: the columns are separated by {foreign!r}; save the file "
            "with commas as .csv, or with tabs and the label format tsv"
        )
    header = [field.strip() or f"column {k}" for k, field in enumerate(fields, start=1)]
    twice = first_repeated(header)
    if twice is not None:
        raise BadInput(f"{source.path}:{number}: two columns are called {twice!r}")
    return header


def _json_records(source: Source, lines: Iterable[str]) -> Records:
    """Objects one by one; a key counts as a column from the first object on that has it."""
    rows = json_objects(source, lines)
    first = next(rows, None)
    if first is None:
        source.trouble(f"{source.path}: no line holds a JSON object")
    names = dict.fromkeys(first[1] if first else ())

    def columns_of(some: list[Row]) -> Mapping[str, list[Any]]:
        for _, record in some:
            names.update(dict.fromkeys(record))
        return _Objects([record for _, record in some], dict(names))

    def check(some: list[Row], name: str) -> None:
        if name in names:
            _check_key(source, some, name)

    begun = () if first is None else (first,)
    return Records(tuple(names), chain(begun, rows), columns_of, check=check)


def _check_key(source: Source, rows: list[Row], name: str) -> None:
    """Refuse an object without the key of the labels: only ``[]`` says that there are none."""
    are_texts = source.options["columns"].separator == NO_SEPARATOR
    remedy = '"" for no text' if are_texts else "[] for no labels"
    for number, record in rows:
        if name not in record:
            near = did_you_mean(name, record)
            source.trouble(f"{source.path}:{number}: no {name!r} in this object{near} ({remedy})")


class _Objects(Mapping[str, list[Any]]):
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


RECORDS = {
    "lines": _line_records,
    "table": _table_records,
    "long": _long_records,
    "csv": _csv_records,
    "tsv": _tsv_records,
    "jsonl": _json_records,
}
"""What makes rows of a source and its lines, by the form."""
