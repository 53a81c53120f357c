"""The graphs of a whole batch: arrays settle most instances, the open rest is searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_sums, sorted_unique
from hierpair.lca.enumeration import Outcome, TooMany, best_of, smallest_graphs
from hierpair.lca.greedy import greedy_cover
from hierpair.lca.instance_problem import cover_problem
from hierpair.lca.links import Links, n_lone
from hierpair.lca.path_masks import Problem, Shape, search_problem, search_problems
from hierpair.lca.symmetry_reduction import thinned
from hierpair.solvers import Cover, CoverProblem, solve_cover

__all__ = ["ARRAYS", "BOUND", "SEARCH", "SOLVER", "WAYS", "Graphs", "full_graphs", "greedy_graphs",
           "minimal_graphs"]  # fmt: skip

MOST_SHAPES = 10_000
"""Shapes of instances that are remembered."""

WAYS = ("settled without a choice", "searched", "solved by CP-SAT", "stopped by the limit")

ARRAYS, SEARCH, SOLVER, BOUND = range(4)
"""How the graphs of an instance were found: no choice was left; by enumeration; by constraint
programming; or by it, but stopped by the time limit, so that they may not be the best."""


@dataclass(frozen=True, eq=False)
class Graphs:
    """Sizes of the two graphs of every instance, and how each was found.

    Attributes
    ----------
    n_true, n_predicted, n_both
        Classes in the true graph, in the predicted one, and in both, shape ``(n_instances,)``.
    found_by
        ``ARRAYS``, ``SEARCH``, ``SOLVER`` or ``BOUND``, shape ``(n_instances,)``.
    """

    n_true: NDArray[np.int64]
    n_predicted: NDArray[np.int64]
    n_both: NDArray[np.int64]
    found_by: NDArray[np.int8]
    drawing: tuple[Links, list[Cover], list[list[int]]] | None = None

    def drawn(self, instance: int) -> tuple[Links, Cover, list[list[int]]]:
        """Return links, what was chosen for an instance, and the nearest partners of labels."""
        if self.drawing is None:
            raise ValueError("the graphs were counted, not drawn")
        links, covers, partners = self.drawing
        return links, covers[instance], partners


def full_graphs(hierarchy: Hierarchy, links: Links) -> Graphs:
    """Return the sizes of the extended graphs G_ex, with nothing taken away."""
    everything = np.ones(len(links.label), dtype=bool)
    sizes = _sizes(hierarchy, links, everything, np.ones(len(links.node), dtype=bool))
    return Graphs(*sizes, np.full(links.members.n_instances, ARRAYS, dtype=np.int8))


def minimal_graphs(hierarchy: Hierarchy, links: Links, limit: float | None = None) -> Graphs:
    """Return the sizes of the minimal graphs.

    ``limit`` bounds the seconds that the solver may take for one instance; where it is hit, the
    best graphs so far count and ``found_by`` says ``BOUND``.
    """
    width = len(hierarchy) + 1
    stand_in, kept = _stand_ins(links, width)
    chosen, is_open = _settled(links, kept, width)
    n_true, n_predicted, n_both = _sizes(hierarchy, links, chosen, kept)
    found_by = np.where(is_open, SEARCH, ARRAYS).astype(np.int8)
    lone, rows = n_lone(links), _rows_of(links, is_open)
    n = links.members.n_instances
    ptr = offsets(np.bincount(links.members.instance[links.label[rows]], minlength=n)).tolist()
    known: dict[tuple[Shape, tuple[int, int]], tuple[int, int, int, int]] = {}
    for i, shape, problem_of in search_problems(
        hierarchy, links, stand_in, rows, np.flatnonzero(is_open)
    ):
        alone = int(lone[0][i]), int(lone[1][i])
        if (shape, alone) not in known:
            if len(known) == MOST_SHAPES:
                known.clear()
            sizes, way = _searched(problem_of(), alone), SEARCH
            if sizes is None:
                written = cover_problem(hierarchy, links, rows[ptr[i] : ptr[i + 1]], alone)
                try:
                    sizes, way = _solved_sizes(written, limit)
                except SolverLimit as error:
                    raise SolverLimit(error.reason, i) from error
            known[shape, alone] = *sizes, way
        n_true[i], n_predicted[i], n_both[i], found_by[i] = known[shape, alone]
    return Graphs(n_true, n_predicted, n_both, found_by)


def _solved_sizes(problem: CoverProblem, limit: float | None) -> tuple[tuple[int, int, int], int]:
    """Return the sizes of an instance that is too large to be searched, and how it was solved."""
    fewer = thinned(problem)
    if fewer is not problem:
        sizes = _searched(search_problem(fewer), problem.lone)
        if sizes is not None:
            return sizes, SEARCH
    cover = solved(fewer, limit)
    return _cover_sizes(cover, problem.lone), SOLVER if cover.optimal else BOUND


def _searched(problem: Problem | None, lone: tuple[int, int]) -> tuple[int, int, int] | None:
    """Return the sizes of the smallest graphs and of what they share, or None: too many."""
    best = searched(problem, lone)
    if best is None:
        return None
    t, p = best.masks
    return t.bit_count() + lone[0], p.bit_count() + lone[1], (t & p).bit_count()


def searched(problem: Problem | None, lone: tuple[int, int]) -> Outcome | None:
    """Return the smallest graphs, or None: too many would have to be looked at."""
    if problem is None:
        return None
    base = Outcome(0, lone[0] + lone[1], lone[0] - lone[1], (0, 0), ())
    try:
        return best_of(base.joined(o) for o in smallest_graphs(*problem))
    except TooMany:
        return None


def solved(problem: CoverProblem, limit: float | None) -> Cover:
    """Solve; where the time does not do, the greedy graphs are the bound."""
    return solve_cover(problem, limit, greedy_cover(problem) if limit is not None else None)


def greedy_graphs(hierarchy: Hierarchy, links: Links) -> Graphs:
    """Return the sizes of the graphs of the corrected Algorithm 1, instance by instance."""
    n = links.members.n_instances
    sizes = np.zeros((3, n), dtype=np.int64)
    lone = n_lone(links)
    rows = _rows_of(links, np.ones(n, dtype=bool))
    ptr = offsets(np.bincount(links.members.instance[links.label], minlength=n)).tolist()
    for i in range(n):
        alone = int(lone[0][i]), int(lone[1][i])
        problem = cover_problem(hierarchy, links, rows[ptr[i] : ptr[i + 1]], alone, ranked=True)
        sizes[:, i] = _cover_sizes(greedy_cover(problem), alone)
    return Graphs(sizes[0], sizes[1], sizes[2], np.full(n, SEARCH, dtype=np.int8))


def _cover_sizes(cover: Cover, alone: tuple[int, int]) -> tuple[int, int, int]:
    t, p = cover.nodes
    return len(t) + alone[0], len(p) + alone[1], len(t & p)


def _rows_of(links: Links, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the links of these instances, instance by instance."""
    instance = links.members.instance[links.label]
    rows = np.flatnonzero(wanted[instance])
    return rows[np.argsort(instance[rows], kind="stable")]


def _stand_ins(links: Links, width: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the class that stands for each class on a link, and which classes stand for one.

    A class that is on one link only, and is no LCA, counts the same as any other such class of
    the same link and step, since every way passes exactly one class per step. The first of them
    stands for all. Keys are instance * width + class.
    """
    members = links.members
    count = np.diff(links.node_ptr)
    owner = np.repeat(np.arange(len(links.label)), count)
    place = members.instance[links.label[owner]] * width + links.node
    order = np.argsort(place)
    ranked = place[order]
    same = ranked[1:] == ranked[:-1]
    several = np.zeros(len(place), dtype=bool)
    several[order[1:][same]] = True
    several[order[:-1][same]] = True
    lca = sorted_unique(members.instance[links.label] * width + links.lca)
    several |= _is_in(place, lca)
    private = np.flatnonzero(~several)
    at = owner[private] * (int(links.length.max(initial=0)) + 1) + links.step[private]
    first = np.ones(len(private), dtype=bool)
    np.not_equal(at[1:], at[:-1], out=first[1:])  # entries are in the order of link and step
    stand_in = place.copy()
    stand_in[private] = place[private[first]][np.cumsum(first) - 1]
    kept = several
    kept[private[first]] = True
    return stand_in, kept


def _settled(
    links: Links, kept: NDArray[np.bool_], width: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the links that every minimal graph has, and the instances where choices are left.

    An instance is settled if the LCAs of labels with a single one meet all requirements (then no
    smaller set does), if they leave every label one way, and every side one way to each of them.
    """
    members, own, label = links.members, links.own, links.label
    n_labels = len(members.classes)
    instance = members.instance[label]
    single = row_sums(kept, links.node_ptr) == links.length + 1
    requirement = np.bincount(label[own], minlength=n_labels)
    place = instance * width + links.lca
    forced = sorted_unique(place[own & (requirement[label] == 1)])
    taken = _is_in(place, forced)
    candidates = np.bincount(label[own & taken], minlength=n_labels)
    open_label = (requirement > 0) & (candidates != 1)
    chosen = own & taken & (candidates[label] == 1)
    is_open = np.zeros(members.n_instances, dtype=bool)
    is_open[members.instance[open_label]] = True
    is_open[instance[chosen & ~single]] = True
    # An LCA at which no label of a side ends gets one way of that side.
    side = members.side[label].astype(np.int64)
    end = place * 2 + side
    ended = sorted_unique(end[chosen])
    loose = np.flatnonzero(taken & ~_is_in(end, ended))
    order = loose[np.argsort(end[loose], kind="stable")]
    first = np.ones(len(order), dtype=bool)
    np.not_equal(end[order][1:], end[order][:-1], out=first[1:])
    alone = first & np.append(first[1:], True)
    is_open[instance[order[~alone]]] = True
    is_open[instance[order[~single[order]]]] = True
    chosen[order[alone]] = True
    chosen &= ~is_open[instance]
    return chosen, is_open


def _is_in(keys: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each key is among the sorted known ones."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    found: NDArray[np.bool_] = (
        known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    )
    return found


def _sizes(
    hierarchy: Hierarchy, links: Links, chosen: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the classes of the labels and of the chosen ways: one sort puts equal ones together."""
    members = links.members
    width = len(hierarchy) + 1
    picked = np.flatnonzero(chosen)
    count = np.diff(links.node_ptr)[picked]
    at = ragged_ranges(links.node_ptr[picked], count)
    counted = kept[at]
    nodes = links.node[at[counted]]
    label = np.repeat(links.label[picked], count)[counted]
    owner = np.concatenate([members.instance, members.instance[label]])
    side = np.concatenate([members.side, members.side[label]])
    key = (owner * width + np.concatenate([members.classes, nodes])) * 2 + side
    key = sorted_unique(key)
    place, side = key >> 1, key & 1
    owner = place // width
    n = members.n_instances
    n_predicted = np.bincount(owner[side == 1], minlength=n)
    n_true = np.bincount(owner, minlength=n) - n_predicted
    both = place[1:] == place[:-1]
    return n_true, n_predicted, np.bincount(owner[1:][both], minlength=n)
