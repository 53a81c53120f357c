"""Is a pairing the only best one, what is second best, what would change it: by enumeration."""

import math
import sys

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, explain
from hierpair.pairing import (
    Bottleneck,
    Capacity,
    CountCost,
    Degree,
    Lexicographic,
    Mass,
    Quota,
    Rule,
    Unmatched,
    WhatIf,
    best_pairings,
    formulate,
    solve_pairing,
)
from tests.pairing.rules import SIDES, pairs_of, told_of


def one_to_one(default):
    return tuple(c for s in SIDES for c in (Degree(s, 1, 1), Unmatched(s, default)))


def test_a_batch_is_told_as_its_instances_alone():
    cost = np.random.default_rng(5).integers(0, 4, 200)
    batch = formulate(
        Rule(lambda pairs: cost[: len(pairs)], one_to_one(2)), pairs_of(3, 4, instances=10)
    )
    told = WhatIf(batch, solve_pairing(batch))
    assert 0 < told.unique.sum() < 10
    for i in range(10):
        here = slice(*batch.pairs.ptr[i : i + 2])
        _, alone, _ = told_of(
            formulate(Rule(lambda pairs, at=here: cost[at], one_to_one(2)), pairs_of(3, 4))
        )
        assert (alone.unique[0], alone.further[0]) == (told.unique[i], told.further[i])
        if told.unique[
            i
        ]:  # the second best of equal cost may differ; what a pair has room for may not
            assert np.array_equal(told.may_fall[here], alone.may_fall)
            assert np.array_equal(told.may_rise[here], alone.may_rise)
        for row, single in zip(told.savings, alone.savings, strict=True):
            assert np.array_equal(row.saved[row.count.instance == i], single.saved)


def test_without_a_pairing_nothing_is_told():
    bounds = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    problem = formulate(Rule(lambda pairs: 0.0 * pairs.true_at, bounds), pairs_of(2, 3))
    told = WhatIf(problem, solve_pairing(problem, on_infeasible="nan"))
    assert not told.unique[0]
    assert np.isnan([told.further[0], *told.may_fall, *told.may_rise]).all()
    assert all(np.isnan(row.saved).all() for row in told.savings)


@pytest.mark.parametrize(("more", "further"), [(0, None), (1e-6, 1e-6)])
def test_what_only_rounding_tells_apart_is_a_tie(more, further):
    """0.1 + 0.2 and 0.3 are the same cost for all that the solver can tell."""
    table = np.array([[0.1, 0.3 + more], [0.0, 0.2]])
    bounds = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    rule = Rule(lambda pairs: table[pairs.predicted_at, pairs.true_at], bounds)
    _, told, _ = told_of(formulate(rule, pairs_of(2, 2)))
    assert told.unique[0] == (further is not None)
    assert further is None or told.further[0] == pytest.approx(further, rel=1e-3)


ONLY = [  # one pair: its cost, and how far it may rise
    ((Degree("true", 1, 1),), 2, math.inf),
    # the predicted label takes its cheapest pair as its fallback; the true one costs 0 alone
    (
        (
            Degree("predicted", 1),
            Unmatched("predicted", 6),
            Degree("true", 1),
            Unmatched("true", 0),
        ),
        2,
        4,
    ),
    # a table may be longer than there are partners: a second unit would save
    ((CountCost("predicted", (None, 2, 0)),), 4, math.inf),
]


@pytest.mark.parametrize(("constraints", "cost", "rooms"), ONLY)
def test_the_only_pairing_there_can_be(constraints, cost, rooms):
    problem = formulate(Rule(lambda p: p.true_at + 2, constraints), pairs_of(1, 1))
    pairing, told, best = told_of(problem)
    assert (best, pairing.cost.tolist()) == ({(0, 0)}, [cost])
    assert solve_pairing(problem, reduce=False).cost.tolist() == [cost]
    assert (told.unique[0], told.further[0], told.may_rise[0]) == (True, rooms, rooms)
    assert (
        max(row.saved.max(initial=0) for row in told.savings) == 2
    )  # without the bound it cost less


TWO = pairs_of(2, 2)
EASY = lambda p: p.true_at  # noqa: E731
EVEN = tuple(Mass(s, 1, share=True) for s in SIDES)
NOT_TOLD = [
    (best_pairings, Rule(EASY, one_to_one(2)), pairs_of(2, 2, instances=2), "a single instance"),
    (best_pairings, Rule(Lexicographic((EASY, EASY)), one_to_one(2)), TWO, "single cost"),
    (best_pairings, Rule(EASY, (*one_to_one(2), Capacity(2))), TWO, "masses"),
    (best_pairings, Rule(Bottleneck(EASY), one_to_one(2)), TWO, "or a Bottleneck"),
    (best_pairings, Rule(EASY, (Quota(upper=1),)), TWO, "not of quotas"),
    (lambda p, _: best_pairings(p, 0), Rule(EASY, one_to_one(2)), TWO, "at least 1, got 0"),
    (lambda p, _: told_of(p)[1].savings, Rule(Bottleneck(EASY), one_to_one(2)), TWO, "not with a Bottleneck"),
    (lambda p, _: told_of(p)[1].savings, Rule(EASY, EVEN), TWO, "not of masses or capacities"),
    (lambda p, _: told_of(p), Rule(EASY, (Quota(upper=1),)), TWO, "instances"),
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
