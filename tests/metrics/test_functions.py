"""Functions of the scikit-learn habit, one for every measure; and tables by class, as scikit-learn has them."""

import ast
import doctest
import importlib.util
import inspect
import json
import math
import pickle

import numpy as np
import pytest
from sklearn import metrics as sklearn

from hierpair import BadInput, Hierarchy, Infeasible, NodeScores, measure, score, set_measure
from hierpair import metrics as functions_of
from hierpair.evaluation.scoring import sums_by_class
from hierpair.measures import REGISTRY, Option, measures_of
from hierpair.metrics import class_areas, classification_report, contributions_by_class, function_of
from hierpair.metrics.functions import registered_functions
from hierpair.probabilistic import selective_curve
from tests import effort
from tests.everything import random_problem
from tests.oracles.classes import Classes
from tests.paths import ROOT

LIBRARY = [name for name, d in REGISTRY.items() if d.value.__module__.startswith("hierpair.")]
OF_LABELS = [name for name in LIBRARY if name in measures_of("labels")]
FUNCTIONS = {f.__name__: f for f in registered_functions()}
ABC = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])

PET = Hierarchy.from_edges(
    [("all", "pet"), ("all", "oak"), ("pet", "cat"), ("pet", "dog"), ("cat", "lion")]
)
SINGLE = random_problem("single labels", 21, most=1, empty=False, sample_weights=True)
PROBLEMS = [SINGLE, random_problem("tree", 22), random_problem("dag", 23, parents=2)]
BY_CLASS = [m for m, d in REGISTRY.items() if d.averaged_over == "class" and not d.by_true_class]
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e")])


def test_every_measure_has_one_function_and_every_f_an_f1():
    names = [REGISTRY[name].function for name in LIBRARY]
    f1 = [name.replace("fbeta", "f1") for name in names if "fbeta" in name]
    assert len(f1) >= 6
    assert sorted(FUNCTIONS) == sorted([*names, *f1])
    assert set(FUNCTIONS) <= set(functions_of.__all__)
    assert not hasattr(functions_of, "h_f3_score")
    assert not any("beta" in inspect.signature(FUNCTIONS[name]).parameters for name in f1)
    for name, function in FUNCTIONS.items():
        assert pickle.loads(pickle.dumps(getattr(functions_of, name))).__name__ == name
        assert function.__module__ == "hierpair.metrics.functions"
    for name in LIBRARY:
        called, higher = REGISTRY[name].function, REGISTRY[name].direction == "higher"
        assert called.endswith(("_score", "_accuracy")) == higher, called
        assert called.endswith(("error", "_cost", "_loss")) != higher, called


@pytest.mark.random_cases
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_functions_are_what_score_says(problem):
    """With defaults, and with other values of options, which the problems share among them."""
    turn, rng, compared = PROBLEMS.index(problem), np.random.default_rng(5), 0
    hierarchy, truth, prediction = problem.fresh()
    how = {"sample_weight": problem.weight}
    for name in OF_LABELS if effort.exhaustive else OF_LABELS[turn::3]:
        d, choices = REGISTRY[name], [{}]
        for option in list(d.options)[turn :: len(PROBLEMS)]:
            values = [v for v in d.option(option).values if v == v]  # noqa: PLR0124 - not nan
            choices += [{option: values[rng.integers(len(values))]}] if values else []
        for options in choices:
            function = FUNCTIONS[d.function]
            try:
                m = measure(name).with_options(**options)
                wanted = score(hierarchy, truth, {"s": prediction}, m, **how).values[0, 0]
            except (BadInput, Infeasible) as error:
                kind = type(error)
                with pytest.raises(kind):
                    function(truth, prediction, hierarchy, **how, **options)
                assert f"{kind.__name__}\n" in inspect.getdoc(function)
                continue
            found = function(truth, prediction, hierarchy, **how, **options)
            assert found == wanted or (math.isnan(found) and math.isnan(wanted)), (name, options)
            compared += 1
    assert compared > (80 if effort.exhaustive else 25)


@pytest.mark.parametrize(("function", "names"), [
    ("class_areas", "micro_auprc"), ("level_scores", "ece level_log_loss"), ("reliability", "ece"),
    ("hierarchical_confusion_matrix", "hcm_f"), ("contributions_by_class", "contribution_precision"),
    ("classification_report", "hp precision"), ("cafaeval_table", "fmax"),
])  # fmt: skip
def test_tables_have_the_defaults_of_their_measures(function, names):
    parameters = inspect.signature(getattr(functions_of, function)).parameters
    defaults = {name: p.default for name, p in parameters.items()}
    for options in (REGISTRY[name].options for name in names.split()):
        shared = [name for name in options if defaults.get(name) is not None]
        assert shared
        assert [defaults[name] for name in shared] == [options[name] for name in shared]


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
            of = node.args
            names = {a.arg for a in (*of.posonlyargs, *of.args, *of.kwonlyargs)}
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
        hierarchy, *sides = problem.fresh()
        if hierarchy.shape == "DAG" and "path_" in name:
            with pytest.raises(BadInput, match="a class has many paths in a DAG"):
                function(*sides, hierarchy, average=None)
            continue
        for given in (None, np.random.default_rng(1).random(len(sides[0]))):
            each, mean = (function(*sides, hierarchy, average=average, sample_weight=given)
                          for average in (None, "macro"))  # fmt: skip
            assert np.nanmean(each) == pytest.approx(mean, rel=1e-13)
            assert each.dtype == np.float64


def test_an_artificial_class_of_a_path_threshold_is_no_class_of_the_result():
    deep = Hierarchy.from_edges([(f"n{k}", f"n{k + 1}") for k in range(9)])
    recall = measure("hr(threshold=2, root=include, average=macro)")
    _, total = sums_by_class(deep, [["n9"]], [["n9"]], [recall])
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


# ---------------------------------------------------- the classification report

AVERAGES = ("micro", "macro", "weighted", "samples")


def figures(report, by):
    """By class, level or average: both sides, each precision, recall, F1 and support."""
    return {row[0]: (row[-8:-4], row[-4:]) for row in report.records(by).rows}


def indicator(sets):
    matrix = np.zeros((len(sets), sets.n_classes), dtype=int)
    for i in range(len(sets)):
        matrix[i, sets.indices[sets.indptr[i] : sets.indptr[i + 1]]] = 1
    return matrix


@pytest.mark.parametrize("zero_division", [0, 1, math.nan])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_flat_figures_are_those_of_scikit_learn(problem, zero_division):
    hierarchy, truth, prediction = problem.fresh()
    rng = np.random.default_rng(3)
    for weight in (None, rng.integers(1, 5, len(truth)).astype(float)):
        how = {"sample_weight": weight, "zero_division": zero_division}
        report = classification_report(truth, prediction, hierarchy, **how)
        y_true, y_pred = indicator(truth), indicator(prediction)
        labels = np.flatnonzero(y_true.any(axis=0) | y_pred.any(axis=0))
        sides = y_true[:, labels], y_pred[:, labels]
        wanted = sklearn.classification_report(*sides, output_dict=True, **how)
        rows = figures(report, "class")
        for k, c in enumerate(labels.tolist()):
            found = rows.pop(hierarchy.names[c])[0]
            np.testing.assert_array_equal(found, list(wanted[str(k)].values()))
        assert all(np.isnan(of[:3]).all() and of[3] == 0 for of, _ in rows.values())
        for average in AVERAGES:
            of = figures(report, "average")[f"{average} avg"][0]
            np.testing.assert_allclose(of, list(wanted[f"{average} avg"].values()), rtol=1e-14)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_levels_by_counting(problem):
    """Instance by instance: the classes of a level on both sides, with plain sets."""
    hierarchy, truth, prediction = problem.fresh()
    h = Classes(problem.edges, problem.classes)
    levels = figures(classification_report(truth, prediction, hierarchy), "level")
    for side, augment in enumerate(("none", "ancestors")):
        counted = {level: [0, 0, 0] for level in levels}
        for i in range(len(truth)):
            t, p = (h.grown(x.names_of(i, hierarchy), augment) for x in (truth, prediction))
            for k, names in enumerate((t, p, t & p)):
                for name in names - (h.single if side else set()):
                    counted[h.level(name)][k] += 1
        for level, (t, p, b) in counted.items():
            wanted = [math.nan] * 3
            if t + p:
                wanted = [b / p if p else 0, b / t if t else 0, 2 * b / (t + p)]
            np.testing.assert_array_equal(levels[level][side], [*wanted, t])


def test_a_level_is_the_longest_way_from_a_root():
    dag = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("r", "c")])
    report = classification_report([["c"]], [["c"]], dag)
    assert [row[:2] for row in report.records().rows] == [["a", 1], ["b", 2], ["c", 3]]
    assert list(figures(report, "level")) == [1, 2, 3]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("case", ["weights", "root", "ignore", "classes"])
def test_tables_by_class_are_the_functions(problem, case):
    """Reports and contributions by class, averages and values, whatever is weighted or left out."""
    hierarchy, truth, prediction = problem.fresh()
    n, rng = len(truth), np.random.default_rng(0)
    how = {
        "weights": {"sample_weight": rng.random(n)}, "root": {"root": "include"},
        "ignore": {"ignore": [truth.names_of(i, hierarchy)[: i % 2] for i in range(n)],
                   "ignore_ancestors": problem.name == "tree"},
        "classes": {"classes": [*hierarchy.names[1::2]]},
    }[case]  # fmt: skip
    report = classification_report(truth, prediction, hierarchy, **how)
    averages, rows = figures(report, "average"), figures(report, "class")

    def known(function, **given):
        values = function(truth, prediction, hierarchy, average=None, **given)
        by_class = dict(zip(hierarchy.names, values, strict=True))
        return {c: x for c, x in by_class.items() if not math.isnan(x)}

    for side, kind in enumerate(("flat", "h")):
        given = how if side or case != "root" else {}
        for column, name in enumerate(("precision", "recall", "f1")):
            function = getattr(functions_of, f"{kind}_{name}_score")
            for average in AVERAGES:
                expected = function(truth, prediction, hierarchy, average=average, **given)
                found = averages[f"{average} avg"][side][column]
                assert found == pytest.approx(expected, rel=1e-14)
            found = {c: of[side][column] for c, of in rows.items()}
            found = {c: x for c, x in found.items() if not math.isnan(x)}
            assert found == pytest.approx(known(function, **given))
    if case == "root":
        return
    for classes in [how["classes"]] if case == "classes" else ["seen", "all"]:
        how["classes"] = classes
        found = contributions_by_class(truth, prediction, hierarchy, **how)
        for column in ("precision_score", "recall_score", "accuracy_score", "error"):
            of = known(getattr(functions_of, f"contribution_{column}"), **how)
            assert found.keys() <= of.keys()
            assert case == "classes" or found.keys() == of.keys()
            each = {c: getattr(x, column.removesuffix("_score")) for c, x in found.items()}
            assert each == pytest.approx({c: of[c] for c in found})


# ------------------------------------------------------------------------- how it shows itself


def test_what_text_shows_and_what_it_says_is_left_out():
    names = [f"c{k}" for k in range(30)]
    flat = Hierarchy.from_edges([("r", n) for n in names])
    truth = [n for k, n in enumerate(names) for _ in range(k + 1)]
    report = classification_report(truth, truth, flat)
    text = report.to_text()
    assert text.splitlines()[3].split()[0] == "c29"
    assert all(x in text for x in ("20 of 30 classes are shown", "10 are left out"))
    assert "c9 " not in text
    assert "left out" not in report.to_text(most=30)
    assert "c29" not in report.to_text(most=0)
    assert len(report.to_dataframe()) == report.to_csv().count("\n") == 30
    chosen = classification_report(truth, truth, flat, labels=["c3", "r"], digits=4)
    lines = [line.split() for line in chosen.to_text().splitlines()]
    assert lines[3] == ["c3", "1", *["1.0000"] * 3, "4", *["1.0000"] * 3, "4"]
    assert lines[4] == ["r", *"–––0–––0"]  # no instance has it: no figures
    assert "over all 30 classes that occur" in chosen.to_text()
    assert chosen.to_dataframe("average").loc["micro avg", "support"] == len(truth)
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("b", "c"), ("b", "d")])
    truth = ["a", "b", "c", "d", "d"]  # of equal numbers of labels those with more below come first
    rows = classification_report(truth, truth, tree).to_text().splitlines()[3:7]
    assert [row.split()[0] for row in rows] == ["d", "b", "a", "c"]


def test_json_notes_and_names():
    truth, guess = [["cat", "oak"], ["dog"], []], [["lion"], ["dog", "oak"], ["oak"]]
    report = classification_report(truth, guess, PET, sample_weight=[0.5, 1, 1])
    data = json.loads(report.to_json())
    assert [len(data[k]) for k in ("average", "level", "class")] == [4, 3, 5]
    assert data["class"][0] == {
        "class": "pet", "level": 1, "precision": None, "recall": None, "f1-score": None,
        "support": 0.0, "hp": 1.0, "hr": 1.0, "hf": 1.0, "h-support": 1.5,
    }  # fmt: skip
    assert "pet        1          –       –         –        0  1.00" in report.to_text()
    assert report.signatures[3].startswith("hp(augment=ancestors,root=exclude")
    tree = Hierarchy.from_edges([("r", "G:1"), ("r", "G:2")], titles={"G:1": "death"})
    report = classification_report([["G:1"], ["x"]], [["G:1"], ["G:2"]], tree, unknown="drop")
    assert "death (G:1)" in report.to_text()
    (dropped,) = report.remarks
    assert dropped == "y_true: labels outside the hierarchy, dropped or replaced on request: 1"
    assert dropped in report.to_text()
    assert list(figures(report, "class")) == ["G:1", "G:2"]
    forest = Hierarchy.from_edges([("a", "b"), ("c", "d")])
    assert "the hierarchy has 2 roots" in classification_report(["b"], ["d"], forest).to_text()
    tree = Hierarchy.from_edges([("r", ("a", 1)), ("r", 7)])
    frame = classification_report([[("a", 1)], [7]], [[7], [7]], tree).to_dataframe()
    assert set(frame.index) == {("a", 1), 7}


@pytest.mark.parametrize("table", [
    *(lambda h, f=f: f(TRUTH, SCORED, h) for f in (class_areas, functions_of.level_scores, functions_of.reliability)),
    *(lambda h, f=f: f(TRUTH, TRUTH, h) for f in (contributions_by_class, classification_report)),
    lambda h: functions_of.pyevall_icm_soft(SCORED, SCORED, h), lambda h: functions_of.cafaeval_table(h, TRUTH, SCORED),
    lambda h: selective_curve(TRUTH, (np.eye(3), ["c", "d", "e"]), hierarchy=h).to_json(),
])  # fmt: skip
def test_tables_take_a_tree_in_any_form(table):
    assert repr(table({"a": "r", "b": "r", "c": "a", "d": "a", "e": "b"})) == repr(table(TREE))


def test_what_does_not_occur():
    """Nothing on either side, or with the weight 0; pet has such a label, and cat below it counts."""
    report = classification_report([[], []], [[], []], PET)
    assert report.records().rows == []
    assert report.to_text().startswith("Classes\n\nclass  level")
    assert len(report.to_dataframe("level")) == 0
    assert [row[4] for row in report.records("average").rows] == [0] * 4
    report = classification_report(["cat", "oak"], ["cat", "oak"], PET, sample_weight=[0, 1])
    assert list(figures(report, "class")) == ["oak"]
    report = classification_report(["pet", "cat"], ["pet", "cat"], PET, sample_weight=[0, 1])
    flat, augmented = figures(report, "class")["pet"]
    assert math.isnan(flat[2])
    assert augmented[2] == 1


# ------------------------------------------------- what functions, reports, tables and presets refuse

OTHER = Hierarchy.from_edges([("r", "a")])
DAG = Hierarchy.from_edges([("r", "a"), ("q", "a"), ("r", "b")])
TRUTH = {"x": "c", "y": "d", "z": "c"}
SOFT = {"x": {"a": 0.75, "b": 0.25}, "y": {"b": 1.0}}
SCORED = {"x": {"c": 1, "d": 0.5}, "y": {"d": 0.75, "e": 0.25}, "z": {"c": 0.5, "e": 0.125}}
SAID = {"x": {"a": 0.5}, "y": {"b": 0.5}}
REPORTED = [
    *(({"labels": given}, f"labels {said}") for given, said in (
        ("cat", "are a list of classes, got 'cat'"), (3, "are a list of classes, got 3"), ({"cat"}, "must have an order"),
        (["cat", "cat"], "have 'cat' twice"))),
    ({"labels": ["cta"]}, "class 'cta' is not in the hierarchy; did you mean 'cat'"),
    ({"digits": -1}, "digits must be a whole number of at least 0, got -1"), ({"root": "x"}, "'x'"),
    ({"zero_division": 2}, "zero_division must be 0, 1 or nan"), ({"sample_weight": [1]}, "sample_weight must have shape"),
]  # fmt: skip
CAFA = [
    ({"prop": "mux"}, "prop must be"), ({"norm": "cafe"}, "norm must be"),
    *(({"th_step": step}, "th_step must be at least 1e-06 and below 1, got") for step in (1.5, 1e-9, "0.1", 1)),
    ({"weights": {"a": "much"}}, "the weight of class 'a' must be a number, got 'much'"),
    ({"weights": [1, 2]}, "weights must be {class: weight}, got list"),
    ({"y_true": {"x": ["zebra"]}, "unknown": "error"}, "zebra"),
]  # fmt: skip
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
    (lambda: functions_of.score_like("hiclass-makro", TREE, ["c"], {"x": ["c"]}), "did you mean 'hiclass-macro'"),
    (lambda: functions_of.score_like("hemkit", TREE, ["c"], {"x": ["c"]})["x", "f2"], "there is no system or column 'f2'"),
    (lambda: functions_of.score_like("hemkit", TREE, ["c"], {"x": ["c"]}, beta=2), "leave 'beta' out"),
    (lambda: functions_of.score_like("hemkit", TREE, {"i": "c"}, {"x": {"i": {"c": 0.5}}}), "knows no scores of predictions"),
    (lambda: functions_of.score_like("cafaeval", TREE, [[]], {"x": ["c"]}), "no instances without true labels"),
    (lambda: class_areas(TRUTH, np.array(["c", "b", "e"]), TREE), "y_score"),
    (lambda: class_areas(TRUTH, np.zeros((3, 5)), TREE), r"has shape \(3, 5\), and there are 6 classes"),
    (lambda: class_areas(["c"], [[[0.5, 0.5]]], TREE),
     r"levels of \[2, 3\] classes, and matrices of shape \[\(1, 2\)\]"),
    (lambda: NodeScores.from_levels([], TREE), "matrices of shape"),
    (lambda: class_areas(TRUTH, [[[0, 0], [0, np.nan], [0, 0]], np.zeros((3, 3))], TREE),
     r"instance 'y', class 'b': a score must be in \[0, 1\]"),
    (lambda: functions_of.reliability(["a"], NodeScores.from_array([[1, 1]], OTHER), TREE), "belong to another hierarchy"),
    *((lambda side=side: functions_of.pyevall_icm_soft(side, side, TREE), message) for side, message in (
        ([{"a": 0.5}, {"a": 0.5}], "same weight of class 'a'"),
        ([{"a": 1.5}], r"must be in \[0, 1\]"),
        ([{"q": 0.5}], "'q'"),
        ([], "no instances"),
    )),
    (lambda: functions_of.pyevall_icm_soft(SOFT, {"w": {"a": 1.0}}, TREE), "1 instance has no truth, such as 'w'"),
    (lambda: functions_of.pyevall_icm_soft(SOFT, SOFT, DAG), "no one path"),
]  # fmt: skip


def report(**how):
    return classification_report(["cat", "dog"], ["cat", "dog"], PET, **how)


def cafa(y_true=None, **how):
    return functions_of.cafaeval_table(TREE, y_true or {"x": ["a"], "y": ["c"]}, SAID, **how)


@pytest.mark.parametrize(("call", "message"), [
    *((lambda how=how: report(**how), message) for how, message in REPORTED),
    *((lambda how=how: cafa(**how), message) for how, message in CAFA),
    *CALLS,
])  # fmt: skip
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
