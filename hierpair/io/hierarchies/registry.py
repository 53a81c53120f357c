"""Hierarchies from files and back: the registry of their forms, and the three verbs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, check_choice
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.building import Tell, refuse_fault
from hierpair.hierarchy.edge_list import DIRECTIONS, EdgeList, cycles_broken
from hierpair.io.formats import Formats, Source, Trouble, stop
from hierpair.io.hierarchies.lines import (
    CODES,
    EDGE_TABLE,
    EDGES,
    JSON,
    NCBI,
    PATHS,
    RCV1,
    TAXONOMY,
    WEIGHTED_EDGES,
)
from hierpair.io.hierarchies.ontologies import OBO, SKOS_FORMAT
from hierpair.io.text import collector_paused

HIERARCHY_FORMATS: Formats[EdgeList] = Formats(
    "hierarchy format",
    "a hierarchy",
    (EDGES, TAXONOMY, PATHS, CODES, EDGE_TABLE, WEIGHTED_EDGES, RCV1, NCBI, OBO, JSON, SKOS_FORMAT),
)
"""Every form of hierarchies by the name that ``fmt`` takes."""


@collector_paused()
def read_hierarchy(
    path: str | Path, *, fmt: str = "auto", relations: Sequence[str] = ("is_a",),
    namespace: str | None = None, undefined: str = "error", parent_column: str | None = None,
    child_column: str | None = None, levels: Sequence[str] | None = None,
    separator: str | None = None, direction: str | None = None, roots: str | None = None,
    break_cycles: str | None = None, on_note: Tell | None = None,
) -> Hierarchy:  # fmt: skip
    """Read a hierarchy from a file.

    Parameters
    ----------
    path
        The file; ``-`` is standard input, ``.gz`` is unpacked.
    fmt
        A name in ``HIERARCHY_FORMATS`` (``edges``, ``weighted-edges``, ``taxonomy``, ``paths``,
        ``codes``, ``csv``, ``obo``, ``json``, ``skos``, ``rcv1``, ``ncbi``), or ``"auto"``: by the
        ending of the file; otherwise by its content: JSON by its first character, ``obo``,
        ``skos``, ``rcv1`` and ``ncbi`` by how they begin (``[Term]``, ``<?xml``, ``@prefix``,
        ``parent:``), ``weighted-edges`` by the header ``parent``, ``child``, ``weight``, ``csv``
        by another one that names parent and child, ``paths`` if there is no tab and names stand
        between slashes, ``taxonomy`` if some line has more than two tab-separated fields, otherwise
        ``edges``. Three fields in every line, the third a number, may be weights or classes: say
        which. ``codes`` must be named.

        A first line ``parent``/``child`` in line formats is taken as a header. Empty lines, and
        lines ``# …`` at the beginning, are passed over.
    relations, namespace
        For OBO: relations that lead from a term to its parent, and the only namespace to take.
    undefined
        For OBO and SKOS: a parent that the file does not define, or that is obsolete, is an
        ``"error"``, or the edge to it is left out (``"drop"``) with a note.
    parent_column, child_column
        For ``csv``: the columns; by default those with usual names.
    levels
        For ``csv``: the columns of levels from the top, instead of these.
    separator
        Between the classes of a lineage (default: ``/``) or the parts of a code.
    direction
        ``"parent-to-child"`` or ``"child-to-parent"``: which way edges lead, what the lists of a
        map in JSON hold, and which way lineages run.
    roots
        ``"any"``: take what looks misread, too; see :class:`hierpair.Hierarchy`.
    break_cycles
        ``"depth-first"``: leave out the edges that lead back to a class above when one walks
        down from the parentless classes, following edges in the order of the file. By default a
        cycle is an error.
    on_note
        Called with a sentence for every edge and parent that is left out, and about several
        roots; of these a warning is given without it.

    Raises
    ------
    BadInput
        For a line with the wrong number of fields, a cycle, a self-loop, a duplicate edge, an
        empty or unreadable file, and what looks misread; the message names file and line.
    """
    edges = parse_hierarchy(
        path, fmt=fmt, relations=relations, namespace=namespace, undefined=undefined,
        parent_column=parent_column, child_column=child_column, levels=levels,
        separator=separator, direction=direction,
    )  # fmt: skip

    def placed(text: str) -> str:
        return text if text.startswith(str(path)) else f"{path}: {text}"

    def note(text: str) -> None:
        if on_note is not None:
            on_note(placed(text))

    for left_out in edges.notes:
        note(left_out)
    broken = cycles_broken(break_cycles, note, refuse_fault)
    try:
        return edges.build(roots, None if on_note is None else note, broken)
    except BadInput as error:
        reason = error.reason
        if "cycle" in reason or "its own parent" in reason:
            reason = f"{reason} (or break_cycles='depth-first')"
        raise BadInput(placed(reason)) from None


def parse_hierarchy(
    path: str | Path, *, fmt: str = "auto", trouble: Trouble = stop, **given: Any
) -> EdgeList:
    """Return what a hierarchy file says, unchecked; parameters as for :func:`read_hierarchy`."""
    check_choice("direction", given.get("direction"), (None, *DIRECTIONS))
    check_choice("undefined", given.get("undefined", "error"), ("error", "drop"))
    if given.get("separator") == "":
        raise BadInput("the separator of a hierarchy must not be empty")
    usual = (None, ("is_a",), ["is_a"], "error")
    options = {name: value for name, value in given.items() if value not in usual}
    source = Source(path, options, trouble)
    if fmt == "auto" and not {"parent_column", "child_column", "levels"}.isdisjoint(options):
        fmt = EDGE_TABLE.name
    form = HIERARCHY_FORMATS.choose(source, fmt)
    for name in options.keys() - {"direction", *form.options}:
        kinds = (one.name.upper() for one in HIERARCHY_FORMATS.values() if name in one.options)
        raise BadInput(
            f"{path}: {name} is for {' and '.join(kinds)} files; this file was read as {form.name}"
        )
    return form.read(source).led(given.get("direction"))


@takes_hierarchy
def write_hierarchy(hierarchy: Hierarchy, fmt: str) -> tuple[str | bytes, list[str]]:
    """Return a hierarchy as the content of a file, and notes about what the form cannot hold.

    Parameters
    ----------
    hierarchy
        The classes; their names are written as text.
    fmt
        A name in ``HIERARCHY_FORMATS`` of a form that can be written.

    Raises
    ------
    BadInput
        For an unknown form, or a name or a shape that the form cannot hold.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    >>> print(write_hierarchy(tree, "edges")[0])
    parent	child
    r	a
    r	b
    """
    return HIERARCHY_FORMATS.written_as(fmt, hierarchy)
