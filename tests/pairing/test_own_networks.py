"""Networks that rules write themselves: against enumeration, explained, and refused by name."""

import json
import math
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NetworkRule, explain, measure, pair_measure, score
from hierpair.errors import Infeasible
from hierpair.measures import REGISTRY
from hierpair.pairing import solve_network, written_network
from hierpair.solvers import Flow, check
from tests import effort
from tests.oracles.flows_by_listing import cheapest_flow
from tests.pairing.random_rules import pairs_of

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")])


def random_network(rng):
    """Nodes, arcs and supplies of one instance; supplies often are those of some flow."""
    n = int(rng.integers(1, 5))
    arcs = []
    for _ in range(int(rng.integers(0, 7))):
        tail, head = (int(x) for x in rng.integers(0, n, 2))
        low = int(rng.integers(0, 2)) if rng.random() < 0.3 else 0
        cost = Fraction(int(rng.integers(-6, 9)), 2)
        arcs.append((tail, head, low, low + int(rng.integers(0, 3)), cost))
    supply = [0] * n
    if rng.random() < 0.7:
        for tail, head, low, high, _ in arcs:
            units = int(rng.integers(low, high + 1))
            supply[tail] += units
            supply[head] -= units
    else:
        units, (a, b) = int(rng.integers(0, 3)), rng.integers(0, n, 2)
        supply[a] += units
        supply[b] -= units
    return n, arcs, supply


def rule_of(networks):
    """A rule that writes the networks of some instances, in families of one arc or many."""

    def write(pairs, net):
        at = [net.nodes(np.full(n, i), f"node of {i}") for i, (n, _, _) in enumerate(networks)]
        for nodes, (_, arcs, supply) in zip(at, networks, strict=True):
            net.supply(nodes, np.array(supply))
            half = len(arcs) // 2
            for some in (arcs[:half], arcs[half:]):
                if some:
                    tail, head, low, high, cost = (
                        np.array(x, dtype=object if k == 4 else int)
                        for k, x in enumerate(zip(*some, strict=True))
                    )
                    net.arcs(nodes[tail], nodes[head], low, high, cost, says="an arc")

    return NetworkRule(write)


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(3))
def test_against_enumeration(seed):
    infeasible = 0
    for k in range(effort.cases(1000)):
        rng = np.random.default_rng([seed, k])
        networks = [random_network(rng) for _ in range(2)]
        own = written_network(rule_of(networks), pairs_of(1, 1, instances=2))
        best = [cheapest_flow(*network) for network in networks]
        none = [i for i, found in enumerate(best) if found is None]
        found = solve_network(own, on_infeasible="nan")
        assert found.flow.infeasible.tolist() == none, (seed, k)
        infeasible += len(none)
        for i, wanted in enumerate(best):
            if wanted is None:
                assert math.isnan(found.cost[i])
                continue
            assert found.cost[i] == float(wanted[0]), (seed, k)
            alone, arcs = own.network.copies(np.array([i]))
            assert check(alone, Flow(found.flow.flow[arcs], arcs[:0])).optimal
        if none:
            with pytest.raises(Infeasible, match=f"instance {none[0]}: its network has no flow"):
                solve_network(own)
        with patch("hierpair.pairing.pairings.EXACT", 0):
            long = solve_network(own, on_infeasible="nan").cost
        assert np.array_equal(long, found.cost, equal_nan=True)
    assert infeasible < effort.cases(1000)


# ------------------------------------------------------------------------------ as a measure


def assignment(default):
    """Every label one partner or a default: the network of GIE with one partner, written out."""

    def write(pairs, net):
        n = len(pairs.ptr) - 1
        source, sink = net.nodes(n, "source"), net.nodes(n, "sink")
        ends = {}
        for side, here in (("predicted", source), ("true", sink)):
            labels = pairs.labels(side)
            ends[side] = own = net.nodes(labels.instance, f"{side} label")
            hub = here[labels.instance]
            way = (hub, own) if side == "predicted" else (own, hub)
            net.arcs(*way, lower=1, says="{} is there", of=labels)
            back = way[::-1]
            net.arcs(*back, cost=default, says="{} has no partner", of=labels)
        net.arcs(sink, source, upper=100, says="back")
        known = np.flatnonzero(np.isfinite(pairs.distance))
        p, t = pairs.predicted_at[known], pairs.true_at[known]
        net.pairs(ends["predicted"][p], ends["true"][t], known, pairs.distance[known])

    return NetworkRule(write)


@pytest.fixture
def own_measure():
    @pair_measure()
    def own_network(default: float = 3) -> NetworkRule:
        """One partner each, as a network of its own."""
        return assignment(default)

    yield "own_network"
    REGISTRY.pop("own_network")


def sets(rng, n):
    names = np.array(["a", "b", "x", "y", "z"])
    return [names[rng.random(5) < 0.4].tolist() for _ in range(n)]


def test_it_is_a_measure_with_options_and_a_signature(own_measure):
    rng = np.random.default_rng(2)
    truth, prediction = sets(rng, 40), sets(rng, 40)
    names = [own_measure, "own_network(default=1.5)"]
    found = score(TREE, truth, {"s": prediction}, names)
    from hierpair import Degree, Hops, Rule, Unmatched

    @pair_measure()
    def constrained(default: float = 3) -> Rule:
        """The same by constraints."""
        sides = ("predicted", "true")
        return Rule(Hops(), [c for s in sides for c in (Degree(s, 1, 1), Unmatched(s, default))])

    try:
        other = score(TREE, truth, {"s": prediction}, ["constrained", "constrained(default=1.5)"])
    finally:
        REGISTRY.pop("constrained")
    assert found.values.tolist() == other.values.tolist()
    assert "default" in measure(own_measure).options
    assert "own_network" in measure("own_network(default=1.5)").name


def test_it_is_explained_by_family(own_measure):
    [why] = explain(TREE, [["x", "z"]], [["y"]], own_measure)
    shown = why.evidence
    assert why.value == shown.cost == shown.bound == 5
    assert shown.optimal
    assert [p.of for p in shown.pairs if p.units] == [("y", "x")]
    text = why.to_text()
    assert "the pair {}" in text
    assert "the pair ('y', 'x')" in text
    assert "z has no partner" in text
    assert "proof: the dual prices show that every flow costs at least 5" in text
    data = json.loads(why.to_json())["flow"]
    arcs = {arc["says"]: arc for arc in data["arcs"]}
    assert arcs["z has no partner"]["units"] == 1
    assert arcs["the pair ('y', 'z')"]["units"] == 0
    assert all(
        arc["price"] >= 0 for arc in data["arcs"] if arc["units"] == arc["lower"] < arc["upper"]
    )


def test_rounded_costs_say_how_far():
    def write(pairs, net):
        a, b = net.nodes(1, "a"), net.nodes(1, "b")
        net.supply(a, 2)
        net.supply(b, -2)
        net.arcs(a, b, 0, 2, 0.1, says="way")

    found = solve_network(written_network(NetworkRule(write), pairs_of(1, 1)))
    assert found.cost[0] == pytest.approx(0.2)
    assert 0 < found.gap[0] < 1e-9


def test_what_cannot_flow_is_told():
    def write(pairs, net):
        a, b = net.nodes(1, "a"), net.nodes(1, "b")
        net.arcs(a, b, 2, 3, says="{} comes", of=["bread"])
        net.arcs(b, a, 0, 1, says="{} goes", of=["brie"])

    own = written_network(NetworkRule(write), pairs_of(1, 1))
    with pytest.raises(Infeasible) as caught:
        solve_network(own)
    assert "bread comes: at least 2" in str(caught.value)
    assert "brie goes: at most 1" in str(caught.value)


# ------------------------------------------------------------------------------ what is refused


def two(pairs, net):
    return net.nodes(2, "desk"), net.nodes(2, "chair")


REFUSED = [
    (lambda p, n: n.nodes(3, "desk"), "at least 0 and below 2, got 3"),
    (lambda p, n: n.nodes(2, ""), "nodes need a text that says what they are"),
    (lambda p, n: n.nodes([0, 2], "desk"), "must be at least 0 and below 2, got 2"),
    (lambda p, n: n.nodes([0.5], "desk"), "must be a whole number each, got array([0.5])"),
    (lambda p, n: n.arcs(*two(p, n), 0, -1, says="x"), "must be at least 0 and below 9007199254740992, got -1"),
    (lambda p, n: n.arcs(*two(p, n), 2, 1, says="x"), "instance 0: arc 0 of 'x', 'x', has bounds that contradict"),
    (lambda p, n: n.arcs(*two(p, n), 0, math.inf, says="x"), "must be at least 0 and below 9007199254740992, got inf"),
    (lambda p, n: n.arcs(*two(p, n), 0, 0.5, says="x"), "must be a whole number each, got 0.5"),
    (lambda p, n: n.arcs(*two(p, n), 0, True, says="x"), "must be a whole number each, got True"),
    (lambda p, n: n.arcs(*two(p, n), cost=math.nan, says="x"), "arc 0 of 'x', 'x', has no finite cost"),
    (lambda p, n: n.arcs(*two(p, n), cost=[0, math.inf], says="x"), "instance 1: arc 1 of 'x', 'x', has no finite cost"),
    (lambda p, n: n.arcs(*two(p, n), cost="dear", says="x"), "failed: ValueError"),
    (lambda p, n: n.arcs(*two(p, n), says=3), "arcs need a text that says"),
    (lambda p, n: n.arcs(*two(p, n)), "says"),
    (lambda p, n: n.arcs(*two(p, n), says="{}", of=["a"]), "the 2 arcs '{}' are of 1 things"),
    (lambda p, n: n.arcs([0], [1], says="x"), "must be at least 0 and below 0, got 0"),
    (lambda p, n: n.arcs(two(p, n)[0], [0], says="x"), "leads to a node of another instance"),
    (lambda p, n: n.arcs(two(p, n)[0], [1, 0], says="x"), "instance 0: arc 0 of 'x', 'x', leads to a node of another instance"),
    (lambda p, n: n.supply(two(p, n)[0], [1, 0]), "instance 0: the supplies of its network add up"),
    (lambda p, n: n.supply(two(p, n)[0], 0.5), "a supply must be a whole number each"),
    (lambda p, n: n.pairs(*two(p, n), [0, 9]), "must be at least 0 and below 2, got 9"),
    (lambda p, n: n.pairs(*two(p, n), [1, 0]), "instance 0: arc 0 of 'the pair {}', \"the pair ('c0', 'c0')\", is not of it"),
    (lambda p, n: [n.pairs(*two(p, n), [0, 1]) for _ in "ab"], "has 2 arcs; it may have one"),
    (lambda p, n: 1 / 0, "failed: ZeroDivisionError"),
]  # fmt: skip


@pytest.mark.parametrize(("write", "message"), REFUSED)
def test_what_is_no_network_is_refused_by_name(write, message):
    with pytest.raises(BadInput) as caught:
        written_network(NetworkRule(write), pairs_of(1, 1, instances=2))
    assert message in str(caught.value)


def test_what_is_no_rule_is_refused():
    with pytest.raises(BadInput, match="takes a function of pairs and net, got 3"):
        NetworkRule(3)
