"""Masses and capacities: against enumeration, linear programs, POT, and the vectors."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from hierpair import (
    BadInput,
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Groups,
    Hierarchy,
    Hops,
    LabelDistribution,
    Mass,
    Require,
    Rule,
    Unmatched,
    explain,
    pair_measure,
    score,
)
from hierpair.errors import Infeasible, SolverLimit
from hierpair.measures.evidence.flows import proof_of
from hierpair.pairing import WhatIf, by_level, formulate, solve_pairing
from hierpair.plots import plot_pairing, save_picture
from hierpair.probabilistic.decoding.pairings import decode_pairing
from tests import effort
from tests.pairing.random_rules import SIDES, by_pair, pairs_of, priced

# ------------------------------------------------------------------------------ random problems


@pytest.mark.random_cases
def test_shares_are_balanced_without_rounding():
    for k in range(effort.cases(300)):
        rng = np.random.default_rng([7, k])
        m, n = (int(x) for x in rng.integers(1, 6, 2))
        a, b = rng.integers(1, 30, m), rng.integers(1, 30, n)
        a[0] += 1
        price = {(p, t): int(rng.integers(0, 50)) for p in range(m) for t in range(n)}
        masses = [
            Mass(side, np.append(x, np.zeros(8 - len(x), dtype=int)), share=True)
            for side, x in zip(SIDES, (a, b), strict=True)
        ]
        problem = formulate(Rule(priced(price), tuple(masses)), pairs_of(m, n))
        pairing = solve_pairing(problem)
        assert (int(a.sum()) * int(b.sum())) % int(pairing.whole[0]) == 0
        assert pairing.units.sum() == pairing.whole[0]
        assert pairing.gap[0] == 0
        best = transported(a / a.sum(), b / b.sum(), price)
        assert pairing.cost[0] == pytest.approx(best, abs=1e-9)
        assert proof_of(problem, pairing).optimal


def transported(a, b, price):
    """The least cost of a transport as a linear program over the reals."""
    pairs = list(itertools.product(range(len(a)), range(len(b))))
    rows = [[pair[0] == p for pair in pairs] for p in range(len(a))]
    rows += [[pair[1] == t for pair in pairs] for t in range(len(b))]
    cost = np.array([float(price[pair]) for pair in pairs])
    return linprog(cost, A_eq=np.array(rows, float), b_eq=np.concatenate([a, b])).fun


# ------------------------------------------------------------------------------ floats and limits


def solved(rule, m=2, n=2):
    return solve_pairing(formulate(rule, pairs_of(m, n)))


DEAR = priced({(0, 0): 0, (0, 1): 1, (1, 0): 2, (1, 1): 5})


def classes(*numbers):
    """Masses by class, of which the first are given."""
    return np.append(np.array(numbers, dtype=float), np.zeros(8 - len(numbers)))


def test_floats_are_exact_where_they_are_multiples_of_a_power_of_two():
    rule = Rule(DEAR, (Mass("predicted", classes(0.25, 0.5)), Mass("true", classes(0.625, 0.125))))
    pairing = solved(rule)
    assert (pairing.whole[0], pairing.gap[0]) == (8, 0)
    assert pairing.units.sum() == 6
    assert pairing.cost[0] == min(0.25 - x + 2 * (0.375 + x) + 5 * (0.125 - x) for x in (0, 0.125))


def test_other_floats_are_rounded_so_that_sums_stay():
    rule = Rule(DEAR, (Mass("predicted", classes(0.1, 0.9)), Mass("true", classes(0.7, 0.3))))
    pairing = solved(rule)
    assert pairing.whole[0] == 2**40
    assert pairing.units.sum() == 2**40
    assert 0 < pairing.gap[0] < 1e-10
    assert pairing.cost[0] == pytest.approx(0.1 + 2 * 0.7 + 5 * 0.2, abs=pairing.gap[0] + 1e-15)


@pytest.mark.exhaustive
def test_rounded_sums_that_are_equal_stay_equal():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 8))
        a = rng.random(n) * 10 ** rng.uniform(-3, 5)
        b = np.array([a[: k + 1].sum() for k in range(n)][-1:] + [0.0] * (n - 1))
        said = Mass("predicted", classes(*a)), Mass("true", classes(*rng.permutation(b)))
        price = dict.fromkeys(itertools.product(range(n), range(n)), 1)
        pairing = solved(Rule(priced(price), said), n, n)
        assert pairing.cost[0] == pytest.approx(a.sum(), rel=1e-11)


def test_large_masses_are_exact_until_the_solver_refuses():
    huge = 2**55 + 1
    said = (Mass("predicted", {"c0": huge, "c1": 3}), Mass("true", {"c0": 4, "c1": huge - 1}))
    pairing = solved(Rule(priced(dict.fromkeys(itertools.product((0, 1), (0, 1)), 2**6)), said))
    assert int(pairing.units.sum()) == huge + 3
    assert pairing.cost[0] == 2**6 * (huge + 3)
    said = (Mass("predicted", 2**61), Mass("true", 2**61))
    with pytest.raises(SolverLimit, match=r"2\*\*62 units or more"):
        solved(Rule(DEAR, said))
    thirds = Mass("predicted", {"c0": Fraction(1, 2**31 - 1), "c1": Fraction(1, 2**61 - 1)})
    with pytest.raises(SolverLimit, match="common denominator"):
        solved(Rule(DEAR, (thirds, Mass("true", 1), *(Unmatched(s, 9) for s in SIDES))))


def test_results_do_not_depend_on_the_other_instances():
    """Units are of an instance, whatever else is in the batch."""
    rng = np.random.default_rng(2)

    def mass(labels):
        return [
            Fraction(1 + int(c), 2 + int(i))
            for c, i in zip(labels.classes, labels.instance, strict=True)
        ]

    said = (
        Mass("predicted", lambda x: np.array(mass(x), dtype=object), share=True),
        Mass("true", lambda x: 1 / (3 + x.classes), share=True),
        Cardinality(Fraction(1, 2)),
    )
    price = {p: int(rng.integers(0, 9)) for p in itertools.product(range(8), range(8))}

    def cost(pairs):
        ends = zip(pairs.predicted.tolist(), pairs.true.tolist(), strict=True)
        return np.array([price[pair] for pair in ends])

    together = solve_pairing(formulate(Rule(cost, said), pairs_of(3, 4, instances=3)))
    alone = [solve_pairing(formulate(Rule(cost, said), pairs_of(3, 4))) for _ in range(1)]
    assert together.cost[0] == alone[0].cost[0]
    assert together.whole[0] == alone[0].whole[0]


# ------------------------------------------------------------------------------ what is refused


BOTH = (Unmatched("predicted", 1), Unmatched("true", 1))
REFUSED = [
    ((Mass("predicted", 1), Mass("true", {"c0": 1, "c1": Fraction(1, 2)})),
     "instance 0: the masses of the predicted side add up to 2 and those of the true side to 3/2; for"),
    ((Mass("true", -1),), "the mass must be a number ≥ 0, got -1"),
    ((Mass("true", math.nan),), "the mass must be a number ≥ 0, got nan"),
    ((Mass("true", math.inf),), "the mass must be a number ≥ 0, got inf"),
    ((Mass("true", True),), "the mass must be a number ≥ 0, got True"),
    ((Mass("true", "1"),), "the mass must be a number ≥ 0, got '1'"),
    ((Mass("true", {"c0": 1}),), "the true class 'c1' has no mass; list it (0 for none), or say"),
    ((Mass("true", {"c0": 1, "c1": -2}),), "the mass of the true class 'c1' is -2; it must be"),
    ((Mass("true", np.ones(3)),), "the mass must be a number, an array of 8 by class"),
    ((Mass("true", lambda x: np.ones(1)),), "must give one number per label (2,), got shape (1"),
    ((Mass("true", 0, share=True),), "all masses are 0 beside that of the true class 'c0'"),
    ((Mass("true", 1, lower=2),), "the true class 'c0' cannot have at least 2 and at most 1 partners"),
    ((Mass("true", 1), Mass("true", 2)), "constraint 2, Mass('true', mass=2), contradicts"),
    ((Capacity(-1),), "the capacity must be a number ≥ 0, got -1"),
    ((Capacity(math.nan),), "the capacity must be a number ≥ 0, got nan"),
    ((Capacity(np.full((8, 8), -1)),), "the capacity of the pair ('c0', 'c0') is -1; it must be"),
    ((Capacity(np.ones((2, 2))),), "expected a 8 × 8 matrix by class, got shape (2, 2)"),
    ((Capacity(lambda pairs: np.ones(3)),), "must give one number per pair (4,), got shape"),
    ((Capacity(1), Degree("true", Fraction(3, 2), 1)), "cannot have at least 3/2 and at most 1"),
    ((Degree("true", Fraction(3, 2)),), "lower of the true class 'c0' is 3/2; it must be a whole number"),
    ((Degree("true", 0.5), BOTH[0]), "lower of the true class 'c0' is 0.5; it must be a whole number"),
    ((Mass("true", Fraction(1, 2)), Degree("true", Fraction(-1, 2))), "lower must be a number ≥ 0, got"),
    ((Mass("true", Fraction(1, 2)), Degree("true", 1)),
     "constraint 2, Degree('true', lower=1), contradicts constraint 1, Mass('true', " "mass=Fraction(1, 2)): the true class 'c0' cannot have at least 1 and at most 1/2"),
    ((Capacity(None), CountCost("true", lambda x, n: np.full(len(x), float(n)))),
     "nothing limits how much the pair ('c0', 'c0') carries"),
    ((Capacity("2"),), "the capacity must be a number"),
    ((Capacity([1, 2]),), "matrix by class, got shape (2,)"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "message"), REFUSED)
def test_what_is_no_mass_or_capacity_is_refused_by_name(said, message):
    with pytest.raises(BadInput) as caught:
        solved(Rule(DEAR, said))
    assert message in str(caught.value)


def test_what_cannot_be_made_is_refused():
    for make, message in (
        (lambda: Mass("true", 1, share="no"), "share must be one of True, False, got 'no'"),
        (
            lambda: Mass("true", 1, lower=0, share=True),
            "for shares say with a Cardinality how much",
        ),
    ):
        with pytest.raises(BadInput) as caught:
            make()
        assert message in str(caught.value)


def test_infeasible_masses_are_told_in_masses():
    third = Fraction(1, 3)
    rule = Rule(DEAR, (Mass("predicted", third), Mass("true", third), by_pair(
        {(0, 0): third, (0, 1): 0, (1, 0): third / 2, (1, 1): third / 3}
    )))  # fmt: skip
    with pytest.raises(Infeasible) as caught:
        solved(rule)
    assert "the predicted class 'c1' must have at least the mass 1/3" in str(caught.value)
    assert "the pair ('c1', 'c1') may carry at most the mass 1/9" in str(caught.value)
    rule = Rule(DEAR, (Mass("predicted", 3), Mass("true", 3), Capacity(1)))
    with pytest.raises(Infeasible, match="must have at least 3 partners"):
        solved(rule)
    rule = Rule(DEAR, (*(Mass(s, third) for s in SIDES), Require((("c0", "c0"),))))
    with pytest.raises(Infeasible, match=r"is required and cannot be chosen \(or carry 1\)"):
        solved(rule)
    with pytest.raises(Infeasible, match=r"no candidate is left|can be had"):
        solved(Rule(DEAR, tuple(Mass(s, 1, share=True) for s in SIDES)), 2, 0)


def test_pairs_are_used_more_than_once():
    rule = Rule(DEAR, (Degree("predicted", 2, 2), Degree("true", 2, 2), Capacity(2)))
    pairing = solved(rule)
    assert pairing.units.tolist() == [0, 2, 2, 0]
    assert pairing.cost[0] == 6
    rule = Rule(DEAR, (Degree("predicted", 2, 2), Capacity(None), Capacity(1)))
    assert solved(rule).units.tolist() == [1, 1, 1, 1]


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


EVEN = tuple(Mass(s, 1, share=True) for s in SIDES)
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


@pytest.mark.exhaustive
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
        drawn = plot_pairing(found)
        save_picture(drawn.figure, tmp_path / f"{i}.svg")
        assert (tmp_path / f"{i}.svg").stat().st_size


def test_explanations_are_in_masses():
    (why,) = explain(TREE, TRUTH[:1], SAID[:1], [weighed(*EVEN)])
    assert "cost 1 = pairs 1\n" in str(why)
    lines = [line.split() for line in str(why).splitlines()]
    assert ["●", "a", "c", "1", "any", "1/2"] in lines  # nothing else can be done
    assert ["predicted", "a", "1", "1", "1"] in lines
    assert why.evidence.whole == 2
    assert [pair.units for pair in why.evidence.pairs] == [1, 1]


def test_what_is_not_told_of_masses_says_so():
    problem = formulate(Rule(DEAR, EVEN), pairs_of(2, 2))
    pairing = solve_pairing(problem)
    with pytest.raises(BadInput, match="not of masses or capacities"):
        _ = WhatIf(problem, pairing).savings
    assert np.isnan(WhatIf(problem, pairing).further[0])
    name = weighed(*EVEN)
    (why, *_) = explain(TREE, TRUTH, SAID, [name])
    assert np.isnan(why.evidence.further)
    assert not any(row.saves for row in why.evidence.counted)
    assert "best pairing" in str(why)


def test_tree_wasserstein_is_the_transport_of_even_shares():
    name = weighed(*EVEN)
    found = score(TREE, TRUTH, SAID, [name, "tree_wasserstein"]).per_instance
    (values,) = found.values()
    assert values[:, 0].tolist() == pytest.approx(values[:, 1].tolist())


def test_masses_are_not_decoded_by_the_program():
    law = LabelDistribution.from_scenarios([[(0.6, ["c"]), (0.4, ["b"])]], TREE)
    with pytest.raises(BadInput, match=r"cannot be decoded exactly.*masses"):
        decode_pairing(law, Rule(Hops(), EVEN))
