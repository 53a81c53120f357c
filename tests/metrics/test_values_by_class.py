"""``average=None``: the values of the classes, as scikit-learn has them and as averages are made."""

import inspect
import math

import numpy as np
import pytest
from sklearn import metrics as sklearn

from hierpair import BadInput, Hierarchy, measure, set_measure
from hierpair import metrics as functions_of
from hierpair.evaluation.scoring import sums_by_class
from hierpair.measures import REGISTRY
from hierpair.metrics import contributions_by_class, function_of
from tests.metrics.test_class_report import PROBLEMS, indicator

BY_CLASS = [name for name, d in REGISTRY.items()
            if d.averaged_over == "class" and not d.by_true_class]  # fmt: skip
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])


@pytest.fixture
def registry():
    """Measures that a test registers do not stay."""
    before = dict(REGISTRY)
    yield REGISTRY
    REGISTRY.clear()
    REGISTRY.update(before)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_flat_ones_are_scikit_learns(problem):
    hierarchy, truth, prediction = problem.fresh()
    y_true, y_pred = indicator(truth), indicator(prediction)
    weight = np.random.default_rng(1).integers(1, 4, len(truth)).astype(float)
    occurs = y_true.any(axis=0) | y_pred.any(axis=0)
    for ours, theirs in (
        (functions_of.flat_precision_score, sklearn.precision_score),
        (functions_of.flat_recall_score, sklearn.recall_score),
        (functions_of.flat_f1_score, sklearn.f1_score),
    ):
        found = ours(truth, prediction, hierarchy, average=None, sample_weight=weight)
        wanted = theirs(y_true, y_pred, average=None, sample_weight=weight, zero_division=0)
        assert found.shape == (len(hierarchy),)
        np.testing.assert_array_equal(found[occurs], wanted[occurs])
        assert np.isnan(found[~occurs]).all()


@pytest.mark.parametrize("name", BY_CLASS)
def test_their_mean_is_the_macro_average(name):
    function = getattr(functions_of, REGISTRY[name].function)
    for problem in PROBLEMS:
        hierarchy, truth, prediction = problem.fresh()
        weight = np.random.default_rng(1).random(len(truth))
        if hierarchy.shape == "DAG" and "path_" in name:
            with pytest.raises(BadInput, match="a class has many paths in a DAG"):
                function(truth, prediction, hierarchy, average=None)
            continue
        for given in (None, weight):
            each = function(truth, prediction, hierarchy, average=None, sample_weight=given)
            mean = function(truth, prediction, hierarchy, average="macro", sample_weight=given)
            assert np.nanmean(each) == pytest.approx(mean, rel=1e-13)
            assert each.dtype == np.float64


@pytest.mark.parametrize("classes", ["seen", "all"])
def test_contributions_by_class_says_the_same(classes):
    truth, guess = [["c"], ["c", "e"], ["d"]], [["c"], ["a"], ["e"]]
    known = contributions_by_class(truth, guess, TREE, classes=classes)
    for name in (
        "contribution_precision",
        "contribution_recall",
        "contribution_accuracy",
        "contribution_error",
    ):
        function = getattr(functions_of, REGISTRY[name].function)
        found = function(truth, guess, TREE, average=None, classes=classes)
        assert {n for n, x in zip(TREE.names, found, strict=True) if not math.isnan(x)} == set(
            known
        )
        short = name.removeprefix("contribution_")
        for label, x in zip(TREE.names, found, strict=True):
            assert math.isnan(x) or x == getattr(known[label], short)


def test_labels_choose_and_order():
    f = functions_of.h_f1_score
    truth, guess = [["c"], ["e"]], [["d"], ["e"]]
    found = f(truth, guess, TREE, average=None, labels=["e", "r", "c"])
    np.testing.assert_array_equal(found, [1, math.nan, 0])


def test_levels_have_values_too():
    f = functions_of.level_accuracy_score
    found = f([["c"], ["e"], ["d"]], [["d"], ["e"], ["d"]], TREE, average=None)
    np.testing.assert_array_equal(found, [math.nan, 1, 2 / 3])
    assert "labels" not in inspect.signature(f).parameters
    assert "None: the value of every level, by level from the top" in " ".join(f.__doc__.split())


def test_an_artificial_class_of_a_path_threshold_is_no_class_of_the_result():
    deep = Hierarchy.from_edges([(f"n{k}", f"n{k + 1}") for k in range(9)])
    recall = measure("hr(threshold=2, root=include, average=macro)")
    total = sums_by_class(deep, [["n9"]], [["n9"]], [recall])
    assert total.sums[0].by_class(total.plan, 0).classes.tolist() == [9, 10]
    f = functions_of.h_recall_score
    found = f([["n9"]], [["n9"]], deep, average=None, threshold=2, root="include")
    np.testing.assert_array_equal(found, [math.nan] * 9 + [1])


def test_a_measure_of_ones_own(registry):
    @set_measure(formula="both", source="mine", direction="higher", range="[0, ∞)",
                 averages=("samples", "weighted"))  # fmt: skip
    def shared(n_both):
        "What is shared."
        return n_both

    f = function_of("shared")
    np.testing.assert_array_equal(
        f([["c"], ["d"]], [["d"], ["d"]], TREE, average=None, labels=["a", "c", "d", "e"]),
        [2, 0, 1, math.nan],
    )


def test_nan_as_0_over_0_stays_nan():
    f = functions_of.flat_precision_score
    found = f([["c"]], [["d"]], TREE, average=None, zero_division=math.nan)
    assert dict(zip(TREE.names, np.isnan(found).tolist(), strict=True)) == {
        "r": True, "a": True, "b": True, "c": True, "d": False, "e": True,
    }  # fmt: skip


def test_a_class_with_weight_0_does_not_occur():
    f = functions_of.flat_recall_score
    found = f(["c", "e"], ["c", "e"], TREE, average=None, labels=["c", "e"], sample_weight=[0, 1])
    np.testing.assert_array_equal(found, [math.nan, 1])
