"""Pairing problems as flow networks: against enumeration, certificates, and other solvers."""

import itertools
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from hierpair.errors import Infeasible, SolverLimit
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.pairing import PairingProblem, Pairs, build, solve_pairing
from hierpair.pairing.counts import NOBODY, Count, Source, each_instance, each_label, grouped
from hierpair.pairing.pairs import SIDES
from hierpair.solvers import Flow, FlowNetwork, check, solve, to_integers
from tests import effort
from tests.oracles import pairs_and_sets as reference

FLAT = Hierarchy.from_parents({f"c{i}": None for i in range(8)}, roots="any")


def problem_from(instances, classes=8):
    """One PairingProblem from a list of reference problems."""
    hierarchy = FLAT
    if classes != 8:
        hierarchy = Hierarchy.from_parents({f"c{i}": None for i in range(classes)}, roots="any")
    pred = [list(range(p["n_pred"])) for p in instances]
    true = [list(range(p["n_true"])) for p in instances]

    def sets(rows):
        lengths = np.array([len(r) for r in rows])
        ptr = np.concatenate([[0], np.cumsum(lengths)])
        return LabelSets.from_arrays(ptr, np.array([x for r in rows for x in r], int), classes)

    pairs = Pairs.between(hierarchy, sets(true), sets(pred))
    keys = [
        (b, i, j)
        for b, p in enumerate(instances)
        for i in range(p["n_pred"])
        for j in range(p["n_true"])
    ]
    cost = np.array([instances[b]["cost"].get((i, j), np.inf) for b, i, j in keys], dtype=object)
    given_costs = [*cost, *(x for p in instances for x in p["default"].values())]
    if not any(isinstance(x, Fraction) for x in given_costs):
        cost = cost.astype(float)
    candidate = np.array([(i, j) in instances[b]["cost"] for b, i, j in keys], dtype=bool)
    required = np.array([(i, j) in instances[b]["required"] for b, i, j in keys], dtype=bool)
    labels = {
        "predicted": [(b, "p", i) for b, p in enumerate(instances) for i in range(p["n_pred"])],
        "true": [(b, "t", j) for b, p in enumerate(instances) for j in range(p["n_true"])],
    }

    def column(side, what):
        return [instances[b][what][s, i] for b, s, i in labels[side]]

    sets, said = [], Source(1, "a bound")
    for k in range(len(instances[0]["groups"])):
        side, low, high = (instances[0]["groups"][k][x] for x in (0, 2, 3))
        side = {"p": "predicted", "t": "true"}[side]
        group = [0 if i in instances[b]["groups"][k][1] else -1 for b, s, i in labels[side]]
        own = grouped(pairs, side, np.array(group, dtype=np.int64))
        sets.append(Count.of(own, *(np.full(len(own), x) for x in (low, high)), said))
    if instances[0]["total"] is not None:
        low, high = (np.array([p["total"][k] for p in instances]) for k in (0, 1))
        sets.append(Count.of(each_instance(pairs), low, high, said))
    of_labels = []
    for s in SIDES:
        low, high = (np.array([b[k] for b in column(s, "bounds")], dtype=np.int64) for k in (0, 1))
        default = np.array(column(s, "default"), dtype=cost.dtype)
        of_labels.append(Count.of(each_label(pairs, s), low, high, NOBODY).lacking([default]))
    return PairingProblem(pairs, candidate, required, (cost,), (*of_labels, *sets))


def random_instance(rng, *, fractions=False, plain=None):
    m, n = rng.integers(0, 4), rng.integers(0, 4)
    number = (
        (lambda: Fraction(int(rng.integers(0, 40)), int(rng.integers(1, 7))))
        if fractions
        else (lambda: int(rng.integers(0, 12)))
    )
    cost = {(i, j): number() for i in range(m) for j in range(n) if rng.random() < 0.8}
    labels = [("p", i) for i in range(m)] + [("t", j) for j in range(n)]
    bounds, default = {}, {}
    for key in labels:
        low = int(rng.integers(0, 3))
        bounds[key] = (low, low + int(rng.integers(0, 3)))
        default[key] = reference.INF if rng.random() < 0.2 else number()
    if plain == "bounds":  # any bounds of labels alone, and rewards
        cost = {pair: price - 4 for pair, price in cost.items()}
    if plain == "single":
        bounds = dict.fromkeys(labels, (1, 1))
    if plain == "open":
        bounds = {k: (1, max(1, n if k[0] == "p" else m)) for k in labels}
    required, total, groups = set(), None, []
    if plain is None:
        required = {k for k in cost if rng.random() < 0.08}
        low = int(rng.integers(0, 2))
        total = (low, low + int(rng.integers(0, 4)))
        outer = {i for i in range(m) if rng.random() < 0.8}
        inner = {i for i in outer if rng.random() < 0.6}
        groups = [
            ("p", outer, 0, int(rng.integers(1, 4))),
            ("p", inner, 0, int(rng.integers(0, 3))),
            ("t", {j for j in range(n) if rng.random() < 0.5}, 0, int(rng.integers(0, 4))),
        ]
    return {
        "n_pred": int(m),
        "n_true": int(n),
        "cost": cost,
        "bounds": bounds,
        "default": default,
        "required": required,
        "total": total,
        "groups": groups,
    }


@given(st.integers(0, 2**32), st.integers(1, 6))
@settings(max_examples=effort.cases(300), deadline=None)
def test_assignment_agrees_with_scipy_and_networkx(seed, n):
    """One partner each and no default: an assignment problem."""
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 50, (n, n))
    instance = {
        "n_pred": n,
        "n_true": n,
        "cost": {(i, j): int(cost[i, j]) for i in range(n) for j in range(n)},
        "bounds": {(s, i): (1, 1) for s in "pt" for i in range(n)},
        "default": {(s, i): reference.INF for s in "pt" for i in range(n)},
        "required": set(),
        "total": None,
        "groups": [],
    }
    ours = solve_pairing(problem_from([instance])).cost[0]
    rows, columns = linear_sum_assignment(cost)
    assert ours == cost[rows, columns].sum()
    graph = nx.DiGraph()
    for i in range(n):
        graph.add_node(("p", i), demand=-1)
        graph.add_node(("t", i), demand=1)
        for j in range(n):
            graph.add_edge(("p", i), ("t", j), capacity=1, weight=int(cost[i, j]))
    assert ours == nx.min_cost_flow_cost(graph)


def test_check_sees_a_wrong_flow():
    rng = np.random.default_rng(4)
    instances = [random_instance(rng, plain="single") for _ in range(40)]
    instances = [p for p in instances if reference.best_pairing(p) < reference.INF]
    problem = problem_from(instances)
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
    used = np.flatnonzero((flow.flow > network.lower) & (network.cost > 0))[0]
    dear[used] += 1000
    worse = type(network)(
        network.tail,
        network.head,
        network.lower,
        network.upper,
        dear,
        network.supply,
        network.arc_ptr,
        network.node_ptr,
    )
    certificate = check(worse, flow)
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
    instance = {
        "n_pred": 2,
        "n_true": 2,
        "cost": {(0, 0): 0.1, (0, 1): 0.7, (1, 0): 0.3, (1, 1): 0.2},
        "bounds": {(s, i): (1, 1) for s in "pt" for i in range(2)},
        "default": {(s, i): 5.0 for s in "pt" for i in range(2)},
        "required": set(),
        "total": None,
        "groups": [],
    }
    pairing = solve_pairing(problem_from([instance]))
    assert pairing.cost[0] == 0.1 + 0.2
    assert 0 < pairing.gap[0] < 1e-10


def test_negative_costs_are_not_reduced_away():
    """With a reward on every pair, open labels take all of them; the reduction would not."""
    instance = {
        "n_pred": 2, "n_true": 2, "cost": dict.fromkeys(itertools.product((0, 1), (0, 1)), -1),
        "bounds": {(s, i): (1, 2) for s in "pt" for i in range(2)},
        "default": {(s, i): 5 for s in "pt" for i in range(2)},
        "required": set(), "total": None, "groups": [],
    }  # fmt: skip
    problem = problem_from([instance])
    assert solve_pairing(problem).cost[0] == reference.best_pairing(instance) == -4


@pytest.mark.exhaustive
def test_the_gap_bounds_the_distance_from_the_optimum(monkeypatch):
    """With costs rounded to whole numbers the pairing may be worse, but never by more."""
    monkeypatch.setattr("hierpair.solvers.arcs.LARGEST_SCALED", 8)
    rng = np.random.default_rng(2)
    worse = 0
    for _ in range(300):
        instance = random_instance(rng, plain=rng.choice(["single", "open"]))
        noise = {k: Fraction(int(rng.integers(0, 10**6)), 10**6) for k in instance["cost"]}
        exact = {k: v + noise[k] for k, v in instance["cost"].items()}
        instance["cost"] = {k: float(v) for k, v in exact.items()}
        best = reference.best_pairing({**instance, "cost": exact})
        if best == reference.INF:
            continue
        pairing = solve_pairing(problem_from([instance]))
        assert pairing.cost[0] - float(best) <= pairing.gap[0] + 1e-9
        worse += pairing.cost[0] > float(best) + 1e-6
    assert worse > 5


def test_an_infeasible_instance_with_rounded_costs_says_why():
    """61 predicted classes for 60 true ones: the reason, not a limit of the solver."""
    rng = np.random.default_rng(0)
    m, n = 61, 60
    instance = {
        "n_pred": m, "n_true": n,
        "cost": {(i, j): float(rng.random()) for i in range(m) for j in range(n)},
        "bounds": {("p", i): (1, 1) for i in range(m)} | {("t", j): (1, 1) for j in range(n)},
        "default": {(s, i): reference.INF for s, k in (("p", m), ("t", n)) for i in range(k)},
        "required": set(), "total": None, "groups": [],
    }  # fmt: skip
    with pytest.raises(Infeasible, match="it has 61 predicted and 60 true classes"):
        solve_pairing(problem_from([instance], classes=100))


def test_costs_beyond_the_solver_are_refused():
    instance = {
        "n_pred": 1,
        "n_true": 1,
        "cost": {(0, 0): 2.0**60},
        "bounds": {("p", 0): (1, 1), ("t", 0): (1, 1)},
        "default": {("p", 0): 2.0**61, ("t", 0): 2.0**61},
        "required": set(),
        "total": None,
        "groups": [],
    }
    with pytest.raises(SolverLimit, match="more than the solver can carry"):
        solve_pairing(problem_from([instance]))


@pytest.mark.exhaustive
def test_blocks_stay_small_where_arcs_have_no_freedom():
    """Thousands of settled instances beside one open one: nodes count for the limit, too."""
    fixed = {
        "n_pred": 3, "n_true": 3, "cost": {(i, j): 0.7 + i + j for i in range(3) for j in range(3)},
        "bounds": {(s, i): (3, 3) for s in "pt" for i in range(3)},
        "default": {(s, i): reference.INF for s in "pt" for i in range(3)},
        "required": set(), "total": None, "groups": [],
    }  # fmt: skip
    free = {**fixed, "default": {(s, i): 2.6e5 for s in "pt" for i in range(3)}}
    many = problem_from([*[fixed] * 45_000, free])
    cost = solve_pairing(many).cost
    assert cost[0] == cost[-1] == pytest.approx(9 * 0.7 + 18)
