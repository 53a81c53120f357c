"""Hierarchies as JSON: nested dicts and lists, maps and edges, read as they are in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.edge_list import EdgeList
from hierpair.hierarchy.nested import object_edges
from hierpair.hierarchy.sources import map_edges, path_edges
from hierpair.io.formats import Format, Source
from hierpair.io.records import parse_json, text_name
from hierpair.io.written_names import named_edges, plain_names

OBO_GRAPHS = "an ontology as OBO graphs; take its OBO file (robot convert -i FILE -o FILE.obo)"
JSON_LD = "JSON-LD; save it as Turtle (rdfpipe -i json-ld FILE > FILE.ttl)"
"""Ontologies in JSON, and what to do with them."""


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
    path, direction = source.path, source.options.get("direction")
    data = parse_json(path, source.text)
    if isinstance(data, dict):
        is_ld = not {"@graph", "@context"}.isdisjoint(data)
        if is_ld or (_all(data.get("graphs"), dict) and "nodes" in data["graphs"][0]):
            raise BadInput(f"{path}: this is {JSON_LD if is_ld else OBO_GRAPHS}")

    def trouble(said: str) -> None:
        source.fault(0, said)

    whole = {"edges": data} if _all(data, list) else data
    try:
        found = None
        if _all(data, str):
            found = path_edges(data, source.options.get("separator", "/"), direction)
        elif isinstance(data, (dict, list)):
            found = object_edges(whole, text_name, trouble)
        if found is None and isinstance(data, dict) and data:
            found = map_edges(data, direction, text_name, trouble)
    except BadInput as error:
        raise BadInput(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
    if found is None:
        raise BadInput(
            f"{path}: expected edges [[parent, child], …], parents {{child: parent}}, nested "
            f'dicts, nested {{"name", "children"}}, or nodes and links, got {shown(data, 40)}'
        )
    where = found.where
    return replace(found, where=lambda i: f"{path}: {where(i)}")


def _all(data: Any, kind: type) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(x, kind) for x in data)


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
)
