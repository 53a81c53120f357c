"""The part of a hierarchy around the labels of one instance."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy, takes_hierarchy

__all__ = ["ClassNode", "Neighbourhood", "edges_within", "neighbourhood"]


@dataclass(frozen=True)
class ClassNode:
    """One class in a neighbourhood.

    Attributes
    ----------
    name
        The class.
    level
        Longest path from a parentless class in the whole hierarchy, in edges.
    true, predicted
        Whether it is a label of that side.
    above_true, above_predicted
        Whether a true, a predicted label is the class or below it.
    alone
        Whether it is a label that paid the default cost on at least one side.
    n_hidden
        Number of its children that are not shown.
    """

    name: Hashable
    level: int
    true: bool
    predicted: bool
    above_true: bool
    above_predicted: bool
    alone: bool = False
    n_hidden: int = 0


@dataclass(frozen=True)
class Neighbourhood:
    """The part of a hierarchy around the labels of one instance.

    Attributes
    ----------
    nodes
        The classes, parents before children.
    edges
        Pairs of positions in ``nodes``: parent, child.
    pairs
        Chosen pairs as positions in ``nodes``: predicted, true.
    n_left_out
        Ancestors of labels that were left out to keep it readable.
    lcas
        Positions in ``nodes`` of the chosen lowest common ancestors; None if the classes are
        labels and their ancestors. Otherwise they are two LCA graphs, and ``above_true`` and
        ``above_predicted`` say which of them each class is in.
    fields
        The fields of the confusion matrix that each class is in, or None.
    """

    nodes: tuple[ClassNode, ...]
    edges: tuple[tuple[int, int], ...]
    pairs: tuple[tuple[int, int], ...] = ()
    n_left_out: int = 0
    lcas: tuple[int, ...] | None = None
    fields: tuple[tuple[str, ...], ...] | None = None

    @property
    def framed(self) -> tuple[bool, ...]:
        """Whether each class gets a second border: it paid the default cost, or is an LCA."""
        return tuple(node.alone or i in (self.lcas or ()) for i, node in enumerate(self.nodes))


@takes_hierarchy
def neighbourhood(
    hierarchy: Hierarchy,
    true: NDArray[np.integer],
    predicted: NDArray[np.integer],
    *,
    pairs: Sequence[tuple[int, int]] = (),
    alone: Collection[int] = (),
    most: int = 60,
) -> Neighbourhood:
    """Return the labels and their ancestors, at most so many classes.

    Parameters
    ----------
    hierarchy
        The classes.
    true, predicted
        Class numbers of the labels.
    pairs
        Chosen pairs as class numbers: predicted, true.
    alone
        Labels that paid the default cost.
    most
        When there are more classes, ancestors far from all labels are left out first, of equally
        far ones those of one side only; labels always stay.
    """
    sides = [_upward(hierarchy, classes.tolist()) for classes in (true, predicted)]
    up: dict[int, int] = {}
    for side in sides:
        for c, steps in side.items():
            up[c] = min(steps, up.get(c, steps))
    order = sorted(up, key=lambda c: (up[c], not all(c in side for side in sides), c))
    labels = sum(steps == 0 for steps in up.values())
    kept = sorted(order[: max(most, labels)])
    place = {c: i for i, c in enumerate(kept)}
    edges = edges_within(hierarchy, kept)
    at = np.array(kept, dtype=np.int64)
    n_hidden = hierarchy.child_ptr[at + 1] - hierarchy.child_ptr[at]
    np.subtract.at(n_hidden, np.array([p for p, _ in edges], np.int64), 1)
    nodes = tuple(
        ClassNode(
            hierarchy.names[c],
            int(hierarchy.levels[c]),
            sides[0].get(c) == 0,
            sides[1].get(c) == 0,
            c in sides[0],
            c in sides[1],
            c in alone,
            int(n_hidden[place[c]]),
        )
        for c in kept
    )
    return Neighbourhood(
        nodes, edges, tuple((place[p], place[t]) for p, t in pairs), len(up) - len(kept)
    )


def edges_within(hierarchy: Hierarchy, classes: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the edges between classes, as positions: parent, child."""
    place = {c: i for i, c in enumerate(classes)}
    ptr, children = hierarchy.child_ptr, hierarchy.children
    return tuple(
        (place[c], place[b])
        for c in classes
        for b in children[ptr[c] : ptr[c + 1]].tolist()
        if b in place
    )


def _upward(hierarchy: Hierarchy, classes: list[int]) -> dict[int, int]:
    """Return the classes and all their ancestors with the fewest edges up to each."""
    steps = dict.fromkeys(classes, 0)
    front = list(steps)
    ptr, parents = hierarchy.parent_ptr, hierarchy.parents
    while front:
        reached = []
        for c in front:
            for p in parents[ptr[c] : ptr[c + 1]].tolist():
                if p not in steps:
                    steps[p] = steps[c] + 1
                    reached.append(p)
        front = reached
    return steps
