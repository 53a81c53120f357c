"""Masks of paths from arrays of edges against those of problems that are written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair.lca import extended_graphs, path_masks
from hierpair.lca.cover_problems import Instances
from hierpair.lca.enumeration import smallest_graphs
from hierpair.lca.no_choice import decided, stand_ins
from hierpair.lca.part_graphs import TooMany
from hierpair.lca.search_problems import _words, search_problem, search_problems
from tests import effort
from tests.extensions import labels
from tests.strategies import problems

from .test_greedy_batches import dense


def check_same(hierarchy, truth, prediction, threshold=None):
    """What is decided by arrays, and masks by arrays of edges, change no graphs.

    Return how many instances have links with too many paths among those that are left.
    """
    links = extended_graphs(hierarchy, truth, prediction, "full", threshold).links
    width = len(hierarchy) + 1
    standing = stand_ins(links, width)
    known = decided(links, standing.kept, width)
    each = Instances.of(hierarchy, links, known.is_open[links.members.instance[links.label]])
    n_none = 0
    for i, _, problem_of in search_problems(each, standing, known):
        found, written = problem_of(), search_problem(each.problem(i))
        n_none += found is None
        if found is None:
            assert written is None
        elif written is not None and (graphs := graphs_of(written)) is not None:
            assert graphs_of(found) == graphs
    return n_none


def graphs_of(problem):
    """The outcomes in some order, or none if they are too many."""
    try:
        return sorted(map(repr, smallest_graphs(problem)))
    except TooMany:
        return None


@settings(max_examples=effort.cases(150), deadline=None)
@given(
    problems(max_classes=14, max_labels=5, instances=3),
    st.sampled_from([None, None, 2, 4]),
    st.sampled_from([1, 5, 500_000]),
)
def test_edges_by_arrays_give_the_same_masks(problem, threshold, block):
    hierarchy, _, *rows = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_masks, "BLOCK_CLASSES", block)
        check_same(hierarchy, *(labels(hierarchy, side) for side in rows), threshold)


@pytest.mark.random_cases
@pytest.mark.parametrize("most", [1, 3, 4_000])
def test_too_many_paths_are_too_many_in_both(monkeypatch, most):
    monkeypatch.setattr(path_masks, "MOST_PATHS", most)
    n_none = sum(check_same(*dense(40, 6, 20, seed)) for seed in range(6))
    assert (n_none > 0) == (most < 4_000)


def test_masks_of_two_words_and_what_is_beyond():
    """Bits on both sides of every border."""
    rows = [[0, 61], [61, 62], [62, 123], [123, 124], [124], [5, 200]]
    count = np.array([len(row) for row in rows])
    low, high, beyond = _words(np.concatenate(rows), count)
    for row, *words, more in zip(rows, low.tolist(), high.tolist(), beyond.tolist(), strict=True):
        assert more == (max(row) >= 124)
        assert words[0] | words[1] << 62 == sum(1 << bit for bit in row if bit < 124)
    assert [len(part) for part in _words(count[:0], count[:0])] == [0, 0, 0]
