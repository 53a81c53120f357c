"""Flow networks: certificates, limits of numbers, names; masses and transports; a user's own costs and networks."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from hierpair import BadInput, Hierarchy, LabelSets, explain, pair_measure, score
from hierpair.errors import Infeasible, SolverLimit
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import (
    AS_MANY_AS_THERE_ARE,
    NAMED,
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Hops,
    Lexicographic,
    Mass,
    Masses,
    NetworkRule,
    Rule,
    Unmatched,
    build,
    by_level,
    cost_named,
    formulate,
    moving_prices,
    named_cost,
    network_graph,
    solve_network,
    solve_pairing,
    transport_costs,
    written_network,
)
from hierpair.pairing.transport import carried_by_pairs
from hierpair.plots import plot_pairing, save_picture
from hierpair.solvers import Flow, FlowNetwork, check, solve, to_integers
from tests import effort
from tests.oracles import pairs_and_sets as slow
from tests.oracles.pairings import AllPairings
from tests.pairing.rules import SIDES, Statement, by_place, pairs_of
from tests.strategies import problems


def problem_of(table, default, upper=1):
    """Every label has so many partners, or a default; a row per predicted class."""
    sides = [c for s in SIDES for c in (Degree(s, 1, upper), Unmatched(s, default))]
    rule = Rule(lambda p: table[p.predicted_at, p.true_at], sides)
    return formulate(rule, pairs_of(*table.shape))


def network(cost, later=()):
    """Two ways from the first node to the second and one back, on which at least one unit flows."""
    ends, bounds = ([0, 0, 1], [1, 1, 0]), ([0, 0, 1], [2, 2, 3])
    parts = (*ends, *bounds, cost, [0, 0], [0, 3], [0, 2])
    return FlowNetwork(*map(np.array, parts), later=tuple(map(np.array, later)))


CHECKED = [  # units of the arcs, and what is said of them
    ([1, 0, 1], None), ([0, 0, 0], "outside its bounds"), ([1, 2, 3], "negative cycle"), ([1, 0, 2], "sends -1 instead of 0"),
    ([2, 0, 1], "sends 1 instead of 0"), ([3, 0, 3], "outside its bounds"), ([0, 1, 1], "negative cycle"),
]  # fmt: skip


@pytest.mark.parametrize(("units", "reason"), CHECKED)
@pytest.mark.parametrize("later", [False, True])
def test_the_check_of_a_flow_sees_what_is_wrong(units, reason, later):
    """The first way is the better one: at once, or by the second cost alone."""
    of = network([2, 2, 1], [[2, 5, 1]]) if later else network([2, 5, 1])
    found = check(of, Flow(np.array(units), np.empty(0, np.int64)))
    assert found.optimal == (reason is None)
    assert found.feasible == (reason in (None, "negative cycle"))
    assert reason is None or reason in found.reason
    if found.optimal:
        assert found.cost == 3
        assert [x.cost for x in found.later] == [3] * later


def test_costs_beyond_the_solver_are_an_error():
    assert solve(network([2**58, 2**58 + 1, 0])).flow.tolist() == [1, 0, 1]
    with pytest.raises(SolverLimit, match="BAD_COST_RANGE"):
        solve(network([2**61, 2**61, 0]))


def test_scaling_is_exact_or_says_so():
    exact = to_integers([np.array([2.0**-20, 3.0])])
    assert (exact.exact, exact.scale) == (True, 2**20)
    rounded = to_integers([np.array([0.1, 100.0])])
    assert not rounded.exact
    assert 2**43 < rounded.values[0].max() <= 2**44
    for costs in ([2.0**49], [Fraction(1, 2**40), 2**20]):
        with pytest.raises(SolverLimit):
            to_integers([np.array(costs, dtype=object if costs[1:] else float)])


@pytest.mark.parametrize("upper", [1, None])
def test_the_gap_bounds_the_distance_from_the_optimum(upper, monkeypatch):
    """With costs rounded to whole numbers the pairing may be worse, but never by more."""
    pairing = solve_pairing(problem_of(np.array([[0.1, 0.3], [0.2, 0.7]]), 5.0, upper))
    assert pairing.cost[0] == 0.3 + 0.2
    assert 0 < pairing.gap[0] < 1e-10
    monkeypatch.setattr("hierpair.solvers.flow.LARGEST_SCALED", 8)
    rng, worse = np.random.default_rng(2), 0
    for _ in range(200):
        m, n, default = (int(x) for x in rng.integers(1, 4, 3))
        price = {p: Fraction(int(rng.integers(0, 10**7)), 10**6) for p in np.ndindex(m, n)}
        said = [
            Statement("label", side, (i,), low=1, high=upper, under=default)
            for side, size in zip(SIDES, (m, n), strict=True) for i in range(size)
        ]  # fmt: skip
        best = AllPairings(price, [(s.pairs(price), s.cost) for s in said]).costs()[0]
        table = np.array([*price.values()], float).reshape(m, n)
        pairing = solve_pairing(problem_of(table, default, upper))
        assert pairing.cost[0] - best <= pairing.gap[0] + 1e-9
        worse += pairing.cost[0] > best + 1e-6
    assert worse > 1


def test_what_is_in_a_network_has_names_and_all_costs():
    costs = (lambda pairs: 1 + pairs.true_at, lambda pairs: pairs.predicted_at / 4)
    constraints = (
        Degree("true", 1), Unmatched("true", (5, 1)), CountCost("predicted", ((1, 0), (0, 0), (2, 1))),
        Groups("true", by_level, 2), Groups("predicted", by_level, 1, of="partners"),
        Cardinality(0, 2, over=3),
    )  # fmt: skip
    problem = formulate(Rule(Lexicographic(costs), constraints), pairs_of(2, 2))
    graph = network_graph(problem)
    names = {(n["kind"], n["side"]): n["name"] for _, n in graph.nodes(data=True)}
    assert names == {
        ("source", None): "source", ("sink", None): "sink", ("label", "predicted"): "c1",
        ("partners", "predicted"): "{c0, c1}", ("group", "true"): "{c0, c1}", ("label", "true"): "c1",
    }  # fmt: skip
    edges = [edge for *_, edge in graph.edges(data=True)]
    assert {(e["kind"], e["of"]) for e in edges} == {
        ("pair", None), ("label", "label"), ("group", "group"), ("instance", "instance"),
        ("default", "label"), ("more", "label"), ("less", "label"), ("more", "instance"),
    }  # fmt: skip
    pairs = [e for e in edges if e["kind"] == "pair"]
    assert sorted(e["costs"] for e in pairs) == [(1, 0), (1, 0.25), (2, 0), (2, 0.25)]
    assert all(e["cost"] == e["costs"][0] for e in edges)
    assert sum(e["flow"] * e["cost"] for e in edges) == solve_pairing(problem).cost[0] == 3
    assert sorted(e["costs"][1] for e in pairs if e["flow"]) == [0, 0.25]
    with pytest.raises(BadInput, match="there is no instance number 1; they run from 0 to 0"):
        network_graph(problem, 1)


def test_a_soft_bound_that_asks_for_nothing_keeps_no_pair_in_the_network():
    of = [
        formulate(Rule(Hops(), (Degree("predicted", n, under=2),)), pairs_of(2, 2)) for n in (1, 0)
    ]
    assert [len(build(one)[1].pairs[0]) for one in of] == [2, 0]


# ----------------------------------------------------------------------------- costs and constraints

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")]
)


@patch.dict(NAMED)
def test_score_and_explain_know_a_cost_of_ones_own_by_its_name():
    @named_cost("squared")
    @dataclass(frozen=True)
    class Squared:
        """Edges between two classes, to a power."""

        power: float = 2

        def __call__(self, pairs):
            return pairs.distance**self.power

    @pair_measure()
    def squares(cost="squared", default: float = 100):
        """Best pairing by squares."""
        return Rule(
            cost_named(cost), [x for s in SIDES for x in (Degree(s, 1, 1), Unmatched(s, default))]
        )

    truth, guess, want = [["a1"], ["b1"], ["b1"]], [["a2"], ["b1"], ["a1"]], [4, 0, 16]
    found = score(TREE, truth, {"s": guess}, ["squares", "squares(cost=squared(power=1))"])
    assert found.per_instance["s"].T.tolist() == [want, [2, 0, 4]]
    # the library's measures know the cost as well
    assert score(TREE, truth, {"s": guess}, "gie(cost=squared,default=7)").values[0, 0] == 6
    why = explain(TREE, truth, guess, "squares", instances=range(3))
    assert [w.value for w in why] == [w.evidence.cost for w in why] == want
    assert all(w.evidence.optimal for w in why)


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


def assignment(default):
    """Every label one partner, or a default below 99: the network of GIE with one partner, written out."""

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
            if default < 99:
                back = way[::-1]
                net.arcs(*back, cost=default, says="{} has no partner", of=labels)
        net.arcs(sink, source, upper=100, says="back")
        known = np.flatnonzero(np.isfinite(pairs.distance))
        p, t = pairs.predicted_at[known], pairs.true_at[known]
        net.pairs(ends["predicted"][p], ends["true"][t], known, pairs.distance[known])

    return NetworkRule(write)


def test_a_network_is_a_measure_with_options_and_is_explained_by_family():
    @pair_measure()
    def own_network(default: float = 3) -> NetworkRule:
        """One partner each, as a network of its own."""
        return assignment(default)

    @pair_measure()
    def constrained(default: float = 3) -> Rule:
        """The same by constraints."""
        paid = [Unmatched(s, default) for s in SIDES] if default < 99 else []
        return Rule(Hops(), [*(Degree(s, 1, 1) for s in SIDES), *paid])

    rng, names = np.random.default_rng(2), np.array(TREE.names)
    truth, said = ([names[rng.random(7) < 0.4].tolist() for _ in range(40)] for _ in "ab")
    found, other = (
        score(TREE, truth, {"s": said}, [name, f"{name}(default=1.5)"]).values.tolist()
        for name in ("own_network", "constrained")
    )
    assert found == other
    assert found[0][0] != found[0][1]
    found, other = (
        score(TREE, truth, {"s": said}, f"{name}(default=99)", on_infeasible="nan")
        for name in ("own_network", "constrained")
    )
    assert np.array_equal(found.per_instance["s"], other.per_instance["s"], equal_nan=True)
    counts = [sum(of.n_infeasible.values()) for of in (found, other)]
    assert 0 < counts[0] == counts[1] < 40
    [why] = explain(TREE, [["a1", "b1"]], [["a2"]], "own_network")
    shown = why.evidence
    assert why.value == shown.cost == shown.bound == 5
    assert shown.optimal
    assert [p.of for p in shown.pairs if p.units] == [("a2", "a1")]
    for words in ("the pair ('a2', 'a1')", "b1 has no partner",
                  "proof: the dual prices show that every flow costs at least 5"):  # fmt: skip
        assert words in why.to_text()
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
        net.arcs(b, a, 0, 1, says="{} goes a long way from here to there", of=["brie"])

    found = solve_network(written_network(NetworkRule(dear), pairs_of(1, 1)))
    assert found.cost[0] == pytest.approx(0.2)
    assert 0 < found.gap[0] < 1e-9
    with pytest.raises(Infeasible) as caught:
        solve_network(written_network(NetworkRule(clogged), pairs_of(1, 1)))
    assert "bread comes: at least 2" in str(caught.value)
    assert "brie goes a long way from here to there: at most 1" in str(caught.value)


def two(pairs, net):
    return net.nodes(2, "desk"), net.nodes(2, "chair")


REFUSED = [
    (lambda p, n: n.nodes([2], "desk"), "at least 0 and below 2, got 2"),
    (lambda p, n: n.nodes(2, ""), "nodes need a text that says what they are"),
    (lambda p, n: n.nodes([0.5], "desk"), "must be a whole number each, got array([0.5])"),
    (lambda p, n: n.arcs(*two(p, n), 0, -1, says="x"), "must be at least 0 and below 9007199254740992, got -1"),
    (lambda p, n: n.arcs(*two(p, n), 2, 1, says="x"), "instance 0: arc 0 of 'x', 'x', has bounds that contradict"),
    (lambda p, n: n.arcs(*two(p, n), 0, math.inf, says="x"), "must be at least 0 and below 9007199254740992, got inf"),
    (lambda p, n: n.arcs(*two(p, n), 0, 0.5, says="x"), "must be a whole number each, got 0.5"),
    (lambda p, n: n.arcs(*two(p, n), cost=[0, math.inf], says="x"), "instance 1: arc 1 of 'x', 'x', has no finite cost"),
    (lambda p, n: n.arcs(*two(p, n), cost="dear", says="x"), "failed: ValueError"),
    (lambda p, n: n.arcs(*two(p, n), says=3), "arcs need a text that says"),
    (lambda p, n: n.arcs(*two(p, n)), "says"),
    (lambda p, n: n.arcs(*two(p, n), says="{}", of=["a"]), "there are 2 arcs '{}', and of has 1 name"),
    (lambda p, n: n.arcs([0], [1], says="x"), "must be at least 0 and below 0, got 0"),
    (lambda p, n: n.arcs(two(p, n)[0], [1, 0], says="x"), "instance 0: arc 0 of 'x', 'x', leads to a node of another instance"),
    (lambda p, n: n.supply(two(p, n)[0], [1, 0]), "instance 0: the supplies of its network add up"),
    (lambda p, n: n.supply(two(p, n)[0], 0.5), "a supply must be a whole number each"),
    (lambda p, n: n.pairs(*two(p, n), [0, 9]), "must be at least 0 and below 2, got 9"),
    (lambda p, n: n.pairs(*two(p, n), [1, 0]), "instance 0: arc 0 of 'the pair {}', \"the pair ('c0', 'c0')\", is not of it"),
    (lambda p, n: [n.pairs(*two(p, n), [0, 1]) for _ in "ab"], "has several arcs; it may have one"),
    (lambda p, n: 1 / 0, "failed: ZeroDivisionError"),
]  # fmt: skip


@pytest.mark.parametrize(("write", "message"), REFUSED)
def test_what_is_no_network_is_refused_by_name(write, message):
    with pytest.raises(BadInput) as caught:
        written_network(NetworkRule(write), pairs_of(1, 1, instances=2))
    assert message in str(caught.value)


# ----------------------------------------------------------------------------- masses and transports

EVEN = tuple(Mass(s, 1, share=True) for s in SIDES)
DEAR = by_place({(0, 0): 0, (0, 1): 1, (1, 0): 2, (1, 1): 5})


def solved(said, price=DEAR, m=2, n=2):
    return solve_pairing(formulate(Rule(price, said), pairs_of(m, n)))


def of_classes(side, numbers, **options):
    """Masses by class, of which the first are given."""
    numbers = np.asarray(numbers)
    return Mass(side, np.append(numbers, np.zeros(8 - len(numbers), numbers.dtype)), **options)


@pytest.mark.random_cases
def test_shares_are_balanced_without_rounding():
    for k in range(effort.cases(300)):
        rng = np.random.default_rng([7, k])
        m, n = (int(x) for x in rng.integers(1, 6, 2))
        a, b = rng.integers(1, 30, m), rng.integers(1, 30, n)
        a[0] += 1
        price = rng.integers(0, 50, (m, n))
        masses = [of_classes(side, x, share=True) for side, x in zip(SIDES, (a, b), strict=True)]
        rule = Rule(by_place(dict(np.ndenumerate(price))), tuple(masses))
        problem = formulate(rule, pairs_of(m, n))
        pairing = solve_pairing(problem)
        assert (int(a.sum()) * int(b.sum())) % int(pairing.whole[0]) == 0
        assert pairing.units.sum() == pairing.whole[0]
        assert pairing.gap[0] == 0
        best = transported(a / a.sum(), b / b.sum(), price)
        assert pairing.cost[0] == pytest.approx(best, abs=1e-9)
        assert proof_of(problem, pairing).optimal


def transported(a, b, price):
    """The least cost of a transport as a linear program over the reals."""
    rows = [np.indices(price.shape)[k].ravel() == i for k in (0, 1) for i in range(price.shape[k])]
    return linprog(price.ravel(), A_eq=np.array(rows, float), b_eq=np.concatenate([a, b])).fun


@pytest.mark.parametrize(
    ("predicted", "true", "whole", "cost"),
    [  # multiples of a power of two are exact
        ([0.25, 0.5], [0.625, 0.125], 8, 0.125 + 2 * 0.5 + 5 * 0),
        ([0.1, 0.9], [0.7, 0.3], 2**40, 0.1 + 2 * 0.7 + 5 * 0.2),
        ([0.3, 0.4], [0.2, 0.5], 2**40, 0.3 + 2 * 0.2 + 5 * 0.2),
        # half a unit that one side has to round is two times three quarters of the other
        ([(3 * 2**39 + 3) / 2**42] * 2, [(3 * 2**39 + 3) / 2**41, 0], 2**40, 0.75),
    ],
)
def test_floats_are_exact_or_rounded_so_that_sums_stay(predicted, true, whole, cost):
    masses = of_classes("predicted", predicted), of_classes("true", true)
    pairing = solved((*masses, Cardinality(sum(predicted))))  # a bound is rounded as they are
    assert pairing.whole[0] == whole
    assert abs(pairing.units.sum() - whole * sum(predicted)) <= 0.5
    assert (pairing.gap[0] == 0) == (whole == 8)
    assert pairing.gap[0] < 1e-10
    assert pairing.cost[0] == pytest.approx(cost, abs=pairing.gap[0] + 1e-15)


def test_large_masses_are_exact_until_the_solver_refuses():
    huge = 2**55 + 1
    said = (Mass("predicted", {"c0": huge, "c1": 3}), Mass("true", {"c0": 4, "c1": huge - 1}))
    pairing = solved(said, lambda p: 2**6 + 0 * p.true)
    assert (int(pairing.units.sum()), pairing.cost[0]) == (huge + 3, 2**6 * (huge + 3))
    heavy = solved([Mass(s, 1e8 + 0.1) for s in SIDES], lambda p: 1 + 0 * p.true)
    assert heavy.whole.tolist() == [2**12]  # about 2**40 units in all
    assert heavy.cost[0] == pytest.approx(2e8 + 0.2, abs=2**-12, rel=0)
    thirds = Mass("predicted", {"c0": Fraction(1, 2**31 - 1), "c1": Fraction(1, 2**61 - 1)})
    for too_large, message in (
        *(
            ((Mass("predicted", n), Mass("true", n)), r"2\*\*62 units or more")
            for n in (2**61, 2**62 // 10)
        ),
        ((Mass("predicted", 2**61), Mass("true", Fraction(1, 3))), r"in units of 1/3 are 2\*\*62"),
        ((thirds, Mass("true", 1), *(Unmatched(s, 9) for s in SIDES)), "common denominator"),
        ((Mass("true", Fraction(1, 2**62)),), "of the true class 'c0' has too large a denominator"),
    ):
        with pytest.raises(SolverLimit, match=message):
            solved(too_large)


def test_results_do_not_depend_on_the_other_instances():
    """Units are of an instance, whatever else is in the batch."""
    said = (
        Mass("predicted", lambda x: np.array([Fraction(1 + int(c), 2 + int(i)) for c, i in zip(x.classes, x.instance, strict=True)], dtype=object), share=True),
        Mass("true", lambda x: 1 / (3 + x.classes), share=True),
        Cardinality(Fraction(1, 2)),
    )  # fmt: skip
    price = np.random.default_rng(2).integers(0, 9, (8, 8))
    rule = Rule(lambda pairs: price[pairs.predicted, pairs.true], said)
    together, alone = (solve_pairing(formulate(rule, pairs_of(3, 4, instances=k))) for k in (3, 1))
    assert together.cost[0] == alone.cost[0] > 0
    assert together.whole[0] == alone.whole[0]


SMALL = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
TRUTH = [["c", "d"], ["b"], ["c"]]
SAID = [["a"], ["b", "c"], ["a", "b", "d"]]
IN_USE = {
    "even": EVEN,
    "by name": tuple(
        c for s in SIDES for c in (Mass(s, {"a": 1, "b": 2, "c": 3, "d": 1}), Unmatched(s, 2))
    ),
    "partial": (EVEN[0], Mass("true", 1, share=True), Groups("true", by_level, 1), Cardinality(1, 1)),
    "units": (Degree("true", 2), Unmatched("true", 7), Capacity(2), CountCost("predicted", (1, 0, 2, 5, 9))),
    "capacity": (*EVEN, Capacity(0.3), Unmatched("true", 9), Unmatched("predicted", 4)),
}  # fmt: skip


@pytest.mark.parametrize("said", IN_USE)
def test_scores_and_explanations_agree(said, tmp_path):
    @pair_measure()
    def own_masses():
        """Mine."""
        return Rule(Hops(), IN_USE[said])

    found = score(SMALL, TRUTH, {"s": SAID}, ["own_masses"]).per_instance["s"][:, 0]
    every = explain(SMALL, TRUTH, SAID, ["own_masses"], instances=range(3))
    assert [why.value for why in every] == pytest.approx(found, abs=1e-12)
    for why in every:
        shown, data = why.evidence, why.to_dict()["flow"]
        assert shown.columns["cost"] == pytest.approx(why.value)
        assert shown.optimal
        assert shown.bound == pytest.approx(why.value, abs=1e-9 + shown.gap)
        assert data["whole"] == shown.whole
        moved = sum(pair["units"] for pair in data["arcs"])
        assert moved == sum(row["units"] for row in data["counted"] if row["kind"] == "true")
        assert "mass" in str(why)
        save_picture(plot_pairing(shown), tmp_path / "x.svg")
    if said == "even":  # told in masses, and nothing of what would change
        text, shown = str(every[0]), every[0].evidence
        lines = [line.split() for line in text.splitlines()]
        assert "cost 1 = pairs 1\n" in text
        assert ["●", "a", "c", "1", "1/2"] in lines
        assert ["predicted", "a", "1", "1", "1"] in lines
        assert (shown.whole, [pair.units for pair in shown.pairs]) == (2, [1, 1])
        assert np.isnan(shown.further)
        assert not any(row.saves for row in shown.counted)


def both_ways(masses, cost):
    """The costs that are chosen, and those of the flow whatever the hierarchy is."""
    cost = cost_named(cost)
    by_pairs = carried_by_pairs(masses, moving_prices(cost, masses.pairs, None))
    return transport_costs(masses, cost, None), by_pairs


def by_assignment(matrix):
    """Labels are cut into equal parts, and the parts are assigned one to one."""
    m, n = matrix.shape
    whole = math.lcm(m, n)
    parts = matrix.repeat(whole // m, axis=0).repeat(whole // n, axis=1)
    cost = parts[linear_sum_assignment(parts)].sum() / whole
    return cost if cost < 1e4 else math.inf


@given(problems(max_classes=8, max_labels=4, weighted=True), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=effort.cases(300), deadline=None)
def test_transports_against_assignments_and_linear_programs(problem, weighted, seed):
    """Label sets are cut into parts that are assigned; laws of any size are moved over the reals."""
    hierarchy, edges, *rows = problem
    weighted, rng = weighted and bool(edges), np.random.default_rng(seed)
    cost = "weights" if weighted else "hops"
    up = slow.weighted_up_distances if weighted else slow.up_distances
    sets = [LabelSets.from_labels(side, hierarchy) for side in rows]
    drawn = [rng.random(len(own.indices)) * 10.0 ** rng.integers(-9, 9) for own in sets]
    laws = Masses.of_laws(hierarchy, *sets, dict(zip(SIDES[::-1], drawn, strict=True)))
    even, uneven = both_ways(Masses.of_sets(hierarchy, *sets), cost), both_ways(laws, cost)
    for i in range(len(sets[0])):
        here = [slice(*own.indptr[i : i + 2]) for own in sets]
        t, p = ([up(edges, c) for c in own.names_of(i, hierarchy)] for own in sets)
        far = np.array([[slow.distance(a, b) for b in t] for a in p], float)
        want = by_assignment(np.where(np.isinf(far), 1e6, far)) if far.size else 0
        assert [way[i] for way in even] == pytest.approx([want, want], abs=1e-12)
        if far.size and np.isfinite(far).all():
            b, a = (mass[at] / mass[at].sum() for mass, at in zip(drawn, here, strict=True))
            assert [way[i] for way in uneven] == pytest.approx(
                [transported(a, b, far)] * 2, abs=1e-9
            )
        for side, at in zip(SIDES[::-1], here, strict=True):
            units = laws.units[side][at]
            assert (units >= 0).all()
            assert units.sum() == laws.whole[i] * bool(far.size)
    assert uneven[0] == pytest.approx(uneven[1], abs=1e-9)
    if not weighted:  # whole numbers over whole numbers: the same bits
        assert np.array_equal(*even)


def test_what_rounding_leaves_over_of_masses_goes_to_the_heaviest():
    """Units are whole, ≥ 0 and add up, however light a class beside equally heavy ones is."""
    names = [f"c{i:02}" for i in range(12)]
    tree = Hierarchy.from_edges([("r", name) for name in names])
    given = [{"c00": 1e-30} | dict.fromkeys(names[1 : n + 1], 1.0) for n in range(1, 12)]
    sets = LabelSets.from_amounts(given, tree)
    masses = Masses.of_laws(tree, sets, sets, dict.fromkeys(SIDES, sets.amounts))
    for side in SIDES:
        for i, n in enumerate(range(1, 12)):
            units = masses.units[side][sets.indptr[i] : sets.indptr[i + 1]]
            exact = sets.amounts[sets.indptr[i] : sets.indptr[i + 1]] / n * masses.whole[i]
            assert units.sum() == masses.whole[i]
            assert units.min() >= 0
            assert np.abs(units - exact).max() <= n
