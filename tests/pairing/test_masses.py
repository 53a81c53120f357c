"""Masses and capacities, and transports: exact units, floats, other programs, explanations."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from hierpair import Hierarchy, LabelSets, explain, pair_measure, score
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
from tests.strategies import problems

EVEN = tuple(Mass(s, 1, share=True) for s in SIDES)
DEAR = by_place({(0, 0): 0, (0, 1): 1, (1, 0): 2, (1, 1): 5})


def solved(said, price=DEAR, m=2, n=2):
    return solve_pairing(formulate(Rule(price, said), pairs_of(m, n)))


def of_classes(side, numbers, **options):
    """Masses by class, of which the first are given."""
    numbers = np.asarray(numbers)
    return Mass(side, np.append(numbers, np.zeros(8 - len(numbers), numbers.dtype)), **options)


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
IN_USE = {
    "even": EVEN,
    "by name": tuple(
        c for s in SIDES for c in (Mass(s, {"a": 1, "b": 2, "c": 3, "d": 1}), Unmatched(s, 2))
    ),
    "partial": (EVEN[0], Mass("true", 1, share=True), Groups("true", by_level, 1), Cardinality(1, 1)),
    "units": (Degree("true", 2), Unmatched("true", 7), Capacity(2), CountCost("predicted", (1, 0, 2, 5, 9))),
    "capacity": (*EVEN, Capacity(0.3), Unmatched("true", 9), Unmatched("predicted", 4)),
}  # fmt: skip


@pytest.mark.parametrize("said", IN_USE)
def test_scores_and_explanations_agree(said, tmp_path):
    @pair_measure()
    def own_masses():
        """Mine."""
        return Rule(Hops(), IN_USE[said])

    found = score(TREE, TRUTH, {"s": SAID}, ["own_masses"]).per_instance["s"][:, 0]
    every = explain(TREE, TRUTH, SAID, ["own_masses"], instances=range(3))
    assert [why.value for why in every] == pytest.approx(found, abs=1e-12)
    for why in every:
        shown, data = why.evidence, why.to_dict()["flow"]
        assert shown.columns["cost"] == pytest.approx(why.value)
        assert shown.optimal
        assert shown.bound == pytest.approx(why.value, abs=1e-9 + shown.gap)
        assert data["whole"] == shown.whole
        moved = sum(pair["units"] for pair in data["arcs"])
        assert moved == sum(row["units"] for row in data["counted"] if row["kind"] == "true")
        assert "mass" in str(why)
        save_picture(plot_pairing(shown), tmp_path / "x.svg")
    if said == "even":  # told in masses, and nothing of what would change
        text, shown = str(every[0]), every[0].evidence
        lines = [line.split() for line in text.splitlines()]
        assert "cost 1 = pairs 1\n" in text
        assert ["●", "a", "c", "1", "any", "1/2"] in lines  # nothing else can be done
        assert ["predicted", "a", "1", "1", "1"] in lines
        assert (shown.whole, [pair.units for pair in shown.pairs]) == (2, [1, 1])
        assert np.isnan(shown.further)
        assert not any(row.saves for row in shown.counted)


# ------------------------------------------------------------------------------ transport


def both_ways(masses, cost):
    """The costs that are chosen, and those of the flow whatever the hierarchy is."""
    cost = cost_named(cost)
    by_pairs = carried_by_pairs(masses, moving_prices(cost, masses.pairs, None))
    return transport_costs(masses, cost, None), by_pairs


def by_assignment(matrix):
    """Labels are cut into equal parts, and the parts are assigned one to one."""
    m, n = matrix.shape
    whole = math.lcm(m, n)
    parts = matrix.repeat(whole // m, axis=0).repeat(whole // n, axis=1)
    cost = parts[linear_sum_assignment(parts)].sum() / whole
    return cost if cost < 1e4 else math.inf


@given(problems(max_classes=8, max_labels=4, weighted=True), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=effort.cases(300), deadline=None)
def test_transports_against_assignments_and_linear_programs(problem, weighted, seed):
    """Label sets are cut into parts that are assigned; laws of any size are moved over the reals."""
    hierarchy, edges, *rows = problem
    weighted, rng = weighted and bool(edges), np.random.default_rng(seed)
    cost = "weights" if weighted else "hops"
    up = slow.weighted_up_distances if weighted else slow.up_distances
    sets = [LabelSets.from_labels(side, hierarchy) for side in rows]
    drawn = [rng.random(len(own.indices)) * 10.0 ** rng.integers(-9, 9) for own in sets]
    laws = Masses.of_laws(hierarchy, *sets, dict(zip(SIDES[::-1], drawn, strict=True)))
    even, uneven = both_ways(Masses.of_sets(hierarchy, *sets), cost), both_ways(laws, cost)
    for i in range(len(sets[0])):
        here = [slice(*own.indptr[i : i + 2]) for own in sets]
        t, p = ([up(edges, c) for c in own.names_of(i, hierarchy)] for own in sets)
        far = np.array([[slow.distance(a, b) for b in t] for a in p], float)
        want = by_assignment(np.where(np.isinf(far), 1e6, far)) if far.size else 0
        assert [way[i] for way in even] == pytest.approx([want, want], abs=1e-12)
        if far.size and np.isfinite(far).all():
            b, a = (mass[at] / mass[at].sum() for mass, at in zip(drawn, here, strict=True))
            assert [way[i] for way in uneven] == pytest.approx(
                [transported(a, b, far)] * 2, abs=1e-9
            )
        for side, at in zip(SIDES[::-1], here, strict=True):
            units = laws.units[side][at]
            assert (units >= 0).all()
            assert units.sum() == laws.whole[i] * bool(far.size)
    assert uneven[0] == pytest.approx(uneven[1], abs=1e-9)
    if not weighted:  # whole numbers over whole numbers: the same bits
        assert np.array_equal(*even)
