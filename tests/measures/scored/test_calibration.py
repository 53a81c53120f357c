"""Scores of levels: hiclass, live and recorded, a slow reference, laws and refusals."""

import math

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelSets, NodeScores
from hierpair.measures.scored.calibration import level_scores, reliability
from tests import effort
from tests.measures.scored.cases import as_arrays, hierarchy_of_case, random_case, vectors
from tests.oracles import scored_classes as slow

NEAR = {"rel": 0, "abs": 1e-12}
OF_SINGLE_PRECISION = {"rel": 2e-7, "abs": 6e-7}
TOOL = {
    "brier": "multiclass_brier_score",
    "log_loss": "log_loss",
    "ece": "expected_calibration_error",
    "sce": "static_calibration_error",
    "ace": "adaptive_calibration_error",
}


def of_hiclass(hierarchy, truth, prediction, levels, probabilities, bins):
    """Our numbers under the conventions of hiclass."""
    classes = [name for level in levels for name in level]
    scores = NodeScores.from_array(np.hstack(probabilities), hierarchy, classes=classes)
    sides = (LabelSets.from_labels(side, hierarchy) for side in (truth, prediction))
    true, predicted = sides
    return level_scores(true, scores, bins=bins, predicted=predicted, preset="hiclass")


@pytest.mark.parametrize("case", vectors("hiclass_calibration"))
def test_published_calibration(case):
    found = of_hiclass(
        hierarchy_of_case(case), case["truth"], case["prediction"], case["levels"],
        case["probabilities"], case["options"]["n_bins"],
    )  # fmt: skip
    for name, want in case["expected"].items():
        if "error" in want:  # hiclass stops at a level of two classes
            assert name == "sce"
            assert np.isnan(found.sce).any()
            continue
        near = OF_SINGLE_PRECISION if name == "log_loss" else NEAR
        assert getattr(found, name).tolist() == pytest.approx(want["levels"], **near)
        assert found.over_levels(name) == pytest.approx(want["average"], **near)
        assert found.over_levels(name, "sum") == pytest.approx(want["sum"], **near)


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(effort.cases(50)))
def test_hiclass_itself(seed):
    metrics = pytest.importorskip("hiclass.metrics")

    class Classifier:
        separator_ = "::HiClass::Separator::"

        def _disambiguate(self, y):
            rows = [[self.separator_.join(row[: k + 1]) for k in range(len(row))] for row in y]
            return np.array(rows, dtype=object)

    rng = np.random.default_rng(seed)
    tops, below = int(rng.integers(3, 5)), int(rng.integers(1, 4))
    leaves = [(f"t{i}", f"t{i}.{j}") for i in range(tops) for j in range(below)]
    tree = Hierarchy.from_edges([("root", f"t{i}") for i in range(tops)] + leaves)
    n, bins = int(rng.integers(1, 30)), int(rng.choice([2, 5, 10]))
    sharp = rng.random((n, len(leaves))) ** int(rng.integers(1, 9))
    low = np.round(sharp / sharp.sum(axis=1, keepdims=True), 3)
    low[0] = np.eye(len(leaves))[0]  # certain, which falls out of all bins there
    high = low.reshape(n, tops, below).sum(axis=2)
    classifier = Classifier()
    levels = [[f"t{i}" for i in range(tops)], [leaf for _, leaf in leaves]]
    classifier.classes_ = [np.array(level) for level in levels]
    truth, prediction = (
        np.array([leaves[k] for k in rng.integers(0, len(leaves), n)]) for _ in range(2)
    )
    found = of_hiclass(tree, truth.tolist(), prediction.tolist(), levels, [high, low], bins)
    for name, function in TOOL.items():
        judged = () if name in ("brier", "log_loss") else (prediction, bins)
        with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *_, **__: None)  # rows that do not add up to 1
            want = getattr(metrics, function)(classifier, truth, [high, low], *judged, agg=None)
        near = OF_SINGLE_PRECISION if name == "log_loss" else NEAR
        assert getattr(found, name).tolist() == pytest.approx([float(x) for x in want], **near)


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(effort.cases(120)))
def test_slow_reference(seed):
    rng = np.random.default_rng(seed)
    grid = 8  # halves and quarters, which floats hold exactly, often stand on the edge of a bin
    parents, truth, scores = random_case(rng, dag=seed % 3 == 0, forest=seed % 3 == 1, grid=grid)
    bins = int(rng.choice([1, 2, 4, 8]))
    sets, given = as_arrays(parents, truth, scores)
    roots = [v for v in parents if not parents[v]]
    levels = list(slow.levels(parents, truth, scores, roots if len(roots) == 1 else ()))
    if not levels:
        with pytest.raises(BadInput, match="has a true class that counts"):
            level_scores(sets, given, bins=bins)
        return
    found = level_scores(sets, given, bins=bins)
    assert found.n_instances.tolist() == [len(judged) for _, judged in levels]
    assert found.n_classes.tolist() == [len(classes) for classes, _ in levels]
    for name, want in (
        ("brier", [slow.brier(*level) for level in levels]),
        ("ece", [slow.ece(*level, bins) for level in levels]),
        ("sce", [slow.sce(*level, bins) for level in levels]),
        ("ace", [slow.ace(*level, bins) for level in levels]),
    ):
        assert getattr(found, name).tolist() == pytest.approx([float(x) for x in want], **NEAR)
    for (_, judged), loss in zip(levels, found.log_loss, strict=True):
        several = any(len(true) > 1 for _, true in judged)
        p = [float(row[next(iter(true))]) for row, true in judged]
        want = math.inf if 0 in p else -sum(map(math.log, filter(None, p))) / len(p)
        assert loss == pytest.approx(math.nan if several else want, **NEAR, nan_ok=True)
    table = reliability(sets, given, bins=bins)
    assert table.error().tolist() == pytest.approx(found.ece.tolist(), **NEAR)


def test_faults_of_hiclass_are_in_its_preset_only():
    tree = Hierarchy.from_edges([("r", x) for x in "abc"])
    certain = NodeScores.from_array([[1, 0, 0]] * 4, tree, classes=list("abc"))
    wrong = LabelSets.from_labels(["b"] * 4, tree)
    said = LabelSets.from_labels(["a"] * 4, tree)
    tool = level_scores(wrong, certain, predicted=said, preset="hiclass")
    assert (tool.ece[0], level_scores(wrong, certain).ece[0]) == (0, 1)
    right = level_scores(said, certain, predicted=said, preset="hiclass")
    assert right.sce[0] == pytest.approx(2 / 3)
    assert right.ace[0] == pytest.approx(0.4 * 2 / 3)
    ours = level_scores(said, certain)
    assert (ours.ece[0], ours.sce[0], ours.ace[0]) == (0, 0, 0)


def test_refusals():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    truth = LabelSets.from_labels(["a"], tree)
    scores = NodeScores.from_array([[1, 0]], tree, classes=list("ab"))
    for options, why in (
        ({"bins": 0}, "bins must be a whole number from 1"),
        ({"bins": 2.5}, "bins must be a whole number from 1"),
        ({"clip": 0.5}, "clip must be a number ≥ 0 and < 0.5"),
        ({"preset": "hiclass"}, "give predicted"),
        ({"preset": "hiclass", "predicted": truth, "clip": 0.1}, "leave clip out"),
        ({"preset": "sklearn", "predicted": truth}, "preset must be one of hiclass"),
    ):
        with pytest.raises(BadInput, match=why):
            level_scores(truth, scores, **options)
    with pytest.raises(BadInput, match="none of 1 instance has"):
        level_scores(LabelSets.from_labels([[]], tree), scores)
    with pytest.raises(BadInput, match="the score must be one of"):
        level_scores(truth, scores).over_levels("auc")
    for odd in (1.5, -0.1, math.nan):
        with pytest.raises(BadInput, match=r"class 'a': a score must be in \[0, 1\]"):
            NodeScores.from_array([[odd, 0]], tree, classes=list("ab"))
