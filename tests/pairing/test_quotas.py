"""Bounds over several instances: vectors, enumeration, and what is no flow."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Capacity,
    Cardinality,
    Degree,
    Hierarchy,
    Hops,
    LabelSets,
    Lexicographic,
    Quota,
    Rule,
    Unmatched,
)
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import Pairs, WhatIf, by_class, formulate, network_graph, solve_pairing
from hierpair.solvers import certificate
from hierpair.solvers import flow as network
from tests import effort
from tests.oracles.counted_pairs import best_pairing
from tests.pairing.test_counts import FOLDER, convex, cost_of_table, hard, number, soft

FLAT = Hierarchy.from_parents({f"c{i}": None for i in range(8)}, roots="any")


class Layout:
    """Labels of several instances, each with a class that its instance has once."""

    def __init__(self, instance_of, class_of, n_instances):
        self.at = {}
        sets = {}
        for side in ("predicted", "true"):
            owner, classes = instance_of[side], class_of[side]
            order = sorted(range(len(owner)), key=lambda i: (owner[i], classes[i]))
            self.at[side] = {given: place for place, given in enumerate(order)}
            ptr = np.searchsorted([owner[i] for i in order], np.arange(n_instances + 1))
            sets[side] = LabelSets.from_arrays(ptr, np.array([classes[i] for i in order], int), 8)
        self.pairs = Pairs.between(FLAT, sets["true"], sets["predicted"])

    def mask(self, side, labels):
        """A ``where`` for some labels, given by number."""
        places = [self.at[side][i] for i in labels]
        return lambda given: np.isin(np.arange(len(given)), places)

    def priced(self, price):
        """A cost from a dict by numbers of labels."""
        known = {(self.at["predicted"][p], self.at["true"][t]): c for (p, t), c in price.items()}

        def cost(pairs):
            ends = zip(pairs.predicted_at.tolist(), pairs.true_at.tolist(), strict=True)
            return np.array([known.get(pair, math.inf) for pair in ends], dtype=object)

        return cost

    def chosen(self, pairing):
        """The chosen pairs by numbers of labels."""
        back = {s: {place: given for given, place in self.at[s].items()} for s in self.at}
        picked = np.flatnonzero(pairing.chosen)
        return {
            (back["predicted"][int(self.pairs.predicted_at[i])],
             back["true"][int(self.pairs.true_at[i])])
            for i in picked
        }  # fmt: skip


def constraint_of(said, layout):
    kind, low, high = said["type"], said.get("at_least", 0), said.get("at_most")
    paid = {k: number(said[k]) for k in ("under", "over") if k in said}
    if kind == "total":
        return Quota(None, None, low, high, **paid)
    side = said["side"]
    if kind == "group":
        inside = layout.mask(side, said["members"])
        return Quota(side, lambda x: np.where(inside(x), 0, -1), low, high, **paid)
    where = layout.mask(side, said["labels"])
    if kind == "unmatched":
        return Unmatched(side, number(said["price"]), where=where)
    assert kind == "degree"
    return Degree(side, low, high, where=where)


@pytest.mark.skipif(not FOLDER.exists(), reason="no vectors of pairing rules")
def test_vectors():
    found = 0
    for case in json.loads((FOLDER / "6_budgets.json").read_text())["cases"]:
        n = 1 + max(max(x) for x in case["instance_of"].values())
        layout = Layout(case["instance_of"], case["class_of"], n)
        price = {
            (p, t): Fraction(x)
            for p, row in enumerate(case["price"])
            for t, x in enumerate(row)
            if x is not None
        }
        constraints = tuple(constraint_of(d, layout) for d in case["rule"]["demands"])
        rule, expect = Rule(layout.priced(price), constraints), case["expect"]
        if expect.get("infeasible"):
            with pytest.raises(Infeasible):
                solve_pairing(formulate(rule, layout.pairs))
        else:
            pairing = solve_pairing(formulate(rule, layout.pairs))
            assert pairing.cost.sum() == float(Fraction(expect["cost"])), case["id"]
            if expect["optima"] == 1:
                assert sorted(layout.chosen(pairing)) == sorted(
                    (p, t) for p, t, _ in expect["pairs"]
                )
        found += 1
    assert found == 60


# ------------------------------------------------------------------------------ random problems


def random_layout(rng):
    """Two or three instances with one to three labels a side, at most nine pairs."""
    while True:
        n = int(rng.integers(2, 4))
        sizes = rng.integers(0, 3, (n, 2))
        if 0 < int(np.prod(sizes, axis=1).sum()) <= 9:
            break
    instance_of, class_of = {}, {}
    for k, side in enumerate(("predicted", "true")):
        instance_of[side] = np.repeat(np.arange(n), sizes[:, k]).tolist()
        class_of[side] = [c for m in sizes[:, k] for c in rng.permutation(3)[:m].tolist()]
    return n, instance_of, class_of


def random_rule(rng, layout, n, instance_of, class_of):
    """Constraints, and what they say of sets of pairs for the oracle."""
    every = [
        (p, t)
        for p, t in itertools.product(*(range(len(instance_of[s])) for s in instance_of))
        if instance_of["predicted"][p] == instance_of["true"][t]
    ]
    constraints, said = [], []
    for place, side in enumerate(("predicted", "true")):
        for label in range(len(instance_of[side])):
            own = {e for e in every if e[place] == label}
            where = layout.mask(side, [label])
            low, more = (int(x) for x in rng.integers(0, 2, 2))
            kind = rng.integers(0, 4)
            if kind == 0:
                constraints.append(Degree(side, low, low + more, where=where))
                said.append((own, hard(low, low + more)))
            elif kind < 3:
                miss = int(rng.integers(0, 9))
                constraints += [Degree(side, 1, where=where), Unmatched(side, miss, where=where)]
                said.append((own, soft(1, math.inf, miss, 0)))

    def quota(kind):
        """A quota of a kind, and its sets of pairs."""
        if kind == "all":
            return (None, None), [set(every)]
        if kind == "instances":
            of = rng.integers(0, 2, n)
            groups = [{e for e in every if of[instance_of["true"][e[1]]] == g} for g in range(2)]
            return (None, lambda x: of[x.position]), [s for g, s in enumerate(groups) if g in of]
        place = ("predicted", "true").index(kind)
        classes = sorted(set(class_of[kind]))
        sets = [{e for e in every if class_of[kind][e[place]] == c} for c in classes]
        return (kind, by_class if rng.random() < 0.5 else None), sets

    kinds = [k for k in ("all", "predicted", "true", "instances") if rng.random() < 0.5]
    kinds = kinds or ["all"]
    if {"predicted", "true", "instances"} <= set(kinds):
        kinds.remove(rng.choice(["predicted", "true", "instances"]))
    for kind in kinds:
        where, sets = quota(kind)
        low, more = int(rng.integers(0, 2)), int(rng.integers(0, 3))
        form = rng.integers(0, 3)
        if form == 0:
            constraints.append(Quota(*where, low, low + more))
            said += [(s, hard(low, low + more)) for s in sets]
        elif form == 1:
            under, over = (Fraction(int(x), 3) for x in rng.integers(0, 15, 2))
            constraints.append(Quota(*where, low, low + more, under=under, over=over))
            said += [(s, soft(low, low + more, under, over)) for s in sets]
        else:
            most = max(map(len, sets), default=0)
            table = convex(rng, max(most, 1), low=0)
            constraints.append(Quota(*where, costs=table))
            said += [(s, cost_of_table(table)) for s in sets]
    if not {"predicted", "true"} <= set(kinds) and rng.random() < 0.5:
        low, more = (int(x) for x in rng.integers(0, 2, 2))
        constraints.append(Cardinality(low, low + more, under=1, over=Fraction(1, 2)))
        for i in range(n):
            own = {e for e in every if instance_of["true"][e[1]] == i}
            said.append((own, soft(low, low + more, 1, Fraction(1, 2))))
    order = rng.permutation(len(constraints))
    return every, tuple(constraints[i] for i in order), said


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
def test_against_enumeration(seed):
    infeasible = 0
    for k in range(effort.cases(750)):
        rng = np.random.default_rng([seed, k])
        n, instance_of, class_of = random_layout(rng)
        layout = Layout(instance_of, class_of, n)
        every, constraints, said = random_rule(rng, layout, n, instance_of, class_of)
        price = {e: Fraction(int(rng.integers(0, 20)), 2) for e in every if rng.random() < 0.9}
        rule = Rule(layout.priced(price), constraints)
        best = best_pairing(0, 0, price, said)
        if best is None:
            infeasible += 1
            with pytest.raises((Infeasible, BadInput)) as caught:
                solve_pairing(formulate(rule, layout.pairs))
            said_why = ("cannot", "can get only", "required", "these")
            assert any(x in str(caught.value) for x in said_why), caught.value
            continue
        problem = formulate(rule, layout.pairs)
        assert problem.joined
        pairing = solve_pairing(problem)
        assert pairing.cost.shape == (1,)
        assert pairing.cost[0] == pytest.approx(float(best[0]), abs=1e-12), (seed, k)
        proof = proof_of(problem, pairing)
        assert proof.optimal
        assert proof.bound == pytest.approx(float(best[0]), abs=1e-9)
        chosen = layout.chosen(pairing)
        paid = sum(price[e] for e in chosen) + sum(f(len(chosen & s)) for s, f in said)
        assert paid == best[0]
    assert infeasible < 0.6 * effort.cases(750)


# ------------------------------------------------------------------------------ single cases


def two_instances():
    """Two instances with classes c0 and c1 on both sides."""
    owner, classes = [0, 0, 1, 1], [0, 1, 0, 1]
    return Layout({"predicted": owner, "true": owner}, {"predicted": classes, "true": classes}, 2)


ONE_EACH = (
    Degree("predicted", 1, 1), Unmatched("predicted", 5),
    Degree("true", 1, 1), Unmatched("true", 5),
)  # fmt: skip


def same_or_not(pairs):
    return np.where(pairs.predicted == pairs.true, 0, 3)


def test_three_ways_to_cross_are_no_flow():
    pairs = two_instances().pairs
    every = Quota("predicted", upper=1), Quota("true", upper=1), Cardinality(upper=1)
    for two in itertools.combinations(every, 2):
        solve_pairing(formulate(Rule(same_or_not, (*ONE_EACH, *two)), pairs))
    with pytest.raises(BadInput) as caught:
        solve_pairing(formulate(Rule(same_or_not, (*ONE_EACH, *every)), pairs))
    text = str(caught.value)
    assert "Quota('predicted', upper=1)" in text
    assert "overlap, neither contains the other" in text
    assert "three-dimensional matching" in text


REFUSED = [
    (lambda: Quota("both"), "side must be one of 'predicted', 'true', None, got 'both'"),
    (lambda: Quota("true", 3), "failed: TypeError"),
    (lambda: Quota("true", lambda x: x.classes * 0.5), "must be one whole number per label (4,)"),
    (lambda: Quota(None, lambda x: np.zeros(3, int)), "must be one whole number per instance"),
    (lambda: Quota(upper=-1), "upper must be a number ≥ 0, got -1"),
    (lambda: Quota(lower=2, upper=1), "cannot have at least 2 and at most 1 pairs"),
    (lambda: Quota(upper=math.nan), "upper must be a number ≥ 0, got nan"),
    (lambda: Quota("true", upper={"c1": 0.5}), "the true class 'c1' in all instances is 0.5"),
    (lambda: Quota("true", lower={"c5": 1}), "1 pairs of 'c5', which is in no"),
    (lambda: Quota("true", upper={"saw": 1}), "'saw'"),
    (lambda: Quota(costs=(0, 5, 6)), "all pairs of the data set: pair 2 costs 1 and pair 1"),
    (lambda: Quota(under=-1, lower=1), "the cost 'under' must be a number"),
    (lambda: lambda b: (Quota(upper=1)(b), Capacity(2)(b)), "not masses and capacities"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_bad_quotas_are_refused_by_name(make, message):
    with pytest.raises(BadInput) as caught:
        solve_pairing(formulate(Rule(same_or_not, (make(),)), two_instances().pairs))
    assert message in str(caught.value)


def test_quotas_of_the_same_sets_intersect_or_contradict():
    pairs = two_instances().pairs
    both = Quota("true", lower={"c1": 1}), Quota("true", upper={"c1": 2})
    solve_pairing(formulate(Rule(same_or_not, both), pairs))
    clash = Quota("true", lower={"c1": 2}), Quota("true", upper={"c1": 1})
    with pytest.raises(BadInput, match=r"constraint 2, Quota.*contradicts constraint 1, Quota"):
        formulate(Rule(same_or_not, clash), pairs)


def test_what_cannot_hold_is_told_of_the_data_set_or_of_its_instance():
    pairs = two_instances().pairs
    rule = Rule(same_or_not, (Degree("true", 1), Quota("true", upper={"c1": 1})))
    with pytest.raises(Infeasible) as caught:
        solve_pairing(formulate(rule, pairs))
    text = str(caught.value)
    assert "the true class 'c1' in all instances may have at most 1 pair" in text
    assert "the true class 'c1' must have at least 1 partner (instance 1)" in text
    rule = Rule(same_or_not, (Cardinality(lambda x: 9 * x.position), Quota(upper=100)))
    with pytest.raises(
        Infeasible,
        match="instance 1: these cannot hold together: the instance must have at least 9 pairs",
    ):
        solve_pairing(formulate(rule, pairs))
    pairing = solve_pairing(formulate(rule, pairs), on_infeasible="nan")
    assert np.isnan(pairing.cost).tolist() == [True]
    assert pairing.infeasible.tolist() == [0, 1]
    assert not pairing.chosen.any()


def test_lexicographic_costs_and_floats_that_are_rounded(monkeypatch):
    layout = two_instances()
    quota = Quota(upper=3)
    later = Lexicographic((same_or_not, lambda pairs: pairs.predicted + pairs.instance))
    problem = formulate(Rule(later, (*ONE_EACH, quota)), layout.pairs)
    for limit in (network.COMBINED_LIMIT, 0):
        monkeypatch.setattr(network, "COMBINED_LIMIT", limit)
        pairing = solve_pairing(problem)
        assert pairing.cost.tolist() == [10]
        assert layout.chosen(pairing) == {(0, 0), (1, 1), (2, 2)}
        proof = proof_of(problem, pairing)
        assert proof.optimal
        assert proof.costs == (10, 2)
    rule = Rule(lambda pairs: same_or_not(pairs) + 0.1, (*ONE_EACH, quota))
    problem = formulate(rule, layout.pairs)
    pairing = solve_pairing(problem)
    assert pairing.cost[0] == pytest.approx(10.3)
    assert 0 < pairing.gap[0] < 1e-9
    assert proof_of(problem, pairing).optimal


def test_a_part_of_a_joined_problem_is_refused():
    pairs = two_instances().pairs
    problem = formulate(Rule(Hops(), (Quota(upper=1),)), pairs)
    pairing = solve_pairing(problem)
    for tell in (WhatIf, network_graph):
        with pytest.raises(BadInput, match="instances"):
            tell(problem) if tell is network_graph else tell(problem, pairing)
    with pytest.raises(BadInput, match="here are 2 of 5; solve it with pair_data_set"):
        formulate(Rule(Hops(), (Quota(upper=1),)), replace(pairs, n_all=5))


def test_long_messages_are_made_without_trials(monkeypatch):
    pairs = two_instances().pairs
    rule = Rule(same_or_not, (Degree("true", 1), Quota("true", upper={"c1": 1})))
    monkeypatch.setattr(certificate, "MOST_TRIALS", 0)
    with pytest.raises(Infeasible, match="all instances together: these cannot hold"):
        solve_pairing(formulate(rule, pairs))
