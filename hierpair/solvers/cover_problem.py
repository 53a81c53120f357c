"""Requirements that paths of two sides meet together, and the graphs that meet them.

Label-free: nodes are numbers, sides are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

__all__ = ["Cover", "CoverProblem", "Link"]


@dataclass(frozen=True)
class Link:
    """All shortest paths from a start to an end, as a small acyclic graph.

    Attributes
    ----------
    owner, side
        Number of the label that it starts from, and the label's side.
    end
        The node it leads to.
    own
        Whether the end meets the requirement of the owner.
    steps
        The nodes, step by step from the start (one node) to the end (one node).
    edges
        Pairs of nodes of consecutive steps that a path may use.
    """

    owner: int
    side: int
    end: int
    own: bool
    steps: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CoverProblem:
    """Choose ends, paths and with them two sets of nodes.

    Every owner with own links takes one path along one of them to a chosen end; every chosen end
    at which no owner of a side ends gets one path of that side. Aims, one after the other: fewest
    chosen ends; fewest ends of own links in both node sets together; largest
    F = 2 both / (n_0 + n_1); least ``|n_0 - n_1|``; largest both / n_1; fewest nodes.

    Attributes
    ----------
    links
        All links.
    unlinked
        Nodes beside the links that each side has in any case.
    """

    links: tuple[Link, ...]
    unlinked: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Cover:
    """What was chosen.

    Attributes
    ----------
    ends
        The chosen ends.
    nodes, edges
        By side, the nodes of the chosen paths, and their edges (lower node, upper node).
    optimal
        Whether all aims were proved.
    f_range
        If not: the least and largest F that the best graphs may have, where that was asked.
    """

    ends: frozenset[int]
    nodes: tuple[frozenset[int], frozenset[int]]
    edges: tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]
    optimal: bool
    f_range: tuple[Fraction, Fraction] | None = None

    @classmethod
    def of_paths(
        cls,
        ends: Iterable[int],
        paths: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]],
        *,
        optimal: bool,
    ) -> Cover:
        """Return the cover that takes these paths, by side, from their starts to their ends."""
        nodes = [frozenset(c for path in side for c in path) for side in paths]
        edges = [frozenset(edge for path in side for edge in pairwise(path)) for side in paths]
        return cls(frozenset(ends), (nodes[0], nodes[1]), (edges[0], edges[1]), optimal)

    def renumbered(self, number: Sequence[int]) -> Cover:
        """Return the same with other numbers of nodes."""
        nodes = [frozenset(number[c] for c in side) for side in self.nodes]
        edges = [frozenset((number[a], number[b]) for a, b in side) for side in self.edges]
        ends = frozenset(number[a] for a in self.ends)
        return replace(self, ends=ends, nodes=(nodes[0], nodes[1]), edges=(edges[0], edges[1]))
