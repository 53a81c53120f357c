"""Every kind of constraint against enumeration and vectors: cost, pairs, proof, and what cannot be."""

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest

from hierpair import BadInput
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import (
    Lexicographic,
    Pairs,
    Rule,
    WhatIf,
    build,
    formulate,
    network_graph,
    solve_pairing,
)
from hierpair.pairing.pairings import why_no_smaller
from hierpair.solvers import check, solve
from hierpair.solvers import flow as networks
from tests import effort
from tests.oracles.pairings import AllPairings, best_transport
from tests.pairing.rules import (
    priced,
    random_bottleneck,
    random_counts,
    random_masses,
    random_quotas,
    rule_of,
    worth,
)
from tests.paths import SHARED

LIMITS = (networks.COMBINED_LIMIT, 0)
"""All costs as one number, or one after the other."""


class Case(NamedTuple):
    """A rule, and the least cost that enumeration finds; None: there is no pairing."""

    rule: Rule
    pairs: Pairs
    best: Fraction | None
    paid: Callable[..., Any] = lambda problem, pairing: None  # what the pairs cost, told slowly
    more: Callable[..., Any] = lambda problem, pairing: None  # what else holds


def carried(problem, pairing):
    """What every chosen pair carries, by places of its labels."""
    ends = problem.pairs.predicted_at.tolist(), problem.pairs.true_at.tolist()
    whole = 1 if pairing.whole is None else int(pairing.whole[0])
    each = zip(*ends, pairing.carried.tolist(), strict=True)
    return {(p, t): Fraction(n, whole) for p, t, n in each if n}


def told(price, said, of=carried):
    """What a pairing costs by what was said."""

    def paid(problem, pairing):
        units = of(problem, pairing)
        counted = (cost(sum(units.get(p, 0) for p in members)) for members, cost in said)
        return sum(worth(price[p]) * x for p, x in units.items()) + sum(counted)

    return paid


def least(price, said):
    return next(iter(AllPairings({p: worth(c) for p, c in price.items()}, said).costs()), None)


def counts(rng, n_costs=None):
    """Bounds, soft bounds and costs of labels, groups, partners, instances."""
    rule, pairs, price, said = random_counts(rng, n_costs, scales=(1, 1, 2**20, 2**40))
    return Case(rule, pairs, least(price, said), told(price, said))


def in_turn(rng):
    """The same with several costs."""
    return counts(rng, int(rng.integers(2, 5)))


def masses(rng):
    """Masses, capacities, and all bounds in parts."""
    rule, pairs, known = random_masses(rng)
    return Case(rule, pairs, best_transport(*known), told(known[0], known[3]))


def quotas(rng):
    """Bounds over several instances."""
    layout, every, constraints, said = random_quotas(rng)
    price = {e: Fraction(int(rng.integers(0, 20)), 2) for e in every if rng.random() < 0.9}

    def chosen(problem, pairing):
        assert problem.joined
        assert pairing.cost.shape == (1,)
        return dict.fromkeys(layout.chosen(pairing), 1)

    rule = Rule(priced(layout.placed(price)), constraints)
    return Case(rule, layout.pairs, least(price, said), told(price, said, chosen))


def bottleneck(rng):
    """The least largest cost, then the least sum."""
    rule, pairs, found = random_bottleneck(rng)
    if not found:
        return Case(rule, pairs, None)
    largest, total = best = found[0]

    def more(problem, pairing):
        assert problem.limit.largest[0] == float(largest)
        assert WhatIf(problem, pairing).unique[0] == (found.count(best) == 1)
        assert (why_no_smaller(problem, 0) is None) == (largest == 0)

    return Case(rule, pairs, total, more=more)


def costs_of(problem, limit):
    """The pairing of one problem and what it costs by each cost, proved without the solver."""
    with patch.object(networks, "COMBINED_LIMIT", limit):
        pairing = solve_pairing(problem)
        network, _ = build(problem)
        assert check(network, solve(network)).optimal
    proof = proof_of(problem, pairing)
    assert proof.optimal
    assert proof.bound == pytest.approx(pairing.cost[0], abs=1e-9)
    return pairing, proof.costs if len(problem.costs) > 1 else (pairing.cost[0],)


CANNOT = r"contradicts|instance 0|holds|flow|cannot|can get only|required|these"


@pytest.mark.random_cases
@pytest.mark.parametrize("kind", [counts, in_turn, masses, quotas, bottleneck])
def test_every_kind_of_constraint(kind):
    infeasible, cases = 0, effort.cases(1500)
    for k in range(cases):
        case = kind(np.random.default_rng([11, k]))
        several = isinstance(case.rule.cost, Lexicographic)
        for limit in LIMITS if several else LIMITS[:1]:
            if case.best is None:
                infeasible += limit > 0
                with (
                    patch.object(networks, "COMBINED_LIMIT", limit),
                    pytest.raises((Infeasible, BadInput), match=CANNOT),
                ):
                    solve_pairing(formulate(case.rule, case.pairs))
                continue
            problem = formulate(case.rule, case.pairs)
            pairing, costs = costs_of(problem, limit)
            assert pairing.gap[0] == 0
            if several:
                assert worth(costs) == case.best, k
            else:
                assert costs[0] == pytest.approx(float(case.best), abs=1e-12), k
            assert case.paid(problem, pairing) in (None, case.best), k
            case.more(problem, pairing)
    assert 0 < infeasible < 0.6 * cases


FOLDER = SHARED / "pairing"
FILES = ("2_convex_costs", "3_soft_bounds", "4_masses", "5_groups", "6_budgets", "7_in_turn")


@pytest.mark.skipif(not FOLDER.exists(), reason="no vectors of pairing rules")
@pytest.mark.parametrize(
    ("name", "limit"),
    [*((name, LIMITS[0]) for name in FILES), ("4_masses", 0), ("7_in_turn", 0)],
)
def test_vectors(name, limit):
    """Of masses in units of the mass 1, too; several costs as one number, or one by one."""
    found = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["cases"]
    assert len(found) == 60
    for case in found if limit else found[::2]:
        unit, expect = None, case["expect"]
        if name == "4_masses":
            unit = Fraction(case["unit"]) if limit else Fraction(1)
        rule, pairs, layout = rule_of(case, unit)
        if expect.get("infeasible"):
            with patch.object(networks, "COMBINED_LIMIT", limit), pytest.raises(Infeasible):
                solve_pairing(formulate(rule, pairs))
            continue
        pairing, costs = costs_of(problem := formulate(rule, pairs), limit)
        wanted = [float(Fraction(x)) for x in expect.get("cost_in_turn", [expect.get("cost")])]
        scale = 1 if unit is None or limit else float(Fraction(case["unit"]))
        assert [c * scale for c in costs] == pytest.approx(wanted, abs=1e-12), case["id"]
        if expect.get("optima") == 1 and len(wanted) == 1:
            chosen = layout.chosen(pairing) if layout else carried(problem, pairing)
            units = dict(chosen) if unit else dict.fromkeys(chosen, 1)
            got = sorted([p, t, x / (unit or 1)] for (p, t), x in units.items())
            assert got == sorted([p, t, x if unit else 1] for p, t, x in expect["pairs"]), case[
                "id"
            ]


# ------------------------------------------------------------------ the network, and another solver


def least_cost(graph):
    """The least cost of a flow by networkx, which knows no lower bounds: they become demands."""
    simple, demand, cost = nx.DiGraph(), dict.fromkeys(graph, 0), Fraction(0)
    for k, (a, b, edge) in enumerate(graph.edges(data=True)):
        price = int(2520 * Fraction(edge["cost"]).limit_denominator(2520))
        cost += edge["lower"] * Fraction(price, 2520)
        demand[a] += edge["lower"]
        demand[b] -= edge["lower"]
        between = ("arc", k)  # networkx has no parallel arcs either
        simple.add_edge(a, between, capacity=edge["capacity"] - edge["lower"], weight=price)
        simple.add_edge(between, b)
    nx.set_node_attributes(simple, demand, "demand")
    return cost + Fraction(nx.network_simplex(simple)[0], 2520)


@pytest.mark.random_cases
def test_the_network_is_a_graph_whose_least_cost_another_solver_finds():
    feasible, cases = 0, effort.cases(300)
    for k in range(cases):
        rule, pairs, *_ = random_counts(np.random.default_rng([29, k]))
        try:
            problem = formulate(rule, pairs)
        except BadInput:  # constraints that contradict each other
            continue
        graph = network_graph(problem, 0)
        best = solve_pairing(problem, on_infeasible="nan").cost[0]
        edges = [edge for *_, edge in graph.edges(data=True)]
        paid = sum(edge["flow"] * edge["cost"] for edge in edges)
        assert graph.graph["feasible"] == (not np.isnan(best))
        if not graph.graph["feasible"]:
            assert paid == 0
            with pytest.raises(nx.NetworkXUnfeasible):
                least_cost(graph)
            continue
        feasible += 1
        into, out = (dict(of(weight="flow")) for of in (graph.in_degree, graph.out_degree))
        assert into == out
        assert all(edge["lower"] <= edge["flow"] <= edge["capacity"] for edge in edges)
        assert paid == pytest.approx(float(least_cost(graph)), abs=1e-9)
        assert paid == pytest.approx(best, abs=1e-9)
    assert feasible > 0.1 * cases
