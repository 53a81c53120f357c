"""Masses and capacities, and transports: exact units, floats, vectors, other programs, explanations."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from hierpair import (
    Hierarchy,
    LabelSets,
    explain,
    pair_measure,
    score,
)
from hierpair.errors import SolverLimit
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import (
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Hops,
    Mass,
    Masses,
    Rule,
    Unmatched,
    by_level,
    cost_named,
    formulate,
    moving_prices,
    solve_pairing,
    transport_costs,
)
from hierpair.pairing.transport import carried_by_pairs
from hierpair.plots import plot_pairing, save_picture
from tests import effort
from tests.oracles import pairs_and_sets as slow
from tests.pairing.rules import SIDES, by_place, pairs_of
from tests.paths import SHARED
from tests.strategies import problems

EVEN = tuple(Mass(s, 1, share=True) for s in SIDES)
DEAR = by_place({(0, 0): 0, (0, 1): 1, (1, 0): 2, (1, 1): 5})


def solved(said, price=DEAR, m=2, n=2):
    return solve_pairing(formulate(Rule(price, said), pairs_of(m, n)))


def of_classes(side, numbers, **options):
    """Masses by class, of which the first are given."""
    return Mass(
        side,
        np.append(numbers, np.zeros(8 - len(numbers), dtype=np.asarray(numbers).dtype)),
        **options,
    )


@pytest.mark.random_cases
def test_shares_are_balanced_without_rounding():
    for k in range(effort.cases(300)):
        rng = np.random.default_rng([7, k])
        m, n = (int(x) for x in rng.integers(1, 6, 2))
        a, b = rng.integers(1, 30, m), rng.integers(1, 30, n)
        a[0] += 1
        price = rng.integers(0, 50, (m, n))
        masses = [of_classes(side, x, share=True) for side, x in zip(SIDES, (a, b), strict=True)]
        rule = Rule(by_place(dict(np.ndenumerate(price))), tuple(masses))
        problem = formulate(rule, pairs_of(m, n))
        pairing = solve_pairing(problem)
        assert (int(a.sum()) * int(b.sum())) % int(pairing.whole[0]) == 0
        assert pairing.units.sum() == pairing.whole[0]
        assert pairing.gap[0] == 0
        best = transported(a / a.sum(), b / b.sum(), price)
        assert pairing.cost[0] == pytest.approx(best, abs=1e-9)
        assert proof_of(problem, pairing).optimal


def transported(a, b, price):
    """The least cost of a transport as a linear program over the reals."""
    rows = [np.indices(price.shape)[k].ravel() == i for k in (0, 1) for i in range(price.shape[k])]
    return linprog(price.ravel(), A_eq=np.array(rows, float), b_eq=np.concatenate([a, b])).fun


@pytest.mark.parametrize(
    ("predicted", "true", "whole", "cost"),
    [  # multiples of a power of two are exact
        ([0.25, 0.5], [0.625, 0.125], 8, 0.125 + 2 * 0.5 + 5 * 0),
        ([0.1, 0.9], [0.7, 0.3], 2**40, 0.1 + 2 * 0.7 + 5 * 0.2),
    ],
)
def test_floats_are_exact_or_rounded_so_that_sums_stay(predicted, true, whole, cost):
    pairing = solved((of_classes("predicted", predicted), of_classes("true", true)))
    assert pairing.whole[0] == whole
    assert pairing.units.sum() == whole * sum(predicted)
    assert (pairing.gap[0] == 0) == (whole == 8)
    assert pairing.gap[0] < 1e-10
    assert pairing.cost[0] == pytest.approx(cost, abs=pairing.gap[0] + 1e-15)


def test_masses_of_any_size_are_rounded_so_that_sums_stay():
    rng = np.random.default_rng(5)
    for _ in range(effort.cases(200)):
        n = int(rng.integers(1, 8))
        a = rng.random(n) * 10 ** rng.uniform(-3, 5)
        b = rng.permutation([a.sum(), *np.zeros(n - 1)])
        ones = by_place(dict.fromkeys(np.ndindex(n, n), 1))
        pairing = solved((of_classes("predicted", a), of_classes("true", b)), ones, n, n)
        assert pairing.cost[0] == pytest.approx(a.sum(), rel=1e-11)


def test_large_masses_are_exact_until_the_solver_refuses():
    huge = 2**55 + 1
    said = (Mass("predicted", {"c0": huge, "c1": 3}), Mass("true", {"c0": 4, "c1": huge - 1}))
    pairing = solved(said, lambda p: 2**6 + 0 * p.true)
    assert (int(pairing.units.sum()), pairing.cost[0]) == (huge + 3, 2**6 * (huge + 3))
    thirds = Mass("predicted", {"c0": Fraction(1, 2**31 - 1), "c1": Fraction(1, 2**61 - 1)})
    for too_large, message in (
        ((Mass("predicted", 2**61), Mass("true", 2**61)), r"2\*\*62 units or more"),
        ((thirds, Mass("true", 1), *(Unmatched(s, 9) for s in SIDES)), "common denominator"),
    ):
        with pytest.raises(SolverLimit, match=message):
            solved(too_large)


def test_results_do_not_depend_on_the_other_instances():
    """Units are of an instance, whatever else is in the batch."""
    said = (
        Mass("predicted", lambda x: np.array([Fraction(1 + int(c), 2 + int(i)) for c, i in zip(x.classes, x.instance, strict=True)], dtype=object), share=True),
        Mass("true", lambda x: 1 / (3 + x.classes), share=True),
        Cardinality(Fraction(1, 2)),
    )  # fmt: skip
    price = np.random.default_rng(2).integers(0, 9, (8, 8))
    rule = Rule(lambda pairs: price[pairs.predicted, pairs.true], said)
    together, alone = (solve_pairing(formulate(rule, pairs_of(3, 4, instances=k))) for k in (3, 1))
    assert together.cost[0] == alone.cost[0] > 0
    assert together.whole[0] == alone.whole[0]


# ------------------------------------------------------------------------------ in use


TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
TRUTH = [["c", "d"], ["b"], ["c"]]
SAID = [["a"], ["b", "c"], ["a", "b", "d"]]


def weighed(*said):
    """A measure of a user's own with these constraints."""

    @pair_measure(formula="", source="", direction="lower", range="[0, inf)")
    def own_masses():
        """Mine."""
        return Rule(Hops(), said)

    return "own_masses"


IN_USE = [
    EVEN,
    (
        *(Mass(s, {"a": 1, "b": 2, "c": 3, "d": 1}) for s in SIDES),
        *(Unmatched(s, 2) for s in SIDES),
    ),
    (*EVEN[:1], Mass("true", 1, share=True), Groups("true", by_level, upper=1), Cardinality(1, 1)),
    (Degree("true", 2), Unmatched("true", 7), Capacity(2), CountCost("predicted", (1, 0, 2, 5, 9))),
    (*EVEN, Capacity(0.3), Unmatched("true", 9), Unmatched("predicted", 4)),
]


@pytest.mark.parametrize("said", IN_USE)
def test_scores_and_explanations_agree(said, tmp_path):
    name = weighed(*said)
    (values,) = (x[:, 0].tolist() for x in score(TREE, TRUTH, SAID, [name]).per_instance.values())
    for i, why in enumerate(explain(TREE, TRUTH, SAID, [name], instances=range(3))):
        found = why.evidence
        assert why.value == pytest.approx(values[i], abs=1e-12)
        assert found.columns["cost"] == pytest.approx(why.value)
        assert found.optimal
        assert found.bound == pytest.approx(why.value, abs=1e-9 + found.gap)
        data = why.to_dict()["flow"]
        assert data["whole"] == found.whole
        moved = sum(pair["units"] for pair in data["arcs"])
        assert moved == sum(row["units"] for row in data["counted"] if row["kind"] == "true")
        assert "mass" in str(why)
        save_picture(plot_pairing(found), tmp_path / "x.svg")
        if said is EVEN and i == 0:  # told in masses, and nothing of what would change
            lines = [line.split() for line in str(why).splitlines()]
            assert "cost 1 = pairs 1\n" in str(why)
            assert ["●", "a", "c", "1", "any", "1/2"] in lines  # nothing else can be done
            assert ["predicted", "a", "1", "1", "1"] in lines
            assert (found.whole, [pair.units for pair in found.pairs]) == (2, [1, 1])
            assert np.isnan(found.further)
            assert not any(row.saves for row in found.counted)


# ------------------------------------------------------------------------------ transport

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


def test_units_add_up_whatever_the_masses_are():
    tree = Hierarchy.from_edges([("r", f"c{i}") for i in range(50)])
    rng = np.random.default_rng(9)
    names = [f"c{i}" for i in range(50)]
    sides = [[dict(zip(names, rng.random(50) * 10.0**k, strict=True)) for k in range(-9, 9)]] * 2
    masses = laws(tree, sides[0], sides[1][::-1])
    for units in masses.units.values():
        assert (units >= 0).all()
        assert (units.reshape(18, 50).sum(axis=1) == masses.whole).all()
