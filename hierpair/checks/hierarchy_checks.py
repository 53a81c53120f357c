"""Faults and doubts in a hierarchy file."""

from __future__ import annotations

import unicodedata
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import FileReport
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import ragged_ranges
from hierpair.hierarchy.building import FAULTS, Fault
from hierpair.hierarchy.edge_list import cycles_broken
from hierpair.io import BREAKING_RULES, parse_hierarchy

__all__ = ["lint_hierarchy"]

MOST_ANCESTORS = 5_000_000
"""Shortcuts are looked for where the classes with several parents have no more ancestors."""


def lint_hierarchy(
    path: str | Path,
    about: FileReport,
    break_cycles: str | None = None,
    roots: str | None = None,
    **options: Any,
) -> Hierarchy | None:
    """Add what is wrong with a hierarchy file, and what it is like; return it if it can be built.

    What can be mended is mended to go on: a duplicate edge is taken once, a faulty one left out.
    """
    troubles: list[str] = []
    faults: list[Fault] = []
    broken: list[str] = []
    refusal, hierarchy, rule = "", None, "format"
    try:
        edges = parse_hierarchy(path, trouble=troubles.append, **options)
        about.add_all("error", "format", (("", trouble) for trouble in troubles))
        about.add_all("warning", "left out", (("", note) for note in edges.notes))
        told, rule = cycles_broken(break_cycles, broken.append, faults.append), "hierarchy"
        hierarchy = edges.build("any", trouble=told)
    except BadInput as error:
        refusal = str(error)
    about.add_all("warning", "cycle", (("", note) for note in broken))
    hint = {"cycle": f" (--break-cycles {BREAKING_RULES[0]})"}
    for kind in FAULTS:
        found = ((f.place, f.message + hint.get(kind, "")) for f in faults if f.rule == kind)
        about.add_all("error", kind, found)
    if hierarchy is None:
        about.add("error", rule, refusal)
        return None
    if not faults and not troubles:
        try:
            edges.check_roots(hierarchy, roots, partial(about.add, "warning", "several roots"))
        except BadInput as error:
            about.add("error", "misread", str(error))
    _near_duplicates(hierarchy, about)
    _shortcuts(hierarchy, about)
    _describe(hierarchy, about)
    return hierarchy


def _describe(hierarchy: Hierarchy, about: FileReport) -> None:
    """Add size, depth, names and branching."""
    n_children = np.diff(hierarchy.child_ptr)
    depth, inner = hierarchy.depths[n_children == 0], n_children[n_children > 0]
    about.add("note", "shape", hierarchy.describe())
    at = f"at depth {depth.min()} to {depth.max()}, mean {depth.mean():.1f}"
    about.add("note", "leaves", f"{len(depth):,}, {at}")
    for name, title in [*hierarchy.titles.items()][:1]:
        n = len(hierarchy.titles)
        have = "class has" if n == 1 else "classes have"
        said = f"{n:,} {have} a name beside their id, such as {name}: {title}"
        about.add("note", "names", said)
    if len(inner):
        most = f"{inner.mean():.1f} children in the mean, at most {inner.max():,}"
        about.add("note", "branching", f"an inner class has {most}")


def _near_duplicates(hierarchy: Hierarchy, about: FileReport) -> None:
    first: dict[str, Any] = {}
    twins = []
    for name in hierarchy.names:
        other = first.setdefault(_form(str(name)), name)
        if other != name:
            both = f"{name!r} and {other!r}"
            twins.append(("", f"{both} differ only in case, blanks, signs or Unicode form"))
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
    count = n_parents[owner]  # every parent with every other one
    siblings = ragged_ranges(hierarchy.parent_ptr[owner], count)
    passed, between = np.repeat(hierarchy.parents[edge], count), hierarchy.parents[siblings]
    shortcuts = np.flatnonzero((closure.find(between, passed) >= 0) & (passed != between))
    names, below = hierarchy.names, np.repeat(owner, count)
    messages = (
        f"the edge {names[passed[i]]!r} → {names[below[i]]!r} passes over "
        f"{names[between[i]]!r}, which lies between them"
        for i in shortcuts.tolist()
    )
    about.add_all("warning", "shortcut", (("", message) for message in messages))
