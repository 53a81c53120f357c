"""Hierarchies as text that reads back to the same classes and edges."""

from __future__ import annotations

import json
from collections.abc import Callable

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.io.hierarchies.reading import OF_LINES, foreign_name
from hierpair.io.written_names import checked, plain_names

__all__ = ["HIERARCHY_WRITERS", "write_hierarchy"]

HEADER = "parent\tchild"
"""Always written, so that classes called parent and child are not taken for it."""


def write_hierarchy(hierarchy: Hierarchy, fmt: str) -> tuple[str, list[str]]:
    """Return a hierarchy as the text of a file, and notes about what the form cannot hold.

    Parameters
    ----------
    hierarchy
        The classes; their names are written as text.
    fmt
        A name in ``HIERARCHY_WRITERS``.

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
    if fmt not in HIERARCHY_WRITERS:
        raise BadInput(
            f"a hierarchy cannot be written as {fmt!r}; it is one of "
            f"{', '.join(HIERARCHY_WRITERS)}{did_you_mean(fmt, HIERARCHY_WRITERS)}"
        )
    notes = []
    if hierarchy.aliases and fmt not in ("json", "obo"):
        notes.append(f"{len(hierarchy.aliases)} other names of classes are lost; json keeps them")
    if hierarchy.titles and fmt not in ("json", "obo"):
        notes.append(
            f"{len(hierarchy.titles)} names of classes for people are lost; json keeps them"
        )
    if hierarchy.weights is not None and fmt not in ("json", "weighted-edges"):
        notes.append("the edge weights are lost; weighted-edges and json keep them")
    if not len(hierarchy.parents) and fmt in OF_LINES:
        foreign = foreign_name(list(map(str, hierarchy.names)))
        if foreign is not None:
            raise BadInput(
                f"classes without any edge, such as {shown(foreign[0], 40)}, would be taken for "
                "lines of another form; write json"
            )
    content = HIERARCHY_WRITERS[fmt](hierarchy)
    if fmt == "paths" and not set(content.split("\n")) <= {str(name) for name in hierarchy.names}:
        notes.append("a class is called by its whole path in this form")
    return content, notes


def _pairs(hierarchy: Hierarchy, names: list[str]) -> list[tuple[str, str]]:
    ptr, parents = hierarchy.parent_ptr.tolist(), hierarchy.parents.tolist()
    return [(names[p], names[c]) for c in range(len(names)) for p in parents[ptr[c] : ptr[c + 1]]]


def _lone(hierarchy: Hierarchy, names: list[str]) -> list[str]:
    """Return the classes without any edge."""
    up, down = hierarchy.parent_ptr, hierarchy.child_ptr
    return [
        names[c] for c in range(len(names)) if up[c] == up[c + 1] and down[c] == down[c + 1]
    ]  # fmt: skip


def _connected(hierarchy: Hierarchy, fmt: str) -> list[str]:
    names = plain_names(hierarchy, "\t\n\r")
    lone = _lone(hierarchy, names)
    if lone:
        raise BadInput(
            f"class {lone[0]!r} has no edge, which {fmt} cannot say; "
            "write taxonomy, parents or json"
        )
    return names


def _edges(hierarchy: Hierarchy) -> str:
    names = _connected(hierarchy, "edges")
    return "\n".join([HEADER, *("\t".join(pair) for pair in _pairs(hierarchy, names))])


def _weighted_edges(hierarchy: Hierarchy) -> str:
    names = _connected(hierarchy, "weighted-edges")
    if hierarchy.weights is None:
        raise BadInput("this hierarchy has no edge weights; write edges")
    rows = zip(_pairs(hierarchy, names), hierarchy.weights.tolist(), strict=True)
    return "\n".join([f"{HEADER}\tweight", *(f"{p}\t{c}\t{w!r}" for (p, c), w in rows)])


def _taxonomy(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    ptr, children = hierarchy.child_ptr.tolist(), hierarchy.children.tolist()
    lines = [f"{HEADER}\tchild", *_lone(hierarchy, names)]  # three fields: no list of edges
    for c, name in enumerate(names):
        below = children[ptr[c] : ptr[c + 1]]
        if below:
            lines.append("\t".join([name, *(names[b] for b in below)]))
    return "\n".join(lines)


def _parents(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    roots = [f"{names[c]}\t" for c in hierarchy.root_indices.tolist()]
    return "\n".join(["child\tparent", *roots, *(f"{c}\t{p}" for p, c in _pairs(hierarchy, names))])


def _paths(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\t\n\r")
    if hierarchy.shape == "DAG":
        raise BadInput("a class with several parents has no single path; write edges")
    tops = [names[c] for c in hierarchy.root_indices.tolist()]
    by_path = all(c.rpartition("/")[0] == p for p, c in _pairs(hierarchy, names))
    if by_path and not any("/" in top for top in tops) and _tidy(names):
        return "\n".join(names)
    plain_names(hierarchy, "/")
    paths: list[str] = []
    above = hierarchy.parent_ptr.tolist()
    for c, name in enumerate(names):  # parents come before their children
        top = above[c] == above[c + 1]
        paths.append(name if top else f"{paths[int(hierarchy.parents[above[c]])]}/{name}")
    return "\n".join(paths)


def _tidy(paths: list[str]) -> bool:
    """Whether reading paths leaves them as they are: no part is blank or starts with a blank."""
    return all(part and part == part.strip() for path in paths for part in path.split("/"))


def _json(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "")
    edges: list[list[object]] = [list(pair) for pair in _pairs(hierarchy, names)]
    if hierarchy.weights is not None:
        edges = [[*e, w] for e, w in zip(edges, hierarchy.weights.tolist(), strict=True)]
    data: dict[str, object] = {"classes": names, "edges": edges}
    if hierarchy.aliases:
        data["aliases"] = {str(k): str(v) for k, v in hierarchy.aliases.items()}
    if hierarchy.titles:
        data["titles"] = {str(k): v for k, v in hierarchy.titles.items()}
    return json.dumps(data, ensure_ascii=False)


def _obo(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\n\r!{ \t")
    other: dict[str, list[str]] = {}
    for alias, name in hierarchy.aliases.items():
        other.setdefault(str(name), []).append(checked([alias], "\n\r!{", "other name")[0])
    above: dict[str, list[str]] = {}
    for parent, child in _pairs(hierarchy, names):
        above.setdefault(child, []).append(parent)
    lines = ["format-version: 1.2"]
    titles = {str(name): title for name, title in hierarchy.titles.items()}
    for name in names:
        lines += ["", "[Term]", f"id: {name}"]
        title = " ".join(titles.get(name, "").split())
        lines += [f"name: {title}"] if title else []
        lines += [f"alt_id: {alias}" for alias in other.get(name, [])]
        lines += [f"is_a: {parent}" for parent in above.get(name, [])]
    return "\n".join(lines)


HIERARCHY_WRITERS: dict[str, Callable[[Hierarchy], str]] = {
    "edges": _edges,
    "weighted-edges": _weighted_edges,
    "taxonomy": _taxonomy,
    "parents": _parents,
    "paths": _paths,
    "json": _json,
    "obo": _obo,
}
"""Writers by the names of the formats that read them back."""
