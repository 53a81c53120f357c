"""Hierarchies as JSON: nested dicts and lists, maps and edges, read as they are in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.nested import object_edges
from hierpair.hierarchy.sources import map_edges, path_edges
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_list import EdgeList, lost_beside, named_edges
from hierpair.io.json_values import parse_json, text_name
from hierpair.io.written_names import plain_names

__all__ = ["JSON"]


def _read(source: Source) -> EdgeList:
    """Return what a JSON file says.

    Accepted are

    - ``[["parent", "child"], …]`` or ``{"edges": [...], "classes": [...], "aliases": {...}}``,
      an edge with a weight as third entry if all have one;
    - ``{"child": "parent", …}``, with a list for several parents and null for none; with the
      direction ``parent-to-child`` the lists hold children;
    - ``{"top": {"middle": ["class", …], …}}``, nested dicts and lists (a dict within a dict tells
      them from a parent map);
    - ``[{"id": "class", "parent": "top"}, …]``, the rows of a table, or such objects by their ids;
    - ``{"name": "top", "children": [{"name": …}, …]}``, or a list of these, with the usual other
      keys (``id``, ``child_ids``, ``Subcategory``, …);
    - node-link graphs: ``{"nodes": [{"id": …}], "links": [{"source": …, "target": …}]}``;
    - ``["top/middle", …]``, lineages.
    """
    path, data = source.path, parse_json(source.path, source.text)
    try:
        found = _found(data, source, lambda said: source.fault(0, said))
    except BadInput as error:
        said = str(error).removeprefix(f"{path}: ")
        raise BadInput(f"{path}: {said}") from None
    tell = found.pop("where", lambda i: repr(found["edges"][i][1]))
    declared = isinstance(data, dict) and "classes" in data
    return EdgeList(**found, where=lambda i: f"{path}: {tell(i)}", declared=declared)


def _found(data: Any, source: Source, trouble: Callable[[str], None]) -> dict[str, Any]:
    """Return the fields of what the data say."""
    if isinstance(data, list) and data:
        if all(isinstance(x, list) for x in data):
            data = {"edges": data}
        elif all(isinstance(x, str) for x in data):
            return path_edges(data, source.options.get("separator", "/"))
    if isinstance(data, (dict, list)):
        found = object_edges(data, text_name, trouble)
        if found is not None:
            return found
    if isinstance(data, dict) and data:
        direction = source.options.get("direction")
        return {**map_edges(_named(data, trouble), direction), "direction": direction}
    raise BadInput(
        "expected edges [[parent, child], …], parents {child: parent}, nested "
        f'dicts, nested {{"name", "children"}}, or nodes and links, got {shown(data, 40)}'
    )


def _named(data: dict[str, Any], trouble: Callable[[str], None]) -> dict[str, Any]:
    """Return a map whose values are names, or lists of names."""
    named: dict[str, Any] = {}
    for child, value in data.items():
        others = value if isinstance(value, list) else [] if value in (None, "") else [value]
        names = [text_name(x) for x in others]
        if None in names:
            trouble(
                f"{child!r}: expected the name of its parent, or a list of names, "
                f"got {shown(others[names.index(None)], 40)}"
            )
        named[child.strip()] = [name for name in names if name is not None]
    return named


def _write(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "")
    edges: list[Sequence[object]] = [*named_edges(hierarchy, names)]
    if hierarchy.weights is not None:
        edges = [[*e, w] for e, w in zip(edges, hierarchy.weights.tolist(), strict=True)]
    aliases = {str(k): str(v) for k, v in hierarchy.aliases.items()}
    titles = {str(k): v for k, v in hierarchy.titles.items()}
    beside = {k: v for k, v in (("aliases", aliases), ("titles", titles)) if v}
    return json.dumps({"classes": names, "edges": edges, **beside}, ensure_ascii=False)


JSON = Format(
    "json",
    "JSON: edges, a parent map, nested dicts, nested children, records, or nodes and links",
    _read,
    _write,
    lambda source: source.text.lstrip().startswith(("{", "[{", "[[", "[ ", "[\n", '["')),
    endings=(".json",),
    options=("separator",),
    notes=lost_beside("aliases", "titles", "weights"),
)
