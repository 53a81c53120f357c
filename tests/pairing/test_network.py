"""Pairing problems as flow networks: certificates, other solvers, limits of numbers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hierpair import Degree, Hierarchy, LabelSets, Rule, Unmatched
from hierpair.errors import Infeasible, SolverLimit
from hierpair.pairing import Pairs, build, formulate, solve_pairing
from hierpair.solvers import Flow, FlowNetwork, check, solve, to_integers
from tests.oracles.counted_pairs import best_pairing
from tests.pairing.random_rules import pairs_of, soft


def problem_of(table, *, instances=1, default=None, lower=1, upper=1):
    """Every label has so many partners, or a default; a row per predicted class."""
    table = np.array(table)
    sides = [Degree(side, lower, upper) for side in ("predicted", "true")]
    sides += [Unmatched(side, default) for side in ("predicted", "true") if default is not None]
    rule = Rule(
        lambda p: table[p.predicted_at % len(table), p.true_at % len(table[0])], sides, signed=True
    )
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


def test_negative_costs_are_not_reduced_away():
    """With a reward on every pair, open labels take all of them; the reduction would not."""
    assert solve_pairing(problem_of([[-1, -1], [-1, -1]], default=5, upper=2)).cost[0] == -4


@pytest.mark.exhaustive
@pytest.mark.parametrize("upper", [1, None])
def test_the_gap_bounds_the_distance_from_the_optimum(upper, monkeypatch):
    """With costs rounded to whole numbers the pairing may be worse, but never by more."""
    monkeypatch.setattr("hierpair.solvers.flow.LARGEST_SCALED", 8)
    rng, worse = np.random.default_rng(2), 0
    for _ in range(150):
        m, n, default = (int(x) for x in rng.integers(1, 4, 3))
        exact = [[Fraction(int(x), 10**6) for x in row] for row in rng.integers(0, 10**7, (m, n))]
        price = {(i, j): exact[i][j] for i in range(m) for j in range(n)}
        most = 9 if upper is None else 1
        said = [({p for p in price if p[k] == i}, soft(1, most, default, 99))
                for k, size in enumerate((m, n)) for i in range(size)]  # fmt: skip
        best = float(best_pairing(m, n, price, said)[0])
        pairing = solve_pairing(problem_of(np.array(exact, float), default=default, upper=upper))
        assert pairing.cost[0] - best <= pairing.gap[0] + 1e-9
        worse += pairing.cost[0] > best + 1e-6
    assert worse > 2


def test_an_infeasible_instance_with_rounded_costs_says_why():
    """61 predicted classes for 60 true ones: the reason, not a limit of the solver."""
    tree = Hierarchy.from_parents({f"c{i}": None for i in range(61)}, roots="any")
    sets = (LabelSets.from_labels([[f"c{i}" for i in range(n)]], tree) for n in (60, 61))
    table = np.random.default_rng(0).random((61, 60))
    one = Degree("predicted", 1, 1), Degree("true", 1, 1)
    rule = Rule(lambda p: table[p.predicted_at, p.true_at], one)
    with pytest.raises(Infeasible, match="it has 61 predicted and 60 true classes"):
        solve_pairing(formulate(rule, Pairs.between(tree, *sets)))


@pytest.mark.exhaustive
def test_blocks_stay_small_where_arcs_have_no_freedom():
    """Thousands of settled instances beside one open one: nodes count for the limit, too."""
    three = [Degree(side, 3, 3) for side in ("predicted", "true")]
    last = [
        Unmatched(s, 2.6e5, where=lambda x: x.instance == 45_000) for s in ("predicted", "true")
    ]
    rule = Rule(lambda p: 0.7 + p.predicted + p.true, (*three, *last))
    cost = solve_pairing(formulate(rule, pairs_of(3, 3, instances=45_001))).cost
    assert cost[0] == cost[-1] == pytest.approx(9 * 0.7 + 18)
