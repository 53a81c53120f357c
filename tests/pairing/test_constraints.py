"""What constraints mean, in every form; what they refuse; and instances without a pairing."""

import dataclasses
import itertools
import json
import math
import sys
import typing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import hierpair.pairing
from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    LabelSets,
    SolverLimit,
    explain,
    measure,
    pair_measure,
    score,
)
from hierpair.cli import main
from hierpair.comparison import discrimination, respond
from hierpair.evaluation import partial, score_dataset
from hierpair.measures import REGISTRY
from hierpair.metric import HierarchicalMetric
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    Bottleneck,
    Capacity,
    Cardinality,
    CostMatrix,
    CountCost,
    Degree,
    Forbid,
    Groups,
    Hops,
    Lexicographic,
    Mass,
    MaxDistance,
    NetworkRule,
    Pairs,
    Quota,
    Require,
    Rule,
    Unmatched,
    build,
    by_level,
    by_subtree,
    formulate,
    network_graph,
    solve_pairing,
)
from hierpair.probabilistic import LabelDistribution, decode
from hierpair.solvers import certificate, check, solve
from tests.pairing.rules import SIDES, pairs_of

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2"), ("b2", "b3")]
)
DAG = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("b", "x")])
ONE = (Degree("predicted", 1, 1), Degree("true", 1, 1))
FIVE = (Unmatched("predicted", 5), Unmatched("true", 5))
FREE = (Degree("predicted"), Degree("true"))
PREDICTED_ONE = (Degree("predicted", 1, 1), Degree("true", 0, 1))


def pairs_between(true, pred, hierarchy=TREE):
    """Pairs of instances with labels as in "a1 b1"."""
    rows = ([row.split() for row in side.split("/")] for side in (true, pred))
    return Pairs.between(hierarchy, *(LabelSets.from_labels(side, hierarchy) for side in rows))


def problem_of(true, pred, *constraints, cost=Hops(), hierarchy=TREE, **options):  # noqa: B008
    return formulate(Rule(cost, constraints, **options), pairs_between(true, pred, hierarchy))


def solved(true, pred, *constraints, **how):
    """Costs by instance, and the chosen pairs as "predicted-true"."""
    problem = problem_of(true, pred, *constraints, **how)
    pairing = solve_pairing(problem)
    assert solve_pairing(problem, reduce=False).cost.tolist() == pairing.cost.tolist()
    network, _ = build(problem)
    assert check(network, solve(network)).optimal
    pairs, names = problem.pairs, problem.pairs.hierarchy.names
    chosen = {
        f"{names[pairs.predicted[k]]}-{names[pairs.true[k]]}"
        for k in np.flatnonzero(pairing.chosen)
    }
    return pairing.cost.tolist(), chosen


def own(cost, *constraints):
    """A measure of a user's own."""

    @pair_measure()
    def owned() -> Rule:
        """Mine."""
        return Rule(cost, constraints)

    return "owned"


# ----------------------------------------------------------------------------- what each does

TWO = "a1 b1"
THREE = "a1 a2 b1"
ONE_A_SUBTREE = Groups("predicted", by_subtree(1), upper=1)
ALL_TRUE = lambda x: 0 * x.classes  # noqa: E731
ONE_A_DEPTH = MaxDistance(lambda pairs: pairs.hierarchy.depths[pairs.true])
ASYMMETRIC = {("a2", "a1"): 3, ("a1", "a2"): 0}
NAMED = {"cost": CostMatrix(ASYMMETRIC, other=9)}


def of_class(numbers, otherwise):
    values = np.full(len(TREE), otherwise)
    values[TREE.index(list(numbers))] = list(numbers.values())
    return values


FORMS = (
    of_class,
    lambda n, o: of_class(n, o).tolist(),
    lambda n, o: lambda labels: of_class(n, o)[labels.classes],
    lambda n, o: of_class(n, o).astype(np.uint8),
    lambda n, o: of_class(n, float(o)),
    lambda n, o: n or o,  # by name
)

MEANINGS = [  # true, predicted, constraints, cost, how many pairs, options
    (TWO, TWO, (*ONE, *FIVE, Require((("a1", "b1"),))), 8, 2, {}),
    (TWO, "a1", (*ONE, *FIVE, Require((("a1", "b1"),))), 9, 1, {}),  # dearer than what is left
    (THREE, THREE, (*ONE, *FIVE, ONE_A_SUBTREE), 10, 2, {}),
    (THREE, THREE, (*ONE, *FIVE, ONE_A_SUBTREE, Groups("predicted", ALL_TRUE, upper=1)), 20, 1, {}),
    ("a b", "a b", (*ONE, *FIVE, Groups("true", by_level, upper=1)), 10, 1, {}),
    ("x", "r", (*ONE, *FIVE, Groups("predicted", by_subtree(1), upper=1)), 2, 1, {"hierarchy": DAG}),
    ("a1", "a2", ONE, 3, 1, NAMED),  # pairs are (predicted, true)
    ("a1", "a2", (*ONE, *FIVE, Forbid((("a2", "a1"),))), 10, 0, {}),
    ("a1", "a2", (*ONE, *FIVE, Forbid((("a1", "a2"), ("a2", "a1")))), 10, 0, {}),  # both orders are named
    ("b1", "b1", (*ONE, *FIVE, Require((("a1", "a2"),))), 0, 1, {}),  # occurs nowhere
    ("a1", "a2", (*ONE, *FIVE, ONE_A_DEPTH), 2, 1, {}),
    ("a1", "a1 b3", (*ONE, *FIVE, *ONE, *FIVE, Unmatched("true", Fraction(5)), Unmatched("true", np.array(5.0))), 5, 1, {}),
    ("a1 a2", "", (Degree("true", 1), Unmatched("true", {"a1": 1, "a2": 9}, where=("a1",)), Unmatched("true", 2, where=("a2",))), 3, 0, {}),
    # contradictions and bounds of labels that are not there are none
    ("a1", "a1", (*ONE, Degree("true", 2, where=("b1",)), Degree("true", 0, 1, where=("b1",))), 0, 1, {}),
    ("a1", "b3", (Degree("predicted", AS_MANY_AS_THERE_ARE, 1, where=("b3",)), Degree("true")), 5, 1, {}),
    ("a1", "a2 b1", (Degree("predicted", 0, sys.maxsize), Degree("true", 0, 10**15), Cardinality(1, 10**15),
                     Groups("true", by_level, 10**15)), 2, 1, {}),
    # a table that another constraint makes convex
    ("a1 b1", "a2", (CountCost("true", (0, 4, 5)), CountCost("true", (0, 0, 3)), Degree("true", 1)), 14, 2, {}),
    # costs without signs may fall
    ("a1", "a1 a2", (*FREE, CountCost("true", lambda x, n: np.full(len(x), (9, 5, 2)[n], np.uint8))), 4, 2, {}),
    # masses may be parts, and a pair that is required carries 1
    (TWO, TWO, (*(Mass(s, Fraction(3, 2)) for s in SIDES), Require((("a1", "b1"),))), 8, 4, {}),
    # masses of some labels, shared among them, or floats
    *(("a1 b1", "a1 b1", (*(Mass(s, mass, where=("a1",), share=share) for s in SIDES), *(Degree(s, 0, 0, where=("b1",)) for s in SIDES)), 0, 1, {})
      for mass, share in ((7, True), (0.1, False))),
    # the pair that saves most is not in the best pairing
    (TWO, "a2 b2", (*ONE, *FIVE), 4, 2, {"cost": CostMatrix({("a2", "a1"): 1, ("a2", "b1"): 2, ("b2", "a1"): 2, ("b2", "b1"): 10})}),
    # floats whose steps differ in the last bit
    ("a1 a2", "a1 a2", (Degree("predicted", 1), Degree("true"), CountCost("instance", (0, 100000.1, 200000.2, 300000.3, 400000.4))), 200000.2, 2, {}),
    ("a1 a2", "a1 a2", (Degree("predicted", 1), Degree("true"), CountCost("instance", (0, 0.1, 0.2, 0.3, 0.4))), 0.2, 2, {}),
    # rewards: open labels take all of them, and the reduction does not lose them
    ("a1 b1", "a2 b2", (*(Degree(s, 1, 2) for s in SIDES), *FIVE), -4, 4, {"cost": lambda p: -1 + 0 * p.true, "signed": True}),
    ("a1 b1", "a2 b2", (Degree("predicted", 1, 1), Degree("true", 0, 1)), -3, 2,
     {"cost": lambda p: np.where(p.predicted < p.true, -2, -1), "signed": True}),
    # of two orders that occur the right one is bound; nothing is asked of a group without labels
    ("a1/a2", "a2/a1", (*ONE, *FIVE, Forbid((("a1", "a2"),))), [2, 10], 1, {}),
    ("a1 b1/a1/b1 b2/", "a1/a1/b2/", (Degree("predicted", 1), Degree("true"), Groups("true", by_subtree(1), None, 1)), [4, 0, 0, 0], 3, {}),
    # repeated constraints intersect: every pair gains 1, and a true class may have two partners
    *(("a1 b1 b2", "a1 a2", (*FREE, *some), -most, most, {"cost": lambda p: -1 - 0 * p.distance, "signed": True}) for some, most in (
        ((), 6),
        ((Cardinality(0, 1), Cardinality(0, 3)), 1),
        ((Degree("true", 0, 1), Degree("true", 0, 2)), 3),
        ((Degree("predicted", 0, 1, where=("a1",)), Degree("predicted", 0, 2)), 3),
        ((Groups("true", by_level, 4), Groups("true", by_level, 1)), 1),
        ((Quota("true", lower={"b1": 1}), Quota("true", upper={"b1": 1})), 5),
    )),
    # numbers of labels in every form: a2 and b3 stay alone, and a1 takes two where b1 takes one
    *(("a1 b1", "a1 a2 b1 b3", (
        Degree("predicted", 1, form({}, 1)), Degree("true", form({"a1": 1}, 0), form({"a1": 2, "b1": 1}, 9)),
        Unmatched("predicted", form({}, 5)), Unmatched("true", form({"a1": 3, "b1": 7}, 1)),
    ), 7, 3, {}) for form in FORMS),
    # numbers of instances and groups in every form
    *(("a1 a2/b1", "a1 a2/b1 a1", (*FREE, one), costs, None, {}) for one, costs in (
        (Cardinality(np.array([3, 1])), [2, 0]),
        (Cardinality([3, 1], np.array([3, 4])), [2, 0]),
        (Cardinality(lambda x: 5 - 2 * x.n_predicted + 2 * (x.n_true - 1)), [2, 0]),
        (Cardinality(lambda x: np.where(x.position == 0, 3, 1)), [2, 0]),
        (lambda builder: builder.count("instance", np.array([3, 1])), [2, 0]),
        (Groups("true", by_level, 9, {2: 2}), [0, 4]),
        (Groups("true", by_level, lambda g: g.size, {2: 1}), [0, 0]),
        (Groups("true", by_level, np.array([0, 0, 2]), lambda g: g.size), [0, 0]),
        (Groups("true", by_level, None, np.array([0, 0, 2])), [0, 4]),
        (Groups("true", by_level, None, [0, 0, 2]), [0, 4]),
        (Groups("true", by_level, None, lambda g: np.where(g.number == 2, 2, 0)), [0, 4]),
    )),
]  # fmt: skip


@pytest.mark.parametrize(("true", "pred", "constraints", "cost", "n", "how"), MEANINGS)
def test_what_a_constraint_does(true, pred, constraints, cost, n, how):
    """Whatever the order of constraints."""
    for listed in (constraints, constraints[::-1]):
        found, chosen = solved(true, pred, *listed, **how)
        assert found == np.atleast_1d(cost).tolist()
        assert n in (None, len(chosen))


# ----------------------------------------------------------------------------- several costs in turn


def test_a_later_cost_decides_among_equals_only():
    """What is explained is what was scored: costs and defaults of the first one make the cost."""
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y")])
    cost = Lexicographic((Hops(), lambda pairs: 9 - pairs.hierarchy.depths[pairs.true]))
    said = (Degree("predicted", 1, 1), Unmatched("predicted", 4), Degree("true", 0, 1))
    name = own(cost, *said)
    assert solved("r x", "a", *said, cost=cost, hierarchy=tree) == ([1], {"a-x"})
    for rows in ([["r", "x"]], [["a"]]), ([["x"]], [["a", "y"]]), ([[]], [["a", "b"]]):
        [why] = explain(tree, *rows, name)
        shown = why.evidence
        paid = sum(p.cost for p in shown.pairs if p.units)
        paid += sum(r.missing * r.cost for r in shown.counted if r.missing)
        value = score(tree, rows[0], {"s": rows[1]}, name).values[0, 0]
        assert paid == shown.cost == why.value == value == shown.lexicographic[0] == shown.bound
        assert shown.optimal
        assert f"the lexicographic costs are {paid:g}, then" in why.to_text()
    with pytest.raises(SolverLimit, match="more than the solver can carry exactly"):
        problem_of("a1", "a2", *ONE, cost=Lexicographic((Hops(), lambda p: np.array([2**49]))))


def test_the_largest_cost_is_scored_and_explained():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("c", "d"), ("b", "e")])
    name, truth, said = own(Bottleneck(Hops()), *ONE), [["d", "b"], ["c"]], [["a", "c"], ["c"]]
    scores = score(tree, truth, {"s": said}, name).per_instance["s"][:, 0]
    [why, exact] = explain(tree, truth, said, name, instances=(0, 1))
    assert scores.tolist() == [why.value, exact.value] == [3.0, 0.0]
    assert (why.evidence.largest, exact.evidence.largest) == (2, 0)
    assert exact.evidence.remarks == ("the largest cost is 0, and none smaller will do",)
    assert "the largest cost is 2, and none smaller will do" in str(why)
    with pytest.raises(BadInput, match="has no bottleneck"):
        score(tree, [["d"]], {"s": [["c"]]}, measure("mean_cost", cost=Bottleneck(Hops())))


def test_rules_with_arrays_and_dicts_can_be_hashed_and_compared():
    for make in (lambda: np.ones(8, int), lambda: [1] * 8, lambda: {"a1": 1}):
        one, two = (Degree("true", make(), make()) for _ in "ab")
        assert one == two
        assert hash(one) == hash(two)
        assert hash(Unmatched("true", (make(), 1))) == hash(Unmatched("true", (make(), 1)))
    assert Degree("true", np.ones(8, int)) != Degree("true", np.zeros(8, int))
    assert Forbid({("b", "a"), ("a", "c"), ("a", "b")}) == Forbid(
        (("a", "b"), ("a", "c"), ("b", "a"))
    )
    assert Degree("true", AS_MANY_AS_THERE_ARE) == Degree("true", "as many as there are")


# ----------------------------------------------------------------------------- who may be reduced

USER = {
    "labels": lambda builder: builder.count("true", 0, 1),
    "short": lambda builder: builder.short("true", 5),
    "forbidden": lambda builder: builder.count("pair", 0, 0, where=builder.pairs.distance == 0),
    "required": lambda builder: builder.count("pair", 1, where=builder.pairs.distance == 2),
    "instance": lambda builder: builder.count("instance", 0, 1),
    "groups": lambda builder: builder.count(
        builder.groups("true", by_level(builder.labels("true"))), 0, 1
    ),
    "costs": lambda builder: builder.count("true", costs=(0, 2, 5)),
    "mass": lambda builder: builder.count("true", 1, 1, carried=True),
    "capacity": lambda builder: builder.count("pair", 0, 2, carried=True),
    "quota": lambda builder: builder.count(builder.across(None, np.zeros(1, int)), 0, 1),
}
"""A constraint of a user's own for each thing that can be said."""


@pytest.mark.parametrize("said", sorted(USER))
def test_a_users_constraint_is_never_ignored(said):
    """What is left out of the network is proved to be of no use, whatever a constraint says."""
    assert solved("a1 a2", "a1 b1", *ONE, *FIVE, USER[said])[0]


def test_the_measures_of_the_library_are_reduced():
    for name in ("gie", "mgia", "fnerror", "tree_induced_error"):
        problem = formulate(REGISTRY[name].rule(), pairs_between("a1 a2", "a1 b1"))
        reduced, full = (len(build(problem, reduce=r)[0].tail) for r in (True, False))
        assert reduced < full, name


# ----------------------------------------------------------------------------- what is refused

MISS = "class 'zz' is not in the hierarchy"
BOTH_TRUE = lambda *x: lambda labels: np.array(x)  # noqa: E731 - of the labels a1 and b1
WHOLE = "it must be a whole number"
NOT_CONVEX = "a flow cannot leave out a number between two others"
SHAPE = "must give one number per label (2,), got"
REFUSED = [  # of two true labels and one predicted: constraints, and words of the message
    (Degree("true", 3, 1), "instance 0: ", "cannot have at least 3 and at most 1"),
    (Degree("left"), "side must be 'predicted' or 'true', got 'left'"),
    (Degree("true", where=lambda labels: labels.classes), "one truth value per label"),
    (Degree("true", 1, 1.9), "upper of the true class 'a1' is 1.9; " + WHOLE),
    (Degree("true", np.array([1, 2])), "lower must be a number, an array of 8 by class, or a function of Labels"),
    (Degree("true", BOTH_TRUE(1, 1.5)), "lower of the true class 'b1' is 1.5; it must be a whole number ≥ 0"),
    (Degree("true", BOTH_TRUE(True, False)), "lower must be a number ≥ 0, got array([ True, False])"),
    (Degree("true", {"zz": 1}), MISS),
    (Degree("true", 1, 2, over={"a1": "x"}), "the cost 'over' must be a number ≥ 0"),
    (Unmatched("true", np.full(8, -1.0)), "the default cost of the true class 'a1' is -1.0"),
    (Unmatched("true", True), "the default cost must be a number ≥ 0, got True"),
    (Unmatched("true", (1, 2, 3)), "a default has 3 costs and the cost of pairs 1"),
    (Cardinality(3, 2), "the instance cannot have at least 3 and at most 2 pairs"),
    (Cardinality(np.array([1, 2])), "lower must be a number, an array of 1 by position"),
    (Cardinality({"a1": 1}), "numbers by name, ['a1'], are of classes, not of instances"),
    (Groups("true", lambda x: x.classes[:0], 1), "must be one whole number per label (2,), got int32 of shape (0,)"),
    (Groups("true", by_level, np.array([1])), "upper must be a number, an array by number, or a function of Partition"),
    (Groups("true", by_level, lambda g: g.size - 5), "upper of the true group a1, b1 is -3"),
    (MaxDistance(None), "the largest distance must be a number ≥ 0, got None"),
    (MaxDistance(lambda p: p.distance - 9), "the largest distance of the pair ("),
    (CountCost("predicted", (0, 5, 6)), "CountCost('predicted', costs=(0, 5, 6)), the predicted class 'a2': partner 2 costs 1 and "
     "partner 1 costs 5; a flow needs costs per partner that do not fall"),
    (CountCost("predicted", (0, None, 1)), NOT_CONVEX),
    (CountCost("true", (0, -1)), "has a negative cost"),
    (CountCost("true", lambda labels, n: n * labels.classes * np.nan), "is nan; it must be a number"),
    (CountCost("predicted", lambda labels, n: np.full(len(labels), math.inf if n == 1 else 0.0)),
     "the predicted class 'a2' may have numbers of units with others between"),
    (CountCost("true", ((0, 0), (1, 0))), "has 2 costs and the cost of pairs 1"),
    (CountCost("predicted", ((0, 0), (0, 5), (0, 6))), "partner 2 costs 0, then 1 and partner 1 costs 0, then 5; a flow"),
    (Quota("true", 3), "failed: TypeError"),
    (Quota(None, lambda x: np.zeros(3, int)), "must be one whole number per instance"),
    (Quota("true", upper={"a1": 0.5}), "the true class 'a1' in all instances is 0.5"),
    (Quota("true", lower={"b3": 1}), "lower is 1 for 'b3', which is in no"),
    (Quota(costs=(0, 5, 6)), "all pairs of the data set: pair 2 costs 1 and pair 1"),
    ((Quota(upper=1), Capacity(2)), "not masses and capacities"),
    (Mass("true", -1), "the mass must be a number ≥ 0, got -1"),
    (Mass("true", {"a1": 1}), "the true class 'b1' has no mass; list it (0 for none), or say"),
    (Mass("true", 0, share=True), "all masses are 0 beside that of the true class 'a1'"),
    (Mass("true", 1, lower=2), "the true class 'a1' cannot have at least 2 and at most 1 partners"),
    ((Mass("true", Fraction(1, 2)), Degree("true", 1)),
     "constraint 2, Degree('true', lower=1), contradicts constraint 1, Mass('true', mass=Fraction(1, 2)): "
     "the true class 'a1' cannot have at least 1 and at most 1/2"),
    (Capacity(np.full((8, 8), -1)), "the capacity of the pair ('a2', 'a1') is -1; it must be"),
    ((Capacity(1), Degree("true", Fraction(3, 2), 1)), "cannot have at least 3/2 and at most 1"),
    ((Capacity(None), CountCost("true", lambda x, n: np.full(len(x), float(n)))),
     "nothing limits how much the pair ('a2', 'a1') carries"),
    # contradictions name both
    ((Degree("true", 3), Degree("true", 0, 1)),
     "instance 0: constraint 2, Degree('true', upper=1), contradicts constraint 1, "
     "Degree('true', lower=3): the true class 'a1' cannot have at least 3 and at most 1"),
    ((Degree("true", 3, where={"b3", "a2", "a1", "b1"}), Degree("true", 0, 1)), "where=('a1', 'a2', 'b1', 'b3')"),
    ((Cardinality(3, 3), Degree("true"), Cardinality(0, 1)),
     "instance 0: constraint 3, Cardinality(upper=1), contradicts constraint 1, Cardinality(3, upper=3)"),
    ((Unmatched("true", 5), Unmatched("true", 4)),
     "instance 0: constraint 2, Unmatched('true', cost=4): the true class 'a1' has two default costs, 4 here and 5 by "
     "constraint 1, Unmatched('true', cost=5)"),
    ((CountCost("predicted", (None, 1)), CountCost("predicted", (0,))),
     "constraint 1, CountCost('predicted', costs=(None, 1)) and constraint 2, CountCost('predicted', costs=(0,)), "
     "contradict each other: the predicted class 'a2' may have no number of partners"),
    (Degree("true", -1), "constraint 1, Degree('true', lower=-1): lower must be a number ≥ 0, got -1"),
    (Degree("true", 0.5), "instance 0: constraint 1, Degree('true', lower=0.5): lower of the true class 'a1' is 0.5"),
    (Degree("true", 1, under=-1), "constraint 1, Degree('true', lower=1, under=-1): the cost 'under' must be"),
    (Degree("true", 1, where=("a9",)), "constraint 1, Degree('true', lower=1, where=('a9',)): class 'a9' is not in"),
    (Mass("true", 0, share=True), "constraint 1, Mass('true', mass=0, share=True): all masses are 0"),
    *((lambda d, more=more: d.count("pair", **more), "its cost is the rule's") for more in ({"costs": (0, 1)}, {"under": 1}, {"over": 1})),
    ((Groups("true", by_level, 1), Groups("true", ALL_TRUE, None, 2)),
     "the true group a1, b1 cannot have at least 2 and at most 1 pairs"),
    ((Quota("true", lower={"a1": 2}), Quota("true", upper={"a1": 1})), "constraint 2, Quota", "contradicts constraint 1, Quota"),
    (lambda d: d.at_most_in_total(2), "AttributeError: 'Builder' object has no attribute 'at_most_in_total'"),
    (lambda d: d.count("pair", 0, 2), "a pair is chosen once or not at all"),
]  # fmt: skip


@pytest.mark.parametrize(("constraints", "words"), [(x, words) for x, *words in REFUSED])
def test_what_is_no_demand_is_refused_by_name(constraints, words):
    listed = constraints if isinstance(constraints, tuple) else (constraints,)
    texts = []
    for some in (listed, listed[::-1]):
        with pytest.raises(BadInput) as caught:
            solve_pairing(problem_of("a1 b1", "a2", *some))
        texts.append(str(caught.value))
    assert [word for word in words if word not in texts[0]] == []


def at_cost(cost, **options):
    return problem_of("a1", "a2", *ONE, *FIVE, cost=cost, **options)


HOLED = lambda p: np.where(p.distance == 3, np.nan, p.distance)  # noqa: E731
MADE = [
    (lambda: Degree("true", where="a1"), "give several names as a tuple, got 'a1'"),
    (lambda: Degree("true", where=5), "give several names as a tuple, got 5"),
    *((lambda given=given: Require(given), "require by a callable on pairs, or by a tuple of") for given in ("ab", ("ab",), (("a",),), 3)),
    (lambda: formulate(Rule(Bottleneck(Hops()), (Quota(upper=1),)), pairs_of(1, 1)), "joins all instances, and a Bottleneck is of each"),
    (lambda: Rule(Hops(), [3]), "a constraint must be callable, got 3"),
    (lambda: Rule(3, ()), "a cost must be callable, got 3"),
    (lambda: NetworkRule(3), "a NetworkRule takes a function of pairs and net, got 3"),
    (lambda: Mass("true", 1, share="no"), "share must be one of True, False, got 'no'"),
    (lambda: Mass("true", 1, lower=0, share=True), "for shares say with a Cardinality how much"),
    *((lambda given=given: Lexicographic(given), f"lexicographic costs are a tuple of callables, got {given!r}") for given in ("hops", 3)),
    (lambda: Bottleneck(3), "a bottleneck is that of a cost"),
    *((lambda depth=depth: by_subtree(depth), f"a depth, a whole number ≥ 0, got {depth}") for depth in (-1, 1.5)),
    (lambda: Groups("true", by_level, 1, of="pairs"), "of must be one of labels, partners, got"),
    (lambda: CountCost("both", (0, 1)), "of must be one of predicted, true, instance, got 'both'"),
    *((lambda table=table: CountCost("true", table), "allows some number") for table in ((), (None,), ((0, None),))),
    (lambda: CountCost("true", 3), "is a sequence of numbers for 0, 1, 2"),
    *((lambda odd=odd: CountCost("true", (0, odd)), "a table of costs holds numbers and None, got") for odd in ("x", {}, 10**400)),
    (lambda: CountCost("instance", (0, 1), where=("a1",)), "costs are of instances, of groups, or of labels"),
    (lambda: at_cost(lambda pairs: pairs.distance - 9), "has the cost -7.0 from <lambda>; a cost must be a number ≥ 0"),
    (lambda: at_cost(lambda pairs: np.zeros(3)), "must give one number per pair (1,), got shape (3,)"),
    (lambda: at_cost(lambda pairs: np.array(["x"])), "must be a number ≥ 0, got array"),
    (lambda: at_cost(CostMatrix(np.ones((7, 7)))), "matrix by class, got shape"),
    (lambda: at_cost(Lexicographic((Hops(), lambda p: np.array([0.1])))), "cost 2 of a Lexicographic must be whole numbers, Fractions, or floats"),
    (lambda: at_cost(Lexicographic((Bottleneck(Hops()), Hops()))), "cannot be one of several costs"),
    (lambda: at_cost(Bottleneck(lambda p: p.distance - 9), signed=True), "needs costs ≥ 0"),
    (lambda: formulate(Rule(Hops(), (Quota(upper=1),)), replace(pairs_of(2, 2, 2), n_all=5)), "here are 2 of 5; solve it with pair_data_set"),
    (lambda: score(TREE, [["a1"], ["b1"]], {"s": [["a1", "a2"], ["b3"]]}, own(HOLED, *ONE), on_infeasible="nan"),
     "instance 1: the pair ('b3', 'b1') has the cost nan"),  # where instance 0 has no pairing
    (lambda: network_graph(problem_of("a1/a1", "a1/a1", Quota(upper=1))), "joins all instances"),
]  # fmt: skip


def used(part):
    """A problem with a cost or constraint, which may be refused where it is made or used."""
    cost = type(part).__module__.endswith(".costs")
    return at_cost(part) if cost else problem_of("a1", "a2", *ONE, *FIVE, part)


def options_that_are_words():
    """Yield (class, option, words it knows) of all costs and constraints."""
    for part in vars(hierpair.pairing).values():
        if dataclasses.is_dataclass(part) and any("__call__" in vars(x) for x in part.__mro__):
            for option, kind in typing.get_type_hints(part).items():
                kinds = [
                    x for x in (kind, *typing.get_args(kind)) if typing.get_origin(x) is Literal
                ]
                if kinds:
                    yield part, option, [word for x in kinds for word in typing.get_args(x)]


@pytest.mark.parametrize(("part", "option", "words"), [*options_that_are_words()])
def test_a_word_that_no_cost_or_constraint_knows_is_refused(part, option, words):
    needed = {
        "costs": (0, 1),
        "mass": 1,
        "cost": 1,
        "groups": by_level,
        "side": "true",
        "of": "true",
    }
    given = {f.name: needed[f.name] for f in dataclasses.fields(part)
             if f.default is f.default_factory is dataclasses.MISSING}  # fmt: skip
    with pytest.raises(BadInput) as caught:
        used(part(**given | {option: "odd"}))
    told = str(caught.value)
    assert f"{option} must be" in told
    assert "got 'odd'" in told
    assert all(str(word) in told for word in words)


@pytest.mark.parametrize(("make", "message"), MADE)
def test_what_cannot_be_made_is_refused(make, message):
    with pytest.raises(BadInput) as caught:
        make()
    assert message in str(caught.value)


def of_classes(*names):
    return lambda x: np.where(np.isin(x.classes, TREE.index(list(names))), 0, -1)


EVERY = Quota("predicted", upper=1), Quota("true", upper=1), Cardinality(upper=1)
NO_FLOW = [
    ("a1 a2 b1", "a1", (Groups("true", of_classes("a1", "a2"), 1), Groups("true", of_classes("a2", "b1"), 1)), TREE,
     ["instance 0: the true group a1, a2 and the true group a2, b1 overlap, and neither contains the other"]),
    ("a1 b1/a1 b1", "a1 b1/a1 b1", EVERY, TREE,
     ["Quota('predicted', upper=1)", "overlap, neither contains the other", "three-dimensional matching"]),
    ("x", "x", (Groups("true", by_subtree(1), 1),), DAG, ["class 'x' lies in several subtrees at depth 1"]),
]  # fmt: skip


@pytest.mark.parametrize(("true", "pred", "some", "tree", "words"), NO_FLOW)
def test_what_is_no_flow_is_refused(true, pred, some, tree, words):
    """And without any of the constraints the others are one."""
    with pytest.raises(BadInput) as caught:
        solved(true, pred, *ONE, *FIVE, *some, hierarchy=tree)
    assert [word for word in words if word not in str(caught.value)] == []
    for others in itertools.combinations(some, len(some) - 1):
        solved(true, pred, *ONE, *FIVE, *others, hierarchy=tree)


# ----------------------------------------------------------------------------- without a pairing

SHOP = Hierarchy.from_edges([
    ("shop", "food"), ("food", "bread"), ("food", "brie"),
    ("shop", "tools"), ("tools", "saw"), ("tools", "drill"), ("tools", "hammer"),
])  # fmt: skip
THIRD = Fraction(1, 3)
REASONS = [
    (["saw"], ["saw", "drill"], ONE,
     "instance 0: the predicted classes 'saw', 'drill' must have at least 2 partners together",
     "can get only 1: they may be paired with 'saw' only, and the true class 'saw' may have at most 1 partner",
     "it has 2 predicted and 1 true classes"),
    (["brie"], ["saw"], (*ONE, MaxDistance(1)),
     "must have at least 1 partner and can get only 0: no candidate is left and it has no default"),
    (["saw"], ["saw", "drill", "hammer"], (Degree("true", 3), CountCost("true", (0, 5, 6))),
     "the true class 'saw' must have at least 3 partners and can get only 2", "the true class 'saw' may have at most 2 partners"),
    (["saw"], ["drill"], (*ONE, Cardinality(2)), "the instance must have at least 2 pairs; of what"),
    (["saw"], ["drill"], (Mass("predicted", 1), Mass("true", Fraction(3, 2))),
     "the true class 'saw' must have at least the mass 3/2, the predicted class 'drill' may have at most the mass 1",
     "1 true classes, which can move the masses 1 and 3/2; for masses that differ give both sides an Unmatched, or"),
    (["saw"], [], [Mass(s, 1) for s in SIDES], "or the other side is empty", "the masses 0 and 1; for"),
    (["brie"], ["saw"], (MaxDistance(1), Cardinality(1)),
     "the instance must have at least 1 pair; of what is asked for only 0 pairs can be had"),
    (["saw", "drill"], ["saw", "drill"], (*ONE, Groups("true", lambda x: 0 * x.classes, 1)),
     ", and the true group saw, drill may have at most 1 pair"),
    (["saw"], ["drill"], (Degree("predicted", 0, 0), Require((("drill", "saw"),))),
     "cannot hold together: the pair ('drill', 'saw') is required, the predicted class 'drill' may have at most 0 partners"),
    (["saw"], ["drill"], (Require((("drill", "saw"),)), Forbid((("drill", "saw"),))),
     "instance 0: the pair ('drill', 'saw') is required and cannot be chosen"),
    (["saw"], ["drill"], (Groups("true", lambda x: 0 * x.classes, None, 2),),
     "the true group saw must have at least 2 pairs; of what is asked for only 1 pair can"),
    (["saw"], ["drill"], (Degree("predicted", 2), Degree("true", 1, 1)),
     "the predicted class 'drill' must have at least 2 partners and can get only 1"),
    (["saw", "drill"], ["saw", "hammer"], (Degree("true", 2, where=("saw",)), Degree("predicted", 0, 1), Capacity(5),
                                          Forbid((("hammer", "saw"),))),
     "the true class 'saw' must have at least 2 partners and can get only 1: it may be paired with 'saw' only, "
     "and the predicted class 'saw' may have at most 1 partner"),
    (["saw"], ["drill", "saw"], (Mass("predicted", THIRD), Mass("true", 2 * THIRD), Capacity(THIRD / 2)),
     "must have at least the mass", "may carry at most the mass 1/6"),
    (["saw"], ["drill"], (Mass("predicted", 3), Mass("true", 3), Capacity(1)), "must have at least 3 partners"),
    (["saw"], ["drill"], (Mass("true", 2), Degree("predicted", 0, 1)),  # one side has masses
     "the true class 'saw' must have at least 2 partners and can get only 1"),
    (["saw"], ["drill"], (Mass("true", THIRD), Unmatched("true", 2), Cardinality(1)),  # not what the predicted one may have
     "the true class 'saw' may have at most the mass 1/3; of what is asked for"),
    (["saw"], ["drill"], (*(Mass(s, 1, share=True) for s in SIDES), Unmatched("predicted", 2), Capacity(THIRD)),
     "the true class 'saw' must have at least the mass 1, the pair ('drill', 'saw') may carry at most the mass 1/3;"),
    (["saw"], ["drill"], (Mass("predicted", THIRD), Mass("true", THIRD), Require((("drill", "saw"),))),
     "is required and cannot be chosen (or carry 1)"),
    (["saw"], [], (Mass("predicted", 1, share=True), Mass("true", 1, share=True)), "no candidate is left"),
    (["saw"], ["drill"], (Degree("true", 1), Quota("true", upper={"saw": 0})),
     "all instances together: these cannot hold",
     "the true class 'saw' in all instances may have at most 0 pairs",
     "the true class 'saw' must have at least 1 partner (instance 0)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("true", "pred", "constraints", "words"), [(*row[:3], row[3:]) for row in REASONS]
)
def test_the_reason_is_in_labels_and_numbers(true, pred, constraints, words):
    sets = (LabelSets.from_labels([rows], SHOP) for rows in (true, pred))
    with pytest.raises(Infeasible) as caught:
        solve_pairing(formulate(Rule(Hops(), constraints), Pairs.between(SHOP, *sets)))
    assert [word for word in words if word not in str(caught.value)] == []


def test_the_reason_of_many_labels_stays_short():
    flat = Hierarchy.from_edges([("r", f"c{i}") for i in range(300)])
    sets = (LabelSets.from_labels([[f"c{i}" for i in range(n)]], flat) for n in (80, 81))
    pairs, table = Pairs.between(flat, *sets), np.random.default_rng(0).random((81, 80))
    for cost in (Hops(), lambda p: table[p.predicted_at, p.true_at]):  # the latter are rounded
        with pytest.raises(Infeasible) as caught:
            solve_pairing(formulate(Rule(cost, ONE), pairs))
        text = str(caught.value)
        assert "at least 81 partners together and can get only 80" in text
        assert "(81 in all)" in text
        assert len(text) < 2500


def test_the_reason_is_that_of_the_first_instance():
    never = Require((("b1", "b1"),)), Forbid((("b1", "b1"),))
    with pytest.raises(
        Infeasible, match=r"instance 0: .* true class 'a1' may have at most 1 partner"
    ):
        solve_pairing(problem_of("a1/b1", "a1 a2/b1", *ONE, *never))


def test_an_instance_of_a_data_set_that_is_joined_is_told_alone(monkeypatch):
    rule = Rule(Hops(), (Cardinality(lambda x: 9 * x.position), Quota(upper=100)))
    problem = formulate(rule, pairs_of(2, 2, instances=2))
    with pytest.raises(Infeasible, match=r"instance 1: .* the instance must have at least 9 pairs"):
        solve_pairing(problem)
    pairing = solve_pairing(problem, on_infeasible="nan")
    assert np.isnan(pairing.cost).tolist() == [True]
    assert pairing.infeasible.tolist() == [0, 1]
    assert not pairing.chosen.any()
    monkeypatch.setattr(certificate, "MOST_TRIALS", 0)
    with pytest.raises(Infeasible, match="these cannot hold"):
        solve_pairing(problem)


# ----------------------------------------------------------------------------- scores without them

TRUTH = {"x": ["saw"], "y": ["saw", "drill"], "z": ["brie"], "w": ["bread"]}
GUESS = {"x": ["saw", "drill"], "y": ["saw", "hammer"], "z": ["bread"], "w": ["bread", "brie"]}
MEASURES = ["tree_induced_error", "gie", "total_cost", "normalised_cost", "mean_cost"]


def test_instances_without_a_pairing_are_left_out_counted_and_explained(
    tmp_path, monkeypatch, capsys
):
    with pytest.raises(Infeasible, match="instance 'x'"):
        score(SHOP, TRUTH, {"s": GUESS}, MEASURES)
    found = score(SHOP, TRUTH, {"s": GUESS}, MEASURES, on_infeasible="nan", chunk=3)
    others = [{k: v for k, v in side.items() if k in "yz"} for side in (TRUTH, GUESS)]
    rest = score(SHOP, others[0], {"s": others[1]}, MEASURES)
    for k, m in enumerate(MEASURES):
        out = m != "gie"
        assert np.isnan(found.per_instance["s"][:, k]).tolist() == [out, False, False, out]
        assert not out or found.values[0, k] == rest.values[0, k]
        assert found.n_infeasible.get(("s", m)) == (2 if out else None)
        assert [*found.infeasible_at.get(("s", m), ())] == [0, 3] * out
    note = "s, tree_induced_error: 2 instances without a possible pairing, left out on request"
    for text in (found.to_text(), found.to_markdown(), found.to_json()):
        assert note in text.replace("\\_", "_")
    assert "n_infeasible" in found.to_csv().splitlines()[0]
    assert "n_infeasible" not in rest.to_csv()
    none = score(SHOP, [["saw"]], {"s": [["saw", "brie"]]}, MEASURES, on_infeasible="nan")
    assert np.isnan(none.values[0]).tolist() == [True, False, True, True, True]
    worst = explain(SHOP, TRUTH, GUESS, "tree_induced_error", worst=3)
    assert [(w.instance, bool(w.evidence.blocking), w.evidence.optimal) for w in worst] == [
        ("x", True, False), ("w", True, False), ("y", False, True)
    ]  # fmt: skip
    (why,) = explain(SHOP, TRUTH, GUESS, "tree_induced_error", instances=["x"])
    assert math.isnan(why.value)
    assert why.title == "system, instance x: tree_induced_error: no pairing"
    for words in ("tree_induced_error has no value: no pairing is possible",
                  "they may be paired with 'saw' only", "- the true class 'saw' may have at most 1 partner"):  # fmt: skip
        assert words in why.to_text()
    assert [(p.units, p.cost) for p in why.evidence.pairs] == [(0, 0), (0, 2)]
    told = json.loads(why.to_json())
    assert told["value"] is None
    assert [(s["kind"], s["of"], s["lower"], s["upper"]) for s in told["flow"]["blocking"]] == [
        ("predicted", ["saw"], 1, None), ("predicted", ["drill"], 1, None), ("true", ["saw"], 0, 1),
    ]  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("tree.tsv").write_text("shop\ttools\ntools\tsaw\ntools\tdrill\n")
    Path("true.tsv").write_text("x\tsaw\ny\tsaw\n")
    Path("one.tsv").write_text("x\tsaw|drill\ny\tdrill\n")
    for words, code, said in (
        ("score", 2, "the predicted classes 'saw', 'drill' must have"),
        ("score --on-infeasible nan", 0, "1 instance without a possible pairing, left out on request"),
        ("explain", 0, "no pairing: the predicted classes 'saw', 'drill'"),  # it is the worst one
    ):  # fmt: skip
        verb, *more = words.split()
        assert main([verb, "tree.tsv", "true.tsv", "one.tsv", "-m", MEASURES[0], *more]) == code
        assert said in "".join(capsys.readouterr())


@pytest.mark.parametrize("most", [
    [1, 0], np.array([1, 0]), {0: 1, 1: 0}, lambda x: 1 - x.position, lambda x: 0 * x.n_true + x.n_all - 1,
])  # fmt: skip
def test_numbers_by_place_are_of_instances_that_are_seen_together(tmp_path, most):
    """In a part nobody knows which place an instance has among all."""
    truth, guess = [["saw"], ["brie"]], [["saw"], ["brie"]]
    name, by_labels = own(Hops(), *FIVE, Cardinality(upper=most)), lambda x: 1 * (x.n_true > 0)
    together = score(SHOP, truth, {"s": guess}, [name])
    assert together["s", name] in (5, 0)
    [why] = explain(SHOP, truth, guess, name, instances=[1])
    assert why.value == together.per_instance["s"][1, 0]
    path = tmp_path / "part.csv"
    path.write_text("truth,s\nsaw,saw\nbrie,brie\n")

    law = LabelDistribution.from_scenarios([[(1, ["saw"])]], SHOP)

    def loop(name):
        metric = HierarchicalMetric(SHOP, name)
        metric.update(guess, truth)
        return metric.compute()[name]

    ways = (
        lambda name: partial(SHOP, truth, {"s": guess}, name).scores()["s", name],
        lambda name: score_dataset(SHOP, path, measures=name)["s", name],
        loop,
        lambda name: -decode(law, name).value[0],
    )
    two = {"s": guess, "t": guess}
    again = (  # labels with errors are of instances that are numbered anew
        lambda name: respond(SHOP, truth, name, steps="drop_all"),
        lambda name: discrimination(score(SHOP, truth, two, name), planted=[0.5], n_bootstrap=9),
    )
    for way in (*ways, *again):
        with pytest.raises(BadInput, match="here a part of them is seen; score all at once"):
            way(name)
    name = own(Hops(), *FIVE, Cardinality(upper=by_labels))
    assert [way(name) for way in ways] == [0, 0, 0, 0]


PICKY = (
    *ONE, MaxDistance(2), Require((("brie", "brie"),)), Forbid(lambda p: p.hierarchy.depths[p.true] == 1)
)  # fmt: skip
NONE = math.nan
ALONE = [  # instances of true and of predicted classes, and what they cost
    (PICKY, "saw/saw/food/brie bread", "drill/brie/food/brie bread", [2, NONE, NONE, 0]),
    ((*ONE, Cardinality([1, 1, 0])), "saw/brie/saw", "saw/bread/saw drill", [0, 2, NONE]),
    ((CountCost("instance", (None, None, 2, 2)),), "saw brie/saw/drill saw", "saw brie/saw/drill saw", [2, NONE, 2]),
]  # fmt: skip


@pytest.mark.parametrize(("constraints", "true", "pred", "found"), ALONE)
def test_one_instance_does_not_hide_another_one(constraints, true, pred, found):
    truth, guess = ([row.split() for row in side.split("/")] for side in (true, pred))
    name = own(Hops(), *constraints)
    with pytest.raises(Infeasible, match=f"instance {[*map(math.isnan, found)].index(True)}: "):
        score(SHOP, truth, {"s": guess}, name)
    scores = score(SHOP, truth, {"s": guess}, name, on_infeasible="nan")
    assert np.array_equal(scores.per_instance["s"][:, 0], found, equal_nan=True)
    assert scores.n_infeasible == {("s", name): sum(map(math.isnan, found))}
    assert scores.values[0, 0] == np.nanmean(found)


@pytest.mark.parametrize(("tips", "want"), [("best", [2, 2]), ("sum", [2, 2]), ("single", [2])])
def test_shortest_paths_without_an_end_are_left_out(tips, want):
    forest = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("s", "c")], roots="any")
    truth, guess = [["a"], ["a"], ["a"], ["a", "b"]], [["c"], [], ["b"], ["a"]]
    found = score(forest, truth, {"s": guess}, f"shortest_path(tips={tips})", on_infeasible="nan")
    values = found.per_instance["s"][:, 0]
    assert values[~np.isnan(values)].tolist() == want
    assert [*found.n_infeasible.values()] == [4 - len(want)]
