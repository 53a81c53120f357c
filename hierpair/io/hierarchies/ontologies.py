"""Ontologies of any form: terms, their other names, and parents that are there or not.

A form of ontologies is a generator of :class:`Term`; what they mean is decided here, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hierpair.errors import counted, did_you_mean, listed
from hierpair.hierarchy.edge_list import EdgeList, Record, collected
from hierpair.io.formats import Source

__all__ = ["ONTOLOGY_OPTIONS", "Term", "ontology_edges"]

ONTOLOGY_OPTIONS = ("relations", "namespace", "undefined")
"""Options of the reader that mean something to every ontology."""

GO_ON = "; to go on without such terms: undefined='drop'"


@dataclass(slots=True)
class Term:
    """One term as its file has it; a line of 0 is none.

    Attributes
    ----------
    name
        Its id.
    line
        The line of the id.
    title
        What people call it.
    namespace
        The part of the ontology that it is in.
    obsolete, defined
        Whether it is no longer used, or the file only says what is above it: it is no class then.
    others
        Other ids of it, with their lines.
    replaced_by
        What should be used instead of an obsolete one; of exactly one it becomes another name.
    parents
        Relation, parent and line.
    """

    name: str
    line: int = 0
    title: str = ""
    namespace: str = ""
    obsolete: bool = False
    others: list[tuple[str, int]] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    parents: list[tuple[str, str, int]] = field(default_factory=list)
    defined: bool = True


def ontology_edges(source: Source, found: Iterable[Term], thing: str) -> EdgeList:
    """Return classes and edges of an ontology.

    Parameters
    ----------
    source
        The file, and its options: ``relations`` that lead from a term to its parent (by default
        ``is_a``), the only ``namespace`` to take, and whether an ``undefined`` parent is an
        ``"error"`` or the edge to it is left out (``"drop"``).
    found
        The terms in the order of the file.
    thing
        What the file calls a term, such as ``"[Term]"``.
    """
    terms: dict[str, Term] = {}
    for term in found:
        first = terms.setdefault(term.name, term)
        if first is not term:
            place = source.place(first.line)
            source.fault(term.line, f"the id {term.name!r} already occurs at {place}")
    kept = _kept(source, terms, thing)
    relations = source.options.get("relations", ("is_a",))
    drop = source.options.get("undefined", "error") == "drop"
    edges: dict[tuple[str, str], int] = {}
    absent = {name: None for name, term in terms.items() if not term.defined}
    for name in [] if drop else absent:
        parent = terms[name].parents[0][1]
        source.fault(0, f"{name!r} is under {parent!r}, but is no {thing}{GO_ON}")
    bereft: set[str] = set()
    seen: set[str] = set()
    for name, relation, parent, line in [(n, *x) for n, t in kept.items() for x in t.parents]:
        seen.add(relation)
        above = terms.get(parent)
        if relation not in relations:
            continue
        if parent in kept:
            edges.setdefault((parent, name), line)
        elif above is None or above.obsolete or not above.defined:  # else in another namespace
            absent[parent] = None
            bereft.add(name)
            gone = above is not None and above.obsolete
            state = "is obsolete" if gone else f"is not defined in the file (as a {thing})"
            if not drop:
                source.fault(line, f"the parent {parent!r} of {name!r} {state}{GO_ON}")
    usual = {"is_a"} if edges or absent or not seen else set()  # one without any is a flat list
    strange = sorted({*relations} - seen - usual, key=lambda one: (one == "is_a", one))
    if kept and strange:
        known = sorted(seen | {"is_a"} - {strange[0]})
        near = f"{did_you_mean(strange[0], known)}; there are {', '.join(known)}"
        source.fault(0, f"no term has the relation {strange[0]!r}{near}")
    if not any(edges.values()):  # statements without lines have no order either
        edges = dict.fromkeys(sorted(edges), 0)
    roots = sorted(bereft - {child for _, child in edges})
    note = (
        f"{source.path}: {counted(len(absent), 'term')} left out, obsolete or not defined in the "
        f"file: {listed(absent)}"
    ) + f"; without another parent: {listed(roots)}" * bool(roots)
    records: list[Record] = [(0, None, name) for name in kept]
    return collected(
        source.place,
        records + [(line, *edge) for edge, line in edges.items()],
        aliases=_other_names(source, terms, kept),
        titles={name: term.title for name, term in kept.items() if term.title},
        direction="parent-to-child",
        declared=True,
        notes=[note] if drop and absent else [],
    )


def _kept(source: Source, terms: Mapping[str, Term], thing: str) -> dict[str, Term]:
    """Return the terms that are classes: not obsolete, and in the namespace that is wanted."""
    namespace = source.options.get("namespace")
    kept = {name: term for name, term in terms.items() if term.defined and not term.obsolete}
    if namespace is not None:
        spaces = sorted({term.namespace for term in kept.values()} - {""})
        if namespace not in spaces:
            near = did_you_mean(namespace, spaces)
            source.fault(
                0, f"no term is in the namespace {namespace!r}{near}; there are {listed(spaces)}"
            )
        kept = {name: term for name, term in kept.items() if term.namespace == namespace}
    if not kept:
        source.fault(0, f"no {thing} that is not obsolete")
    return kept


def _other_names(
    source: Source, terms: Mapping[str, Term], kept: Mapping[str, Term]
) -> dict[str, str]:
    """Return other id → id of the class; also of obsolete terms with a single successor."""
    aliases: dict[str, str] = {}
    for name, term in kept.items():
        for other, line in term.others:
            if other in kept or aliases.get(other, name) != name:
                source.fault(line, f"the id {other!r} means two terms")
            else:
                aliases[other] = name
    ends: dict[str, str] = {}
    for name, term in terms.items():
        if term.obsolete and name not in aliases:
            target = _successor(name, terms, ends)
            target = aliases.get(target, target)
            if target in kept:
                aliases[name] = target
    return aliases


def _successor(name: str, terms: Mapping[str, Term], ends: dict[str, str]) -> str:
    """Follow ``replaced_by`` from an obsolete term as long as it names exactly one.

    ``ends`` holds where the ways end that were followed before.
    """
    way: dict[str, None] = {}
    while name not in way and name in terms and terms[name].obsolete:
        way[name] = None
        if len(terms[name].replaced_by) == 1:
            [name] = terms[name].replaced_by
        name = ends.get(name, name)
    ends |= dict.fromkeys(way, name)
    return name
