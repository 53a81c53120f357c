"""Demands and prices in words: what each does, combined, and what it refuses."""

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
    CosineDistance,
    DecayedEdges,
    Default,
    EdgeWeights,
    Forbid,
    Hierarchy,
    Hops,
    Infeasible,
    LabelSets,
    MaxDistance,
    Pairs,
    Partners,
    PriceMatrix,
    Require,
    Rule,
    Total,
    Within,
    build,
    by_level,
    by_subtree,
    check,
    formulate,
    solve,
    solve_pairing,
)

from . import reference
from .strategies import problems

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2"), ("b2", "b3")]
)


def pairs_of(true, pred, hierarchy=TREE):
    y_true = LabelSets.from_labels([true], hierarchy)
    y_pred = LabelSets.from_labels([pred], hierarchy)
    return Pairs.between(hierarchy, y_true, y_pred)


def solved(true, pred, *demands, price=Hops(), hierarchy=TREE, **options):  # noqa: B008
    """Cost and the chosen (predicted, true) names of one instance."""
    pairs = pairs_of(true, pred, hierarchy)
    problem = formulate(Rule(price, demands, **options), pairs)
    pairing = solve_pairing(problem)
    network, _ = build(problem)
    assert check(network, solve(network)).optimal
    names = hierarchy.names
    chosen = {
        (names[pairs.predicted[k]], names[pairs.true[k]]) for k in np.flatnonzero(pairing.chosen)
    }
    return pairing.cost[0], chosen


ONE_EACH = (Partners("predicted", 1, 1), Default("predicted", 5),
            Partners("true", 1, 1), Default("true", 5))  # fmt: skip


def test_partners_with_defaults_are_gie():
    assert solved(["a1"], ["a1", "b3"], *ONE_EACH) == (5, {("a1", "a1")})


def test_partners_for_some_classes_only():
    alone = (*ONE_EACH[:2], Default("true", 5))
    two = Partners("true", 1, 2, where=("a1",))
    cost, chosen = solved(["a1"], ["a1", "a2"], *alone, two)
    assert (cost, chosen) == (2, {("a1", "a1"), ("a2", "a1")})
    deep = Partners("true", 1, 2, where=lambda labels: labels.hierarchy.depths[labels.classes] > 1)
    assert solved(["a1"], ["a1", "a2"], *alone, deep)[0] == 2
    assert solved(["a1"], ["a1", "a2"], *ONE_EACH, two)[0] == 5  # the smallest upper bound counts


def test_everybody_with_everybody():
    everyone = AS_MANY_AS_THERE_ARE
    cost, chosen = solved(
        ["a1", "b1"], ["a2"], Partners("predicted", everyone), Partners("true", everyone)
    )
    assert (cost, len(chosen)) == (6, 2)


def test_each_missing_partner_costs_the_default():
    demands = (Partners("predicted", 2, 3), Default("predicted", 1.5), Partners("true", 0, 1))
    assert solved(["a1"], ["a1"], *demands) == (1.5, {("a1", "a1")})
    assert solved([], ["a1"], *demands) == (3.0, set())


def test_forbid_and_max_distance():
    same = Forbid(lambda pairs: pairs.predicted == pairs.true)
    assert solved(["a1"], ["a1"], *ONE_EACH, same) == (10, set())
    assert solved(["a1"], ["a2"], *ONE_EACH, MaxDistance(1)) == (10, set())
    assert solved(["a1"], ["a2"], *ONE_EACH, MaxDistance(2))[0] == 2


def test_require_by_name_and_by_predicate():
    cost, chosen = solved(["a1", "b1"], ["a1", "b1"], *ONE_EACH, Require((("a1", "b1"),)))
    assert (cost, chosen) == (8, {("a1", "b1"), ("b1", "a1")})
    far = Require(lambda pairs: pairs.distance == 4)
    assert solved(["a1", "b1"], ["a1", "b1"], *ONE_EACH, far)[0] == 8


def test_total_counts_real_pairs():
    assert solved(["a1", "a2"], ["a1", "a2"], *ONE_EACH, Total(at_most=1))[0] == 10
    free = (Partners("predicted"), Partners("true"))
    assert solved(["a1"], ["a1", "b1"], *free, Total(at_least=2))[0] == 4


def test_within_limits_a_subtree_and_a_level():
    one_a_subtree = Within("predicted", by_subtree(1), at_most=1)
    cost, chosen = solved(["a1", "a2", "b1"], ["a1", "a2", "b1"], *ONE_EACH, one_a_subtree)
    assert cost == 10
    assert len(chosen) == 2
    nested = Within("predicted", lambda labels: 0 * labels.classes, at_most=1)
    assert solved(["a1", "a2", "b1"], ["a1", "a2", "b1"], *ONE_EACH, nested, one_a_subtree)[0] == 20
    assert solved(["a1", "b"], ["a1", "b"], *ONE_EACH, Within("true", by_level, at_most=1))[0] == 0
    assert solved(["a", "b"], ["a", "b"], *ONE_EACH, Within("true", by_level, at_most=1))[0] == 10


def test_groups_must_be_nested():
    crossing = Within("predicted", lambda labels: np.arange(len(labels.classes)) % 2, at_most=1)
    other = Within("predicted", lambda labels: np.arange(len(labels.classes)) // 2, at_most=1)
    with pytest.raises(BadInput, match="not nested"):
        solved(["a1"], ["a", "a1", "a2", "b"], *ONE_EACH, crossing, other)


def test_prices():
    pairs = pairs_of(["a1"], ["a2", "b3"])
    names = [TREE.names[c] for c in pairs.predicted]
    by_name = dict(zip(names, Hops()(pairs), strict=True))
    assert by_name == {"a2": 2, "b3": 5}
    decayed = dict(zip(names, DecayedEdges(0.5)(pairs), strict=True))
    assert decayed == {"a2": 2 * 0.25, "b3": 0.25 + 0.5 + 0.5 + 0.25 + 0.125}
    weighted = TREE.with_weights(np.arange(len(TREE.parents)) + 1.0)
    heavy = pairs_of(["a1"], ["a2", "b3"], weighted)
    assert EdgeWeights()(heavy).tolist() == heavy.weighted_distance.tolist() != [2, 5]
    with pytest.raises(BadInput, match="needs a hierarchy with edge weights"):
        EdgeWeights()(pairs)


@given(
    problems(max_classes=8, instances=2),
    st.sampled_from([0.5, 0.75]),
    st.sampled_from(["min", "max"]),
)
@settings(max_examples=200, deadline=None)
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
    prices = np.full((len(TREE), len(TREE)), Fraction(1, 3), dtype=object)
    true, pred = TREE.position["a1"], TREE.position["a2"]
    prices[pred, true] = Fraction(1, 7)
    assert solved(["a1"], ["a2"], *ONE_EACH, price=PriceMatrix(prices))[0] == float(Fraction(1, 7))
    assert solved(["a2"], ["a1"], *ONE_EACH, price=PriceMatrix(prices))[0] == float(Fraction(1, 3))
    sparse = sp.csr_array((([2.5]), ([pred], [true])), shape=prices.shape)
    assert solved(["a1"], ["a2"], *ONE_EACH, price=PriceMatrix(sparse))[0] == 2.5
    with pytest.raises(BadInput, match="price matrix, got shape"):
        solved(["a1"], ["a2"], *ONE_EACH, price=PriceMatrix(prices[1:]))


def test_a_callable_price():
    double = solved(["a1"], ["a2"], *ONE_EACH, price=lambda pairs: 2 * pairs.distance)
    assert double[0] == 4


@pytest.mark.parametrize(
    ("price", "message"),
    [
        (
            lambda pairs: pairs.distance - 9,
            "has the price -7.0 from <lambda>; a price must be a number ≥ 0",
        ),
        (lambda pairs: pairs.distance * np.nan, "has the price nan"),
        (lambda pairs: np.zeros(3), "must return one number per pair (1,), got shape (3,)"),
        (lambda pairs: np.array(["x"]), "must return numbers"),
    ],
)
def test_bad_prices_name_the_pair(price, message):
    with pytest.raises(BadInput) as caught:
        solved(["a1"], ["a2"], *ONE_EACH, price=price)
    assert message in str(caught.value)


def test_negative_prices_on_request():
    free = (Partners("predicted"), Partners("true"))
    gain = solved(["a1"], ["a2"], *free, price=lambda pairs: -pairs.distance, signed=True)
    assert gain == (-2, {("a2", "a1")})


@pytest.mark.parametrize(
    ("demands", "error", "message"),
    [
        ((Partners("predicted", 2, 1),), BadInput, "at least 2 and at most 1"),
        ((Partners("predicted", -2),), BadInput, "at least -2"),
        ((Partners("left"),), BadInput, "side must be 'predicted' or 'true', got 'left'"),
        ((Partners("true", where=("a9",)),), BadInput, "class 'a9' is not in the hierarchy"),
        (
            (Partners("true", where=lambda labels: labels.classes),),
            BadInput,
            "one truth value per label",
        ),
        ((Partners("true", 1, 1.9),), BadInput, "at_most must be a whole number, got 1.9"),
        ((Partners("true", "1"),), BadInput, "at_least must be a whole number, got '1'"),
        ((Total(0.9),), BadInput, "at_least must be a whole number, got 0.9"),
        ((Within("true", by_level, 1.5),), BadInput, "at_most must be a whole number"),
        ((Default("true", "x"),), BadInput, "a default price must be a number ≥ 0, got 'x'"),
        ((Default("true", np.ones(7)),), BadInput, "a default price must be a number"),
        ((MaxDistance(None),), BadInput, "a largest distance must be a number ≥ 0, got None"),
        ((Default("true", -1),), BadInput, "a default price must be a number ≥ 0, got -1"),
        ((Default("true", math.nan),), BadInput, "a default price must be a number ≥ 0"),
        ((Forbid(lambda pairs: pairs.distance),), BadInput, "one truth value per pair"),
        ((Require((("a1", "zz"),)),), BadInput, "class 'zz' is not in the hierarchy"),
        ((MaxDistance(-1),), BadInput, "a largest distance must be a number ≥ 0"),
        ((Total(3, 2),), BadInput, "a total cannot be at least 3 and at most 2"),
        (
            (Within("true", lambda labels: labels.classes * 0.5, 1),),
            BadInput,
            "groups must be whole",
        ),
        ((Within("true", lambda labels: labels.classes[:0], 1),), BadInput, "one group per label"),
        ((Within("true", by_level, -1),), BadInput, "a group cannot have"),
        (
            (lambda draft: draft.at_most_in_total(2),),
            BadInput,
            "a pairing has no verb 'at_most_in_total'",
        ),
        (
            (Require((("a2", "a1"),)), Forbid(lambda pairs: pairs.distance > 0)),
            Infeasible,
            "instance 0: the pair ('a2', 'a1') is required and cannot be chosen",
        ),
        (
            (Partners("predicted", 2), Partners("true", 1, 1)),
            Infeasible,
            "the predicted class 'a2' must have at least 2 partners and can get only 1",
        ),
        (
            (Partners("predicted", 1, 1), Partners("true", 1, 1), Total(at_least=2)),
            Infeasible,
            "at least 2 pairs are demanded in all, but only 1 fit",
        ),
        (
            (Partners("predicted"), Partners("true"), Within("true", by_level, 2, at_least=2)),
            Infeasible,
            "a true group must have 2 pairs and can get only 1",
        ),
        (
            (Require((("a2", "a1"),)), Partners("predicted", 0, 0)),
            Infeasible,
            "the required pair ('a2', 'a1') breaks another bound",
        ),
        (
            (Partners("predicted", 1, 1), Partners("true", 1, 1), MaxDistance(1)),
            Infeasible,
            "the true class 'a1' must have a partner, but no candidate is left",
        ),
    ],
)
def test_bad_and_impossible_demands_are_refused_by_name(demands, error, message):
    with pytest.raises(error) as caught:
        solved(["a1"], ["a2"], *demands)
    if "no candidate is left" in message:
        assert "no candidate is left" in str(caught.value)
    else:
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Partners("true", where="a1"), "give several names as a tuple, got 'a1'"),
        (lambda: Require("ab"), "give several names as a tuple, got 'ab'"),
        (lambda: Require((("a", "b", "c"),)), "require (predicted, true) pairs of names"),
        (lambda: Rule(Hops(), [3]), "a demand must be callable, got 3"),
        (lambda: Rule(3, ()), "a price must be callable, got 3"),
    ],
)
def test_demands_are_checked_when_they_are_made(make, message):
    with pytest.raises(BadInput) as caught:
        make()
    assert message in str(caught.value)


def test_lists_do_as_well_as_tuples():
    assert Partners("true", where=["a1"]) == Partners("true", where=("a1",))
    assert hash(Rule(Hops(), [Require([["a1", "a2"]])])) == hash(
        Rule(Hops(), (Require((("a1", "a2"),)),))
    )


def test_bounds_are_checked_where_they_apply():
    """The bound of e cannot offend c, which has more partners on the other side."""
    demand = Partners("predicted", AS_MANY_AS_THERE_ARE, 1, where=("b3",))
    assert solved(["a1"], ["b3"], demand, Partners("true"))[0] == 5
    pairs = pairs_of(["a1", "a2"], ["a1"])
    formulate(Rule(Hops(), (demand,)), pairs)


def test_total_may_be_beyond_all_pairs():
    with pytest.raises(Infeasible, match="at least 9 pairs are demanded in all, but only 1 fit"):
        solved(["a1"], ["a1"], Partners("predicted"), Partners("true"), Total(at_least=9))


def test_labels_above_the_depth_are_in_no_subtree():
    many = Within("predicted", by_subtree(1), at_most=0)
    cost, chosen = solved(["r"], ["r"], *ONE_EACH, many)
    assert (cost, chosen) == (0, {("r", "r")})


def test_too_few_partners_for_two_labels_name_a_label():
    """Two predicted classes need one of one true class; no default."""
    with pytest.raises(Infeasible, match=r"instance 0: the (predicted|true) class"):
        solved(["a1"], ["a1", "a2"], Partners("predicted", 1, 1), Partners("true", 1, 1))


def test_subtrees_of_a_dag_may_be_ambiguous():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("b", "x")])
    with pytest.raises(BadInput, match="class 'x' lies in 2 subtrees at depth 1"):
        solved(["x"], ["x"], *ONE_EACH, Within("true", by_subtree(1), 1), hierarchy=dag)
    assert (
        solved(["x"], ["r"], *ONE_EACH, Within("predicted", by_subtree(1), 1), hierarchy=dag)[0]
        == 2
    )


def test_an_upper_bound_may_be_as_large_as_one_likes():
    demands = (Partners("predicted", 0, sys.maxsize), Partners("true", 0, 10**15), Total(1, 10**15),
               Within("true", by_level, 10**15))  # fmt: skip
    assert solved(["a1"], ["a2", "b1"], *demands)[0] == 2
    assert solved(["a1"], ["a1"], *ONE_EACH, Default("true", np.array(5)))[0] == 0
