"""Masks of paths against all paths of links that are written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair.lca import encoding, extended_graphs
from hierpair.lca.encoding import TooMany, coded, encoded, masks_of
from tests import effort
from tests.extensions import labels, written
from tests.oracles.greedy_graphs import every_path
from tests.strategies import problems

from .test_greedy import dense


def check_same(hierarchy, truth, prediction, threshold=None):
    """Masks are those of all paths; those of classes that count the same are fewer.

    Return how many links have too many paths even so.
    """
    links = extended_graphs(hierarchy, truth, prediction, "full", threshold).links
    every = np.ones(len(truth), dtype=bool)
    code = encoded(links)
    for i, found in coded(hierarchy, links, code, every, edges_of_all=True):
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
    merged = encoded(links, merged=True)
    n_none = 0
    for i, found in coded(hierarchy, links, merged, every):
        for short, row in zip(found, links.rows(i).tolist(), strict=True):
            here = slice(*links.node_ptr[row : row + 2].tolist())
            bits = 1 << ((merged.slot[here] >> 1) - merged.ptr[i]).astype(object)
            number = dict(zip(links.node[here].tolist(), bits.tolist(), strict=True))
            [link] = written(hierarchy, links, [row])
            masks = {sum(number[c] for c in path) for path in every_path(link)}
            try:
                assert masks_of(short) == tuple(sorted(masks))
            except TooMany:
                n_none += 1
                assert len(masks) > encoding.MOST_PATHS
    return n_none


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
def test_too_many_paths_are_too_many(monkeypatch, most):
    monkeypatch.setattr(encoding, "MOST_PATHS", most)
    n_none = sum(check_same(*dense(40, 6, 20, seed)) for seed in range(6))
    assert (n_none > 0) == (most < 4_000)
