"""OBO ontologies: terms, their parents by chosen relations, alternative and replaced ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy.graph import Hierarchy

__all__ = ["obo_hierarchy"]


@dataclass
class _Term:
    """One ``[Term]`` stanza and the line it starts on."""

    line: int
    name: str = ""
    obsolete: bool = False
    alternative: list[tuple[str, int]] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    parents: list[tuple[str, str, int]] = field(default_factory=list)


def obo_hierarchy(path: str | Path, lines: list[str], relations: Sequence[str]) -> Hierarchy:
    """Return the hierarchy of an OBO file.

    Parameters
    ----------
    path, lines
        The file's name, for errors, and its lines.
    relations
        Relations that lead from a term to its parent: ``is_a``, or names that stand in
        ``relationship`` lines, such as ``part_of``. A parent by several of them is one edge.

    Returns
    -------
    Hierarchy
        Classes are the ids of the terms that are not obsolete. An ``alt_id``, and an obsolete
        id with exactly one ``replaced_by``, are other names of their class.

    Raises
    ------
    BadInput
        Names file and line: a term without id, an id twice, a parent that the file does not
        define or that is obsolete, a relation that no term has, a cycle.
    """
    terms = _stanzas(path, lines)
    kept = {name: term for name, term in terms.items() if not term.obsolete}
    if not kept:
        raise BadInput(f"{path}: no [Term] stanza with an id that is not obsolete")
    edges: dict[tuple[str, str], int] = {}
    seen = {"is_a"}
    for name, term in kept.items():
        for relation, parent, line in term.parents:
            seen.add(relation)
            if relation not in relations:
                continue
            if parent not in kept:
                state = "is obsolete" if parent in terms else "is not defined in the file"
                raise BadInput(f"{path}:{line}: the parent {parent!r} of {name!r} {state}")
            edges.setdefault((parent, name), line)
    absent = [r for r in relations if r not in seen]
    if absent:
        raise BadInput(
            f"{path}: no term has the relation {absent[0]!r}{did_you_mean(absent[0], seen)}; "
            f"there are {', '.join(sorted(seen))}"
        )
    at = list(edges.values())
    return Hierarchy.from_edges(
        edges,
        classes=kept,
        aliases=_aliases(path, terms, kept),
        where=lambda i: f"{path}:{at[i]}",
    )


def _stanzas(path: str | Path, lines: list[str]) -> dict[str, _Term]:
    """Return the terms by id."""
    terms: dict[str, _Term] = {}
    term: _Term | None = None
    for number, text in enumerate(lines, start=1):
        line = text.strip()
        if line.startswith("["):
            _check_id(path, term)
            term = _Term(number) if line == "[Term]" else None
            continue
        tag, colon, value = line.partition(":")
        if term is None or not colon:
            continue
        value = _bare(value)
        if tag == "id":
            if value in terms:
                before = terms[value].line
                raise BadInput(
                    f"{path}:{number}: the id {value!r} stands already at {path}:{before}"
                )
            term.name = value
            terms[value] = term
        elif tag == "is_a":
            term.parents.append(("is_a", value, number))
        elif tag == "relationship":
            relation, _, target = value.partition(" ")
            term.parents.append((relation, target.strip(), number))
        elif tag == "alt_id":
            term.alternative.append((value, number))
        elif tag == "is_obsolete":
            term.obsolete = value == "true"
        elif tag == "replaced_by":
            term.replaced_by.append(value)
    _check_id(path, term)
    return terms


def _bare(value: str) -> str:
    """Return an id without trailing modifiers (``{…}``) and comment (``! …``)."""
    for mark in (" {", " !"):
        value = value.split(mark, 1)[0]
    return value.strip()


def _check_id(path: str | Path, term: _Term | None) -> None:
    if term is not None and not term.name:
        raise BadInput(f"{path}:{term.line}: this [Term] has no id")


def _aliases(path: str | Path, terms: dict[str, _Term], kept: dict[str, _Term]) -> dict[str, str]:
    """Return other id → id of the class."""
    aliases: dict[str, str] = {}
    for name, term in kept.items():
        for other, line in term.alternative:
            if other in kept or aliases.get(other, name) != name:
                raise BadInput(f"{path}:{line}: the alt_id {other!r} means two terms")
            aliases[other] = name
    for name, term in terms.items():
        target = term.replaced_by[0] if len(term.replaced_by) == 1 else None
        if term.obsolete and target is not None and name not in aliases:
            target = aliases.get(target, target)
            if target in kept:
                aliases[name] = target
    return aliases
