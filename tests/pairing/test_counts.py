"""Costs of how many: tables, soft bounds, groups on either side; all against enumeration."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Hierarchy,
    Hops,
    LabelSets,
    Lexicographic,
    Rule,
    Unmatched,
)
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import Pairs, formulate, solve_pairing
from tests import effort
from tests.oracles.counted_pairs import best_pairing
from tests.paths import SHARED

FLAT = Hierarchy.from_parents({f"c{i}": None for i in range(8)}, roots="any")
FOLDER = SHARED / "pairing"
VECTORS = ("2_convex_costs", "3_soft_bounds", "5_groups")


def pairs_of(n_predicted, n_true, instances=1):
    """All pairs of instances with so many labels a side."""
    sides = [
        LabelSets.from_arrays(
            np.arange(instances + 1) * n, np.tile(np.arange(n), instances), len(FLAT)
        )
        for n in (n_true, n_predicted)
    ]
    return Pairs.between(FLAT, *sides)


def number(text):
    return None if text is None else Fraction(text)


def rule_of(case, n_costs=None):
    """The rule of a case in the words of the library; labels are classes c0, c1 …"""
    costs = [case["price"]] if n_costs is None else case["price_in_turn"]

    def priced(table):
        return lambda pairs: np.array(
            [
                math.inf if table[p][t] is None else Fraction(table[p][t])
                for p, t in zip(pairs.predicted_at.tolist(), pairs.true_at.tolist(), strict=True)
            ],
            dtype=object,
        )

    cost = priced(costs[0]) if n_costs is None else Lexicographic(tuple(map(priced, costs)))
    return Rule(cost, tuple(constraint_of(d, n_costs) for d in case["rule"]["demands"]))


def constraint_of(said, n_costs=None):
    kind, low, high = said["type"], said.get("at_least", 0), said.get("at_most")
    soft = {k: number(said[k]) for k in ("under", "over") if k in said}
    labels = said.get("labels", said.get("members"))
    where = labels and tuple(f"c{i}" for i in labels)

    def members(labels):
        return np.where(np.isin(labels.classes, said["members"]), 0, -1)

    if kind in ("degree", "soft_degree"):
        return Degree(said["side"], low, high, where=where, **soft)
    if kind == "unmatched":
        price = said["price"] if n_costs is None else tuple(map(number, said["price_in_turn"]))
        return Unmatched(said["side"], number(price) if n_costs is None else price, where=where)
    if kind in ("degree_cost", "total_cost"):
        if n_costs is None:
            table = tuple(map(number, said["cost"]))
        else:
            table = tuple(x and tuple(map(number, x)) for x in said["cost_in_turn"])
        if kind == "total_cost":
            return CountCost("instance", table)
        return CountCost(said["side"], table, where=where)
    if kind == "group":
        return Groups(said["side"], members, high, low, **soft)
    if kind == "partner_group":
        own = (f"c{said['label']}",)
        return Groups(said["side"], members, high, low, of="partners", where=own, **soft)
    assert kind == "total"
    return Cardinality(low, high, **soft)


def cases(names=VECTORS):
    for name in names:
        path = FOLDER / f"{name}.json"
        yield from json.loads(path.read_text())["cases"] if path.exists() else ()


@pytest.mark.skipif(not FOLDER.exists(), reason="no vectors of pairing rules")
@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name):
    found = 0
    for case in cases([name]):
        pairs = pairs_of(len(case["predicted"]), len(case["true"]))
        problem = formulate(rule_of(case), pairs)
        expect = case["expect"]
        if expect.get("infeasible"):
            with pytest.raises(Infeasible):
                solve_pairing(problem)
        else:
            pairing = solve_pairing(problem)
            assert pairing.cost[0] == float(Fraction(expect["cost"])), case["id"]
            if expect["optima"] == 1:
                chosen = np.flatnonzero(pairing.chosen)
                got = [[int(pairs.predicted_at[i]), int(pairs.true_at[i]), 1] for i in chosen]
                assert got == expect["pairs"], case["id"]
        found += 1
    assert found == 60


# ------------------------------------------------------------------------------ random problems


def weigh(n, cost):
    return tuple(n * x for x in cost) if isinstance(cost, tuple) else n * cost


def plus(a, b):
    return tuple(map(sum, zip(a, b, strict=True))) if isinstance(a, tuple) else a + b


def convex(rng, most, low=None, n_costs=None):
    """A random convex table of costs of 0 … most units; None where so many are not allowed."""
    first = int(rng.integers(0, 2)) if low is None else low
    last = int(rng.integers(first, most + 1))
    if n_costs is None:
        slopes, values = (
            [Fraction(int(x), 2) for x in rng.integers(-6, 9, last - first)],
            [Fraction(0)],
        )
    else:  # steps rise in lexicographic order
        slopes, values = (
            [*map(tuple, rng.integers(-2, 4, (last - first, n_costs)).tolist())],
            [(0,) * n_costs],
        )
    for slope in sorted(slopes):
        values.append(plus(values[-1], slope))
    if n_costs is None:
        values = [v - min(values) for v in values]
    return (*[None] * first, *values)


def cost_of_table(table):
    return lambda n: math.inf if n >= len(table) or table[n] is None else table[n]


def soft(low, high, under, over):
    return lambda n: plus(weigh(max(low - n, 0), under), weigh(max(n - high, 0), over))


def hard(low, high):
    return lambda n: 0 if low <= n <= high else math.inf


def priced(price, k=None):
    """A cost, or one of several, by (predicted, true) position; what is missing is impossible."""

    def cost(pairs):
        ends = zip(pairs.predicted_at.tolist(), pairs.true_at.tolist(), strict=True)
        found = (price.get(pair, math.inf) for pair in ends)
        return np.array([x[k] if isinstance(x, tuple) else x for x in found], dtype=object)

    return cost


def random_rule(rng, n_predicted, n_true, n_costs=None, scale=1):
    """Constraints with what they say of sets of pairs, for the oracle."""
    count = {"predicted": n_predicted, "true": n_true}
    every = list(itertools.product(range(n_predicted), range(n_true)))
    constraints, said = [], []

    def add(constraint, members, costs, *more):
        constraints.extend((constraint, *more))
        said.append((members, costs))

    def cost(high, below=1):
        if n_costs is None:
            return Fraction(int(rng.integers(0, high)), below)
        return tuple(int(x) * scale for x in rng.integers(0, 4, n_costs))

    def grouped(some):
        return lambda labels: np.where(np.isin(labels.classes, list(some)), 0, -1)

    for at, (side, n_labels) in enumerate(count.items()):
        others = count["true" if side == "predicted" else "predicted"]
        for label in range(n_labels):
            where, own = (f"c{label}",), {p for p in every if p[at] == label}
            kind = rng.integers(0, 5)
            low, more = (int(x) for x in rng.integers(0, 3, 2))
            bounds = Degree(side, low, low + more, where=where)
            if kind == 0:
                add(bounds, own, hard(low, low + more))
            elif kind == 1:
                under, over = cost(9, 3), cost(9, 3)
                soft_bounds = Degree(side, low, low + more, where, under, over)
                add(soft_bounds, own, soft(low, low + more, under, over))
            elif kind == 2:
                table = convex(rng, others + 1, None, n_costs)
                add(CountCost(side, table, where=where), own, cost_of_table(table))
            elif kind == 3:
                miss = cost(6)
                alone = Unmatched(side, miss, where=where)
                add(
                    Degree(side, low, where=where),
                    own,
                    soft(low, math.inf, miss, weigh(0, miss)),
                    alone,
                )
        labels = rng.permutation(n_labels)
        for size in sorted(rng.integers(0, n_labels + 1, 2).tolist(), reverse=rng.random() < 0.5):
            some = set(labels[:size].tolist())
            members = {p for p in every if p[at] in some}
            low, more = int(rng.integers(0, 2)), int(rng.integers(0, 4))
            if some and rng.random() < 0.5:
                add(Groups(side, grouped(some), low + more, low), members, hard(low, low + more))
            elif some:
                table = convex(rng, len(members), 0, n_costs)
                add(CountCost(side, table, groups=grouped(some)), members, cost_of_table(table))
        if rng.random() < 0.5:
            own, most, over = int(rng.integers(0, n_labels)), int(rng.integers(0, 3)), cost(3)
            some = {x for x in range(others) if rng.random() < 0.6}
            members = {p for p in every if p[at] == own and p[1 - at] in some}
            where = (f"c{own}",)
            partners = Groups(side, grouped(some), most, of="partners", where=where, over=over)
            add(partners, members, soft(0, most, weigh(0, over), over))
    if rng.random() < 0.6:
        low, more = (int(x) for x in rng.integers(0, 4, 2))
        under, over = cost(3), cost(3)
        total = Cardinality(low, low + more, under=under, over=over)
        add(total, set(every), soft(low, low + more, under, over))
    order = rng.permutation(len(constraints))
    return tuple(constraints[i] for i in order), said


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(2))
def test_rules_with_costs_of_counts_against_enumeration(seed):
    infeasible = 0
    for k in range(effort.cases(750)):
        rng = np.random.default_rng([seed, k])
        m, n = (int(x) for x in rng.integers(1, 4, 2))
        price = {
            pair: Fraction(int(rng.integers(0, 20)), 2)
            for pair in itertools.product(range(m), range(n))
            if rng.random() < 0.85
        }

        constraints, said = random_rule(rng, m, n)
        best = best_pairing(m, n, price, said)
        rule = Rule(priced(price), constraints)
        if best is None:
            infeasible += 1
            with pytest.raises((Infeasible, BadInput), match=r"contradicts|instance 0"):
                solve_pairing(formulate(rule, pairs_of(m, n)))
            continue
        problem = formulate(rule, pairs_of(m, n))
        pairing = solve_pairing(problem)
        assert pairing.cost[0] == pytest.approx(float(best[0]), abs=1e-12), (seed, k)
        proof = proof_of(problem, pairing)
        assert proof.optimal
        assert proof.bound == pytest.approx(float(best[0]), abs=1e-9)
        chosen = {
            (int(problem.pairs.predicted_at[i]), int(problem.pairs.true_at[i]))
            for i in np.flatnonzero(pairing.chosen)
        }
        paid = sum(price[p] for p in chosen) + sum(f(len(chosen & s)) for s, f in said)
        assert paid == best[0]
    assert infeasible < 0.6 * effort.cases(750)


def test_an_instance_without_a_pairing_leaves_the_others_alone():
    """A table that allows none of the numbers that there can be, in one of three instances."""
    one = [["c0", "c1"], ["c0"], ["c1", "c2"]]
    pairs = Pairs.between(FLAT, *(LabelSets.from_labels(one, FLAT) for _ in range(2)))
    rule = Rule(
        lambda p: 1.0 * (p.true != p.predicted), (CountCost("instance", (None, None, 2, 2)),)
    )
    found = solve_pairing(formulate(rule, pairs), on_infeasible="nan")
    assert found.cost.tolist()[::2] == [2, 2]
    assert np.isnan(found.cost[1])
    assert found.infeasible.tolist() == [1]


# ------------------------------------------------------------------------------ what is refused


PAIRS = pairs_of(3, 3)
REFUSED = [
    (lambda: CountCost("true", (0, 5, 6)),
     "CountCost('true', costs=(0, 5, 6)), the true class 'c0': partner 2 costs 1 and partner 1 " "costs 5; a flow needs costs per partner that do not fall"),
    (lambda: CountCost("true", (0, None, 1)), "a flow cannot leave out a number between two others"),
    (lambda: CountCost("true", (0, None, None, 1)), "a flow cannot leave out a number between two others"),
    (lambda: CountCost("true", (0, "x")), "holds numbers and None, got 'x'"),
    (lambda: CountCost("true", (0, float("nan"))), "holds numbers and None, got nan"),
    (lambda: CountCost("true", 3), "is a sequence of numbers for 0, 1, 2"),
    (lambda: CountCost("both", (0, 1)), "of must be one of 'predicted', 'true', 'instance', got 'both'"),
    (lambda: CountCost("instance", (0, 1), where=("c1",)), "costs are of instances, of groups, or of labels"),
    (lambda: CountCost("true", (0, -1)), "has a negative cost"),
    (lambda: CountCost("true", lambda labels, n: np.zeros(7)), "must give one number per label (3,), got"),
    (lambda: CountCost("true", lambda labels, n: n * labels.classes * np.nan), "is nan; it must be a number"),
    (lambda: CountCost("true", lambda labels, n: np.full(len(labels), math.inf if n == 1 else 0.0)),
     "the true class 'c0' may have numbers of units with others between"),
    (lambda: CountCost("true", ((0, 0), (1, 0))), "has 2 costs and the cost of pairs 1"),
    (lambda: Degree("true", 1, 2, under=-1), "the cost 'under' must be a number ≥ 0, got -1"),
    (lambda: Degree("true", 1, 2, over={"c1": "x"}), "the cost 'over' must be a number ≥ 0"),
    (lambda: Degree("true", 2, 1, under=1), "at least 2 and at most 1"),
    (lambda: Groups("true", lambda x: x.classes, 1, of="pairs"), "of must be one of 'labels', 'partners', got"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_is_no_cost_of_a_count_is_refused_by_name(make, message):
    with pytest.raises(BadInput) as caught:
        solve_pairing(formulate(Rule(lambda p: 0.0 * p.true_at, (make(),)), PAIRS))
    assert message in str(caught.value)


def test_tables_that_another_constraint_makes_convex_are_accepted():
    dip = CountCost("true", (0, 4, 5))
    bend = CountCost("true", (0, 0, 3))
    rule = Rule(lambda pairs: 0.0 * pairs.true_at, (dip, bend, Degree("true", 1)))
    assert solve_pairing(formulate(rule, PAIRS)).cost[0] == 12
    only = Rule(lambda pairs: 0.0 * pairs.true_at, (dip, Degree("true", 0, 1)))
    assert solve_pairing(formulate(only, PAIRS)).cost[0] == 0


def test_groups_that_cross_are_named():
    def pairs_of_two(first):
        return lambda labels: np.where(np.isin(labels.classes, (first, first + 1)), 0, -1)

    rule = Rule(Hops(), (Groups("true", pairs_of_two(0), 1), Groups("true", pairs_of_two(1), 1)))
    with pytest.raises(BadInput) as caught:
        solve_pairing(formulate(rule, PAIRS))
    assert str(caught.value) == (
        "instance 0: the true group c0, c1 and the true group c1, c2 overlap, and neither contains "
        "the other; a flow can nest groups of a side, not cross them"
    )
