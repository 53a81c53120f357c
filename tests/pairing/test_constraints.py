"""Constraints together: they intersect, contradict by name, take numbers in every form."""

from fractions import Fraction

import numpy as np
import pytest

from hierpair import (
    AS_MANY_AS_THERE_ARE,
    BadInput,
    Cardinality,
    CostMatrix,
    Degree,
    Forbid,
    Groups,
    Hierarchy,
    Hops,
    LabelSets,
    Lexicographic,
    MaxDistance,
    Require,
    Rule,
    Unmatched,
    pair_measure,
    score,
)
from hierpair.evaluation import merge, partial
from hierpair.measures import REGISTRY
from hierpair.pairing import Builder, Pairs, build, by_level, by_subtree, formulate, solve_pairing

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2"), ("b2", "b3")]
)
ONE = (Degree("predicted", 1, 1), Degree("true", 1, 1))
FIVE = (Unmatched("predicted", 5), Unmatched("true", 5))


def pairs_of(true, pred, hierarchy=TREE):
    sets = (LabelSets.from_labels(rows, hierarchy) for rows in (true, pred))
    return Pairs.between(hierarchy, *sets)


def problem_of(true, pred, *constraints, cost=Hops()):  # noqa: B008
    return formulate(Rule(cost, constraints), pairs_of(true, pred))


def solved(true, pred, *constraints, **how):
    pairing = solve_pairing(problem_of([true], [pred], *constraints, **how))
    return pairing.cost[0], int(pairing.chosen.sum())


# ----------------------------------------------------------------------------- repetition


@pytest.mark.parametrize("turned", [False, True])
def test_repeated_constraints_intersect_whatever_their_order(turned):
    free = (Degree("predicted"), Degree("true"))
    gain = lambda pairs: -1 - 0 * pairs.distance  # noqa: E731 - the more pairs the better

    def best(*constraints):
        listed = (*free, *constraints)
        rule = Rule(gain, listed[::-1] if turned else listed, signed=True)
        return -solve_pairing(formulate(rule, pairs_of([["a1", "b1", "b2"]], [["a1", "a2"]]))).cost[
            0
        ]

    assert best() == 6
    assert best(Cardinality(0, 1), Cardinality(0, 3)) == 1
    assert best(Degree("true", 0, 1), Degree("true", 0, 2)) == 3
    assert best(Degree("predicted", 0, 1, where=("a1",)), Degree("predicted", 0, 2)) == 3
    assert best(Groups("true", by_level, 4), Groups("true", by_level, 1)) == 1
    with pytest.raises(BadInput, match=r"contradicts constraint \d, Cardinality"):
        best(Cardinality(3, 3), Cardinality(0, 1))


CONTRADICTIONS = [
    ((Degree("true", 3), Degree("true", 0, 1)),
     "constraint 2, Degree('true', upper=1), contradicts constraint 1, "
     "Degree('true', lower=3): the true class 'a1' cannot have at least 3 and at most 1"),
    ((Cardinality(3, 3), Degree("true"), Cardinality(0, 1)),
     "constraint 3, Cardinality(upper=1), contradicts constraint 1, Cardinality(3, upper=3)"),
    ((Unmatched("true", 5), Unmatched("true", 4)),
     "the true class 'a1' has two default costs, 5 (constraint 1, Unmatched('true', cost=5)) and "
     "4 (constraint 2, Unmatched('true', cost=4))"),
    ((Unmatched("true", 5), Unmatched("true", 4, where=("a1",))), "two default costs, 5 (constraint 1"),
    ((Unmatched("true", (5, 1)), Unmatched("true", (5, 2))), "two default costs"),
    ((Groups("true", by_subtree(1), 1), Groups("true", lambda x: 0 * x.classes, None, 2)),
     "the true group a1 cannot have at least 2 and at most 1 pairs"),
    ((Degree("true", {"a1": 2}), Degree("true", 0, {"a1": 1})), "contradicts constraint 1"),
    ((Degree("true", lambda x: 2 + 0 * x.classes), Degree("true", 0, 1)), "contradicts"),
]  # fmt: skip


@pytest.mark.parametrize(("constraints", "message"), CONTRADICTIONS)
def test_a_contradiction_names_both(constraints, message):
    cost = Lexicographic((Hops(), Hops())) if "(5, 1)" in str(constraints) else Hops()
    for listed in (constraints, constraints[::-1]):
        with pytest.raises(BadInput) as caught:
            problem_of([["a1"]], [["a1", "a2"]], *listed, cost=cost)
        if listed is constraints:
            assert message in str(caught.value)
            assert str(caught.value).startswith("instance 0: ")


def test_what_is_said_twice_alike_is_no_contradiction():
    twice = (
        *ONE,
        *FIVE,
        *ONE,
        *FIVE,
        Unmatched("true", Fraction(5)),
        Unmatched("true", np.array(5.0)),
    )
    assert solved(["a1"], ["a1", "b3"], *twice) == (5, 1)
    apart = (Unmatched("true", 1, where=("a1",)), Unmatched("true", 2, where=("a2",)))
    assert solved(["a1", "a2"], [], Degree("true", 1), *apart)[0] == 3


def test_a_contradiction_for_labels_that_are_not_there_is_none():
    both = (Degree("true", 2, where=("b1",)), Degree("true", 0, 1, where=("b1",)))
    assert solved(["a1"], ["a1"], *ONE, *both)[0] == 0


# ----------------------------------------------------------------------------- order of a pair


def test_pairs_are_predicted_and_true_everywhere():
    costs = np.zeros((len(TREE), len(TREE)))
    a1, a2 = TREE.index(["a1", "a2"])
    costs[a2, a1] = 3  # a2 predicted, a1 true
    assert solved(["a1"], ["a2"], *ONE, cost=CostMatrix(costs))[0] == 3
    assert solved(["a2"], ["a1"], *ONE, cost=CostMatrix(costs))[0] == 0
    assert solved(["a1"], ["a2"], *ONE, *FIVE, Forbid((("a2", "a1"),)))[0] == 10
    assert solved(["a1", "b1"], ["a2", "b1"], *ONE, *FIVE, Require((("a2", "b1"),)))[0] == 8
    for constraint in (Require((("a1", "a2"),)), Forbid([["a1", "a2"]])):
        with pytest.raises(BadInput) as caught:
            solved(["a1"], ["a2"], *ONE, *FIVE, constraint)
        assert "pairs are (predicted, true)" in str(caught.value)
        assert "write ('a2', 'a1')" in str(caught.value)
    assert solved(["b1"], ["b1"], *ONE, *FIVE, Require((("a1", "a2"),)))[0] == 0  # occurs nowhere
    both = Forbid((("a1", "a2"), ("a2", "a1")))
    assert solved(["a1"], ["a2"], *ONE, *FIVE, both)[0] == 10  # both orders are named
    # both orders occur: the right one is bound
    both = problem_of([["a1"], ["a2"]], [["a2"], ["a1"]], *ONE, *FIVE, Forbid((("a1", "a2"),)))
    assert solve_pairing(both).cost.tolist() == [2, 10]


@pytest.mark.parametrize("chunk", [1, 2, None])
def test_the_order_of_a_pair_is_looked_for_in_all_chunks(chunk):
    @pair_measure()
    def apart() -> Rule:
        return Rule(Hops(), (*ONE, *FIVE, Forbid((("a2", "a1"),))))

    truth = [["a2"], ["a1"], ["a2"]]
    guess = [["a1"], ["a2"], ["a2"]]
    found = score(TREE, truth, {"s": guess}, "apart", chunk=chunk)
    assert found.per_instance["s"].ravel().tolist() == [2, 10, 0]
    turned = [["a1"], ["b1"], ["a1"]]
    with pytest.raises(BadInput, match=r"instance '0': forbid \('a2', 'a1'\): pairs are"):
        score(TREE, truth, {"s": turned}, "apart", chunk=chunk)
    assert score(TREE, truth, {"s": guess, "t": turned}, "apart", chunk=chunk).values[0, 0] == 4
    total = partial(TREE, [["a2"]], [["a1"]], ["apart"])
    with pytest.raises(BadInput, match="is nowhere predicted"):
        total.scores()
    other = partial(TREE, [["a1"]], [["a2"]], ["apart"])
    for both in (merge(total, other), merge(other, total)):
        assert both.scores()["system", "apart"] == 6


# ----------------------------------------------------------------------------- values


def of_class(numbers, otherwise):
    values = np.full(len(TREE), otherwise)
    values[TREE.index(list(numbers))] = list(numbers.values())
    return values


def test_bounds_and_costs_by_class_by_name_and_by_function():
    """The same two bounds and costs in all forms that there are."""
    true, pred = ["a1", "b1"], ["a1", "a2", "b1", "b3"]
    deep = lambda labels: labels.classes  # noqa: E731
    forms = {
        "array": of_class,
        "list": lambda n, o: of_class(n, o).tolist(),
        "function": lambda n, o: lambda labels: of_class(n, o)[deep(labels)],
        "wide": lambda n, o: of_class(n, o).astype(np.uint8),
        "float": lambda n, o: of_class(n, float(o)),
    }
    want = solved(true, pred, Degree("predicted", 1, 1), Unmatched("predicted", 5),
                  Degree("true", 1, 2, where=("a1",)), Degree("true", 0, 1, where=("b1",)),
                  Unmatched("true", 3, where=("a1",)), Unmatched("true", 7, where=("b1",)))  # fmt: skip
    for make in forms.values():
        got = solved(
            true, pred, Degree("predicted", 1, make({}, 1)), Unmatched("predicted", make({}, 5)),
            Degree("true", make({"a1": 1}, 0), make({"a1": 2, "b1": 1}, 9)),
            Unmatched("true", make({"a1": 3, "b1": 7}, 1)),
        )  # fmt: skip
        assert got == want
    named = solved(true, pred, Degree("predicted", 1, 1), Unmatched("predicted", 5),
                   Degree("true", {"a1": 1}, {"a1": 2, "b1": 1}),
                   Unmatched("true", {"a1": 3, "b1": 7}))  # fmt: skip
    assert named == want


def test_totals_and_groups_in_every_form():
    true, pred = [["a1", "a2"], ["b1"]], [["a1", "a2"], ["b1", "a1"]]
    free = (Degree("predicted"), Degree("true"))

    def cost(*constraints):
        return solve_pairing(problem_of(true, pred, *free, *constraints)).cost.tolist()

    assert (
        cost(Cardinality(np.array([3, 1])))
        == cost(Cardinality(lambda x: 5 - 2 * x.n_predicted + 2 * (x.n_true - 1)))
        == [2, 0]
    )
    assert cost(Cardinality([3, 1], np.array([3, 4]))) == [2, 0]
    assert cost(Cardinality(lambda x: np.where(x.position == 0, 3, 1))) == [2, 0]
    level = np.array([0, 0, 3, 0])
    for least in (level, level.tolist(), {2: 3}, lambda g: np.where(g.number == 2, 3, 0)):
        one = problem_of(true[:1], pred[:1], *free, Groups("predicted", by_level, None, least))
        assert solve_pairing(one).cost.tolist() == [2]
    assert cost(Groups("true", by_level, 9, {2: 2})) == [0, 4]
    assert cost(Groups("true", by_level, lambda g: g.size, {2: 1})) == [0, 0]
    assert cost(Groups("true", by_level, np.array([0, 0, 2]), lambda g: g.size)) == [0, 0]
    draft_total = lambda builder: builder.count("instance", np.array([3, 1]))  # noqa: E731
    assert cost(draft_total) == [2, 0]


def test_rules_with_arrays_and_dicts_can_be_hashed_and_compared():
    for make in (lambda: np.ones(8, int), lambda: [1] * 8, lambda: {"a1": 1}):
        one, two = (Degree("true", make(), make()) for _ in "ab")
        assert one == two
        assert hash(one) == hash(two)
        assert hash(Unmatched("true", (make(), 1))) == hash(Unmatched("true", (make(), 1)))
    assert Degree("true", np.ones(8, int)) != Degree("true", np.zeros(8, int))
    assert Degree("true", AS_MANY_AS_THERE_ARE) == Degree("true", np.int64(-1))


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (Degree("true", np.array([1, 2])), "lower must be a number, an array of 8 by class, or a function of Labels"),
        (Degree("true", 0, np.ones((8, 8), int)), "upper must be a number, an array of 8 by class"),
        (Degree("true", lambda x: np.ones(5, int)), "lower must give one number per label (2,), got shape (5,)"),
        (Degree("true", lambda x: 1), "must give one number per label (2,), got shape ()"),
        (Degree("true", lambda x: np.array([1, 1.5])),
         "instance 0: lower of the true class 'b1' is 1.5; it must be a whole number ≥ 0"),
        (Degree("true", 0, lambda x: np.array([1, np.nan])), "upper of the true class 'b1' is nan"),
        (Degree("true", lambda x: np.array([0, -1])), "lower of the true class 'b1' is -1"),
        (Degree("true", lambda x: np.array(["a", "b"])), "lower must be a number ≥ 0, got array(['a', 'b']"),
        (Degree("true", lambda x: np.array([True, False])), "lower must be a number ≥ 0, got array([ True, False])"),
        (Degree("true", True), "lower must be a number ≥ 0, got True"),
        (Degree("true", None), "lower must be a number ≥ 0, got None"),
        (Degree("true", {"zz": 1}), "class 'zz' is not in the hierarchy"),
        (Degree("true", {"a1": 0.5}), "lower of the true class 'a1' is 0.5"),
        (Unmatched("true", lambda x: np.array([1, np.nan])), "the default cost of the true class 'b1' is nan"),
        (Unmatched("true", np.full(8, -1.0)), "instance 0: the default cost of the true class 'a1' is -1.0"),
        (Unmatched("true", lambda x: np.ones(7)), "must give one number per label (2,), got shape (7,)"),
        (Unmatched("true", [1, "x"]), "the default cost must be"),
        (Unmatched("true", True), "the default cost must be a number ≥ 0, got True"),
        (Cardinality(lambda x: np.ones(4, int)), "must give one number per instance (1,), got shape (4,)"),
        (Cardinality(np.array([1, 2])), "lower must be a number, an array of 1 by position"),
        (Cardinality(lambda x: np.array([0.5])), "instance 0: lower of the instance is 0.5"),
        (Cardinality({"a1": 1}), "numbers by name, ['a1'], are of classes, not of instances"),
        (Groups("true", by_level, np.array([1])),
         "upper must be a number, an array by number, or a function of Partition"),
        (Groups("true", by_level, lambda g: g.size[:0]), "must give one number per group (1,)"),
        (Groups("true", by_level, lambda g: g.size - 5), "upper of the true group a1, b1 is -3"),
        (MaxDistance(lambda p: p.distance - 9), "the largest distance of the pair ("),
        (MaxDistance(lambda p: 3), "must give one number per pair"),
        (MaxDistance(np.array([1, 2])), "the largest distance must be a number ≥ 0"),
        (lambda d: d.count("true", np.ones(9, int)), "lower must give one number per label (2,)"),
        (lambda d: d.count("instance", np.ones(9, int)), "lower must give one number per instance (1,)"),
    ],
)  # fmt: skip
def test_values_that_are_none_name_label_and_instance(constraint, message):
    with pytest.raises(BadInput) as caught:
        problem_of([["a1", "b1"]], [["a1"]], constraint)
    assert message in str(caught.value)


def test_a_largest_distance_may_be_a_function():
    by_depth = MaxDistance(lambda pairs: pairs.hierarchy.depths[pairs.true])
    assert solved(["a1"], ["a2"], *ONE, *FIVE, by_depth)[0] == 2
    assert solved(["a"], ["b"], *ONE, *FIVE, by_depth)[0] == 10


def test_a_minimum_asks_nothing_of_a_group_without_labels():
    true, said = [["a1", "b1"], ["a1"], ["b1", "b2"], []], [["a1"], ["a1"], ["b2"], []]
    by_branch = Groups("true", by_subtree(1), None, 1)
    problem = problem_of(true, said, Degree("predicted", 1), Degree("true"), by_branch)
    assert solve_pairing(problem).cost.tolist() == [4, 0, 0, 0]


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
    problem = problem_of([["a1", "a2"]], [["a1", "b1"]], *ONE, *FIVE, USER[said])
    reduced, full = (solve_pairing(problem, reduce=r).cost[0] for r in (True, False))
    assert reduced == full


def test_a_builder_takes_what_its_verbs_say_and_nothing_else():
    builder = Builder(pairs_of([["a1"]], [["a2"]]))
    with pytest.raises(BadInput, match="a pair is chosen once or not at all; see Capacity"):
        builder.count("pair", 0, 2)


def test_the_measures_of_the_library_are_reduced():
    pairs = pairs_of([["a1", "a2"]], [["a1", "b1"]])
    for name in ("gie", "mgia", "fnerror", "tree_induced_error"):
        problem = formulate(REGISTRY[name].rule(), pairs)
        reduced, full = (len(build(problem, reduce=r)[0].tail) for r in (True, False))
        assert reduced < full, name
