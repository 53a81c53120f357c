"""Masks of paths from arrays of edges against those of problems that are written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair.lca import extended_graphs, path_masks
from hierpair.lca.cover_problems import Instances
from hierpair.lca.no_choice import stand_ins
from hierpair.lca.path_masks import search_problem, search_problems
from tests import effort
from tests.extensions import labels
from tests.strategies import problems

from .test_greedy_batches import dense


def check_same(hierarchy, truth, prediction, threshold=None):
    """Every instance has the same choices, ends and marked classes; return how many have none."""
    links = extended_graphs(hierarchy, truth, prediction, "full", threshold).links
    each = Instances.of(hierarchy, links, np.ones(len(links.label), dtype=bool))
    stand_in, _ = stand_ins(links, len(hierarchy) + 1)
    n_none = 0
    for i, _, problem_of in search_problems(each, stand_in, np.arange(len(truth))):
        found, written = problem_of(), search_problem(each.problem(i))
        assert found == written
        n_none += found is None
    return n_none


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
@pytest.mark.parametrize("bits", [0, 62])
def test_too_many_paths_are_too_many_in_both(monkeypatch, most, bits):
    monkeypatch.setattr(path_masks, "MOST_PATHS", most)
    monkeypatch.setattr(path_masks, "ARRAY_BITS", bits)
    n_none = sum(check_same(*dense(40, 6, 20, seed)) for seed in range(6))
    assert (n_none > 0) == (most < 4_000)
