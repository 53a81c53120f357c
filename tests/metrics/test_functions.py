"""Functions of the scikit-learn habit: one for every measure, with all that the registry knows."""

import ast
import doctest
import importlib.util
import inspect
import math
import pickle

import numpy as np
import pytest

from hierpair import (
    BadInput,
    Hierarchy,
    Infeasible,
    NodeScores,
    measure,
    score,
    set_measure,
)
from hierpair import metrics as functions_of
from hierpair.evaluation.scoring import sums_by_class
from hierpair.measures import REGISTRY, Option, measures_of
from hierpair.metrics import (
    cafaeval_table,
    class_areas,
    classification_report,
    function_of,
    pyevall_icm_soft,
    reliability,
    score_like,
)
from hierpair.metrics.functions import registered_functions
from tests import effort
from tests.everything import random_problem
from tests.metrics.test_class_report import PROBLEMS
from tests.paths import ROOT

LIBRARY = [name for name, d in REGISTRY.items() if d.value.__module__.startswith("hierpair.")]
OF_LABELS = [name for name in LIBRARY if name in measures_of("labels")]
FUNCTIONS = {f.__name__: f for f in registered_functions()}
ABC = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])

BY_CLASS = [
    name for name, d in REGISTRY.items() if d.averaged_over == "class" and not d.by_true_class
]

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])


def test_every_measure_has_one_function_and_every_f_an_f1():
    names = [REGISTRY[name].function for name in LIBRARY]
    f1 = [name.replace("fbeta", "f1") for name in names if "fbeta" in name]
    assert len(f1) >= 6
    assert sorted(FUNCTIONS) == sorted([*names, *f1])
    assert len(FUNCTIONS) == len(LIBRARY) + len(f1)
    assert set(FUNCTIONS) <= set(functions_of.__all__)
    for name, function in FUNCTIONS.items():
        assert pickle.loads(pickle.dumps(getattr(functions_of, name))).__name__ == name
        assert function.__module__ == "hierpair.metrics.functions"
    for name in LIBRARY:
        called, higher = REGISTRY[name].function, REGISTRY[name].direction == "higher"
        assert called.endswith(("_score", "_accuracy")) == higher, called
        assert called.endswith(("error", "_cost", "_loss")) != higher, called


SEVERAL = (
    random_problem("single labels", 11, most=1, empty=False, sample_weights=True),
    random_problem("tree", 12),
    random_problem("dag", 13, parents=2, empty=False),
)


@pytest.mark.random_cases
@pytest.mark.parametrize("problem", SEVERAL, ids=lambda p: p.name)
def test_functions_are_what_score_says(problem):
    """With defaults, and with other values of options, which the problems share among them."""
    turn = SEVERAL.index(problem)
    rng = np.random.default_rng(5)
    hierarchy, truth, prediction = problem.fresh()
    weight = problem.weight
    compared = 0
    for name in OF_LABELS if effort.exhaustive else OF_LABELS[turn::3]:
        d = REGISTRY[name]
        function = FUNCTIONS[d.function]
        choices = [{}]
        for option in list(d.options)[turn :: len(SEVERAL)]:
            values = [
                v for v in d.option(option).values if not (isinstance(v, float) and math.isnan(v))
            ]
            if values:
                choices.append({option: values[rng.integers(len(values))]})
        for options in choices:
            try:
                wanted = score(
                    hierarchy, truth, {"s": prediction}, [measure(name).with_options(**options)],
                    sample_weight=weight,
                ).values[0, 0]  # fmt: skip
            except (BadInput, Infeasible) as error:
                with pytest.raises(type(error)):
                    function(truth, prediction, hierarchy, sample_weight=weight, **options)
                continue
            found = function(truth, prediction, hierarchy, sample_weight=weight, **options)
            assert found == wanted or (math.isnan(found) and math.isnan(wanted)), (name, options)
            compared += 1
    assert compared > (80 if effort.exhaustive else 25)


def test_f1_is_f_with_beta_1():
    problem = random_problem("tree", 12)
    hierarchy, truth, prediction = problem.fresh()
    for name in ("h", "lca", "contribution", "flat", "descendant"):
        one, beta = (FUNCTIONS[f"{name}_{f}_score"] for f in ("f1", "fbeta"))
        assert one(truth, prediction, hierarchy) == beta(truth, prediction, hierarchy, beta=1)
        assert "beta" not in inspect.signature(one).parameters


@pytest.mark.parametrize("name", LIBRARY)
def test_signature_and_docstring_say_all_that_the_registry_knows(name):
    d = REGISTRY[name]
    function = FUNCTIONS[d.function]
    parameters = inspect.signature(function).parameters
    labels = ["labels"] if d.averaged_over == "class" else []
    weight = ["sample_weight"] if d.weighted else []
    predicted = "y_pred" if name in OF_LABELS else "y_score"
    assert list(parameters) == [
        "y_true", predicted, "hierarchy", *d.options, *labels, *weight, "ignore",
        "ignore_ancestors", *["classes"] * ("classes" not in d.options), "unknown",
    ]  # fmt: skip
    text = inspect.getdoc(function)
    flat = " ".join(text.split())
    for part in (d.formula, d.source, d.range, f"{d.direction} is better", *d.cautions):
        assert " ".join(part.split()) in flat, part
    assert text.startswith(d.summary.split()[0])
    for option, default in d.options.items():
        assert parameters[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[option].default is default
        assert d.option(option).meaning[1:] in flat
    for title in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{title}\n{'-' * len(title)}\n" in text
    assert max(map(len, function.__doc__.splitlines())) <= 100 or "http" in text


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_the_example_of_a_docstring_runs(name):
    test = doctest.DocTestParser().get_doctest(FUNCTIONS[name].__doc__, {}, name, None, None)
    assert len(test.examples) == (5 if FUNCTIONS[name].measure in OF_LABELS else 6)
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.exhaustive
def test_what_editors_are_told_is_fresh():
    spec = importlib.util.spec_from_file_location("w", ROOT / "docs" / "write_functions.py")
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    said = writer.EXAMPLE_VALUES.read_text("utf-8")
    assert said == writer.values(), "run python docs/write_functions.py"
    declared: dict[str, set[str]] = {}
    for node in ast.parse(writer.stub()).body:
        if isinstance(node, ast.FunctionDef):
            names = {
                a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            }
            declared.setdefault(node.name, set()).update(names)
    assert declared == {name: set(inspect.signature(f).parameters) for name, f in FUNCTIONS.items()}


def test_a_function_with_a_fixed_option_has_no_example_of_another():
    assert "Examples" not in function_of("hf", beta=2).__doc__  # its value is another one
    assert functions_of.h_f1_score(["b"], ["x"], ABC, unknown="drop") == 0


def test_a_measure_of_ones_own_has_a_function_too():
    @set_measure(formula="n", source="mine", direction="higher", range="[0, ∞)",
                 averages=("samples", "weighted"))  # fmt: skip
    @Option("bonus", "added to every value", kind=float, domain="a number ≥ 0",
            check=lambda x: x >= 0)  # fmt: skip
    def generous(n_both, *, bonus: float = 0.5):
        "What is shared, and more."
        return n_both + bonus

    f = function_of("generous")
    assert f.__name__ == "generous_score"
    assert f([["b"]], [["c"]], ABC, bonus=2) == 3
    assert "bonus : float, default 0.5" in f.__doc__
    assert "Added to every value." in f.__doc__
    with pytest.raises(BadInput, match="generous: bonus must be a number ≥ 0, got -1"):
        f([["b"]], [["c"]], ABC, bonus=-1)
    each = f([["c"], ["d"]], [["d"], ["d"]], TREE, average=None, labels=["a", "c", "d", "e"])
    np.testing.assert_array_equal(each, [2.5, 0.5, 1.5, math.nan])


# ---------------------------------------------------- average=None: the values of the classes


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


def test_an_artificial_class_of_a_path_threshold_is_no_class_of_the_result():
    deep = Hierarchy.from_edges([(f"n{k}", f"n{k + 1}") for k in range(9)])
    recall = measure("hr(threshold=2, root=include, average=macro)")
    total = sums_by_class(deep, [["n9"]], [["n9"]], [recall])
    assert total.sums[0].by_class(total.plan, 0).classes.tolist() == [9, 10]
    f = functions_of.h_recall_score
    found = f([["n9"]], [["n9"]], deep, average=None, threshold=2, root="include")
    np.testing.assert_array_equal(found, [math.nan] * 9 + [1])


@pytest.mark.parametrize(("name", "true", "said", "how", "wanted"), [
    ("h_f1_score", ["c", "e"], ["d", "e"], {"labels": ["e", "r", "c"]}, [1, math.nan, 0]),
    ("flat_recall_score", ["c", "e"], ["c", "e"], {"labels": ["c", "e"], "sample_weight": [0, 1]}, [math.nan, 1]),
    ("flat_precision_score", ["c"], ["d"], {"zero_division": math.nan, "labels": ["c", "d"]}, [math.nan, 0]),
    ("level_accuracy_score", ["c", "e", "d"], ["d", "e", "d"], {}, [math.nan, 1, 2 / 3]),
])  # fmt: skip
def test_values_of_classes_by_hand(name, true, said, how, wanted):
    """In the order of labels; a class that has no weight does not occur; levels have values too."""
    found = getattr(functions_of, name)(true, said, TREE, average=None, **how)
    np.testing.assert_array_equal(found, wanted)


# ------------------------------------------------- what functions, reports, tables and presets refuse

PET = Hierarchy.from_edges(
    [("all", "pet"), ("all", "oak"), ("pet", "cat"), ("pet", "dog"), ("cat", "lion")]
)
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
    (lambda: functions_of.h_f1_score(["c"], ["d"], TREE, average="mikro"), "hf: average must be one of"),
    (lambda: functions_of.h_f1_score(["c"], ["x"], TREE), "is not in the hierarchy"),
    (lambda: functions_of.h_f1_score(["c"], ["d"], TREE, labels=["e"]), "h_f1_score: labels are the classes whose values"),
    (lambda: functions_of.h_f1_score(["c"], ["d"], TREE, average=None, labels="e"), "a list of classes, got 'e'"),
    (lambda: functions_of.h_f1_score(["c"], ["d"], TREE, average=None, labels=["x"]), "class 'x' is not in the hier"),
    (lambda: functions_of.h_f1_score(["c"], ["d"], "tree", average=None), "tree: there is no such file"),
    *((lambda f=f: getattr(functions_of, f)([["c"]], [["d"]], TREE, average=None), "average")
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


@pytest.mark.parametrize(("given", "options", "message"), [
    ((["b"], ["c"]), {}, "missing a required argument: 'hierarchy'"),
    ((["b"], ["c"], TREE), {"beta": 2}, ".*unexpected keyword argument 'beta'"),
    ((["b"], ["c"], TREE, "ancestors"), {}, "too many positional"),
])  # fmt: skip
def test_wrong_calls_name_the_function(given, options, message):
    with pytest.raises(TypeError, match=rf"h_f1_score\(\): {message}"):
        functions_of.h_f1_score(*given, **options)
