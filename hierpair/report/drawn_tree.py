"""The tree in which a hierarchy is drawn; its classes numbered from the top, branch by branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints, groups_by, row_numbers


@dataclass(frozen=True, eq=False)
class DrawnTree:
    """A tree (or several) with every class once, in preorder: each branch stands together.

    A class with several parents is drawn below the one nearest the top, the first of several.
    A *place* is a number in this order; ``order`` leads from places to classes, ``place`` back.
    By place: ``depth`` in the drawn tree, the place of the parent ``above`` (-1: none); and
    ``more``: ascending rows of (place, place of a further parent).
    """

    order: Ints
    place: Ints
    depth: Ints
    above: Ints
    more: Ints

    @property
    def sentence(self) -> str | None:
        """Where a class with several parents is drawn; None where there is no such class."""
        n = len(np.unique(self.more[:, 0]))
        have = "class has" if n == 1 else "classes have"
        told = (
            f"{n:,} {have} several parents; such a class is drawn once, below the parent nearest "
            "the top (the first of several)"
        )
        return told if n else None

    def sections(self, hierarchy: Hierarchy) -> dict[str, Any]:
        """Return the classes and what is above them, for the page.

        ``names``; ``titles``, empty for a class without one (left out where no class has one);
        ``up``: how far the parent of a class is above the class before it (0: it is that class);
        ``more``: the classes with further parents, each as the step from the one before;
        ``more_up``: how far before it such a parent stands.
        """
        names = [hierarchy.names[c] for c in self.order.tolist()]
        titles = [hierarchy.titles.get(name, "") for name in names]
        child, above = self.more.T
        return {
            "names": [*map(str, names)],
            **({"titles": titles} if hierarchy.titles else {}),
            "up": 1 - np.diff(self.depth, prepend=-1),
            "more": np.diff(child, prepend=0),
            "more_up": child - above,
        }


def drawn_tree(hierarchy: Hierarchy) -> DrawnTree:
    """Return the tree in which a hierarchy is drawn; without further parents, the hierarchy itself.

    >>> edges = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")]
    >>> tree = drawn_tree(Hierarchy.from_edges(edges))
    >>> tree.order.tolist(), tree.depth.tolist(), tree.more.tolist()
    ([0, 1, 3, 4, 2], [0, 1, 2, 2, 1], [[3, 4]])
    """
    n, depths, parents = len(hierarchy), hierarchy.depths, hierarchy.parents
    child = row_numbers(hierarchy.parent_ptr)
    nearest = np.flatnonzero(depths[parents] + 1 == depths[child])
    lower, first = np.unique(child[nearest], return_index=True)
    parent, size = np.full(n, -1), np.ones(n + 1, dtype=np.int64)  # the last: above the tops
    parent[lower] = parents[nearest[first]]
    levels = groups_by(depths)
    for among in levels[::-1]:
        np.add.at(size, parent[among], size[among])
    siblings = np.argsort(parent, kind="stable")
    before = np.cumsum(size[siblings]) - size[siblings]
    before -= before[np.searchsorted(parent[siblings], parent[siblings])]
    place = np.full(n + 1, -1)
    place[siblings] = before + 1
    for among in levels:
        place[among] += place[parent[among]]
    order = np.argsort(place[:n])
    others = np.delete(np.arange(len(parents)), nearest[first])
    more = np.stack([place[child[others]], place[parents[others]]], axis=1)
    return DrawnTree(
        order,
        place[:n],
        depths[order].astype(np.int64),
        place[parent[order]],
        more[np.lexsort(more.T[::-1])],
    )
