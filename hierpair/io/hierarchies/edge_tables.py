"""Hierarchies as tables with a header: comma, semicolon or tab."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from hierpair.errors import BadInput, listed
from hierpair.hierarchy.sources import table_columns, table_edges
from hierpair.io.hierarchies.edge_list import EdgeList, Trouble

__all__ = ["edge_table", "header_sign"]

SIGNS = (",", ";", "\t")

LONGEST_HEADER = 10_000
"""Characters; a longer first line is no header of a table of edges."""


def edge_table(
    path: str | Path,
    lines: list[str],
    trouble: Trouble,
    parent_column: str | None = None,
    child_column: str | None = None,
) -> EdgeList:
    """A table of edges with a header that names parent and child; a blank parent is a root."""
    filled = next((i for i, line in enumerate(lines) if line.strip()), None)
    if filled is None:
        raise BadInput(f"{path}: the file has no header")
    named = (child_column, parent_column)
    sign = header_sign(lines[filled], *named) or max(SIGNS, key=lines[filled].count)
    rows = _rows(path, lines, sign, trouble)
    if not rows:
        raise BadInput(f"{path}: the file has no header")
    header = [name.strip() for name in rows[0][1]]
    try:
        roles = table_columns(header, *named)
    except BadInput as error:
        raise BadInput(f"{path}:{rows[0][0]}: {error}") from None
    if roles is None:
        raise BadInput(
            f"{path}:{rows[0][0]}: which column is the class and which its parent? There are "
            f"{listed(header)}; write a header such as parent,child, or name them "
            "(--parent-column, --child-column)"
        )
    at = {role: header.index(name) for role, name in roles.items()}
    columns = {role: [fields[k].strip() for _, fields in rows[1:]] for role, k in at.items()}
    numbers = [number for number, _ in rows[1:]]
    found = table_edges(columns, lambda i: f"{path}:{numbers[i]}", trouble)
    return EdgeList(
        found.edges, lambda i: f"{path}:{numbers[found.rows[i]]}", found.classes,
        titles=found.titles,
    )  # fmt: skip


def header_sign(line: str, child: str | None = None, parent: str | None = None) -> str | None:
    """Return what separates the fields of a header that names parent and child, or None."""
    if len(line) > LONGEST_HEADER:
        return None
    for sign in SIGNS:
        try:
            header = _fields(line, sign)
        except csv.Error:  # a carriage return or the like: no line of a table
            return None
        if len(set(header)) < len(header):
            continue  # parent, child, child is the header of a taxonomy
        try:
            if table_columns(header, child, parent) is not None:
                return sign
        except BadInput:
            continue
    return None


def _fields(line: str, sign: str) -> list[str]:
    return [field.strip() for field in next(csv.reader([line], delimiter=sign), [])]


def _rows(
    path: str | Path, lines: Sequence[str], sign: str, trouble: Trouble
) -> list[tuple[int, list[str]]]:
    """Return the rows that are as long as the header, each with the line that it starts on."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=sign, strict=True)
    rows: list[tuple[int, list[str]]] = []
    start = 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                if rows and len(fields) != len(rows[0][1]):
                    trouble(
                        f"{path}:{start}: expected {len(rows[0][1])} fields as in the header, "
                        f"got {len(fields)}"
                    )
                else:
                    rows.append((start, fields))
            start = reader.line_num + 1
    except csv.Error as error:
        raise BadInput(f"{path}:{start}: not CSV: {error}") from None
    return rows
