"""The least largest cost, then the least sum: by enumeration, with both proofs."""

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Bottleneck,
    Degree,
    Hierarchy,
    Hops,
    Lexicographic,
    Mass,
    Rule,
    Unmatched,
    explain,
    measure,
    pair_measure,
    score,
)
from hierpair.errors import Infeasible
from hierpair.measures import REGISTRY
from hierpair.pairing import WhatIf, formulate, solve_pairing
from tests.pairing.random_rules import pairs_of


def test_later_costs_decide_among_pairings_of_the_same_largest_cost():
    one_to_one = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    first = np.array([[2.0, 3.0], [3.0, 1.0]])  # 2 + 1, largest 2; 3 + 3, largest 3
    second = np.array([[9.0, 0.0], [0.0, 9.0]])
    costs = [lambda p, t=t: t[p.predicted_at, p.true_at] for t in (first, second)]
    problem = formulate(Rule(Bottleneck(Lexicographic(tuple(costs))), one_to_one), pairs_of(2, 2))
    assert problem.limit.largest[0] == 2
    assert solve_pairing(problem).cost[0] == 3
    even = first.copy()
    even[0, 0] = 5.0  # now 5 + 1 and 3 + 3 cost the same, and the smaller largest counts
    costs[0] = lambda p: even[p.predicted_at, p.true_at]
    problem = formulate(Rule(Bottleneck(Lexicographic(tuple(costs))), one_to_one), pairs_of(2, 2))
    assert problem.limit.largest[0] == 3
    with pytest.raises(BadInput, match="cannot be one of several costs"):
        formulate(Rule(Lexicographic((Bottleneck(costs[0]), costs[1])), one_to_one), pairs_of(2, 2))
    negative = Rule(Bottleneck(lambda p: -1.0 * p.true_at), one_to_one, signed=True)
    with pytest.raises(BadInput, match="needs costs ≥ 0"):
        formulate(negative, pairs_of(2, 2))
    with pytest.raises(BadInput, match="a bottleneck is that of a cost"):
        Bottleneck(3)
    with pytest.raises(BadInput, match="not with a Bottleneck"):
        _ = WhatIf(problem, solve_pairing(problem)).savings


TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("c", "d"), ("b", "e")])


def test_scores_explanations_and_what_is_refused():
    @pair_measure(formula="", source="", direction="lower", range="[0, inf)")
    def fair():
        """Mine."""
        return Rule(Bottleneck(Hops()), (Degree("predicted", 1, 1), Degree("true", 1, 1)))

    truth, said = [["d", "b"], ["c"]], [["a", "c"], ["c"]]
    try:
        scores = score(TREE, truth, {"s": said}, ["fair"]).per_instance["s"][:, 0]
        [why, exact] = explain(TREE, truth, said, "fair", instances=(0, 1))
    finally:
        del REGISTRY["fair"]
    assert scores.tolist() == [why.value, exact.value] == [3.0, 0.0]
    assert why.evidence.largest == 2
    assert exact.evidence.largest == 0
    assert exact.evidence.remarks == ("the largest cost is 0, and none smaller will do",)
    assert "the largest cost is 2, and none smaller will do" in str(why)


def test_means_refuse_it():
    with pytest.raises(BadInput, match="has no bottleneck"):
        score(TREE, [["d"]], {"s": [["c"]]}, measure("mean_cost", cost=Bottleneck(Hops())))


def mass_rule(table, masses, lone, limit=None):
    """Masses to be moved; with a limit only at costs up to it, otherwise at the least largest."""
    moving = [Mass(s, lambda labels, m=masses[s]: m[labels.classes]) for s in masses]

    def cost(pairs):
        found = table[pairs.predicted_at, pairs.true_at]
        return found if limit is None else np.where(found <= limit, found, np.inf)

    left = [Unmatched(s, lone[s]) for s in masses if limit is None or lone[s] <= limit]
    return Rule(Bottleneck(cost) if limit is None else cost, (*moving, *left))


@pytest.mark.exhaustive
def test_masses_move_at_the_least_largest_cost():
    """Found again by allowing costs one by one, cheapest first."""
    later = 0
    for k in range(60):
        rng = np.random.default_rng([31, k])
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        table = rng.integers(0, 9, (m, n)) / 2
        masses = {"predicted": rng.integers(1, 5, m), "true": rng.integers(1, 5, n)}
        lone = {s: int(rng.integers(0, 5)) for s in masses}
        problem = formulate(mass_rule(table, masses, lone), pairs_of(m, n))
        pairing = solve_pairing(problem)
        for limit in sorted({0.0, *table.ravel().tolist(), *lone.values()}):
            try:
                again = solve_pairing(
                    formulate(mass_rule(table, masses, lone, limit), pairs_of(m, n))
                )
                break
            except (BadInput, Infeasible):  # masses that differ, or too dear
                later += 1
        assert (problem.limit.largest[0], pairing.cost[0]) == (limit, again.cost[0]), k
    assert later
