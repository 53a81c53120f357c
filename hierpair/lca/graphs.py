"""The two graphs of every instance of a batch: counted and, where asked for, drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.hierarchy import Hierarchy
from hierpair.lca.contraction import contracted
from hierpair.lca.cover_problems import Instances, class_of_rank
from hierpair.lca.drawn_paths import drawn_along, drawn_paths
from hierpair.lca.enumeration import Problem, smallest_graphs
from hierpair.lca.greedy import greedy_cover
from hierpair.lca.greedy_batches import greedy_sizes
from hierpair.lca.links import Links
from hierpair.lca.no_choice import counted, decided, stand_ins
from hierpair.lca.outcomes import Outcome, best_of
from hierpair.lca.part_graphs import TooMany
from hierpair.lca.search_problems import Shape, search_problem, search_problems
from hierpair.lca.symmetry_reduction import symmetry_reduced
from hierpair.solvers import Cover, CoverProblem, solve_cover

__all__ = [
    "ARRAYS",
    "BOUND",
    "SEARCH",
    "SOLVED_BY",
    "SOLVER",
    "Graphs",
    "full_graphs",
    "greedy_graphs",
    "minimal_graphs",
]

MOST_SHAPES = 10_000
"""Shapes of instances that are remembered."""

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

    n_true: NDArray[np.int64]
    n_predicted: NDArray[np.int64]
    n_both: NDArray[np.int64]
    solved_by: NDArray[np.int8]
    links: Links
    covers: tuple[Cover, ...] = ()
    f_ranges: Mapping[int, tuple[Fraction, Fraction]] = field(default_factory=dict)


class Found(NamedTuple):
    """Sizes of the graphs of one instance, how they were found, and, if wanted, themselves.

    ``f_range`` is that of the minimal graphs where these may be others.
    """

    sizes: tuple[int, int, int]
    solved_by: int
    f_range: tuple[Fraction, Fraction] | None = None
    cover: Cover | None = None


def full_graphs(hierarchy: Hierarchy, links: Links, *, draw: bool = False) -> Graphs:
    """Return the extended graphs G_ex, with nothing taken away."""
    everything = np.ones(len(links.label), dtype=bool)
    sizes = counted(links, everything, np.ones(len(links.node), dtype=bool), len(hierarchy) + 1)
    n = links.members.n_instances
    each = Instances.of(hierarchy, links, everything) if draw else None
    covers = tuple(_whole(each.problem(i)) for i in range(n)) if each else ()
    return Graphs(*sizes, np.full(n, ARRAYS, dtype=np.int8), links, covers)


def _whole(problem: CoverProblem) -> Cover:
    sides = [[link for link in problem.links if link.side == s] for s in (0, 1)]
    nodes = [frozenset(c for link in side for step in link.steps for c in step) for side in sides]
    edges = [frozenset(edge for link in side for edge in link.edges) for side in sides]
    ends = frozenset(link.end for link in problem.links if link.own)
    return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)


def greedy_graphs(hierarchy: Hierarchy, links: Links, *, draw: bool = False) -> Graphs:
    """Return the graphs of the corrected Algorithm 1.

    Sizes come from all instances at once; graphs that are drawn are chosen instance by instance.
    """
    n = links.members.n_instances
    solved_by = np.full(n, SEARCH, dtype=np.int8)
    if not draw:
        return Graphs(*greedy_sizes(hierarchy, links), solved_by, links)
    each = Instances.of(hierarchy, links, np.ones(len(links.label), dtype=bool))
    covers = [greedy_cover(each.problem(i, ranked=True)) for i in range(n)]
    sizes = np.zeros((3, n), dtype=np.int64)
    for i, cover in enumerate(covers):
        sizes[:, i] = _sizes(cover.nodes, each.unlinked(i))
    classes = class_of_rank(hierarchy)
    drawn = tuple(cover.renumbered(classes) for cover in covers)
    return Graphs(sizes[0], sizes[1], sizes[2], solved_by, links, drawn)


def minimal_graphs(
    hierarchy: Hierarchy, links: Links, limit: float | None = None, *, draw: bool = False
) -> Graphs:
    """Return the minimal graphs.

    ``limit`` bounds the seconds that the solver may take for one instance, instead of its own
    budget; where it is over, the best graphs so far count and ``solved_by`` says ``BOUND``.
    """
    width = len(hierarchy) + 1
    standing = stand_ins(links, width)
    known = decided(links, standing.kept, width)
    is_open = known.is_open
    n_true, n_predicted, n_both = counted(links, known.chosen, standing.kept, width)
    solved_by = np.where(is_open, SEARCH, ARRAYS).astype(np.int8)
    each = Instances.of(hierarchy, links, is_open[links.members.instance[links.label]])
    covers: dict[int, Cover] = {}
    f_ranges: dict[int, tuple[Fraction, Fraction]] = {}
    by_shape: dict[tuple[Shape, tuple[int, int]], Found] = {}
    for i, shape, problem_of in search_problems(each, standing, known):
        key = shape, each.unlinked(i)
        if draw or key not in by_shape:
            if len(by_shape) == MOST_SHAPES:
                by_shape.clear()
            try:
                found = _minimal(problem_of(), partial(each.problem, i), key[1], limit, draw=draw)
            except SolverLimit as error:
                raise SolverLimit(error.reason, i) from error
            by_shape[key] = found
            if found.cover is not None:
                covers[i] = found.cover
        (n_true[i], n_predicted[i], n_both[i]), solved_by[i], f_range, _ = by_shape[key]
        if f_range is not None:
            f_ranges[i] = f_range
    if draw:
        forced = Instances.of(hierarchy, links, known.chosen)
        for i in np.flatnonzero(~is_open).tolist():
            covers[i] = drawn_along(forced.problem(i))
    drawn = tuple(covers[i] for i in sorted(covers))
    return Graphs(n_true, n_predicted, n_both, solved_by, links, drawn, f_ranges)


def _minimal(
    search: Problem | None,
    written: Callable[[], CoverProblem],
    unlinked: tuple[int, int],
    limit: float | None,
    *,
    draw: bool,
) -> Found:
    """Enumerate the graphs of an instance; if they are too many, without twins; then solve."""
    best, problem = _searched(search, unlinked), None
    if best is None:
        whole = written()
        problem = symmetry_reduced(whole)
        if problem is not whole:
            best = _searched(search_problem(problem), unlinked)
    if best is None:
        assert problem is not None
        cover = _solved(problem, limit)
        way = SOLVER if cover.optimal else BOUND
        sizes = _sizes(cover.nodes, unlinked)
        return Found(sizes, way, cover.f_range, cover if draw else None)
    t, p = best.masks
    sizes = t.bit_count() + unlinked[0], p.bit_count() + unlinked[1], (t & p).bit_count()
    if not draw:
        return Found(sizes, SEARCH)
    problem = problem or written()
    drawn = drawn_paths(problem, best.masks, best.lcas) or _solved(symmetry_reduced(problem), limit)
    if not drawn.optimal:
        raise SolverLimit("the minimal LCA graphs are counted, but too hard to draw")
    return Found(sizes, SEARCH, None, drawn)


def _searched(problem: Problem | None, unlinked: tuple[int, int]) -> Outcome | None:
    """Return the smallest graphs, or None: too many would have to be looked at."""
    if problem is None:
        return None
    base = Outcome(0, sum(unlinked), unlinked[0] - unlinked[1], (0, 0))
    try:
        return best_of(base.joined(o) for o in smallest_graphs(problem))
    except TooMany:
        return None


def _solved(problem: CoverProblem, limit: float | None) -> Cover:
    """Solve, without mazes; where nothing else is found, the greedy graphs count."""
    start = greedy_cover(problem)
    smaller = contracted(problem)
    cover = solve_cover(smaller.problem, limit, start)
    found_none = cover.nodes is start.nodes  # only the range of F is new
    return cover if found_none else smaller.expanded(cover)


def _sizes(nodes: Iterable[frozenset[int]], unlinked: tuple[int, int]) -> tuple[int, int, int]:
    t, p = nodes
    return len(t) + unlinked[0], len(p) + unlinked[1], len(t & p)
