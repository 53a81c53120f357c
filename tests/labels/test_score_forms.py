"""Scores in every form that they come in: the same measures of scores, or words that help."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from hierpair import BadInput, Hierarchy, LabelSets, NodeScores, score
from hierpair.labels.node_scores import has_scores, scores_of_labels
from hierpair.metrics import ahd_loss, class_areas, h_fbeta_score, micro_auprc_score
from hierpair.probabilistic import LabelDistribution
from tests.labels.test_containers import OnDevice, Tensor

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")]
)
LEAVES = ["c", "d", "e", "f"]
TRUTH = ["c", "d"]
P = np.array([[0.7, 0.1, 0.15, 0.05], [0.2, 0.3, 0.4, 0.1]])
ALL = np.array([[1, 0.8, 0.2, *P[0]], [1, 0.5, 0.5, *P[1]]])
ORDER = [3, 0, 2, 1]

OF_LEAVES = {
    "array": P,
    "single precision": P.astype(np.float32),
    "lists": P.tolist(),
    "sparse": sp.csr_array(P),
    "tensor": Tensor(P),
    "elsewhere": OnDevice(P),
    "pair": (P[:, ORDER], [LEAVES[k] for k in ORDER]),
    "pair of a tensor": (Tensor(P[:, ORDER]), np.array(LEAVES)[ORDER]),
    "frame": pd.DataFrame(P[:, ORDER], columns=[LEAVES[k] for k in ORDER]),
    "frame without names": pd.DataFrame(P),
    "polars": pl.DataFrame({LEAVES[k]: P[:, k] for k in ORDER}),
}
OF_CLASSES = {
    "array": ALL,
    "lists": ALL.tolist(),
    "sparse": sp.csc_array(ALL),
    "pair": (ALL[:, ::-1], list(TREE.names)[::-1]),
    "frame": pd.DataFrame(ALL, columns=list(TREE.names)),
    "levels": [ALL[:, 1:3], ALL[:, 3:]],
    "lists by level": [ALL[:, 1:3].tolist(), ALL[:, 3:].tolist()],
    "scores": NodeScores.from_array(ALL, TREE),
}


@pytest.mark.parametrize("form", [*OF_LEAVES, *(f"classes: {x}" for x in OF_CLASSES)])
def test_every_form_says_the_same(form):
    given = OF_CLASSES[form[9:]] if form.startswith("classes: ") else OF_LEAVES[form]
    assert has_scores(given)
    wanted = NodeScores.from_array(ALL, TREE)
    assert np.allclose(scores_of_labels(given, TREE).dense(), ALL, atol=1e-6)
    assert ahd_loss(TRUTH, given, TREE) == ahd_loss(TRUTH, wanted, TREE) == 1
    if form == "single precision":
        return  # sums of other classes tie, or do not
    measures = ["ahd", "micro_auprc", "top_accuracy"]
    found = score(TREE, {"x": "c", "y": "d"}, {"s": given}, measures)
    assert np.allclose(found.values, score(TREE, TRUTH, {"s": wanted}, measures).values)
    areas = class_areas(TRUTH, given, TREE)
    assert np.allclose(areas.auprc, class_areas(TRUTH, wanted, TREE).auprc, equal_nan=True)


def test_leaves_that_sum_to_one_are_a_distribution():
    dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])
    leaves = np.array([[0.25, 0.75]])
    order = [name for name in dag.names if name in "cd"]
    found = scores_of_labels((leaves, order), dag)
    wanted = LabelDistribution.from_leaves(leaves, dag, classes=order).marginals()
    assert np.allclose(found.dense(), wanted.dense())


def test_leaves_that_do_not_sum_to_one_can_be_ranked_alone():
    assert ahd_loss(TRUTH, P / 2, TREE) == 1
    with pytest.raises(BadInput, match=r"micro_auprc: these are scores of leaves that do not add"):
        micro_auprc_score(TRUTH, P / 2, TREE)
    whole = NodeScores.from_array(P / 2, TREE)  # said so, they are taken as they are
    assert micro_auprc_score(TRUTH, whole, TREE) > 0


NUMBERS = Hierarchy.from_edges([(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)])


@pytest.mark.parametrize("make", [np.array, Tensor, lambda x: np.array(x, dtype=object)])
def test_matrices_of_the_first_k_classes(make):
    texts, numbers = make([["c", "d"], ["e", "d"]]), make([[3, 4], [5, 4]])
    for k, wanted in ((1, 1.0), (2, 0.75)):
        assert ahd_loss(TRUTH, texts, TREE, k=k) == wanted
        assert ahd_loss([3, 4], numbers, NUMBERS, k=k) == wanted
    with pytest.raises(BadInput, match=r"micro_auprc: these are classes, best first"):
        micro_auprc_score([3, 4], numbers, NUMBERS)
    with pytest.raises(BadInput, match=r"names a class twice"):
        ahd_loss([3, 4], make([[3, 3], [5, 4]]), NUMBERS)
    with pytest.raises(BadInput, match=r"'f' is not a child of 'a'"):
        ahd_loss(TRUTH, make([["a", "f"], ["a", "d"]]), TREE)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (P[:, :3], r"shape \(2, 3\), and there are 7 classes .* class of every column"),
        (P * 9.5, r"instance 0, class 'c': a score must be in \[0, 1\].*softmax"),
        ((P, ["c", "d", "e", "zz"]), "class 'zz' is not in the hierarchy"),
        ((P, ["c", "d", "e", "e"]), "two columns of the matrix are called 'e'"),
        (P[:1], "y_true has 2 instances and y_score has 1"),
    ],
    ids=["columns", "logits", "unknown", "twice", "rows"],
)
def test_what_does_not_fit_is_told(given, said):
    with pytest.raises(BadInput, match=said):
        ahd_loss(TRUTH, given, TREE)


@pytest.mark.parametrize("form", ["array", "tensor", "single precision"])
def test_scores_where_labels_are_wanted(form):
    for call in (
        lambda: h_fbeta_score(TRUTH, OF_LEAVES[form], TREE),
        lambda: LabelSets.from_labels(OF_LEAVES[form], TREE),
    ):
        with pytest.raises(BadInput, match=r"scores go into measures of scores .*above\(0.5\)"):
            call()


@pytest.mark.parametrize(
    "labels",
    [[["c"], ["d"]], np.array(["c", "d"]), [[3, 4], [5, 6]], {"x": ["c"]}, ("c", "d"), [], [[]],
     (["c"], [["d"], ["e", "f"]]), [[[["c"]]]], pd.Series(["c"]), np.array([[3, 4]]),
     (np.array([[1, 0]]), ["c", "d"]), np.array([[3.0, np.nan]])],
    ids=str,
)  # fmt: skip
def test_labels_are_no_scores(labels):
    assert not has_scores(labels)
