"""Is a pairing the only best one, what is second best, what would change it: by enumeration."""

import itertools
import math
import sys
from collections import Counter

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, explain
from hierpair.pairing import (
    Bottleneck,
    Capacity,
    Cardinality,
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
from tests import effort
from tests.oracles.pairings import AllPairings, relaxed
from tests.pairing.rules import BASE, SIDES, by_place, pairs_of, random_counts, worth


def ends_of(problem, numbers):
    pairs = problem.pairs
    return frozenset((int(pairs.predicted_at[i]), int(pairs.true_at[i])) for i in numbers)


def told_of(problem):
    """The pairing, what is told of it, and its pairs."""
    pairing = solve_pairing(problem)
    return pairing, WhatIf(problem, pairing), ends_of(problem, np.flatnonzero(pairing.chosen))


def drawn_problems(seed, cases, n_costs=None):
    """Random problems that have a pairing, each with its number and all of its pairings."""
    for k in range(effort.cases(cases)):
        rng = np.random.default_rng([seed, k])
        rule, pairs, price, said = random_counts(rng, n_costs, most=4)
        every = AllPairings({p: worth(cost) for p, cost in price.items()}, said)
        if every.costs():
            yield k, rng, every, formulate(rule, pairs)


def one_to_one(default):
    return tuple(c for s in SIDES for c in (Degree(s, 1, 1), Unmatched(s, default)))


@pytest.mark.random_cases
@pytest.mark.parametrize("n_costs", [None, 2])
def test_alternatives_and_savings_against_enumeration(n_costs):
    """Of two costs in turn: uniqueness of both together, second best and ranges of the first."""
    checked = several = saving = later = 0
    for k, _, every, problem in drawn_problems(20, 2000, n_costs):
        if any(c.kind != "label" and len(c.said) > 1 for c in problem.counts):
            continue  # a bound that two constraints give is told once
        _, told, best = told_of(problem)
        costs = every.costs()

        def first(x):
            return float(x) if x == math.inf or not n_costs else round(x / BASE)

        second = costs[1] - costs[0] if len(costs) > 1 else math.inf
        assert told.unique.tolist() == [second > 0]
        assert told.further[0] == first(second), k
        (pairs,) = told.changes
        if second < math.inf:
            assert first(every.cost[best ^ ends_of(problem, pairs)] - costs[0]) == first(second)
        else:
            assert not len(pairs)
        ranges = every.ranges(best)
        for i in np.flatnonzero(problem.candidate):
            (pair,) = ends_of(problem, [i])
            rooms = tuple(map(first, ranges[pair]))
            assert (told.may_fall[i], told.may_rise[i]) == rooms, (k, pair)
        checked += 1
        several += second == 0
        later += second > 0 and told.further[0] == 0
        if n_costs:
            continue
        got, want = Counter(), Counter()
        for row in told.savings:
            for at, saved in enumerate(row.saved.tolist()):
                if saved:
                    members = ends_of(problem, np.flatnonzero(row.count.of_pair == at))
                    got[members, row.bound, saved] += 1
        for j, (members, says) in enumerate(every.said):
            for bound in ("at most", "at least"):
                less = every.best_with(j, relaxed(says, len(members) + 3, bound == "at most"))
                if less < costs[0]:
                    want[members, bound, float(costs[0] - less)] += 1
        assert got == want, k
        saving += sum(want.values())
    assert checked > 0.3 * effort.cases(2000)
    assert several > 0.02 * checked
    assert later if n_costs else saving > 0.3 * checked


@pytest.mark.random_cases
def test_the_best_pairings_one_after_the_other_against_enumeration():
    several = 0
    for k, rng, every, problem in drawn_problems(24, 800):
        found = best_pairings(problem, n := int(rng.integers(1, 9)))
        costs = every.costs()[:n]
        assert [one.cost[0] for one in found] == [float(c) for c in costs], k
        sets = [ends_of(problem, np.flatnonzero(one.chosen)) for one in found]
        assert len(set(sets)) == len(sets)
        assert [every.cost[picked] for picked in sets] == costs
        several += len(found) > 2
    assert several > 0.1 * effort.cases(800)


@pytest.mark.random_cases
def test_ranges_of_costs_where_pairs_carry_units_against_enumeration():
    """A cost may fall until a transport that carries more of the pair costs less."""
    inside = unique = 0
    for k in range(effort.cases(450)):
        rng = np.random.default_rng([23, k])
        m, n = (int(x) for x in rng.integers(1, 3, 2))
        most, price = rng.integers(1, 4, (m, n)), rng.integers(-3, 4, (m, n))
        every = np.array(list(itertools.product(*(range(c + 1) for c in most.ravel().tolist()))))
        every = every.reshape(-1, m, n)
        constraints = [Capacity(by_place(dict(np.ndenumerate(most))))]
        for axis, side in ((2, "predicted"), (1, "true")):
            for i in range(every.shape[3 - axis]):
                low, high = sorted(rng.integers(0, 5, 2).tolist())
                constraints.append(Degree(side, low, high, where=(f"c{i}",)))
                units = every.sum(axis)[:, i]
                every = every[(units >= low) & (units <= high)]
        low, high = sorted(rng.integers(0, 7, 2).tolist())
        constraints.append(Cardinality(low, high))
        every = every[(every.sum((1, 2)) >= low) & (every.sum((1, 2)) <= high)]
        if not len(every):
            continue
        cost = by_place(dict(np.ndenumerate(price)))
        problem = formulate(Rule(cost, tuple(constraints), signed=True), pairs_of(m, n))
        pairing, told, _ = told_of(problem)
        costs = (every * price).sum((1, 2))
        assert pairing.cost[0] == costs.min()
        assert told.unique[0] == ((costs == costs.min()).sum() == 1)
        unique += told.unique[0]
        for e, units in enumerate(pairing.units.tolist()):
            more = every[:, problem.pairs.predicted_at[e], problem.pairs.true_at[e]] - units
            for room, sign in ((told.may_fall[e], 1), (told.may_rise[e], -1)):
                others = more * sign > 0
                best = ((costs - costs.min())[others] / np.abs(more[others])).min(initial=math.inf)
                assert room == best, (k, e)
            inside += math.inf not in (told.may_fall[e], told.may_rise[e])
    assert inside or not effort.exhaustive
    assert unique


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
