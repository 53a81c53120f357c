"""SKOS concept schemes (needs the extra ``skos``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hierpair.errors import BadInput
from hierpair.readers.parsed import EdgeList, Trouble

__all__ = ["SKOS_ENDINGS", "skos"]

SKOS_ENDINGS = {
    ".ttl": "turtle", ".rdf": "xml", ".nt": "nt", ".n3": "n3",
}  # fmt: skip
"""Endings of RDF files and what rdflib calls their syntax."""


def skos(path: str | Path, text: str, trouble: Trouble) -> EdgeList:
    """Return what a SKOS file says.

    Classes are the concepts that are not deprecated, named by their IRI; edges are ``broader``
    and ``narrower``. A ``notation`` or ``prefLabel`` that only one concept has is another name
    of it.
    """
    graph = _parsed(path, text)
    from rdflib import OWL, RDF, SKOS

    gone = {s for s, _, o in graph.triples((None, OWL.deprecated, None)) if o.toPython() is True}
    pairs = {(o, s) for s, _, o in graph.triples((None, SKOS.broader, None))}
    pairs |= {(s, o) for s, _, o in graph.triples((None, SKOS.narrower, None))}
    concepts = set(graph.subjects(RDF.type, SKOS.Concept)) - gone
    edges = sorted((str(p), str(c)) for p, c in pairs if p not in gone and c not in gone)
    known = {str(c) for c in concepts}
    for parent, child in edges:
        for name in (parent, child):
            if known and name not in known:
                trouble(f"{path}: {name!r} is in a broader or narrower, but is no skos:Concept")
                known.add(name)
    classes = sorted(known | {name for edge in edges for name in edge})
    if not classes:
        trouble(f"{path}: no skos:Concept")
    where = [f"{path}: {child!r}" for _, child in edges]
    return EdgeList(edges, lambda i: where[i], classes, _other_names(graph, set(classes)))


def _parsed(path: str | Path, text: str) -> Any:
    try:
        import rdflib
    except ModuleNotFoundError:
        raise BadInput("SKOS needs rdflib: pip install 'hierpair[skos]'") from None
    ending = Path(str(path).removesuffix(".gz")).suffix
    syntax = SKOS_ENDINGS.get(ending) or ("xml" if text.lstrip().startswith("<") else "turtle")
    graph = rdflib.Graph()
    try:
        graph.parse(data=text, format=syntax)
    except Exception as error:  # rdflib's parsers raise what they like
        reason = " ".join(str(error).split())[:200]
        raise BadInput(f"{path}: not RDF ({syntax}): {reason}") from None
    return graph


def _other_names(graph: Any, classes: set[str]) -> dict[str, str]:
    from rdflib import SKOS

    owners: dict[str, set[str]] = {}
    for tag in (SKOS.notation, SKOS.prefLabel):
        for concept, label in graph.subject_objects(tag):
            if str(concept) in classes and str(label) not in classes:
                owners.setdefault(str(label), set()).add(str(concept))
    return {name: next(iter(own)) for name, own in sorted(owners.items()) if len(own) == 1}
