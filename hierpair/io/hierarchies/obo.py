"""Ontologies: terms, their parents and other ids; and OBO files, which hold them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hierpair.errors import BadInput, counted, listed, unknown
from hierpair.hierarchy.edge_list import EdgeList, Record, collected
from hierpair.io.files import FilePath
from hierpair.io.formats import Format, Source

GO_ON = "; to go on without such terms: undefined='drop'"

MOST_STEPS = 20
"""How often an obsolete term is followed to the one that replaced it."""


@dataclass(slots=True)
class Term:
    """One term as its file has it: id, other ids, and parents by relation; a line of 0 is none.

    One that is ``obsolete`` is no class; what alone replaces it has its id as another name.
    """

    name: str
    line: int = 0
    title: str = ""
    namespace: str = ""
    obsolete: bool = False
    others: list[tuple[str, int]] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    parents: list[tuple[str, str, int]] = field(default_factory=list)


def ontology_edges(source: Source, found: Iterable[Term], thing: str) -> EdgeList:
    """Return classes and edges of an ontology; ``thing`` is what the file calls a term.

    Options of the source are ``relations`` that lead from a term to its parent, the only
    ``namespace`` to take, and whether an ``undefined`` parent is an error or left out (``"drop"``).
    """
    terms, path, options = dict[str, Term](), str(source.path), source.options
    for term in found:
        first = terms.setdefault(term.name, term)
        if first is not term:
            place = source.place(first.line)
            source.fault(term.line, f"the id {term.name!r} already occurs at {place}")
    kept = _kept(source, terms, thing)
    relations, drop = options.get("relations", ("is_a",)), options.get("undefined") == "drop"
    edges, absent, seen = dict[tuple[str, str], int](), dict[str, None](), set[str]()
    for name, term in kept.items():
        for relation, parent, line in term.parents:
            above = terms.get(parent)
            seen.add(relation)
            if relation in relations and parent in kept:
                edges.setdefault((parent, name), line)
            elif relation in relations and (above is None or above.obsolete):  # else elsewhere
                absent[parent] = None
                state = "is obsolete" if above else f"is not defined in the file (as a {thing})"
                if not drop:
                    source.fault(line, f"the parent {parent!r} of {name!r} {state}{GO_ON}")
    for strange in sorted({*relations} - seen, key=lambda one: (one == "is_a", one)):
        if strange != "is_a" or (seen and not edges and not absent):  # others are flat lists
            raise unknown("relation", strange, sorted(seen | {"is_a"} - {strange}), path)
    if not any(edges.values()):  # statements without lines have no order either
        edges = dict.fromkeys(sorted(edges), 0)
    left = f"{path}: {counted(len(absent), 'term')} left out, obsolete or not defined in the file"
    records: list[Record] = [(0, None, name) for name in kept]
    return collected(
        source.place,
        records + [(line, *edge) for edge, line in edges.items()],
        aliases=_other_names(source, terms, kept),
        titles={name: term.title for name, term in kept.items() if term.title},
        direction="parent-to-child",
        declared=True,
        notes=[f"{left}: {listed(absent)}"] if drop and absent else [],
    )


def _kept(source: Source, terms: Mapping[str, Term], thing: str) -> dict[str, Term]:
    """Return the terms that are classes: not obsolete, and in the namespace that is wanted."""
    namespace = source.options.get("namespace")
    kept = {name: term for name, term in terms.items() if not term.obsolete}
    if namespace is not None:
        spaces = sorted({term.namespace for term in kept.values()} - {""})
        kept = {name: term for name, term in kept.items() if term.namespace == namespace}
        if not kept:
            raise unknown("namespace", namespace, spaces, str(source.path))
    elif not kept:
        source.fault(0, f"no {thing} that is not obsolete")
    return kept


def _other_names(
    source: Source, terms: Mapping[str, Term], kept: Mapping[str, Term]
) -> dict[str, str]:
    """Return other id → id of the class; also of obsolete terms with a single successor."""
    aliases: dict[str, str] = {}
    for name, term in kept.items():
        for other, line in term.others:
            if other in kept or aliases.setdefault(other, name) != name:
                source.fault(line, f"the id {other!r} means two terms")
    for name, term in terms.items():
        end = name
        for _ in range(MOST_STEPS):
            if end in terms and terms[end].obsolete and len(terms[end].replaced_by) == 1:
                [end] = terms[end].replaced_by
        end = aliases.get(end, end)
        if term.obsolete and end in kept:
            aliases.setdefault(name, end)
    return aliases


# ---------------------------------------------------------------- OBO

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

AFTER_NAME = re.compile(r"\s!(?:\s.*|$)|\s\{\s*[\w:.-]+\s*=.*\}(?:\s!\s.*)?$")
"""and after a name, in which people leave signs as they are, only where they look like it."""


def _read(source: Source) -> EdgeList:
    """Return what an OBO file says.

    Classes are the ids of the terms that are not obsolete. An ``alt_id``, and an obsolete id
    with exactly one ``replaced_by``, are other names of their class; ``name`` is its title. A
    relation is ``is_a`` or the first word of a ``relationship``; a parent by several of them is
    one edge. A term without a namespace is in the ``default-namespace`` of the file.
    """
    return ontology_edges(source, _terms(source), STANZA)


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
    default = [("", 0)]
    for start, head, said in _stanzas(source):
        values = {
            tag: [(_id(value), line) for line, value in found]
            for tag, found in said.items()
            if tag != "name"
        }
        default = values.get("default-namespace", default)
        if head != STANZA:
            continue
        ids, parents = values.get("id", [("", 0)]), []
        for name, line in ids[1:]:
            source.fault(line, f"a second id, {name!r}; every {STANZA} has one")
        for text, line in values.get("is_a", ()):
            relation, _, parent = text.partition(" ")
            if parent.strip():
                parents.append((relation, parent.strip(), line))
            else:
                source.fault(line, f"the parent is missing after {relation!r}")
        if not ids[0][0]:
            source.fault(start, f"this {STANZA} has no id")
            continue
        yield Term(
            *ids[0],
            _title(said["name"][-1][1]) if "name" in said else "",
            values.get("namespace", default)[-1][0],
            "true" in dict(values.get("is_obsolete", ())),
            values.get("alt_id", []),
            [name for name, _ in values.get("replaced_by", ())],
            parents,
        )


Clauses = defaultdict[str, list[tuple[int, str]]]
"""Lines and values by tag; that of all parents is ``is_a``, and a value begins with a relation."""


def _stanzas(source: Source) -> Iterator[tuple[int, str, Clauses]]:
    """Yield what stands before the first stanza, and each stanza: line, head, and what it says."""
    start, head, said = 0, "", Clauses(list)
    for number, text in enumerate(source.lines, start=1):
        line = text.strip()
        if line.startswith("["):
            yield start, head, said
            start, head, said = number, line.partition("!")[0].strip(), Clauses(list)
        tag, _, value = line.partition(":")
        if tag in TAGS:
            value = f"is_a {value}" if tag == "is_a" else value.strip()
            said["is_a" if tag == "relationship" else tag].append((number, value))
    yield start, head, said


def _title(value: str) -> str:
    """Return a name without comment, modifiers and escapes."""
    return _plain(AFTER_NAME.sub("", value) if "!" in value or "{" in value else value)


def _id(value: str) -> str:
    """Return what stands before the modifiers or the comment after an id."""
    if "\\" not in value:
        return value.partition("{")[0].partition("!")[0].rstrip()
    end = AFTER_ID.search(value)
    return _plain(value[: end.end() - 1].rstrip() if end else value)


def _plain(text: str) -> str:
    """Return a text without its escapes."""
    if "\\" not in text:
        return text.strip()
    return ESCAPED.sub(lambda found: BLANKS.get(found[1], found[1]), text).strip()


OBO = Format(
    "obo",
    "an OBO ontology",
    _read,
    detect=lambda source: source.text.lstrip().startswith(("format-version:", STANZA)),
    endings=(".obo",),
    options=("relations", "namespace", "undefined"),
)
