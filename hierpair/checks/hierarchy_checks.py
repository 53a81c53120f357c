"""Faults and doubts in a hierarchy file."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import FileReport
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import ragged_ranges, row_numbers
from hierpair.hierarchy.building import FAULTS, Fault, check_other_names, numbered_edges
from hierpair.io import BREAKING_RULES, parse_hierarchy

__all__ = ["lint_hierarchy"]

MOST_ANCESTORS = 5_000_000
"""Shortcuts are looked for where the classes with several parents have no more ancestors."""


def lint_hierarchy(
    path: str | Path, about: FileReport, break_cycles: str | None = None, **options: Any
) -> Hierarchy | None:
    """Add what is wrong with a hierarchy file; return the hierarchy where it can be built.

    What can be mended is mended to go on: a duplicate edge is taken once, a faulty one left out.
    """
    troubles: list[str] = []
    try:
        edges = parse_hierarchy(path, trouble=troubles.append, **options)
    except BadInput as error:
        about.add("error", "format", str(error))
        return None
    about.add_all("error", "format", (("", trouble) for trouble in troubles))
    if break_cycles is not None:
        edges, notes = edges.without_cycles(break_cycles)
        about.add_all("warning", "cycle", (("", note) for note in notes))
    faults: list[Fault] = []
    refusal = ""
    try:
        numbered = numbered_edges(edges.edges, edges.classes, edges.where, faults.append)
        check_other_names(numbered["names"], edges.aliases, edges.titles)
    except BadInput as error:
        refusal = str(error)
    hint = {"cycle": f" (--break-cycles {next(iter(BREAKING_RULES))})"}
    for rule in FAULTS:
        found = ((f.place, f.message + hint.get(rule, "")) for f in faults if f.rule == rule)
        about.add_all("error", rule, found)
    if refusal:
        about.add("error", "hierarchy", refusal)
        return None
    hierarchy = Hierarchy(**numbered, aliases=dict(edges.aliases), titles=dict(edges.titles))
    _roots(hierarchy, about)
    _near_duplicates(hierarchy, about)
    _shortcuts(hierarchy, about)
    return hierarchy


def _roots(hierarchy: Hierarchy, about: FileReport) -> None:
    roots = hierarchy.root_indices
    unlinked = roots[hierarchy.child_ptr[roots] == hierarchy.child_ptr[roots + 1]]
    if len(hierarchy) > 1:
        names = (hierarchy.names[c] for c in unlinked)
        orphans = (("", f"class {name!r} has neither parents nor children") for name in names)
        about.add_all("warning", "orphan", orphans)
    if len(roots) - len(unlinked) > 1:
        some = ", ".join(str(hierarchy.names[c]) for c in roots[:5])
        more = ", …" if len(roots) > 5 else ""
        message = (
            f"{len(roots)} classes have no parent: {some}{more}; classes under different roots "
            "have no common ancestor, and swapped columns look like this"
        )
        about.add("warning", "several roots", message)
    for doubt in hierarchy.doubts:
        if "swapped" in doubt:
            about.add("warning", "upside down", doubt)


def _near_duplicates(hierarchy: Hierarchy, about: FileReport) -> None:
    first: dict[str, Any] = {}
    twins = []
    for name in hierarchy.names:
        form = _form(str(name))
        if form in first:
            message = (
                f"{name!r} and {first[form]!r} differ only in case, blanks, signs or Unicode form"
            )
            twins.append(("", message))
        first.setdefault(form, name)
    about.add_all("warning", "near-duplicate names", twins)


def _form(name: str) -> str:
    text = unicodedata.normalize("NFKC", name).casefold()
    plain = "".join(c for c in text if c.isalnum() or c in "/:.+#")
    return plain or text


def _shortcuts(hierarchy: Hierarchy, about: FileReport) -> None:
    """Edges to a class that is an ancestor of another parent too: they shorten distances."""
    n_parents = np.diff(hierarchy.parent_ptr)
    child = np.flatnonzero(n_parents > 1)
    edge = ragged_ranges(hierarchy.parent_ptr[child], n_parents[child])
    closure = ancestor_closure(hierarchy, hierarchy.parents[edge])
    if not len(edge) or int(closure.lengths(hierarchy.parents[edge]).sum()) > MOST_ANCESTORS:
        return
    owner = np.repeat(child, n_parents[child])
    count = n_parents[owner]
    siblings = ragged_ranges(hierarchy.parent_ptr[owner], count)
    passed, between = np.repeat(hierarchy.parents[edge], count), hierarchy.parents[siblings]
    known = row_numbers(closure.indptr) * len(hierarchy) + closure.indices
    wanted = closure.rows(between).astype(np.int64) * len(hierarchy) + passed
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    shortcuts = np.flatnonzero((known[at] == wanted) & (passed != between))
    names, below = hierarchy.names, np.repeat(owner, count)
    messages = (
        f"the edge {names[passed[i]]!r} → {names[below[i]]!r} passes over "
        f"{names[between[i]]!r}, which lies between them"
        for i in shortcuts.tolist()
    )
    about.add_all("warning", "shortcut", (("", message) for message in messages))
