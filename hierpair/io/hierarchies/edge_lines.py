"""Hierarchies as lines of fields: edges, taxonomies, tables of parents, and dumps of that kind."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from hierpair.errors import BadInput, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.hierarchy.columns import WHOLE, has_role, names_edges, whole_numbers
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_list import EdgeList, lost_beside, named_edges
from hierpair.io.written_names import plain_names

__all__ = [
    "EDGES",
    "NCBI",
    "PARENTS",
    "RCV1",
    "TAXONOMY",
    "WEIGHTED_EDGES",
    "Record",
    "collected",
    "is_own_header",
    "line_format",
]

HEADER = "parent\tchild"
"""Always written, so that classes called parent and child are not taken for it."""

DOWN, UP = ["parent", "child"], (["child", "parent"], ["class", "parent"])
"""How the headers of edges and of parents begin."""

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

LINEAGE_SIGNS = (" -> ", "->", " > ", ">", "--", " :: ", "::", ";", "|", "\\", ".")
"""What stands between the classes of a lineage, beside slashes."""

Record = tuple[int, str | None, str]
"""The line, the parent (None for a class alone) and the class."""


def collected(
    direction: str | None = None,
) -> Callable[[Callable[[Source], Iterable[Record]]], Callable[[Source], EdgeList]]:
    """Make a reader of what yields records, which themselves may say the direction."""

    def decorate(records: Callable[[Source], Iterable[Record]]) -> Callable[[Source], EdgeList]:
        def read(source: Source) -> EdgeList:
            edges: list[Sequence[Any]] = []
            numbers: list[int] = []
            classes: dict[str, None] = {}
            for number, parent, child in records(source):
                if parent is None:
                    classes[child] = None
                else:
                    edges.append((parent, child))
                    numbers.append(number)
            where = lambda i: f"{source.path}:{numbers[i]}"  # noqa: E731
            lines = direction is None
            return EdgeList(edges, where, list(classes), direction=direction, lines=lines)

        return read

    return decorate


def line_format(
    name: str,
    summary: str,
    read: Callable[[Source], EdgeList],
    write: Callable[[Hierarchy], str] | None,
    detect: Callable[[Source], bool] | None,
    notes: Callable[[Hierarchy], list[str]] = lost_beside(),  # noqa: B008
    options: tuple[str, ...] = (),
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
        return edges if edges.direction else edges.led(source.options.get("direction"))

    def write_edges(hierarchy: Hierarchy) -> str:
        names = list(map(str, hierarchy.names))
        foreign = None if len(hierarchy.parents) else _foreign_name(names)
        if foreign is not None:
            raise BadInput(
                f"classes without any edge, such as {shown(foreign[0], 40)}, would be taken for "
                "lines of another form; write json"
            )
        assert write is not None
        return write(hierarchy)

    writer = None if write is None else write_edges
    return Format(name, summary, read_edges, writer, detect, notes=notes, options=options)


def _foreign_name(names: Sequence[str]) -> tuple[str, str] | None:
    """Return a class, and what to do, where classes without any edge look like other lines."""
    for sign, remedy in FOREIGN_SIGNS.items():
        holding = [name for name in names if sign in name]
        if len(names) > 1 and 2 * len(holding) >= len(names):  # a root may be alone on its line
            return holding[0], remedy
    return None


# ---------------------------------------------------------------- reading


def _edges(source: Source, n_fields: int = 2) -> EdgeList:
    rows = _rows(source)
    edges: list[Any] = [fields for _, fields in rows]
    if set(map(len, edges)) - {n_fields}:
        for number, fields in rows:
            if len(fields) != n_fields:
                source.trouble(
                    f"{source.path}:{number}: expected {n_fields} fields, got {len(fields)}"
                    f"{_remedy(rows, fields, n_fields)}"
                )
        rows = [row for row in rows if len(row[1]) == n_fields]
        edges = [fields for _, fields in rows]
    if edges and any(map(WHOLE.fullmatch, edges[0][:2])):
        above, below, *rest = zip(*edges, strict=True)
        columns = whole_numbers(above, below), whole_numbers(below, above)
        edges = list(zip(*columns, *rest, strict=True))
    headed = bool(source.rows) and is_line_header(source.rows[0][1])
    return EdgeList(edges, lambda i: f"{source.path}:{rows[i][0]}", lines=not headed)


@collected()
def _taxonomy(source: Source) -> Iterator[Record]:
    for number, (parent, *children) in _rows(source):
        while children and not children[-1]:
            children.pop()
        yield number, None, parent
        for child in children:
            yield number, parent, child


@collected()
def _parents(source: Source) -> Iterator[Record]:
    path = source.path
    for number, fields in _rows(source):
        if len(fields) > 2:
            source.trouble(f"{path}:{number}: expected child and parent, got {len(fields)} fields")
            continue
        if not fields[0]:
            source.trouble(f"{path}:{number}: a class name is missing")
            continue
        yield number, None, fields[0]
        if len(fields) == 2 and fields[1]:
            yield number, fields[1], fields[0]


def _remedy(rows: list[tuple[int, list[str]]], fields: list[str], n_fields: int) -> str:
    """Return what would help a line with the wrong number of fields."""
    line = " ".join(fields)
    if all(len(row) == 1 and row[0].isalnum() for _, row in rows):
        return "; for codes whose beginnings are the classes above them set the hierarchy format "\
            "to codes"  # fmt: skip
    for mark, name in ((";", "semicolons"), (",", "commas")):
        if mark in line and all(" ".join(row).count(mark) <= 1 for _, row in rows):
            return (
                f"; separate fields by tabs, not by {name}, or give the table a header such as "
                f"parent{mark}child"
            )
    sign = lineage_sign([" ".join(row) for _, row in rows])
    if sign:
        return (
            "; for lineages from the top, or codes, name what stands between the classes: "
            f"--hierarchy-separator '{sign}' (in Python, separator {sign!r})"
        )
    if len(fields) > n_fields:
        return "; separate names that hold blanks by tabs"
    if "/" in line:
        return "; for slash paths set the hierarchy format to paths"
    return ""


def lineage_sign(lines: Sequence[str]) -> str:
    """Return what most lines have between the classes of a lineage, or nothing."""
    filled = [line for line in lines if line]
    signs = (s for s in LINEAGE_SIGNS if 2 * sum(s in line for line in filled) > len(filled))
    return next(signs, "")


def _rows(source: Source) -> list[tuple[int, list[str]]]:
    """Return the fields of the lines, without their header."""
    rows = source.rows
    if not rows:
        source.trouble(f"{source.path}: no line holds a class")
        return []
    return rows[1:] if is_line_header(rows[0][1]) else rows


# ---------------------------------------------------------------- knowing them by their content


def is_line_header(fields: list[str]) -> bool:
    """Whether a line is a header of edges, taxonomies or parents, which these pass over."""
    if len(fields) < 2 or not names_edges(fields[:2]):
        return False
    rest = fields[2:]
    return all(has_role(field, "child") for field in rest) or (
        len(rest) == 1 and has_role(rest[0], "weight")
    )


def is_own_header(fields: list[str]) -> bool:
    """Whether a line is a header that hierpair writes itself, before lines without quotes."""
    return _lower(fields[:2]) in (DOWN, *UP) and is_line_header(fields)


def _lower(fields: Sequence[str]) -> list[str]:
    return [field.lower() for field in fields]


def _first(source: Source) -> list[str]:
    return source.rows[0][1] if source.rows else []


def _are_parents(source: Source) -> bool:
    return _lower(_first(source)[:2]) in UP


def _are_weighted_edges(source: Source) -> bool:
    return _lower(_first(source)) == [*DOWN, "weight"]


def _are_taxonomy(source: Source) -> bool:
    """Whether a line has more than two fields; what may be another form is refused."""
    rows = source.rows
    wide = [number for number, fields in rows if len(fields) > 2]
    if "\t" not in source.text or not wide:
        return False
    if all(len(f) == 3 and not math.isnan(plain_number(f[2])) for _, f in rows):
        raise BadInput(
            f"{source.path}: is the third column a weight or a class? "
            "Set the hierarchy format to weighted-edges or taxonomy"
        )
    _refuse_table(source, rows)
    line_of: dict[str, int] = {}  # a taxonomy has one line per parent
    for number, (parent, *_) in rows:
        if parent in line_of:
            raise BadInput(
                f"{source.path}:{wide[0]}: a line of more than two fields, in a file where lines "
                f"{line_of[parent]} and {number} have the same parent {parent!r}; fix the "
                "line, or set the hierarchy format to taxonomy"
            )
        line_of[parent] = number
    return True


def _refuse_table(source: Source, rows: list[tuple[int, list[str]]]) -> None:
    """Refuse lines of equal length in which one column holds parents among those of another."""
    width = len(rows[0][1])
    if is_line_header(rows[0][1]) or any(len(fields) != width for _, fields in rows):
        return
    columns = [[fields[k] for _, fields in rows[1:]] for k in range(width)]
    sets = [set(column) - {""} for column in columns]
    for below in range(width):
        distinct = len(set(columns[below])) == len(rows) - 1 > 1 and "" not in columns[below]
        for above in range(width):
            if distinct and above != below and sets[above] and sets[above] < sets[below]:
                raise BadInput(
                    f"{source.path}:{rows[0][0]}: is this a table? Column {above + 1} holds "
                    f"classes of column {below + 1}: name the columns in the first line, such as "
                    f"id, parent (or --child-column, --parent-column, of {listed(rows[0][1])}); "
                    "otherwise set the hierarchy format to taxonomy"
                )


# ---------------------------------------------------------------- dumps of known makers

RCV1_LINE = re.compile(r"parent: *(.*?) +child: *(.*?)(?: +child-description: *(.*))?")


@collected("parent-to-child")
def _rcv1(source: Source) -> Iterator[Record]:
    for number, line in enumerate(source.lines, start=1):
        if not line.strip():
            continue
        found = RCV1_LINE.fullmatch(line.strip())
        if found is None:
            source.trouble(f"{source.path}:{number}: expected parent: … child: …")
        elif found[1] == "None":
            yield number, None, found[2]
        else:
            yield number, found[1], found[2]


@collected("parent-to-child")
def _ncbi(source: Source) -> Iterator[Record]:
    """The fields of nodes.dmp: class, parent, rank, …; the root is its own parent."""
    for number, line in enumerate(source.lines, start=1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) < 3:
            source.trouble(f"{source.path}:{number}: expected tax_id | parent | rank | …")
        elif not fields[0].isdecimal() or not fields[1].isdecimal():
            source.trouble(
                f"{source.path}:{number}: a number is expected as class and as parent, got "
                f"{shown(fields[:2])}; the tree is in nodes.dmp"
            )
        else:
            yield number, None if fields[0] == fields[1] else fields[1], fields[0]


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
    _edges,
    _write_edges,
    lambda source: True,
)
WEIGHTED_EDGES = line_format(
    "weighted-edges",
    "the same with a weight ≥ 0 as third field",
    lambda source: _edges(source, n_fields=3),
    _write_weighted_edges,
    _are_weighted_edges,
    lost_beside("weights"),
)
TAXONOMY = line_format(
    "taxonomy", "parent TAB child TAB child …", _taxonomy, _write_taxonomy, _are_taxonomy
)
PARENTS = line_format(
    "parents",
    "child TAB parent, an empty parent marks a root; several lines per class make a DAG",
    _parents,
    _write_parents,
    _are_parents,
)
RCV1 = line_format(
    "rcv1",
    "lines parent: … child: … child-description: …, as rcv1.topics.hier.orig",
    _rcv1,
    None,
    lambda source: source.text.lstrip().startswith("parent:"),
)
NCBI = line_format(
    "ncbi",
    "the taxonomy of NCBI: nodes.dmp, whose root is its own parent",
    _ncbi,
    None,
    lambda source: bool(re.match(r"[^\t|\n]+\t\|\t", source.text)),
)
