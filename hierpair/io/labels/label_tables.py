"""Label sets in text with named columns: CSV, TSV, JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import fields as fields_of
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput, did_you_mean, first_repeated, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.io.delimited import quoted_fields, quoted_rows, table_rows
from hierpair.io.formats import Format, Source
from hierpair.io.json_values import json_objects, parse_json, text_name
from hierpair.io.labels.label_lines import has_id_header
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import Columns, LabelRows, LabelSets, column_rows
from hierpair.labels.columns import LABEL_NAMES, NO_SEPARATOR, found_column
from hierpair.labels.tables import score_of
from hierpair.tables.separated import csv_table

__all__ = ["CSV", "JSON_LINES", "TABLE_OPTIONS", "TSV"]

TABLE_OPTIONS = tuple(field.name for field in fields_of(Columns))
"""All that can be said about a table with named columns."""

BIOASQ = re.compile(r'\s*\{\s*"documents"\s*:')
"""How the results of BioASQ begin: one object, with a list of documents."""


def _read_csv(source: Source) -> LabelRows:
    """Values with a header, separated by commas, quoted where they hold separators or line ends."""
    return _titled(source, quoted_rows(source.path, source.lines, ","), ",")


def _read_tsv(source: Source) -> LabelRows:
    """Values separated by tabs; quotes mean nothing special."""
    rows = ((number, line.split("\t")) for number, line in enumerate(source.lines, start=1))
    return _titled(source, rows, "\t")


def _titled(source: Source, rows: Iterable[tuple[int, list[str]]], sign: str) -> LabelRows:
    """Return the labels of rows of which the first is the header."""
    path, columns = source.path, source.options["columns"]
    filled = table_rows(source, rows)
    header = _header(source, *next(filled), sign)
    if not columns.labels and found_column(dict.fromkeys(header), LABEL_NAMES, str(path)) is None:
        raise BadInput(
            f"{path}: there is no column {LABEL_NAMES[0]!r}; there are {listed(header)} (the first "
            "line is taken as the header: write one, or name the label column)"
        )
    numbers: list[int] = []
    cells: list[list[str]] = [[] for _ in header]
    for number, fields in filled:
        numbers.append(number)
        for column, value in zip(cells, fields, strict=True):
            column.append(value)
    table = dict(zip(header, cells, strict=True))
    return column_rows(table, columns, lambda i: f"{path}:{numbers[i]}", source=str(path))


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


def _first_line(source: Source) -> tuple[int, str]:
    lines = enumerate(source.lines, start=1)
    return next(((number, line) for number, line in lines if line.strip()), (1, ""))


def _csv_titles(source: Source) -> list[str]:
    number, line = _first_line(source)
    return _header(source, number, quoted_fields(line, ","), ",")


def _tsv_titles(source: Source) -> list[str]:
    number, line = _first_line(source)
    return _header(source, number, line.split("\t"), "\t")


def _json_titles(source: Source) -> list[str]:
    record = parse_json(source.path, _first_line(source)[1])
    return list(record) if isinstance(record, dict) else []


# ---------------------------------------------------------------- JSON lines


def _records(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the object of every record: a line, or a document of BioASQ."""
    path = source.path
    if not BIOASQ.match(source.text):
        for number, record in json_objects(source):
            yield f"{path}:{number}", record
        return
    found = parse_json(path, source.text)["documents"]
    for k, record in enumerate(found if isinstance(found, list) else [found], start=1):
        if isinstance(record, dict):
            yield f"{path}: document {k}", record
        else:
            source.trouble(f"{path}: document {k}: expected an object, got {shown(record, 40)}")


def _read_json_lines(source: Source) -> LabelRows:
    """A JSON object per line; a key that a line lacks is a blank, but not the labels."""
    path, columns = source.path, source.options["columns"]
    if source.options["scored"] and columns.score is None and '"scores"' in source.lines[0]:
        return _read_scores(source)
    rows = list(_records(source))
    if not rows:
        source.trouble(f"{path}: no line holds a JSON object")
    names = dict.fromkeys(name for _, record in rows for name in record)
    usual = columns.labels or [name for name in names if name.strip().lower() in LABEL_NAMES]
    if len(usual) == 1 and usual[0] in names and not columns.where:
        _check_key(source, rows, usual[0])
    if "pmid" in names and columns.ids is None and BIOASQ.match(source.text):
        columns = replace(columns, ids="pmid")
    table = _Objects([record for _, record in rows], names)
    return column_rows(table, columns, lambda i: rows[i][0], source=str(path))


def _check_key(source: Source, rows: list[tuple[str, dict[str, Any]]], name: str) -> None:
    """Refuse an object without the key of the labels: only ``[]`` says that there are none."""
    are_texts = source.options["columns"].separator == NO_SEPARATOR
    remedy = '"" for no text' if are_texts else "[] for no labels"
    for place, record in rows:
        if name not in record:
            near = did_you_mean(name, record)
            source.trouble(f"{place}: no {name!r} in this object{near} ({remedy})")


def _read_scores(source: Source) -> LabelRows:
    """Objects ``{"id": …, "scores": {label: score}}``."""
    least = source.options["columns"].min_score
    names: list[Hashable] = []
    labels: list[list[str]] = []
    values: list[float] = []
    places: list[str] = []
    for place, record in _records(source):
        name = text_name(record.get("id", len(names)))
        if name is None:
            raise BadInput(f"{place}: id must be a text or a whole number")
        given = record.get("scores")
        if not isinstance(given, dict):
            raise BadInput(f"{place}: no 'scores' (an object, such as {{\"a\": 0.9}})")
        kept = {label: score_of(score, place, label) for label, score in given.items()}
        kept = {label: s for label, s in kept.items() if least is None or s >= least}
        names.append(name)
        places.append(place)
        labels.append(list(kept))
        values += kept.values()
    return LabelRows(labels, lambda i, k: places[i], names, scores=np.array(values))


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


# ---------------------------------------------------------------- knowing them by their content


def _is_tsv(source: Source) -> bool:
    """Whether lines with tabs have a header of columns, or are said to have one."""
    if "\t" not in source.text or not source.text.strip():
        head = source.text.split("\n", 1)[0].strip().lower()
        return head in LABEL_NAMES and str(source.path).removesuffix(".gz").endswith(".tsv")
    columns = source.options["columns"]
    if columns.ids is not None or columns.labels or columns.where:
        return True
    line = _first_line(source)[1]
    header = [field.strip().lower() for field in line.split("\t")]
    return len(header) > 2 and has_id_header(line) and header[1:2] != ["label"]


def _is_json_lines(source: Source) -> bool:
    start = source.text.lstrip()
    return start.startswith(("{", "[{", "[[", '["')) or start.split(maxsplit=1)[:1] == ["["]


# ---------------------------------------------------------------- writing


def _write_csv(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return csv_table(*_joined(sets, hierarchy, "|\n\r"))


def _write_tsv(sets: LabelSets, hierarchy: Hierarchy) -> str:
    header, rows = _joined(sets, hierarchy, "|\t\n\r")
    return "\n".join("\t".join(row) for row in [header, *rows])


def _joined(
    sets: LabelSets, hierarchy: Hierarchy, forbidden: str
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows; without ids there is no column of ids."""
    joined = ["|".join(row) for row in label_names(sets, hierarchy, forbidden)]
    if sets.ids is None:
        blank = next((i for i, labels in enumerate(joined) if not labels), None)
        if blank is not None:
            raise BadInput(
                f"instance {blank} has no labels and no id, so its line would be empty; "
                "write lines, jsonl or table"
            )
        return ["labels"], [[labels] for labels in joined]
    names = written_ids(sets, forbidden.replace("|", ""))
    return ["id", "labels"], [list(pair) for pair in zip(names, joined, strict=True)]


def _write_json_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = label_names(sets, hierarchy, "")
    records: list[dict[str, object]] = [{"labels": row} for row in rows]
    if sets.ids is not None:
        records = [{"id": i, **r} for i, r in zip(written_ids(sets), records, strict=True)]
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)


CSV = Format(
    "csv",
    "comma-separated values with a header",
    _read_csv,
    _write_csv,
    endings=(".csv",),
    options=TABLE_OPTIONS,
    titles=_csv_titles,
)
TSV = Format(
    "tsv",
    "tab-separated values with a header",
    _read_tsv,
    _write_tsv,
    _is_tsv,
    options=TABLE_OPTIONS,
    titles=_tsv_titles,
)
JSON_LINES = Format(
    "jsonl",
    "a JSON object per line, labels as a list or a text",
    _read_json_lines,
    _write_json_lines,
    _is_json_lines,
    endings=(".jsonl", ".ndjson"),
    options=TABLE_OPTIONS,
    titles=_json_titles,
)
