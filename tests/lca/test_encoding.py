"""Masks of paths against all paths of links that are written out; what is decided without them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair.lca import cover_problem, encoding, extended_graphs
from hierpair.lca.encoding import TooMany, coded, decided, encoded
from hierpair.lca.search import Problem, smallest_graphs
from tests import effort
from tests.extensions import labels
from tests.oracles.greedy_graphs import every_path
from tests.strategies import problems

from .test_greedy import dense


def check_same(hierarchy, truth, prediction, threshold=None):
    """Masks are those of all paths, and what is decided by arrays changes no graphs.

    Return how many instances have links with too many paths among those that are left.
    """
    links = extended_graphs(hierarchy, truth, prediction, "full", threshold).links
    code = encoded(links)
    known = decided(links, code)
    searched = coded(hierarchy, links, code, known, known.is_open)
    every = np.ones(len(truth), dtype=bool)
    whole = dict(coded(hierarchy, links, code, known, every, draw=True))
    n_none = 0
    for i, found in searched:
        written = cover_problem(hierarchy, links, links.rows(i)).links
        for short, full, link in zip(found, whole[i], written, strict=True):
            assert short[:8] == full[:8]
            n_places = sum(map(len, link.steps))
            bits = dict(zip(links.node[full.start :].tolist(), full.fork[0], strict=False))
            assert len(bits) >= n_places == len(full.fork[0])
            real = set(every_path(link))
            masks = {sum(bits[c] for c in path) for path in real}
            if len(masks) > encoding.MOST_PATHS:
                with pytest.raises(TooMany):
                    full.masks()
                continue
            assert full.masks() == tuple(sorted(masks))
            if short.left or short.fixed:
                assert short.masks() == full.masks()
            drawn = full.paths(full.mask)
            assert drawn.keys() == masks
            for mask, places in drawn.items():
                path = tuple(links.node[places[::-1]].tolist())
                assert path in real
                assert sum(bits[c] for c in path) == mask
        undecided = [link._replace(fixed=False, left=True) for link in whole[i]]
        try:
            problem = Problem.of(found)
        except TooMany:
            n_none += 1
            with pytest.raises(TooMany):
                Problem.of(undecided)
            continue
        try:
            before = graphs_of(Problem.of(undecided))
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
