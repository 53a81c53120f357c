"""One instance written out, for CP-SAT: its links with their nodes and edges, without twins."""

from __future__ import annotations

import numpy as np

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Ints
from hierpair.lca.links import Links, edges_of_links
from hierpair.solvers import CoverProblem, Link

__all__ = ["cover_problem", "without_twins"]


def cover_problem(
    hierarchy: Hierarchy, links: Links, rows: Ints, unlinked: tuple[int, int] = (0, 0)
) -> CoverProblem:
    """Return the links of one instance with their classes as nodes, and their edges.

    Parameters
    ----------
    hierarchy, links, rows
        The classes, the links of a batch, and which of them are the instance's.
    unlinked
        Numbers of true and predicted labels without any link.
    """
    edges = edges_of_links(hierarchy, links, rows)
    node, step = links.node[edges.at], links.step[edges.at]
    edge_ptr = np.searchsorted(edges.row[edges.lower], np.arange(len(rows) + 1))
    found = []
    for k, row in enumerate(rows.tolist()):
        here = slice(edges.ptr[k], edges.ptr[k + 1])
        there = slice(edge_ptr[k], edge_ptr[k + 1])
        steps = [node[here][step[here] == s] for s in range(int(links.length[row]) + 1)]
        label = int(links.label[row])
        found.append(
            Link(
                label,
                int(label >= links.members.n_true),
                int(links.lca[row]),
                bool(links.own[row]),
                tuple(tuple(nodes.tolist()) for nodes in steps),
                tuple(
                    zip(
                        node[edges.lower[there]].tolist(),
                        node[edges.upper[there]].tolist(),
                        strict=True,
                    )
                ),
            )
        )
    return CoverProblem(tuple(found), unlinked)


_Place = tuple[int, int, tuple[int, ...], tuple[int, ...]]
"""A link's number, the step, and the parents and children there."""

_Ending = tuple[int, bool, tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]]
"""Owner, whether it is the owner's own, and steps and edges of a link, but for its end."""


def without_twins(
    hierarchy: Hierarchy, links: Links, i: int, unlinked: tuple[int, int] = (0, 0)
) -> tuple[Links, CoverProblem]:
    """Return the links of one instance without classes that no smallest pair of graphs needs.

    Nodes are twins if they are on the same links, there at the same step with the same parents
    and children, and if the links that end in them are otherwise the same: each may take the
    other's place in every path. Ends have no use for a twin: it would be one more end of own
    links in the graphs. Of other twins, if ``a`` links of one side and ``b`` of the other lead
    through them, no more than ``min(a, b)`` can be in both graphs, and one that is in a single
    graph is better replaced by another, so ``max(1, min(a, b))`` of them do. A rung of ten equal
    classes becomes a rung of one or two.
    """
    part = links.without(i, [])
    while True:
        problem = cover_problem(hierarchy, part, np.arange(len(part.label)), unlinked)
        spare = _spare(problem)
        if not spare:
            return part, problem
        part = part.without(i, sorted(spare))


def _spare(problem: CoverProblem) -> set[int]:
    """Return the twins that are too many."""
    marked = {link.end for link in problem.links if link.own}
    places: dict[int, list[_Place]] = {}
    endings: dict[int, set[_Ending]] = {}
    for i, link in enumerate(problem.links):
        above: dict[int, list[int]] = {}
        below: dict[int, list[int]] = {}
        for lower, upper in link.edges:
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
        for step, nodes in enumerate(link.steps[:-1]):
            for node in nodes:
                up, down = sorted(above.get(node, ())), sorted(below.get(node, ()))
                places.setdefault(node, []).append((i, step, tuple(up), tuple(down)))
        edges = tuple(sorted((c, -1 if p == link.end else p) for c, p in link.edges))
        ending = link.owner, link.own, link.steps[:-1], edges
        endings.setdefault(link.end, set()).add(ending)
    twins: dict[tuple[tuple[_Place, ...], frozenset[_Ending], bool], list[int]] = {}
    for node in places.keys() | endings.keys():
        ended = frozenset(endings.get(node, ()))
        key = tuple(places.get(node, ())), ended, node in marked
        twins.setdefault(key, []).append(node)
    spare: set[int] = set()
    for (shared, ended, is_marked), alike in twins.items():
        if len(alike) > 1 and (is_marked or not ended):
            n_first = sum(problem.links[i].side == 0 for i, *_ in shared)
            enough = 1 if is_marked else max(1, min(n_first, len(shared) - n_first))
            spare.update(sorted(alike)[enough:])
    return spare
