"""One instance as a label-free cover problem."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets
from hierpair.lca.links import Links
from hierpair.solvers import CoverProblem, Link

__all__ = ["Instances", "class_of_rank", "cover_problem", "parents_of", "ranks_of"]


def parents_of(hierarchy: Hierarchy, c: int) -> list[int]:
    """Return the parents of a class, and the artificial class that a path threshold puts on top.

    On a link, the artificial class stands only above classes from which it is one step.
    """
    ptr = hierarchy.parent_ptr
    found: list[int] = hierarchy.parents[ptr[c] : ptr[c + 1]].tolist()
    return [*found, len(hierarchy)]


@dataclass(frozen=True, eq=False)
class Instances:
    """Some links of a batch, instance by instance.

    Attributes
    ----------
    hierarchy, links
        The classes, and all links of the batch.
    rows, ptr
        Numbers of the links wanted; those of instance ``i`` are ``rows[ptr[i]:ptr[i + 1]]``.
    n_unlinked
        By side, how many labels of every instance have no link at all.
    """

    hierarchy: Hierarchy
    links: Links
    rows: NDArray[np.int64]
    ptr: NDArray[np.int64]
    n_unlinked: NDArray[np.int64]

    @classmethod
    def of(cls, hierarchy: Hierarchy, links: Links, wanted: NDArray[np.bool_]) -> Instances:
        """Sort the links wanted by instance."""
        members = links.members
        n = members.n_instances
        rows = np.flatnonzero(wanted)
        instance = members.instance[links.label[rows]]
        unlinked = [
            np.bincount(members.instance[~links.linked & (members.side == s)], minlength=n)
            for s in (0, 1)
        ]
        ptr = offsets(np.bincount(instance, minlength=n))
        order = np.argsort(instance, kind="stable")
        return cls(hierarchy, links, rows[order], ptr, np.stack(unlinked))

    def unlinked(self, i: int) -> tuple[int, int]:
        """Return how many true and predicted labels of an instance have no link at all."""
        return int(self.n_unlinked[0, i]), int(self.n_unlinked[1, i])

    def problem(self, i: int, *, ranked: bool = False) -> CoverProblem:
        """Return the links of one instance as a problem; see :func:`cover_problem`."""
        rows = self.rows[self.ptr[i] : self.ptr[i + 1]]
        return cover_problem(self.hierarchy, self.links, rows, self.unlinked(i), ranked=ranked)


def cover_problem(
    hierarchy: Hierarchy,
    links: Links,
    rows: NDArray[np.int64],
    unlinked: tuple[int, int] = (0, 0),
    *,
    ranked: bool = False,
) -> CoverProblem:
    """Return the links of one instance with their nodes and edges.

    Parameters
    ----------
    hierarchy, links, rows
        The classes, the links of a batch, and which of them are the instance's.
    unlinked
        Numbers of true and predicted labels without any link.
    ranked
        Nodes are ranks by level and name, which do not depend on the order of the input, instead
        of class numbers.
    """
    number = _ranks(hierarchy) if ranked else range(len(hierarchy) + 1)
    found = []
    for i in rows.tolist():
        lo, hi = int(links.node_ptr[i]), int(links.node_ptr[i + 1])
        steps: list[list[int]] = [[] for _ in range(int(links.length[i]) + 1)]
        for c, s in zip(links.node[lo:hi].tolist(), links.step[lo:hi].tolist(), strict=True):
            steps[s].append(c)
        edges = []
        for lower, upper in pairwise(steps):
            edges += [(c, p) for c in lower for p in parents_of(hierarchy, c) if p in upper]
        label = int(links.label[i])
        found.append(
            Link(
                label,
                int(label >= links.members.n_true),
                number[int(links.lca[i])],
                bool(links.own[i]),
                tuple(tuple(number[c] for c in step) for step in steps),
                tuple((number[c], number[p]) for c, p in edges),
            )
        )
    return CoverProblem(tuple(found), unlinked)


def class_of_rank(hierarchy: Hierarchy) -> list[int]:
    """Return the class number of every rank."""
    found: list[int] = np.argsort(ranks_of(hierarchy)).tolist()
    return found


def ranks_of(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the rank of every class by level, then name; the artificial class comes last."""
    if "ranks" not in hierarchy.cache:
        n, names = len(hierarchy), [str(name) for name in hierarchy.names]
        by_name = np.array(sorted(range(n), key=names.__getitem__), dtype=np.int64)
        order = by_name[np.argsort(hierarchy.levels[by_name], kind="stable")]
        ranks = np.full(n + 1, n)
        ranks[order] = np.arange(n)
        hierarchy.cache["ranks"] = ranks
    found: NDArray[np.int64] = hierarchy.cache["ranks"]
    return found


def _ranks(hierarchy: Hierarchy) -> list[int]:
    """Return the same as a list, from which single numbers are taken faster."""
    if "rank list" not in hierarchy.cache:
        hierarchy.cache["rank list"] = ranks_of(hierarchy).tolist()
    found: list[int] = hierarchy.cache["rank list"]
    return found
