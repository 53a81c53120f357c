"""The two graphs of every instance of a batch: counted and, where asked for, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.lca.encoding import CodedLink, TooMany, coded, decided, encoded, sizes
from hierpair.lca.greedy import greedy_paths
from hierpair.lca.links import Links
from hierpair.lca.search import Outcome, Problem, best_of, drawn_paths, smallest_graphs
from hierpair.lca.written import cover_problem, without_twins
from hierpair.solvers import Cover, CoverProblem, solve_cover

__all__ = [
    "ARRAYS",
    "BOUND",
    "SEARCH",
    "SOLVED_BY",
    "SOLVER",
    "Graphs",
    "full_graphs",
    "greedy_cover",
    "greedy_graphs",
    "minimal_graphs",
]

SOLVED_BY = ("decided without a choice", "searched", "solved by CP-SAT", "stopped by the limit")

ARRAYS, SEARCH, SOLVER, BOUND = range(4)
"""How the graphs of an instance were found: no choice was left; by enumeration; by constraint
programming; or by it, but stopped by its limit, so that they may not be the best."""


@dataclass(frozen=True, eq=False)
class Graphs:
    """Sizes of the two graphs of every instance, and how each was found.

    Attributes
    ----------
    n_true, n_predicted, n_both
        Classes in the true graph, in the predicted one, and in both, shape ``(n_instances,)``.
    solved_by
        ``ARRAYS``, ``SEARCH``, ``SOLVER`` or ``BOUND``, shape ``(n_instances,)``.
    links
        What the graphs were chosen from.
    covers
        What was chosen for every instance: LCAs, classes and edges, without labels that have no
        partner; empty if the graphs were only counted.
    f_ranges
        Of the instances with ``BOUND``: the least and largest F that the minimal graphs may have.
    """

    n_true: Ints
    n_predicted: Ints
    n_both: Ints
    solved_by: NDArray[np.int8]
    links: Links
    covers: tuple[Cover, ...] = ()
    f_ranges: Mapping[int, tuple[Fraction, Fraction]] = field(default_factory=dict)


class Found(NamedTuple):
    """Sizes of the graphs of one instance, how they were found, and, if wanted, themselves."""

    sizes: tuple[int, int, int]
    solved_by: int
    cover: Cover | None = None


def full_graphs(hierarchy: Hierarchy, links: Links, *, draw: bool = False) -> Graphs:
    """Return the extended graphs G_ex, with nothing taken away."""
    code = encoded(links, merged=False)
    found = sizes(links, code, np.ones(len(links.node), dtype=bool))
    n = links.members.n_instances
    covers = tuple(_whole(cover_problem(hierarchy, links, links.rows(i))) for i in range(n * draw))
    return Graphs(*found, np.full(n, ARRAYS, dtype=np.int8), links, covers)


def _whole(problem: CoverProblem) -> Cover:
    sides = [[link for link in problem.links if link.side == s] for s in (0, 1)]
    nodes = [frozenset(c for link in side for step in link.steps for c in step) for side in sides]
    edges = [frozenset(edge for link in side for edge in link.edges) for side in sides]
    ends = frozenset(link.end for link in problem.links if link.own)
    return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)


def greedy_graphs(hierarchy: Hierarchy, links: Links, *, draw: bool = False) -> Graphs:
    """Return the graphs of the corrected Algorithm 1."""
    code = encoded(links, merged=False)
    on = greedy_paths(hierarchy, links, code)
    n = links.members.n_instances
    covers = tuple(_cover(links, on, i, optimal=False) for i in range(n * draw))
    return Graphs(*sizes(links, code, on), np.full(n, SEARCH, dtype=np.int8), links, covers)


def greedy_cover(hierarchy: Hierarchy, links: Links, i: int) -> Cover:
    """Return the graphs of one instance by the corrected Algorithm 1."""
    on = greedy_paths(hierarchy, links, encoded(links, merged=False))
    return _cover(links, on, i, optimal=False)


def _cover(links: Links, on: Bools, i: int, *, optimal: bool) -> Cover:
    """Return the graphs of one instance whose paths are at these places."""
    paths: tuple[list[list[int]], list[list[int]]] = [], []
    for row in links.rows(i).tolist():
        here = slice(links.node_ptr[row], links.node_ptr[row + 1])
        path = links.node[here][on[here]].tolist()
        if path:
            paths[int(links.label[row] >= links.members.n_true)].append(path)
    return Cover.of_paths({path[-1] for path in paths[0] + paths[1]}, paths, optimal=optimal)


def minimal_graphs(
    hierarchy: Hierarchy, links: Links, limit: float | None = None, *, draw: bool = False
) -> Graphs:
    """Return the minimal graphs.

    ``limit`` bounds the seconds that the solver may take for one instance, instead of its own
    budget; where it is over, the best graphs so far count and ``solved_by`` says ``BOUND``.
    Instances without a choice are searched only if they are to be drawn.
    """
    code = encoded(links)
    known = decided(links, code)
    counted = np.stack(sizes(links, code, np.repeat(known.chosen, np.diff(links.node_ptr))))
    solved_by = np.where(known.is_open, SEARCH, ARRAYS).astype(np.int8)
    n, unlinked = links.members.n_instances, links.n_unlinked
    covers = [Cover.of_paths((), ([], []), optimal=True) for _ in range(n * draw)]
    f_ranges: dict[int, tuple[Fraction, Fraction]] = {}
    by_labels: dict[tuple[bytes, bytes], Found] = {}
    for i, coded_links in coded(hierarchy, links, code, known, known.is_open | draw, draw=draw):
        key = links.members.of(i)
        if key not in by_labels:
            try:
                beside = int(unlinked[0][i]), int(unlinked[1][i])
                by_labels[key] = _minimal(
                    hierarchy, links, i, coded_links, beside, limit, draw=draw
                )
            except SolverLimit as error:
                raise SolverLimit(error.reason, i) from error
        found = by_labels[key]
        counted[:, i] = found.sizes
        if known.is_open[i]:
            solved_by[i] = found.solved_by
        if found.cover is not None:
            if draw:
                covers[i] = found.cover
            if found.cover.f_range is not None:
                f_ranges[i] = found.cover.f_range
    return Graphs(counted[0], counted[1], counted[2], solved_by, links, tuple(covers), f_ranges)


def _minimal(
    hierarchy: Hierarchy,
    links: Links,
    i: int,
    coded_links: Sequence[CodedLink],
    unlinked: tuple[int, int],
    limit: float | None,
    *,
    draw: bool,
) -> Found:
    """Enumerate the graphs of an instance; if they are too many, without twins; then solve."""
    best = _searched(coded_links, unlinked)
    part, problem = links, None
    if best is None:
        part, problem = without_twins(hierarchy, links, i, unlinked)
        if len(part.node) < np.diff(links.node_ptr)[links.rows(i)].sum():
            code = encoded(part)
            every = np.ones(links.members.n_instances, dtype=bool)
            [(_, coded_links)] = coded(hierarchy, part, code, decided(part, code), every, draw=draw)
            best = _searched(coded_links, unlinked)
    if best is not None:
        found = (best.size + best.lean) // 2, (best.size - best.lean) // 2, best.both
        if not draw:
            return Found(found, SEARCH)
        places = drawn_paths(coded_links, best)
        if places is not None:
            on = np.zeros(len(part.node), dtype=bool)
            on[places] = True
            return Found(found, SEARCH, _cover(part, on, i, optimal=True))
    if problem is None:
        part, problem = without_twins(hierarchy, links, i, unlinked)
    cover = solve_cover(problem, limit, greedy_cover(hierarchy, part, i))
    if best is None:
        t, p = cover.nodes
        found = len(t) + unlinked[0], len(p) + unlinked[1], len(t & p)
        return Found(found, SOLVER if cover.optimal else BOUND, cover)
    if not cover.optimal:
        raise SolverLimit("the minimal LCA graphs are counted, but too hard to draw")
    return Found(found, SEARCH, cover)


def _searched(links: Sequence[CodedLink], unlinked: tuple[int, int]) -> Outcome | None:
    """Return the smallest graphs, or None: too many would have to be looked at."""
    base = Outcome(0, sum(unlinked), unlinked[0] - unlinked[1], (0, 0))
    try:
        return best_of(base.joined(o) for o in smallest_graphs(Problem.of(links)))
    except TooMany:
        return None
