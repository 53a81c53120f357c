"""Specificity is scikit-learn's recall of what is not there."""

import numpy as np
import pytest
from sklearn.metrics import recall_score

from hierpair import Hierarchy, LabelSets
from tests.scoring import pooled, values

NAMES = list("abcdef")
TREE = Hierarchy.from_edges([("r", x) for x in "abc"] + [("a", x) for x in "def"])


@pytest.mark.parametrize("seed", range(8))
def test_recall_of_the_complement(seed):
    rng = np.random.default_rng(seed)
    true, said = rng.random((2, 12, 6)) < 0.5
    true[:, 0] = False
    sides = [
        LabelSets.from_indicator(side.astype(int), TREE, classes=NAMES) for side in (true, said)
    ]
    for average in ("samples", "micro"):
        want = recall_score(~true, ~said, average=average, zero_division=1)
        assert pooled("specificity", TREE, *sides, average=average) == pytest.approx(want)


def test_by_hand():
    truth, said = [["d"], list("abcdef"), [], ["r"]], [["d", "e"], [], ["a"], ["r"]]
    assert values("specificity", TREE, truth, said) == [0.8, 1, 5 / 6, 1]
    assert values("specificity", TREE, truth, said, zero_division=0) == [0.8, 0, 5 / 6, 1]
    assert values("specificity", TREE, truth, said, root="include")[0] == 5 / 6
