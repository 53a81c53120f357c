"""What holds of every measure of label sets, with every option at values that are not its default.

Explanations, parts and processes have such contracts in the folders that make them.
"""

from dataclasses import replace

import numpy as np
import pytest

from hierpair import measure
from hierpair.errors import HierpairError
from hierpair.measures import REGISTRY, measures_of
from tests.everything import LEVELS, OF_LEVELS, PROBLEMS, may_round, outcome, trial, variants

INSTANCES = 10


def cases(name):
    """Small problems, each with the outcomes of those variants of a measure that it has values for."""
    total = "total" in REGISTRY[name].traits
    usual = [PROBLEMS[p] for p in (("dag", "forest") if total else ("one label", "paths"))]
    for problem in [LEVELS] if name in OF_LEVELS else usual:
        true, said = problem.y_true[:INSTANCES], problem.y_pred[:INSTANCES]
        small = replace(problem, y_true=true, y_pred=said, weight=None)
        try:
            yield small, outcome(small, variants((name,)))
        except HierpairError:
            each = {m: trial(small, m) for m in variants((name,))}
            yield small, {m: x for m, x in each.items() if not isinstance(x[0], str)}


def same(one, other):
    return np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.random_cases
@pytest.mark.parametrize("name", measures_of("labels"))
def test_every_measure_with_every_option(name):
    """Neither the order of instances nor that of classes counts; weights are repeated instances."""
    rng = np.random.default_rng(0)
    known, chosen = 0, set()
    for problem, found in cases(name):
        n, m_all = len(problem.y_true), list(found)
        known += sum(not np.isnan(x[0]) for x in found.values())
        chosen |= {o for m in found for o, _ in m.chosen}
        if not found:
            continue
        order, weight = rng.permutation(n), rng.integers(0, 3, n)
        weight[0] = 1
        turned = replace(problem, y_true=[problem.y_true[i] for i in order],
                         y_pred=[problem.y_pred[i] for i in order])  # fmt: skip
        drawn = np.repeat(np.arange(n), weight)
        twice = replace(problem, y_true=[problem.y_true[i] for i in drawn],
                        y_pred=[problem.y_pred[i] for i in drawn])  # fmt: skip
        counted = [m for m in m_all if m.options.get("weights") not in ("ia", "ic", "icm")]
        counted = [m for m in counted if m.definition.name not in ("icm", "icm_norm")]
        again = outcome(turned, m_all)
        weighed = counted and outcome(replace(problem, weight=weight.astype(float)), counted)
        repeated = counted and outcome(twice, counted)
        for m, (value, *each) in found.items():
            one, *others = again[m]
            assert same(one, value), f"{m}: order of instances"
            assert may_round(problem, m) or others == [each[i] for i in order] or same(
                others, [each[i] for i in order]), m  # fmt: skip
        for m in counted:
            assert same(weighed[m][0], repeated[m][0]), f"{m}: weights"
    assert known
    wanted = {o for m in variants((name,)) for o, _ in m.chosen}
    assert wanted - {"max_distance"} <= chosen


@pytest.mark.parametrize("name", measures_of("labels"))
def test_the_text_comes_before_the_keyword_before_the_default(name):
    plain = measure(name)
    for m in variants((name,)):
        for option, value in m.chosen:
            assert measure(name, **{option: value}) == plain.with_options(**{option: value})
            assert measure(m.name, **{option: plain.options[option]}) == m
            assert option not in dict(plain.chosen)


@pytest.mark.parametrize(("text", "name"), [
    ("hF", "hf"), ("h_f1", "hf"), ("hierarchical_f1", "hf"), ("h_fbeta_score", "hf"),
    ("Hierarchical precision".replace(" ", "_"), "hp"), ("graph_induced_error", "gie"),
    ("lca_f1", "lca_f"), ("h_f1(root=include)", "hf(root='include')"),
])  # fmt: skip
def test_measures_are_found_by_what_people_call_them(text, name):
    assert measure(text).name == name


@pytest.mark.parametrize("name", [*measures_of("labels"), *measures_of("scores")])
def test_functions_and_headings_are_names_too(name):
    d = measure(name).definition
    for text in (name, d.function):
        assert measure(text).definition is d


@pytest.mark.parametrize(
    ("text", "some"), [("f1", ("hf", "lca_f", "f")), ("accuracy", ("hcm_accuracy",))]
)
def test_a_name_that_many_could_have_asks_which(text, some):
    with pytest.raises(
        HierpairError, match=f"there is no measure '{text}' alone; say which"
    ) as said:
        measure(text)
    assert all(name in str(said.value) for name in some)
