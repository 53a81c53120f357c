"""SKOS concept schemes in every syntax of RDF (needs the extra ``skos``)."""

from __future__ import annotations

import logging
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hierpair.errors import BadInput, shown
from hierpair.hierarchy.edge_list import EdgeList
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.ontologies import Term, ontology_edges
from hierpair.io.json_values import parse_json

__all__ = ["SKOS_FORMAT"]

ENDINGS = {".ttl": "turtle", ".nt": "nt", ".n3": "n3", ".rdf": "xml", ".jsonld": "json-ld"}
"""Endings of RDF files and what rdflib calls their syntax, where the text does not show it."""

XML = re.compile(r"<(\?xml|!--|!DOCTYPE|\w+:RDF\b|RDF\b|Ontology\b)")
TURTLE = re.compile(
    r"(#.*\n\s*)*(@prefix\s|@base\s|(?i:prefix)\s+[\w.-]*:\s*<|(?i:base)\s+<"
    r"|<[^>\s]+>\s+(a|<[^>\s]+>)\s+[^\n]+[.;,][ \t]*(\n|$))"
)
"""How a text of RDF begins; N-Triples are Turtle, too."""

TO_OBO = "save it as OBO (robot convert --input FILE --output FILE.obo)"
OTHER_ONTOLOGIES = {
    r"<Ontology\b": f"OWL/XML; {TO_OBO}",
    r"(Prefix|Ontology)\(": f"OWL in functional syntax; {TO_OBO}",
    r"Prefix:\s": f"OWL in Manchester syntax; {TO_OBO}",
    r'"?Class ID"?,"?Preferred Label"?,': "a table of BioPortal, whose parents stand between | in "
    "one field; write a line child,parent for each of them below the header child,parent",
}
"""How files begin that are taken for such ones and are not, and what to do with them."""

PROLOGUE = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
"""What may stand before a document type or the first element."""

BASE = "http://relative.invalid/"
"""What relative IRIs are resolved against and freed from; rdflib would take the working folder."""


def _read(source: Source) -> EdgeList:
    """Return what a SKOS file says.

    Classes are the concepts that are not deprecated, named by their IRI; edges are ``broader``
    and ``narrower``. A ``notation`` or ``prefLabel`` that only one concept has is another name
    of it.
    """
    return ontology_edges(source, _terms(source), "skos:Concept")


def _terms(source: Source) -> Iterator[Term]:
    """Yield the concepts by their names; what stands in an edge is one where none is declared."""
    graph = _graph(source)
    from rdflib import DCTERMS, OWL, RDF, SKOS

    def said(tag: Any) -> defaultdict[str, list[Any]]:
        found: defaultdict[str, list[Any]] = defaultdict(list)
        for subject, value in graph.subject_objects(tag):
            found[_name(subject)].append(value)
        return found

    gone, titles = said(OWL.deprecated), said(SKOS.prefLabel)
    above: defaultdict[str, set[str]] = defaultdict(set)
    for child, parents in said(SKOS.broader).items():
        above[child] |= set(map(_name, parents))
    for parent, children in said(SKOS.narrower).items():
        for child in children:
            above[_name(child)].add(parent)
    concepts = {_name(concept) for concept in graph.subjects(RDF.type, SKOS.Concept)}
    concepts = concepts or above.keys() | set().union(*above.values())
    obsolete = {name for name, values in gone.items() if {"true", "1"} & set(map(str, values))}
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for labels in (said(SKOS.notation), titles):
        for name, values in labels.items():
            for value in values:
                owners[str(value)].add(name)
    others: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    kept, successors = concepts - obsolete, said(DCTERMS.isReplacedBy)
    for label, own in sorted(owners.items()):
        if label not in kept and len(own & kept) == 1:
            others[min(own & kept)].append((label, 0))
    for name in sorted(concepts | (above.keys() - obsolete)):
        if any("\ud800" <= c <= "\udfff" for text in (name, *dict(others[name])) for c in text):
            raise BadInput(f"{source.path}: {name!r} holds half of a character; write both halves")
        title = str(min(titles[name], key=_rank, default=name))
        yield Term(
            name,
            title="" if title == name else title,
            obsolete=name in obsolete,
            others=others[name],
            replaced_by=list(map(_name, successors[name])),
            parents=[("is_a", parent, 0) for parent in sorted(above[name])],
            defined=name in concepts,
        )


def _rank(title: Any) -> tuple[int, str, str]:
    """An English title comes before one without a language, and this before others."""
    tongue = getattr(title, "language", None) or ""
    return (0 if tongue.startswith("en") else 1 if not tongue else 2, tongue, str(title))


def _name(node: Any) -> str:
    return str(node).removeprefix(BASE)


def _is_rdf(source: Source) -> bool:
    text = source.text.lstrip()
    return any((XML.match(text), TURTLE.match(text), _is_json_ld(text), _other(text)))


def _is_json_ld(text: str) -> bool:
    """Whether a text is JSON with the marks of JSON-LD."""
    return text.lstrip().startswith(("{", "[")) and ('"@context"' in text or '"@graph"' in text)


def _start(text: str, at: int = 0) -> int:
    """Return where a text begins behind blanks, comments and instructions of XML."""
    while (found := PROLOGUE.match(text, at)) is not None:
        at = found.end()
    return at


def _other(text: str) -> str | None:
    """Return what an ontology is that is not SKOS."""
    at = _start(text)
    if text.startswith("<!DOCTYPE", at):
        at = _start(text, text.find("]>", at) + 2)
    known = OTHER_ONTOLOGIES.items()
    return next((kind for start, kind in known if re.compile(start).match(text, at)), None)


def _graph(source: Source) -> Any:
    path, text = source.path, source.text
    start = text.lstrip()
    kind = _other(start)
    if kind is None and re.search(r"[:#]Class\b", text) and "owl" in text:
        kind = None if re.search(r"[:#/](Concept|broader|narrower)\b", text) else f"OWL; {TO_OBO}"
    first = re.compile(r"<[\w:.-]+").match(start, _start(start)) if XML.match(start) else None
    if kind is None and first and "22-rdf-syntax-ns#" not in text:
        kind = f"XML that begins with {first[0]}>, not RDF; write edges, parent TAB child"
    if kind is not None:
        raise BadInput(f"{path}: this is {kind}")
    try:
        import rdflib
    except ModuleNotFoundError:
        raise BadInput("SKOS needs rdflib: pip install 'hierpair[skos]'") from None
    known = "xml" if XML.match(start) else "json-ld" if _is_json_ld(start) else ""
    syntax = known or ENDINGS.get(source.ending, "turtle")
    if syntax == "xml":
        _check_document_type(source)
    if syntax == "json-ld":
        _check_contexts(path, parse_json(path, text))
    graph = rdflib.Graph()
    try:
        with _silence():
            graph.parse(data=text, format=syntax, publicID=BASE)
    except Exception as error:  # rdflib's parsers raise what they like
        said = " ".join(str(error).split())
        lined = re.match(r"at line (\d+) of <.*?>: (.*?)(?: at \^ in:|$)", said) or re.match(
            r"<.*?>:(\d+):\d+: (.*)", said
        )
        line, said = lined.groups() if lined else (0, said)
        raise BadInput(f"{source.place(int(line))}: not RDF ({syntax}): {said[:120]}") from None
    return graph


def _check_contexts(path: str | Path, value: Any) -> None:
    """Refuse a context that stands elsewhere: rdflib would fetch it."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            context = part.get("@context")
            named = [*(context if isinstance(context, list) else [context]), part.get("@import")]
            if (there := next((one for one in named if isinstance(one, str)), None)) is not None:
                raise BadInput(
                    f"{path}: the context {shown(there)} is not in the file, and nothing is "
                    "fetched; write it out in @context, or save the file as Turtle"
                )
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _check_document_type(source: Source) -> None:
    """Refuse a document type: its entities unfold into any amount of text, or read other files."""
    at = _start(source.text)
    if source.text.startswith("<!DOCTYPE", at):
        line = source.text.count("\n", 0, at) + 1
        raise BadInput(
            f"{source.path}:{line}: a document type (DTD), which could unfold into any amount of "
            "text; write its entities out, or save the file as Turtle"
        )


@contextmanager
def _silence() -> Iterator[None]:
    """Keep rdflib from logging odd IRIs on stderr: to us they are names like any other."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of rdflib's own parts
            yield
    finally:
        logging.disable(before)


SKOS_FORMAT = Format(
    "skos",
    "SKOS concepts in Turtle, RDF/XML, N-Triples or JSON-LD (extra skos)",
    _read,
    detect=_is_rdf,
    endings=(*ENDINGS, ".owl"),
    options=("undefined",),
)
