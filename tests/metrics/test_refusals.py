"""What functions, reports, tables and presets refuse, and what the one line says of it."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NodeScores, score
from hierpair import metrics as m
from hierpair.metrics import (
    cafaeval_table,
    class_areas,
    classification_report,
    function_of,
    pyevall_icm_soft,
    reliability,
    score_like,
)

PET = Hierarchy.from_edges(
    [("all", "pet"), ("all", "oak"), ("pet", "cat"), ("pet", "dog"), ("cat", "lion")]
)
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])
OTHER = Hierarchy.from_edges([("r", "a")])
DAG = Hierarchy.from_edges([("r", "a"), ("q", "a"), ("r", "b")])
TRUTH = {"x": "c", "y": "d", "z": "c"}
SOFT = {"x": {"a": 0.75, "b": 0.25}, "y": {"b": 1.0}}
SAID = {"x": {"a": 0.5}, "y": {"b": 0.5}}
REPORTED = [
    ({"labels": "cat"}, "labels are a list of classes, got 'cat'"),
    ({"labels": 3}, "labels are a list of classes, got 3"),
    ({"labels": {"cat"}}, "labels must have an order"),
    ({"labels": ["cat", "cat"]}, "labels have 'cat' twice"),
    ({"labels": ["cta"]}, "class 'cta' is not in the hierarchy; did you mean 'cat'"),
    ({"digits": -1}, "digits must be a whole number of at least 0, got -1"),
    ({"zero_division": 2}, "zero_division must be 0, 1 or nan"),
    ({"root": "x"}, "'x'"),
    ({"sample_weight": [1]}, "sample_weight must have shape"),
]
CAFA = [
    ({"prop": "mux"}, "prop must be"),
    ({"norm": "cafe"}, "norm must be"),
    ({"th_step": 1.5}, "th_step must be"),
    ({"th_step": 1e-9}, "th_step must be"),
    ({"th_step": "0.1"}, "th_step must be"),
    ({"weights": {"a": "much"}}, "the weight of class 'a' must be a number, got 'much'"),
    ({"weights": [1, 2]}, "weights must be {class: weight}, got list"),
    ({"y_true": {"x": ["zebra"]}, "unknown": "error"}, "zebra"),
]
CALLS = [
    (lambda: report().to_text(most=-1), "most must be a whole number"),
    (lambda: report().to_dataframe("levels"), "by must be one of class, level, average, got 'levels'"),
    (lambda: classification_report([], [], PET), "y_true has no instances"),
    (lambda: classification_report(["cat"], PET, ["cat"]), "labels must be a list"),
    (lambda: m.h_f1_score(["c"], ["d"], TREE, average="mikro"), "hf: average must be one of"),
    (lambda: m.h_f1_score(["c"], ["x"], TREE), "is not in the hierarchy"),
    (lambda: m.h_f1_score(["c"], ["d"], TREE, labels=["e"]), "h_f1_score: labels are the classes whose values"),
    (lambda: m.h_f1_score(["c"], ["d"], TREE, average=None, labels="e"), "a list of classes, got 'e'"),
    (lambda: m.h_f1_score(["c"], ["d"], TREE, average=None, labels=["x"]), "class 'x' is not in the hier"),
    (lambda: m.h_f1_score(["c"], ["d"], "tree", average=None), "tree: there is no such file"),
    *((lambda f=f: getattr(m, f)([["c"]], [["d"]], TREE, average=None), "average")
      for f in ("total_misclassification_cost", "icm_norm_score")),
    (lambda: score(TREE, [["c"]], {"s": [["d"]]}, ["hf"], average=None), "average must be one of"),
    (lambda: function_of("hff"), "there is no measure 'hff'; did you mean 'hf'"),
    (lambda: score_like("hiclass-makro", TREE, ["c"], {"x": ["c"]}), "did you mean 'hiclass-macro'"),
    (lambda: score_like("hemkit", TREE, ["c"], {"x": ["c"]})["x", "f2"], "there is no system or column 'f2'"),
    (lambda: score_like("hemkit", TREE, ["c"], {"x": ["c"]}, beta=2), "leave 'beta' out"),
    (lambda: score_like("hemkit", TREE, {"i": "c"}, {"x": {"i": {"c": 0.5}}}), "knows no scores of predictions"),
    (lambda: score_like("cafaeval", TREE, [[]], {"x": ["c"]}), "no instances without true labels"),
    (lambda: class_areas(TRUTH, np.array(["c", "b", "e"]), TREE), "y_score"),
    (lambda: class_areas(TRUTH, np.zeros((3, 5)), TREE), r"has shape \(3, 5\), and there are 6 classes"),
    (lambda: class_areas(["c"], [[[0.5, 0.5]]], TREE),
     r"levels of \[2, 3\] classes, and matrices of shape \[\(1, 2\)\]"),
    (lambda: NodeScores.from_levels([], TREE), "matrices of shape"),
    (lambda: class_areas(TRUTH, [[[0, 0], [0, np.nan], [0, 0]], np.zeros((3, 3))], TREE),
     r"instance 'y', class 'b': a score must be in \[0, 1\]"),
    (lambda: reliability(["a"], NodeScores.from_array([[1, 1]], OTHER), TREE), "belong to another hierarchy"),
    *((lambda side=side: pyevall_icm_soft(side, side, TREE), message) for side, message in (
        ([{"a": 0.5}, {"a": 0.5}], "same weight of class 'a'"),
        ([{"a": 1.5}], r"must be in \[0, 1\]"),
        ([{"q": 0.5}], "'q'"),
        ([], "no instances"),
    )),
    (lambda: pyevall_icm_soft(SOFT, {"w": {"a": 1.0}}, TREE), "instance 'w' has no truth"),
    (lambda: pyevall_icm_soft(SOFT, SOFT, DAG), "no one path"),
]  # fmt: skip


def report(**how):
    return classification_report(["cat", "dog"], ["cat", "dog"], PET, **how)


def cafa(y_true=None, **how):
    return cafaeval_table(TREE, y_true or {"x": ["a"], "y": ["c"]}, SAID, **how)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((lambda how=how: report(**how), message) for how, message in REPORTED),
        *((lambda how=how: cafa(**how), message) for how, message in CAFA),
        *CALLS,
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((["b"], ["c"]), {}, "missing a required argument: 'hierarchy'"),
        ((["b"], ["c"], TREE), {"beta": 2}, ".*unexpected keyword argument 'beta'"),
        ((["b"], ["c"], TREE, "ancestors"), {}, "too many positional"),
    ],
)
def test_wrong_calls_name_the_function(given, options, message):
    with pytest.raises(TypeError, match=rf"h_f1_score\(\): {message}"):
        m.h_f1_score(*given, **options)
