"""Networks of problems: certificates that see what is wrong, limits of numbers, and names in graphs."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput
from hierpair.errors import SolverLimit
from hierpair.pairing import (
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Lexicographic,
    Rule,
    Unmatched,
    build,
    by_level,
    formulate,
    network_graph,
    solve_pairing,
)
from hierpair.solvers import Flow, FlowNetwork, check, solve, to_integers
from tests.oracles.pairings import best_pairing
from tests.pairing.rules import SIDES, Statement, pairs_of, priced


def problem_of(table, *, instances=1, default=None, upper=1):
    """Every label has so many partners, or a default; a row per predicted class."""
    table = np.array(table)
    sides = [Degree(side, 1, upper) for side in SIDES]
    sides += [Unmatched(side, default) for side in SIDES if default is not None]
    rule = Rule(lambda p: table[p.predicted_at % len(table), p.true_at % len(table[0])], sides)
    return formulate(rule, pairs_of(*table.shape, instances=instances))


def test_check_sees_a_wrong_flow():
    problem = problem_of(np.random.default_rng(4).integers(1, 12, (3, 4)), default=9, instances=9)
    network, _ = build(problem, reduce=False)
    flow = solve(network)
    assert check(network, flow).optimal
    out = flow.flow.copy()
    out[0] += 1
    assert "bounds" in check(network, Flow(out, flow.infeasible)).reason
    out[0] -= 1
    arc = np.flatnonzero((out < network.upper) & (network.cost > 0))[0]
    out[arc] += 1
    assert "sends" in check(network, Flow(out, flow.infeasible)).reason
    dear = network.cost.copy()
    dear[np.flatnonzero((flow.flow > network.lower) & (network.cost > 0))[0]] += 1000
    certificate = check(replace(network, cost=dear), flow)
    assert certificate.feasible
    assert not certificate.optimal
    assert "negative cycle" in certificate.reason


def test_check_sees_lower_bounds_and_surpluses():
    network = FlowNetwork(
        *(np.array(x) for x in ([0, 1], [1, 0], [1, 0], [2, 2], [0, 0], [0, 0], [0, 2], [0, 2]))
    )
    none = np.empty(0, np.int64)
    assert check(network, Flow(np.array([1, 1]), none)).optimal
    assert "outside its bounds" in check(network, Flow(np.array([0, 0]), none)).reason
    assert "sends -1 instead of 0" in check(network, Flow(np.array([1, 2]), none)).reason
    assert "sends 1 instead of 0" in check(network, Flow(np.array([2, 1]), none)).reason


def test_the_check_of_a_later_cost_finds_what_is_not_best():
    price = {(0, 0): (1, 5), (0, 1): (1, 2)}
    rule = Rule(
        priced(price, 2),
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


def test_costs_beyond_the_solver_are_an_error():
    for cost, fits in ((2**58, True), (2**61, False)):
        network = FlowNetwork(
            *(np.array(x) for x in ([0], [1], [0], [1], [cost], [1, -1], [0, 1], [0, 2]))
        )
        if fits:
            assert solve(network).flow.tolist() == [1]
        else:
            with pytest.raises(SolverLimit, match="BAD_COST_RANGE"):
                solve(network)


def test_scaling_is_exact_or_says_so():
    exact = to_integers([np.array([2.0**-20, 3.0])])
    assert (exact.exact, exact.scale) == (True, 2**20)
    rounded = to_integers([np.array([0.1, 100.0])])
    assert not rounded.exact
    assert 2**43 < rounded.values[0].max() <= 2**44
    for costs in ([2.0**49], [Fraction(1, 2**40), 2**20]):
        with pytest.raises(SolverLimit):
            to_integers([np.array(costs, dtype=object if costs[1:] else float)])


def test_float_costs_report_the_cost_of_the_pairs_and_a_gap():
    pairing = solve_pairing(problem_of([[0.1, 0.7], [0.3, 0.2]], default=5.0))
    assert pairing.cost[0] == 0.1 + 0.2
    assert 0 < pairing.gap[0] < 1e-10


@pytest.mark.parametrize("upper", [1, None])
def test_the_gap_bounds_the_distance_from_the_optimum(upper, monkeypatch):
    """With costs rounded to whole numbers the pairing may be worse, but never by more."""
    monkeypatch.setattr("hierpair.solvers.flow.LARGEST_SCALED", 8)
    rng, worse = np.random.default_rng(2), 0
    for _ in range(50):
        m, n, default = (int(x) for x in rng.integers(1, 4, 3))
        exact = [[Fraction(int(x), 10**6) for x in row] for row in rng.integers(0, 10**7, (m, n))]
        price = {(i, j): exact[i][j] for i in range(m) for j in range(n)}
        bounds = {"low": 1, "high": upper, "under": default}
        said = [
            Statement("label", side, (i,), **bounds)
            for side, size in zip(SIDES, (m, n), strict=True)
            for i in range(size)
        ]
        best = float(best_pairing(m, n, price, [(s.pairs(price), s.cost) for s in said])[0])
        pairing = solve_pairing(problem_of(np.array(exact, float), default=default, upper=upper))
        assert pairing.cost[0] - best <= pairing.gap[0] + 1e-9
        worse += pairing.cost[0] > best + 1e-6
    assert worse > 1


def test_what_is_in_a_network_has_names():
    rule = Rule(
        lambda pairs: 1.0 + pairs.true_at,
        (
            Degree("true", 1), Unmatched("true", 5), CountCost("predicted", (1, 0, 2)),
            Groups("true", by_level, 2), Groups("predicted", by_level, 1, of="partners"),
            Cardinality(0, 2, over=3),
        ),
    )  # fmt: skip
    graph = network_graph(formulate(rule, pairs_of(2, 2)))
    names = {(n["kind"], n["side"]): n["name"] for _, n in graph.nodes(data=True)}
    assert names == {
        ("source", None): "source", ("sink", None): "sink", ("label", "predicted"): "c1",
        ("partners", "predicted"): "{c0, c1}", ("group", "true"): "{c0, c1}", ("label", "true"): "c1",
    }  # fmt: skip
    kinds = {(e["kind"], e["of"]) for _, _, e in graph.edges(data=True)}
    assert kinds == {
        ("pair", None), ("label", "label"), ("group", "group"), ("instance", "instance"),
        ("default", "label"), ("more", "label"), ("less", "label"), ("more", "instance"),
    }  # fmt: skip


def test_lexicographic_costs_are_all_there():
    costs = (lambda pairs: 1 + pairs.true_at, lambda pairs: pairs.predicted_at / 4)
    problem = formulate(Rule(Lexicographic(costs), (Degree("true", 1),)), pairs_of(2, 2))
    graph = network_graph(problem)
    edges = [e for _, _, e in graph.edges(data=True)]
    pairs = [e for e in edges if e["kind"] == "pair"]
    assert sorted(e["costs"] for e in pairs) == [(1, 0), (1, 0.25), (2, 0), (2, 0.25)]
    assert all(e["cost"] == e["costs"][0] for e in pairs)
    paid = sum(e["flow"] * e["cost"] for e in edges)
    assert paid == solve_pairing(problem).cost[0] == 3
    assert [e["costs"][1] for e in pairs if e["flow"]] == [0, 0]
    with pytest.raises(BadInput, match="there is no instance number 1; they run from 0 to 0"):
        network_graph(problem, 1)
