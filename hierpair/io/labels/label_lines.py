"""Label sets as lines without named columns: LSHTC lines, tables, one label a line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hierpair.errors import counted
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.io.formats import Format, Records, Row, Source, fields_as_columns
from hierpair.io.written_names import label_names, written_ids
from hierpair.labels import Columns, LabelRows, LabelSets, column_rows
from hierpair.labels.coded import all_distinct
from hierpair.labels.tables import LONG_NOTE, looks_long

__all__ = ["LINES", "LONG", "TABLE", "has_id_header"]

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


def _read_lines(source: Source) -> LabelRows:
    """The labels of an instance on a line, separated by blanks or commas.

    Another separator may be set; the usual bar counts as not set.
    """
    path = source.path
    rows = [labels for _, (labels,) in _line_records(source, source.lines).rows]
    return LabelRows(rows, lambda i, k: f"{path}:{i + 1}", hint=LINES_HINT)


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


def _read_table(source: Source) -> LabelRows:
    path, separator = source.path, source.options["columns"].separator
    ids: list[str] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    for number, (name, labels) in _table_rows(source, source.lines):
        ids.append(name)
        numbers.append(number)
        rows.append([label.strip() for label in labels.split(separator)] if labels else [])
    if not all_distinct(ids) and looks_long(list(ids), rows):
        as_long = _read_long(source)
        return replace(as_long, notes=(*as_long.notes, f"{path}: {LONG_NOTE}"))
    bare = tuple(i for i, row in enumerate(rows) if not row)
    return LabelRows(rows, lambda i, k: f"{path}:{numbers[i]}", list(ids), bare=bare)


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


def _read_long(source: Source) -> LabelRows:
    """``id TAB label``, or ``id TAB label TAB score``: one label a line, an id comes again."""
    path, records = source.path, _long_records(source, source.lines)
    rows = list(records.rows)
    table = records.columns_of(rows)
    columns = replace(
        source.options["columns"],
        **records.meaning,
        score="score" if "score" in table else None,
    )
    return column_rows(table, columns, lambda i: f"{path}:{rows[i][0]}", source=str(path))


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


# ---------------------------------------------------------------- knowing them by their content


def _are_lines(source: Source) -> bool:
    return "\t" not in source.text or not source.text.strip()


def _are_long(source: Source) -> bool:
    lines = [line for line in source.lines if line.strip()]
    header = [field.strip().lower() for field in lines[0].split("\t")]
    titled = header[0] in IDS
    single = titled and header[1:2] == ["label"]
    return source.options["columns"].long or single or _are_scored(lines[titled:])


def _are_scored(lines: Sequence[str]) -> bool:
    """Whether the third field is a score: of all lines, or of most, whose reader names the rest."""
    if all(map(_is_scored, lines)):
        return True
    fields = [line.count("\t") + 1 for line in lines[:3]]  # valid tables are not gone through
    return set(fields) == {3} and 2 * sum(map(_is_scored, lines)) > len(lines)


def _is_scored(line: str) -> bool:
    fields = line.split("\t")
    spelled = {"nan", "+nan", "-nan"}  # a score too, though not one that will do
    return len(fields) == 3 and (
        not math.isnan(plain_number(fields[2])) or fields[2].strip().lower() in spelled
    )


# ---------------------------------------------------------------- writing


def _write_lines(sets: LabelSets, hierarchy: Hierarchy) -> str:
    return "\n".join(" ".join(row) for row in label_names(sets, hierarchy, " ,\t\n\r"))


def _write_table(sets: LabelSets, hierarchy: Hierarchy) -> str:
    names = label_names(sets, hierarchy, "|\t\n\r")
    rows = zip(written_ids(sets, "\t\n\r"), names, strict=True)
    return "\n".join(["id\tlabels", *(f"{name}\t{'|'.join(row)}" for name, row in rows)])


def _write_long(sets: LabelSets, hierarchy: Hierarchy) -> str:
    rows = zip(written_ids(sets, "\t\n\r"), label_names(sets, hierarchy, "\t\n\r"), strict=True)
    lines = [f"{name}\t{label}" for name, row in rows for label in (row or [""])]
    return "\n".join(["id\tlabel", *lines])


def _lost_ids(sets: LabelSets) -> list[str]:
    return [] if sets.ids is None else ["the instance ids are lost; lines go by position"]


def _new_ids(sets: LabelSets) -> list[str]:
    new = "the instances had no ids and got their positions from 0"
    return [new] if sets.ids is None else []


LINES = Format(
    "lines",
    "the labels of one instance on a line, separated by blanks or commas; an empty line is "
    "an empty set (LSHTC, HEMKit)",
    _read_lines,
    _write_lines,
    _are_lines,
    options=("separator",),
    notes=_lost_ids,
    records=_line_records,
)
TABLE = Format(
    "table",
    "id TAB label|label; a first line that starts with id is a header",
    _read_table,
    _write_table,
    lambda source: True,
    options=("separator",),
    notes=_new_ids,
    records=_table_records,
)
LONG = Format(
    "long",
    "id TAB label [TAB score]; one label a line, an id comes again, id TAB nothing is an empty set",
    _read_long,
    _write_long,
    _are_long,
    options=("separator", "long", "min_score"),
    notes=_new_ids,
    records=_long_records,
)
