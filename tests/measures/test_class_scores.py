"""Areas of classes, calibration and proper scores: tools, recorded numbers, and definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, LabelSets, NodeScores, score
from hierpair.measures import measure
from hierpair.measures.scored import calibration
from hierpair.measures.scored.calibration import level_scores, node_brier, reliability
from hierpair.measures.scored.curves import class_areas
from hierpair.measures.scored.system import Scored
from hierpair.metrics import node_brier_loss
from tests import effort
from tests.measures.scored_problems import as_arrays, hierarchy_of_case, random_case, vectors
from tests.oracles import scored_classes as slow

NEAR = {"rel": 0, "abs": 1e-12}
TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])

# --------------------------------------------------------------------- published and recorded


def nan_for_none(value):
    return np.nan if value is None else value


@pytest.mark.parametrize("case", vectors("auprc"))
def test_published_areas(case):
    hierarchy = hierarchy_of_case(case)
    truth = LabelSets.from_labels(case["truth"], hierarchy)
    table = [[row.get(c, 0) for c in hierarchy.names] for row in case["scores"]]
    scores = NodeScores.from_array(table, hierarchy, with_root=False)
    ours, clus, straight = (
        class_areas(truth, scores, interpolation=how) for how in ("step", "clus", "trapezoid")
    )
    sklearn, tool = case["expected"]["sklearn"], case["expected"]["clus"]
    assert {hierarchy.names[c] for c in ours.classes} == set(case["evaluated"])
    pairs = [
        (ours.micro_auprc(), sklearn["ap_micro"]),
        (ours.macro_auprc(), sklearn["ap_macro_positive"]),
        (ours.weighted_auprc(), sklearn["ap_weighted"]),
        (ours.micro_auroc(), sklearn["auroc_micro"]),
        (ours.macro_auroc(), sklearn["auroc_macro_both"]),
        (clus.micro_auprc(least=1), tool["pooled_auprc"]),
        (np.nan_to_num(clus.micro_auroc(least=1), nan=0.5), tool["pooled_auroc"]),
        (clus.macro_auprc(), tool["average_auprc"]),
        (clus.macro_auroc(zero_division=0.5), tool["average_auroc"]),
        (clus.weighted_auprc(), tool["weighted_average_auprc"]),
    ]
    for k, name in enumerate(hierarchy.names[c] for c in ours.classes):
        of_tool = tool["classes"][name]
        pairs += [
            (ours.positives[k], of_tool["positives"]),
            (ours.auprc[k], sklearn["average_precision"][name]),
            (straight.auprc[k], sklearn["trapezoid_auprc"][name]),
            (ours.auroc[k], sklearn["auroc"][name]),
            (np.nan_to_num(clus.auprc[k]), of_tool["auprc"]),
            (np.nan_to_num(clus.auroc[k], nan=0.5), of_tool["auroc"]),
        ]
    for found, want in pairs:
        assert found == pytest.approx(nan_for_none(want), **NEAR, nan_ok=True)


OF_SINGLE_PRECISION = {"rel": 2e-7, "abs": 6e-7}


@pytest.mark.parametrize("case", vectors("hiclass_calibration"))
def test_published_calibration(case):
    hierarchy = hierarchy_of_case(case)
    classes = [name for level in case["levels"] for name in level]
    scores = NodeScores.from_array(np.hstack(case["probabilities"]), hierarchy, classes=classes)
    true, said = (LabelSets.from_labels(case[x], hierarchy) for x in ("truth", "prediction"))
    bins = case["options"]["n_bins"]
    found = level_scores(true, scores, bins=bins, predicted=said, preset="hiclass")
    for name, want in case["expected"].items():
        if "error" in want:  # hiclass stops at a level of two classes
            assert name == "sce"
            assert np.isnan(found.sce).any()
            continue
        near = OF_SINGLE_PRECISION if name == "log_loss" else NEAR
        assert getattr(found, name).tolist() == pytest.approx(want["levels"], **near)
        assert found.over_levels(name) == pytest.approx(want["average"], **near)
        assert found.over_levels(name, "sum") == pytest.approx(want["sum"], **near)


def log_score(truth, scores):
    return calibration.log_score(Scored(scores.hierarchy, truth, scores))


@pytest.mark.parametrize("case", vectors("proper_scores"))
def test_recorded_scores(case):
    hierarchy = hierarchy_of_case(case)
    table = [[row.get(leaf, 0) for leaf in case["leaves"]] for row in case["law"]]
    law = LabelDistribution.from_leaves(table, hierarchy, classes=case["leaves"]).marginals()
    truth, want = LabelSets.from_labels(case["truth"], hierarchy), case["expected"]
    brier = node_brier(truth, law)
    assert brier.tolist() == pytest.approx(want["node_brier_instances"], **NEAR)
    for found, name in (
        (brier.mean(), "node_brier"), (brier.mean() / len(case["evaluated"]), "node_brier_per_class"),
        (measure("leaf_brier").value_of(Scored(hierarchy, truth, law)), "leaf_brier"),
        (log_score(truth, law).mean(), "log_score"),
    ):  # fmt: skip
        assert found == pytest.approx(want[name], **NEAR)


# ------------------------------------------------------------------------------- definitions


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(effort.cases(120)))
def test_areas_calibration_and_brier_by_definition(seed):
    rng = np.random.default_rng(seed)
    grid = (8, 10)[seed % 2]  # halves and quarters often stand on the edge of a bin
    parents, truth, scores = random_case(rng, dag=seed % 3 == 0, forest=seed % 3 == 1, grid=grid)
    sets, given = as_arrays(parents, truth, scores)
    roots = [v for v in parents if not parents[v]]
    out = roots if len(roots) == 1 else []
    check_areas(sets, given, slow.rankings(parents, truth, scores, out))
    check_levels(
        sets, given, list(slow.levels(parents, truth, scores, out)), int(rng.choice([1, 2, 4, 8]))
    )
    weight = {v: Fraction(int(rng.integers(0, 9)), 4) for v in parents}
    weights = np.array([float(weight[v]) for v in given.hierarchy.names])
    for how, of, left_out in (({"weights": weights}, weight, out),
                              ({"root": "include"}, dict.fromkeys(parents, 1), [])):  # fmt: skip
        want = [float(slow.node_brier(parents, t, s, of, left_out))
                for t, s in zip(truth, scores, strict=True)]  # fmt: skip
        assert node_brier(sets, given, **how).tolist() == pytest.approx(want, **NEAR)


def check_areas(sets, given, rankings):
    if not any(true for ranked in rankings.values() for _, true in ranked):
        with pytest.raises(BadInput, match="no instance has a true class that counts"):
            class_areas(sets, given)
        return
    kinds = (slow.average_precision, slow.davis_goadrich, slow.straight)
    for interpolation, area in zip(("step", "clus", "trapezoid"), kinds, strict=True):
        found = class_areas(sets, given, interpolation=interpolation)
        names = [found.hierarchy.names[c] for c in found.classes]
        assert sorted(names) == sorted(rankings)
        for name, auprc, auroc in zip(names, found.auprc, found.auroc, strict=True):
            ranked = rankings[name]
            n_true = sum(true for _, true in ranked)
            want = float(area(ranked)) if n_true else np.nan
            assert auprc == pytest.approx(want, **NEAR, nan_ok=True)
            want = float(slow.roc_area(ranked)) if 0 < n_true < len(ranked) else np.nan
            assert auroc == pytest.approx(want, **NEAR, nan_ok=True)
        for least in (0, 1, 2):
            chosen = [r for r in rankings.values() if sum(true for _, true in r) >= least]
            pooled = [pair for ranked in chosen for pair in ranked]
            if not chosen:
                with pytest.raises(BadInput, match="lower least"):
                    found.micro_auprc(least=least)
                continue
            assert found.micro_auprc(least=least) == pytest.approx(float(area(pooled)), **NEAR)
            if not all(true for _, true in pooled):
                want = float(slow.roc_area(pooled))
                assert found.micro_auroc(least=least) == pytest.approx(want, **NEAR)


def check_levels(sets, given, levels, bins):
    if not levels:
        with pytest.raises(BadInput, match="has a true class that counts"):
            level_scores(sets, given, bins=bins)
        return
    found = level_scores(sets, given, bins=bins)
    assert found.n_instances.tolist() == [len(judged) for _, judged in levels]
    assert found.n_classes.tolist() == [len(classes) for classes, _ in levels]
    for name in ("brier", "ece", "sce", "ace"):
        how = () if name == "brier" else (bins,)
        want = [float(getattr(slow, name)(*level, *how)) for level in levels]
        assert getattr(found, name).tolist() == pytest.approx(want, **NEAR)
    for (_, judged), loss in zip(levels, found.log_loss, strict=True):
        several = any(len(true) > 1 for _, true in judged)
        p = [float(row[next(iter(true))]) for row, true in judged]
        want = math.inf if 0 in p else -sum(map(math.log, filter(None, p))) / len(p)
        assert loss == pytest.approx(math.nan if several else want, **NEAR, nan_ok=True)
    table = reliability(sets, given, bins=bins)
    assert table.error().tolist() == pytest.approx(found.ece.tolist(), **NEAR)


# ----------------------------------------------------------------------------------- by hand


def test_log_score_follows_the_chain_rule_and_every_instance_has_a_single_root():
    scores = NodeScores.from_array([[0.75, 0.25, 0.5, 0.125]] * 3, TREE, classes=list("abcd"))
    truth = LabelSets.from_labels(["c", "a", ["b", "r"]], TREE)
    want = [-math.log(0.75) - math.log(0.5 / 0.75), -math.log(0.125), -math.log(0.25)]
    assert log_score(truth, scores).tolist() == pytest.approx(want)
    said = {"x": {"a": 0.5, "b": 0.25}, "y": {"a": 0.25}}
    found = score(TREE, {"x": "r", "y": "a"}, {"s": said}, "log_score")
    assert found.values[0, 0] == pytest.approx(math.log(4))
    own = NodeScores.from_array([[0.75, 0.5, 0]], TREE, classes=list("rab"))
    assert log_score(LabelSets.from_labels(["r"], TREE), own)[0] == pytest.approx(math.log(4))
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")])
    flat = NodeScores.from_array([[0.5, 0.5, 0.25, 0.25]], dag, classes=list("abcd"))
    assert log_score(LabelSets.from_labels(["c"], dag), flat)[0] == -math.log(0.25)
    with pytest.raises(BadInput, match="in a DAG the probabilities of classes do not say"):
        log_score(LabelSets.from_labels({"x": "a"}, dag), flat)


def test_what_makes_a_score_infinite_is_told():
    scores = NodeScores.from_array([[1, 0, 1, 0], [0, 1, 0, 0]], TREE, classes=list("abcd"))
    found = score(TREE, ["c", "d"], {"s": scores}, ["log_score", "level_log_loss"])
    assert found.values[0].tolist() == [math.inf, math.inf]
    told = "the truth had probability 0, so the score is infinite (1 instance)"
    assert found.to_text().count(told) == 2
    assert told not in score(TREE, ["c", "b"], {"s": scores}, "log_score").to_text()
    clipped = score(TREE, ["c", "d"], {"s": scores}, "level_log_loss(clip=0.25)")
    assert math.isfinite(clipped.values[0, 0])
    assert told not in clipped.to_text()


def test_weights_and_how_often_instances_count():
    scores = NodeScores.from_array([[0.5, 0.5, 0.5, 0], [1, 0, 0.5, 0]], TREE, classes=list("abcd"))
    given = {"r": 9, "a": 1, "b": 2, "c": 0.5, "d": 3}
    of = lambda **how: node_brier_loss(["c", "a"], scores, TREE, **how)  # noqa: E731
    assert of(weights=given) == (0.875 + 0.125) / 2
    assert of(weights=given, sample_weight=[1, 3]) == pytest.approx((0.875 + 3 * 0.125) / 4)
    with pytest.raises(BadInput, match="class 'b' has no finite weight"):
        of(weights="ia", smooth=0)
    with pytest.raises(BadInput, match="weight of class 'a' must be a number ≥ 0"):
        of(weights={**given, "a": -1})


ONE = LabelSets.from_labels(["a", "a"], TREE)
TWO = NodeScores.from_array([[0, 0.5, 0.5, 0.25, 0.2]] * 2, TREE)
EMPTY = LabelSets.from_labels([[], "r"], TREE)
FOREST = Hierarchy.from_edges([("r", "a")], classes=["r", "a", "q"], roots="any")
HALVES = NodeScores.from_array([[0.5, 0.5, 0.5, 0.25]], TREE, classes=list("abcd"))


@pytest.mark.parametrize(("call", "why"), [
    (lambda: class_areas(ONE, TWO).macro_auroc(least=3), "no class that counts has 3 true instances or more"),
    (lambda: class_areas(ONE, TWO, interpolation="steps"), "did you mean 'step'"),
    (lambda: class_areas(EMPTY, TWO), "no instance has a true class that counts"),
    (lambda: level_scores(ONE, TWO, bins=0), "bins must be a whole number from 1"),
    (lambda: level_scores(ONE, TWO, bins=2.5), "bins must be a whole number from 1"),
    (lambda: level_scores(ONE, TWO, clip=0.5), "clip must be a number ≥ 0 and < 0.5"),
    (lambda: level_scores(ONE, TWO, preset="hiclass"), "give predicted"),
    (lambda: level_scores(ONE, TWO, preset="hiclass", predicted=ONE, clip=0.1), "leave clip out"),
    (lambda: level_scores(ONE, TWO, preset="sklearn", predicted=ONE), "preset must be one of hiclass"),
    (lambda: level_scores(EMPTY, TWO), "none of 2 instances has"),
    (lambda: level_scores(ONE, TWO).over_levels("auc"), "the score must be one of"),
    *((lambda x=x: NodeScores.from_array([[x, 0]], TREE, classes=list("ab")),
       r"class 'a': a score must be in \[0, 1\]") for x in (1.5, -0.1, math.nan)),
    *((lambda labels=labels: log_score(LabelSets.from_labels(labels, TREE), HALVES), why) for labels, why in (
        ([["c", "b"]], "instance 0: the log score is of one true path each, and the labels are 2"),
        ([[]], "the labels are 0 paths"),
        (["a"], "the children of class 'a' have 0.25 more than it has"),
    )),
    (lambda: log_score(LabelSets.from_labels(["r"], FOREST),
                       NodeScores.from_array([[0.5, 0.5]], FOREST, classes=["a", "q"])),
     r"the children of class 'r' have 0\.5 more"),
])  # fmt: skip
def test_what_is_refused(call, why):
    with pytest.raises(BadInput, match=why):
        call()
