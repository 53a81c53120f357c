"""Label sets as lines without named columns: LSHTC lines, tables, one label a line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hierpair.errors import counted
from hierpair.io.hierarchies.edge_list import Trouble
from hierpair.labels import Columns, LabelRows, column_rows
from hierpair.labels.coded import all_distinct
from hierpair.labels.columns import LONG_NOTE, looks_long

__all__ = ["lines", "long", "table"]

LINES_HINT = (
    " [read as lines of labels separated by blanks or commas; "
    "ids, and names with blanks, need tabs: id TAB label|label]"
)
IDS = ("id", "instance")


def lines(path: str | Path, text: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """The labels of an instance on a line, separated by blanks or commas.

    Another separator may be set; the usual bar counts as not set.
    """
    sign = columns.separator
    if sign == Columns().separator:
        rows = [line.replace(",", " ").split() for line in text]
    else:
        rows = [[x.strip() for x in line.split(sign)] if line.strip() else [] for line in text]
    return LabelRows(rows, lambda i, k: f"{path}:{i + 1}", hint=LINES_HINT)


def table(path: str | Path, text: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """``id TAB label|label``."""
    header = text[0].split("\t")[0].strip().lower() in IDS
    ids: list[str] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    for number, line in enumerate(text[header:], start=1 + header):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) == 3 and not fields[2].strip():
            fields.pop()
        if len(fields) != 2:
            mend = (
                "a tab stands even before no labels" if len(fields) < 2
                else "separate labels by bars, or give named columns a header"
            )  # fmt: skip
            trouble(
                f"{path}:{number}: expected id TAB label|label, "
                f"got {counted(len(fields), 'field')}; {mend}"
            )
            continue
        name, labels = fields[0].strip(), fields[1].strip()
        if not name:
            trouble(f"{path}:{number}: the instance id is missing")
            continue
        ids.append(name)
        numbers.append(number)
        rows.append([x.strip() for x in labels.split(columns.separator)] if labels else [])
    if not all_distinct(ids) and looks_long(list(ids), rows):
        found = long(path, text, columns, trouble)
        return replace(found, notes=(*found.notes, f"{path}: {LONG_NOTE}"))
    bare = tuple(i for i, row in enumerate(rows) if not row)
    return LabelRows(rows, lambda i, k: f"{path}:{numbers[i]}", list(ids), bare=bare)


def long(path: str | Path, text: list[str], columns: Columns, trouble: Trouble) -> LabelRows:
    """``id TAB label``, or ``id TAB label TAB score``: one label a line, an id comes again."""
    header = text[0].split("\t")[0].strip().lower() in IDS
    table: dict[str, list[str]] = {"id": [], "label": [], "score": []}
    numbers: list[int] = []
    scored: set[bool] = set()
    for number, line in enumerate(text[header:], start=1 + header):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) > 3:
            trouble(
                f"{path}:{number}: expected id TAB label [TAB score], "
                f"got {counted(len(fields), 'field')}"
            )
            continue
        if not fields[0]:
            trouble(f"{path}:{number}: the instance id is missing")
            continue
        numbers.append(number)
        if len(fields) > 1 and fields[1]:  # an instance without labels needs no score
            scored.add(len(fields) == 3)
        for name, value in zip(table, [*fields, "", ""], strict=False):
            table[name].append(value)
    if len(scored) == 2:
        trouble(f"{path}: some lines have a score and some have none")
        scored = {False}
    if scored != {True}:
        del table["score"]
    known = replace(
        columns, ids="id", labels=("label",), long=True, score="score" if scored == {True} else None
    )
    return column_rows(table, known, lambda i: f"{path}:{numbers[i]}", source=str(path))
