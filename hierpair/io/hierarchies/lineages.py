"""Hierarchies as lineages, codes and tables: a class a line, with what is above it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hierpair.errors import BadInput, listed, unknown, visible
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.columns import names_edges
from hierpair.hierarchy.edge_list import EdgeList, collected, read_table
from hierpair.hierarchy.sources import code_edges, lineage_records
from hierpair.io.delimited import SIGNS, quoted_fields, quoted_rows, table_rows
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.lines import is_own_header, lineage_sign
from hierpair.io.written_names import lost_beside, named_edges, plain_names

__all__ = ["CODES", "EDGE_TABLE", "PATHS"]


def _lineages(
    source: Source, rows: Iterable[tuple[int, Sequence[str]]], sign: str, between: str
) -> EdgeList:
    """Return the edges of lists of names, which stand ``between`` slashes, or levels."""
    records = lineage_records(
        rows, sign, source.fault, direction=source.options.get("direction"),
        between=f" between two {between}",
    )  # fmt: skip
    return collected(source.place, records, direction="parent-to-child")


def _read_paths(source: Source) -> EdgeList:
    sign = _sign(source)
    called = ("a slash", "slashes") if sign == "/" else (repr(sign),) * 2

    def split() -> Iterator[tuple[int, list[str]]]:
        for number, line in source.content:
            names = line.strip().split(sign)
            if "\t" in line:
                fault = "a tab in a path; expected one class as top/middle/class"
            elif not (names[0].strip() and names[-1].strip()):
                fault = f"a path must not start or end with {called[0]}"
            else:
                yield number, names
                continue
            source.fault(number, fault)

    return _lineages(source, split(), sign, called[1])


def _sign(source: Source) -> str:
    """Return what stands between the classes of a path, with blanks where all lines have them."""
    sign: str = source.options.get("separator", "/")
    bare = sign.strip()
    holding = [line for _, line in source.content if sign in line]
    if sign == "/" or not bare or not holding:
        return sign
    wide = f" {bare} "
    return wide if all(line.count(bare) == line.count(wide) for line in holding) else sign


def _are_paths(source: Source) -> bool:
    """Whether lines are paths such as ``top/middle/class``; edges may have slashes in names."""
    if "separator" in source.options and "levels" not in source.options:
        return True
    if "\t" in source.text or "/" not in source.text:
        return False
    lines = [line.strip() for _, line in source.content]
    other = lineage_sign(lines)
    if other.strip() in (">", "->", "--", "::"):
        raise BadInput(
            f"{source.path}: are these lineages, separated by {other!r} or by '/'? Set "
            f"--hierarchy-separator '{other}' (in Python, separator {other!r}) or '/'"
        )
    if any(line[0] == "/" or line[-1] == "/" or "//" in line for line in lines):
        return False
    fields = [line.split() for line in lines]
    if any(len(row) != 2 for row in fields):
        return True
    # Two words in every line: "food food/bread" is an edge, "food/soft cheese" a path.
    if any("/" in first and "/" not in second for first, second in fields):
        raise BadInput(
            f"{source.path}: is {lines[0]!r} an edge, parent and child, or a path? Set the "
            "hierarchy format to edges or paths"
        )
    return False


def _read_codes(source: Source) -> EdgeList:
    """Codes, each perhaps with a title after a tab: the parent is what a code begins with."""
    line_of: dict[str, int] = {}
    titles: dict[str, str] = {}
    for number, line in source.content:
        code, _, title = (field.strip() for field in line.partition("\t"))
        if code in line_of:
            source.fault(number, f"the code {code!r} is in line {line_of[code]} already")
        elif title:
            titles[code] = title
        line_of.setdefault(code, number)
    try:
        found = code_edges(line_of, source.options.get("separator"))
    except BadInput as error:
        raise BadInput(f"{source.path}: {error}") from None
    return replace(
        found, titles=titles, where=lambda i: source.place(line_of.get(found.edges[i][1], 0))
    )


def _write_paths(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    if hierarchy.shape == "DAG":
        raise BadInput("a class with several parents has no single path; write edges")
    if names[0].startswith(("# ", "##")) or names[0] == "#":
        raise BadInput(f"class {names[0]!r} would be taken for a comment; write json")
    if _are_own_paths(hierarchy, names):
        return "\n".join(names)
    plain_names(hierarchy, "/")
    path_of: dict[str, str] = {}  # parents come before their children
    above = {child: parent for parent, child in named_edges(hierarchy, names)}
    for name in names:
        path_of[name] = f"{path_of[above[name]]}/{name}" if name in above else name
    return "\n".join(path_of.values())


def _are_own_paths(hierarchy: Hierarchy, names: list[str]) -> bool:
    """Whether classes are called by their paths, and reading leaves these as they are."""
    by_path = all(c.rpartition("/")[0] == p for p, c in named_edges(hierarchy, names))
    if not by_path or any("/" in names[c] for c in hierarchy.root_indices.tolist()):
        return False
    return all(part and part == part.strip() for name in names for part in name.split("/"))


def _paths_lose(hierarchy: Hierarchy) -> list[str]:
    renamed = len(hierarchy.parents) and not _are_own_paths(
        hierarchy, list(map(str, hierarchy.names))
    )
    return lost_beside()(hierarchy) + ["a class is called by its whole path in this form"] * bool(
        renamed
    )


PATHS = Format(
    "paths",
    "one class per line as top/middle/class, or with another --hierarchy-separator; a class is "
    "named by its whole path",
    _read_paths,
    _write_paths,
    _are_paths,
    options=("separator",),
    notes=_paths_lose,
)
CODES = Format(
    "codes",
    "one code per line, and perhaps a title: the parent is the longest code that it begins with, "
    "or the code before the last --hierarchy-separator",
    _read_codes,
    options=("separator",),
)

# ---------------------------------------------------------------- tables with a header

LONGEST_HEADER = 10_000
"""Characters; a longer first line is no header of a table of edges."""


def _read_table(source: Source) -> EdgeList:
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
        return _lineages(source, levels, options.get("separator", "/"), "levels")

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
    _read_table,
    detect=_is_edge_table,
    options=("parent_column", "child_column", "levels", "separator"),
)
