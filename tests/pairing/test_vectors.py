"""Vectors of pairing rules and of transports, each with its least cost and its only optimum."""

import json
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

from hierpair import Hierarchy, LabelSets
from hierpair.errors import Infeasible
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import (
    Capacity,
    Masses,
    Require,
    Rule,
    cost_named,
    formulate,
    solve_pairing,
    transport_costs,
)
from hierpair.solvers import flow as networks
from tests.pairing.rules import Layout, Statement, by_place, carried, pairs_of, priced
from tests.pairing.test_enumeration import LIMITS
from tests.paths import SHARED

KINDS = {"degree": "label", "soft_degree": "label", "degree_cost": "label", "unmatched": "alone",
         "group": "group", "partner_group": "partners", "total": "total", "total_cost": "total"}  # fmt: skip


def number(x):
    """A number, several in turn, or None, of a vector."""
    return tuple(map(number, x)) if isinstance(x, list) else None if x is None else Fraction(x)


def statement_of(said, several_instances, unit):
    """A demand of a vector."""
    kind, low, high = KINDS[said["type"]], said.get("at_least", 0), said.get("at_most")
    members, partners = said.get("labels", said.get("members")), None
    if kind == "partners":
        members, partners = [said["label"]], tuple(said["members"])
    if several_instances and kind in ("group", "total"):
        kind = "quota"
    if unit is not None:
        kind = "mass" if kind == "label" else kind
        low, high = (low or 0) * unit, (high or 0) * unit
    under = said.get("price_in_turn", said.get("price", said.get("under")))
    costs = map(number, (under, said.get("over"), said.get("cost_in_turn", said.get("cost"))))
    members = None if members is None else tuple(members)
    return Statement(kind, said.get("side"), members, partners, low, high, *costs)


def rule_of(case, unit=None):
    """The rule of a case of the vectors, its pairs, and the layout of several instances."""
    m, n, layout = len(case["predicted"]), len(case["true"]), None
    if "instance_of" in case:
        last = max(max(x) for x in case["instance_of"].values())
        layout = Layout(case["instance_of"], case["class_of"], 1 + last)
    tables = case.get("price_in_turn") or [case["price"]]
    several, demands = len(tables) > 1, case["rule"]["demands"]
    price = {
        (p, t): number([table[p][t] for table in tables] if several else tables[0][p][t])
        for p, t in np.ndindex(m, n) if tables[0][p][t] is not None
    }  # fmt: skip
    statements = (statement_of(said, layout is not None, unit) for said in demands)
    constraints = [one for said in statements for one in said.constraints(layout)]
    if unit is not None:
        units = np.ndenumerate(case["rule"]["capacity"])
        constraints.append(Capacity(by_place({pair: int(k) * unit for pair, k in units})))
    required = np.argwhere(case["rule"].get("required", [])).tolist()
    constraints += [Require(tuple((f"c{p}", f"c{t}") for p, t in required))] * bool(required)
    cost = priced(layout.placed(price) if layout else price, several * len(tables))
    return Rule(cost, tuple(constraints)), layout.pairs if layout else pairs_of(m, n), layout


FOLDER = SHARED / "pairing"
FILES = ("2_convex_costs", "3_soft_bounds", "4_masses", "5_groups", "6_budgets", "7_in_turn")


@pytest.mark.skipif(not FOLDER.exists(), reason=f"no {FOLDER}; set HIERPAIR_DATA")
@pytest.mark.parametrize(
    ("name", "limit"),
    [*((name, LIMITS[0]) for name in FILES), ("4_masses", 0), ("7_in_turn", 0)],
)
def test_rules(name, limit):
    """Of masses in units of the mass 1, too; several costs as one number, or one by one."""
    found = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["cases"]
    assert len(found) == 60
    for case in found if limit else found[::2]:
        unit, expect = None, case["expect"]
        if name == "4_masses":
            unit = Fraction(case["unit"]) if limit else Fraction(1)
        rule, pairs, layout = rule_of(case, unit)
        if expect.get("infeasible"):
            with patch.object(networks, "COMBINED_LIMIT", limit), pytest.raises(Infeasible):
                solve_pairing(formulate(rule, pairs))
            continue
        problem = formulate(rule, pairs)
        with patch.object(networks, "COMBINED_LIMIT", limit):
            pairing = solve_pairing(problem)
        proof = proof_of(problem, pairing)
        assert proof.optimal
        costs = proof.costs if len(problem.costs) > 1 else (pairing.cost[0],)
        wanted = [float(Fraction(x)) for x in expect.get("cost_in_turn", [expect.get("cost")])]
        scale = 1 if unit is None or limit else float(Fraction(case["unit"]))
        assert [c * scale for c in costs] == pytest.approx(wanted, abs=1e-12), case["id"]
        if expect.get("optima") == 1 and len(wanted) == 1:
            chosen = layout.chosen(pairing) if layout else carried(problem, pairing)
            got = [[*pair, chosen[pair] / unit if unit else 1] for pair in sorted(chosen)]
            assert got == sorted([p, t, x if unit else 1] for p, t, x in expect["pairs"])


VECTORS = SHARED / "modern" / "wasserstein.json"


@pytest.mark.skipif(not VECTORS.is_file(), reason=f"no {VECTORS}; set HIERPAIR_DATA")
def test_transports():
    for case in json.loads(VECTORS.read_text())["cases"]:
        edges = [(*e, w) for e, w in zip(case["edges"], case["weights"], strict=True)]
        hierarchy = Hierarchy.from_edges(edges, classes=case["classes"])
        sets, mass = {}, {}
        for side, key in (("true", "truth_mass"), ("predicted", "prediction_mass")):
            sets[side] = LabelSets.from_labels([list(case[key])], hierarchy)
            at = {hierarchy.position[c]: x for c, x in case[key].items()}
            mass[side] = np.array([at[c] for c in sets[side].indices.tolist()])
        masses = Masses.of_laws(hierarchy, sets["true"], sets["predicted"], mass)
        found = transport_costs(masses, cost_named("weights" if edges else "hops"), None)
        assert found == pytest.approx([case["expected"]["wasserstein"]], abs=1e-12)
