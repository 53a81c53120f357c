"""Lexicographic costs: the first decides, a later one among equals only; against enumeration."""

from fractions import Fraction

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Degree,
    Hierarchy,
    Hops,
    LabelSets,
    Lexicographic,
    Rule,
    SolverLimit,
    Unmatched,
    explain,
    pair_measure,
    score,
)
from hierpair.pairing import Pairs, build, formulate, solve_pairing
from hierpair.solvers import Flow, check, solve
from tests.pairing.random_rules import pairs_of, priced


def test_a_later_cost_decides_among_equals_only():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y")])

    @pair_measure()
    def nearest_then_deepest(default: float = 4) -> Rule:
        """Of equally near pairings the one whose true classes are deepest."""
        return Rule(
            Lexicographic((Hops(), lambda pairs: 9 - pairs.hierarchy.depths[pairs.true])),
            (
                Degree("predicted", 1, 1), Unmatched("predicted", default),
                Degree("true", 0, 1),
            ),
        )  # fmt: skip

    scores = score(tree, [["r", "x"]], {"s": [["a"]]}, ["nearest_then_deepest"])
    assert scores.values.tolist() == [[1.0]]
    names = tree.names
    y = [LabelSets.from_labels(rows, tree) for rows in ([["r", "x"]], [["a"]])]
    pairs = Pairs.between(tree, *y)
    chosen = solve_pairing(formulate(nearest_then_deepest(), pairs)).chosen
    assert [names[c] for c in pairs.true[chosen]] == ["x"]

    # What is explained is what was scored: costs and defaults of the first one make the cost.
    for rows in ([["r", "x"]], [["a"]]), ([["x"]], [["a", "y"]]), ([[]], [["a", "b"]]):
        [why] = explain(tree, *rows, "nearest_then_deepest")
        shown = why.evidence
        cost = sum(p.cost for p in shown.pairs if p.units)
        cost += sum(r.missing * r.cost for r in shown.counted if r.missing)
        assert cost == shown.cost == why.value
        assert shown.optimal
        assert shown.lexicographic[0] == shown.bound == cost
        assert f"the lexicographic costs are {cost:g}, then" in why.to_text()


def test_fractions_and_halves_are_exact():
    pairs = pairs_of(1, 2)
    costs = (
        lambda pairs: np.array([Fraction(1, 3), Fraction(1, 3)], dtype=object),
        lambda pairs: np.array([0.5, 0.25]),
    )
    constraints = (Degree("predicted", 1, 1), Degree("true", 0, 1))
    pairing = solve_pairing(formulate(Rule(Lexicographic(costs), constraints), pairs))
    assert pairing.chosen.tolist() == [False, True]
    assert pairing.cost.tolist() == [1 / 3]


def test_what_cannot_be_told_apart_is_refused():
    pairs = pairs_of(1, 1)
    constraints = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    with pytest.raises(BadInput, match="lexicographic costs are a tuple of callables, got 'hops'"):
        Lexicographic("hops")
    with pytest.raises(
        BadInput, match="cost 2 of a Lexicographic must be whole numbers, Fractions, or floats"
    ):
        formulate(Rule(Lexicographic((Hops(), lambda p: np.array([0.1]))), constraints), linked())
    with pytest.raises(BadInput, match=r"a default has 3 costs and the cost of pairs 1"):
        formulate(Rule(Hops(), (*constraints, Unmatched("true", (1, 2, 3)))), pairs)
    huge = Lexicographic(tuple((lambda p, k=k: np.array([2**20 + k])) for k in range(4)))
    assert solve_pairing(formulate(Rule(huge, constraints), pairs)).cost == 2**20  # turn by turn
    with pytest.raises(SolverLimit, match="more than the solver can carry exactly"):
        formulate(Rule(Lexicographic((Hops(), lambda p: np.array([2**49]))), constraints), linked())


def linked():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    y = [LabelSets.from_labels(rows, tree) for rows in (["a"], ["b"])]
    return Pairs.between(tree, *y)


def test_the_check_of_a_later_cost_finds_what_is_not_best():
    price = {(0, 0): (1, 5), (0, 1): (1, 2)}
    rule = Rule(
        Lexicographic((priced(price, 0), priced(price, 1))),
        (Degree("predicted", 1, 1), Degree("true", 0, 1)),
    )
    network, _ = build(formulate(rule, pairs_of(1, 2)), reduce=False)
    best = solve(network)
    found = check(network, best)
    assert found.optimal
    assert [x.cost for x in found.later] == [2]
    swapped = best.flow.copy()
    for cost in (5, 2):  # the other pair and the arc of its label
        at = int(np.flatnonzero(network.later[0] == cost)[0])
        for arc in (at, int(np.flatnonzero(network.tail == network.head[at])[0])):
            swapped[arc] = 1 - swapped[arc]
    worse = check(network, Flow(swapped, best.infeasible))
    assert worse.feasible
    assert not worse.optimal
    assert worse.cost == found.cost
