"""Costs, constraints and networks of a user's own: one class or function each, known to everything."""

import json
import math
from contextlib import contextmanager
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    explain,
    measure,
    pair_measure,
    score,
)
from hierpair.cli import main
from hierpair.errors import Infeasible
from hierpair.measures import REGISTRY
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    NAMED,
    Degree,
    Hops,
    Mass,
    NetworkRule,
    Rule,
    Unmatched,
    solve_network,
    written_network,
)
from hierpair.solvers import Flow, check
from tests import effort
from tests.oracles.pairings import cheapest_flow
from tests.pairing.rules import SIDES, pairs_of

# ----------------------------------------------------------------------------- costs and constraints

OWN = '''
from dataclasses import dataclass

import numpy as np

from hierpair.measures import pair_measure
from hierpair.pairing import Degree, Rule, Unmatched, cost_named, named_cost


@named_cost("squared")
@dataclass(frozen=True)
class Squared:
    """Edges between two classes, to a power."""

    power: float = 2

    def __call__(self, pairs):
        return pairs.distance**self.power


@dataclass(frozen=True)
class SameInitial:
    """Classes are paired only with classes of the same first letter."""

    def __call__(self, builder):
        names = np.array([str(name)[0] for name in builder.pairs.hierarchy.names])
        builder.count("pair", 0, 0, where=names[builder.pairs.predicted] != names[builder.pairs.true])


@pair_measure()
def by_initial(cost="squared", default: float = 100):
    """Best pairing among classes of the same first letter."""
    sides = [c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, default))]
    return Rule(cost_named(cost), (*sides, SameInitial()))
'''
EDGES = [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")]
TREE = Hierarchy.from_edges(EDGES)
TRUE, GUESS = [["a1"], ["b1"], ["b1"]], [["a2"], ["b1"], ["a1"]]
TRUE, GUESS = [["a1"], ["b1"], ["b1"]], [["a2"], ["b1"], ["a1"]]
WANT = [4, 0, 200]


@contextmanager
def own_names():
    """Forget afterwards what is declared meanwhile."""
    known = dict(NAMED)
    yield
    NAMED.clear()
    NAMED.update(known)
    REGISTRY.pop("by_initial", None)


@pytest.fixture
def own():
    with own_names():
        exec(compile(OWN, "own.py", "exec"), {"__name__": __name__})
        yield


@pytest.mark.usefixtures("own")
def test_score_and_explain_know_a_cost_and_a_constraint_of_ones_own():
    found = score(TREE, TRUE, {"s": GUESS}, ["by_initial", "by_initial(cost=squared(power=1))"])
    assert found.per_instance["s"].T.tolist() == [WANT, [2, 0, 200]]
    assert found.measures[0].name == "by_initial"
    # the library's measures know the cost as well
    assert score(TREE, TRUE, {"s": GUESS}, "gie(cost=squared,default=9)").values[0, 0] == 20 / 3
    for want, why in zip(
        WANT, explain(TREE, TRUE, GUESS, "by_initial", instances=range(3)), strict=True
    ):
        assert (why.value, why.evidence.cost, why.evidence.optimal) == (want, want, True)
    assert [p.upper for p in why.evidence.pairs] == [0]


@pytest.mark.parametrize(
    ("measure_text", "value"), [("by_initial", 204 / 3), ("gie(cost=squared,default=100)", 20 / 3)]
)
def test_a_plugin_of_the_command_line(tmp_path, monkeypatch, capsys, measure_text, value):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "tree.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in EDGES))
    for name, rows in (("true", TRUE), ("guess", GUESS)):
        lines = "".join(f"{i}\t{row[0]}\n" for i, row in enumerate(rows))
        (tmp_path / f"{name}.tsv").write_text(lines)
    files = ["tree.tsv", "true.tsv", "guess.tsv", "--plugin", "own.py", "-m", measure_text]

    def run(verb, *more):
        with own_names():
            assert main([verb, *files, *more]) == 0
        return json.loads(capsys.readouterr().out)

    assert run("score", "--format", "json")["scores"][0]["value"] == value
    why = run("explain", "--format", "json", "--instance", "0")
    assert '"value": 4.0' in json.dumps(why)


@pytest.mark.parametrize(("lower", "more", "n"), [
    (0, (), 1), (None, (), 1), (1, (), 0), ({"b": 1}, (), 0), (0, (Mass("true", 1),), 0),
    (0, (lambda builder: None,), 0), (AS_MANY_AS_THERE_ARE, (), 0),
])  # fmt: skip
def test_a_cost_that_is_never_paid_is_a_note(lower, more, n):
    """Nobody lacks a partner where nobody needs one, of the same side and without masses."""
    sides = () if lower is None else (Degree("true", lower, 2), Degree("predicted", 1, 1))
    rule = Rule(Hops(), (*sides, Unmatched("true", 4), *more))
    assert rule.never_paid == ["Unmatched('true', cost=4)"] * n
    if sides and not more:
        tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])

        @pair_measure(formula="", source="", direction="lower", range="[0, inf)")
        def noted():
            """Mine."""
            return rule

        notes = score(tree, ["a"], {"s": ["b"]}, ["noted", "hf", "gie"]).notes
        assert sum("noted: Unmatched('true', cost=4) is never paid" in x for x in notes) == n


# ----------------------------------------------------------------------------- networks


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
def test_networks_against_enumeration():
    infeasible = 0
    for k in range(effort.cases(750)):
        rng = np.random.default_rng([9, k])
        networks = [random_network(rng) for _ in range(4)]
        own = written_network(rule_of(networks), pairs_of(1, 1, instances=4))
        best = [cheapest_flow(*network) for network in networks]
        none = [i for i, found in enumerate(best) if found is None]
        found = solve_network(own, on_infeasible="nan")
        assert found.flow.infeasible.tolist() == none, k
        infeasible += len(none)
        for i, wanted in enumerate(best):
            if wanted is None:
                assert math.isnan(found.cost[i])
                continue
            assert found.cost[i] == float(wanted[0]), k
            alone, arcs = own.network.copies(np.array([i]))
            assert check(alone, Flow(found.flow.flow[arcs], arcs[:0])).optimal
        if none:
            with pytest.raises(Infeasible, match=f"instance {none[0]}: its network has no flow"):
                solve_network(own)
        with patch("hierpair.pairing.pairings.EXACT", 0):
            long = solve_network(own, on_infeasible="nan").cost
        assert np.array_equal(long, found.cost, equal_nan=True)
    assert infeasible < 2 * effort.cases(750)


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

    return "own_network"


def test_a_network_is_a_measure_with_options_and_a_signature(own_measure):
    @pair_measure()
    def constrained(default: float = 3) -> Rule:
        """The same by constraints."""
        return Rule(Hops(), [c for s in SIDES for c in (Degree(s, 1, 1), Unmatched(s, default))])

    rng, names = np.random.default_rng(2), np.array(TREE.names)
    truth, said = ([names[rng.random(7) < 0.4].tolist() for _ in range(40)] for _ in "ab")
    found, other = (
        score(TREE, truth, {"s": said}, [name, f"{name}(default=1.5)"]).values.tolist()
        for name in (own_measure, "constrained")
    )
    assert found == other
    assert found[0][0] != found[0][1]
    assert "default" in measure(own_measure).options
    assert "own_network" in measure("own_network(default=1.5)").name


def test_a_network_is_explained_by_family(own_measure):
    [why] = explain(TREE, [["a1", "b1"]], [["a2"]], own_measure)
    shown = why.evidence
    assert why.value == shown.cost == shown.bound == 5
    assert shown.optimal
    assert [p.of for p in shown.pairs if p.units] == [("a2", "a1")]
    text = why.to_text()
    for words in ("the pair {}", "the pair ('a2', 'a1')", "b1 has no partner",
                  "proof: the dual prices show that every flow costs at least 5"):  # fmt: skip
        assert words in text
    arcs = {arc["says"]: arc for arc in json.loads(why.to_json())["flow"]["arcs"]}
    assert arcs["b1 has no partner"]["units"] == 1
    assert arcs["the pair ('a2', 'b1')"]["units"] == 0
    assert all(a["price"] >= 0 for a in arcs.values() if a["units"] == a["lower"] < a["upper"])


def test_rounded_costs_say_how_far_and_what_cannot_flow_is_told():
    def dear(pairs, net):
        a, b = net.nodes(1, "a"), net.nodes(1, "b")
        net.supply(a, 2)
        net.supply(b, -2)
        net.arcs(a, b, 0, 2, 0.1, says="way")

    def clogged(pairs, net):
        a, b = net.nodes(1, "a"), net.nodes(1, "b")
        net.arcs(a, b, 2, 3, says="{} comes", of=["bread"])
        net.arcs(b, a, 0, 1, says="{} goes", of=["brie"])

    found = solve_network(written_network(NetworkRule(dear), pairs_of(1, 1)))
    assert found.cost[0] == pytest.approx(0.2)
    assert 0 < found.gap[0] < 1e-9
    with pytest.raises(Infeasible) as caught:
        solve_network(written_network(NetworkRule(clogged), pairs_of(1, 1)))
    assert "bread comes: at least 2" in str(caught.value)
    assert "brie goes: at most 1" in str(caught.value)


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
