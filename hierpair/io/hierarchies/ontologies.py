"""Ontologies: OBO files, and SKOS in every syntax of RDF (needs the extra ``skos``)."""

from __future__ import annotations

import logging
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from hierpair.errors import BadInput, check_known, counted, listed, unknown
from hierpair.hierarchy.edge_list import EdgeList, Record, collected
from hierpair.hierarchy.sources import relations_left
from hierpair.io.files import FilePath
from hierpair.io.formats import Format, Source

GO_ON = "; to go on without such terms: undefined='drop'"


@dataclass(slots=True)
class Term:
    """One term as its file has it: id, other ids, and parents by relation; a line of 0 is none.

    One that is ``obsolete`` is no class; what alone replaces it has its id as another name. Of
    other names without a line those count that one class alone has.
    """

    name: str
    line: int = 0
    title: str = ""
    synonyms: list[str] = field(default_factory=list)
    namespace: str = ""
    obsolete: bool = False
    others: list[tuple[str, int]] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    parents: list[tuple[str, str, int]] = field(default_factory=list)


def ontology_edges(source: Source, found: Iterable[Term], thing: str) -> EdgeList:
    """Return classes and edges of an ontology; ``thing`` is what the file calls a term."""
    terms, path, options = dict[str, Term](), str(source.path), source.options
    for term in found:
        first = terms.setdefault(term.name, term)
        if first is not term:
            place = source.place(first.line)
            source.fault(term.line, f"the id {term.name!r} already occurs at {place}")
    kept = {name: term for name, term in terms.items() if not term.obsolete}
    namespace, spaces = options.get("namespace"), {term.namespace for term in kept.values()}
    if not kept:
        source.fault(0, f"no {thing} that is not obsolete")
    elif namespace is not None:
        check_known("namespace", namespace, sorted(spaces - {""}), path)
        kept = {name: term for name, term in kept.items() if term.namespace == namespace}
    relations, drop = options.get("relations", ("is_a",)), options.get("undefined") == "drop"
    edges, absent, seen = dict[Any, int](), dict[str, None](), set()
    upwards = list[tuple[str, str]]()
    for name, term in kept.items():
        for relation, parent, line in term.parents:
            seen.add(relation)
            upwards += [(name, relation)] * (parent in kept)
            if relation in relations and parent in kept:
                edges.setdefault((parent, name), line)
            elif relation in relations and (parent not in terms or terms[parent].obsolete):
                absent[parent] = None
                state = "obsolete" if parent in terms else f"not defined in the file (as a {thing})"
                if not drop:
                    source.fault(line, f"the parent {parent!r} of {name!r} is {state}{GO_ON}")
    for strange in sorted(relations, key="is_a".__eq__):  # a file without any is a flat list
        if strange not in seen and (strange != "is_a" or (seen and not edges)):
            raise unknown("relation", strange, sorted(seen | {"is_a"} - {strange}), path)
    notes = relations_left(upwards, relations)
    if drop and absent:
        notes.append(
            f"{counted(len(absent), 'term')} left out, obsolete or not defined in the file: "
            f"{listed(absent)}"
        )
    records: list[Record] = [(0, None, name) for name in kept]
    return collected(
        source.place,
        records + [(line, *edge) for edge, line in edges.items()],
        aliases=_other_names(source, terms, kept),
        titles={name: term.title for name, term in kept.items() if term.title},
        synonyms=[(text, name) for name, term in kept.items() for text in term.synonyms],
        direction="parent-to-child",
        declared=True,
        notes=notes,
    )


def _other_names(
    source: Source, terms: Mapping[str, Term], kept: Mapping[str, Term]
) -> dict[str, str]:
    """Return other id → id of the class; also of obsolete terms with a single successor."""
    aliases, shared = dict[str, str](), set()
    for name, term in kept.items():
        for other, line in term.others:
            if other in kept or aliases.setdefault(other, name) != name:
                shared.add(other)
                if line:
                    source.fault(line, f"the id {other!r} means two terms")
    aliases = {other: name for other, name in aliases.items() if other not in shared}
    for name, term in terms.items():
        end = aliases.get(term.replaced_by[0], term.replaced_by[0]) if term.replaced_by else ""
        if term.obsolete and len(term.replaced_by) == 1 and end in kept:
            aliases.setdefault(name, end)
    return aliases


STANZA = "[Term]"

TAGS = {"id", "namespace", "is_a", "relationship", "alt_id", "replaced_by", "is_obsolete"}
"""What is read of a stanza, beside the name."""

ESCAPED = re.compile(r"\\(.)")
BLANKS = {"n": " ", "W": " ", "t": " "}
"""Escapes of a line end, a blank and a tab; of all others the sign itself counts."""

EXACT = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s+EXACT\b')
"""A synonym that means the same; others are wider, narrower or only related."""

AFTER_ID = re.compile(r"(?<!\\)(?:\\\\)*[{!]")
"""Modifiers or a comment after an id begin at a sign that is not escaped,"""

AFTER_NAME = re.compile(r"\s!(?:\s.*|$)|\s\{\s*[\w:.-]+\s*=.*\}(?:\s!\s.*)?$")
"""and after a name, in which people leave signs as they are, only where they look like it."""


def obo_namespaces(path: FilePath) -> dict[str, str]:
    """Return the namespace of every term of an OBO file that is not obsolete."""
    kept = [term for term in _terms(Source(path)) if not term.obsolete]
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
    default, term, named = "", None, "names" in source.options
    for number, text in enumerate(chain(source.lines, "["), start=1):
        line = text.strip()
        if line.startswith("["):
            if term is not None and term.name:
                yield term
            elif term is not None:
                source.fault(term.line, f"this {STANZA} has no id")
            is_term = line.partition("!")[0].rstrip() == STANZA
            term = Term("", number, namespace=default) if is_term else None
        tag, _, value = line.partition(":")
        if tag == "default-namespace":
            default = _id(value.strip())
        if term is None:
            continue
        if tag == "name":
            term.title = _plain(AFTER_NAME.sub("", value))
        elif tag == "synonym" and named and (said := EXACT.match(value)):
            term.synonyms.append(_plain(said[1]))
        elif tag in TAGS:
            _add(source, term, number, tag, _id(value.strip()))


def _add(source: Source, term: Term, line: int, tag: str, name: str) -> None:
    """Add what a line says of a term."""
    if tag in ("is_a", "relationship"):
        relation, _, parent = (f"is_a {name}" if tag == "is_a" else name).partition(" ")
        if parent.strip():
            term.parents.append((relation, parent.strip(), line))
        else:
            source.fault(line, f"the parent is missing after {relation!r}")
    elif tag == "id" and term.name:
        source.fault(line, f"a second id, {name!r}; every {STANZA} has one")
    elif tag == "id":
        term.name, term.line = name, line
    elif tag == "alt_id":
        term.others.append((name, line))
    elif tag == "replaced_by":
        term.replaced_by.append(name)
    elif tag == "namespace":
        term.namespace = name
    else:
        term.obsolete |= name == "true"


def _id(value: str) -> str:
    end = AFTER_ID.search(value)
    return _plain(value[: end.end() - 1].rstrip() if end else value)


def _plain(text: str) -> str:
    return ESCAPED.sub(lambda found: BLANKS.get(found[1], found[1]), text).strip()


OBO = Format(
    "obo", "an OBO ontology", lambda source: ontology_edges(source, _terms(source), STANZA),
    detect=lambda source: source.text.lstrip().startswith(("format-version:", STANZA)),
    endings=(".obo",), options=("relations", "namespace", "undefined", "names"),
)  # fmt: skip


ENDINGS = {".ttl": "turtle", ".nt": "nt", ".n3": "n3", ".rdf": "xml"}
"""Endings of RDF files and what rdflib calls their syntax, where the text does not show it."""

XML = re.compile(r"\s*<(\?xml|!--|!DOCTYPE|\w+:RDF\b|RDF\b|Ontology\b)")
TURTLE = re.compile(
    r"(#.*\n\s*|\s+)*+(@prefix\s|@base\s|(?i:prefix)\s+[\w.-]*:\s*<|(?i:base)\s+<"
    r"|<[^>\s]+>\s+(a|<[^>\s]+>)\s+[^\n]+[.;,][ \t]*(\n|$))"
)
"""How a text of RDF begins; N-Triples are Turtle, too."""

JSON_LD = "JSON-LD; save it as Turtle (rdfpipe -i json-ld FILE > FILE.ttl)"
TO_OBO = "save it as OBO (robot convert --input FILE --output FILE.obo)"
OTHERS = {
    "<!DOCTYPE": "XML with a document type (DTD), which could unfold into any amount of text; "
    "write its entities out, or save the file as Turtle, or OWL as OBO",
    r"\{|\[\s*[{\"]": JSON_LD,
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


def _concepts(source: Source) -> Iterator[Term]:
    """Yield the concepts by their names; where none is declared, all in an edge are such."""
    graph = _graph(source)
    from rdflib import DCTERMS, OWL, RDF, SKOS

    edges = {*graph.subject_objects(SKOS.broader)}
    edges |= {(below, above) for above, below in graph.subject_objects(SKOS.narrower)}
    kinds = {re.split("[/#]", str(tag))[-1] for tag in (() if edges else graph.predicates())}
    if kin := sorted(kind for kind in kinds if re.match("broader|narrower", kind)):
        raise BadInput(f"no skos:broader or skos:narrower, but {listed(kin)}; write these for it")
    above = defaultdict[Any, set[str]](set)
    for below, parent in edges:
        above[below].add(_name(parent))
    declared = {*graph.subjects(RDF.type, SKOS.Concept)} or {parent for _, parent in edges}
    if not above and not declared:
        raise BadInput(f"no skos:Concept; if this is OWL, {TO_OBO}")
    for concept in sorted(above.keys() | declared, key=_name):
        titles, besides, notations, gone, successors = (
            [*graph.objects(concept, tag)]
            for tag in (SKOS.prefLabel, SKOS.altLabel, SKOS.notation, OWL.deprecated,
                        DCTERMS.isReplacedBy)
        )  # fmt: skip
        yield Term(
            _name(concept),
            title=min(map(_by_tongue, titles), default=("",))[-1],
            synonyms=sorted({*map(str, titles + besides)}),
            obsolete=not {"true", "1"}.isdisjoint(map(str, gone)),
            others=sorted((str(value), 0) for value in notations + titles),
            replaced_by=list(map(_name, successors)),
            parents=[("is_a", parent, 0) for parent in sorted(above[concept])],
        )


def _by_tongue(title: Any) -> tuple[Any, ...]:
    tongue = getattr(title, "language", None) or ""
    return not tongue.startswith("en"), tongue, str(title)


def _name(node: Any) -> str:
    return str(node).removeprefix(BASE)


def _graph(source: Source) -> Any:
    text = source.text
    is_xml = XML.match(text)
    if kind := _other(text):
        raise BadInput(f"this is {kind}")
    try:
        import rdflib
    except ModuleNotFoundError:
        raise BadInput("SKOS needs rdflib: pip install 'hierpair[skos]'") from None
    syntax = "xml" if is_xml else ENDINGS.get(source.ending, "turtle")
    if not is_xml and re.search(r"\\u[dD][89a-fA-F]", text):
        raise BadInput("a name holds half of a character (\\ud…); write both halves")
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
    start = PROLOGUE.sub("", text, count=1)
    return next((kind for sign, kind in OTHERS.items() if re.match(sign, start)), "")


SKOS_FORMAT = Format(
    "skos", "SKOS concepts in Turtle, RDF/XML or N-Triples (extra skos)",
    lambda source: ontology_edges(source, _concepts(source), "skos:Concept"),
    detect=lambda source: bool(
        XML.match(source.text) or TURTLE.match(source.text) or _other(source.text)
    ),
    endings=(*ENDINGS, ".owl", ".jsonld"), options=("undefined", "names"),
)  # fmt: skip
