"""OBO ontologies, as text and as graphs in JSON: terms, their parents, and other ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.edge_list import EdgeList
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.ontologies import ONTOLOGY_OPTIONS, Term, ontology_edges
from hierpair.io.json_values import parse_json
from hierpair.io.written_names import checked, lost_beside, named_edges, plain_names

__all__ = ["OBO", "OBOGRAPHS", "obo_namespaces"]

STANZA = "[Term]"

TAGS = frozenset(
    ("id", "name", "namespace", "is_a", "relationship", "alt_id", "replaced_by", "is_obsolete",
     "default-namespace")
)  # fmt: skip
"""What is read of a stanza."""

ESCAPED = re.compile(r"\\(.)")
BLANKS = {"n": " ", "W": " ", "t": " "}
"""Escapes of a line end, a blank and a tab; of all others the sign itself counts."""

AFTER_ID = re.compile(r"(?<!\\)(?:\\\\)*[{!]")
"""Modifiers or a comment after an id begin at a sign that is not escaped,"""

COMMENT, MODIFIERS = re.compile(r"\s!(?:\s|$)"), re.compile(r"\s\{\s*[\w:.-]+\s*=")
"""and after a name, in which people leave signs as they are, only where they look like it."""


def _read(source: Source) -> EdgeList:
    """Return what an OBO file says.

    Classes are the ids of the terms that are not obsolete. An ``alt_id``, and an obsolete id
    with exactly one ``replaced_by``, are other names of their class; ``name`` is its title. A
    relation is ``is_a`` or the first word of a ``relationship``; a parent by several of them is
    one edge. A term without a namespace is in the ``default-namespace`` of the file.
    """
    return ontology_edges(source, _terms(source), STANZA)


def obo_namespaces(path: str | Path) -> dict[str, str]:
    """Return the namespace of every term of an OBO file that is not obsolete.

    Raises
    ------
    BadInput
        For a file that is no OBO, or a term without a namespace; names the line.
    """
    source = Source(path)
    kept = [term for term in _terms(source) if not term.obsolete]
    if not kept:
        raise BadInput(
            f"{path}: no {STANZA} that is not obsolete; namespaces are read from an OBO file"
        )
    for term in kept:
        if not term.namespace:
            raise BadInput(f"{path}:{term.line}: the term {term.name!r} has no namespace")
    return {term.name: term.namespace for term in kept}


def _terms(source: Source) -> Iterator[Term]:
    """Yield the terms of the file; of one without an id only the trouble is told."""
    default = ""
    for start, head, clauses in _stanzas(source):
        if start == 0:
            default = next((_id(v) for _, tag, v in clauses if tag == "default-namespace"), "")
        elif head == STANZA:
            term = Term("", namespace=default)
            for line, tag, value in clauses:
                fault = _take(term, line, tag, value)
                if fault:
                    source.fault(line, fault)
            if term.name:
                yield term
            else:
                source.fault(start, f"this {STANZA} has no id")


def _take(term: Term, line: int, tag: str, value: str) -> str:
    """Let a term know what a clause says of it; return what is wrong with that."""
    text = _text(value) if tag == "name" else _id(value)
    relation, _, parent = text.partition(" ") if tag == "relationship" else (tag, "", text)
    match tag:
        case "name":
            term.title = text
        case "is_a" | "relationship" if not parent:
            return f"the parent is missing in this {tag}"
        case "is_a" | "relationship":
            term.parents.append((relation, parent.strip(), line))
        case "id" if term.name:
            return f"a second id, {text!r}; every {STANZA} has one"
        case "id":
            term.name, term.line = text, line
        case "alt_id":
            term.others.append((text, line))
        case "replaced_by":
            term.replaced_by.append(text)
        case "namespace":
            term.namespace = text
        case "is_obsolete":
            term.obsolete = text == "true"
    return ""


Clauses = list[tuple[int, str, str]]
"""Line, tag and value."""


def _stanzas(source: Source) -> Iterator[tuple[int, str, Clauses]]:
    """Yield what stands before the first stanza, and each stanza: line, head, and what it says."""
    start, head, clauses = 0, "", Clauses()
    lines = enumerate(source.lines, start=1)
    for number, text in lines:
        line = text.strip()
        if line.endswith("\\"):
            line = _continued(line, lines)
        if line.startswith("["):
            yield start, head, clauses
            start, head, clauses = number, line.partition("!")[0].strip(), Clauses()
            continue
        tag, _, value = line.partition(":")
        if tag in TAGS:
            clauses.append((number, tag, value.strip()))
    yield start, head, clauses


def _continued(line: str, lines: Iterator[tuple[int, str]]) -> str:
    """Return a line with those after it, as long as each ends in a line end that is escaped."""
    parts = [line]
    while (len(parts[-1]) - len(parts[-1].rstrip("\\"))) % 2:
        parts[-1] = parts[-1][:-1]
        parts.append(next(lines, (0, ""))[1].strip())
    return "".join(parts)


def _text(value: str) -> str:
    """Return a name without comment, modifiers and escapes."""
    if "!" in value:
        value = COMMENT.split(value, maxsplit=1)[0].rstrip()
    if value.endswith("}"):
        value = MODIFIERS.split(value, maxsplit=1)[0].rstrip()
    return _plain(value)


def _id(value: str) -> str:
    """Return what stands before the modifiers or the comment after an id."""
    if "\\" not in value:
        return value.partition("{")[0].partition("!")[0].rstrip()
    end = AFTER_ID.search(value)
    return _plain(value[: end.end() - 1].rstrip() if end else value)


def _plain(text: str) -> str:
    """Return a text without its escapes."""
    if "\\" not in text:
        return text
    return ESCAPED.sub(lambda found: BLANKS.get(found[1], found[1]), text).strip()


def _write(hierarchy: Hierarchy) -> str:
    names = [_escaped(name) for name in plain_names(hierarchy, "\n\r \t")]
    said: dict[str, list[str]] = {name: ["", STANZA, f"id: {name}"] for name in names}
    for name, title in hierarchy.titles.items():
        if title.strip():
            said[_escaped(str(name))].append(f"name: {_escaped(' '.join(title.split()))}")
    for other, name in hierarchy.aliases.items():
        [text] = checked([other], "\n\r", "other name")
        said[_escaped(str(name))].append(f"alt_id: {_escaped(text)}")
    for parent, child in named_edges(hierarchy, names):
        said[child].append(f"is_a: {parent}")
    return "\n".join(["format-version: 1.2", *chain.from_iterable(said.values())])


def _escaped(text: str) -> str:
    """Return a text whose signs mean nothing to a reader of OBO."""
    return re.sub(r"[\\{}!]", r"\\\g<0>", text)


OBO = Format(
    "obo",
    "an OBO ontology",
    _read,
    _write,
    lambda source: source.text.lstrip().startswith(("format-version:", STANZA)),
    endings=(".obo",),
    options=ONTOLOGY_OPTIONS,
    notes=lost_beside("aliases", "titles"),
)

# ---------------------------------------------------------------- graphs in JSON

PURL = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*)_(\w+)")
"""An id of the OBO library, which is written GO:0008150 in OBO files and annotations."""

NAMESPACE, OTHER, SUCCESSOR = "hasOBONamespace", "hasAlternativeId", "IAO_0100001"
"""How the properties of a node end that hold its namespace, another id, what replaces it."""


def _read_graphs(source: Source) -> EdgeList:
    """Return what a file of graphs says.

    Classes are the nodes that are not deprecated, by their short ids (``GO:0008150``). A relation
    is ``is_a`` or the label of a property, with ``_`` for blanks, such as ``part_of``.
    """
    return ontology_edges(source, _terms_of_graphs(source), "node")


def _terms_of_graphs(source: Source) -> Iterator[Term]:
    value = parse_json(source.path, source.text)
    try:
        for graph in value["graphs"]:
            yield from _terms_of_graph(graph.get("nodes", []), graph.get("edges", []))
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            f'{source.path}: expected {{"graphs": [{{"nodes": [{{"id": …}}], "edges": [{{"sub": …, '
            f'"pred": …, "obj": …}}]}}]}}, got {shown(error, 40)}'
        ) from None


def _terms_of_graph(nodes: list[Any], edges: list[Any]) -> Iterator[Term]:
    relations = {
        node["id"]: node["lbl"].replace(" ", "_")
        for node in nodes
        if node.get("type") == "PROPERTY" and "lbl" in node
    }
    above: dict[str, list[tuple[str, str, int]]] = {}
    for edge in edges:
        relation = relations.get(edge["pred"], edge["pred"])
        above.setdefault(edge["sub"], []).append((relation, _short(edge["obj"]), 0))
    for node in nodes:
        if node.get("type", "CLASS") != "CLASS":
            continue
        about = node.get("meta", {})
        said: dict[str, list[str]] = {}
        for one in about.get("basicPropertyValues", []):
            said.setdefault(re.split("[/#]", one["pred"])[-1], []).append(_short(one["val"]))
        whole, name = node["id"], _short(node["id"])
        yield Term(
            name,
            title=node.get("lbl", ""),
            namespace=said.get(NAMESPACE, [""])[0],
            obsolete=about.get("deprecated", False),
            others=[(other, 0) for other in (whole, *said.get(OTHER, [])) if other != name],
            replaced_by=said.get(SUCCESSOR, []),
            parents=above.get(whole, []),
        )


def _short(name: str) -> str:
    found = PURL.fullmatch(name)
    return f"{found[1]}:{found[2]}" if found else name


OBOGRAPHS = Format(
    "obographs",
    'an ontology as JSON: {"graphs": [{"nodes": […], "edges": [{"sub", "pred", "obj"}]}]}',
    _read_graphs,
    detect=lambda source: (
        source.text.lstrip().startswith("{")
        and all(f'"{key}"' in source.text for key in ("graphs", "nodes", "edges", "sub", "obj"))
    ),
    options=ONTOLOGY_OPTIONS,
)
