"""Label sets in text with named columns: CSV, TSV, JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import fields as fields_of
from dataclasses import replace
from itertools import chain
from typing import Any

from hierpair.errors import BadInput, did_you_mean, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.io.delimited import quoted_rows, table_rows
from hierpair.io.formats import LazyColumns, Records, Row, Source
from hierpair.io.json_values import json_objects, parse_json, text_name
from hierpair.io.labels.label_lines import (
    has_id_header,
    joined_rows,
    new_ids,
    scored_rows,
    text_form,
    write_table,
)
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import Columns, LabelRows, LabelSets
from hierpair.labels.columns import LABEL_NAMES, NO_SEPARATOR
from hierpair.tables.separated import csv_table

__all__ = ["CSV", "JSON_LINES", "TABLE_OPTIONS", "TSV"]

TABLE_OPTIONS = tuple(field.name for field in fields_of(Columns))
"""All that can be said about a table with named columns."""

BIOASQ = re.compile(r'\s*\{\s*"documents"\s*:')
"""How the results of BioASQ begin: one object, with a list of documents."""


def _csv_records(source: Source, lines: Iterable[str]) -> Records:
    """Values with a header, separated by commas, quoted where they hold separators or line ends."""
    return _titled(source, quoted_rows(source.path, lines, ","), ",")


def _tsv_records(source: Source, lines: Iterable[str]) -> Records:
    """Values separated by tabs; quotes mean nothing special."""
    return _titled(source, ((k, line.split("\t")) for k, line in enumerate(lines, start=1)), "\t")


def _titled(source: Source, rows: Iterable[tuple[int, list[str]]], sign: str) -> Records:
    """Return rows of which the first is the header; nameless columns are numbered."""
    filled = table_rows(source, rows)
    number, fields = next(filled)
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
    cells = ((number, *fields) for number, fields in filled)
    return Records(tuple(header), cells)


# ---------------------------------------------------------------- JSON lines


def _json_records(source: Source, lines: Iterable[str]) -> Records:
    """An object per line, or the documents of BioASQ; a key that one lacks is a blank."""
    columns: Columns = source.options["columns"]
    rows, place, told = json_objects(source, lines), ":", dict[str, Any]()
    if BIOASQ.match(source.text):
        rows, place = _documents(source, "\n".join(lines)), ": document "
    first = next(rows, None)
    if first is None:
        raise BadInput(f"{source.path}: no line holds a JSON object")
    if place != ":" and "pmid" in first[1] and columns.ids is None:
        told = {"ids": "pmid"}
    names = dict.fromkeys(first[1])

    def keys(table: dict[str, Any]) -> LazyColumns:
        """Return the columns by name: objects may share no key."""
        records = table["record"]
        names.update(dict.fromkeys(chain.from_iterable(records)))
        return LazyColumns(names, lambda name: [record.get(name) for record in records], records)

    def check(numbers: list[int], table: LazyColumns, name: str) -> None:
        """Refuse an object without the key of the labels: only [] says that there are none."""
        remedy = '"" for no text' if columns.separator == NO_SEPARATOR else "[] for no labels"
        for number, record in zip(numbers, table.of, strict=True):
            if name in names and name not in record:
                said = f"no {name!r} in this object{did_you_mean(name, record)} ({remedy})"
                source.trouble(f"{source.path}{place}{number}: {said}")

    begun = chain([first], rows)
    return Records(tuple(names), begun, told, keys, place, check=check, fields=("record",))


def _documents(source: Source, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    found = parse_json(source.path, text)["documents"]
    for k, record in enumerate(found if isinstance(found, list) else [found], start=1):
        if isinstance(record, dict):
            yield k, record
        else:
            what = shown(record, 40)
            source.trouble(f"{source.path}: document {k}: expected an object, got {what}")


def _read_json_lines(source: Source) -> LabelRows:
    """Objects with labels or, where scores are asked for, ``"scores": {label: score}``."""
    options, ids = source.options, list[Hashable]()
    scored = options["scored"] and options["columns"].score is None
    if not scored or '"scores"' not in source.lines[0]:
        return JSON_OBJECTS.read(source)

    def rows() -> Iterator[Row]:
        for number, record in json_objects(source):
            place, given = source.place(number), record.get("scores")
            name = text_name(record.get("id", len(ids)))
            if name is None:
                raise BadInput(f"{place}: id must be a text or a whole number")
            if not isinstance(given, dict):
                raise BadInput(f"{place}: no 'scores' (an object, such as {{\"a\": 0.9}})")
            ids.append(name)
            yield from ((number, *pair) for pair in given.items() or [("", "")])

    return scored_rows(source, rows(), ids)


# ---------------------------------------------------------------- knowing them by their content


def _is_tsv(source: Source) -> bool:
    """Whether lines with tabs have a header of columns, or are said to have one."""
    if "\t" not in source.text or not source.text.strip():
        head = source.text.split("\n", 1)[0].strip().lower()
        return head in LABEL_NAMES and str(source.path).removesuffix(".gz").endswith(".tsv")
    columns = source.options["columns"]
    if columns.ids is not None or columns.labels or columns.where:
        return True
    line = next(line for line in source.lines if line.strip())
    header = [field.strip().lower() for field in line.split("\t")]
    return len(header) > 2 and has_id_header(line) and header[1:2] != ["label"]


def _is_json_lines(source: Source) -> bool:
    start = source.text.lstrip()
    return start.startswith(("{", "[{", "[[", '["')) or start.split(maxsplit=1)[:1] == ["["]


# ---------------------------------------------------------------- writing


def _write_csv(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return csv_table(["id", "labels"], joined_rows(sets, hierarchy, "\n\r"))


def _write_json_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    records: list[dict[str, Any]] = [{"labels": x} for x in label_names(sets, hierarchy, "")]
    if sets.ids is not None:
        records = [{"id": i, **r} for i, r in zip(written_ids(sets), records, strict=True)]
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)


CSV = text_form(
    "csv",
    "comma-separated values with a header",
    _csv_records,
    _write_csv,
    titled=True,
    endings=(".csv",),
    options=TABLE_OPTIONS,
    notes=new_ids,
)
TSV = text_form(
    "tsv",
    "tab-separated values with a header",
    _tsv_records,
    write_table,
    titled=True,
    detect=_is_tsv,
    options=TABLE_OPTIONS,
    notes=new_ids,
)
JSON_OBJECTS = text_form(
    "jsonl",
    "a JSON object per line, labels as a list or a text",
    _json_records,
    _write_json_lines,
    titled=True,
    detect=_is_json_lines,
    endings=(".jsonl", ".ndjson"),
    options=TABLE_OPTIONS,
)
JSON_LINES = replace(JSON_OBJECTS, read=_read_json_lines)
