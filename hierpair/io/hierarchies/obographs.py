"""Ontologies as graphs in JSON, the form of OBO Graphs in which GO and others come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_list import EdgeList
from hierpair.io.hierarchies.ontologies import ONTOLOGY_OPTIONS, Term, ontology_edges
from hierpair.io.json_values import parse_json

__all__ = ["OBOGRAPHS", "is_obographs"]

PURL = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*)_(\w+)")
"""An id of the OBO library, which is written GO:0008150 in OBO files and annotations."""

NAMESPACE, OTHER, SUCCESSOR = "hasOBONamespace", "hasAlternativeId", "IAO_0100001"
"""How the properties of a node end that hold its namespace, another id, what replaces it."""


def is_obographs(text: str) -> bool:
    """Whether a text is JSON of this form."""
    return text.lstrip().startswith("{") and all(
        f'"{key}"' in text for key in ("graphs", "nodes", "edges", "sub", "obj")
    )


def _read(source: Source) -> EdgeList:
    """Return what a file of graphs says.

    Classes are the nodes that are not deprecated, by their short ids (``GO:0008150``). A relation
    is ``is_a`` or the label of a property, with ``_`` for blanks, such as ``part_of``.
    """
    return ontology_edges(source, _terms(source), "node")


def _terms(source: Source) -> Iterator[Term]:
    value = parse_json(source.path, source.text)
    try:
        for graph in value["graphs"]:
            yield from _terms_of_graph(graph)
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            f'{source.path}: expected {{"graphs": [{{"nodes": [{{"id": …}}], "edges": [{{"sub": …, '
            f'"pred": …, "obj": …}}]}}]}}, got {shown(error, 40)}'
        ) from None


def _terms_of_graph(graph: dict[str, Any]) -> Iterator[Term]:
    nodes = graph.get("nodes", [])
    relations = {
        node["id"]: node["lbl"].replace(" ", "_")
        for node in nodes
        if node.get("type") == "PROPERTY" and "lbl" in node
    }
    above: dict[str, list[tuple[str, str, int]]] = {}
    for edge in graph.get("edges", []):
        relation = relations.get(edge["pred"], edge["pred"])
        above.setdefault(edge["sub"], []).append((relation, _short(edge["obj"]), 0))
    for node in nodes:
        if node.get("type", "CLASS") != "CLASS":
            continue
        about = node.get("meta", {})
        said: dict[str, list[str]] = {}
        for one in about.get("basicPropertyValues", []):
            said.setdefault(re.split("[/#]", one["pred"])[-1], []).append(_short(one["val"]))
        name = _short(node["id"])
        whole = [node["id"]] if name != node["id"] else []
        yield Term(
            name,
            title=node.get("lbl", ""),
            namespace=said.get(NAMESPACE, [""])[0],
            obsolete=about.get("deprecated", False),
            others=[(other, 0) for other in (*whole, *said.get(OTHER, []))],
            replaced_by=said.get(SUCCESSOR, []),
            parents=above.get(node["id"], []),
        )


def _short(name: str) -> str:
    found = PURL.fullmatch(name)
    return f"{found[1]}:{found[2]}" if found else name


OBOGRAPHS = Format(
    "obographs",
    'an ontology as JSON: {"graphs": [{"nodes": […], "edges": [{"sub", "pred", "obj"}]}]}',
    _read,
    detect=lambda source: is_obographs(source.text),
    options=ONTOLOGY_OPTIONS,
)
