"""Is a pairing the only best one, what is second best, what would change it: by enumeration."""

import itertools
import math
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Bottleneck,
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Hierarchy,
    Lexicographic,
    Quota,
    Rule,
    Unmatched,
    explain,
)
from hierpair.pairing import WhatIf, best_pairings, formulate, solve_pairing
from tests import effort
from tests.oracles.all_pairings import AllPairings, relaxed
from tests.pairing.random_rules import pairs_of, priced, random_rule


def random_problem(rng):
    """A random problem and all of its pairings; None without any."""
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    price = {
        pair: Fraction(int(rng.integers(0, 3)))
        for pair in itertools.product(range(m), range(n))
        if rng.random() < 0.85
    }

    constraints, said = random_rule(rng, m, n)
    every = AllPairings(price, said)
    return (
        (every, formulate(Rule(priced(price), constraints), pairs_of(m, n)))
        if every.costs()
        else None
    )


def ends_of(problem, numbers):
    pairs = problem.pairs
    return frozenset((int(pairs.predicted_at[i]), int(pairs.true_at[i])) for i in numbers)


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
def test_alternatives_and_savings_against_enumeration(seed):
    checked = several = saving = 0
    for k in range(effort.cases(800)):
        drawn = random_problem(np.random.default_rng([20, seed, k]))
        if drawn is None:
            continue
        every, problem = drawn
        if any(c.kind != "label" and len(c.said) > 1 for c in problem.counts):
            continue  # a bound that two constraints give is told once
        pairing = solve_pairing(problem)
        told = WhatIf(problem, pairing)
        costs = every.costs()
        best = ends_of(problem, np.flatnonzero(pairing.chosen))
        second = costs[1] - costs[0] if len(costs) > 1 else math.inf
        assert told.unique.tolist() == [second > 0]
        assert told.further[0] == float(second), (seed, k)
        (pairs,) = told.changes
        if second < math.inf:
            assert every.cost_of(best ^ ends_of(problem, pairs)) == costs[1]
        else:
            assert not len(pairs)
        ranges = every.ranges(best)
        for i in np.flatnonzero(problem.candidate):
            (pair,) = ends_of(problem, [i])
            assert (told.may_fall[i], told.may_rise[i]) == ranges[pair], (seed, k, pair)
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
        assert got == want, (seed, k)
        checked += 1
        several += second == 0
        saving += sum(want.values())
    assert checked > 0.3 * effort.cases(800)
    assert several > 0.02 * checked
    assert saving > 0.3 * checked


def test_a_unit_of_a_table_that_is_longer_than_there_are_partners_saves():
    """One unit is needed and costs 2, and a second one, for which there is no partner, would not."""
    table = CountCost("predicted", (None, 2, 0))
    problem = formulate(Rule(lambda pairs: np.zeros(len(pairs)), (table,)), pairs_of(1, 1))
    rows = WhatIf(problem, solve_pairing(problem)).savings
    assert max(row.saved.max(initial=0) for row in rows if row.bound == "at least") == 2


def one_to_one(default):
    return tuple(c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, default)))


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
def test_lexicographic_costs_against_enumeration(seed):
    """Two costs in turn: uniqueness of both together, second best and ranges of the first."""
    later = 0
    for k in range(effort.cases(200)):
        rng = np.random.default_rng([21, seed, k])
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        tables = rng.integers(0, 4, (2, m, n))
        costs = tuple(
            lambda pairs, table=table: table[pairs.predicted_at, pairs.true_at] for table in tables
        )
        default = tuple(int(x) for x in rng.integers(0, 4, 2))
        problem = formulate(Rule(Lexicographic(costs), one_to_one(default)), pairs_of(m, n))
        pairing = solve_pairing(problem)
        told = WhatIf(problem, pairing)
        weigh = np.array([1000, 1])  # no later total is as large
        price = {p: int(weigh @ tables[:, *p]) for p in itertools.product(range(m), range(n))}
        missing = int(weigh @ default)

        def lone(units, missing=missing):
            return math.inf if units > 1 else missing * (1 - units)

        said = [({p for p in price if p[0] == i}, lone) for i in range(m)]
        said += [({p for p in price if p[1] == j}, lone) for j in range(n)]
        every = AllPairings(price, said)
        least, *others = every.costs()
        best = ends_of(problem, np.flatnonzero(pairing.chosen))
        assert every.cost_of(best) == least
        assert told.unique[0] == (others[0] > least)
        assert told.further[0] == round((others[0] - least) / 1000)
        later += told.unique[0] and told.further[0] == 0
        ranges = every.ranges(best)
        for i in range(m * n):
            (pair,) = ends_of(problem, [i])
            for room, exact in zip((told.may_fall[i], told.may_rise[i]), ranges[pair], strict=True):
                assert room == (exact if exact == math.inf else round(exact / 1000)), (seed, k)
    assert later


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


def test_the_only_pairing_there_can_be():
    rule = Rule(lambda pairs: pairs.true_at + 2, (Degree("true", 1, 1),))
    problem = formulate(rule, pairs_of(1, 1))
    told = WhatIf(problem, solve_pairing(problem))
    assert told.unique[0]
    assert told.further[0] == told.may_fall[0] == told.may_rise[0] == math.inf


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
def test_ranges_of_costs_where_pairs_carry_units_against_enumeration(seed):
    """A cost may fall until a transport that carries more of the pair costs less."""
    inside = unique = 0
    for k in range(effort.cases(150)):
        rng = np.random.default_rng([23, seed, k])
        m, n = (int(x) for x in rng.integers(1, 3, 2))
        most = rng.integers(1, 4, (m, n))
        price = rng.integers(-3, 4, (m, n))
        bounds, constraints = {}, [Capacity(lambda p, c=most: c[p.predicted_at, p.true_at])]
        for side, count in (("predicted", m), ("true", n)):
            for i in range(count):
                low, high = sorted(rng.integers(0, 5, 2).tolist())
                bounds[side, i] = low, high
                constraints.append(Degree(side, low, high, where=(f"c{i}",)))
        low, high = sorted(rng.integers(0, 7, 2).tolist())
        constraints.append(Cardinality(low, high))
        every = np.array(list(itertools.product(*(range(c + 1) for c in most.ravel().tolist()))))
        every = every.reshape(-1, m, n)
        good = (every.sum((1, 2)) >= low) & (every.sum((1, 2)) <= high)
        for (side, i), (least, largest) in bounds.items():
            units = every[:, i].sum(1) if side == "predicted" else every[:, :, i].sum(1)
            good &= (units >= least) & (units <= largest)
        every = every[good]
        if not len(every):
            continue
        rule = Rule(
            lambda p, price=price: price[p.predicted_at, p.true_at], tuple(constraints), signed=True
        )
        problem = formulate(rule, pairs_of(m, n))
        pairing = solve_pairing(problem)
        told = WhatIf(problem, pairing)
        costs = (every * price).sum((1, 2))
        assert pairing.cost[0] == costs.min()
        assert told.unique[0] == ((costs == costs.min()).sum() == 1)
        unique += told.unique[0]
        for e, units in enumerate(pairing.units.tolist()):
            more = every[:, problem.pairs.predicted_at[e], problem.pairs.true_at[e]] - units
            for room, sign in ((told.may_fall[e], 1), (told.may_rise[e], -1)):
                others = more * sign > 0
                best = ((costs - costs.min())[others] / np.abs(more[others])).min(initial=math.inf)
                assert room == best, (seed, k, e)
            inside += math.inf not in (told.may_fall[e], told.may_rise[e])
    assert inside or not effort.exhaustive
    assert unique


def test_a_label_that_is_free_alone_is_not_missing_where_a_fallback_came_to_it():
    """The predicted label takes its cheapest pair as its fallback; the true one costs 0 alone."""
    sides = (Degree("predicted", 1), Unmatched("predicted", 5), Degree("true", 1))
    rule = Rule(lambda pairs: 1 + 0 * pairs.true_at, (*sides, Unmatched("true", 0)))
    problem = formulate(rule, pairs_of(1, 1))
    pairing = solve_pairing(problem)
    assert pairing.chosen.tolist() == [True]
    assert pairing.missing["true"].tolist() == [0]
    assert pairing.cost.tolist() == solve_pairing(problem, reduce=False).cost.tolist() == [1.0]
    assert WhatIf(problem, pairing).unique[0]


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
def test_the_best_pairings_one_after_the_other_against_enumeration(seed):
    several = 0
    for k in range(effort.cases(250)):
        rng = np.random.default_rng([24, seed, k])
        drawn = random_problem(rng)
        if drawn is None:
            continue
        every, problem = drawn
        n = int(rng.integers(1, 9))
        found = best_pairings(problem, n)
        costs = every.costs()[:n]
        assert [one.cost[0] for one in found] == [float(c) for c in costs], (seed, k)
        sets = [ends_of(problem, np.flatnonzero(one.chosen)) for one in found]
        assert len(set(sets)) == len(sets)
        assert [every.cost_of(picked) for picked in sets] == costs
        several += len(found) > 2
    assert several > 0.1 * effort.cases(250)


def test_the_best_pairings_are_told_of_one_instance_with_one_cost():
    price = Lexicographic((lambda p: p.true_at, lambda p: p.predicted_at))
    refused = [
        (Rule(lambda p: p.true_at, one_to_one(2)), 2, 3, "a single instance"),
        (Rule(price, one_to_one(2)), 1, 3, "single cost"),
        (Rule(lambda p: p.true_at, (*one_to_one(2), Capacity(2))), 1, 3, "masses"),
        (Rule(Bottleneck(lambda p: p.true_at), one_to_one(2)), 1, 3, "or a Bottleneck"),
        (Rule(lambda p: p.true_at, (Quota(upper=1),)), 1, 3, "not of quotas"),
        (Rule(lambda p: p.true_at, one_to_one(2)), 1, 0, "at least 1, got 0"),
    ]  # fmt: skip
    for rule, instances, k, why in refused:
        problem = formulate(rule, pairs_of(2, 2, instances=instances))
        with pytest.raises(BadInput, match=why):
            best_pairings(problem, k)


def test_what_cannot_be_told_is_said(monkeypatch):
    monkeypatch.setattr(sys.modules["hierpair.pairing.what_if"], "MOST_NODES", 2)
    flat = Hierarchy.from_edges([("r", name) for name in "abc"])
    [why] = explain(flat, [["a", "b"]], [["b", "c"]], "gie")
    assert why.evidence.unique is None
    told = "what would change the pairing is not told: 5 labels and groups are too many"
    assert told in why.to_text()
