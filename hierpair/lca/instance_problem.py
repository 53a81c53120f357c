"""One instance as a label-free cover problem."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.lca.links import Links
from hierpair.solvers import CoverProblem, Link

__all__ = ["class_of_rank", "cover_problem", "parents_of"]


def parents_of(hierarchy: Hierarchy, c: int) -> list[int]:
    """Return the parents of a class, and the artificial class that a path threshold puts on top.

    On a link, the artificial class stands only above classes from which it is one step.
    """
    found: list[int] = hierarchy.parents[
        hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]
    ].tolist()
    return [*found, len(hierarchy)]


def cover_problem(
    hierarchy: Hierarchy,
    links: Links,
    rows: NDArray[np.int64],
    lone: tuple[int, int] = (0, 0),
    *,
    ranked: bool = False,
) -> CoverProblem:
    """Return the links of one instance with their nodes and edges.

    Parameters
    ----------
    hierarchy, links, rows
        The classes, the links of a batch, and which of them are the instance's.
    lone
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
    return CoverProblem(tuple(found), lone)


def class_of_rank(hierarchy: Hierarchy) -> list[int]:
    """Return the class number of every rank."""
    ranks = _ranks(hierarchy)
    back = [0] * len(ranks)
    for c, rank in enumerate(ranks):
        back[rank] = c
    return back


def _ranks(hierarchy: Hierarchy) -> list[int]:
    """Return the rank of every class by level, then name; the artificial class comes last."""
    if "ranks" not in hierarchy.cache:
        names, levels = hierarchy.names, hierarchy.levels.tolist()
        order = sorted(range(len(names)), key=lambda c: (levels[c], str(names[c])))
        ranks = [0] * len(order)
        for rank, c in enumerate(order):
            ranks[c] = rank
        hierarchy.cache["ranks"] = [*ranks, len(ranks)]
    found: list[int] = hierarchy.cache["ranks"]
    return found
