"""What hierarchy files say, before it is checked, and what their readers and writers share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hierpair.errors import BadInput, listed
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.building import Fault, Trouble, refuse_fault
from hierpair.hierarchy.doubts import KEYED, check_roots
from hierpair.io.formats import Source

__all__ = [
    "BREAKING_RULES",
    "EdgeList",
    "Record",
    "collected",
    "cycles_broken",
    "lost_beside",
    "named_edges",
]

BREAKING_RULES = ("depth-first",)
"""Rules that say which edges to leave out of a hierarchy with cycles."""

Record = tuple[int, str | None, str]
"""The line (0 for none), the parent (None for a class alone) and the class."""


@dataclass(frozen=True, eq=False)
class EdgeList:
    """What a hierarchy file says.

    Attributes
    ----------
    edges
        ``(parent, child)`` or ``(parent, child, weight)``.
    where
        Tells where edge number ``i`` stands.
    classes
        Classes that the file names, in its order; those of the edges need not be among them.
    aliases
        Other names of classes.
    titles
        What classes are called for people.
    direction
        Which way the file or its reader says that edges lead; None where only their order does.
    lines
        Whether every line is an edge, so that the first may be a header that is not known.
    keyed
        Whether names of columns or keys say which is the parent, whatever the direction.
    declared
        Whether classes are declared one by one, so that some may be alone.
    notes
        What was left out, in sentences.
    """

    edges: Sequence[Sequence[Any]]
    where: Callable[[int], str]
    classes: Sequence[Hashable] = ()
    aliases: Mapping[Any, Any] = field(default_factory=dict)
    titles: Mapping[Any, str] = field(default_factory=dict)
    direction: str | None = None
    lines: bool = False
    keyed: bool = False
    declared: bool = False
    notes: Sequence[str] = ()

    def build(
        self,
        roots: str | None = None,
        tell: Callable[[str], None] | None = None,
        trouble: Trouble = refuse_fault,
    ) -> Hierarchy:
        """Return the checked hierarchy.

        ``tell`` is told of several roots in one line, and ``trouble`` of each faulty edge, as by
        :meth:`hierpair.Hierarchy.from_edges`.
        """
        parts = ("edges", "where", "classes", "aliases", "titles")
        said = {name: getattr(self, name) for name in parts}
        built = Hierarchy.from_edges(**said, roots="any", trouble=trouble)
        self.check_roots(built, roots, tell)
        return built

    def check_roots(
        self, built: Hierarchy, roots: str | None, tell: Callable[[str], None] | None
    ) -> None:
        """Refuse a hierarchy that looks misread; see ``hierpair.hierarchy.doubts``."""
        alone = self.classes if self.declared else ()
        first = self.edges[0][0] if self.lines and len(self.edges) else None
        how: Any = {"listed_classes": alone, "first": first, "keyed": self.keyed}
        check_roots(built, roots, self.direction, tell, **how)

    def led(self, direction: str | None) -> EdgeList:
        """Return the edges as a caller says that they lead, where the file does not say it."""
        if direction is None or self.direction is not None:
            return self
        if self.keyed:
            raise BadInput(KEYED)
        if direction == "parent-to-child":
            return replace(self, direction=direction)
        turned = [(edge[1], edge[0], *edge[2:]) for edge in self.edges]
        return replace(self, edges=turned, direction=direction)


def collected(source: Source, records: Iterable[Record], **said: Any) -> EdgeList:
    """Collect what a form says record by record; other fields of the list are given."""
    path = source.path
    edges: list[tuple[str, str]] = []
    lines: list[int] = []
    classes: dict[str, None] = {}
    for line, parent, child in records:
        if parent is None:
            classes[child] = None
        else:
            edges.append((parent, child))
            lines.append(line)

    def where(i: int) -> str:
        return f"{path}:{lines[i]}" if lines[i] else f"{path}: {edges[i][1]!r}"

    return EdgeList(edges, where, list(classes), **said)


def cycles_broken(rule: str | None, note: Callable[[str], None], trouble: Trouble) -> Trouble:
    """Return what is told faults: edges that close cycles are left out by a rule, with a note."""
    if rule not in (None, *BREAKING_RULES):
        raise BadInput(f"there is no rule {rule!r} for cycles; there is {listed(BREAKING_RULES)}")

    def told(fault: Fault) -> None:
        if rule is None or fault.rule not in ("cycle", "self-loop"):
            trouble(fault)
            return
        parent, child = fault.edge
        note(
            f"{fault.place}: the edge {parent!r} → {child!r} closes a cycle and is left out "
            f"(rule {rule})"
        )

    return told


def named_edges(hierarchy: Hierarchy, names: list[str]) -> list[tuple[str, str]]:
    """Return parent and child of every edge by these names."""
    ptr, parents = hierarchy.parent_ptr.tolist(), hierarchy.parents.tolist()
    return [(names[p], names[c]) for c in range(len(names)) for p in parents[ptr[c] : ptr[c + 1]]]


def lost_beside(*kept: str) -> Callable[[Hierarchy], list[str]]:
    """Return what says which parts of a hierarchy are lost in a form that keeps only these."""

    def lost(hierarchy: Hierarchy) -> list[str]:
        held = {
            "aliases": (len(hierarchy.aliases), "{} other names of classes are lost; json keeps"),
            "titles": (
                len(hierarchy.titles), "{} names of classes for people are lost; json keeps"
            ),
            "weights": (
                hierarchy.weights is not None,
                "the edge weights are lost; weighted-edges and json keep",
            ),
        }  # fmt: skip
        return [
            f"{text.format(n)} them" for part, (n, text) in held.items() if n and part not in kept
        ]

    return lost
