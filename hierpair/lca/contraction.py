"""Nodes that no choice depends on are merged before an instance is solved, and expanded after."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from hierpair.solvers import Cover, CoverProblem, Link

__all__ = ["Contracted", "contracted"]


@dataclass(frozen=True)
class Contracted:
    """A smaller problem with the same sizes of graphs, and the way back from these.

    Attributes
    ----------
    problem
        The smaller problem.
    link_of
        The original link of every node that stands for others.
    members
        The nodes that each of these stands for, itself included.
    """

    problem: CoverProblem
    link_of: dict[int, Link]
    members: dict[int, list[int]]

    def expanded(self, cover: Cover) -> Cover:
        """Return the cover with paths of the original problem, of the same lengths."""
        nodes, edges = [], []
        for side in (0, 1):
            up = {c: p for c, p in cover.edges[side] if c in self.members}  # one way leads on
            swapped: dict[int, int] = {}
            for start, first in sorted(cover.edges[side]):
                if start in self.members or first not in self.members:
                    continue
                chain = [start, first]
                while chain[-1] in self.members:
                    chain.append(up[chain[-1]])
                swapped.update(zip(chain, self._path(chain), strict=True))
            nodes.append(frozenset(swapped.get(c, c) for c in cover.nodes[side]))
            edges.append(
                frozenset((swapped.get(c, c), swapped.get(p, p)) for c, p in cover.edges[side])
            )
        return replace(cover, nodes=(nodes[0], nodes[1]), edges=(edges[0], edges[1]))

    def _path(self, chain: list[int]) -> list[int]:
        """Return a path of the original link through members of the nodes of a chain."""
        link = self.link_of[chain[1]]
        there = [set(self.members.get(c, (c,))) for c in chain]
        edges = [[(c, p) for c, p in link.edges if c in a and p in b] for a, b in pairwise(there)]
        reached = [there[0]]
        for here in edges:
            reached.append({p for c, p in here if c in reached[-1]})
        path = [chain[-1]]
        for here, below in zip(reversed(edges), reversed(reached[:-1]), strict=True):
            path.append(min(c for c, p in here if p == path[-1] and c in below))
        return path[::-1]


def contracted(problem: CoverProblem) -> Contracted:
    """Merge nodes that are on a single link only.

    A node that is on one link, and is no end, counts the same as any other such node of the same
    step. Two of them with the same nodes below become one with the nodes above of both: whoever
    reaches one of them reaches the other. The same holds the other way round. So the nodes with
    others on more than one link can be visited in the same orders as before, and all paths are as
    long; a maze without meaning becomes a few nodes per step.
    """
    on = Counter(c for link in problem.links for step in link.steps for c in step)
    ends = {link.end for link in problem.links}
    links = []
    link_of: dict[int, Link] = {}
    members: dict[int, list[int]] = {}
    for link in problem.links:
        merged = {c: c for step in link.steps for c in step if on[c] == 1 and c not in ends}
        short = _merged(link, merged) if len(link.edges) >= len(link.steps) else link
        links.append(short)
        if short is not link:
            groups: dict[int, list[int]] = {}
            for c, stands in merged.items():
                groups.setdefault(_last(merged, stands), []).append(c)
            for c, group in groups.items():
                if len(group) > 1:
                    link_of[c], members[c] = link, group
    return Contracted(replace(problem, links=tuple(links)), link_of, members)


def _last(merged: dict[int, int], c: int) -> int:
    while merged[c] != c:
        c = merged[c]
    return c


def _merged(link: Link, merged: dict[int, int]) -> Link:
    """Merge nodes of a link until none are alike; ``merged`` says which node each becomes."""
    steps = [list(step) for step in link.steps]
    above: dict[int, set[int]] = {c: set() for step in steps for c in step}
    below: dict[int, set[int]] = {c: set() for step in steps for c in step}
    for lower, upper in link.edges:
        above[lower].add(upper)
        below[upper].add(lower)
    n_merged, more = 0, True
    while more:
        more = False
        for near, far, order in ((below, above, 1), (above, below, -1)):
            for step in steps[::order]:
                alike: dict[frozenset[int], int] = {}
                for c in sorted(c for c in step if c in merged):
                    first = alike.setdefault(frozenset(near[c]), c)
                    if first == c:
                        continue
                    merged[c] = first
                    for other in near[c]:
                        far[other].discard(c)
                    for other in far[c]:
                        near[other].discard(c)
                        near[other].add(first)
                    far[first] |= far[c]
                    step.remove(c)
                    more, n_merged = True, n_merged + 1
    if not n_merged:
        return link
    edges = tuple((c, p) for step in steps for c in step for p in sorted(above[c]))
    return replace(link, steps=tuple(map(tuple, steps)), edges=edges)
