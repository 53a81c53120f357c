"""What was chosen for one instance, with its classes and edges."""

from __future__ import annotations

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.lca.graph_edges import drawn_ways
from hierpair.lca.greedy import greedy_cover
from hierpair.lca.instance_problem import class_of_rank, cover_problem
from hierpair.lca.links import Links, n_lone
from hierpair.lca.minimal import searched, solved
from hierpair.lca.path_masks import search_problem
from hierpair.lca.symmetry_reduction import thinned
from hierpair.solvers import Cover

__all__ = ["cover_of"]


def cover_of(
    hierarchy: Hierarchy,
    links: Links,
    instance: int,
    extension: str = "exact",
    limit: float | None = None,
) -> Cover:
    """Return what was chosen for one instance: LCAs, classes and edges of both graphs.

    The minimal graphs are found as for a score: by enumeration and, where it gives up, by
    constraint programming. Labels without any partner are not in the graphs.
    """
    rows = np.flatnonzero(links.members.instance[links.label] == instance)
    if extension == "greedy":
        ranked = greedy_cover(cover_problem(hierarchy, links, rows, ranked=True))
        back = class_of_rank(hierarchy)
        nodes = [frozenset(back[c] for c in side) for side in ranked.nodes]
        edges = [frozenset((back[a], back[b]) for a, b in side) for side in ranked.edges]
        ends = frozenset(back[a] for a in ranked.ends)
        return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)
    lone = n_lone(links)
    alone = int(lone[0][instance]), int(lone[1][instance])
    problem = cover_problem(hierarchy, links, rows, alone)
    if extension == "full":
        sides = [[x for x in problem.links if x.side == s] for s in (0, 1)]
        nodes = [frozenset(c for x in side for step in x.steps for c in step) for side in sides]
        edges = [frozenset(e for x in side for e in x.edges) for side in sides]
        ends = frozenset(x.end for x in problem.links if x.own)
        return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)
    fewer = thinned(problem)
    for version in (problem, fewer):
        best = searched(search_problem(version), alone)
        if best is not None:
            drawn = drawn_ways(version, best.masks, best.lcas)
            if drawn is not None:
                return drawn
            break
    return solved(fewer, limit)
