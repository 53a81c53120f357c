"""Hierarchies from text files: edge lists, taxonomy lines, parent tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy.graph import Hierarchy
from hierpair.readers.obo import obo_hierarchy
from hierpair.readers.text import read_lines

__all__ = ["HIERARCHY_FORMATS", "read_hierarchy"]

Rows = list[tuple[int, list[str]]]
Reader = Callable[[str | Path, list[str], Sequence[str]], Hierarchy]


def read_hierarchy(
    path: str | Path, *, fmt: str = "auto", relations: Sequence[str] = ("is_a",)
) -> Hierarchy:
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
        - ``"paths"``: one class per line as ``top/middle/class``; a class is named by its path;
        - ``"obo"``: an OBO ontology; classes are the ids of terms that are not obsolete;
          ``alt_id`` and obsolete ids with one ``replaced_by`` are other names of them;
        - ``"auto"``: ``obo`` by the ending ``.obo``; otherwise ``parents`` if the first line is
          the header ``child``/``class`` and ``parent``; otherwise ``taxonomy`` if some line has
          more than two tab-separated fields; otherwise ``edges``. Three fields in every line,
          the third a number, may be weights or classes: say which.

        A first line ``parent``/``child`` in any of these is taken as a header. Empty lines are
        passed over; there are no comments, since a class may be called ``#news``.
    relations
        For OBO: relations that lead from a term to its parent.

    Raises
    ------
    BadInput
        For a line with the wrong number of fields, a cycle, a self-loop, a duplicate edge, an
        empty or unreadable file; the message names file and line.
    """
    if fmt != "auto" and fmt not in HIERARCHY_FORMATS:
        raise BadInput(
            f"unknown hierarchy format {fmt!r}; it is one of "
            f"{', '.join(['auto', *HIERARCHY_FORMATS])}{did_you_mean(fmt, HIERARCHY_FORMATS)}"
        )
    lines = read_lines(path)
    return HIERARCHY_FORMATS[_detected(path, lines) if fmt == "auto" else fmt](
        path, lines, relations
    )


def _detected(path: str | Path, lines: list[str]) -> str:
    """Return the format that the ending or the lines tell."""
    if str(path).removesuffix(".gz").endswith(".obo"):
        return "obo"
    rows = [fields for _, fields in _fields(lines)]
    if rows and _is_header(rows[0], "child", "class"):
        return "parents"
    wide = any("\t" in line for line in lines) and any(len(fields) > 2 for fields in rows)
    if wide and all(len(fields) == 3 and _is_number(fields[2]) for fields in rows):
        raise BadInput(
            f"{path}: is the third column a weight or a class? "
            "Set the hierarchy format to weighted-edges or taxonomy"
        )
    return "taxonomy" if wide else "edges"


def _fields(lines: list[str]) -> Rows:
    """Split lines by tabs or, where no tab is in the file, by blanks; number them from 1."""
    tabbed = any("\t" in line for line in lines)
    return [
        (number, [f.strip() for f in line.split("\t")] if tabbed else line.split())
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]


def _is_header(fields: list[str], *first: str) -> bool:
    return fields[0].lower() in first and [f.lower() for f in fields[1:2]] == ["parent"]


def _table(build: Callable[[str | Path, Rows], Hierarchy]) -> Reader:
    """Return a reader of lines of fields, without their header."""

    def read(path: str | Path, lines: list[str], relations: Sequence[str]) -> Hierarchy:
        rows = _fields(lines)
        if not rows:
            raise BadInput(f"{path}: no line holds a class")
        first = rows[0][1]
        down = [f.lower() for f in first[:2]] == ["parent", "child"]
        return build(path, rows[1:] if down or _is_header(first, "child", "class") else rows)

    return read


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


def _paths(path: str | Path, lines: list[str], relations: Sequence[str]) -> Hierarchy:
    edges: dict[tuple[str, str], int] = {}
    tops: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        parts = line.strip().split("/") if line.strip() else []
        if any(not part.strip() for part in parts):
            raise BadInput(f"{path}:{number}: a class name is missing between two slashes")
        for k in range(1, len(parts)):
            edges.setdefault(("/".join(parts[:k]), "/".join(parts[: k + 1])), number)
        if parts:
            tops[parts[0]] = None
    return Hierarchy.from_edges(edges, classes=tops, where=_place(path, list(edges.values())))


def _place(path: str | Path, numbers: list[int]) -> Callable[[int], str]:
    return lambda i: f"{path}:{numbers[i]}"


HIERARCHY_FORMATS: dict[str, Reader] = {
    "edges": _table(_edges),
    "weighted-edges": _table(_weighted_edges),
    "taxonomy": _table(_taxonomy),
    "parents": _table(_parents),
    "paths": _paths,
    "obo": obo_hierarchy,
}
"""Reader of every hierarchy format, by the name that ``fmt`` takes."""
