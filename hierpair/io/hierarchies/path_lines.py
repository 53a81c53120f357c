"""Hierarchies as slash paths, a class per line."""

from __future__ import annotations

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.io.formats import Source
from hierpair.io.hierarchies.edge_list import EdgeList, lost_beside, named_edges
from hierpair.io.hierarchies.line_hierarchies import line_format, places
from hierpair.io.written_names import plain_names

__all__ = ["PATHS"]


def _read_paths(source: Source) -> EdgeList:
    path = source.path
    edges: dict[tuple[str, str], int] = {}
    tops: dict[str, None] = {}
    for number, line in enumerate(source.lines, start=1):
        parts = [part.strip() for part in line.strip().split("/")] if line.strip() else []
        fault = ""
        if parts and not (parts[0] and parts[-1]):
            fault = "a path must not start or end with a slash"
        elif not all(parts):
            fault = "a class name is missing between two slashes"
        elif any("\t" in part for part in parts):
            fault = "a tab in a path; expected one class as top/middle/class"
        if fault:
            source.trouble(f"{path}:{number}: {fault}")
            continue
        for k in range(1, len(parts)):
            edges.setdefault(("/".join(parts[:k]), "/".join(parts[: k + 1])), number)
        if parts:
            tops[parts[0]] = None
    return EdgeList(list(edges), places(path, list(edges.values())), list(tops))


def _are_paths(source: Source) -> bool:
    """Whether lines are paths such as ``top/middle/class``; edges may have slashes in names."""
    if "\t" in source.text or "/" not in source.text:
        return False
    lines = [line.strip() for line in source.lines if line.strip()]
    if any(line[0] == "/" or line[-1] == "/" or "//" in line for line in lines):
        return False
    fields = [line.split() for line in lines]
    if any(len(row) != 2 for row in fields):
        return True
    # Two words in every line: "food food/bread" is an edge, "food/soft cheese" a path.
    if any("/" in first and "/" not in second for first, second in fields):
        raise BadInput(
            f"{source.path}: is {lines[0]!r} an edge, parent and child, or a path? Set the "
            "hierarchy format to edges or paths"
        )
    return False


def _write_paths(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    if hierarchy.shape == "DAG":
        raise BadInput("a class with several parents has no single path; write edges")
    if _are_own_paths(hierarchy, names):
        return "\n".join(names)
    plain_names(hierarchy, "/")
    paths: list[str] = []
    above = hierarchy.parent_ptr.tolist()
    for c, name in enumerate(names):  # parents come before their children
        top = above[c] == above[c + 1]
        paths.append(name if top else f"{paths[int(hierarchy.parents[above[c]])]}/{name}")
    return "\n".join(paths)


def _are_own_paths(hierarchy: Hierarchy, names: list[str]) -> bool:
    """Whether classes are called by their paths, and reading leaves these as they are."""
    by_path = all(c.rpartition("/")[0] == p for p, c in named_edges(hierarchy, names))
    if not by_path or any("/" in names[c] for c in hierarchy.root_indices.tolist()):
        return False
    return all(part and part == part.strip() for name in names for part in name.split("/"))


def _paths_lose(hierarchy: Hierarchy) -> list[str]:
    lost = lost_beside()(hierarchy)
    if not _are_own_paths(hierarchy, list(map(str, hierarchy.names))) and len(hierarchy.parents):
        lost.append("a class is called by its whole path in this form")
    return lost


PATHS = line_format(
    "paths",
    "one class per line as top/middle/class; a class is named by its whole path",
    _read_paths,
    _write_paths,
    _are_paths,
    _paths_lose,
)
