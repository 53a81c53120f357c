"""Hierarchies as tables with a header: comma, semicolon or tab."""

from __future__ import annotations

import csv

from hierpair.errors import BadInput, listed, unknown, visible
from hierpair.hierarchy.columns import names_edges
from hierpair.hierarchy.edge_list import EdgeList, read_table
from hierpair.io.delimited import SIGNS, quoted_fields, quoted_rows, table_rows
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.lineages import lineages
from hierpair.io.hierarchies.lines import is_own_header

__all__ = ["EDGE_TABLE"]

LONGEST_HEADER = 10_000
"""Characters; a longer first line is no header of a table of edges."""


def _read(source: Source) -> EdgeList:
    """A table of classes and their parents, or of levels; a blank parent is a root."""
    path, options = source.path, source.options
    named = options.get("child_column"), options.get("parent_column")
    sign = _header_sign(source.head, *named) or max(SIGNS, key=source.head.count)
    (first, titles), *rows = table_rows(source, quoted_rows(path, source.lines, sign))
    header = [name.strip() for name in titles]
    if "levels" in options:
        for name in options["levels"]:
            if name not in header:
                raise unknown("column", name, header, str(path))
        at = [header.index(name) for name in options["levels"]]
        levels = ((number, [fields[k] for k in at]) for number, fields in rows)
        return lineages(source, levels, options.get("separator", "/"), "levels")

    def values(name: str) -> list[str]:
        return [fields[header.index(name)].strip() for _, fields in rows]

    found = read_table(
        header, values, lambda i: f"{path}:{rows[i][0]}", source.trouble, named=named,
        about=f"{path}:{first}: ", name_them="; name them (--parent-column, --child-column)",
    )  # fmt: skip
    if found is None:
        raise BadInput(
            f"{path}:{first}: which column is the class and which its parent? There are "
            f"{listed(header)}; write a header such as parent,child, or name them "
            "(--parent-column, --child-column), or the columns of levels from the top "
            f"(--hierarchy-levels {visible(','.join(header[:3]))})"
        )
    return found


def _is_edge_table(source: Source) -> bool:
    sign = _header_sign(source.head)
    known = sign is not None and not (sign == "\t" and is_own_header(source))
    return known or (source.ending == ".csv" and "\t" not in source.text)


def _header_sign(line: str, child: str | None = None, parent: str | None = None) -> str | None:
    """Return what separates the fields of a header that names parent and child, or None."""
    given = {child, parent} - {None}
    for sign in SIGNS if len(line) <= LONGEST_HEADER else ():
        try:
            header = [field.strip() for field in quoted_fields(line, sign)]
        except csv.Error:  # a carriage return or the like: no line of a table
            return None
        differ = len(set(header)) == len(header)  # parent, child, child is that of a taxonomy
        if differ and (given <= set(header) if given else names_edges(header)):
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
