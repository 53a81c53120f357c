"""OBO ontologies: terms, their parents by chosen relations, alternative and replaced ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hierpair.errors import BadInput, did_you_mean, listed
from hierpair.hierarchy import Hierarchy
from hierpair.io.formats import Format, Source, Trouble
from hierpair.io.hierarchies.edge_list import EdgeList, lost_beside, named_edges
from hierpair.io.text import read_lines
from hierpair.io.written_names import checked, plain_names

__all__ = ["OBO", "obo_namespaces"]


@dataclass
class _Term:
    """One ``[Term]`` stanza and the line it starts on."""

    line: int
    name: str = ""
    title: str = ""
    obsolete: bool = False
    alternative: list[tuple[str, int]] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    namespace: str = ""
    parents: list[tuple[str, str, int]] = field(default_factory=list)


def _read(source: Source) -> EdgeList:
    """Return what an OBO file says.

    Classes are the ids of the terms that are not obsolete. An ``alt_id``, and an obsolete id
    with exactly one ``replaced_by``, are other names of their class; ``name`` is its title.

    Options are ``relations`` that lead from a term to its parent: ``is_a``, or names that stand
    in ``relationship`` lines, such as ``part_of`` (a parent by several of them is one edge); and
    ``namespace``: take the terms of this one alone, and the edges between them (a term without a
    namespace is in the ``default-namespace`` of the file).
    """
    path, trouble = source.path, source.trouble
    relations = source.options.get("relations", ("is_a",))
    namespace = source.options.get("namespace")
    terms = _stanzas(path, source.lines, trouble)
    kept = {name: term for name, term in terms.items() if not term.obsolete}
    if namespace is not None:
        spaces = {term.namespace for term in kept.values()} - {""}
        if namespace not in spaces:
            trouble(
                f"{path}: no term is in the namespace {namespace!r}"
                f"{did_you_mean(namespace, spaces)}; there are {listed(sorted(spaces))}"
            )
        kept = {name: term for name, term in kept.items() if term.namespace == namespace}
    if not kept:
        trouble(f"{path}: no [Term] stanza with an id that is not obsolete")
    edges: dict[tuple[str, str], int] = {}
    seen: set[str] = set()
    for name, term in kept.items():
        for relation, parent, line in term.parents:
            seen.add(relation)
            if relation not in relations:
                continue
            if parent not in kept:
                if parent in terms and not terms[parent].obsolete:
                    continue  # in another namespace
                state = "is obsolete" if parent in terms else "is not defined in the file"
                trouble(f"{path}:{line}: the parent {parent!r} of {name!r} {state}")
                continue
            edges.setdefault((parent, name), line)
    # A file without is_a may be a flat list, or one of other relations that were not asked for.
    flat = bool(edges) or not seen
    absent = [r for r in relations if r not in seen | {"is_a"}]
    absent += ["is_a"] if "is_a" in relations and "is_a" not in seen and not flat else []
    if absent and kept:
        known = sorted(seen if absent[0] == "is_a" else seen | {"is_a"})
        trouble(
            f"{path}: no term has the relation {absent[0]!r}{did_you_mean(absent[0], known)}; "
            f"there are {', '.join(known)}"
        )
    at = list(edges.values())
    aliases = _aliases(path, terms, kept, trouble)
    titles = {name: term.title for name, term in kept.items() if term.title}
    return EdgeList(list(edges), lambda i: f"{path}:{at[i]}", list(kept), aliases, titles)


def obo_namespaces(path: str | Path) -> dict[str, str]:
    """Return the namespace of every term of an OBO file that is not obsolete.

    Raises
    ------
    BadInput
        For a file that is no OBO, or a term without a namespace; names the line.
    """

    def trouble(text: str) -> None:
        raise BadInput(text)

    terms = _stanzas(path, read_lines(str(path)), trouble)
    kept = {name: term for name, term in terms.items() if not term.obsolete}
    if not kept:
        trouble(f"{path}: no [Term] stanza with an id that is not obsolete; namespaces are read "
                "from an OBO file")  # fmt: skip
    for name, term in kept.items():
        if not term.namespace:
            trouble(f"{path}:{term.line}: the term {name!r} has no namespace")
    return {name: term.namespace for name, term in kept.items()}


def _stanzas(path: str | Path, lines: list[str], trouble: Trouble) -> dict[str, _Term]:
    """Return the terms by id."""
    terms: dict[str, _Term] = {}
    term: _Term | None = None
    default = ""
    for number, text in enumerate(lines, start=1):
        line = text.strip()
        if line.startswith("["):
            _check_id(path, term, trouble)
            term = _Term(number, namespace=default) if line == "[Term]" else None
            continue
        tag, colon, value = line.partition(":")
        if not terms and term is None and tag == "default-namespace":
            default = _bare(value)
        if term is None or not colon:
            continue
        if tag == "name":  # a text: signs that end an id mean nothing in it
            term.title = value.strip()
            continue
        value = _bare(value)
        if tag == "id":
            _set_id(term, value, f"{path}:{number}", path, terms, trouble)
        elif tag in ("is_a", "relationship"):
            relation, _, target = ("is_a", "", value) if tag == "is_a" else value.partition(" ")
            if not target.strip():
                trouble(f"{path}:{number}: the parent is missing in this {tag}")
                continue
            term.parents.append((relation, target.strip(), number))
        elif tag == "alt_id":
            term.alternative.append((value, number))
        elif tag == "namespace":
            term.namespace = value
        elif tag == "is_obsolete":
            term.obsolete = value == "true"
        elif tag == "replaced_by":
            term.replaced_by.append(value)
    _check_id(path, term, trouble)
    return terms


def _set_id(
    term: _Term, name: str, place: str, path: str | Path, terms: dict[str, _Term], trouble: Trouble
) -> None:
    if term.name:
        trouble(f"{place}: a second id, {name!r}; every [Term] has one")
        return
    if name in terms:
        trouble(f"{place}: the id {name!r} already occurs at {path}:{terms[name].line}")
    term.name = name
    if name:
        terms.setdefault(name, term)


def _bare(value: str) -> str:
    """Return an id without trailing modifiers (``{…}``) and comment (``! …``)."""
    for mark in (" {", " !"):
        value = value.split(mark, 1)[0]
    return value.strip()


def _check_id(path: str | Path, term: _Term | None, trouble: Trouble) -> None:
    if term is not None and not term.name:
        trouble(f"{path}:{term.line}: this [Term] has no id")


def _aliases(
    path: str | Path, terms: dict[str, _Term], kept: dict[str, _Term], trouble: Trouble
) -> dict[str, str]:
    """Return other id → id of the class."""
    aliases: dict[str, str] = {}
    for name, term in kept.items():
        for alternative, line in term.alternative:
            if alternative in kept or aliases.get(alternative, name) != name:
                trouble(f"{path}:{line}: the alt_id {alternative!r} means two terms")
                continue
            aliases[alternative] = name
    known: dict[str, str] = {}
    for name, term in terms.items():
        if term.obsolete and name not in aliases:
            target = _successor(name, terms, known)
            target = aliases.get(target, target)
            if target in kept:
                aliases[name] = target
    return aliases


def _successor(name: str, terms: dict[str, _Term], known: dict[str, str]) -> str:
    """Follow ``replaced_by`` from an obsolete term as long as it names exactly one.

    ``known`` remembers where the ways lead that were gone before: a long way is gone once.
    """
    way: dict[str, None] = {}
    while name not in known and name not in way:
        way[name] = None
        if name not in terms or not terms[name].obsolete or len(terms[name].replaced_by) != 1:
            break
        name = terms[name].replaced_by[0]
    last = known.get(name, name)
    known |= dict.fromkeys(way, last)
    return last


def _write(hierarchy: Hierarchy) -> str:
    names = plain_names(hierarchy, "\n\r!{ \t")
    alternative: dict[str, list[str]] = {}
    for alias, name in hierarchy.aliases.items():
        alternative.setdefault(str(name), []).append(checked([alias], "\n\r!{", "other name")[0])
    above: dict[str, list[str]] = {}
    for parent, child in named_edges(hierarchy, names):
        above.setdefault(child, []).append(parent)
    lines = ["format-version: 1.2"]
    titles = {str(name): title for name, title in hierarchy.titles.items()}
    for name in names:
        lines += ["", "[Term]", f"id: {name}"]
        title = " ".join(titles.get(name, "").split())
        lines += [f"name: {title}"] if title else []
        lines += [f"alt_id: {alias}" for alias in alternative.get(name, [])]
        lines += [f"is_a: {parent}" for parent in above.get(name, [])]
    return "\n".join(lines)


OBO = Format(
    "obo",
    "an OBO ontology",
    _read,
    _write,
    lambda source: source.text.lstrip().startswith(("format-version:", "[Term]")),
    endings=(".obo",),
    options=("relations", "namespace"),
    notes=lost_beside("aliases", "titles"),
)
