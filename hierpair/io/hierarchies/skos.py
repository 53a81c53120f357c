"""SKOS concept schemes (needs the extra ``skos``)."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from hierpair.errors import BadInput
from hierpair.io.formats import Format, Source
from hierpair.io.hierarchies.edge_list import EdgeList

__all__ = ["SKOS_FORMAT"]

SYNTAX = {".ttl": "turtle", ".rdf": "xml", ".nt": "nt", ".n3": "n3"}
"""Endings of RDF files and what rdflib calls their syntax."""

BLOCK = 2**16
"""Characters that are looked at before more are."""

BASE = "http://relative.invalid/"
"""What relative IRIs are resolved against and freed from; rdflib would take the working folder."""


def _read(source: Source) -> EdgeList:
    """Return what a SKOS file says.

    Classes are the concepts that are not deprecated, named by their IRI; edges are ``broader``
    and ``narrower``. A ``notation`` or ``prefLabel`` that only one concept has is another name
    of it.
    """
    path, trouble = source.path, source.trouble
    graph = _parsed(source)
    from rdflib import OWL, RDF, SKOS

    gone = {s for s, _, o in graph.triples((None, OWL.deprecated, None)) if o.toPython() is True}
    pairs = {(o, s) for s, _, o in graph.triples((None, SKOS.broader, None))}
    pairs |= {(s, o) for s, _, o in graph.triples((None, SKOS.narrower, None))}
    concepts = {_name(c) for c in set(graph.subjects(RDF.type, SKOS.Concept)) - gone}
    edges = sorted((_name(p), _name(c)) for p, c in pairs if p not in gone and c not in gone)
    known = set(concepts)
    for parent, child in edges:
        for name in (parent, child):
            if known and name not in known:
                trouble(f"{path}: {name!r} is in a broader or narrower, but is no skos:Concept")
                known.add(name)
    classes = sorted(known | {name for edge in edges for name in edge})
    if not classes:
        trouble(f"{path}: no skos:Concept")
    where = [f"{path}: {child!r}" for _, child in edges]
    aliases = _other_names(graph, set(classes))
    for name in (*classes, *aliases):
        if any("\ud800" <= c <= "\udfff" for c in name):
            raise BadInput(f"{path}: {name!r} holds half of a character; write both halves")
    return EdgeList(edges, lambda i: where[i], classes, aliases, _titles(graph, set(classes)))


def _name(node: Any) -> str:
    return str(node).removeprefix(BASE)


def _parsed(source: Source) -> Any:
    path, text = source.path, source.text
    try:
        import rdflib
    except ModuleNotFoundError:
        raise BadInput("SKOS needs rdflib: pip install 'hierpair[skos]'") from None
    syntax = SYNTAX.get(source.ending) or ("xml" if text.lstrip().startswith("<") else "turtle")
    if text.lstrip().startswith("<?xml"):
        syntax = "xml"
    if syntax == "xml":
        _check_document_type(path, text)
    graph = rdflib.Graph()
    try:
        with _silence():
            graph.parse(data=text, format=syntax, publicID=BASE)
    except Exception as error:  # rdflib's parsers raise what they like
        raise BadInput(_fault(path, syntax, " ".join(str(error).split()))) from None
    return graph


class _HasDocumentType(Exception):
    """Ends the parsing: carries the line."""


def _check_document_type(path: str | Path, text: str) -> None:
    """Refuse a document type, and with it all entities but XML's own.

    Entities unfold into any amount of text, or read other files. They can only be declared
    before the first element, so a parser of its own looks at what stands there, in blocks, and
    leaves any other fault to rdflib.
    """
    parser = expat.ParserCreate("utf-8", namespace_separator=None)

    def refuse(*_: object) -> NoReturn:
        raise _HasDocumentType(parser.CurrentLineNumber)

    def enough(*_: object) -> NoReturn:
        raise StopIteration

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.StartElementHandler = enough
    try:
        for start in range(0, len(text), BLOCK):
            parser.Parse(text[start : start + BLOCK], False)
    except _HasDocumentType as line:
        raise BadInput(
            f"{path}:{line}: a document type (DTD), which could unfold into any amount of text; "
            "write its entities out, or save the file as Turtle"
        ) from None
    except (StopIteration, expat.ExpatError):
        return


@contextmanager
def _silence() -> Iterator[None]:
    """Keep rdflib from logging odd IRIs on stderr: to us they are names like any other."""
    log = logging.getLogger("rdflib")
    before = log.disabled, logging.getLogger("rdflib.term").disabled
    log.disabled = logging.getLogger("rdflib.term").disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of rdflib's own parts
            yield
    finally:
        log.disabled, logging.getLogger("rdflib.term").disabled = before


def _fault(path: str | Path, syntax: str, message: str) -> str:
    """Return what a parser of rdflib says, with the line in its usual place."""
    turtle = re.match(r"at line (\d+) of <.*?>: (.*?)(?: at \^ in:|$)", message)
    xml = re.match(r"<.*?>:(\d+):\d+: (.*)", message)
    lined = turtle or xml
    if lined is None:
        return f"{path}: not RDF ({syntax}): {message[:120]}"
    return f"{path}:{lined[1]}: not RDF ({syntax}): {lined[2][:120]}"


def _titles(graph: Any, classes: set[str]) -> dict[str, str]:
    """Return the preferred label of every class, an English one before others."""
    from rdflib import SKOS

    best: dict[str, tuple[tuple[int, str, str], str]] = {}
    for concept, label in graph.subject_objects(SKOS.prefLabel):
        name, language = _name(concept), str(getattr(label, "language", None) or "")
        rank = (0 if language.startswith("en") else 1 if not language else 2, language, str(label))
        if name in classes and (name not in best or rank < best[name][0]):
            best[name] = rank, str(label)
    return {name: label for name, (_, label) in sorted(best.items()) if label != name}


def _other_names(graph: Any, classes: set[str]) -> dict[str, str]:
    from rdflib import SKOS

    owners: dict[str, set[str]] = {}
    for tag in (SKOS.notation, SKOS.prefLabel):
        for concept, label in graph.subject_objects(tag):
            if _name(concept) in classes and str(label) not in classes:
                owners.setdefault(str(label), set()).add(_name(concept))
    return {name: next(iter(own)) for name, own in sorted(owners.items()) if len(own) == 1}


SKOS_FORMAT = Format(
    "skos",
    "SKOS concepts in Turtle, RDF/XML or N-Triples (extra skos)",
    _read,
    detect=lambda source: source.text.lstrip().startswith(
        ("<?xml", "<!--", "<!DOCTYPE", "<rdf:", "@prefix")
    ),
    endings=tuple(SYNTAX),
)
