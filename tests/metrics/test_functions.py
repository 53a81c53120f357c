"""Functions of the scikit-learn habit: one for every measure, with all that the registry knows."""

import ast
import doctest
import importlib.util
import inspect
import math
import pickle

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, Infeasible, measure, score, set_measure
from hierpair import metrics as functions_of
from hierpair.measures import REGISTRY, Option, measures_of
from hierpair.metrics.functions import (
    function_of,
    registered_functions,
)
from tests.everything import random_problem
from tests.paths import ROOT

LIBRARY = [name for name, d in REGISTRY.items() if d.value.__module__.startswith("hierpair.")]
OF_LABELS = [name for name in LIBRARY if name in measures_of("labels")]
FUNCTIONS = {f.__name__: f for f in registered_functions()}

ABC = Hierarchy.from_edges([("root", "a"), ("a", "b"), ("a", "c")])


@pytest.fixture
def registry():
    """Measures that a test registers do not stay."""
    before = dict(REGISTRY)
    yield REGISTRY
    REGISTRY.clear()
    REGISTRY.update(before)


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


@pytest.mark.parametrize("name", LIBRARY)
def test_the_name_says_the_direction(name):
    called = REGISTRY[name].function
    higher = called.endswith(("_score", "_accuracy"))
    assert higher != called.endswith(("error", "_cost", "_loss"))
    assert higher == (REGISTRY[name].direction == "higher")


SEVERAL = (
    random_problem("single labels", 11, most=1, empty=False, sample_weights=True),
    random_problem("tree", 12),
    random_problem("dag", 13, parents=2, empty=False),
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("problem", SEVERAL, ids=lambda p: p.name)
def test_functions_are_what_score_says(problem):
    """With defaults, and with other values of options, which the problems share among them."""
    turn = SEVERAL.index(problem)
    rng = np.random.default_rng(5)
    hierarchy, truth, prediction = problem.fresh()
    weight = problem.weight
    compared = 0
    for name in OF_LABELS:
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
    assert compared > 80


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


def test_a_measure_of_ones_own_has_a_function_too(registry):
    @set_measure(formula="n", source="mine", direction="higher", range="[0, ∞)")
    @Option("bonus", "added to every value", kind=float, domain="a number ≥ 0",
            check=lambda x: x >= 0)  # fmt: skip
    def generous(n_true, *, bonus: float = 0.5):
        "What was true, and more."
        return n_true + bonus

    f = function_of("generous")
    assert f.__name__ == "generous_score"
    assert f([["b"]], [["c"]], ABC, bonus=2) == 4
    assert "bonus : float, default 0.5" in f.__doc__
    assert "Added to every value." in f.__doc__
    with pytest.raises(BadInput, match="generous: bonus must be a number ≥ 0, got -1"):
        f([["b"]], [["c"]], ABC, bonus=-1)
