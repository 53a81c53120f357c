"""Every kind of constraint against enumeration and vectors: cost, pairs, proof, and what cannot be."""

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Lexicographic,
    Mass,
    Quota,
    Rule,
    Unmatched,
)
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import Pairs, WhatIf, build, formulate, solve_pairing
from hierpair.pairing.pairings import why_no_smaller
from hierpair.solvers import check, solve
from hierpair.solvers import flow as networks
from tests import effort
from tests.oracles.counted_pairs import best_pairing
from tests.oracles.lexicographic_pairs import best_lexicographic
from tests.oracles.moved_units import best_transport
from tests.pairing.random_rules import (
    Layout,
    by_pair,
    pairs_of,
    priced,
    random_bottleneck,
    random_layout,
    random_masses,
    random_quotas,
    random_repeated,
    random_rule,
)
from tests.paths import SHARED

LIMITS = (networks.COMBINED_LIMIT, 0)
"""All costs as one number, or one after the other."""


class Case(NamedTuple):
    """A rule, and the least costs in turn that enumeration finds; None: there is no pairing."""

    rule: Rule
    pairs: Pairs
    best: tuple[Any, ...] | None
    paid: Callable[..., Any] = lambda problem, pairing: None  # what the pairs cost, told slowly
    more: Callable[..., Any] = lambda problem, pairing: None  # what else holds


def carried(problem, pairing):
    """What every chosen pair carries, by places of its labels."""
    ends = problem.pairs.predicted_at.tolist(), problem.pairs.true_at.tolist()
    whole = None if pairing.whole is None else int(pairing.whole[0])
    each = ((p, t, n) for p, t, n in zip(*ends, pairing.carried.tolist(), strict=True) if n)
    return {(p, t): n if whole is None else Fraction(n, whole) for p, t, n in each}


def told(price, said, of=carried):
    """What a pairing costs by what was said."""

    def paid(problem, pairing):
        units = of(problem, pairing)
        counted = (f(sum((units.get(p, 0) for p in s), 0)) for s, f in said)
        return sum(price[p] * x for p, x in units.items()) + sum(counted)

    return paid


def priced_at_random(rng):
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    every = itertools.product(range(m), range(n))
    price = {p: Fraction(int(rng.integers(0, 20)), 2) for p in every if rng.random() < 0.85}
    return m, n, price


def counts(rng, made=random_rule):
    """Bounds, soft bounds and costs of labels, groups, partners, instances."""
    m, n, price = priced_at_random(rng)
    constraints, said = made(rng, m, n)
    best = best_pairing(m, n, price, said)
    rule = Rule(priced(price), constraints)
    return Case(rule, pairs_of(m, n), best and best[:1], told(price, said))


def repeated(rng):
    return counts(rng, random_repeated)


def in_turn(rng):
    """The same with several costs."""
    n_costs, scale = int(rng.integers(2, 5)), int(rng.choice([1, 1, 2**20, 2**40]))
    m, n = (int(x) for x in rng.integers(1, 4, 2))
    price = {
        pair: tuple(int(x) * scale for x in rng.integers(0, 4, n_costs))
        for pair in itertools.product(range(m), range(n))
        if rng.random() < 0.85
    }
    constraints, said = random_rule(rng, m, n, n_costs, scale)

    def tuples(costs):
        def found(k):
            cost = costs(k)
            return (
                None if cost == math.inf else cost if isinstance(cost, tuple) else (cost,) * n_costs
            )

        return found

    best = best_lexicographic(n_costs, price, [(s, tuples(costs)) for s, costs in said])
    cost = Lexicographic(tuple(priced(price, k) for k in range(n_costs)))
    return Case(Rule(cost, constraints, signed=True), pairs_of(m, n), best)


def masses(rng):
    """Masses, capacities, and all bounds in parts."""
    rule, pairs, known = random_masses(rng)
    best = best_transport(*known)
    return Case(rule, pairs, None if best is None else (best,), told(known[0], known[3]))


def quotas(rng):
    """Bounds over several instances."""
    n, instance_of, class_of = random_layout(rng)
    layout = Layout(instance_of, class_of, n)
    every, constraints, said = random_quotas(rng, layout, n, instance_of, class_of)
    price = {e: Fraction(int(rng.integers(0, 20)), 2) for e in every if rng.random() < 0.9}
    best = best_pairing(0, 0, price, said)

    def chosen(problem, pairing):
        assert problem.joined
        assert pairing.cost.shape == (1,)
        return dict.fromkeys(layout.chosen(pairing), 1)

    rule = Rule(layout.priced(price), constraints)
    return Case(rule, layout.pairs, best and best[:1], told(price, said, chosen))


def bottleneck(rng):
    """The least largest cost, then the least sum."""
    if (drawn := random_bottleneck(rng)) is None:
        return None
    rule, pairs, best = drawn
    if best is None:
        return Case(rule, pairs, None)
    (largest, total), many = best

    def more(problem, pairing):
        assert problem.limit.largest[0] == float(largest)
        assert WhatIf(problem, pairing).unique[0] == (many == 1)
        assert (why_no_smaller(problem, 0) is None) == (largest == 0)

    return Case(rule, pairs, (total,), more=more)


def costs_of(problem, limit):
    """The pairing of one problem and what it costs by each cost, proved without the solver."""
    with patch.object(networks, "COMBINED_LIMIT", limit):
        pairing = solve_pairing(problem)
        network, _ = build(problem)
        assert check(network, solve(network)).optimal
    proof = proof_of(problem, pairing)
    assert proof.optimal
    assert proof.bound == pytest.approx(pairing.cost[0], abs=1e-9)
    return pairing, proof.costs if len(problem.costs) > 1 else (pairing.cost[0],)


CANNOT = r"contradicts|instance 0|holds|flow|cannot|can get only|required|these"
KINDS = (counts, repeated, in_turn, masses, quotas, bottleneck)


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_constraint(kind, seed):
    infeasible, cases = 0, effort.cases(750)
    for k in range(cases):
        case = kind(np.random.default_rng([seed, k]))
        if case is None:
            continue
        several = isinstance(case.rule.cost, Lexicographic)
        for limit in LIMITS if several else LIMITS[:1]:
            if case.best is None:
                infeasible += limit > 0
                with (
                    patch.object(networks, "COMBINED_LIMIT", limit),
                    pytest.raises((Infeasible, BadInput), match=CANNOT),
                ):
                    solve_pairing(formulate(case.rule, case.pairs))
                continue
            problem = formulate(case.rule, case.pairs)
            pairing, costs = costs_of(problem, limit)
            assert costs == pytest.approx([float(c) for c in case.best], abs=1e-12), (seed, k)
            assert pairing.gap[0] == 0
            assert case.paid(problem, pairing) in (None, case.best[0]), (seed, k)
            case.more(problem, pairing)
    assert infeasible < (0.97 if kind is repeated else 0.6) * cases


def number(text):
    return None if text is None else Fraction(text)


def table_of(rows):
    """Costs by (predicted, true) of those that are not null."""
    cells = ((p, t, x) for p, row in enumerate(rows) for t, x in enumerate(row))
    return {(p, t): Fraction(x) for p, t, x in cells if x is not None}


def constraint_of(said, several=False, layout=None, unit=None):
    """A constraint of a vector in the words of the library; labels are classes c0, c1 …"""
    kind, side = said["type"], said.get("side")
    low, high = said.get("at_least", 0), said.get("at_most")
    paid = {k: number(said[k]) for k in ("under", "over") if k in said}
    labels = said.get("labels", said.get("members"))
    where = labels and tuple(f"c{i}" for i in labels)

    def members(given):
        inside = np.isin(given.classes, said["members"])
        return np.where(layout.mask(side, said["members"])(given) if layout else inside, 0, -1)

    if layout and kind in ("total", "group"):
        return Quota(side, None if kind == "total" else members, low, high, **paid)
    if layout:
        where = layout.mask(side, said["labels"])
    if unit is not None:
        low, high = (low or 0) * unit, (high or 0) * unit
        if kind == "degree":
            return Mass(side, high, where, lower=None if low == high else low)
    if kind in ("degree", "soft_degree"):
        return Degree(side, low, high, where=where, **paid)
    if kind == "unmatched":
        price = tuple(map(number, said["price_in_turn"])) if several else number(said["price"])
        return Unmatched(side, price, where=where)
    if kind in ("degree_cost", "total_cost"):
        table = tuple(map(number, said["cost"])) if not several else tuple(
            x and tuple(map(number, x)) for x in said["cost_in_turn"]
        )  # fmt: skip
        total = kind == "total_cost"
        return CountCost("instance", table) if total else CountCost(side, table, where=where)
    if kind == "group":
        return Groups(side, members, high, low, **paid)
    if kind == "partner_group":
        own = (f"c{said['label']}",)
        return Groups(side, members, high, low, of="partners", where=own, **paid)
    assert kind == "total"
    return Cardinality(low, high, **paid)


FOLDER = SHARED / "pairing"
FILES = ("2_convex_costs", "3_soft_bounds", "4_masses", "5_groups", "6_budgets", "7_in_turn")


def vector(name, case, unit):
    """The rule of a case and its pairs, and how to tell what is chosen."""
    layout = None
    if name == "6_budgets":
        n = 1 + max(max(x) for x in case["instance_of"].values())
        layout = Layout(case["instance_of"], case["class_of"], n)
    tables = case.get("price_in_turn") or [case["price"]]
    make = layout.priced if layout else priced
    costs = tuple(make(table_of(table)) for table in tables)
    several = len(costs) > 1
    said = [constraint_of(d, several, layout, unit) for d in case["rule"]["demands"]]
    if unit is not None:
        rows = enumerate(case["rule"]["capacity"])
        said.append(by_pair({(p, t): k * unit for p, row in rows for t, k in enumerate(row)}))
    rule = Rule(Lexicographic(costs) if several else costs[0], tuple(said))
    pairs = layout.pairs if layout else pairs_of(len(case["predicted"]), len(case["true"]))
    return rule, pairs, layout


@pytest.mark.skipif(not FOLDER.exists(), reason="no vectors of pairing rules")
@pytest.mark.parametrize(
    ("name", "limit"),
    [*((name, LIMITS[0]) for name in FILES), ("4_masses", 0), ("7_in_turn", 0)],
)
def test_vectors(name, limit):
    """Of masses in units of the mass 1, too; several costs as one number, or one by one."""
    found = json.loads((FOLDER / f"{name}.json").read_text())["cases"]
    assert len(found) == 60
    for case in found:
        unit, expect = None, case["expect"]
        if name == "4_masses":
            unit = Fraction(case["unit"]) if limit else Fraction(1)
        rule, pairs, layout = vector(name, case, unit)
        if expect.get("infeasible"):
            with patch.object(networks, "COMBINED_LIMIT", limit), pytest.raises(Infeasible):
                solve_pairing(formulate(rule, pairs))
            continue
        pairing, costs = costs_of(problem := formulate(rule, pairs), limit)
        wanted = [float(Fraction(x)) for x in expect.get("cost_in_turn", [expect.get("cost")])]
        scale = 1 if unit is None or limit else float(Fraction(case["unit"]))
        assert [c * scale for c in costs] == pytest.approx(wanted, abs=1e-12), case["id"]
        if expect.get("optima") == 1 and len(wanted) == 1:
            chosen = layout.chosen(pairing) if layout else carried(problem, pairing)
            got = sorted([p, t] for p, t in chosen)
            assert got == sorted([p, t] for p, t, _ in expect["pairs"]), case["id"]
            if unit is not None:
                units = sorted([p, t, x / unit] for (p, t), x in chosen.items())
                assert units == sorted(expect["pairs"]), case["id"]
