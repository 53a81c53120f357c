"""Contributions by distance against published vectors, loops and laws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hierpair import BadInput, Hierarchy, measure, score
from hierpair.metrics import contributions_by_class
from hierpair.pairing import CosineDistance
from tests import effort
from tests.oracles import pairs_and_sets as reference
from tests.oracles import reviewed as slow
from tests.scoring import OF, SUNLIM, SUNLIM_NAMES, SUNLIM_TREE, pooled, values
from tests.strategies import problems

KEYS = {
    "P": "contribution_precision",
    "R": "contribution_recall",
    "Acc": "contribution_accuracy",
    "Err": "contribution_error",
}


@pytest.mark.parametrize("case", SUNLIM["cases"], ids=[c["name"][:30] for c in SUNLIM["cases"]])
def test_sun_and_lim_vectors(case):
    """Per class, micro and macro, as exact fractions rounded once (macro: a mean of floats)."""
    y_true, y_pred = (
        [[SUNLIM_NAMES[i] for i in row] for row in case[side]] for side in ("true", "pred")
    )
    theta = case.get("Dis_theta", 2)
    for key, name in KEYS.items():
        options = {"theta": theta, "classes": "all"}
        got = pooled(name, SUNLIM_TREE, y_true, y_pred, average="micro", **options)
        assert got == float(Fraction(case["micro"][key]["frac"]))
        macro = pooled(name, SUNLIM_TREE, y_true, y_pred, average="macro", **options)
        assert macro == pytest.approx(float(Fraction(case["macro"][key]["frac"])), abs=1e-15)
    table = contributions_by_class(y_true, y_pred, SUNLIM_TREE, theta=theta, classes="all")
    assert {SUNLIM_NAMES[i] for i in case["classes"]} == set(table)
    for number, want in case["per_class"].items():
        row = table[SUNLIM_NAMES[int(number)]]
        assert (row.tp, row.fp, row.fn, row.tn) == tuple(want[k] for k in ("TP", "FP", "FN", "TN"))
        found = (row.fp_con, row.fn_con, row.precision, row.recall, row.accuracy, row.error)
        keys = ("FpCon", "FnCon", "P", "R", "Acc", "Err")
        assert found == pytest.approx([float(Fraction(want[k]["frac"])) for k in keys], abs=1e-15)


@given(
    problems(instances=4), st.sampled_from([1, 2, 3, 2.5]), st.sampled_from(["exclude", "include"])
)
@settings(max_examples=effort.cases(150), deadline=None)
def test_contributions_against_loops(problem, theta, root):
    hierarchy, edges, y_true, y_pred = problem
    roots = reference.roots_of(edges, hierarchy.names)
    left_out = roots if root == "exclude" and len(roots) == 1 else set()
    classes = [c for c in hierarchy.names if c not in left_out]
    rows = list(zip(y_true, y_pred, strict=True))

    def cost(u, v):
        return slow.hops(edges, u, v)

    table = slow.contributions(rows, classes, cost, theta)
    alone = [slow.summed(slow.contributions([row], classes, cost, theta)) for row in rows]
    every = list(table.values())
    judged = {"all": every, "seen": [row for row in every if any(row[:3])]}
    wanted = {}
    for name, formula in OF.items():
        m = measure(name, theta=theta, root=root)
        wanted[m] = None, [float(formula(*(row if classes else [0] * 6))) for row in alone]
        if classes:
            wanted[m.with_options(average="micro")] = float(formula(*slow.summed(table))), None
        for which, some in judged.items():
            if some:
                mean = sum(formula(*row) for row in some) / len(some)
                wanted[m.with_options(average="macro", classes=which)] = float(mean), None
    found = score(hierarchy, y_true, {"s": y_pred}, list(wanted))
    for k, (value, each) in enumerate(wanted.values()):
        if value is not None:
            assert found.values[0, k] == pytest.approx(value, abs=1e-12)
        if each is not None:
            assert found.per_instance["s"][:, k] == pytest.approx(each, abs=1e-12)


@given(problems(instances=4, single_root=True), st.randoms(use_true_random=False))
@settings(max_examples=effort.cases(100), deadline=None)
def test_category_similarity_is_eq_17(problem, random):
    """Con = (CS - ACS) / (1 - ACS), ACS over all pairs of classes; a zero vector is like nothing."""
    hierarchy, _, y_true, y_pred = problem
    names = [c for c in hierarchy.names if c not in hierarchy.roots]
    assume(len(names) > 1)
    rows = {c: [random.choice([0, 0, 1, 2, 3]) for _ in range(3)] for c in hierarchy.names}

    def cs(a, b):
        lengths = [math.sqrt(sum(x * x for x in rows[c])) for c in (a, b)]
        if not all(lengths):
            return 0.0
        return sum(x * y for x, y in zip(rows[a], rows[b], strict=True)) / math.prod(lengths)

    pairs = list(itertools.combinations(names, 2))
    acs = sum(cs(a, b) for a, b in pairs) / len(pairs)
    cost = CosineDistance(np.array([rows[c] for c in hierarchy.names], dtype=float))
    if acs > 1 - 1e-9:
        with pytest.raises(BadInput, match="all classes are alike"):
            values("contribution_f", hierarchy, y_true, y_pred, cost=cost, theta="mean")
        return
    rows_ = list(zip(y_true, y_pred, strict=True))
    table = slow.contributions(rows_, names, lambda a, b: 1 - cs(a, b), 1 - acs)
    for name, formula in OF.items():
        got = pooled(name, hierarchy, y_true, y_pred, cost=cost, theta="mean")
        if abs(slow_below(table)) > 1e-9:
            assert got == pytest.approx(float(formula(*slow.summed(table))), abs=1e-9)


def slow_below(table):
    tp, fp, fn, _, fp_con, fn_con = slow.summed(table)
    return min(abs(tp + fp + fn_con), abs(tp + fn + fp_con), key=abs)


def test_undefined_precision_is_what_zero_division_says():
    nothing = {"y_true": [["1.1"], ["1.1"]], "y_pred": [["1.1"], ["2.1"]]}
    wrong = [["1.1"]], [["2.1"]]  # nothing right, denominator 0 at theta=2
    for z, want in ((0, 0), (1, 0), (math.nan, math.nan)):
        got = values("contribution_precision", SUNLIM_TREE, *wrong, zero_division=z)[0]
        assert got == want or (math.isnan(got) and math.isnan(want))
    empty = [[]], [[]]
    for z in (0, 1, math.nan):
        got = values("contribution_precision", SUNLIM_TREE, *empty, zero_division=z)[0]
        assert got == z or (math.isnan(got) and math.isnan(z))
    assert pooled("contribution_precision", SUNLIM_TREE, **nothing) == 0


# ------------------------------------------------------------------------------------- forests


@pytest.mark.parametrize("cost", ["hops", "decayed"])
def test_one_pair_without_common_ancestor_makes_the_whole_sum_minus_1(cost):
    forest = Hierarchy.from_edges([("a", "c"), ("a", "d"), ("b", "e")], roots="any")
    near = contributions_by_class([["c"]], [["d"]], forest, cost=cost, theta=100)
    both = contributions_by_class([["c", "e"]], [["d"]], forest, cost=cost, theta=100)
    assert near["d"].fp_con > 0.9
    assert both["d"].fp_con == both["e"].fn_con == -1
    assert both["c"].fn_con == near["c"].fn_con  # its only partner is near
    for costs in ("lin", "wu_palmer"):  # a finite distance, so the sum is a sum
        found = contributions_by_class([["c", "e"]], [["d"]], forest, cost=costs, theta=1)
        assert -1 <= found["d"].fp_con <= 1
