"""Hierarchies as tables with a header: comma, semicolon or tab."""

from __future__ import annotations

import csv

from hierpair.errors import BadInput, listed
from hierpair.hierarchy.sources import table_columns, table_edges
from hierpair.io.delimited import SIGNS, quoted_fields, quoted_rows, table_rows
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_list import EdgeList
from hierpair.io.hierarchies.line_hierarchies import is_known_header

__all__ = ["EDGE_TABLE"]

LONGEST_HEADER = 10_000
"""Characters; a longer first line is no header of a table of edges."""


def _read(source: Source) -> EdgeList:
    """A table of edges with a header that names parent and child; a blank parent is a root."""
    path = source.path
    named = (source.options.get("child_column"), source.options.get("parent_column"))
    line = next((line for line in source.lines if line.strip()), "")
    sign = _header_sign(line, *named) or max(SIGNS, key=line.count)
    (first, fields), *rows = table_rows(source, quoted_rows(path, source.lines, sign))
    header = [name.strip() for name in fields]
    try:
        roles = table_columns(header, *named)
    except BadInput as error:
        raise BadInput(f"{path}:{first}: {error}") from None
    if roles is None:
        raise BadInput(
            f"{path}:{first}: which column is the class and which its parent? There are "
            f"{listed(header)}; write a header such as parent,child, or name them "
            "(--parent-column, --child-column)"
        )
    at = {role: header.index(name) for role, name in roles.items()}
    columns = {role: [fields[k].strip() for _, fields in rows] for role, k in at.items()}
    numbers = [number for number, _ in rows]
    return EdgeList(**table_edges(columns, lambda i: f"{path}:{numbers[i]}", source.trouble))


def _is_edge_table(source: Source) -> bool:
    sign = _header_sign(source.text.lstrip().split("\n", 1)[0].rstrip("\r"))
    if sign is not None and not (sign == "\t" and is_known_header(source.rows[0][1])):
        return True
    return source.ending == ".csv" and "\t" not in source.text


def _header_sign(line: str, child: str | None = None, parent: str | None = None) -> str | None:
    """Return what separates the fields of a header that names parent and child, or None."""
    if len(line) > LONGEST_HEADER:
        return None
    for sign in SIGNS:
        try:
            header = [field.strip() for field in quoted_fields(line, sign)]
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


EDGE_TABLE = Format(
    "csv",
    "a table with a header, such as parent,child or id,name,parent_id, separated by commas, "
    "semicolons or tabs; a blank parent marks a root",
    _read,
    detect=_is_edge_table,
    options=("parent_column", "child_column"),
)
