"""Fmax, coverage and Smin as registered measures: the same numbers as curves, by options and files."""

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, score
from hierpair.labels.annotation_counts import information_accretion
from hierpair.labels.node_scores import scores_of_labels
from hierpair.labels.sets import LabelSets
from hierpair.measures import measure
from hierpair.metrics import coverage_score, fmax_score, smin_loss
from hierpair.probabilistic import pooled_curve

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")])
TRUTH = {"x": ["c"], "y": ["b"], "z": ["a", "d"]}
SAID = {"x": {"c": 0.9, "d": 0.4}, "y": {"a": 0.7, "b": 0.35}, "z": {"d": 0.2}}


def value(text):
    return score(TREE, TRUTH, {"s": SAID}, [text]).values[0, 0]


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ("", {}),
        ("average='micro'", {"average": "micro"}),
        ("norm='gt', prop='fill'", {"norm": "gt", "closure": "fill"}),
        ("root='include', zero_weight='count'", {"root": "include", "zero_weight": "count"}),
        ("thresholds=0.25", {"thresholds": [0.25, 0.5, 0.75]}),
    ],
)
def test_they_are_the_best_points_of_the_curve(options, how):
    curve = pooled_curve(TRUTH, scores_of_labels(SAID, TREE), **how)
    assert value(f"fmax({options})") == curve.fmax()
    if "average" not in how:
        assert value(f"smin({options})") == curve.smin()
        assert value(f"coverage({options})") == curve.coverage[curve.best()]


def test_weights_are_counted_from_the_truth_or_read(tmp_path):
    sets = LabelSets.from_labels(TRUTH, TREE)
    given = information_accretion(TREE, sets)
    curve = pooled_curve(TRUTH, scores_of_labels(SAID, TREE), weights=given)
    assert value("fmax(weights='ia')") == curve.fmax()
    assert value("smin(weights='ia')") == curve.smin()
    file = tmp_path / "ia.tsv"
    file.write_text(
        "".join(f"{c}\t{w!r}\n" for c, w in zip(TREE.names, given.tolist(), strict=True))
    )
    assert value(f"fmax(weights={str(file)!r})") == curve.fmax()
    assert fmax_score(TRUTH, SAID, TREE, weights="ia") == curve.fmax()
    assert smin_loss(TRUTH, SAID, TREE) == value("smin")
    assert coverage_score(TRUTH, SAID, TREE) == value("coverage")
    assert fmax_score(TRUTH, SAID, TREE, beta=2) == pytest.approx(
        pooled_curve(TRUTH, scores_of_labels(SAID, TREE)).fmax(2)
    )


def test_without_truth_or_prediction():
    empty = {"x": {}, "y": {}}
    some = {"x": ["c"], "y": ["d"]}
    found = score(TREE, some, {"s": empty | {"x": {"c": 0.0}}}, ["fmax", "smin", "coverage"])
    assert found.values[0].tolist() == [0.0, 2.0, 0.0]
    for name in ("fmax", "smin", "coverage", "fmax(average=micro)"):
        with pytest.raises(BadInput, match=r"no instance has a true class that counts, .*exclude"):
            score(TREE, {"x": [], "y": ["r"]}, {"s": {"x": {"c": 0.5}, "y": {}}}, [name])


def test_where_nothing_true_weighs_anything_there_is_no_recall():
    truth = {"x": ["c"], "y": ["a", "c"]}
    free = measure("fmax", weights={"r": 0, "a": 0, "b": 1, "c": 0, "d": 2})
    for average in ("samples", "micro"):
        found = score(TREE, truth, {"s": {"x": {"d": 0.5}, "y": {"c": 1}}},
                      [free.with_options(average=average)])  # fmt: skip
        assert np.isnan(found.values[0, 0])
        assert any("weigh nothing, so there is no recall (2 instances)" in n for n in found.notes)
    nobody = score(TREE, truth, {"s": {"x": {}, "y": {"c": 0}}}, [free])
    assert np.isnan(nobody.values[0, 0])
    counted = score(TREE, truth, {"s": {"x": {"d": 0.5}, "y": {"c": 1}}},
                    [free.with_options(zero_weight="count")])  # fmt: skip
    assert counted.values[0, 0] == 0
