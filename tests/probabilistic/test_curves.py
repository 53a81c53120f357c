"""Curves: the bundled vectors, a slow reference, scikit-learn, and edge cases."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

from hierpair import BadInput, Hierarchy, LabelDistribution, NodeScores
from hierpair.probabilistic import precision_recall_curves
from hierpair.probabilistic.curves import AREAS
from tests import effort
from tests.oracles import distributions as reference
from tests.scenarios import hierarchy_of, parents_of, random_parents, vectors

KEYS = ("auc_trapezoid", "average_precision_step", "auc_envelope_step")
SAMPLES = vectors("pr_curves")["samples"]


@pytest.mark.parametrize("closure", [None, "max", "min"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s["name"])
def test_vectors(sample, closure):
    hierarchy = hierarchy_of(parents_of(sample["parents"]))
    classes = list(range(1, len(sample["parents"])))
    scores = NodeScores.from_array([sample["scores"]], hierarchy, classes=classes)
    curves = precision_recall_curves([sample["Y"]], scores, closure=closure)
    want = sample["curves"][str(closure)]
    assert curves.recall.tolist() == [float(Fraction(p["recall"])) for p in want["points"]]
    assert curves.precision.tolist() == [float(Fraction(p["precision"])) for p in want["points"]]
    assert curves.threshold.tolist() == pytest.approx(
        [
            float("inf") if p["threshold"] == "inf" else float(Fraction(p["threshold"]))
            for p in want["points"]
        ]
    )
    for how, key in zip(AREAS, KEYS, strict=True):
        assert curves.areas(how)[0] == pytest.approx(want[key]["float"], abs=1e-14)


def test_the_expected_area_of_figure_3():
    want = vectors("pr_curves")["expected_auc_under_fig3_posterior"]["float"]
    tree = hierarchy_of(parents_of([None, 0, 0, 1, 1, 1]))
    p = {2: 0.25, 3: 0.2, 4: 0.2, 5: 0.35}
    distribution = LabelDistribution.from_leaves([list(p.values())] * 4, tree, classes=list(p))
    areas = precision_recall_curves([[leaf] for leaf in p], distribution).areas()
    assert float(np.dot(areas, list(p.values()))) == pytest.approx(want, abs=1e-12)


def random_case(rng, n_rows=5, *, dag):
    parents = random_parents(rng, int(rng.integers(3, 12)), dag=dag)
    hierarchy = hierarchy_of(parents)
    table = np.where(
        rng.random((n_rows, len(parents))) < 0.4, 0, np.round(rng.random((n_rows, len(parents))), 1)
    )
    truth = [
        sorted(map(int, rng.choice(len(parents), int(rng.integers(1, 4)), replace=False)))
        for _ in range(n_rows)
    ]
    return parents, hierarchy, table, truth


@pytest.mark.random_cases
@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("root", ["exclude", "include"])
def test_against_sets_and_scikit_learn(dag, root):
    rng = np.random.default_rng(4)
    for _ in range(effort.cases(100)):
        parents, hierarchy, table, truth = random_case(rng, dag=dag)
        out = {0} if root == "exclude" else set()
        table[:, 0] = 1
        counted = [v for v in parents if v not in out]
        full = [reference.closed(parents, y, out) for y in truth]
        scores = NodeScores.from_array(table, hierarchy, classes=list(parents))
        curves = precision_recall_curves(truth, scores, root=root)
        for i, y in enumerate(full):
            if not y:
                assert np.isnan(curves.areas()[i])
                continue
            points = reference.curve({v: table[i, v] for v in counted}, y)
            lo, hi = curves.indptr[i : i + 2]
            assert list(zip(curves.recall[lo:hi], curves.precision[lo:hi], strict=True)) == [
                (float(r), float(p)) for r, p in points
            ]
            for how, area in zip(AREAS, reference.areas(points), strict=True):
                assert curves.areas(how)[i] == pytest.approx(float(area), abs=1e-13)
            member = [int(v in y) for v in counted]
            if table[i, counted].any():
                precision, recall, _ = precision_recall_curve(member, table[i, counted])
                assert curves.areas()[i] == pytest.approx(auc(recall, precision), abs=1e-13)
                ap = average_precision_score(member, table[i, counted])
                assert curves.areas("step")[i] == pytest.approx(ap, abs=1e-13)
        fewer = precision_recall_curves(truth, scores, root=root, drop_intermediate=True)
        for how in AREAS:
            assert fewer.areas(how) == pytest.approx(curves.areas(how), abs=1e-13, nan_ok=True)
        for i in range(len(full)):
            points, some = (
                [*zip(of.threshold[rows], of.precision[rows], of.n_hit[rows], strict=True)]
                for of in (curves, fewer)
                for rows in [slice(*of.indptr[i : i + 2])]
            )
            assert set(some) <= set(points)
            assert {hit for *_, hit in some} == {hit for *_, hit in points}
        areas = curves.areas()
        if not np.isnan(areas).all():
            assert curves.mean_area() == pytest.approx(np.nanmean(areas))
            assert (curves.areas("envelope") >= curves.areas("step") - 1e-12)[
                ~np.isnan(areas)
            ].all()


@pytest.mark.random_cases
def test_closing_by_max_is_augmenting_at_every_threshold():
    rng = np.random.default_rng(5)
    for _ in range(effort.cases(50)):
        parents, hierarchy, table, truth = random_case(rng, dag=True)
        scores = NodeScores.from_array(table, hierarchy, classes=list(parents))
        curves = precision_recall_curves(truth, scores, closure="max")
        for i, y in enumerate(truth):
            full = reference.closed(parents, y, {0})
            lo, hi = curves.indptr[i : i + 2]
            for k in range(lo + 1, hi):
                chosen = [v for v in parents if table[i, v] >= curves.threshold[k]]
                grown = reference.closed(parents, chosen, {0})
                if full:
                    assert curves.recall[k] == len(grown & full) / len(full)
                assert curves.precision[k] == len(grown & full) / len(grown)


def test_ids_are_matched_and_empty_truth_is_left_out():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    scores = NodeScores.from_array([[0.9, 0.1], [0.2, 0.8]], tree, classes="ab", ids=["x", "y"])
    curves = precision_recall_curves({"y": ["b"], "x": ["b"]}, scores)
    assert curves.ids == ("y", "x")
    assert curves.areas("step").tolist() == [1.0, 0.5]
    assert precision_recall_curves({"x": [], "y": ["b"]}, scores).mean_area() == 1.0
    assert np.isnan(precision_recall_curves({"x": [], "y": []}, scores).mean_area())
    with pytest.raises(BadInput, match="no prediction"):
        precision_recall_curves({"y": ["b"], "z": ["a"], "x": []}, scores)
    with pytest.raises(BadInput, match="must be one of"):
        curves.areas("romberg")
    with pytest.raises(BadInput, match="NodeScores or a LabelDistribution"):
        precision_recall_curves([["a"]], [[1]])


def test_mean_precision_is_interpolated():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    scores = NodeScores.from_array(
        [[0.9, 0.8, 0.1, 0.7], [0.9, 0.1, 0.8, 0.1]], tree, classes="abcd"
    )
    curves = precision_recall_curves([["d"], ["c"]], scores)
    # first: points (1/2, 1), (1/2, 1/2), (1, 2/3), (1, 1/2); second: (1/2, 1), (1, 1), …
    got = curves.mean_precision(np.array([0.0, 0.5, 0.75, 1.0]))
    assert got.tolist() == pytest.approx([1.0, 1.0, (2 / 3 + 1) / 2, (2 / 3 + 1) / 2])


@pytest.mark.parametrize("drop", [False, True])
def test_no_instance_and_no_score_are_no_trouble(drop):
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b")])
    none = NodeScores.from_array(np.zeros((0, 3)), tree)
    curves = precision_recall_curves([], none, drop_intermediate=drop)
    assert len(curves) == 0
    assert np.isnan(curves.mean_area())
    zeros = NodeScores.from_array(np.zeros((2, 3)), tree)
    curves = precision_recall_curves([["a"], []], zeros, drop_intermediate=drop)
    assert curves.areas()[0] == 0.75  # from (0, 1) to every class, (1, 1/2)
    assert np.isnan(curves.areas()[1])


# ------------------------------------------------------------------ instances without scores


def test_an_instance_without_scores_has_all_scores_0():
    tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c")])
    truth = {"x": ["c"], "y": ["b"], "z": ["a"]}
    scores = NodeScores.from_array([[0.2, 0.9, 0.1]], tree, classes="abc", ids=["y"])
    with pytest.raises(BadInput, match=r"missing='empty'"):
        precision_recall_curves(truth, scores)
    full = NodeScores.from_array(
        [[0, 0, 0], [0.2, 0.9, 0.1], [0, 0, 0]], tree, classes="abc", ids=list("xyz"),
        with_root=False,
    )  # fmt: skip
    for closure in (None, "max", "min"):
        for root in ("exclude", "include"):
            got = precision_recall_curves(
                truth, scores, missing="empty", closure=closure, root=root
            )
            want = precision_recall_curves(truth, full, closure=closure, root=root)
            assert got.ids == ("x", "y", "z")
            alone = precision_recall_curves({"y": ["b"]}, scores, closure=closure, root=root)
            assert got.areas()[1] == alone.areas()[0]
            assert got.areas()[[0, 2]].tolist() == want.areas()[[0, 2]].tolist()
    with pytest.raises(BadInput, match="no truth"):
        precision_recall_curves({"x": ["c"]}, full, missing="empty")
    with pytest.raises(BadInput, match="missing must be"):
        precision_recall_curves(truth, scores, missing="skip")
