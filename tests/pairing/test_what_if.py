"""Is a pairing the only best one, what is second best, what would change it: by enumeration."""

import itertools
import math
import sys
from collections import Counter
from fractions import Fraction

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
from tests.pairing.rules import SIDES, by_place, pairs_of, priced, random_rule


def random_problem(rng):
    """A random problem and all of its pairings; None without any."""
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    pairs = [p for p in np.ndindex(m, n) if rng.random() < 0.85]
    price = {pair: Fraction(int(rng.integers(0, 3))) for pair in pairs}
    constraints, said = random_rule(rng, m, n)
    every = AllPairings(price, said)
    return every.costs() and (every, formulate(Rule(priced(price), constraints), pairs_of(m, n)))


def drawn_problems(seed, cases):
    """Random problems that have a pairing, each with its number."""
    for k in range(effort.cases(cases)):
        rng = np.random.default_rng([seed, k])
        if drawn := random_problem(rng):
            yield k, rng, *drawn


def ends_of(problem, numbers):
    pairs = problem.pairs
    return frozenset((int(pairs.predicted_at[i]), int(pairs.true_at[i])) for i in numbers)


def told_of(problem):
    """The pairing, what is told of it, and its pairs."""
    pairing = solve_pairing(problem)
    return pairing, WhatIf(problem, pairing), ends_of(problem, np.flatnonzero(pairing.chosen))


def one_to_one(default):
    return tuple(c for s in SIDES for c in (Degree(s, 1, 1), Unmatched(s, default)))


@pytest.mark.random_cases
def test_alternatives_and_savings_against_enumeration():
    checked = several = saving = 0
    for k, _, every, problem in drawn_problems(20, 2400):
        if any(c.kind != "label" and len(c.said) > 1 for c in problem.counts):
            continue  # a bound that two constraints give is told once
        _, told, best = told_of(problem)
        costs = every.costs()
        second = costs[1] - costs[0] if len(costs) > 1 else math.inf
        assert told.unique.tolist() == [second > 0]
        assert told.further[0] == float(second), k
        (pairs,) = told.changes
        if second < math.inf:
            assert every.cost_of(best ^ ends_of(problem, pairs)) == costs[1]
        else:
            assert not len(pairs)
        ranges = every.ranges(best)
        for i in np.flatnonzero(problem.candidate):
            (pair,) = ends_of(problem, [i])
            assert (told.may_fall[i], told.may_rise[i]) == ranges[pair], (k, pair)
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
        checked += 1
        several += second == 0
        saving += sum(want.values())
    assert checked > 0.3 * effort.cases(2400)
    assert several > 0.02 * checked
    assert saving > 0.3 * checked


@pytest.mark.random_cases
def test_the_best_pairings_one_after_the_other_against_enumeration():
    several = 0
    for k, rng, every, problem in drawn_problems(24, 800):
        found = best_pairings(problem, n := int(rng.integers(1, 9)))
        costs = every.costs()[:n]
        assert [one.cost[0] for one in found] == [float(c) for c in costs], k
        sets = [ends_of(problem, np.flatnonzero(one.chosen)) for one in found]
        assert len(set(sets)) == len(sets)
        assert [every.cost_of(picked) for picked in sets] == costs
        several += len(found) > 2
    assert several > 0.1 * effort.cases(800)


@pytest.mark.random_cases
def test_lexicographic_costs_against_enumeration():
    """Two costs in turn: uniqueness of both together, second best and ranges of the first."""
    later = 0
    for k in range(effort.cases(600)):
        rng = np.random.default_rng([21, k])
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        tables, default = rng.integers(0, 4, (2, m, n)), tuple(rng.integers(0, 4, 2).tolist())
        costs = {p: tuple(tables[:, *p].tolist()) for p in np.ndindex(m, n)}
        problem = formulate(Rule(priced(costs, 2), one_to_one(default)), pairs_of(m, n))
        weigh = np.array([1000, 1])  # no later total is as large
        price = {p: int(weigh @ cost) for p, cost in costs.items()}
        missing = int(weigh @ default)

        def lone(units, missing=missing):
            return math.inf if units > 1 else missing * (1 - units)

        said = [({p for p in price if p[s] == i}, lone) for s in (0, 1) for i in range((m, n)[s])]
        every = AllPairings(price, said)
        least, *others = every.costs()
        _, told, best = told_of(problem)
        assert every.cost_of(best) == least
        assert told.unique[0] == (others[0] > least)
        assert told.further[0] == round((others[0] - least) / 1000)
        later += told.unique[0] and told.further[0] == 0
        ranges = every.ranges(best)
        for i in range(m * n):
            (pair,) = ends_of(problem, [i])
            for room, exact in zip((told.may_fall[i], told.may_rise[i]), ranges[pair], strict=True):
                assert room == (exact if exact == math.inf else round(exact / 1000)), k
    assert later


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
    rng = np.random.default_rng(5)
    cost = rng.integers(0, 4, 200)
    rule = Rule(lambda pairs: cost[: len(pairs.instance)], one_to_one(2))
    problem = formulate(rule, pairs_of(3, 4, instances=10))
    pairing = solve_pairing(problem)
    told = WhatIf(problem, pairing)
    unique, rows = told.unique, told.savings
    assert 0 < unique.sum() < 10
    for i in range(10):
        own = cost[slice(*problem.pairs.ptr[i : i + 2])]
        part = formulate(Rule(lambda pairs, own=own: own, one_to_one(2)), pairs_of(3, 4))
        alone = solve_pairing(part)
        of_one = WhatIf(part, alone)
        assert (of_one.unique[0], of_one.further[0]) == (unique[i], told.further[i])
        # the second best of equal cost may differ; what every pair has room for may not
        if unique[i]:
            here = slice(*problem.pairs.ptr[i : i + 2])
            assert np.array_equal(told.may_fall[here], of_one.may_fall)
            assert np.array_equal(told.may_rise[here], of_one.may_rise)
        for row, single in zip(rows, of_one.savings, strict=True):
            assert np.array_equal(row.saved[row.count.instance == i], single.saved)


def test_without_a_pairing_nothing_is_told_and_rounded_costs_are_no_ties():
    bounds = (Degree("predicted", 1, 1), Degree("true", 1, 1))
    problem = formulate(Rule(lambda pairs: 0.0 * pairs.true_at, bounds), pairs_of(2, 3))
    pairing = solve_pairing(problem, on_infeasible="nan")
    told = WhatIf(problem, pairing)
    assert not told.unique[0]
    assert np.isnan([told.further[0], *told.may_fall, *told.may_rise]).all()
    assert all(np.isnan(row.saved).all() for row in told.savings)
    # 0.1 + 0.2 and 0.3 are the same cost for all that the solver can tell
    table = np.array([[0.1, 0.3], [0.0, 0.2]])
    tied = Rule(lambda pairs: table[pairs.predicted_at, pairs.true_at], bounds)
    problem = formulate(tied, pairs_of(2, 2))
    assert not WhatIf(problem, solve_pairing(problem)).unique[0]
    dearer = table + np.array([[0, 1e-6], [0, 0]])
    apart = Rule(lambda pairs: dearer[pairs.predicted_at, pairs.true_at], bounds)
    problem = formulate(apart, pairs_of(2, 2))
    assert WhatIf(problem, solve_pairing(problem)).unique[0]
    assert WhatIf(problem, solve_pairing(problem)).further[0] == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize(
    ("rule", "cost", "rooms"),
    [
        (Rule(lambda p: p.true_at + 2, (Degree("true", 1, 1),)), 2, math.inf),
        # the predicted label takes its cheapest pair as its fallback; the true one costs 0 alone
        (Rule(lambda p: 1 + 0 * p.true_at, (Degree("predicted", 1), Unmatched("predicted", 5),
                                           Degree("true", 1), Unmatched("true", 0))), 1, 4),
    ],
)  # fmt: skip
def test_the_only_pairing_there_can_be(rule, cost, rooms):
    problem = formulate(rule, pairs_of(1, 1))
    pairing, told, best = told_of(problem)
    assert (best, pairing.cost.tolist()) == ({(0, 0)}, [cost])
    assert not any(x.any() for x in pairing.missing.values())
    assert solve_pairing(problem, reduce=False).cost.tolist() == [cost]
    assert (told.unique[0], told.further[0], told.may_rise[0]) == (True, rooms, rooms)
    assert told.may_fall[0] == math.inf


def test_a_unit_of_a_table_that_is_longer_than_there_are_partners_saves():
    """One unit is needed and costs 2, and a second one, for which there is no partner, would not."""
    table = CountCost("predicted", (None, 2, 0))
    problem = formulate(Rule(lambda pairs: np.zeros(len(pairs)), (table,)), pairs_of(1, 1))
    rows = WhatIf(problem, solve_pairing(problem)).savings
    assert max(row.saved.max(initial=0) for row in rows if row.bound == "at least") == 2


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
