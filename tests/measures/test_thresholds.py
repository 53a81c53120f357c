"""Fmax, Smin and their curves: a slow reference in fractions, identities, and edge cases."""

from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NodeScores, measure, score
from hierpair.labels import LabelSets
from hierpair.labels.annotation_counts import information_accretion
from hierpair.labels.node_scores import scores_of_labels
from hierpair.measures.limbs import LimbSums, limbs_of
from hierpair.metrics import fmax_score
from hierpair.probabilistic import pooled_curve
from tests import effort
from tests.oracles import scored_classes as slow
from tests.scenarios import hierarchy_of

TREE = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "d")])
TRUTH = {"x": ["c"], "y": ["b"], "z": ["a", "d"]}
SAID = {"x": {"c": 0.9, "d": 0.4}, "y": {"a": 0.7, "b": 0.35}, "z": {"d": 0.2}}


def value(text):
    return score(TREE, TRUTH, {"s": SAID}, [text]).values[0, 0]


def random_dag(rng, n):
    parents = {0: []}
    for c in range(1, n):
        few = min(c, 1 + int(rng.random() < 0.4))
        parents[c] = [int(p) for p in rng.choice(c, few, replace=False)]
    return parents, hierarchy_of(parents)


def random_data(rng, n, n_rows, decimals=1):
    sizes = rng.integers(0, min(n, 4), n_rows)
    truth = [rng.choice(n, size, replace=False).tolist() for size in sizes]
    table = np.round(rng.random((n_rows, n)) * (rng.random((n_rows, n)) < 0.5), decimals)
    return truth, table


def close(got, want):
    want = np.array([np.nan if x is None else float(x) for x in want])
    return np.allclose(got, want, rtol=1e-14, atol=1e-13, equal_nan=True)


@pytest.mark.random_cases
@pytest.mark.parametrize("norm", ["cafa", "pred", "gt"])
@pytest.mark.parametrize("how", ["max", "fill", None])
@pytest.mark.parametrize("zero_weight", ["skip", "count"])
def test_every_number_is_what_the_definitions_say(norm, how, zero_weight):
    rng = np.random.default_rng(19)
    for k in range(effort.cases(80)):
        n, n_rows = int(rng.integers(2, 9)), int(rng.integers(1, 7))
        parents, hierarchy = random_dag(rng, n)
        truth, table = random_data(rng, n, n_rows)
        scores = NodeScores.from_array(table, hierarchy, classes=list(range(n)), with_root=False)
        weights = np.ones(n) if k % 3 == 0 else rng.choice([0.0, 0.3, 1.7, 1e-9, 23.0], n)
        counts = set(range(n)) if k % 2 else {c for c in range(n) if parents[c]}
        grid = None if k % 4 else [0.9, 0.55, 0.2]
        curve = pooled_curve(
            truth, scores, weights=weights[np.array(hierarchy.names)], closure=how, norm=norm,
            zero_weight=zero_weight, root="include" if k % 2 else "exclude", thresholds=grid,
        )  # fmt: skip
        if k % 2 == 0 and len(hierarchy.root_indices) > 1:
            continue
        want, n_rows, of_truth = slow.sweep(
            parents, truth, [dict(enumerate(row)) for row in table.tolist()],
            {c: Fraction(w) for c, w in enumerate(weights.tolist())}, counts, how, norm,
            zero_weight, grid,
        )  # fmt: skip
        assert curve.threshold.tolist() == [row["threshold"] for row in want]
        assert curve.n_predicted.tolist() == [row["n"] for row in want]
        assert curve.n_instances == n_rows
        columns = {"precision": curve.precision, "recall": curve.recall, "found": curve.found,
                   "mi": curve.misinformation, "ru": curve.uncertainty,
                   "precision_micro": curve.micro()[0], "recall_micro": curve.micro()[1]}  # fmt: skip
        known = [k for k, row in enumerate(want) if row["n"] or norm != "pred"]
        for name, got in columns.items():
            assert close(got[known], [want[k][name] for k in known]), name
        if want and n_rows:
            assert close([curve.fmax()], [slow.best_f(want, of_truth)])
            candidates = [slow.s_of(want[k]) for k in known]
            candidates += [] if norm == "pred" and known else [float(of_truth)]
            assert curve.smin() == pytest.approx(min(candidates), abs=1e-13)


def test_no_order_of_instances_changes_a_bit():
    rng = np.random.default_rng(3)
    _, hierarchy = random_dag(rng, 30)
    truth, table = random_data(rng, 30, 300, decimals=3)
    weights = rng.gamma(1.0, 3.0, 30)
    weight = rng.random(300)
    curves = []
    for order in (np.arange(300), rng.permutation(300), np.arange(300)[::-1]):
        scores = NodeScores.from_array(table[order], hierarchy)
        labels = [truth[i] for i in order]
        curves.append(pooled_curve(labels, scores, weights=weights, sample_weight=weight[order]))
    for other in curves[1:]:
        for name in ("threshold", "precision", "recall", "found", "misinformation", "uncertainty"):
            assert getattr(other, name).tolist() == getattr(curves[0], name).tolist()


def test_sums_and_means_of_limbs_are_rounded_once():
    rng = np.random.default_rng(9)
    for _ in range(effort.cases(200)):
        values = rng.random(20) * 10.0 ** rng.integers(-9, 9, 20) * (rng.random(20) < 0.8)
        lowest, limbs = limbs_of(values)
        table = np.array([limb.sum() for limb in limbs], dtype=np.int64).reshape(len(limbs), 1)
        sums, exact = LimbSums(lowest, table), sum(map(Fraction, values.tolist()))
        assert sums.floats().tolist() == [float(exact)]
        for n in (1, 3, 2**31 - 1, int(rng.integers(1, 10**6))):
            assert sums.over(np.array([float(n)])).tolist() == [float(exact / n)]
        assert sums.over(np.array([0.3])) == pytest.approx(float(exact) / 0.3, rel=1e-15)
    assert np.isnan(LimbSums(0, np.zeros((1, 1), dtype=np.int64)).over(np.array([0.0]))).all()


# ------------------------------------------------------------------------------- measures


def curve_of(truth, row, scored, **how):
    """The curve of one instance."""
    scores = NodeScores.from_array([row], TREE, classes=list(scored), with_root=False)
    return pooled_curve([truth], scores, **how)


@pytest.mark.parametrize(("options", "how"), [
    ("", {}), ("average='micro'", {"average": "micro"}), ("thresholds=0.25", {"thresholds": [0.25, 0.5, 0.75]}),
    ("norm='gt', prop='fill'", {"norm": "gt", "closure": "fill"}),
    ("root='include', zero_weight='count'", {"root": "include", "zero_weight": "count"}),
])  # fmt: skip
def test_they_are_the_best_points_of_the_curve(options, how):
    curve = pooled_curve(TRUTH, scores_of_labels(SAID, TREE), **how)
    assert value(f"fmax({options})") == curve.fmax()
    if "average" not in how:
        assert value(f"smin({options})") == curve.smin()
        assert value(f"coverage({options})") == curve.coverage[curve.best()]


def test_weights_are_counted_from_the_truth_or_read(tmp_path):
    given = information_accretion(TREE, LabelSets.from_labels(TRUTH, TREE))
    curve = pooled_curve(TRUTH, scores_of_labels(SAID, TREE), weights=given)
    assert value("smin(weights='ia')") == curve.smin()
    file, rows = tmp_path / "ia.tsv", zip(TREE.names, given.tolist(), strict=True)
    file.write_text("".join(f"{c}\t{w!r}\n" for c, w in rows))
    for weights in ("ia", str(file)):
        assert value(f"fmax(weights={weights!r})") == curve.fmax()
    assert fmax_score(TRUTH, SAID, TREE, weights="ia") == curve.fmax()
    f2 = pooled_curve(TRUTH, scores_of_labels(SAID, TREE)).fmax(2)
    assert fmax_score(TRUTH, SAID, TREE, beta=2) == pytest.approx(f2)


def test_without_truth_or_prediction():
    empty, some = {"x": {"c": 0.0}, "y": {}}, {"x": ["c"], "y": ["d"]}
    found = score(TREE, some, {"s": empty}, ["fmax", "smin", "coverage"])
    assert found.values[0].tolist() == [0.0, 2.0, 0.0]
    for name in ("fmax", "smin", "coverage", "fmax(average=micro)"):
        with pytest.raises(BadInput, match=r"no instance has a true class that counts, .*exclude"):
            score(TREE, {"x": [], "y": ["r"]}, {"s": {"x": {"c": 0.5}, "y": {}}}, [name])
    curve = curve_of(["c"], [0.0, 0.0], "cd")
    assert (len(curve), curve.fmax(), curve.smin(), curve.of_truth) == (0, 0.0, 2.0, 2.0)
    assert curve.nearest() is None
    assert "Fmax" in repr(curve_of(["c"], [0.0], "c", thresholds=[0.5]))
    with pytest.raises(BadInput, match="no curve"):
        curve_of([], [0.0], "c").fmax()
    wrong = curve_of(["a"], [0.9], "d")
    assert wrong.smin() == 1.0  # to predict nothing misses one class
    assert wrong.best_points()["smin_threshold"] == np.inf


def test_where_nothing_true_weighs_anything_there_is_no_recall():
    truth = {"x": ["c"], "y": ["a", "c"]}
    free = measure("fmax", weights={"r": 0, "a": 0, "b": 1, "c": 0, "d": 2})

    def of(x, y, **options):
        return score(TREE, truth, {"s": {"x": x, "y": y}}, [free.with_options(**options)])

    for average in ("samples", "micro"):
        found = of({"d": 0.5}, {"c": 1}, average=average)
        assert np.isnan(found.values[0, 0])
        assert any("weigh nothing, so there is no recall (2 instances)" in n for n in found.notes)
    assert np.isnan(of({}, {"c": 0}).values[0, 0])
    assert of({"d": 0.5}, {"c": 1}, zero_weight="count").values[0, 0] == 0


# ------------------------------------------------------------------------------ edge cases


def test_classes_are_cut_after_augmenting():
    curve = curve_of(["c"], [0.9, 0.2], "cd", classes=["a", "b"])
    assert curve.threshold.tolist() == [0.9, 0.2]
    assert curve.recall.tolist() == [1.0, 1.0]
    assert curve.precision.tolist() == [1.0, 0.5]


def test_ties_take_the_lowest_threshold():
    assert curve_of(["c", "d"], [0.9, 0.6, 0.3], "cbd").fmax() == 1.0
    flat = curve_of(["c"], [0.9, 0.6, 0.3], "cbd", thresholds=[0.9, 0.8, 0.7])
    assert flat.threshold[flat.best()] == flat.threshold[flat.nearest()] == 0.7


@pytest.mark.parametrize(("how", "words"), [
    ({"norm": "cafe"}, "norm must be"), ({"closure": "mux"}, "closure must be"),
    ({"average": "macro"}, "average must be"), ({"zero_weight": "drop"}, "zero_weight must be"),
    ({"weights": [1.0]}, "each of the 5 classes"), ({"weights": [0, 1, -1, 1, 1]}, "weight -1; weights must be"),
    ({"weights": [0, np.inf, 1, 1, 1]}, "'a' is in use and has the weight inf"),
    ({"thresholds": [0]}, "thresholds must be"), ({"weights": "no such file"}, "there is no such file"),
    ({"sample_weight": ["much"]}, "sample_weight must hold one number per instance"),
    ({"classes": ["r"]}, "none of them counts"), ({"classes": ["zebra"]}, "zebra"),
])  # fmt: skip
def test_what_cannot_be_used_is_named(how, words):
    with pytest.raises(BadInput, match=words):
        curve_of(["c"], [0.9], "c", **how)


def test_what_a_curve_refuses():
    unused = curve_of(["c"], [0.9], "c", weights=[0, 1, np.inf, 1, np.nan])
    assert unused.fmax() == 1.0
    with pytest.raises(BadInput, match="area must be"):
        unused.area("trapez")
    for beta in (-1, np.nan, np.inf):
        with pytest.raises(BadInput, match="beta must be a finite number"):
            unused.fmax(beta)


def test_a_threshold_without_predictions_is_no_point_of_a_curve():
    curve = curve_of(["c"], [0.9, 0.5], "dc")
    assert (curve.recall.tolist(), curve.area()) == ([0.0, 1.0], 0.5)
    assert curve.area("aps") == 0.5  # precision of the lower threshold, carried upwards
    every, grid, high = (
        curve_of(["a"], [0.6, 0.2], "cd", thresholds=t)
        for t in (None, [0.95, 0.9, 0.6, 0.2], [0.9])
    )
    for how, want in (("step", 0.5), ("aps", 1.0)):
        assert every.area(how) == grid.area(how) == want
        assert high.area(how) == 0
