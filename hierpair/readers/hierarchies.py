"""Hierarchies from text files: edge lists, taxonomy lines, parent tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy.graph import Hierarchy
from hierpair.readers.text import read_lines

__all__ = ["HIERARCHY_FORMATS", "read_hierarchy"]

Rows = list[tuple[int, list[str]]]


def read_hierarchy(path: str | Path, *, fmt: str = "auto") -> Hierarchy:
    """Read a hierarchy from a text file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    fmt
        - ``"edges"``: ``parent child``, by a tab or, where no tab is in the file, by blanks;
        - ``"weighted-edges"``: the same with a weight as third field;
        - ``"taxonomy"``: ``parent TAB child TAB child …``;
        - ``"parents"``: ``child TAB parent`` (an empty parent marks a root; a class may have
          several lines);
        - ``"auto"``: ``parents`` if the first line is the header ``child``/``class`` and
          ``parent``; otherwise ``taxonomy`` if some line has more than two tab-separated
          fields; otherwise ``edges``. Three fields in every line, the third a number, may be
          weights or classes: say which.

        A first line ``parent``/``child`` in any of these is taken as a header. Empty lines are
        passed over; there are no comments, since a class may be called ``#news``.

    Raises
    ------
    BadInput
        For a line with the wrong number of fields, a cycle, a self-loop, a duplicate edge, an
        empty or unreadable file; the message names file and line.
    """
    if fmt != "auto" and fmt not in HIERARCHY_FORMATS:
        known = ", ".join(["auto", *HIERARCHY_FORMATS])
        raise BadInput(f"unknown hierarchy format {fmt!r}; it is one of {known}"
                       f"{did_you_mean(fmt, HIERARCHY_FORMATS)}")  # fmt: skip
    lines = read_lines(path)
    tabbed = any("\t" in line for line in lines)
    rows: Rows = [
        (number, [f.strip() for f in line.split("\t")] if tabbed else line.split())
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not rows:
        raise BadInput(f"{path}: no line holds a class")
    first = [field.lower() for field in rows[0][1]]
    parents_header = first[:2] in (["child", "parent"], ["class", "parent"])
    if fmt == "auto":
        wide = tabbed and any(len(fields) > 2 for _, fields in rows)
        fmt = "parents" if parents_header else "taxonomy" if wide else "edges"
        if wide and all(len(f) == 3 and _is_number(f[2]) for _, f in rows):
            raise BadInput(
                f"{path}: is the third column a weight or a class? "
                "Set the hierarchy format to weighted-edges or taxonomy"
            )
    if parents_header or first[:2] == ["parent", "child"]:
        rows = rows[1:]
    return HIERARCHY_FORMATS[fmt](path, rows)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _edges(path: str | Path, rows: Rows, n_fields: int = 2) -> Hierarchy:
    for number, fields in rows:
        if len(fields) != n_fields:
            hint = "; separate names that hold blanks by tabs" if len(fields) > n_fields else ""
            raise BadInput(f"{path}:{number}: expected {n_fields} fields, got {len(fields)}{hint}")
    return Hierarchy.from_edges((f for _, f in rows), where=_place(path, [n for n, _ in rows]))


def _weighted_edges(path: str | Path, rows: Rows) -> Hierarchy:
    return _edges(path, rows, n_fields=3)


def _taxonomy(path: str | Path, rows: Rows) -> Hierarchy:
    edges: list[tuple[str, str]] = []
    numbers: list[int] = []
    for number, (parent, *children) in rows:
        while children and not children[-1]:
            children.pop()
        edges += [(parent, child) for child in children]
        numbers += [number] * len(children)
    classes = [fields[0] for _, fields in rows]
    return Hierarchy.from_edges(edges, classes=classes, where=_place(path, numbers))


def _parents(path: str | Path, rows: Rows) -> Hierarchy:
    edges: list[tuple[str, str]] = []
    numbers: list[int] = []
    for number, fields in rows:
        if len(fields) > 2:
            raise BadInput(f"{path}:{number}: expected child and parent, got {len(fields)} fields")
        if not fields[0]:
            raise BadInput(f"{path}:{number}: a class name is missing")
        if len(fields) == 2 and fields[1]:
            edges.append((fields[1], fields[0]))
            numbers.append(number)
    classes = [fields[0] for _, fields in rows]
    return Hierarchy.from_edges(edges, classes=classes, where=_place(path, numbers))


def _place(path: str | Path, numbers: list[int]) -> Callable[[int], str]:
    return lambda i: f"{path}:{numbers[i]}"


HIERARCHY_FORMATS: dict[str, Callable[[str | Path, Rows], Hierarchy]] = {
    "edges": _edges,
    "weighted-edges": _weighted_edges,
    "taxonomy": _taxonomy,
    "parents": _parents,
}
"""Reader of every hierarchy format, by the name that ``fmt`` takes."""
