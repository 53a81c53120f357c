"""Nodes that no choice depends on: solved with and without them, and told apart again."""

import numpy as np
import pytest
from hypothesis import given, settings

from hierpair.lca import SOLVER, extended_graphs, graphs
from hierpair.lca.contraction import Contracted, contracted
from hierpair.lca.cover_problems import Instances
from hierpair.solvers import Cover, CoverProblem, Link, solve_cover
from tests import effort
from tests.extensions import labels
from tests.strategies import problems

from .test_graphs import blown_up, check_cover
from .test_greedy_batches import dense


def check_way_back(problem):
    """The smaller problem has graphs of the same sizes, and its graphs become real ones."""
    whole, smaller = solve_cover(problem), contracted(problem)
    found = solve_cover(smaller.problem)
    back = smaller.expanded(found)
    for cover in (found, back):
        assert cover.ends <= cover.nodes[0] & cover.nodes[1]
        assert len(cover.ends) == len(whole.ends)
        assert sizes(cover) == sizes(whole)
    assert check_cover(problem, back)
    for side in (0, 1):
        real = {edge for link in problem.links if link.side == side for edge in link.edges}
        assert back.edges[side] <= real
        assert {c for edge in back.edges[side] for c in edge} <= back.nodes[side]
    return len(smaller.members)


def sizes(cover):
    t, p = cover.nodes
    return len(t), len(p), len(t & p)


def written(hierarchy, truth, prediction, threshold=None):
    """The problems of the instances that have links."""
    links = extended_graphs(hierarchy, truth, prediction, "full", threshold).links
    each = Instances.of(hierarchy, links, np.ones(len(links.label), dtype=bool))
    found = [each.problem(i) for i in range(len(truth))]
    return [problem for problem in found if problem.links]


@settings(max_examples=effort.cases(80), deadline=None)
@given(blown_up())
def test_classes_that_were_blown_up(given_problem):
    from hierpair import Hierarchy

    edges, true, predicted = given_problem
    if edges:
        hierarchy = Hierarchy.from_edges(edges, roots="any")
        for problem in written(hierarchy, *(labels(hierarchy, [s]) for s in (true, predicted))):
            check_way_back(problem)


@settings(max_examples=effort.cases(80), deadline=None)
@given(problems(max_classes=14, max_labels=4, instances=1))
def test_any_problem(given_problem):
    hierarchy, _, *rows = given_problem
    for problem in written(hierarchy, *(labels(hierarchy, side) for side in rows), 4):
        check_way_back(problem)


@pytest.mark.random_cases
def test_dense_hierarchies():
    n_merged = 0
    for seed in range(20):
        hierarchy, *sides = dense(40, 4, 6, seed)
        n_merged += sum(check_way_back(problem) for problem in written(hierarchy, *sides))
    assert n_merged > 20, n_merged


def test_a_maze_becomes_one_node_per_step():
    """Two ways that never cross, and one that joins them: 0-1-3-5-9, 0-2-4-5, 2-3."""
    maze = ((0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5), (5, 9))
    first = Link(0, 0, 9, True, ((0,), (1, 2), (3, 4), (5,), (9,)), maze)
    second = Link(1, 1, 9, True, ((7,), (9,)), ((7, 9),))
    problem = CoverProblem((first, second))
    smaller = contracted(problem)
    assert smaller.problem.links[0].steps == ((0,), (1,), (3,), (5,), (9,))
    assert smaller.problem.links[1] is second
    assert smaller.members == {1: [1, 2], 3: [3, 4]}
    check_way_back(problem)


def test_a_path_back_keeps_to_edges():
    """Of the members only those are taken that a path leads through: 1 has no edge to 4."""
    ways = ((0, 1), (0, 2), (1, 3), (2, 4), (3, 9), (4, 9))
    link = Link(0, 0, 9, True, ((0,), (1, 2), (3, 4), (9,)), ways)
    smaller = Contracted(CoverProblem((link,)), {1: link, 4: link}, {1: [1, 2], 4: [4]})
    chain = frozenset({(0, 1), (1, 4), (4, 9)})
    nodes = frozenset({0, 1, 4, 9})
    cover = Cover(frozenset({9}), (nodes, frozenset()), (chain, frozenset()), optimal=True)
    back = smaller.expanded(cover)
    assert back.nodes[0] == {0, 2, 4, 9}
    assert back.edges[0] == {(0, 2), (2, 4), (4, 9)}


@pytest.mark.random_cases
def test_scores_are_the_same_without(monkeypatch):
    """The whole way through CP-SAT, with and without merging."""
    monkeypatch.setattr("hierpair.lca.part_graphs.MOST_WORK", 0)
    hierarchy, *sides = dense(40, 5, 12, 3)
    found = [extended_graphs(hierarchy, *sides, draw=draw) for draw in (False, True)]
    monkeypatch.setattr(graphs, "contracted", lambda problem: Contracted(problem, {}, {}))
    found.append(extended_graphs(hierarchy, *sides))
    assert (found[0].solved_by == SOLVER).any()
    for name in ("n_true", "n_predicted", "n_both", "solved_by"):
        assert len({tuple(getattr(g, name).tolist()) for g in found}) == 1
