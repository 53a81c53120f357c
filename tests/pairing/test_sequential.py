"""Several costs one after the other: as one number, one by one, and by enumeration."""

import itertools
import math
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Degree,
    Lexicographic,
    Rule,
)
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import build, formulate, solve_pairing
from hierpair.solvers import Flow, check, solve
from hierpair.solvers import flow as networks
from tests import effort
from tests.oracles.lexicographic_pairs import best_lexicographic
from tests.pairing.test_counts import FOLDER, cases, pairs_of, priced, random_rule, rule_of

LIMITS = (networks.COMBINED_LIMIT, 0)
"""All costs as one number, or one after the other."""


def solved(problem, limit):
    """The pairing of one instance and what it costs by each, proved without the solver."""
    with patch.object(networks, "COMBINED_LIMIT", limit):
        pairing = solve_pairing(problem)
        network, _ = build(problem)
        assert check(network, solve(network)).optimal
    proof = proof_of(problem, pairing)
    assert proof.optimal
    assert proof.bound == proof.costs[0] == pytest.approx(pairing.cost[0], abs=1e-12)
    return proof.costs


def in_turn(costs, n_costs):
    """A function to tuples, None where so many are not allowed."""

    def found(n):
        cost = costs(n)
        return None if cost == math.inf else cost if isinstance(cost, tuple) else (cost,) * n_costs

    return found


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(3))
def test_one_by_one_is_combined_and_enumeration(seed):
    infeasible = sequential = 0
    for k in range(effort.cases(1000)):
        rng = np.random.default_rng([seed, k])
        n_costs = int(rng.integers(2, 5))
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        scale = int(rng.choice([1, 1, 2**20, 2**40]))
        price = {
            pair: tuple(int(x) * scale for x in rng.integers(0, 4, n_costs))
            for pair in itertools.product(range(m), range(n))
            if rng.random() < 0.85
        }
        constraints, said = random_rule(rng, m, n, n_costs, scale)
        said = [(members, in_turn(costs, n_costs)) for members, costs in said]
        rule = Rule(
            Lexicographic(tuple(priced(price, t) for t in range(n_costs))),
            constraints,
            signed=True,
        )
        best = best_lexicographic(n_costs, price, said)
        if best is None:
            infeasible += 1
            for limit in LIMITS:
                with (
                    patch.object(networks, "COMBINED_LIMIT", limit),
                    pytest.raises((Infeasible, BadInput), match=r"contradicts|instance 0"),
                ):
                    solve_pairing(formulate(rule, pairs_of(m, n)))
            continue
        problem = formulate(rule, pairs_of(m, n))
        sequential += networks.weighted(build(problem)[0]) is None
        for limit in LIMITS:
            assert solved(problem, limit) == best, (seed, k, limit)
    assert infeasible < 0.6 * effort.cases(1000)
    assert sequential > 0.05 * effort.cases(1000)


@pytest.mark.skipif(not FOLDER.exists(), reason="no vectors of pairing rules")
@pytest.mark.parametrize("limit", LIMITS)
def test_vectors(limit):
    found = 0
    for case in cases(["7_in_turn"]):
        pairs = pairs_of(len(case["predicted"]), len(case["true"]))
        problem = formulate(rule_of(case, len(case["price_in_turn"])), pairs)
        expect = case["expect"]
        if expect.get("infeasible"):
            with patch.object(networks, "COMBINED_LIMIT", limit), pytest.raises(Infeasible):
                solve_pairing(problem)
        else:
            wanted = tuple(float(Fraction(x)) for x in expect["cost_in_turn"])
            assert solved(problem, limit) == pytest.approx(wanted, abs=1e-12)
        found += 1
    assert found == 60


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
