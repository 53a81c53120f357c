"""Instances stand alone, recipes may come from outside, and nothing is shared or changed."""

import math
import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp

from hierpair import BadInput, Hierarchy, LabelSets, explain, measure, score, set_measure
from hierpair.errors import HierpairError
from hierpair.evaluation.checked import counting_truth
from hierpair.hierarchy.closure import MOST_KEPT
from hierpair.labels.node_scores import NodeScores
from hierpair.measures import Batch, Column, measures_of
from hierpair.measures.recipes.batch import Counted, Units
from hierpair.pairing import CosineDistance, CostMatrix, Hops, Pairs
from hierpair.probabilistic.distributions import LabelDistribution
from tests import effort
from tests.everything import LEVELS, PROBLEMS, bits

EDGES = [("r", "a", 1), ("r", "b", 2), ("a", "c", 1), ("a", "d", 1), ("b", "e", 1)]
TREE = Hierarchy.from_edges(EDGES)
TRUE, PREDICTED = [["c"], ["d", "e"], ["b"]], [["d"], ["d"], ["a", "e"]]


def tried(tree, truth, said, name, **how):
    """Values of instances, or the error."""
    try:
        return score(tree, truth, {"s": said}, name, **how).per_instance["s"][:, 0].tolist()
    except HierpairError as error:
        return error


OF_INSTANCES = [name for name in measures_of("labels") if not counting_truth([measure(name)])]


@pytest.mark.random_cases
@pytest.mark.parametrize("name", OF_INSTANCES)
def test_an_instance_is_what_it_is_alone(name):
    """It has the same value, or is refused for the same reason; nan where the others are wanted."""
    n = 30 if effort.exhaustive else 5
    for problem in (PROBLEMS["forest"], PROBLEMS["dag"], LEVELS):
        tree, *sides = problem.fresh()
        truth, said = (side.part(0, n) for side in sides)
        alone = [tried(tree, truth.part(i, i + 1), said.part(i, i + 1), name) for i in range(n)]
        whole = tried(tree, truth, said, name)
        wrong = [i for i, found in enumerate(alone) if isinstance(found, HierpairError)]
        if wrong:
            first = alone[wrong[0]]
            at = None if first.instance is None else wrong[0]
            assert (type(whole), whole.reason, whole.instance) == (type(first), first.reason, at)
            whole = tried(tree, truth, said, name, on_infeasible="nan")
            assert isinstance(whole, BadInput) == isinstance(first, BadInput)
        if isinstance(whole, list):
            assert bits(whole) == bits(math.nan if i in wrong else alone[i][0] for i in range(n))


def test_weights_that_are_not_finite_are_refused_instance_by_instance():
    m = measure("hf", weights={"r": 1, "a": 1, "b": np.inf, "c": 1, "d": 1, "e": 1})
    with pytest.raises(BadInput, match="instance 1: class 'b' has no finite weight"):
        score(TREE, ["c", "b", "c"], {"s": ["c", "d", "d"]}, m)
    assert score(TREE, ["c", "c"], {"s": ["c", "d"]}, m).values[0, 0] == 0.75


def test_a_recipe_from_outside_says_its_units():
    """It has columns, averages over classes, a remark, and evidence."""

    @dataclass(frozen=True)
    class Named(Counted):
        columns: ClassVar = (
            Column("n_long", "a true label with a long name", support=True),
            Column("n_found", "one that is predicted"),
        )

        def units(self, batch):
            long = np.array([len(name) > 1 for name in batch.hierarchy.names])
            for part in batch.cells("none"):
                some = part.in_true & long[part.column]
                columns = {"n_long": some, "n_found": some & part.in_pred,
                           "short labels do not count": part.in_true & ~some}  # fmt: skip
                yield Units(part.first, part.row_ptr, part.column, columns)

    @set_measure(formula="found / long", source="ours", direction="higher", range="[0, 1]",
                 recipe=Named)  # fmt: skip
    def long_recall(n_long, n_found, *, zero_division: float = 0):
        """Share of the true labels with long names that are predicted."""
        return np.divide(n_found, np.maximum(n_long, 1))

    tree = Hierarchy.from_edges([("r", "aa"), ("r", "bb"), ("r", "c")])
    true, predicted = [["aa", "c"], ["bb"], ["bb"]], [["aa"], ["c"], ["bb"]]
    scores = score(tree, true, {"s": predicted}, ["long_recall", "long_recall(average=macro)"])
    (why,) = explain(tree, true[:1], predicted[:1], "long_recall")
    assert scores.values.tolist() == [[2 / 3, 3 / 4]]
    assert dict(why.evidence.counts) == {"n_long": 1, "n_found": 1}
    assert "short labels do not count" in str(why)
    assert "a true label with a long name        1  aa" in str(why)


# --------------------------------------------------------------------- copies, and what is kept


def sent(thing):
    return pickle.loads(pickle.dumps(thing))


def test_what_users_hold_travels():
    law = LabelDistribution.from_leaves([[0.5, 0.25, 0.25]], TREE, classes=["c", "d", "e"])
    scores = score(TREE, TRUE, {"s": PREDICTED}, ["hf", "gie"])
    why = explain(TREE, TRUE, PREDICTED, ["hf", "gie"])
    sets = LabelSets.from_labels(TRUE, TREE)
    for thing in (TREE, sets, law, law.marginals(), scores, why, Hops()):
        assert type(sent(thing)) is type(thing)
    assert sent(scores).to_text() == scores.to_text()
    assert sent(scores).worst("s", "hf", 2) == scores.worst("s", "hf", 2)
    assert sent(why)[0].to_text() == why[0].to_text()


def test_inputs_are_neither_shared_nor_changed():
    columns = Batch(TREE, *(LabelSets.from_labels(x, TREE) for x in (TRUE, PREDICTED))).columns
    with pytest.raises(ValueError, match="read-only"):  # counts that others use
        next(iter(columns(measure("hf").recipe).values()))[0] = 7
    weight = np.array([1.0, 2.0, 3.0])
    scores = score(TREE, TRUE, {"s": PREDICTED}, ["hf"], sample_weight=weight)
    pointer, numbers = np.array([0, 2, 3]), np.array([4, 1, 2])
    sets = LabelSets.from_arrays(pointer, numbers, len(TREE))
    before = [sets.names_of(i, TREE) for i in range(2)], sets.as_written.indptr.tolist()
    table = np.array([[0.5, 0.25]])
    nodes = NodeScores.from_array(table, TREE, classes=["a", "b"])
    indptr, p = np.array([0, 2]), np.array([0.5, 0.5])
    labels = LabelSets.from_labels(["c", "d"], TREE)
    law = LabelDistribution.from_sets(TREE, indptr, p, labels)
    parts = np.array([1, 1]), np.array([2, 0]), np.array([0, 2])
    matrix = sp.csr_array(parts, shape=(1, 3))
    LabelSets.from_indicator(matrix, TREE, classes=["c", "d", "e"])
    assert matrix.indices.tolist() == [2, 0]
    for array in (weight, pointer, numbers, table, indptr, p, *parts, matrix.data):
        array[:] = 0
    assert scores.weight.tolist() == [1, 2, 3]
    assert ([sets.names_of(i, TREE) for i in range(2)], sets.as_written.indptr.tolist()) == before
    assert sorted(nodes.values.tolist()) == [0.25, 0.5, 1]
    assert (law.indptr.tolist(), law.p.tolist()) == ([0, 2], [0.5, 0.5])


def test_what_is_kept_is_computed_once_and_never_too_much():
    tree = Hierarchy.from_edges([("r", "a")])
    for i in range(MOST_KEPT + 5):
        assert [tree.cached(("a", i), lambda x=x: x) for x in (i, 0)] == [i, i]
        assert len(tree.cache) <= MOST_KEPT
    assert tree.cached(("a", 5), lambda: 7) == 7


@pytest.mark.parametrize("form", ["dense", "sparse", "list"])
@pytest.mark.parametrize("make", [CostMatrix, CosineDistance])
def test_costs_do_not_follow_the_array_they_came_from(make, form):
    array = np.random.default_rng(3).random((len(TREE), len(TREE)))
    given = {"dense": array, "sparse": sp.csr_array(array), "list": array.tolist()}[form]
    cost = make(given)

    def seen(tree):
        pairs = Pairs.between(tree, *(LabelSets.from_labels(x, tree) for x in (TRUE, PREDICTED)))
        scores = score(tree, TRUE, PREDICTED, [measure("gie", cost=cost)])
        return cost(pairs).tolist(), sent(cost)(pairs).tolist(), scores.values[0, 0]

    before = seen(TREE)
    for part in {"dense": [array], "list": given}.get(form) or [given.data]:
        part[:] = [0.5] * len(part) if form == "list" else 0.5
    # what was not computed yet must not see this either
    assert seen(TREE) == seen(Hierarchy.from_edges(EDGES)) == before


@pytest.mark.parametrize("make", [CostMatrix, CosineDistance])
def test_rows_of_several_lengths_are_no_matrix(make):
    with pytest.raises(BadInput, match="must be one array, and these rows differ in length"):
        make([[1.0, 2.0], [3.0]])
