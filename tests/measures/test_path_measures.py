"""Path measures: published rules on vectors, slow references, identities, and what is refused."""

import json
import math

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, score
from hierpair.metrics import point_overlap_score
from tests import effort
from tests.oracles.whole_paths import Classes, level_accuracies, path_values
from tests.paths import SHARED

MODERN = SHARED / "modern"
NAMES = {
    "fpa": "full_path_accuracy",
    "tice": "tree_inconsistency",
    "wap": "weighted_average_precision",
    "por": "point_overlap",
    "tor": "tree_overlap",
    "prefix": "path_prefix",
    "edge_inconsistency": "edge_inconsistency",
}
ALL = [
    *NAMES.values(),
    "weighted_average_precision(average=samples)",
    "weighted_average_precision(average=micro)",
    "point_overlap(average=macro)",
]
TREE = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("c", "f"), ("d", "g")]


def values(name, hierarchy, y_true, y_pred):
    return score(hierarchy, y_true, {"s": y_pred}, [name]).per_instance["s"][:, 0].tolist()


def pooled(name, hierarchy, y_true, y_pred, **more):
    return score(hierarchy, y_true, {"s": y_pred}, [name], **more)["s", name]


@pytest.mark.skipif(not MODERN.is_dir(), reason=f"no modern in {SHARED}")
def test_the_vectors_of_paths():
    cases = json.loads((MODERN / "paths.json").read_text("utf-8"))["cases"]
    for case in cases:
        classes = [c for level in case["levels"] for c in level]
        hierarchy = Hierarchy.from_edges(case["edges"], classes=classes, roots="any")
        sides = case["truth"], case["prediction"]
        found = score(hierarchy, sides[0], {"s": sides[1]}, list(NAMES.values()))
        for key, name in NAMES.items():
            wanted = case["expected"][key]
            got = found["s", name]
            assert math.isnan(got) if wanted is None else abs(got - wanted) <= 1e-12, case["name"]
        each = point_overlap_score(*sides, hierarchy, average=None)
        np.testing.assert_allclose(each, case["expected"]["level_accuracy"], rtol=0, atol=1e-12)
    assert len(cases) == 45


def random_paths(rng, *, dag=False, instances=6, roots=None):
    """A hierarchy, whole true paths of several depths, and predictions level by level.

    Classes of a DAG have parents on the level above them only, so that paths have every level.
    """
    depth = int(rng.integers(1, 5))
    levels = [[f"c{k}.{i}" for i in range(int(rng.integers(1, 5)))] for k in range(depth)]
    if roots:
        levels[0] = levels[0][:roots]
    edges = []
    for upper, lower in zip(levels, levels[1:], strict=False):
        for c in lower:
            most = int(rng.integers(1, 3)) if dag else 1
            few = rng.choice(upper, min(most, len(upper)), replace=False)
            edges += [(str(p), c) for p in few]
    names = [c for level in levels for c in level]
    classes = Classes(edges, names)

    def path():
        c = str(rng.choice(names))
        found = [c]
        while classes.parents[found[0]]:
            found.insert(0, str(rng.choice(sorted(classes.parents[found[0]]))))
        return found

    def guess(truth):
        if rng.random() < 0.3:
            return truth
        if rng.random() < 0.3:
            return path()
        found = [str(rng.choice(level)) for level in levels if rng.random() < 0.8]
        return [t if rng.random() < 0.4 else c for t, c in zip(truth, found, strict=False)
                if classes.level(t) == classes.level(c)] or found  # fmt: skip

    y_true = [path() for _ in range(instances)]
    y_pred = [guess(t) for t in y_true]
    return Hierarchy.from_edges(edges, classes=names, roots="any"), classes, y_true, y_pred


@pytest.mark.random_cases
@pytest.mark.parametrize("dag", [False, True])
def test_path_measures_against_dicts_and_fractions(dag):
    rng = np.random.default_rng(1)
    for _ in range(effort.cases(100)):
        hierarchy, classes, y_true, y_pred = random_paths(rng, dag=dag)
        wanted = [path_values(classes, t, p) for t, p in zip(y_true, y_pred, strict=True)]
        for name in NAMES.values():
            for got, want in zip(values(name, hierarchy, y_true, y_pred), wanted, strict=True):
                expected = want[name]
                assert math.isnan(got) if expected is None else got == float(expected), name
            known = [w[name] for w in wanted if w[name] is not None]
            if name != "weighted_average_precision" and known:
                mean = pooled(name, hierarchy, y_true, y_pred)
                assert mean == pytest.approx(float(sum(known) / len(known)), abs=1e-15)


@pytest.mark.exhaustive
@pytest.mark.random_cases
def test_levels_are_pooled_with_all_weights():
    """wAP takes Σ K a / Σ K also where few instances reach a level, and where instances weigh."""
    rng = np.random.default_rng(2)
    for _ in range(effort.cases(200)):
        hierarchy, classes, y_true, y_pred = random_paths(rng, dag=rng.random() < 0.5)
        for weight in (None, rng.integers(1, 5, len(y_true)) / 4):
            each = np.ones(len(y_true)) if weight is None else weight
            levels = level_accuracies(classes, y_true, y_pred, each)
            wap = sum(a * k for a, k in levels.values()) / sum(k for _, k in levels.values())
            por = sum(a for a, _ in levels.values()) / len(levels)
            more = {"sample_weight": weight}
            got = pooled("weighted_average_precision", hierarchy, y_true, y_pred, **more)
            assert got == pytest.approx(float(wap), abs=1e-15)
            got = pooled("point_overlap(average=macro)", hierarchy, y_true, y_pred, **more)
            assert got == pytest.approx(float(por), abs=1e-15)
            found = point_overlap_score(y_true, y_pred, hierarchy, average=None, **more)
            assert {k: x for k, x in enumerate(found) if not math.isnan(x)} == {
                k: float(a) for k, (a, _) in levels.items()
            }


@pytest.mark.parametrize("form", [list, np.array])
def test_levels_of_independent_heads_become_label_sets(form):
    """A column per level; predictions need not be paths, and a blank is no class."""
    tree = Hierarchy.from_edges(TREE)
    truth = LabelSets.from_levels(form([["a", "c", "f"], ["b", "e", ""]]), tree, each=True)
    guess = LabelSets.from_levels(form([["b", "c", "f"], ["", "e", "g"]]), tree, each=True)
    assert values("point_overlap", tree, truth, guess) == [2 / 3, 1 / 2]
    assert values("full_path_accuracy", tree, truth, truth) == [1, 1]
    assert values("tree_inconsistency", tree, truth, guess) == [1, 1]
    frame = pytest.importorskip("pandas").DataFrame([["a", "d", None]], columns=[1, 2, 3])
    assert LabelSets.from_levels(frame, tree, each=True).names_of(0, tree) == ["a", "d"]
    with pytest.raises(BadInput, match="instance 1: class 'x' is not"):
        LabelSets.from_levels([["a"], ["x"]], tree, each=True)


@pytest.mark.parametrize(("true", "predicted", "message"), [
    (["a", "b"], ["a"], r"instance 1: its true set has several classes of level 1, 'a' and 'b'"),
    (["a"], ["a", "c", "d"],
     r"instance 1: its predicted set has several classes of level 2, 'c' and 'd'"),
    (["f"], ["f"], r"instance 1: its true set has 'f' of level 3, and no class of level 2"),
    (["r", "c"], [], r"instance 1: its true set has 'c' of level 2, and no class of level 1"),
])  # fmt: skip
def test_sets_that_are_no_paths_are_refused_by_instance_and_level(true, predicted, message):
    tree = Hierarchy.from_edges(TREE)
    for name in NAMES.values():
        with pytest.raises(BadInput, match=message):
            score(tree, [["a"], true], {"s": [["a"], predicted]}, [name])


def test_a_forest_has_no_root_to_leave_out():
    forest = Hierarchy.from_edges([("a", "c"), ("b", "e")])
    with pytest.raises(BadInput, match="its true set has 'c' of level 1, and no class of level 0"):
        score(forest, [["c"]], {"s": [["c"]]}, ["point_overlap"])
