"""Constraints and costs in words: what each does, combined, and what it refuses."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hierpair import (
    AS_MANY_AS_THERE_ARE,
    BadInput,
    Cardinality,
    CostMatrix,
    DecayedEdges,
    Degree,
    EdgeWeights,
    Forbid,
    Groups,
    Hierarchy,
    Hops,
    Infeasible,
    LabelSets,
    MaxDistance,
    Require,
    Rule,
    Unmatched,
)
from hierpair.pairing import (
    CosineDistance,
    Pairs,
    build,
    by_level,
    by_subtree,
    formulate,
    solve_pairing,
)
from hierpair.solvers import check, solve
from tests import effort
from tests.oracles import pairs_and_sets as reference
from tests.strategies import problems

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2"), ("b2", "b3")]
)


def pairs_of(true, pred, hierarchy=TREE):
    y_true = LabelSets.from_labels([true], hierarchy)
    y_pred = LabelSets.from_labels([pred], hierarchy)
    return Pairs.between(hierarchy, y_true, y_pred)


def solved(true, pred, *constraints, cost=Hops(), hierarchy=TREE, **options):  # noqa: B008
    """Cost and the chosen (predicted, true) names of one instance."""
    pairs = pairs_of(true, pred, hierarchy)
    problem = formulate(Rule(cost, constraints, **options), pairs)
    pairing = solve_pairing(problem)
    network, _ = build(problem)
    assert check(network, solve(network)).optimal
    names = hierarchy.names
    chosen = {
        (names[pairs.predicted[k]], names[pairs.true[k]]) for k in np.flatnonzero(pairing.chosen)
    }
    return pairing.cost[0], chosen


ONE_EACH = (Degree("predicted", 1, 1), Unmatched("predicted", 5),
            Degree("true", 1, 1), Unmatched("true", 5))  # fmt: skip


def test_require_by_name_and_by_predicate():
    cost, chosen = solved(["a1", "b1"], ["a1", "b1"], *ONE_EACH, Require((("a1", "b1"),)))
    assert (cost, chosen) == (8, {("a1", "b1"), ("b1", "a1")})
    far = Require(lambda pairs: pairs.distance == 4)
    assert solved(["a1", "b1"], ["a1", "b1"], *ONE_EACH, far)[0] == 8


def test_within_limits_a_subtree_and_a_level():
    one_a_subtree = Groups("predicted", by_subtree(1), upper=1)
    cost, chosen = solved(["a1", "a2", "b1"], ["a1", "a2", "b1"], *ONE_EACH, one_a_subtree)
    assert cost == 10
    assert len(chosen) == 2
    nested = Groups("predicted", lambda labels: 0 * labels.classes, upper=1)
    assert solved(["a1", "a2", "b1"], ["a1", "a2", "b1"], *ONE_EACH, nested, one_a_subtree)[0] == 20
    assert solved(["a1", "b"], ["a1", "b"], *ONE_EACH, Groups("true", by_level, upper=1))[0] == 0
    assert solved(["a", "b"], ["a", "b"], *ONE_EACH, Groups("true", by_level, upper=1))[0] == 10


def test_weights_of_edges():
    weighted = TREE.with_weights(np.arange(len(TREE.parents)) + 1.0)
    heavy = pairs_of(["a1"], ["a2", "b3"], weighted)
    assert EdgeWeights()(heavy).tolist() == heavy.weighted_distance.tolist() != [2, 5]
    with pytest.raises(BadInput, match="needs a hierarchy with edge weights"):
        EdgeWeights()(pairs_of(["a1"], ["a2", "b3"]))


@given(
    problems(max_classes=8, instances=2),
    st.sampled_from([0.5, 0.75]),
    st.sampled_from(["min", "max"]),
)
@settings(max_examples=effort.cases(200), deadline=None)
def test_decayed_edges_against_weighted_walks(problem, w0, depth):
    hierarchy, edges, y_true, y_pred = problem
    level = hierarchy.depths if depth == "min" else hierarchy.levels
    weighted = [(p, c, w0 ** float(level[hierarchy.position[c]])) for p, c in edges]
    up = {n: reference.weighted_up_distances(weighted, n) for n in hierarchy.names}
    pairs = Pairs.between(
        hierarchy,
        LabelSets.from_labels(y_true, hierarchy),
        LabelSets.from_labels(y_pred, hierarchy),
    )
    expected = [
        reference.distance(up[hierarchy.names[p]], up[hierarchy.names[t]])
        for p, t in zip(pairs.predicted, pairs.true, strict=True)
    ]
    assert DecayedEdges(w0, depth)(pairs) == pytest.approx(expected, abs=1e-12)


def test_cosine_distance():
    vectors = np.zeros((len(TREE), 2))
    for name, vector in {"a1": (1, 0), "a2": (1, 1), "b1": (0, 2), "b2": (-3, 0)}.items():
        vectors[TREE.position[name]] = vector
    for given_vectors in (vectors, sp.csr_array(vectors)):
        pairs = pairs_of(["a1"], ["a1", "a2", "b1", "b2", "b3"])
        got = dict(zip((TREE.names[c] for c in pairs.predicted),
                       CosineDistance(given_vectors)(pairs), strict=True))  # fmt: skip
        assert got == pytest.approx(
            {"a1": 0, "a2": 1 - 1 / math.sqrt(2), "b1": 1, "b2": 2, "b3": 1}
        )
    with pytest.raises(BadInput, match="expected one vector per class"):
        CosineDistance(vectors[1:])(pairs)
    with pytest.raises(BadInput, match="must be finite"):
        CosineDistance(vectors + np.nan)(pairs)


def test_a_users_matrix_may_be_asymmetric_and_exact():
    costs = np.full((len(TREE), len(TREE)), Fraction(1, 3), dtype=object)
    true, pred = TREE.position["a1"], TREE.position["a2"]
    costs[pred, true] = Fraction(1, 7)
    assert solved(["a1"], ["a2"], *ONE_EACH, cost=CostMatrix(costs))[0] == float(Fraction(1, 7))
    assert solved(["a2"], ["a1"], *ONE_EACH, cost=CostMatrix(costs))[0] == float(Fraction(1, 3))
    sparse = sp.csr_array((([2.5]), ([pred], [true])), shape=costs.shape)
    assert solved(["a1"], ["a2"], *ONE_EACH, cost=CostMatrix(sparse))[0] == 2.5
    with pytest.raises(BadInput, match="matrix by class, got shape"):
        solved(["a1"], ["a2"], *ONE_EACH, cost=CostMatrix(costs[1:]))


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (lambda pairs: pairs.distance - 9, "has the cost -7.0 from <lambda>; a cost must be a number ≥ 0"),
        (lambda pairs: pairs.distance * np.nan, "has the cost nan"),
        (lambda pairs: np.zeros(3), "must give one number per pair (1,), got shape (3,)"),
        (lambda pairs: np.array(["x"]), "must be a number ≥ 0, got array"),
    ],
)  # fmt: skip
def test_bad_costs_name_the_pair(cost, message):
    with pytest.raises(BadInput) as caught:
        solved(["a1"], ["a2"], *ONE_EACH, cost=cost)
    assert message in str(caught.value)


def test_negative_costs_on_request():
    free = (Degree("predicted"), Degree("true"))
    gain = solved(["a1"], ["a2"], *free, cost=lambda pairs: -pairs.distance, signed=True)
    assert gain == (-2, {("a2", "a1")})


@pytest.mark.parametrize(
    ("constraints", "error", "message"),
    [
        ((Degree("predicted", 2, 1),), BadInput, "at least 2 and at most 1"),
        ((Degree("left"),), BadInput, "side must be 'predicted' or 'true', got 'left'"),
        ((Degree("true", where=("a9",)),), BadInput, "class 'a9' is not in the hierarchy"),
        ((Degree("true", where=lambda labels: labels.classes),), BadInput, "one truth value per label"),
        ((Degree("true", 1, 1.9),), BadInput, "upper of the true class 'a1' is 1.9; it must be a whole number"),
        ((Cardinality(0.9),), BadInput, "lower of the instance is 0.9; it must be a whole number"),
        ((Groups("true", by_level, 1.5),), BadInput, "upper of the true group a1 is 1.5; it must be a whole number"),
        ((MaxDistance(None),), BadInput, "the largest distance must be a number ≥ 0, got None"),
        ((Forbid(lambda pairs: pairs.distance),), BadInput, "one truth value per pair"),
        ((Require((("a1", "zz"),)),), BadInput, "class 'zz' is not in the hierarchy"),
        ((Cardinality(3, 2),), BadInput, "the instance cannot have at least 3 and at most 2 pairs"),
        ((Groups("true", lambda labels: labels.classes * 0.5, 1),), BadInput,
         "must be one whole number per label (1,), got float64"),
        ((Groups("true", lambda labels: labels.classes[:0], 1),), BadInput,
         "must be one whole number per label (1,), got int32 of shape (0,)"),
        ((lambda builder: builder.at_most_in_total(2),), BadInput,
         "AttributeError: 'Builder' object has no attribute 'at_most_in_total'"),
        ((Require((("a2", "a1"),)), Forbid(lambda pairs: pairs.distance > 0)), Infeasible,
         "instance 0: the pair ('a2', 'a1') is required and cannot be chosen"),
        ((Degree("predicted", 2), Degree("true", 1, 1)), Infeasible,
         "the predicted class 'a2' must have at least 2 partners and can get only 1"),
        ((Degree("predicted", 1, 1), Degree("true", 1, 1), Cardinality(lower=2)), Infeasible,
         "the instance must have at least 2 pairs"),
        ((Degree("predicted"), Degree("true"), Groups("true", by_level, 2, lower=2)), Infeasible,
         "the true group a1 must have at least 2 pairs"),
        ((Require((("a2", "a1"),)), Degree("predicted", 0, 0)), Infeasible,
         "the pair ('a2', 'a1') is required, the predicted class 'a2' may have at most 0"),
        ((Degree("predicted", 1, 1), Degree("true", 1, 1), MaxDistance(1)), Infeasible,
         "the true class 'a1' must have a partner, but no candidate is left"),
    ],
)  # fmt: skip
def test_bad_and_impossible_demands_are_refused_by_name(constraints, error, message):
    with pytest.raises(error) as caught:
        solved(["a1"], ["a2"], *constraints)
    if "no candidate is left" in message:
        assert "no candidate is left" in str(caught.value)
    else:
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Degree("true", where="a1"), "give several names as a tuple, got 'a1'"),
        (lambda: Require("ab"), "require by a callable on pairs, or by a tuple of"),
        (lambda: Require((("a", "b", "c"),)), "require by a callable on pairs, or by a tuple of"),
        (lambda: Rule(Hops(), [3]), "a constraint must be callable, got 3"),
        (lambda: Rule(3, ()), "a cost must be callable, got 3"),
    ],
)  # fmt: skip
def test_demands_are_checked_when_they_are_made(make, message):
    with pytest.raises(BadInput) as caught:
        make()
    assert message in str(caught.value)


def test_bounds_are_checked_where_they_apply():
    """The bound of e cannot offend c, which has more partners on the other side."""
    constraint = Degree("predicted", AS_MANY_AS_THERE_ARE, 1, where=("b3",))
    assert solved(["a1"], ["b3"], constraint, Degree("true"))[0] == 5
    pairs = pairs_of(["a1", "a2"], ["a1"])
    formulate(Rule(Hops(), (constraint,)), pairs)


def test_labels_above_the_depth_are_in_no_subtree():
    many = Groups("predicted", by_subtree(1), upper=0)
    cost, chosen = solved(["r"], ["r"], *ONE_EACH, many)
    assert (cost, chosen) == (0, {("r", "r")})


def test_subtrees_of_a_dag_may_be_ambiguous():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("b", "x")])
    with pytest.raises(BadInput, match="class 'x' lies in several subtrees at depth 1"):
        solved(["x"], ["x"], *ONE_EACH, Groups("true", by_subtree(1), 1), hierarchy=dag)
    assert (
        solved(["x"], ["r"], *ONE_EACH, Groups("predicted", by_subtree(1), 1), hierarchy=dag)[0]
        == 2
    )


def test_an_upper_bound_may_be_as_large_as_one_likes():
    constraints = (Degree("predicted", 0, sys.maxsize), Degree("true", 0, 10**15), Cardinality(1, 10**15),
               Groups("true", by_level, 10**15))  # fmt: skip
    assert solved(["a1"], ["a2", "b1"], *constraints)[0] == 2
    assert solved(["a1"], ["a1"], *ONE_EACH, Unmatched("true", np.array(5)))[0] == 0
