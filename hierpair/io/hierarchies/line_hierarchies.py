"""Hierarchies as lines of fields: edges, taxonomies, parent tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_list import EdgeList, lost_beside, named_edges
from hierpair.io.written_names import plain_names

__all__ = [
    "EDGES",
    "PARENTS",
    "TAXONOMY",
    "WEIGHTED_EDGES",
    "is_known_header",
    "line_format",
    "places",
]

HEADER = "parent\tchild"
"""Always written, so that classes called parent and child are not taken for it."""

DOWN, WEIGHTED = ["parent", "child"], ["parent", "child", "weight"]
UP = (["child", "parent"], ["class", "parent"])
"""Headers, in small letters, of edges and of parent tables."""

FOREIGN_SIGNS = {
    **dict.fromkeys(
        (",", ";"),
        "with the header child,parent or parent,child such a table is read by itself (format "
        "csv); otherwise separate the fields by tabs",
    ),
    "|": "separate the fields by tabs",
    "/": "if these are paths such as top/middle/class, set the hierarchy format to paths",
}
"""What the lines of a file may have between their fields, and what to do about it."""


def line_format(
    name: str,
    summary: str,
    read: Callable[[Source], EdgeList],
    write: Callable[[Hierarchy], str],
    detect: Callable[[Source], bool],
    notes: Callable[[Hierarchy], list[str]] = lost_beside(),  # noqa: B008
) -> Format[EdgeList]:
    """Return a form whose lines may be those of another one, which shows where no edge is."""

    def read_edges(source: Source) -> EdgeList:
        edges = read(source)
        foreign = None if edges.edges else _foreign_name(list(map(str, edges.classes)))
        if foreign is not None:
            source.trouble(
                f"{source.path}: read as {name} this is {len(edges.classes)} classes and no edge, "
                f"such as {shown(foreign[0], 40)}; {foreign[1]}"
            )
        return edges

    def write_edges(hierarchy: Hierarchy) -> str:
        names = list(map(str, hierarchy.names))
        foreign = None if len(hierarchy.parents) else _foreign_name(names)
        if foreign is not None:
            raise BadInput(
                f"classes without any edge, such as {shown(foreign[0], 40)}, would be taken for "
                "lines of another form; write json"
            )
        return write(hierarchy)

    return Format(name, summary, read_edges, write_edges, detect, notes=notes)


def _foreign_name(names: Sequence[str]) -> tuple[str, str] | None:
    """Return a class, and what to do, where classes without any edge look like other lines."""
    for sign, remedy in FOREIGN_SIGNS.items():
        holding = [name for name in names if sign in name]
        if len(names) > 1 and 2 * len(holding) >= len(names):  # a root may be alone on its line
            return holding[0], remedy
    return None


# ---------------------------------------------------------------- reading


def _read_edges(source: Source, n_fields: int = 2) -> EdgeList:
    path, edges, numbers = source.path, [], []
    for number, fields in _rows(source):
        if len(fields) == n_fields:
            edges.append(fields)
            numbers.append(number)
            continue
        source.trouble(
            f"{path}:{number}: expected {n_fields} fields, got {len(fields)}"
            f"{_remedy(fields, n_fields)}"
        )
    return EdgeList(edges, places(path, numbers))


def _read_taxonomy(source: Source) -> EdgeList:
    edges: list[tuple[str, str]] = []
    numbers: list[int] = []
    classes = []
    for number, (parent, *children) in _rows(source):
        while children and not children[-1]:
            children.pop()
        classes.append(parent)
        edges += [(parent, child) for child in children]
        numbers += [number] * len(children)
    return EdgeList(edges, places(source.path, numbers), classes)


def _read_parents(source: Source) -> EdgeList:
    path = source.path
    edges: list[tuple[str, str]] = []
    numbers: list[int] = []
    classes = []
    for number, fields in _rows(source):
        if len(fields) > 2:
            source.trouble(f"{path}:{number}: expected child and parent, got {len(fields)} fields")
            continue
        if not fields[0]:
            source.trouble(f"{path}:{number}: a class name is missing")
            continue
        classes.append(fields[0])
        if len(fields) == 2 and fields[1]:
            edges.append((fields[1], fields[0]))
            numbers.append(number)
    return EdgeList(edges, places(path, numbers), classes)


def _remedy(fields: list[str], n_fields: int) -> str:
    """Return what would help a line with the wrong number of fields."""
    line = "".join(fields)
    if len(fields) > n_fields:
        return "; separate names that hold blanks by tabs"
    for sign, name in ((";", "semicolons"), (",", "commas")):
        if sign in line:
            return (
                f"; separate fields by tabs, not by {name}, or give the table a header such as "
                f"parent{sign}child"
            )
    if "/" in line:
        return "; for slash paths set the hierarchy format to paths"
    return ""


def _rows(source: Source) -> list[tuple[int, list[str]]]:
    """Return the fields of the lines, without their header."""
    rows = source.rows
    if not rows:
        source.trouble(f"{source.path}: no line holds a class")
        return []
    return rows[1:] if _lower(rows[0][1])[:2] in (DOWN, *UP) else rows


def places(path: str | Path, numbers: list[int]) -> Callable[[int], str]:
    """Return what tells the line of every edge."""
    return lambda i: f"{path}:{numbers[i]}"


# ---------------------------------------------------------------- knowing them by their content


def is_known_header(fields: list[str]) -> bool:
    """Whether a line is a header that the formats of lines pass over."""
    return _lower(fields) in (DOWN, WEIGHTED, *UP)


def _are_parents(source: Source) -> bool:
    return bool(source.rows) and _lower(source.rows[0][1])[:2] in UP


def _are_weighted_edges(source: Source) -> bool:
    return bool(source.rows) and _lower(source.rows[0][1]) == WEIGHTED


def _lower(fields: list[str]) -> list[str]:
    return [field.lower() for field in fields]


def _are_taxonomy(source: Source) -> bool:
    """Whether a line has more than two fields; what may be broken edges or weights is refused."""
    wide = [number for number, fields in source.rows if len(fields) > 2]
    if "\t" not in source.text or not wide:
        return False
    if all(len(f) == 3 and not math.isnan(plain_number(f[2])) for _, f in source.rows):
        raise BadInput(
            f"{source.path}: is the third column a weight or a class? "
            "Set the hierarchy format to weighted-edges or taxonomy"
        )
    line_of: dict[str, int] = {}  # a taxonomy has one line per parent
    for number, (parent, *_) in source.rows:
        if parent in line_of:
            raise BadInput(
                f"{source.path}:{wide[0]}: a line of more than two fields, in a file where lines "
                f"{line_of[parent]} and {number} have the same parent {parent!r}; fix the "
                "line, or set the hierarchy format to taxonomy"
            )
        line_of[parent] = number
    return True


# ---------------------------------------------------------------- writing


def _unlinked(hierarchy: Hierarchy, names: list[str]) -> list[str]:
    """Return the classes without any edge."""
    up, down = hierarchy.parent_ptr, hierarchy.child_ptr
    return [n for c, n in enumerate(names) if up[c] == up[c + 1] and down[c] == down[c + 1]]


def _linked_names(hierarchy: Hierarchy, fmt: str) -> list[str]:
    names = plain_names(hierarchy, "\t\n\r")
    unlinked = _unlinked(hierarchy, names)
    if unlinked:
        raise BadInput(
            f"class {unlinked[0]!r} has no edge, which {fmt} cannot express; "
            "write taxonomy, parents or json"
        )
    return names


def _write_edges(hierarchy: Hierarchy) -> str:
    names = _linked_names(hierarchy, "edges")
    return "\n".join([HEADER, *("\t".join(pair) for pair in named_edges(hierarchy, names))])


def _write_weighted_edges(hierarchy: Hierarchy) -> str:
    names = _linked_names(hierarchy, "weighted-edges")
    if hierarchy.weights is None:
        raise BadInput("this hierarchy has no edge weights; write edges")
    rows = zip(named_edges(hierarchy, names), hierarchy.weights.tolist(), strict=True)
    return "\n".join([f"{HEADER}\tweight", *(f"{p}\t{c}\t{w!r}" for (p, c), w in rows)])


def _write_taxonomy(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    ptr, children = hierarchy.child_ptr.tolist(), hierarchy.children.tolist()
    lines = [f"{HEADER}\tchild", *_unlinked(hierarchy, names)]  # three fields: no list of edges
    for c, name in enumerate(names):
        below = children[ptr[c] : ptr[c + 1]]
        if below:
            lines.append("\t".join([name, *(names[b] for b in below)]))
    return "\n".join(lines)


def _write_parents(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    roots = [f"{names[c]}\t" for c in hierarchy.root_indices.tolist()]
    edges = (f"{child}\t{parent}" for parent, child in named_edges(hierarchy, names))
    return "\n".join(["child\tparent", *roots, *edges])


EDGES = line_format(
    "edges",
    "parent TAB child; without any tab in the file, separated by blanks",
    _read_edges,
    _write_edges,
    lambda source: True,
)
WEIGHTED_EDGES = line_format(
    "weighted-edges",
    "the same with a weight ≥ 0 as third field",
    lambda source: _read_edges(source, n_fields=3),
    _write_weighted_edges,
    _are_weighted_edges,
    lost_beside("weights"),
)
TAXONOMY = line_format(
    "taxonomy", "parent TAB child TAB child …", _read_taxonomy, _write_taxonomy, _are_taxonomy
)
PARENTS = line_format(
    "parents",
    "child TAB parent, an empty parent marks a root; several lines per class make a DAG",
    _read_parents,
    _write_parents,
    _are_parents,
)
