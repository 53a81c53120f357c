"""Hierarchies from files and back: the registry of their forms, and the three verbs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from hierpair.errors import BadInput, check_choice
from hierpair.hierarchy import Hierarchy
from hierpair.io.formats import Formats, Source, Trouble, stop
from hierpair.io.hierarchies.edge_list import EdgeList
from hierpair.io.hierarchies.edge_tables import EDGE_TABLE
from hierpair.io.hierarchies.json_hierarchies import JSON
from hierpair.io.hierarchies.line_hierarchies import EDGES, PARENTS, TAXONOMY, WEIGHTED_EDGES
from hierpair.io.hierarchies.obo import OBO
from hierpair.io.hierarchies.obographs import OBOGRAPHS
from hierpair.io.hierarchies.path_lines import PATHS
from hierpair.io.hierarchies.skos import SKOS_FORMAT
from hierpair.io.text import collector_paused

__all__ = ["HIERARCHY_FORMATS", "parse_hierarchy", "read_hierarchy", "write_hierarchy"]

HIERARCHY_FORMATS: Formats[EdgeList] = Formats(
    "hierarchy format",
    "a hierarchy",
    (
        EDGES,
        TAXONOMY,
        PATHS,
        EDGE_TABLE,
        WEIGHTED_EDGES,
        PARENTS,
        OBO,
        JSON,
        SKOS_FORMAT,
        OBOGRAPHS,
    ),
)
"""Every form of hierarchies by the name that ``fmt`` takes."""

JSON_ONTOLOGIES = (OBOGRAPHS, SKOS_FORMAT)
"""Forms that are JSON, too."""

OPTION_KINDS = {
    "relations": "OBO",
    "namespace": "OBO",
    "undefined": "OBO and SKOS",
    "parent_column": "CSV",
    "child_column": "CSV",
}
"""The files that an option of the reader is for."""


@collector_paused()
def read_hierarchy(
    path: str | Path,
    *,
    fmt: str = "auto",
    relations: Sequence[str] = ("is_a",),
    namespace: str | None = None,
    undefined: str = "error",
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
        ``parents``, ``paths``, ``csv``, ``obo``, ``obographs``, ``json``, ``skos``), or
        ``"auto"``: by the ending of the file; otherwise by its content: JSON by its first
        character, ``obographs`` and JSON-LD by their keys, ``obo`` and ``skos`` by how they begin
        (``[Term]``, ``<?xml``, ``@prefix``), ``parents`` by the header
        ``child``/``class`` and ``parent``, ``weighted-edges`` by ``parent``, ``child``,
        ``weight``, ``csv`` by another header that names parent and child, ``paths`` if there is
        no tab and names stand between slashes, ``taxonomy`` if some line has more than two
        tab-separated fields, otherwise ``edges``. Three fields in every line, the third a number,
        may be weights or classes: say which.

        A first line ``parent``/``child`` in line formats is taken as a header. Empty lines are
        passed over; there are no comments, since a class may be called ``#news``.
    relations, namespace
        For OBO: relations that lead from a term to its parent, and the only namespace to take.
    undefined
        For OBO and SKOS: a parent that the file does not define, or that is obsolete, is an
        ``"error"``, or the edge to it is left out (``"drop"``) with a note.
    parent_column, child_column
        For ``csv``: the columns; by default those with usual names.
    break_cycles
        ``"depth-first"``: leave out the edges that lead back to a class above when one walks
        down from the parentless classes, following edges in the order of the file. By default a
        cycle is an error.
    on_note
        Called with a sentence for what is left out.

    Raises
    ------
    BadInput
        For a line with the wrong number of fields, a cycle, a self-loop, a duplicate edge, an
        empty or unreadable file; the message names file and line.
    """
    edges = parse_hierarchy(
        path,
        fmt=fmt,
        relations=relations,
        namespace=namespace,
        undefined=undefined,
        parent_column=parent_column,
        child_column=child_column,
    )
    notes = [*edges.notes]
    if break_cycles is not None:
        edges, more = edges.without_cycles(break_cycles)
        notes += more
    for note in notes if on_note is not None else ():
        on_note(note)  # type: ignore[misc]
    try:
        return edges.build()
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
    undefined: str = "error",
    parent_column: str | None = None,
    child_column: str | None = None,
    trouble: Trouble = stop,
) -> EdgeList:
    """Return what a hierarchy file says, unchecked; parameters as for :func:`read_hierarchy`."""
    check_choice("undefined", undefined, ("error", "drop"))
    values = (tuple(relations), namespace, undefined, parent_column, child_column)
    usual = (None, ("is_a",), "error")
    options = {k: v for k, v in zip(OPTION_KINDS, values, strict=True) if v not in usual}
    source = Source(path, options, trouble)
    named_columns = not {"parent_column", "child_column"}.isdisjoint(options)
    form = HIERARCHY_FORMATS.choose(
        source, EDGE_TABLE.name if fmt == "auto" and named_columns else fmt
    )
    if form is JSON and fmt == "auto":  # .json says no more than that
        form = next((x for x in JSON_ONTOLOGIES if x.detect and x.detect(source)), form)
    foreign = next((name for name in options if name not in form.options), None)
    if foreign is not None:
        raise BadInput(
            f"{path}: {foreign} is for {OPTION_KINDS[foreign]} files; "
            f"this file was read as {form.name}"
        )
    return form.read(source)


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
    >>> print(write_hierarchy(tree, "taxonomy")[0])
    parent	child	child
    r	a	b
    """
    content = HIERARCHY_FORMATS.writer(fmt)(hierarchy)
    return content, HIERARCHY_FORMATS.notes(fmt, hierarchy)
