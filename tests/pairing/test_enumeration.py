"""Random rules and networks against enumeration: costs, pairs, proofs, what blocks, what else is best."""

import itertools
import math
import sys
from collections import Counter
from fractions import Fraction
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from hierpair import BadInput, Hierarchy, LabelSets, explain
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import (
    Bottleneck,
    Capacity,
    CountCost,
    Degree,
    Hops,
    Lexicographic,
    Mass,
    NetworkRule,
    Pairs,
    Quota,
    Require,
    Rule,
    Unmatched,
    WhatIf,
    best_pairings,
    build,
    formulate,
    network_graph,
    solve_network,
    solve_pairing,
    why_infeasible,
    written_network,
)
from hierpair.solvers import Flow, check, solve
from hierpair.solvers import flow as networks
from tests import effort
from tests.oracles.pairings import AllPairings, relaxed
from tests.pairing.rules import (
    BASE,
    SIDES,
    Statement,
    bottleneck,
    counts,
    ends_of,
    lexicographic,
    masses,
    pairs_of,
    quotas,
    random_counts,
    worth,
)

LIMITS = (networks.COMBINED_LIMIT, 0)
"""All costs as one number, or one after the other."""


CANNOT = r"contradicts|instance 0|holds|flow|cannot|can get only|required|these"


@pytest.mark.random_cases
@pytest.mark.parametrize("kind", [counts, lexicographic, masses, quotas, bottleneck])
def test_every_kind_of_constraint(kind):
    infeasible, cases = 0, effort.cases(1500)
    for k, limit in itertools.product(
        range(cases), LIMITS if kind is lexicographic else LIMITS[:1]
    ):
        case = kind(np.random.default_rng([11, k]))
        with patch.object(networks, "COMBINED_LIMIT", limit):
            if case.best is None:
                infeasible += limit > 0
                with pytest.raises((Infeasible, BadInput), match=CANNOT):
                    solve_pairing(formulate(case.rule, case.pairs))
                continue
            problem = formulate(case.rule, case.pairs)
            pairing = solve_pairing(problem)
            network, _ = build(problem)
            assert check(network, solve(network)).optimal
        proof = proof_of(problem, pairing)
        assert (proof.optimal, pairing.gap[0]) == (True, 0)
        assert proof.bound == pytest.approx(pairing.cost[0], abs=1e-9)
        if isinstance(case.rule.cost, Lexicographic):
            assert worth(proof.costs) == case.best, k
        else:
            assert pairing.cost[0] == pytest.approx(float(case.best), abs=1e-12), k
        case.holds(problem, pairing)
    assert 0 < infeasible < 0.6 * cases


# ----------------------------------------------------------------------------- networks as such


def least_cost(graph):
    """The least cost of a flow by a linear program; None if there is no flow."""
    edges = [edge for *_, edge in graph.edges(data=True)]
    sent = nx.incidence_matrix(graph, oriented=True)
    found = linprog(
        [float(edge["cost"]) for edge in edges],
        A_eq=sent,
        b_eq=np.zeros(len(graph)),
        bounds=[(edge["lower"], edge["capacity"]) for edge in edges],
    )
    return found.fun if found.success else None


def written_again(graphs, rng):
    """Networks as one rule of a user's own, and what each pays for bounds that become supplies."""
    paid = [Fraction(0) for _ in graphs]

    def write(pairs, net):
        for i, graph in enumerate(graphs):
            nodes = net.nodes(np.full(len(graph), i), f"node of {i}")
            at, supply, arcs = {node: k for k, node in enumerate(graph)}, 0 * nodes, []
            for a, b, edge in graph.edges(data=True):
                least = edge["lower"] if rng.random() < 0.5 else 0
                supply[at[a]] -= least
                supply[at[b]] += least
                cost = Fraction(edge["cost"]).limit_denominator(2520)
                paid[i] += least * cost
                bounds = edge["lower"] - least, edge["capacity"] - least
                arcs.append((at[a], at[b], *bounds, cost))
            net.supply(nodes, supply)
            for some in (arcs[: len(arcs) // 2], arcs[len(arcs) // 2 :]):
                tail, head, low, high, cost = map(list, zip(*some, strict=True))
                net.arcs(nodes[tail], nodes[head], low, high, np.array(cost, object), says="an arc")

    return written_network(NetworkRule(write), pairs_of(1, 1, instances=len(graphs))), paid


@pytest.mark.random_cases
def test_the_network_is_a_graph_and_can_be_written_by_hand():
    """Whose least cost another solver finds; and so it is as a network of a user's own."""
    graphs, best, feasible, cases = [], [], 0, effort.cases(800)
    for k in range(cases):
        rng = np.random.default_rng([29, k])
        rule, pairs, wanted, _ = counts(rng)
        try:
            problem = formulate(rule, pairs)
        except BadInput:  # constraints that contradict each other
            continue
        graph = network_graph(problem, 0)
        edges = [edge for *_, edge in graph.edges(data=True)]
        paid = sum(edge["flow"] * edge["cost"] for edge in edges)
        assert graph.graph["feasible"] == (wanted is not None)
        if problem.hopeless[0]:
            assert (wanted, paid) == (None, 0)
            continue
        found = least_cost(graph)
        graphs.append(graph)
        if wanted is not None:
            wanted -= Fraction(graph.graph["constant"]).limit_denominator(10**6)
        best.append(wanted)
        if wanted is None:
            assert (found, paid) == (None, 0)
            continue
        feasible += 1
        into, out = (dict(of(weight="flow")) for of in (graph.in_degree, graph.out_degree))
        assert into == out
        assert all(edge["lower"] <= edge["flow"] <= edge["capacity"] for edge in edges)
        assert [paid, found] == pytest.approx([float(wanted)] * 2, abs=1e-9)
    assert 0.1 * cases < feasible < len(graphs)
    own, paid = written_again(graphs, np.random.default_rng(9))
    found = solve_network(own, on_infeasible="nan")
    none = [i for i, wanted in enumerate(best) if wanted is None]
    assert found.flow.infeasible.tolist() == none
    wanted = [math.nan if x is None else float(x - y) for x, y in zip(best, paid, strict=True)]
    assert np.array_equal(found.cost, wanted, equal_nan=True)
    for i in np.flatnonzero(~np.isnan(wanted))[:20]:
        alone, arcs = own.network.alone(int(i))
        assert check(alone, Flow(found.flow.flow[arcs], np.empty(0, np.int64))).optimal
    with pytest.raises(Infeasible, match=f"instance {none[0]}: its network has no flow"):
        solve_network(own)
    with patch("hierpair.pairing.pairings.EXACT", 0):
        assert np.array_equal(solve_network(own, on_infeasible="nan").cost, wanted, equal_nan=True)


def test_what_tables_cost_at_least_is_told_of_a_network():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    pairs = Pairs.between(tree, *(LabelSets.from_labels([[x]], tree) for x in "ab"))
    rule = Rule(Hops(), (CountCost("true", (0,)), CountCost("true", (4.5, 2))))
    told = network_graph(formulate(rule, pairs)).graph
    assert (told["constant"], told.get("whole")) == (4.5, None)
    thirds = Rule(Hops(), tuple(Mass(s, Fraction(1, 3)) for s in SIDES))
    assert network_graph(formulate(thirds, pairs)).graph["whole"] == 3


# ----------------------------------------------------------------------------- blocking sets


def counted(s, every):
    """The pairs that a statement of the library counts, by places of their labels."""
    members, partners = (tuple(int(name[1:]) for name in names) for names in (s.of, s.partners))
    if s.kind == "pair":
        return {(*members, *partners)}
    side = None if s.kind == "total" else s.side
    return Statement(s.kind, side, members if side else None, partners or None).pairs(every)


def can_hold(pairs, statements):
    """Whether possible pairs can meet all statements: a linear program."""
    signs = [1 if s.bound == "at most" else -1 for s in statements]
    limits = [sign * float(s.value) for sign, s in zip(signs, statements, strict=True)]
    if not (pairs and statements):
        return all(limit >= 0 for limit in limits)
    sets = [counted(s, np.ndindex(3, 3)) for s in statements]
    rows = [[sign * (p in own) for p in pairs] for sign, own in zip(signs, sets, strict=True)]
    return linprog(np.zeros(len(pairs)), A_ub=np.array(rows), b_ub=limits, bounds=(0, 1)).success


@pytest.mark.random_cases
def test_blocking_sets_are_irreducible():
    """They were said, cannot hold together, and without any of them the others can."""
    rng, seen = np.random.default_rng(3), 0
    while seen < effort.cases(600):
        rule, pairs, price, said = random_counts(rng)
        required = tuple((f"c{p}", f"c{t}") for p, t in price if rng.random() < 0.1)
        try:
            problem = formulate(Rule(rule.cost, (*rule.constraints, Require(required))), pairs)
        except BadInput:
            continue
        if not len(solve_pairing(problem, on_infeasible="nan").infeasible):
            continue
        seen += 1
        blocking = why_infeasible(problem, 0).statements
        for s in blocking:
            own, more = counted(s, price), -1 if s.bound == "at least" else 1
            given = any(
                own == members & {*price} and f(s.value + more) == math.inf for members, f in said
            )
            assert given or s.kind == "pair"
        assert not can_hold([*price], blocking)
        for one in blocking:
            assert can_hold([*price], [s for s in blocking if s is not one])


# ----------------------------------------------------------------------------- what else is as good


def told_of(problem):
    """The pairing, and what is told of it."""
    pairing = solve_pairing(problem, on_infeasible="nan")
    return pairing, WhatIf(problem, pairing)


def drawn_problems(seed, cases, kind):
    """Random problems that have a pairing, each with its number and all of its pairings."""
    for k in range(effort.cases(cases)):
        rng = np.random.default_rng([seed, k])
        rule, pairs, price, said = random_counts(
            rng, 2 if kind == "lexicographic" else None, most=4
        )
        every = AllPairings({p: worth(cost) for p, cost in price.items()}, said)
        if every.costs():
            yield k, rng, every, formulate(rule, pairs)


def savings(problem, told, every):
    """What one unit of each count saves, as it is told and by enumeration."""
    got, want, best = Counter(), Counter(), every.costs()[0]
    for row in told.savings:
        for at, saved in enumerate(row.saved.tolist()):
            if saved:
                members = ends_of(problem.pairs, row.count.of_pair == at)
                got[frozenset(members), row.bound, saved] += 1
    for j, (members, says) in enumerate(every.said):
        for bound in ("at most", "at least"):
            less = every.best_with(j, relaxed(says, len(members) + 3, bound == "at most"))
            if less < best:
                want[frozenset(members), bound, float(best - less)] += 1
    return got, want


@pytest.mark.random_cases
@pytest.mark.parametrize("kind", ["one cost", "lexicographic"])
def test_alternatives_and_savings_against_enumeration(kind):
    """Of two costs in turn: uniqueness of both together, second best and ranges of the first."""
    n = Counter()
    for k, rng, every, problem in drawn_problems(20, 2000, kind):
        if kind == "one cost" and k % 3 == 0:
            found = best_pairings(problem, most := int(rng.integers(1, 9)))
            assert [one.cost[0] for one in found] == [float(c) for c in every.costs()[:most]], k
            each = [tuple(one.chosen[problem.candidate].tolist()) for one in found]
            assert len(set(each)) == len(each)
            assert [every.cost[chosen] for chosen in each] == every.costs()[:most]
        if any(c.kind != "label" and "and constraint" in c.source for c in problem.counts):
            continue  # what two constraints say of the same sets is told once
        pairing, told = told_of(problem)
        best = tuple(pairing.carried[problem.candidate].tolist())
        costs = every.costs()

        def first(x):
            return float(x) if x == math.inf or kind != "lexicographic" else round(x / BASE)

        second = costs[1] - costs[0] if len(costs) > 1 else math.inf
        assert told.unique == (second > 0)
        ranges = every.ranges(best).values()
        for pair, rooms in zip(np.flatnonzero(problem.candidate), ranges, strict=True):
            assert [told.may_fall[pair], told.may_rise[pair]] == [*map(first, rooms)], (k, pair)
        n["checked"] += 1
        n["several"] += second == 0
        assert told.further == first(second), k
        pairs = told.changes
        assert bool(len(pairs)) == (second < math.inf)
        if len(pairs):
            other = pairing.chosen ^ np.isin(np.arange(len(pairing.chosen)), pairs)
            costs_more = every.cost[tuple(other[problem.candidate].tolist())] - costs[0]
            assert first(costs_more) == first(second)
        n["later"] += second > 0 and told.further == 0
        if kind == "lexicographic":
            continue
        got, want = savings(problem, told, every)
        assert got == want, k
        n["saving"] += sum(want.values())
    assert n["checked"] > 0.3 * effort.cases(2000)
    assert n["several"] > 0.02 * n["checked"]
    what, share = ("saving", 0.3) if kind == "one cost" else ("later", 0)
    assert n[what] > share * n["checked"]


def one_to_one(default):
    return tuple(c for s in SIDES for c in (Degree(s, 1, 1), Unmatched(s, default)))


@pytest.mark.parametrize(("more", "further"), [(0, None), (1e-6, 1e-6)])
def test_what_only_rounding_tells_apart_is_a_tie(more, further):
    """0.1 + 0.2 and 0.3 are the same cost for all that the solver can tell."""
    table = np.array([[0.1, 0.3 + more], [0.0, 0.2]])
    bounds = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    rule = Rule(lambda pairs: table[pairs.predicted_at, pairs.true_at], bounds)
    _, told = told_of(formulate(rule, pairs_of(2, 2)))
    assert told.unique == (further is not None)
    assert further is None or told.further == pytest.approx(further, rel=1e-3)


ONLY = [  # one pair: its cost, and how far it may rise
    ((Degree("true", 1, 1),), 2, math.inf),
    # the predicted label takes its cheapest pair as its fallback; the true one costs 0 alone
    ((Degree("predicted", 1), Unmatched("predicted", 6), Degree("true", 1), Unmatched("true", 0)), 2, 4),
    # what is required stays, however dear it is
    ((Require((("c0", "c0"),)), CountCost("predicted", (0, 2))), 4, math.inf),
    # a table may be longer than there are partners: a second unit would save
    ((CountCost("predicted", (None, 2, 0)),), 4, math.inf),
]  # fmt: skip


@pytest.mark.parametrize(("constraints", "cost", "rooms"), ONLY)
def test_the_only_pairing_there_can_be(constraints, cost, rooms):
    problem = formulate(Rule(lambda p: p.true_at + 2, constraints), pairs_of(1, 1))
    pairing, told = told_of(problem)
    assert (pairing.chosen, pairing.cost.tolist()) == ([True], [cost])
    assert solve_pairing(problem, reduce=False).cost.tolist() == [cost]
    assert (told.unique, told.further, told.may_rise[0]) == (True, rooms, rooms)
    # without the bound it cost less
    assert max(row.saved.max(initial=0) for row in told.savings) == 2


TWO = pairs_of(2, 2)
EASY = lambda p: p.true_at  # noqa: E731
EVEN = tuple(Mass(s, 1, share=True) for s in SIDES)
NOT_TOLD = [
    (best_pairings, Rule(EASY, one_to_one(2)), pairs_of(2, 2, instances=2), "a single instance"),
    (best_pairings, Rule(Lexicographic((EASY, EASY)), one_to_one(2)), TWO, "single cost"),
    (best_pairings, Rule(EASY, (*one_to_one(2), Capacity(2))), TWO, "masses"),
    (best_pairings, Rule(Bottleneck(EASY), one_to_one(2)), TWO, "or a Bottleneck"),
    (best_pairings, Rule(EASY, (Quota(upper=1),)), TWO, "not of quotas"),
    (lambda p, _: told_of(p), Rule(EASY, EVEN), TWO, "masses or capacities"),
    (lambda p, _: told_of(p), Rule(EASY, (Quota(upper=1),)), TWO, "not of quotas"),
    (lambda p, _: told_of(p), Rule(EASY, one_to_one(2)), pairs_of(2, 2, instances=2), "a single instance"),
]  # fmt: skip


@pytest.mark.parametrize(("tell", "rule", "pairs", "why"), NOT_TOLD)
def test_what_is_not_told_is_refused(tell, rule, pairs, why):
    with pytest.raises(BadInput, match=why):
        tell(formulate(rule, pairs), 3)


def test_what_is_too_large_is_said_in_explanations(monkeypatch):
    monkeypatch.setattr(sys.modules["hierpair.pairing.what_if"], "MOST_NODES", 2)
    flat = Hierarchy.from_edges([("r", name) for name in "abc"])
    [why] = explain(flat, [["a", "b"]], [["b", "c"]], "gie")
    assert why.evidence.unique is None
    told = "what would change the pairing is not told: 5 labels and groups are too many"
    assert told in why.to_text()
