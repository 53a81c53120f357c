"""The network as a graph: its flow costs what the pairing costs, and another solver finds no better."""

import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from hierpair import (
    BadInput,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Lexicographic,
    Rule,
    Unmatched,
)
from hierpair.pairing import by_level, formulate, network_graph, solve_pairing
from tests import effort
from tests.pairing.random_rules import pairs_of, priced, random_rule


def least_cost(graph):
    """The least cost of a flow by networkx, which knows no lower bounds: they become demands."""
    simple = nx.DiGraph()
    demand = dict.fromkeys(graph, 0)
    cost = Fraction(0)
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


def sum_of_flow(graph):
    return math.fsum(edge["flow"] * edge["cost"] for _, _, edge in graph.edges(data=True))


@pytest.mark.random_cases
def test_another_solver_finds_the_same_cost():
    feasible = 0
    for k in range(effort.cases(300)):
        rng = np.random.default_rng([29, k])
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        price = {
            p: Fraction(int(rng.integers(0, 20)), 2) for p in itertools.product(range(m), range(n))
        }

        try:
            problem = formulate(
                Rule(priced(price), random_rule(rng, m, n)[0]), pairs_of(m, n, instances=2)
            )
        except BadInput:  # constraints that contradict each other
            continue
        graph = network_graph(problem, 1)
        best = solve_pairing(problem, on_infeasible="nan").cost[1]
        assert graph.graph["feasible"] == (not math.isnan(best))
        if not graph.graph["feasible"]:
            assert sum_of_flow(graph) == 0
            with pytest.raises(nx.NetworkXUnfeasible):
                least_cost(graph)
            continue
        feasible += 1
        for node in graph:
            into, out = (
                sum(e["flow"] for *_, e in edges)
                for edges in (graph.in_edges(node, data=True), graph.out_edges(node, data=True))
            )
            assert into == out
        for _, _, edge in graph.edges(data=True):
            assert edge["lower"] <= edge["flow"] <= edge["capacity"]
        assert sum_of_flow(graph) == pytest.approx(float(least_cost(graph)), abs=1e-9)
    assert feasible > 0.2 * effort.cases(300)


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
    pairs = [e for _, _, e in graph.edges(data=True) if e["kind"] == "pair"]
    assert sorted(e["costs"] for e in pairs) == [(1, 0), (1, 0.25), (2, 0), (2, 0.25)]
    assert all(e["cost"] == e["costs"][0] for e in pairs)
    assert sum_of_flow(graph) == solve_pairing(problem).cost[0] == 3
    assert [e["costs"][1] for e in pairs if e["flow"]] == [0, 0]


def test_an_instance_that_there_is_not_is_refused():
    problem = formulate(
        Rule(lambda pairs: 1.0 * pairs.true_at, (Degree("true", 1),)), pairs_of(2, 2)
    )
    with pytest.raises(BadInput, match="there is no instance number 1; they run from 0 to 0"):
        network_graph(problem, 1)
