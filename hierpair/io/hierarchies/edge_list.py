"""What hierarchy files say, before it is checked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, depth_first_back_edges

__all__ = ["BREAKING_RULES", "EdgeList", "Trouble", "stop"]

Trouble = Callable[[str], None]
"""What to do with a fault of a line: stop, or collect it and go on with the next line."""

BREAKING_RULES = {"depth-first": depth_first_back_edges}
"""Rules that say which edges to leave out of a hierarchy with cycles, by name."""


def stop(message: str) -> None:
    """Raise the fault; the way of all readers but the lint's."""
    raise BadInput(message)


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
    """

    edges: Sequence[Sequence[Any]]
    where: Callable[[int], str]
    classes: Sequence[Hashable] = ()
    aliases: Mapping[Any, Any] = field(default_factory=dict)
    titles: Mapping[Any, str] = field(default_factory=dict)

    def build(self) -> Hierarchy:
        """Return the checked hierarchy."""
        return Hierarchy.from_edges(
            self.edges, classes=self.classes, aliases=self.aliases, titles=self.titles,
            where=self.where,
        )  # fmt: skip

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
        rest = EdgeList(
            [self.edges[i] for i in kept],
            lambda i: self.where(kept[i]),
            (*self.classes, *(name for i in sorted(dropped) for name in pairs[i])),
            self.aliases,
            self.titles,
        )
        return rest, notes
