"""Measures travel to other processes, inputs are not shared with the caller, caches are bounded."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
import scipy.sparse as sp

from hierpair import BadInput, CostMatrix, Hierarchy, Hops, LabelSets, explain, measure, score
from hierpair.hierarchy.closure import MOST_KEPT
from hierpair.labels.node_scores import NodeScores
from hierpair.measures import REGISTRY
from hierpair.pairing import CosineDistance, Pairs
from hierpair.probabilistic.distributions import LabelDistribution

TREE = Hierarchy.from_edges(
    [("r", "a", 1), ("r", "b", 2), ("a", "c", 1), ("a", "d", 1), ("b", "e", 1)]
)
TRUE, PREDICTED = [["c"], ["d", "e"], ["b"]], [["d"], ["d"], ["a", "e"]]


def variants(name):
    """Return a measure, and with each of its options at each word that it may have."""
    plain = measure(name)
    yield plain
    for option in plain.options:
        for value in plain.definition.option(option).values:
            with suppress(BadInput):  # a word that this measure does not know, or not with others
                yield plain.with_options(**{option: value})


def sent(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("name", REGISTRY)
def test_every_measure_travels(name):
    for m in variants(name):
        back = sent(m)
        assert back.signature == m.signature
        assert back == m
        assert hash(back) == hash(m)
        for one in (m, back):
            assert one.definition.recipe is None or callable(one.definition.recipe)


def test_what_users_hold_travels():
    sets = LabelSets.from_labels(TRUE, TREE)
    leaves = ["c", "d", "e"]
    distribution = LabelDistribution.from_leaves([[0.5, 0.25, 0.25]], TREE, classes=leaves)
    scores = score(TREE, TRUE, {"s": PREDICTED}, ["hf", "gie"])
    why = explain(TREE, TRUE, PREDICTED, ["hf", "gie"])
    for thing in (TREE, sets, distribution, distribution.marginals(), scores, why, Hops()):
        assert type(sent(thing)) is type(thing)
    assert sent(scores).to_text() == scores.to_text()
    assert sent(scores).worst("s", "hf", 2) == scores.worst("s", "hf", 2)
    assert sent(why)[0].to_text() == why[0].to_text()


def test_inputs_are_not_shared():
    weight = np.array([1.0, 2.0, 3.0])
    scores = score(TREE, TRUE, {"s": PREDICTED}, ["hf"], sample_weight=weight)
    weight[:] = 0
    assert scores.weight.tolist() == [1, 2, 3]
    pointer, numbers = np.array([0, 2, 3]), np.array([4, 1, 2])
    sets = LabelSets.from_arrays(pointer, numbers, len(TREE))
    before = [sets.names_of(i, TREE) for i in range(2)], sets.as_written.ptr.tolist()
    pointer[:], numbers[:] = 0, 0
    assert ([sets.names_of(i, TREE) for i in range(2)], sets.as_written.ptr.tolist()) == before
    table = np.array([[0.5, 0.25]])
    nodes = NodeScores.from_array(table, TREE, classes=["a", "b"])
    table[:] = 0
    assert nodes.values.max() == 1
    assert sorted(nodes.values.tolist()) == [0.25, 0.5, 1]
    indptr, p = np.array([0, 2]), np.array([0.5, 0.5])
    distribution = LabelDistribution.from_sets(
        TREE, indptr, p, LabelSets.from_labels(["c", "d"], TREE)
    )
    indptr[:], p[:] = 0, 0
    assert (distribution.indptr.tolist(), distribution.p.tolist()) == ([0, 2], [0.5, 0.5])


def test_inputs_are_not_changed():
    parts = np.array([1, 1]), np.array([2, 0]), np.array([0, 2])
    matrix = sp.csr_array(parts, shape=(1, 3))
    LabelSets.from_indicator(matrix, TREE, classes=["c", "d", "e"])
    assert matrix.indices.tolist() == [2, 0]
    assert all(array.flags.writeable for array in (*parts, matrix.data))
    pointer, numbers, weight = np.array([0, 1, 2, 3]), np.array([1, 2, 3]), np.ones(3)
    sets = LabelSets.from_arrays(pointer, numbers, len(TREE))
    score(TREE, sets, {"s": PREDICTED}, ["hf"], sample_weight=weight)
    for array in (pointer, numbers, weight):
        array[:] = 0


def test_what_is_kept_is_computed_once_and_never_too_much():
    tree = Hierarchy.from_edges([("r", "a")])
    for i in range(MOST_KEPT + 5):
        assert [tree.cached(("a", i), lambda x=x: x) for x in (i, 0)] == [i, i]
        assert len(tree.cache) <= MOST_KEPT
    assert tree.cached(("a", 5), lambda: 7) == 7


@pytest.mark.parametrize("form", ["dense", "sparse", "list"])
@pytest.mark.parametrize("make", [CostMatrix, CosineDistance])
def test_costs_do_not_follow_the_array_they_came_from(make, form):
    rng = np.random.default_rng(3)
    array = rng.random((len(TREE), len(TREE)))
    given = {"dense": array, "sparse": sp.csr_array(array), "list": array.tolist()}[form]
    parts = {"dense": [array], "list": given}.get(form) or [given.data]
    cost = make(given)
    m = measure("gie", cost=cost)
    pairs = Pairs.between(TREE, *(LabelSets.from_labels(x, TREE) for x in (TRUE, PREDICTED)))
    before = cost(pairs).tolist(), score(TREE, TRUE, PREDICTED, [m]).values[0, 0]
    for part in parts:  # what was not computed yet must not see this either
        part[:] = [0.5] * len(part) if form == "list" else 0.5
    fresh = Hierarchy.from_edges(
        [("r", "a", 1), ("r", "b", 2), ("a", "c", 1), ("a", "d", 1), ("b", "e", 1)]
    )
    sets = (LabelSets.from_labels(x, fresh) for x in (TRUE, PREDICTED))
    assert cost(pairs).tolist() == before[0] == cost(Pairs.between(fresh, *sets)).tolist()
    assert score(fresh, TRUE, PREDICTED, [m]).values[0, 0] == before[1]
    assert sent(cost)(pairs).tolist() == before[0]


@pytest.mark.parametrize("make", [CostMatrix, CosineDistance])
def test_rows_of_several_lengths_are_no_matrix(make):
    with pytest.raises(BadInput, match="must be one array, and these rows differ in length"):
        make([[1.0, 2.0], [3.0]])
