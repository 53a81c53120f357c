"""One registry of hierarchy formats: what each is called, how it is known, and who reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import plain_number
from hierpair.io.hierarchies import edge_lines as edgelines
from hierpair.io.hierarchies import edge_tables as edgetables
from hierpair.io.hierarchies.edge_list import EdgeList, Trouble, stop
from hierpair.io.hierarchies.json_hierarchies import json_hierarchy
from hierpair.io.hierarchies.obo import obo
from hierpair.io.hierarchies.skos import SKOS_ENDINGS, skos
from hierpair.io.text import collector_paused, numbered, read_text, split_lines

__all__ = [
    "HIERARCHY_FORMATS",
    "HierarchyFormat",
    "check_hierarchy_format",
    "parse_hierarchy",
    "read_hierarchy",
]


@dataclass(frozen=True)
class HierarchyFormat:
    """A format: its reader takes the file's name, its lines or text, and what to do in trouble.

    ``options`` names what else the reader understands, of :data:`READER_OPTIONS`.
    """

    summary: str
    read: Callable[..., EdgeList]
    endings: tuple[str, ...] = ()
    whole_text: bool = False
    options: tuple[str, ...] = ()


HIERARCHY_FORMATS = {
    "edges": HierarchyFormat(
        "parent TAB child; without any tab in the file, separated by blanks", edgelines.edges
    ),
    "weighted-edges": HierarchyFormat(
        "the same with a weight ≥ 0 as third field", edgelines.weighted_edges
    ),
    "taxonomy": HierarchyFormat("parent TAB child TAB child …", edgelines.taxonomy),
    "parents": HierarchyFormat(
        "child TAB parent, an empty parent marks a root; several lines per class make a DAG",
        edgelines.parents,
    ),
    "paths": HierarchyFormat(
        "one class per line as top/middle/class; a class is named by its whole path",
        edgelines.paths,
    ),
    "csv": HierarchyFormat(
        "a table with a header, such as parent,child or id,name,parent_id, separated by commas, "
        "semicolons or tabs; a blank parent marks a root",
        edgetables.edge_table,
        options=("parent_column", "child_column"),
    ),
    "obo": HierarchyFormat(
        "an OBO ontology", obo, (".obo",), options=("relations", "namespace")
    ),
    "json": HierarchyFormat(
        "JSON: edges, a parent map, nested dicts, nested children, or nodes and links",
        json_hierarchy,
        (".json",),
        whole_text=True,
    ),
    "skos": HierarchyFormat(
        "SKOS concepts in Turtle, RDF/XML or N-Triples (extra skos)",
        skos,
        tuple(SKOS_ENDINGS),
        whole_text=True,
    ),
}  # fmt: skip
"""Every hierarchy format by the name that ``fmt`` takes."""


@collector_paused()
def read_hierarchy(
    path: str | Path,
    *,
    fmt: str = "auto",
    relations: Sequence[str] = ("is_a",),
    namespace: str | None = None,
    parent_column: str | None = None,
    child_column: str | None = None,
    break_cycles: str | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Hierarchy:
    """Read a hierarchy from a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    fmt
        A name in ``HIERARCHY_FORMATS`` (``edges``, ``weighted-edges``, ``taxonomy``,
        ``parents``, ``paths``, ``csv``, ``obo``, ``json``, ``skos``), or ``"auto"``: by the
        ending of the file; otherwise by its content: JSON by its first character, ``obo`` and
        ``skos`` by how they begin (``[Term]``, ``<?xml``, ``@prefix``), ``parents`` by the header
        ``child``/``class`` and ``parent``, ``weighted-edges`` by ``parent``, ``child``,
        ``weight``, ``csv`` by another header that names parent and child, ``paths`` if there is
        no tab and names stand between slashes, ``taxonomy`` if some line has more than two
        tab-separated fields, otherwise ``edges``. Three fields in every line, the third a number,
        may be weights or classes: say which.

        A first line ``parent``/``child`` in line formats is taken as a header. Empty lines are
        passed over; there are no comments, since a class may be called ``#news``.
    relations, namespace
        For OBO: relations that lead from a term to its parent, and the only namespace to take.
    parent_column, child_column
        For ``csv``: the columns; by default those with usual names.
    break_cycles
        ``"depth-first"``: leave out the edges that lead back to a class above when one walks
        down from the parentless classes, following edges in the order of the file. By default a
        cycle is an error.
    on_note
        Called with a sentence for every edge that is left out.

    Raises
    ------
    BadInput
        For a line with the wrong number of fields, a cycle, a self-loop, a duplicate edge, an
        empty or unreadable file; the message names file and line.
    """
    found = parse_hierarchy(
        path, fmt=fmt, relations=relations, namespace=namespace, parent_column=parent_column,
        child_column=child_column,
    )  # fmt: skip
    if break_cycles is not None:
        found, notes = found.without_cycles(break_cycles)
        for note in notes if on_note is not None else ():
            on_note(note)  # type: ignore[misc]
    try:
        return found.build()
    except BadInput as error:
        reason = error.reason
        if "cycle" in reason or "its own parent" in reason:
            reason = f"{reason} (or break_cycles='depth-first')"
        raise BadInput(reason if reason.startswith(str(path)) else f"{path}: {reason}") from None


def parse_hierarchy(
    path: str | Path,
    *,
    fmt: str = "auto",
    relations: Sequence[str] = ("is_a",),
    namespace: str | None = None,
    parent_column: str | None = None,
    child_column: str | None = None,
    trouble: Trouble = stop,
) -> EdgeList:
    """Return what a hierarchy file says, unchecked; parameters as for :func:`read_hierarchy`."""
    check_hierarchy_format(fmt)
    text = read_text(path)
    given = {"relations": tuple(relations), "namespace": namespace,
             "parent_column": parent_column, "child_column": child_column}  # fmt: skip
    if fmt == "auto":
        named = parent_column is not None or child_column is not None
        fmt = "csv" if named else detect_hierarchy(path, text)
    chosen = HIERARCHY_FORMATS[fmt]
    foreign = [k for k in given if given[k] != READER_OPTIONS[k][0] and k not in chosen.options]
    if foreign:
        kind = READER_OPTIONS[foreign[0]][1]
        raise BadInput(f"{path}: {foreign[0]} is for {kind} files; this file was read as {fmt}")
    read = partial(chosen.read, **{k: given[k] for k in chosen.options})
    found = read(path, text if chosen.whole_text else split_lines(path, text), trouble)
    if fmt in OF_LINES and not found.edges:
        odd = foreign_name(list(map(str, found.classes)))
        if odd is not None:
            trouble(
                f"{path}: read as {fmt} this is {len(found.classes)} classes and no edge, such as "
                f"{shown(odd[0], 40)}; {odd[1]}"
            )
    return found


OF_LINES = ("edges", "weighted-edges", "taxonomy", "parents", "paths")
"""Formats whose lines may be those of another format."""


def foreign_name(names: Sequence[str]) -> tuple[str, str] | None:
    """Return a class, and what to do, where classes without any edge look like other lines."""
    for sign, mend in FOREIGN_SIGNS.items():
        holding = [name for name in names if sign in name]
        if len(names) > 1 and 2 * len(holding) >= len(names):  # a root may be alone on its line
            return holding[0], mend
    return None


READER_OPTIONS: dict[str, tuple[Any, str]] = {
    "relations": (("is_a",), "OBO"),
    "namespace": (None, "OBO"),
    "parent_column": (None, "CSV"),
    "child_column": (None, "CSV"),
}
"""What some readers understand beside the text: the default, and the files that it is for."""

FOREIGN_SIGNS = {
    **dict.fromkeys((",", ";"), "with the header child,parent or parent,child such a table is "
                    "read by itself (format csv); otherwise separate the fields by tabs"),
    "|": "separate the fields by tabs",
    "/": "if these are paths such as top/middle/class, set the hierarchy format to paths",
}  # fmt: skip
"""What the lines of a file may have between their fields, and what to do about it."""


def check_hierarchy_format(fmt: str) -> None:
    """Refuse a name that is no format of hierarchies."""
    if fmt != "auto" and fmt not in HIERARCHY_FORMATS:
        raise BadInput(
            f"unknown hierarchy format {fmt!r}; it is one of "
            f"{', '.join(['auto', *HIERARCHY_FORMATS])}{did_you_mean(fmt, HIERARCHY_FORMATS)}"
        )


def detect_hierarchy(path: str | Path, text: str) -> str:
    """Return the format that the ending or the content tells."""
    ending = Path(str(path).removesuffix(".gz")).suffix.lower()
    for name, known in HIERARCHY_FORMATS.items():
        if ending in known.endings:
            return name
    start = text.lstrip()[:20]
    if start.startswith(("{", "[{", "[[", "[ ", "[\n", '["')):
        return "json"
    if start.startswith(("format-version:", "[Term]")):
        return "obo"
    if start.startswith(("<?xml", "<!--", "<!DOCTYPE", "<rdf:", "@prefix")):
        return "skos"
    rows = [fields for _, fields in numbered(split_lines(path, text))]
    if rows and edgelines.is_header(rows[0], "child", "class"):
        return "parents"
    if rows and [f.lower() for f in rows[0]] == ["parent", "child", "weight"]:
        return "weighted-edges"
    sign = edgetables.header_sign(_first_line(text))
    if sign is not None and not (sign == "\t" and edgelines.is_known_header(rows[0])):
        return "csv"
    if Path(str(path).removesuffix(".gz")).suffix.lower() == ".csv" and "\t" not in text:
        return "csv"
    if _is_paths(path, text):
        return "paths"
    wide = "\t" in text and any(len(fields) > 2 for fields in rows)
    if wide and all(len(f) == 3 and not math.isnan(plain_number(f[2])) for f in rows):
        raise BadInput(
            f"{path}: is the third column a weight or a class? "
            "Set the hierarchy format to weighted-edges or taxonomy"
        )
    if wide:
        _check_taxonomy(path, numbered(split_lines(path, text)))
    return "taxonomy" if wide else "edges"


def _first_line(text: str) -> str:
    return text.lstrip().split("\n", 1)[0].rstrip("\r")


def _is_paths(path: str | Path, text: str) -> bool:
    """Whether lines are paths such as ``top/middle/class``; edges may have slashes in names."""
    if "\t" in text or "/" not in text:
        return False
    lines = [line.strip() for line in split_lines(path, text) if line.strip()]
    if any(line[0] == "/" or line[-1] == "/" or "//" in line for line in lines):
        return False
    fields = [line.split() for line in lines]
    if any(len(row) != 2 for row in fields):
        return True
    # Two words in every line: "food food/bread" is an edge, "food/soft cheese" a path.
    if any("/" in one and "/" not in other for one, other in fields):
        raise BadInput(
            f"{path}: is {lines[0]!r} an edge, parent and child, or a path? Set the hierarchy "
            "format to edges or paths"
        )
    return False


def _check_taxonomy(path: str | Path, rows: list[tuple[int, list[str]]]) -> None:
    """Refuse what may be edges with a broken line: a taxonomy has one line per parent."""
    first: dict[str, int] = {}
    for number, fields in rows:
        if fields[0] in first:
            odd = next(n for n, f in rows if len(f) > 2)
            raise BadInput(
                f"{path}:{odd}: a line of more than two fields, in a file where lines "
                f"{first[fields[0]]} and {number} have the same parent {fields[0]!r}; mend the "
                "line, or set the hierarchy format to taxonomy"
            )
        first[fields[0]] = number
