"""Hierarchies as tables with a header: comma, semicolon or tab."""

from __future__ import annotations

import csv

from hierpair.errors import BadInput, listed, unknown, visible
from hierpair.hierarchy.columns import (
    names_classes,
    names_edges,
    say_direction,
    table_edges,
    table_roles,
)
from hierpair.io.delimited import SIGNS, quoted_fields, quoted_rows, table_rows
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_list import EdgeList
from hierpair.io.hierarchies.lineages import lineages
from hierpair.io.hierarchies.lines import is_own_header

__all__ = ["EDGE_TABLE"]

LONGEST_HEADER = 10_000
"""Characters; a longer first line is no header of a table of edges."""


def _read(source: Source) -> EdgeList:
    """A table of classes and their parents, or of levels; a blank parent is a root."""
    path, options = source.path, source.options
    child, parent = options.get("child_column"), options.get("parent_column")
    sign = _header_sign(source.head, child, parent) or max(SIGNS, key=source.head.count)
    (first, fields), *rows = table_rows(source, quoted_rows(path, source.lines, sign))
    header = [name.strip() for name in fields]
    if "levels" in options:
        for name in options["levels"]:
            if name not in header:
                raise unknown("column", name, header, str(path))
        at = [header.index(name) for name in options["levels"]]
        levels = ((number, [fields[k] for k in at]) for number, fields in rows)
        return lineages(source, levels, options.get("separator", "/"), "levels")

    def values(name: str) -> list[str]:
        return [fields[header.index(name)].strip() for _, fields in rows]

    try:
        roles = table_roles(header, values, child, parent)
    except BadInput as error:
        raise BadInput(
            f"{path}:{first}: {error}; name them (--parent-column, --child-column)"
        ) from None
    if roles is None:
        raise BadInput(
            f"{path}:{first}: which column is the class and which its parent? There are "
            f"{listed(header)}; write a header such as parent,child, or name them "
            "(--parent-column, --child-column), or the columns of levels from the top "
            f"(--hierarchy-levels {visible(','.join(header[:3]))})"
        )
    columns = {role: values(name) for role, name in roles.items()}
    numbers = [number for number, _ in rows]
    own, keyed = names_classes(roles["child"]), say_direction(roles)
    told = table_edges(columns, lambda i: f"{path}:{numbers[i]}", source.trouble, own_rows=own)
    return EdgeList(**told, keyed=keyed)


def _is_edge_table(source: Source) -> bool:
    if "levels" in source.options:
        return True
    sign = _header_sign(source.head)
    if sign is not None and not (sign == "\t" and is_own_header(source)):
        return True
    return source.ending == ".csv" and "\t" not in source.text


def _header_sign(line: str, child: str | None = None, parent: str | None = None) -> str | None:
    """Return what separates the fields of a header that names parent and child, or None."""
    if len(line) > LONGEST_HEADER:
        return None
    given = {child, parent} - {None}
    for sign in SIGNS:
        try:
            header = [field.strip() for field in quoted_fields(line, sign)]
        except csv.Error:  # a carriage return or the like: no line of a table
            return None
        if len(set(header)) < len(header):
            continue  # parent, child, child is the header of a taxonomy
        if given <= set(header) if given else names_edges(header):
            return sign
    return None


EDGE_TABLE = Format(
    "csv",
    "a table with a header, such as parent,child or id,name,parent_id, separated by commas, "
    "semicolons or tabs; a blank parent marks a root; or with --hierarchy-levels a column per "
    "level",
    _read,
    detect=_is_edge_table,
    options=("parent_column", "child_column", "levels", "separator"),
)
