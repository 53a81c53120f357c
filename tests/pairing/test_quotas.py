"""Bounds over several instances: vectors, enumeration, and what is no flow."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Capacity,
    Cardinality,
    Degree,
    Hops,
    Lexicographic,
    Quota,
    Rule,
    Unmatched,
)
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import WhatIf, formulate, network_graph, solve_pairing
from hierpair.solvers import certificate
from hierpair.solvers import flow as network
from tests.pairing.random_rules import Layout

# ------------------------------------------------------------------------------ random problems


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
