"""Hierarchies as lines of fields: edges, taxonomies, tables of parents, and dumps of that kind."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from hierpair.errors import BadInput, listed, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.hierarchy.columns import WHOLE, has_role, names_edges, whole_numbers
from hierpair.hierarchy.edge_list import EdgeList, Record, collected
from hierpair.io.formats import Format, Source
from hierpair.io.written_names import lost_beside, named_edges, plain_names

__all__ = [
    "EDGES",
    "NCBI",
    "PARENTS",
    "RCV1",
    "TAXONOMY",
    "WEIGHTED_EDGES",
    "is_own_header",
    "lineage_sign",
    "other_lines",
]

DOWN, UP = ["parent", "child"], (["child", "parent"], ["class", "parent"])
"""How the headers of edges and of parents begin.

One is always written, so that classes called parent and child are not taken for it.
"""

LINEAGE_SIGNS = (" -> ", "->", " > ", ">", "--", " :: ", "::", ";", "|", "\\", ".")
"""What stands between the classes of a lineage, beside slashes."""


def other_lines(names: Sequence[str]) -> tuple[str, str]:
    """Return a class that looks like another line, and the mend; blanks where few do."""
    for sign in (",", ";", "|", "/"):
        holding = [name for name in names if sign in name]
        if len(names) > 1 and 2 * len(holding) >= len(names):  # a root may be alone on its line
            return shown(holding[0], 40), _mend([[name] for name in names], holding[:1])
    return "", ""


# ---------------------------------------------------------------- reading


def _edges(source: Source, n_fields: int = 2) -> EdgeList:
    rows = _rows(source)
    edges: list[Any] = [fields for _, fields in rows]
    if set(map(len, edges)) - {n_fields}:
        for number, fields in rows:
            if len(fields) != n_fields:
                mend = _mend(edges[:1000], fields, n_fields)  # as many lines may be faulty
                source.fault(number, f"expected {n_fields} fields, got {len(fields)}{mend}")
        rows = [row for row in rows if len(row[1]) == n_fields]
        edges = [fields for _, fields in rows]
    if edges and any(map(WHOLE.fullmatch, edges[0][:2])):
        above, below, *rest = zip(*edges, strict=True)
        columns = whole_numbers(above, below), whole_numbers(below, above)
        edges = list(zip(*columns, *rest, strict=True))
    headed = bool(source.rows) and is_line_header(source.rows[0][1])
    return EdgeList(edges, lambda i: f"{source.path}:{rows[i][0]}", lines=not headed)


def _taxonomy(source: Source) -> Iterator[Record]:
    for number, (parent, *children) in _rows(source):
        while children and not children[-1]:
            children.pop()
        yield number, None, parent
        for child in children:
            yield number, parent, child


def _parents(source: Source) -> Iterator[Record]:
    for number, fields in _rows(source):
        child, parent = (*fields, "")[:2]
        if len(fields) > 2:
            fault = f"expected child and parent, got {len(fields)} fields"
        elif not child:
            fault = "a class name is missing"
        else:
            yield number, None, child
            if parent:
                yield number, parent, child
            continue
        source.fault(number, fault)


def _mend(rows: Sequence[list[str]], fields: list[str], n_fields: int = 2) -> str:
    """Return what would help a line with the wrong number of fields."""
    lines, line = [" ".join(row) for row in rows], " ".join(fields)
    if all(len(row) == 1 and row[0].isalnum() for row in rows):
        return "; for codes whose beginnings are the classes above them set the hierarchy format "\
            "to codes"  # fmt: skip
    for mark, name in ((";", "semicolons"), (",", "commas")):
        if mark in line and all(row.count(mark) <= 1 for row in lines):
            return (
                f"; separate the fields by tabs, not by {name}, or give the table a header such as "
                f"parent{mark}child"
            )
    sign = lineage_sign(lines)
    if sign:
        return (
            "; for lineages from the top, or codes, name what stands between the classes: "
            f"--hierarchy-separator='{sign}' (in Python, separator {sign!r})"
        )
    if len(fields) > n_fields:
        return "; separate names that hold blanks by tabs"
    return "; for slash paths set the hierarchy format to paths" if "/" in line else ""


def lineage_sign(lines: Sequence[str]) -> str:
    """Return what most lines have between the classes of a lineage, or nothing."""
    filled = [line for line in lines if line]
    signs = (s for s in LINEAGE_SIGNS if 2 * sum(s in line for line in filled) > len(filled))
    return next(signs, "")


def _rows(source: Source) -> list[tuple[int, list[str]]]:
    """Return the fields of the lines, without their header."""
    rows = source.rows
    if not rows:
        source.fault(0, "no line holds a class")
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


def is_own_header(source: Source) -> bool:
    """Whether a text begins with a header that hierpair writes itself, before unquoted lines."""
    header = _header(source)
    return header[:2] in (DOWN, *UP) and is_line_header(header)


def _header(source: Source) -> list[str]:
    """Return the fields of the first line in small letters."""
    return [field.lower() for _, fields in source.rows[:1] for field in fields]


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
    line_of: dict[str, int] = {}
    for number, (parent, *_) in rows:
        if line_of.setdefault(parent, number) != number:  # a taxonomy has one line per parent
            raise BadInput(
                f"{source.path}:{wide[0]}: a line of more than two fields, in a file where lines "
                f"{line_of[parent]} and {number} have the same parent {parent!r}; fix the "
                "line, or set the hierarchy format to taxonomy"
            )
    return True


def _refuse_table(source: Source, rows: list[tuple[int, list[str]]]) -> None:
    """Refuse lines of equal length in which one column holds parents among those of another."""
    (first, header), *rest = rows
    if is_line_header(header) or any(len(fields) != len(header) for _, fields in rest):
        return
    columns = [{fields[k] for _, fields in rest} - {""} for k in range(len(header))]
    for (below, ids), (above, parents) in permutations(enumerate(columns, start=1), 2):
        if len(ids) == len(rest) > 1 and set() < parents < ids:
            raise BadInput(
                f"{source.path}:{first}: is this a table? Column {above} holds classes of column "
                f"{below}: name the columns in the first line, such as id, parent (or "
                f"--child-column, --parent-column, of {listed(header)}); otherwise set the "
                "hierarchy format to taxonomy"
            )


# ---------------------------------------------------------------- dumps of known makers

RCV1_LINE = re.compile(r"parent: *(.*?) +child: *(.*?)(?: +child-description: *(.*))?")


def _rcv1(source: Source) -> Iterator[Record]:
    for number, line in source.content:
        found = RCV1_LINE.fullmatch(line.strip())
        if found is None:
            source.fault(number, "expected parent: … child: …")
        else:
            yield number, None if found[1] == "None" else found[1], found[2]


def _ncbi(source: Source) -> Iterator[Record]:
    """The fields of nodes.dmp: class, parent, rank, …; the root is its own parent."""
    for number, line in source.content:
        child, parent, *rest = (*(field.strip() for field in line.split("|")), "")
        if not rest[1:]:
            fault = "expected tax_id | parent | rank | …"
        elif not child.isdecimal() or not parent.isdecimal():
            fault = (
                f"a number is expected as class and as parent, got {shown([child, parent])}; the "
                "tree is in nodes.dmp"
            )
        else:
            yield number, None if child == parent else parent, child
            continue
        source.fault(number, fault)


# ---------------------------------------------------------------- writing


def _unlinked(hierarchy: Hierarchy, names: list[str]) -> list[str]:
    """Return the classes without any edge."""
    up, down = hierarchy.parent_ptr, hierarchy.child_ptr
    return [n for c, n in enumerate(names) if up[c] == up[c + 1] and down[c] == down[c + 1]]


def _write_edges(hierarchy: Hierarchy, *, weighted: bool = False) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    for alone in _unlinked(hierarchy, names):
        raise BadInput(
            f"class {alone!r} has no edge, which {'weighted-' * weighted}edges cannot express; "
            "write taxonomy, parents or json"
        )
    rows: list[Sequence[str]] = [DOWN, *named_edges(hierarchy, names)]
    if weighted:
        if hierarchy.weights is None:
            raise BadInput("this hierarchy has no edge weights; write edges")
        weights = ["weight", *map(repr, hierarchy.weights.tolist())]
        rows = [[*row, weight] for row, weight in zip(rows, weights, strict=True)]
    return "\n".join(map("\t".join, rows))


def _write_taxonomy(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    ptr, children = hierarchy.child_ptr.tolist(), hierarchy.children.tolist()
    lines = [
        "\t".join([*DOWN, "child"]),
        *_unlinked(hierarchy, names),
    ]  # no list of edges
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


EDGES = Format(
    "edges",
    "parent TAB child; without any tab in the file, separated by blanks",
    _edges,
    _write_edges,
    lambda source: True,
    notes=lost_beside(),
)
WEIGHTED_EDGES = Format(
    "weighted-edges",
    "the same with a weight ≥ 0 as third field",
    lambda source: _edges(source, n_fields=3),
    lambda hierarchy: _write_edges(hierarchy, weighted=True),
    lambda source: _header(source) == [*DOWN, "weight"],
    notes=lost_beside("weights"),
)
TAXONOMY = Format(
    "taxonomy",
    "parent TAB child TAB child …",
    lambda source: collected(source.place, _taxonomy(source), lines=True),
    _write_taxonomy,
    _are_taxonomy,
    notes=lost_beside(),
)
PARENTS = Format(
    "parents",
    "child TAB parent, an empty parent marks a root; several lines per class make a DAG",
    lambda source: collected(source.place, _parents(source), lines=True),
    _write_parents,
    lambda source: _header(source)[:2] in UP,
    notes=lost_beside(),
)
RCV1 = Format(
    "rcv1",
    "lines parent: … child: … child-description: …, as rcv1.topics.hier.orig",
    lambda source: collected(source.place, _rcv1(source), direction="parent-to-child"),
    detect=lambda source: source.text.lstrip().startswith("parent:"),
)
NCBI = Format(
    "ncbi",
    "the taxonomy of NCBI: nodes.dmp, whose root is its own parent",
    lambda source: collected(source.place, _ncbi(source), direction="parent-to-child"),
    detect=lambda source: bool(re.match(r"[^\t|\n]+\t\|\t", source.text)),
)
