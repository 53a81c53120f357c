"""Ready-made groups of labels, and the groups that all classes of a hierarchy can be in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy
from hierpair.pairing.pairs import Labels

__all__ = ["by_level", "by_subtree", "groups_of_all"]


def by_level(labels: Labels) -> NDArray[np.int64]:
    """Group labels by their depth (fewest edges from a parentless class)."""
    return labels.hierarchy.depths[labels.classes].astype(np.int64)


@dataclass(frozen=True)
class by_subtree:  # noqa: N801 - used like the function by_level
    """Group labels by their ancestor at a depth; labels above it are in no group.

    Raises ``BadInput`` where a class has several ancestors at that depth (in a DAG).
    """

    depth: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.depth, int) or self.depth < 0:
            raise BadInput(
                f"by_subtree takes a depth, a whole number ≥ 0, got {shown(self.depth, 40)}; "
                "write by_subtree(1)"
            )

    def __call__(self, labels: Labels) -> NDArray[np.int64]:
        """Return the number of that ancestor, or -1."""
        from hierpair.hierarchy import ancestor_closure

        closure = ancestor_closure(labels.hierarchy, labels.classes)
        used, place = np.unique(labels.classes, return_inverse=True)
        top = np.full(len(used), -1, dtype=np.int64)
        for i, row in enumerate(closure.rows(used)):
            above = closure.indices[closure.indptr[row] : closure.indptr[row + 1]]
            at = above[labels.hierarchy.depths[above] == self.depth]
            if len(at) > 1:
                name = labels.hierarchy.names[used[i]]
                raise BadInput(
                    f"class {name!r} lies in {len(at)} subtrees at depth {self.depth}; "
                    "by_subtree needs a tree, or a grouping of your own"
                )
            if len(at):
                top[i] = at[0]
        return top[place]

    def every(self, hierarchy: Hierarchy) -> NDArray[np.int64]:
        """Return the numbers of all groups: the classes at that depth."""
        return np.flatnonzero(hierarchy.depths == self.depth)


def groups_of_all(
    groups: Callable[[Labels], NDArray[np.int64]], labels: Labels
) -> NDArray[np.int64]:
    """Return the numbers of all groups that classes of the hierarchy are in.

    A callable with a method ``every(hierarchy)`` is asked; of any other all classes are grouped,
    as one instance.
    """
    hierarchy = labels.hierarchy
    if hasattr(groups, "every"):
        known: NDArray[np.int64] = groups.every(hierarchy)
        return known
    n = len(hierarchy)
    everything = Labels(
        hierarchy, labels.side, np.array([0, n]), np.arange(n, dtype=labels.classes.dtype)
    )
    found = np.unique(groups(everything))
    return found[found >= 0].astype(np.int64)
