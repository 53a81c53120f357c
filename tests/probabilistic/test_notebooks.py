"""Results of the probabilistic room show themselves in a notebook, short and escaped."""

import numpy as np
import pytest

from hierpair import Hierarchy, LabelDistribution, NodeScores, decode
from hierpair.probabilistic import pooled_curve, precision_recall_curves

TREE = Hierarchy.from_edges([("root", "<b>a</b>"), ("root", "b")])
NAMES = ["<b>a</b>", "b"]
P = np.full((30, 2), 0.5)


@pytest.mark.parametrize(
    "result",
    [
        decode(LabelDistribution.from_leaves(P, TREE, classes=NAMES), "hf"),
        decode(LabelDistribution.from_leaves(P, TREE, classes=NAMES), "hf(average=micro)"),
        precision_recall_curves([["b"]] * 30, NodeScores.from_array(P, TREE, classes=NAMES)),
        pooled_curve([["b"]] * 30, NodeScores.from_array(P, TREE, classes=NAMES)),
        pooled_curve([[]] * 30, NodeScores.from_array(P, TREE, classes=NAMES)),
    ],
    ids=lambda result: type(result).__name__,
)
def test_a_notebook_shows_a_small_escaped_table(result):
    page = result._repr_html_()
    assert "<table>" in page[:20]
    assert "<b>" not in page
    assert page.count("<tr>") <= 13
    assert len(repr(result)) < 100
    assert "array(" not in repr(result)
