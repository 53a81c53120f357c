"""Faults and doubts in a hierarchy file."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import MOST_SHOWN, FileReport
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, find_cycle
from hierpair.hierarchy.arrays import ragged_ranges, row_numbers
from hierpair.hierarchy.building import check_weight
from hierpair.io import BREAKING_RULES, EdgeList, parse_hierarchy

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
    about.add_all("warning", "left out", (("", note) for note in edges.notes))
    sound = _sound_edges(edges, about)
    if break_cycles is not None:
        sound, notes = sound.without_cycles(break_cycles)
        about.add_all("warning", "cycle", (("", note) for note in notes))
    else:
        sound = _without_cycles(sound, about)
    try:
        hierarchy = sound.build()
    except BadInput as error:
        about.add("error", "hierarchy", str(error))
        return None
    _roots(hierarchy, about)
    _near_duplicates(hierarchy, about)
    _shortcuts(hierarchy, about)
    return hierarchy


def _sound_edges(edges: EdgeList, about: FileReport) -> EdgeList:
    """Return the edges that can be used, once each."""
    first: dict[tuple[Any, Any], int] = {}
    blank, loops, double, weights = [], [], [], []
    kept: list[int] = []
    for i, edge in enumerate(edges.edges):
        parent, child = edge[0], edge[1]
        place = edges.where(i)
        if parent in ("", None) or child in ("", None):
            blank.append((place, "a class name is missing"))
        elif parent == child:
            loops.append((place, f"class {parent!r} is its own parent"))
        elif (parent, child) in first:
            before = edges.where(first[parent, child])
            double.append((place, f"the edge {parent!r} → {child!r} already occurs at {before}"))
        else:
            first[parent, child] = i
            try:
                for weight in edge[2:]:
                    check_weight(weight, place)
            except BadInput as error:
                weights.append((place, str(error).removeprefix(f"{place}: ")))
                continue
            kept.append(i)
    blank += [("", "classes: a class name is missing") for c in edges.classes if c in ("", None)]
    about.add_all("error", "blank name", blank)
    about.add_all("error", "self-loop", loops)
    about.add_all("error", "duplicate edge", double)
    about.add_all("error", "edge weight", weights)
    named = dict.fromkeys([*edges.classes, *(name for edge in edges.edges for name in edge[:2])])
    return replace(
        edges,
        edges=[edges.edges[i] for i in kept],
        where=lambda i: edges.where(kept[i]),
        classes=[name for name in named if name not in ("", None)],
    )


def _without_cycles(edges: EdgeList, about: FileReport) -> EdgeList:
    """Spell out the cycles, one for every edge that has to go, and go on without these edges."""
    pairs = [(edge[0], edge[1]) for edge in edges.edges]
    rule, find = next(iter(BREAKING_RULES.items()))
    dropped = find(pairs)
    if not dropped:
        return edges
    rest = [pair for i, pair in enumerate(pairs) if i not in dropped]
    cycles = []
    for i in sorted(dropped)[:MOST_SHOWN]:
        names = find_cycle([*rest, pairs[i]])
        spelled = " → ".join(map(str, names if len(names) < 14 else [*names[:6], "…", *names[-6:]]))
        message = (
            f"a cycle: {spelled}; --break-cycles {rule} would leave "
            f"out {pairs[i][0]} → {pairs[i][1]}"
        )
        cycles.append((edges.where(i), message))
    about.add_all("error", "cycle", cycles, len(dropped))
    return edges.without_cycles(rule)[0]


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
