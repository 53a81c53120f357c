"""Algorithm 1 for whole batches against Algorithm 1 instance by instance, path by path."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import Hierarchy
from hierpair.lca import extended_graphs
from tests import effort
from tests.extensions import labels, written
from tests.oracles.greedy_graphs import greedy_graphs, ranks_of
from tests.strategies import problems


def sizes(graphs):
    return [graphs.n_true.tolist(), graphs.n_predicted.tolist(), graphs.n_both.tolist()]


def check_same(hierarchy, truth, prediction, threshold=None):
    """A batch has the graphs that one step after the other gives."""
    batch = extended_graphs(hierarchy, truth, prediction, "greedy", threshold)
    rank, links = ranks_of(hierarchy), batch.links
    for i in range(len(truth)):
        lcas, nodes, edges = batch.drawn(hierarchy, i)
        ends, paths = greedy_graphs(written(hierarchy, links, links.rows(i)), rank)
        assert lcas == {path[-1] for side in paths for path in side} == set(ends)
        for s in (0, 1):
            alone = ~links.linked & (links.members.instance == i) & (links.members.side == s)
            found = {c for path in paths[s] for c in path}
            assert nodes[s] == found | {*links.members.classes[alone].tolist()}
            assert edges[s] == {edge for path in paths[s] for edge in pairwise(path)}
        found = [*map(len, nodes), len(nodes[0] & nodes[1])]
        assert [part[i] for part in sizes(batch)] == found
    return batch


@settings(max_examples=effort.cases(300), deadline=None)
@given(
    problems(max_classes=14, max_labels=6, instances=4),
    st.sampled_from([None, None, 2, 4, 6]),
)
def test_batches_give_the_sizes_of_single_instances(problem, threshold):
    hierarchy, _, *rows = problem
    check_same(hierarchy, *(labels(hierarchy, side) for side in rows), threshold)


def dense(n_classes, n_labels, instances, seed):
    """Layers with many parents: several LCAs and paths everywhere, and LCAs that become spare."""
    rng = np.random.default_rng(seed)
    level = np.sort(rng.integers(0, 5, n_classes))
    edges = [
        (int(p), c)
        for c in range(n_classes)
        if (above := np.flatnonzero(level == level[c] - 1)).size
        for p in rng.choice(above, min(len(above), int(rng.integers(1, 5))), False)
    ]
    hierarchy = Hierarchy.from_edges(edges, classes=range(n_classes))
    rows = [
        [
            rng.choice(n_classes, int(rng.integers(0, n_labels)), False).tolist()
            for _ in range(instances)
        ]
        for _ in "tp"
    ]
    return hierarchy, *(labels(hierarchy, side) for side in rows)


@pytest.mark.random_cases
def test_many_paths_and_many_lcas():
    n_loose = 0
    for seed in range(effort.cases(60)):
        hierarchy, *sides = dense(40, 9, 30, seed)
        batch = check_same(hierarchy, *sides, (None, None, 4)[seed % 3])
        n_loose += int((~batch.links.own).sum())
    assert n_loose > 100


def test_names_break_ties_whatever_their_type():
    """Numbers are ordered as texts: 10 comes before 9."""
    edges = [(0, 9), (0, 10), (9, 1), (10, 1), (9, 2), (10, 2), (10, 3), (9, 3)]
    hierarchy = Hierarchy.from_edges(edges)
    sides = labels(hierarchy, [[1, 3]]), labels(hierarchy, [[2]])
    check_same(hierarchy, *sides)
    lcas, _, _ = extended_graphs(hierarchy, *sides, "greedy").drawn(hierarchy, 0)
    assert {hierarchy.names[c] for c in lcas} == {10}


def test_nothing_to_do():
    hierarchy = Hierarchy.from_edges([("r", "a"), ("s", "b")])
    for rows in ([[], []], [[], []]), ([["a"], []], [["b"], ["b"]]), ([], []):
        batch = check_same(hierarchy, *(labels(hierarchy, side) for side in rows))
        assert batch.n_both.tolist() == [0] * len(rows[0])
