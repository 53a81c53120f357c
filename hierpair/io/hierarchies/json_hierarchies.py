"""Hierarchies as JSON: edge lists, parent maps, nested children, node-link graphs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.sources import nested_edges, table_columns, table_edges
from hierpair.io.formats import Format, Source, Trouble
from hierpair.io.hierarchies.edge_list import EdgeList, lost_beside, named_edges
from hierpair.io.json_values import parse_json, text_name
from hierpair.io.written_names import plain_names

__all__ = ["JSON"]

MOST_HINTS = 10
"""Misspelled names of one file that a likely spelling is looked for: each takes milliseconds."""


def _read(source: Source) -> EdgeList:
    """Return what a JSON file says.

    Accepted are

    - ``[["parent", "child"], …]`` or ``{"edges": [...], "classes": [...], "aliases": {...}}``,
      an edge with a weight as third entry if all have one;
    - ``{"child": "parent", …}``, with a list for several parents and null for none;
    - ``{"top": {"middle": ["class", …], …}}``, nested dicts and lists (a dict within a dict tells
      them from a parent map);
    - ``[{"id": "class", "parent": "top"}, …]``, the rows of a table;
    - ``{"name": "top", "children": [{"name": …}, …]}``, or a list of these; ``id`` instead of
      ``name`` is understood;
    - node-link graphs: ``{"nodes": [{"id": …}], "links": [{"source": …, "target": …}]}``.
    """
    path, trouble = source.path, source.trouble
    data = parse_json(path, source.text)
    if isinstance(data, dict) and isinstance(data.get("nodes"), list):
        return _node_link(path, data, trouble)
    if isinstance(data, dict) and isinstance(data.get("edges"), list):
        return _edge_list(path, data["edges"], data, trouble)
    if isinstance(data, list) and all(isinstance(x, list) for x in data) and data:
        return _edge_list(path, data, {}, trouble)
    if isinstance(data, dict) and "children" in data and {"name", "id"} & set(data):
        return _nested(path, [data], trouble)
    nested = data if isinstance(data, list) else [data]
    if nested and all(_label_of(x) is not None for x in nested):
        return _nested(path, nested, trouble)
    records = _records(data)
    if records is not None:
        return EdgeList(**table_edges(records, lambda i: f"{path}: record {i + 1}", trouble))
    if _holds_dicts(data):
        found = nested_edges(data, text_name, lambda text: trouble(f"{path}: {text}"))
        return EdgeList(**found, where=lambda i: f"{path}: {found['edges'][i][1]!r}")
    if isinstance(data, dict) and data:
        return _parent_map(path, data, trouble)
    raise BadInput(
        f"{path}: expected edges [[parent, child], …], parents {{child: parent}}, nested "
        f'dicts, nested {{"name", "children"}}, or nodes and links, got {shown(data, 40)}'
    )


def _records(data: Any) -> dict[str, list[Any]] | None:
    """Return the columns of a list of objects that name parent and child, or None."""
    if not isinstance(data, list) or not data or not all(isinstance(x, dict) for x in data):
        return None
    roles = table_columns(list(dict.fromkeys(key for row in data for key in row)))
    if roles is None or any(isinstance(x, (list, dict)) for row in data for x in row.values()):
        return None
    columns = {role: [row.get(name) for row in data] for role, name in roles.items()}
    for role in ("child", "parent"):
        columns[role] = [text_name(x) or "" for x in columns[role]]
    return columns


def _holds_dicts(data: Any) -> bool:
    """Whether these are nested dicts: a parent map has none, and texts where they have dicts."""
    if isinstance(data, list):
        dicts = [x for x in data if isinstance(x, dict)]
        below = [x for part in dicts for x in part.values()]
        return bool(dicts) and all(x is None or isinstance(x, (list, dict)) for x in below)
    inside = list(data.values()) if isinstance(data, dict) else []
    below = [x for value in inside for x in (value if isinstance(value, list) else [value])]
    return any(isinstance(x, dict) for x in below) and not any(
        isinstance(x, (str, int, float)) for x in inside
    )


def _edge_list(
    path: str | Path, listed: list[Any], whole: dict[str, Any], trouble: Trouble
) -> EdgeList:
    edges: list[list[Any]] = []
    numbers: list[int] = []
    for number, edge in enumerate(listed, start=1):
        good = isinstance(edge, list) and len(edge) in (2, 3)
        names = [text_name(x) for x in edge[:2]] if good else []
        if not good or None in names:
            trouble(f"{path}: edge {number}: expected [parent, child], got {shown(edge, 40)}")
            continue
        edges.append([*names, *edge[2:]])
        numbers.append(number)
    classes, aliases = whole.get("classes", []), whole.get("aliases", {})
    if not isinstance(classes, list) or any(text_name(x) is None for x in classes):
        raise BadInput(f"{path}: classes must be a list of names, got {shown(classes, 40)}")
    if not isinstance(aliases, dict) or any(text_name(x) is None for x in aliases.values()):
        raise BadInput(f"{path}: aliases must map other names to names, got {shown(aliases, 40)}")
    titles = whole.get("titles", {})
    if not isinstance(titles, dict) or not all(isinstance(x, str) for x in titles.values()):
        raise BadInput(f"{path}: titles must map names to texts, got {shown(titles, 40)}")
    return EdgeList(
        edges,
        lambda i: f"{path}: edge {numbers[i]}",
        [str(text_name(x)) for x in classes],
        {k.strip(): text_name(v) for k, v in aliases.items()},
        {k.strip(): v for k, v in titles.items()},
    )


def _parent_map(path: str | Path, data: dict[str, Any], trouble: Trouble) -> EdgeList:
    edges = []
    classes = [name.strip() for name in data]
    for child, value in zip(classes, data.values(), strict=True):
        above = value if isinstance(value, list) else [] if value in (None, "") else [value]
        for parent in above:
            name = text_name(parent)
            if name is None:
                trouble(
                    f"{path}: {child!r}: expected the name of its parent, or a list of names, "
                    f"got {shown(parent, 40)}"
                )
                continue
            edges.append((name, child))
    return EdgeList(edges, lambda i: f"{path}: {edges[i][1]!r}", classes)


def _label_of(node: Any) -> str | None:
    if not isinstance(node, dict) or not isinstance(node.get("children", []), list):
        return None
    is_class = set(node) <= {"name", "id"} or "children" in node
    return text_name(node.get("name", node.get("id"))) if is_class else None


def _nested(path: str | Path, tops: list[Any], trouble: Trouble) -> EdgeList:
    edges: list[tuple[str, str]] = []
    classes: dict[str, None] = {}
    waiting: list[tuple[str | None, Any]] = [(None, top) for top in reversed(tops)]
    while waiting:
        above, node = waiting.pop()
        if isinstance(node, (str, int)):
            node = {"name": node}
        name = text_name(node.get("name", node.get("id"))) if isinstance(node, dict) else None
        below = node.get("children", []) if isinstance(node, dict) else []
        if name is None or not isinstance(below, list):
            under = f" under {above!r}" if above is not None else ""
            trouble(
                f"{path}: a class{under} must be a name or have a name and a list of children, "
                f"got {shown(node, 40)}"
            )
            continue
        classes[name] = None
        if above is not None:
            edges.append((above, name))
        waiting += [(name, child) for child in reversed(below)]
    return EdgeList(edges, lambda i: f"{path}: {edges[i][1]!r}", list(classes))


def _node_link(path: str | Path, data: dict[str, Any], trouble: Trouble) -> EdgeList:
    links = data.get("links", data.get("edges"))
    if not isinstance(links, list):
        raise BadInput(f"{path}: nodes need links (or edges) with source and target")
    classes = list(_named(path, data["nodes"], "node", ("id",), trouble))
    known = {names[0] for _, names in classes}
    ends = []
    n_hints = 0
    for number, names in _named(path, links, "link", ("source", "target"), trouble):
        strange = [name for name in names if name not in known]
        if strange:
            near = did_you_mean(strange[0], known) if n_hints < MOST_HINTS else ""
            n_hints += 1
            trouble(f"{path}: link {number}: {strange[0]!r} is not among the nodes{near}")
            continue
        ends.append((number, names))
    return EdgeList(
        [names for _, names in ends],
        lambda i: f"{path}: link {ends[i][0]}",
        [names[0] for _, names in classes],
    )


def _named(
    path: str | Path, items: list[Any], what: str, keys: tuple[str, ...], trouble: Trouble
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the named entries of each item."""
    for number, item in enumerate(items, start=1):
        values = [item.get(k) for k in keys] if isinstance(item, dict) else [None]
        names = [text_name(x) for x in values]
        if None in names:
            trouble(
                f"{path}: {what} {number}: expected {' and '.join(keys)}, got {shown(item, 40)}"
            )
            continue
        yield number, [str(name) for name in names]


def _write(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "")
    edges: list[list[object]] = [list(pair) for pair in named_edges(hierarchy, names)]
    if hierarchy.weights is not None:
        edges = [[*e, w] for e, w in zip(edges, hierarchy.weights.tolist(), strict=True)]
    data: dict[str, object] = {"classes": names, "edges": edges}
    if hierarchy.aliases:
        data["aliases"] = {str(k): str(v) for k, v in hierarchy.aliases.items()}
    if hierarchy.titles:
        data["titles"] = {str(k): v for k, v in hierarchy.titles.items()}
    return json.dumps(data, ensure_ascii=False)


STARTS = ("{", "[{", "[[", "[ ", "[\n", '["')

JSON = Format(
    "json",
    "JSON: edges, a parent map, nested dicts, nested children, or nodes and links",
    _read,
    _write,
    lambda source: source.text.lstrip()[:20].startswith(STARTS),
    endings=(".json",),
    notes=lost_beside("aliases", "titles", "weights"),
)
