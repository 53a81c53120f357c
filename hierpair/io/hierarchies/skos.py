"""SKOS concept schemes in every syntax of RDF (needs the extra ``skos``)."""

from __future__ import annotations

import logging
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

from hierpair.errors import BadInput
from hierpair.hierarchy.edge_list import EdgeList
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.obo import Term, ontology_edges

ENDINGS = {".ttl": "turtle", ".nt": "nt", ".n3": "n3", ".rdf": "xml"}
"""Endings of RDF files and what rdflib calls their syntax, where the text does not show it."""

XML = re.compile(r"\s*<(\?xml|!--|!DOCTYPE|\w+:RDF\b|RDF\b|Ontology\b)")
TURTLE = re.compile(
    r"(#.*\n\s*|\s+)*+(@prefix\s|@base\s|(?i:prefix)\s+[\w.-]*:\s*<|(?i:base)\s+<"
    r"|<[^>\s]+>\s+(a|<[^>\s]+>)\s+[^\n]+[.;,][ \t]*(\n|$))"
)
"""How a text of RDF begins; N-Triples are Turtle, too."""

TO_OBO = "save it as OBO (robot convert --input FILE --output FILE.obo)"
OTHERS = {
    "<!DOCTYPE": "XML with a document type (DTD), which could unfold into any amount of text; "
    "write its entities out, or save the file as Turtle, or OWL as OBO",
    r"[{\[]": "JSON, such as JSON-LD; save it as Turtle (rdfpipe -i json-ld FILE > FILE.ttl)",
    r"<Ontology\b": f"OWL/XML; {TO_OBO}",
    r"(Prefix|Ontology)\(": f"OWL in functional syntax; {TO_OBO}",
    r"Prefix:\s": f"OWL in Manchester syntax; {TO_OBO}",
    r'"?Class ID"?,"?Preferred Label"?,': "a table of BioPortal, whose parents stand between | in "
    "one field; write a line child,parent for each of them below the header child,parent",
}
"""How files begin that are taken for such ones and are not, and what to do with them."""

PROLOGUE = re.compile(r"\A(?:\s+|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
"""What may stand before a document type or the first element."""

BASE = "http://relative.invalid/"
"""What relative IRIs are resolved against and freed from; rdflib would take the working folder."""

LINE = re.compile(r"at line (\d+) of <.*?>: |<.*?>:(\d+):\d+: ")
"""How the parsers of rdflib name a line."""


def _read(source: Source) -> EdgeList:
    """Return what a SKOS file says.

    Classes are the concepts that are not deprecated, named by their IRI; edges are ``broader``
    and ``narrower``, and what is below is a concept, as SKOS has it. A ``notation`` or
    ``prefLabel`` that only one concept has is another name of it.
    """
    return ontology_edges(source, _terms(source), "skos:Concept")


def _terms(source: Source) -> Iterator[Term]:
    """Yield the concepts by their names; where none is declared, all in an edge are such."""
    graph = _graph(source)
    from rdflib import DCTERMS, OWL, RDF, SKOS

    def said(tag: Any) -> dict[str, list[Any]]:
        found = defaultdict[str, list[Any]](list)
        for subject, value in graph.subject_objects(tag):
            found[_name(subject)].append(value)
        return found

    above = defaultdict[str, set[str]](set)
    for child, parent in graph.subject_objects(SKOS.broader):
        above[_name(child)].add(_name(parent))
    for parent, child in graph.subject_objects(SKOS.narrower):
        above[_name(child)].add(_name(parent))
    declared = {_name(concept) for concept in graph.subjects(RDF.type, SKOS.Concept)}
    concepts = above.keys() | (declared or set().union(*above.values()))
    if not concepts:
        raise BadInput(f"{source.path}: no skos:Concept; if this is OWL, {TO_OBO}")
    gone, titles, successors = map(said, (OWL.deprecated, SKOS.prefLabel, DCTERMS.isReplacedBy))
    kept = {name for name in concepts if not {"true", "1"} & set(map(str, gone[name]))}
    owners, others = defaultdict[str, set[str]](set), defaultdict[str, list[tuple[str, int]]](list)
    for name, values in chain(said(SKOS.notation).items(), titles.items()):
        for label in map(str, values if name in kept else ()):
            owners[label].add(name)
    for label, own in sorted(owners.items()):
        if label not in kept and len(own) == 1:
            others[min(own)].append((label, 0))
    for name in sorted(concepts):
        yield Term(
            name,
            title=min(map(_by_tongue, titles[name]), default=("",))[-1],
            obsolete=name not in kept,
            others=others[name],
            replaced_by=list(map(_name, successors[name])),
            parents=[("is_a", parent, 0) for parent in sorted(above[name])],
        )


def _by_tongue(title: Any) -> tuple[Any, ...]:
    """Return a title behind its language, English first."""
    tongue = getattr(title, "language", None) or ""
    return not tongue.startswith("en"), tongue, str(title)


def _name(node: Any) -> str:
    return str(node).removeprefix(BASE)


def _graph(source: Source) -> Any:
    path, text = source.path, source.text
    is_xml = XML.match(text)
    if kind := _other(text):
        raise BadInput(f"{path}: this is {kind}")
    try:
        import rdflib
    except ModuleNotFoundError:
        raise BadInput("SKOS needs rdflib: pip install 'hierpair[skos]'") from None
    syntax = "xml" if is_xml else ENDINGS.get(source.ending, "turtle")
    if not is_xml and re.search(r"\\u[dD][89a-fA-F]", text):
        raise BadInput(f"{path}: a name holds half of a character (\\ud…); write both halves")
    graph = rdflib.Graph()
    before = logging.root.manager.disable
    logging.disable()  # rdflib logs odd IRIs on stderr: to us they are names like any other
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of rdflib's own parts
            graph.parse(data=text, format=syntax, publicID=BASE)
    except Exception as error:  # rdflib's parsers raise what they like
        said = " ".join(str(error).split())
        found = LINE.search(said)
        line = int(found[found.lastindex or 0]) if found else 0
        said = said[found.end() if found else 0 :].partition(" at ^ in:")[0]
        raise BadInput(f"{source.place(line)}: not RDF ({syntax}): {said[:120]}") from None
    finally:
        logging.disable(before)
    return graph


def _other(text: str) -> str:
    """Return what an ontology is that is not SKOS."""
    start = PROLOGUE.sub("", text, count=1)
    return next((kind for sign, kind in OTHERS.items() if re.match(sign, start)), "")


SKOS_FORMAT = Format(
    "skos",
    "SKOS concepts in Turtle, RDF/XML or N-Triples (extra skos)",
    _read,
    detect=lambda source: bool(
        XML.match(source.text) or TURTLE.match(source.text) or _other(source.text)
    ),
    endings=(*ENDINGS, ".owl", ".jsonld"),
    options=("undefined",),
)
