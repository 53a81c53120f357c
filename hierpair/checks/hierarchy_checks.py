"""Faults and doubts in a hierarchy file."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import MOST_SHOWN, Report
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, find_cycle
from hierpair.hierarchy.arrays import ragged_ranges, row_numbers
from hierpair.hierarchy.building import check_weight
from hierpair.io import BREAKING_RULES, EdgeList, parse_hierarchy

__all__ = ["lint_hierarchy"]

MOST_ANCESTORS = 5_000_000
"""Shortcuts are looked for where the classes with several parents have no more ancestors."""


def lint_hierarchy(
    path: str | Path, report: Report, break_cycles: str | None = None, **options: Any
) -> Hierarchy | None:
    """Add what is wrong with a hierarchy file; return the hierarchy where it can be built.

    What can be mended is mended to go on: a duplicate edge is taken once, a faulty one left out.
    """
    where = str(path)
    troubles: list[str] = []
    try:
        given = parse_hierarchy(path, trouble=troubles.append, **options)
    except BadInput as error:
        report.add("error", "format", where, _without(where, str(error)))
        return None
    report.add_all("error", "format", where, ((where, _without(where, t)) for t in troubles))
    sound = _sound_edges(given, where, report)
    if break_cycles is not None:
        sound, notes = sound.without_cycles(break_cycles)
        report.add_all("warning", "cycle", where, ((where, _without(where, n)) for n in notes))
    else:
        sound = _without_cycles(sound, where, report)
    try:
        hierarchy = sound.build()
    except BadInput as error:
        report.add("error", "hierarchy", where, _without(where, str(error)))
        return None
    _roots(hierarchy, where, report)
    _near_duplicates(hierarchy, where, report)
    _shortcuts(hierarchy, where, report)
    return hierarchy


def _without(path: str, message: str) -> str:
    """Return a message without the file that stands in its own column."""
    return message.removeprefix(f"{path}: ")


def _sound_edges(given: EdgeList, where: str, report: Report) -> EdgeList:
    """Return the edges that can be used, once each."""
    first: dict[tuple[Any, Any], int] = {}
    blank, loops, double, weights = [], [], [], []
    kept: list[int] = []
    for i, edge in enumerate(given.edges):
        parent, child = edge[0], edge[1]
        place = given.where(i)
        if parent in ("", None) or child in ("", None):
            blank.append((place, "a class name is missing"))
        elif parent == child:
            loops.append((place, f"class {parent!r} is its own parent"))
        elif (parent, child) in first:
            before = given.where(first[parent, child])
            double.append((place, f"the edge {parent!r} → {child!r} stands already at {before}"))
        else:
            first[parent, child] = i
            try:
                for weight in edge[2:]:
                    check_weight(weight, place)
            except BadInput as error:
                weights.append((place, _without(place, str(error))))
                continue
            kept.append(i)
    report.add_all("error", "blank name", where, blank)
    report.add_all("error", "self-loop", where, loops)
    report.add_all("error", "duplicate edge", where, double)
    report.add_all("error", "edge weight", where, weights)
    named = dict.fromkeys([*given.classes, *(name for edge in given.edges for name in edge[:2])])
    classes = [name for name in named if name not in ("", None)]
    return EdgeList(
        [given.edges[i] for i in kept], lambda i: given.where(kept[i]), classes, given.aliases,
        given.titles,
    )  # fmt: skip


def _without_cycles(given: EdgeList, where: str, report: Report) -> EdgeList:
    """Spell out the cycles, one for every edge that has to go, and go on without these edges."""
    pairs = [(edge[0], edge[1]) for edge in given.edges]
    rule, find = next(iter(BREAKING_RULES.items()))
    dropped = find(pairs)
    if not dropped:
        return given
    rest = [pair for i, pair in enumerate(pairs) if i not in dropped]
    found = []
    for i in sorted(dropped)[:MOST_SHOWN]:
        names = find_cycle([*rest, pairs[i]])
        spelled = " → ".join(map(str, names if len(names) < 14 else [*names[:6], "…", *names[-6:]]))
        found.append((given.where(i), f"a cycle: {spelled}; --break-cycles {rule} would leave "
                      f"out {pairs[i][0]} → {pairs[i][1]}"))  # fmt: skip
    found += [("", "")] * (len(dropped) - len(found))
    report.add_all("error", "cycle", where, found)
    return given.without_cycles(rule)[0]


def _roots(hierarchy: Hierarchy, where: str, report: Report) -> None:
    roots = hierarchy.root_indices
    lone = roots[hierarchy.child_ptr[roots] == hierarchy.child_ptr[roots + 1]]
    if len(hierarchy) > 1:
        report.add_all("warning", "orphan", where, (
            (where, f"class {hierarchy.names[c]!r} has neither parents nor children") for c in lone
        ))  # fmt: skip
    if len(roots) - len(lone) > 1:
        some = ", ".join(str(hierarchy.names[c]) for c in roots[:5])
        more = ", …" if len(roots) > 5 else ""
        report.add("warning", "several roots", where, (
            f"{len(roots)} classes have no parent: {some}{more}; classes under different roots "
            "have no common ancestor, and swapped columns look like this"
        ))  # fmt: skip
    for doubt in hierarchy.doubts:
        if "swapped" in doubt:
            report.add("warning", "upside down", where, doubt)


def _near_duplicates(hierarchy: Hierarchy, where: str, report: Report) -> None:
    seen: dict[str, Any] = {}
    twins = []
    for name in hierarchy.names:
        form = _form(str(name))
        if form in seen:
            twins.append((where, f"{name!r} and {seen[form]!r} differ only in case, blanks, "
                          "signs or Unicode form"))  # fmt: skip
        seen.setdefault(form, name)
    report.add_all("warning", "near-duplicate names", where, twins)


def _form(name: str) -> str:
    text = unicodedata.normalize("NFKC", name).casefold()
    plain = "".join(c for c in text if c.isalnum() or c in "/:.+#")
    return plain or text


def _shortcuts(hierarchy: Hierarchy, where: str, report: Report) -> None:
    """Edges to a class that is an ancestor of another parent too: they shorten distances."""
    n_parents = np.diff(hierarchy.parent_ptr)
    child = np.flatnonzero(n_parents > 1)
    edge = ragged_ranges(hierarchy.parent_ptr[child], n_parents[child])
    closure = ancestor_closure(hierarchy, hierarchy.parents[edge])
    if not len(edge) or int(closure.lengths(hierarchy.parents[edge]).sum()) > MOST_ANCESTORS:
        return
    owner = np.repeat(child, n_parents[child])
    count = n_parents[owner]
    other = ragged_ranges(hierarchy.parent_ptr[owner], count)
    passed, between = np.repeat(hierarchy.parents[edge], count), hierarchy.parents[other]
    known = row_numbers(closure.indptr) * len(hierarchy) + closure.indices
    wanted = closure.rows(between).astype(np.int64) * len(hierarchy) + passed
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    found = np.flatnonzero((known[at] == wanted) & (passed != between))
    names, below = hierarchy.names, np.repeat(owner, count)
    report.add_all("warning", "shortcut", where, (
        (where, f"the edge {names[passed[i]]!r} → {names[below[i]]!r} passes over "
         f"{names[between[i]]!r}, which lies between them")
        for i in found.tolist()
    ))  # fmt: skip
