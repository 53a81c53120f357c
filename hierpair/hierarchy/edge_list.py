"""What any source says of a hierarchy, before it is checked: edges, and what stands beside them."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hierpair.errors import BadInput, HierarchyWarning, check_choice, listed
from hierpair.hierarchy.building import (
    Fault,
    Place,
    Tell,
    Trouble,
    check_other_names,
    numbered_edges,
    refuse_fault,
)
from hierpair.hierarchy.doubts import doubts_about, misreading

if TYPE_CHECKING:
    from hierpair.hierarchy.graph import Hierarchy

__all__ = [
    "BREAKING_RULES",
    "DIRECTIONS",
    "EdgeList",
    "Record",
    "collected",
    "cycles_broken",
    "refuse",
]

DIRECTIONS = ("parent-to-child", "child-to-parent")
"""Which way edges lead."""

BREAKING_RULES = ("depth-first",)
"""Rules that say which edges to leave out of a hierarchy with cycles."""

Record = tuple[int, Hashable | None, Hashable]
"""The line (0 for none), the parent (None for a class alone) and the class."""


def refuse(message: str) -> None:
    """Raise a fault of what was given in memory."""
    raise BadInput(message)


@dataclass(frozen=True, eq=False)
class EdgeList:
    """What a file, or a thing in memory, says.

    Attributes
    ----------
    edges
        ``(parent, child)`` or ``(parent, child, weight)``.
    where
        Tells where edge number ``i`` stands.
    classes
        Classes that are named, in their order; those of the edges need not be among them.
    aliases
        Other names of classes.
    titles
        What classes are called for people.
    direction
        Which way the source or its reader says that edges lead; None where only their order does.
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
    where: Place = lambda i: f"edge {i + 1}"
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
        tell: Tell | None = None,
        trouble: Trouble = refuse_fault,
    ) -> Hierarchy:
        """Return the checked hierarchy.

        ``tell`` is told of several roots in one line, and ``trouble`` of each faulty edge, as by
        :meth:`hierpair.Hierarchy.from_edges`.
        """
        from hierpair.hierarchy.graph import Hierarchy

        arrays = numbered_edges(self.edges, self.classes, self.where, trouble)
        check_other_names(arrays["names"], self.aliases, self.titles)
        built = Hierarchy(**arrays, aliases=dict(self.aliases), titles=dict(self.titles))
        self.check_roots(built, roots, tell)
        return built

    def check_roots(self, built: Hierarchy, roots: str | None, tell: Tell | None = None) -> None:
        """Refuse a hierarchy that looks misread; tell, or warn, in one line of several roots."""
        check_choice("roots", roots, (None, "any"))
        if roots == "any":
            return
        said = misreading(
            built,
            turned=self.direction is None,
            alone=frozenset(self.classes if self.declared else ()),
            first=self.edges[0][0] if self.lines and len(self.edges) else None,
            keyed=self.keyed,
        )
        if said:
            raise BadInput(said)
        for doubt in doubts_about(built):
            if tell is None:
                warnings.warn(doubt, HierarchyWarning, stacklevel=4)
            else:
                tell(doubt)

    def led(self, direction: str | None) -> EdgeList:
        """Return the edges as a caller says that they lead, where the source does not say it."""
        check_choice("direction", direction, (None, *DIRECTIONS))
        if direction is None or self.direction is not None:
            return self
        if self.keyed:
            raise BadInput(
                "names of columns or keys say which is the parent, so leave direction out; it is "
                "for edges, maps and lineages whose order alone says it"
            )
        edges = self.edges if direction == "parent-to-child" else list(map(_turned, self.edges))
        return replace(self, edges=edges, direction=direction)


def _turned(edge: Any) -> Any:
    """Return an edge with both ends exchanged; what is no edge stays for who refuses it."""
    is_edge = isinstance(edge, (list, tuple)) and len(edge) > 1
    return (edge[1], edge[0], *edge[2:]) if is_edge else edge


def collected(place: Place, records: Iterable[Record], **said: Any) -> EdgeList:
    """Collect what a form says record by record; other fields of the list are given."""
    edges: list[tuple[Hashable, Hashable]] = []
    lines: list[int] = []
    classes: dict[Hashable, None] = {}
    for line, parent, child in records:
        if parent is None:
            classes[child] = None
        else:
            edges.append((parent, child))
            lines.append(line)

    def where(i: int) -> str:
        return place(lines[i]) if lines[i] else f"{place(0)}: {edges[i][1]!r}"

    return EdgeList(edges, where, list(classes), **said)


def cycles_broken(rule: str | None, note: Tell, trouble: Trouble) -> Trouble:
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
