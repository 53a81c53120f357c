"""Masks of paths against all paths of links that are written out; what is decided without them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair.lca import encoding, extended_graphs
from hierpair.lca.encoding import TooMany, coded, decided, encoded, masks_of
from hierpair.lca.search import Problem, smallest_graphs
from tests import effort
from tests.extensions import labels, written
from tests.oracles.greedy_graphs import every_path
from tests.strategies import problems

from .test_greedy import dense


def check_same(hierarchy, truth, prediction, threshold=None):
    """Masks are those of all paths, and what is decided by arrays changes no graphs.

    Return how many instances have links with too many paths among those that are left.
    """
    links = extended_graphs(hierarchy, truth, prediction, "full", threshold).links
    every = np.ones(len(truth), dtype=bool)
    code = encoded(links)
    for i, found in coded(hierarchy, links, code, every):
        classes = code.node[code.ptr[i] : code.ptr[i + 1]].tolist()
        bits = {c: 1 << k for k, c in enumerate(classes)}
        rows = written(hierarchy, links, links.rows(i))
        for short, link in zip(found, rows, strict=True):
            assert (short.label, short.side, short.own) == (link.owner, link.side, link.own)
            assert 1 << short.end == bits[link.end] == short.nodes[-1]
            assert short.nodes == [bits[c] for step in link.steps for c in step]
            edges = zip(short.lower, short.upper, strict=True)
            assert {(short.nodes[a], short.nodes[b]) for a, b in edges} == {
                (bits[a], bits[b]) for a, b in link.edges
            }
            assert short.mask == sum(short.nodes)
            masks = {sum(bits[c] for c in path) for path in every_path(link)}
            if len(masks) > encoding.MOST_PATHS:
                with pytest.raises(TooMany):
                    masks_of(short)
            else:
                assert masks_of(short) == tuple(sorted(masks))
    code = encoded(links, merged=True)
    known = decided(links, code)
    merged = dict(coded(hierarchy, links, code, every))
    n_none = 0
    for i, found in coded(hierarchy, links, code, known.is_open, known.needed):
        for short, full in zip(found, merged[i], strict=True):
            assert short[:5] == full[:5]
            if short.needed and encoding.MOST_PATHS > 1_000:
                assert masks_of(short) == masks_of(full)
        try:
            problem = Problem.of(found)
        except TooMany:
            n_none += 1
            with pytest.raises(TooMany):
                Problem.of(merged[i])
            continue
        try:
            before = graphs_of(Problem.of(merged[i]))
        except TooMany:
            continue
        assert graphs_of(problem) == before
    return n_none


def graphs_of(problem):
    """The outcomes in some order."""
    return sorted(map(repr, smallest_graphs(problem)))


@settings(max_examples=effort.cases(150), deadline=None)
@given(
    problems(max_classes=14, max_labels=5, instances=3),
    st.sampled_from([None, None, 2, 4]),
    st.sampled_from([1, 5, 500_000]),
)
def test_masks_are_those_of_all_paths(problem, threshold, block):
    hierarchy, _, *rows = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "BLOCK_CLASSES", block)
        check_same(hierarchy, *(labels(hierarchy, side) for side in rows), threshold)


@pytest.mark.random_cases
@pytest.mark.parametrize("most", [1, 3, 4_000])
def test_too_many_paths_are_too_many_whatever_is_decided(monkeypatch, most):
    monkeypatch.setattr(encoding, "MOST_PATHS", most)
    n_none = sum(check_same(*dense(40, 6, 20, seed)) for seed in range(6))
    assert (n_none > 0) == (most < 4_000)
