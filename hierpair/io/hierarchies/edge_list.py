"""What hierarchy files say, before it is checked, and what their writers share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, depth_first_back_edges

__all__ = ["BREAKING_RULES", "EdgeList", "lost_beside", "named_edges"]

BREAKING_RULES = {"depth-first": depth_first_back_edges}
"""Rules that say which edges to leave out of a hierarchy with cycles, by name."""


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
    notes
        What was left out, in sentences.
    """

    edges: Sequence[Sequence[Any]]
    where: Callable[[int], str]
    classes: Sequence[Hashable] = ()
    aliases: Mapping[Any, Any] = field(default_factory=dict)
    titles: Mapping[Any, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def build(self) -> Hierarchy:
        """Return the checked hierarchy."""
        said = {key: value for key, value in vars(self).items() if key != "notes"}
        return Hierarchy.from_edges(**said)

    def without_cycles(self, rule: str) -> tuple[EdgeList, list[str]]:
        """Return the edges less those that a rule leaves out, and a note for each of these."""
        if rule not in BREAKING_RULES:
            raise BadInput(
                f"there is no rule {rule!r} for cycles; there is {', '.join(BREAKING_RULES)}"
            )
        pairs = [(edge[0], edge[1]) for edge in self.edges]
        dropped = BREAKING_RULES[rule](pairs)
        kept = [i for i in range(len(pairs)) if i not in dropped]
        notes = [
            f"{self.where(i)}: the edge {pairs[i][0]!r} → {pairs[i][1]!r} closes a cycle "
            f"and is left out (rule {rule})"
            for i in sorted(dropped)
        ]
        rest = replace(
            self,
            edges=[self.edges[i] for i in kept],
            where=lambda i: self.where(kept[i]),
            classes=(*self.classes, *(name for i in sorted(dropped) for name in pairs[i])),
        )
        return rest, notes


def named_edges(hierarchy: Hierarchy, names: list[str]) -> list[tuple[str, str]]:
    """Return parent and child of every edge by these names."""
    ptr, parents = hierarchy.parent_ptr.tolist(), hierarchy.parents.tolist()
    return [(names[p], names[c]) for c in range(len(names)) for p in parents[ptr[c] : ptr[c + 1]]]


def lost_beside(*kept: str) -> Callable[[Hierarchy], list[str]]:
    """Return what says which parts of a hierarchy are lost in a form that keeps only these."""

    def lost(hierarchy: Hierarchy) -> list[str]:
        n_aliases, n_titles = len(hierarchy.aliases), len(hierarchy.titles)
        sentences = []
        if n_aliases and "aliases" not in kept:
            sentences.append(f"{n_aliases} other names of classes are lost; json keeps them")
        if n_titles and "titles" not in kept:
            sentences.append(f"{n_titles} names of classes for people are lost; json keeps them")
        if hierarchy.weights is not None and "weights" not in kept:
            sentences.append("the edge weights are lost; weighted-edges and json keep them")
        return sentences

    return lost
