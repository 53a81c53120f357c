"""Fmax, Smin and their curves: a slow reference in fractions, identities, and edge cases."""

from fractions import Fraction

import numpy as np
import pytest

from hierpair import BadInput, Hierarchy, NodeScores, measure, score
from hierpair.labels import LabelSets
from hierpair.labels.annotation_counts import information_accretion
from hierpair.labels.node_scores import raised_scores, scores_of_labels
from hierpair.measures.limbs import Sums, limbs_of
from hierpair.metrics import coverage_score, fmax_score, smin_loss
from hierpair.probabilistic import pooled_curve
from tests import effort
from tests.oracles import thresholds as slow

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
    edges = [(p, c) for c, above in parents.items() for p in above]
    return parents, Hierarchy.from_edges(edges, classes=list(range(n)))


def random_data(rng, n, n_rows, decimals=1):
    truth = [[int(c) for c in rng.choice(n, rng.integers(0, min(n, 4)), replace=False)]
             for _ in range(n_rows)]  # fmt: skip
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


def test_scores_are_handed_up_as_definitions_say(monkeypatch):
    rng = np.random.default_rng(8)
    for _ in range(effort.cases(100)):
        n = int(rng.integers(1, 12))
        parents, hierarchy = random_dag(rng, n)
        _, table = random_data(rng, n, 6)
        scores = NodeScores.from_array(table, hierarchy, classes=list(range(n)), with_root=False)
        monkeypatch.setattr("hierpair.labels.node_scores.CELLS", int(rng.integers(1, 4 * n)))
        for how in ("max", "fill"):
            got = scores.closed(how).dense()
            for row, given in zip(got, table.tolist(), strict=True):
                want = slow.propagated(parents, dict(enumerate(given)), how)
                assert dict(zip(hierarchy.names, row.tolist(), strict=True)) == {
                    c: want.get(c, 0.0) for c in range(n)
                }
            parts = list(
                raised_scores(hierarchy, scores.indptr, scores.indices, scores.values, how)
            )
            assert [part.rows[0] for part in parts[1:]] == [part.rows[1] for part in parts[:-1]]


def test_sums_and_means_of_limbs_are_rounded_once():
    rng = np.random.default_rng(9)
    for _ in range(effort.cases(200)):
        values = rng.random(20) * 10.0 ** rng.integers(-9, 9, 20) * (rng.random(20) < 0.8)
        lowest, limbs = limbs_of(values)
        table = np.array([limb.sum() for limb in limbs], dtype=np.int64).reshape(len(limbs), 1)
        sums, exact = Sums(lowest, table), sum(map(Fraction, values.tolist()))
        assert sums.floats().tolist() == [float(exact)]
        for n in (1, 3, 2**31 - 1, int(rng.integers(1, 10**6))):
            assert sums.over(np.array([float(n)])).tolist() == [float(exact / n)]
        assert sums.over(np.array([0.3])) == pytest.approx(float(exact) / 0.3, rel=1e-15)
    assert np.isnan(Sums(0, np.zeros((1, 1), dtype=np.int64)).over(np.array([0.0]))).all()


# ------------------------------------------------------------------------------- measures


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


# ------------------------------------------------------------------------------ edge cases


def test_classes_are_cut_after_augmenting():
    scores = NodeScores.from_array([[0.9, 0.2]], TREE, classes=["c", "d"], with_root=False)
    curve = pooled_curve([["c"]], scores, classes=["a", "b"])
    assert curve.threshold.tolist() == [0.9, 0.2]
    assert curve.recall.tolist() == [1.0, 1.0]
    assert curve.precision.tolist() == [1.0, 0.5]
    with pytest.raises(BadInput, match="none of them counts"):
        pooled_curve([["c"]], scores, classes=["r"])
    with pytest.raises(BadInput, match="zebra"):
        pooled_curve([["c"]], scores, classes=["zebra"])


def test_nothing_predicted_and_nothing_true():
    empty = NodeScores.from_array([[0.0, 0.0]], TREE, classes=["c", "d"], with_root=False)
    curve = pooled_curve([["c"]], empty)
    assert (len(curve), curve.fmax(), curve.smin(), curve.of_truth) == (0, 0.0, 2.0, 2.0)
    assert curve.nearest() is None
    assert "Fmax" in repr(pooled_curve([["c"]], empty, thresholds=[0.5]))
    with pytest.raises(BadInput, match="no curve"):
        pooled_curve([[]], empty).fmax()
    bad = NodeScores.from_array([[0.9]], TREE, classes=["d"], with_root=False)
    wrong = pooled_curve([["a"]], bad)
    assert wrong.smin() == 1.0  # to predict nothing misses one class
    assert wrong.best_points()["smin_threshold"] == np.inf


def test_instances_whose_truth_weighs_nothing():
    weights = dict.fromkeys("rabcd", 1.0) | {"b": 0.0, "d": 0.0}
    given = np.array([weights[name] for name in TREE.names])
    table = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.25]]
    scores = NodeScores.from_array(table, TREE, classes=["c", "d", "a"], with_root=False)
    skipped = pooled_curve([["c"], ["d"]], scores, weights=given)
    assert skipped.threshold.tolist() == [0.5, 0.25]
    assert skipped.recall.tolist() == [1.0, 1.0]
    assert skipped.precision.tolist() == [1.0, 0.5]  # what is said of the other one is wrong
    counted = pooled_curve([["c"], ["d"]], scores, weights=given, zero_weight="count")
    assert counted.recall.tolist() == [0.5, 0.5]


def test_ties_take_the_lowest_threshold():
    scores = NodeScores.from_array(
        [[0.9, 0.6, 0.3]], TREE, classes=["c", "b", "d"], with_root=False
    )
    curve = pooled_curve([["c", "d"]], scores)
    assert curve.fmax() == 1.0
    flat = pooled_curve([["c"]], scores, thresholds=[0.9, 0.8, 0.7])
    assert flat.threshold[flat.best()] == 0.7
    assert flat.threshold[flat.nearest()] == 0.7


def test_what_cannot_be_used_is_named():
    scores = NodeScores.from_array([[0.9]], TREE, classes=["c"], with_root=False)
    for how, words in (
        ({"norm": "cafe"}, "norm must be"),
        ({"closure": "mux"}, "closure must be"),
        ({"average": "macro"}, "average must be"),
        ({"zero_weight": "drop"}, "zero_weight must be"),
        ({"weights": [1.0]}, "each of the 5 classes"),
        ({"weights": [0, 1, -1, 1, 1]}, "weight -1; weights must be"),
        ({"weights": [0, np.inf, 1, 1, 1]}, "'a' is in use and has the weight inf"),
        ({"thresholds": [0]}, "thresholds must be"),
        ({"weights": "no such file"}, "there is no such file"),
        ({"sample_weight": ["much"]}, "sample_weight must hold one number per instance"),
    ):
        with pytest.raises(BadInput, match=words):
            pooled_curve([["c"]], scores, **how)
    unused = pooled_curve([["c"]], scores, weights=[0, 1, np.inf, 1, np.nan])
    assert unused.fmax() == 1.0
    with pytest.raises(BadInput, match="area must be"):
        unused.area("trapez")
    for beta in (-1, np.nan, np.inf):
        with pytest.raises(BadInput, match="beta must be a finite number"):
            unused.fmax(beta)


def test_a_threshold_without_predictions_is_no_point_of_a_curve():
    turned = NodeScores.from_array([[0.9, 0.5]], TREE, classes=["d", "c"], with_root=False)
    curve = pooled_curve([["c"]], turned)
    assert (curve.recall.tolist(), curve.area()) == ([0.0, 1.0], 0.5)
    assert curve.area("aps") == 0.5  # precision of the lower threshold, carried upwards
    scores = NodeScores.from_array([[0.6, 0.2]], TREE, classes=["c", "d"], with_root=False)
    every = pooled_curve([["a"]], scores)
    grid = pooled_curve([["a"]], scores, thresholds=[0.95, 0.9, 0.6, 0.2])
    for how, want in (("step", 0.5), ("aps", 1.0)):
        assert every.area(how) == grid.area(how) == want
        assert pooled_curve([["a"]], scores, thresholds=[0.9]).area(how) == 0
