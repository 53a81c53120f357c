"""Masses that are moved: the closed form, the flow, a slow reference, POT, and the vectors."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from hierpair import Hierarchy, LabelSets
from hierpair.pairing import Masses, cost_named, moving_prices, transport_costs
from hierpair.pairing.transport import carried_by_pairs
from tests import effort
from tests.oracles import pairs_and_sets as slow
from tests.paths import SHARED
from tests.scenarios import hierarchy_of, random_parents
from tests.strategies import problems

VECTORS = SHARED / "modern" / "wasserstein.json"


def laws(hierarchy, true, predicted):
    """Masses of laws given as [{class: mass}]."""
    sides = {"true": true, "predicted": predicted}
    sets, mass = {}, {}
    for side, rows in sides.items():
        at = [sorted((hierarchy.position[c], m) for c, m in row.items()) for row in rows]
        sets[side] = LabelSets.from_arrays(
            np.cumsum([0, *map(len, at)]),
            np.array([c for row in at for c, _ in row], dtype=np.int32),
            len(hierarchy),
        )
        mass[side] = np.array([m for row in at for _, m in row], dtype=float)
    return Masses.of_laws(hierarchy, sets["true"], sets["predicted"], mass)


def both_ways(masses, cost, default=None):
    """The costs that are chosen, and those of the flow whatever the hierarchy is."""
    cost = cost_named(cost)
    by_pairs = carried_by_pairs(masses, moving_prices(cost, masses.pairs, default))
    return transport_costs(masses, cost, default), by_pairs


@pytest.mark.skipif(not VECTORS.is_file(), reason=f"no {VECTORS}")
def test_vectors():
    for case in json.loads(VECTORS.read_text())["cases"]:
        edges = [(*e, w) for e, w in zip(case["edges"], case["weights"], strict=True)]
        hierarchy = Hierarchy.from_edges(edges, classes=case["classes"])
        masses = laws(hierarchy, [case["truth_mass"]], [case["prediction_mass"]])
        for found in both_ways(masses, "weights" if edges else "hops"):
            assert found == pytest.approx([case["expected"]["wasserstein"]], abs=1e-12)


def by_assignment(d, true, predicted):
    """Every label is cut into equal parts, and the parts are assigned one to one."""
    whole = math.lcm(len(true), len(predicted))
    parts = [[c for c in side for _ in range(whole // len(side))] for side in (predicted, true)]
    matrix = np.array([[d(p, t) for t in parts[1]] for p in parts[0]])
    if np.isinf(matrix).any():
        matrix = np.where(np.isinf(matrix), 1e6, matrix)
    cost = matrix[linear_sum_assignment(matrix)].sum() / whole
    return cost if cost < 1e4 else math.inf


@given(problems(max_classes=8, max_labels=4, weighted=True), st.booleans())
@settings(max_examples=effort.cases(300), deadline=None)
def test_label_sets_against_parts_that_are_assigned(problem, weighted):
    hierarchy, edges, y_true, y_pred = problem
    weighted = weighted and bool(edges)
    up = slow.weighted_up_distances if weighted else slow.up_distances

    def d(p, t):
        return slow.distance(up(edges, p), up(edges, t))

    sides = [LabelSets.from_labels(side, hierarchy) for side in (y_true, y_pred)]
    masses = Masses.of_sets(hierarchy, *sides)
    found = both_ways(masses, "weights" if weighted else "hops")
    for i, (true, predicted) in enumerate(zip(y_true, y_pred, strict=True)):
        want = by_assignment(d, true, predicted) if true and predicted else 0
        assert [way[i] for way in found] == pytest.approx([want, want], abs=1e-12)
    if not weighted:  # whole numbers over whole numbers: the same bits
        assert np.array_equal(*found)


def random_laws(rng, names, n, most=6):
    rows = []
    for _ in range(n):
        some = rng.choice(names, int(rng.integers(1, min(most, len(names)) + 1)), replace=False)
        mass = rng.random(len(some)) ** 4 + 1e-9
        rows.append(dict(zip(some.tolist(), (mass / mass.sum()).tolist(), strict=True)))
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_laws_both_ways_on_trees(seed):
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, 40)
    hierarchy = hierarchy_of(parents, weights=dict(enumerate(rng.random(40) * 3)))
    true, predicted = (random_laws(rng, list(parents), 30) for _ in range(2))
    masses = laws(hierarchy, true, predicted)
    for cost in ("weights", "hops", "decayed(w0=0.5)"):
        closed, flow = both_ways(masses, cost)
        assert flow == pytest.approx(closed, abs=1e-12)


def test_units_add_up_whatever_the_masses_are():
    tree = Hierarchy.from_edges([("r", f"c{i}") for i in range(50)])
    rng = np.random.default_rng(9)
    names = [f"c{i}" for i in range(50)]
    sides = [[dict(zip(names, rng.random(50) * 10.0**k, strict=True)) for k in range(-9, 9)]] * 2
    masses = laws(tree, sides[0], sides[1][::-1])
    for units in masses.units.values():
        assert (units >= 0).all()
        assert (units.reshape(18, 50).sum(axis=1) == masses.whole).all()
