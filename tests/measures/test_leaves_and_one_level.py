"""Leaf-macro accuracy and F of one level: vectors, scikit-learn, sets, identities."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings

from hierpair import BadInput, Hierarchy, explain, score
from hierpair.metrics import leaf_macro_accuracy_score, level_f1_score
from tests import effort
from tests.oracles.whole_paths import Classes
from tests.paths import SHARED
from tests.strategies import problems

MODERN = SHARED / "modern"
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])


@pytest.mark.skipif(not MODERN.is_dir(), reason=f"no modern in {SHARED}")
def test_the_vectors_of_leaves():
    cases = json.loads((MODERN / "proper_scores.json").read_text("utf-8"))["cases"]
    names = ["leaf_macro_accuracy", "leaf_macro_accuracy(average=micro)", "leaf_accuracy"]
    for case in cases:
        hierarchy = Hierarchy.from_edges(case["edges"], classes=case["classes"], roots="any")
        found = score(hierarchy, case["truth"], {"s": case["prediction"]}, names).values[0]
        wanted = case["expected"]
        assert abs(found[0] - wanted["leaf_macro_accuracy"]) <= 1e-12
        assert abs(found[1] - wanted["leaf_accuracy"]) <= 1e-12
        assert found[1] == found[2]
        sides = case["truth"], case["prediction"]
        each = leaf_macro_accuracy_score(*sides, hierarchy, average=None)
        recall = {c: x for c, x in zip(hierarchy.names, each, strict=True) if not math.isnan(x)}
        assert recall == pytest.approx(wanted["leaf_recall"], abs=1e-12)
    assert len(cases) == 35


@given(problems(max_classes=8, instances=6))
@settings(max_examples=effort.cases(200), deadline=None)
def test_leaves_against_sets(problem):
    hierarchy, edges, y_true, y_pred = problem
    classes = Classes(edges, hierarchy.names)
    leaves = set(classes.leaves) - (classes.roots if len(classes.roots) == 1 else set())
    right = {}
    for t, p in zip(y_true, y_pred, strict=True):
        for c in leaves & set(t):
            right.setdefault(c, []).append(leaves & set(t) == leaves & set(p))
    found = score(hierarchy, y_true, {"s": y_pred}, ["leaf_macro_accuracy"])
    each = [sum(x) / len(x) for x in right.values()]
    wanted = sum(each) / len(each) if each else math.nan
    assert found.values[0, 0] == pytest.approx(wanted, nan_ok=True, abs=1e-15)
    values = found.per_instance["s"][:, 0]
    told = explain(hierarchy, y_true, y_pred, "leaf_macro_accuracy", instances=range(len(y_true)))
    np.testing.assert_array_equal([why.value for why in told], values)


@given(problems(max_classes=8, instances=5))
@settings(max_examples=effort.cases(60), deadline=None)
def test_f_of_a_level_is_f_of_the_sets_cut_to_it(problem):
    hierarchy, edges, y_true, y_pred = problem
    classes = Classes(edges, hierarchy.names)
    for level in range(max(map(classes.level, classes.names)) + 1):
        cut = [[[c for c in row if classes.level(c) == level] for row in side]
               for side in (y_true, y_pred)]  # fmt: skip
        for average in ("micro", "macro", "samples", "weighted"):
            found = level_f1_score(y_true, y_pred, hierarchy, at_level=level, average=average)
            plain = score(hierarchy, cut[0], {"s": cut[1]}, [f"f(average={average})"])
            assert found == plain.values[0, 0]
    whole = score(hierarchy, y_true, {"s": y_pred}, ["level_f(average=samples)", "f"])
    assert whole.values[0, 0] == whole.values[0, 1]


def test_classes_of_a_level_that_are_never_seen():
    truth, guess = [["a", "c"], ["b"]], [["a", "d"], ["b"]]
    options = {"at_level": 2, "average": "macro"}
    assert level_f1_score(truth, guess, TREE, **options) == 0
    assert level_f1_score([["c"]], [["c"]], TREE, **options) == 1
    assert level_f1_score([["c"]], [["c"]], TREE, classes="all", **options) == 1 / 3
    each = level_f1_score([["c"]], [["c"]], TREE, at_level=1, average=None, augment="ancestors")
    assert {n for n, x in zip(TREE.names, each, strict=True) if x == 1} == {"a"}
    with pytest.raises(BadInput, match="at_level must be a level of the hierarchy, 0 to 2, got 3"):
        level_f1_score(truth, guess, TREE, at_level=3)
    with pytest.raises(
        BadInput, match="at_level must be a whole number ≥ 0, the rank of classes or None, got -1"
    ):
        level_f1_score(truth, guess, TREE, at_level=-1)
