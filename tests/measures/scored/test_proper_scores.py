"""Node Brier, leaf Brier and log score: recorded numbers, a slow reference, identities."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, LabelDistribution, LabelSets, NodeScores, score
from hierpair.measures import measure
from hierpair.measures.scored import calibration
from hierpair.measures.scored.calibration import node_brier
from hierpair.measures.scored.system import Scored
from tests import effort
from tests.measures.scored.cases import as_arrays, hierarchy_of_case, random_case, vectors
from tests.oracles import scored_classes as slow

NEAR = {"rel": 0, "abs": 1e-12}


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
    assert brier.mean() == pytest.approx(want["node_brier"], **NEAR)
    assert brier.mean() / len(case["evaluated"]) == pytest.approx(
        want["node_brier_per_class"], **NEAR
    )
    leaf_brier = measure("leaf_brier").value_of(Scored(hierarchy, truth, law))
    assert leaf_brier == pytest.approx(want["leaf_brier"], **NEAR)
    assert log_score(truth, law).mean() == pytest.approx(want["log_score"], **NEAR)


@pytest.mark.random_cases
@pytest.mark.parametrize("seed", range(effort.cases(80)))
def test_slow_reference_on_scores_of_any_kind(seed):
    rng = np.random.default_rng(seed)
    parents, truth, scores = random_case(rng, dag=seed % 3 == 0, forest=seed % 3 == 1)
    sets, given = as_arrays(parents, truth, scores)
    weight = {v: Fraction(int(rng.integers(0, 9)), 4) for v in parents}
    roots = [v for v in parents if not parents[v]]
    out = roots if len(roots) == 1 else []
    weights = np.array([float(weight[v]) for v in given.hierarchy.names])
    for weighted, root, left_out in ((weights, "exclude", out), (None, "include", [])):
        of = weight if weighted is not None else dict.fromkeys(parents, 1)
        want = [
            float(slow.node_brier(parents, t, s, of, left_out))
            for t, s in zip(truth, scores, strict=True)
        ]
        assert node_brier(sets, given, weights=weighted, root=root).tolist() == pytest.approx(
            want, **NEAR
        )


def test_log_score_follows_the_chain_rule_and_stops_early():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    scores = NodeScores.from_array([[0.75, 0.25, 0.5, 0.125]] * 3, tree, classes=list("abcd"))
    truth = LabelSets.from_labels(["c", "a", ["b", "r"]], tree)
    want = [-math.log(0.75) - math.log(0.5 / 0.75), -math.log(0.125), -math.log(0.25)]
    assert log_score(truth, scores).tolist() == pytest.approx(want)


def test_every_instance_has_a_single_root():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    said = {"x": {"a": 0.5, "b": 0.25}, "y": {"a": 0.25}}
    found = score(tree, {"x": "r", "y": "a"}, {"s": said}, "log_score")
    assert found.values[0, 0] == pytest.approx(math.log(4))
    truth = LabelSets.from_labels(["r"], tree)
    own = NodeScores.from_array([[0.75, 0.5, 0]], tree, classes=list("rab"))
    assert log_score(truth, own)[0] == pytest.approx(math.log(4))
    forest = Hierarchy.from_edges([("r", "a")], classes=["r", "a", "q"], roots="any")
    some = NodeScores.from_array([[0.5, 0.5]], forest, classes=["a", "q"])
    with pytest.raises(BadInput, match=r"the children of class 'r' have 0\.5 more"):
        log_score(LabelSets.from_labels(["r"], forest), some)


def test_log_score_refuses_what_is_no_law_over_paths():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    scores = NodeScores.from_array([[0.5, 0.5, 0.5, 0.25]], tree, classes=list("abcd"))
    for labels, why in (
        ([["c", "b"]], "instance 0: the log score is of one true path each, and the labels are 2"),
        ([[]], "the labels are 0 paths"),
        (["a"], "the children of class 'a' have 0.25 more than it has"),
    ):
        with pytest.raises(BadInput, match=why):
            log_score(LabelSets.from_labels(labels, tree), scores)
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("a", "d")])
    flat = NodeScores.from_array([[0.5, 0.5, 0.25, 0.25]], dag, classes=list("abcd"))
    assert log_score(LabelSets.from_labels(["c"], dag), flat)[0] == -math.log(0.25)
    with pytest.raises(BadInput, match="in a DAG the probabilities of classes do not say"):
        log_score(LabelSets.from_labels({"x": "a"}, dag), flat)


def test_what_makes_a_score_infinite_is_told():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    scores = NodeScores.from_array([[1, 0, 1, 0], [0, 1, 0, 0]], tree, classes=list("abcd"))
    found = score(tree, ["c", "d"], {"s": scores}, ["log_score", "level_log_loss"])
    assert found.values[0].tolist() == [math.inf, math.inf]
    told = "the truth had probability 0, so the score is infinite (1 instance)"
    assert found.to_text().count(told) == 2
    assert told not in score(tree, ["c", "b"], {"s": scores}, "log_score").to_text()
    clipped = score(tree, ["c", "d"], {"s": scores}, "level_log_loss(clip=0.25)")
    assert math.isfinite(clipped.values[0, 0])
    assert told not in clipped.to_text()


def test_weights_and_how_often_instances_count():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    truth = LabelSets.from_labels(["c", "a"], tree)
    scores = NodeScores.from_array([[0.5, 0.5, 0.5], [1, 0, 0.5]], tree, classes=list("abc"))
    given = {"r": 9, "a": 1, "b": 2, "c": 0.5}
    weights = np.array([given[name] for name in tree.names], dtype=float)
    each = node_brier(truth, scores, weights=weights)
    assert each.tolist() == [0.875, 0.125]
    from hierpair.metrics import node_brier_loss

    assert node_brier_loss(["c", "a"], scores, tree, weights=given) == 0.5
    turned = node_brier_loss(["c", "a"], scores, tree, weights=given, sample_weight=[1, 3])
    assert turned == pytest.approx((0.875 + 3 * 0.125) / 4)
    with pytest.raises(BadInput, match="class 'b' has no finite weight"):
        node_brier_loss(["c", "a"], scores, tree, weights="ia", smooth=0)
    with pytest.raises(BadInput, match="weight of class 'a' must be a number ≥ 0"):
        node_brier_loss(["c", "a"], scores, tree, weights={**given, "a": -1})
