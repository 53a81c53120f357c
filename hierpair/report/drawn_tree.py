"""The tree in which a hierarchy is drawn; its classes numbered from the top, branch by branch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints, row_numbers
from hierpair.report.packing import Section, section


@dataclass(frozen=True, eq=False)
class DrawnTree:
    """A tree (or several) with every class once, in preorder: each branch stands together.

    A class with several parents is drawn below the one nearest the top, the first of several.
    A *place* is a number in this order; ``order`` leads from places to classes, ``place`` back.
    By place: ``depth`` in the drawn tree, the place of the parent ``above`` (-1: none), the
    ``end`` of what is drawn below; and ``more``: ascending rows of (place, place of a further
    parent).
    """

    order: Ints
    place: Ints
    depth: Ints
    above: Ints
    end: Ints
    more: Ints

    def __len__(self) -> int:
        return len(self.order)

    @property
    def sentence(self) -> str | None:
        """Where a class with several parents is drawn; None where there is no such class."""
        if not len(self.more):
            return None
        n = len(np.unique(self.more[:, 0]))
        have = "class has" if n == 1 else "classes have"
        return (
            f"{n:,} {have} several parents; such a class is drawn once, below the parent nearest "
            "the top (the first of several)"
        )

    def sections(self, hierarchy: Hierarchy) -> list[Section]:
        """Return the classes and what is above them, for the page.

        ``names``; ``titles``, empty for a class without one (left out where no class has one);
        ``up``: how far the parent of a class is above the class before it (0: it is that class);
        ``more``: the classes with further parents, each as the step from the one before;
        ``more_up``: how far before it such a parent stands.
        """
        names = [hierarchy.names[c] for c in self.order.tolist()]
        found = [section("names", [*map(str, names)])]
        if hierarchy.titles:
            found.append(section("titles", [hierarchy.titles.get(name, "") for name in names]))
        child, above = self.more.T
        return [
            *found,
            section("up", 1 - np.diff(self.depth, prepend=-1)),
            section("more", np.diff(child, prepend=0)),
            section("more_up", child - above),
        ]


def drawn_tree(hierarchy: Hierarchy) -> DrawnTree:
    """Return the tree in which a hierarchy is drawn; without further parents, the hierarchy itself.

    >>> edges = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")]
    >>> tree = drawn_tree(Hierarchy.from_edges(edges))
    >>> tree.order.tolist(), tree.depth.tolist(), tree.more.tolist()
    ([0, 1, 3, 4, 2], [0, 1, 2, 2, 1], [[3, 4]])
    """
    n, depths = len(hierarchy), hierarchy.depths
    parent, edge = _chosen_parents(hierarchy)
    below = np.argsort(parent, kind="stable")  # tops first
    ends = (n - np.searchsorted(parent[below], np.arange(-1, n + 1))).tolist()
    children = below[::-1].tolist()
    walked, waiting = list[int](), children[ends[1] :]
    while waiting:
        walked.append(c := waiting.pop())
        waiting += children[ends[c + 2] : ends[c + 1]]
    order = np.array(walked, dtype=np.int64)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    above = parent[order]
    above = np.where(above < 0, -1, place[above])
    end = list(range(1, n + 1))
    for i, p in reversed(list(enumerate(above.tolist()))):
        if p >= 0:
            end[p] = max(end[p], end[i])
    others = np.ones(len(hierarchy.parents), dtype=bool)
    others[edge[edge >= 0]] = False
    child = row_numbers(hierarchy.parent_ptr)[others]
    more = np.stack([place[child], place[hierarchy.parents[others]]], axis=1)
    return DrawnTree(
        order,
        place,
        depths[order].astype(np.int64),
        above,
        np.array(end, dtype=np.int64),
        more[np.lexsort(more.T[::-1])],
    )


def _chosen_parents(hierarchy: Hierarchy) -> tuple[Ints, Ints]:
    """Return the parent below which every class is drawn, and the edge to it; -1 without one."""
    n = len(hierarchy)
    parent, edge = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    child = row_numbers(hierarchy.parent_ptr)
    nearest = hierarchy.depths[hierarchy.parents] + 1 == hierarchy.depths[child]
    edges = np.flatnonzero(nearest)[::-1]  # of several the first is written last, and stays
    parent[child[edges]], edge[child[edges]] = hierarchy.parents[edges], edges
    return parent, edge
