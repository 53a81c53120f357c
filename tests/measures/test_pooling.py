"""Averages over classes as ratios of sums: their terms are those of the average."""

import numpy as np
import pytest

from hierpair import measure
from hierpair.measures.pooling import (
    ClassTotals,
    class_terms,
    mean_over_classes,
    summed_means,
    unseen_terms,
)

WITH_UNSEEN = "contribution_accuracy(average=macro)"
"""Classes that nobody has count too: both sides have them in nothing, which is right."""


def ratio_of_sums(m, totals):
    above, below = class_terms(m, totals)
    more_above, more_below = unseen_terms(m, totals)
    return (above.sum(axis=1) + more_above) / (below.sum(axis=1) + more_below)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("zero_division", ["0", "1", "nan"])
def test_terms_of_classes_add_up_to_the_average(average, zero_division):
    rng = np.random.default_rng(0)
    m = measure(f"precision(average={average}, zero_division={zero_division})")
    n_true, n_pred = rng.integers(0, 4, (2, 50, 6)).astype(float)
    n_true[:, 0] = n_pred[:, 0] = 3  # some class always weighs
    totals = ClassTotals(
        {"n_true": n_true, "n_pred": n_pred, "n_both": np.minimum(n_true, n_pred) // 2}, {}, 6
    )
    found = ratio_of_sums(m, totals)
    assert found == pytest.approx(mean_over_classes(m, totals, summed_means), abs=1e-12)
    assert not unseen_terms(m, totals)[1].any()


def test_classes_that_nobody_has_are_terms_of_their_own():
    rng = np.random.default_rng(1)
    m = measure(WITH_UNSEEN)
    names = [name for name in m.definition.columns if name != "n_neither"]
    columns = {name: rng.integers(0, 5, (20, 3)).astype(float) for name in names}
    n = np.full(20, 30.0)
    columns["n_neither"] = n[:, None] - sum(columns.values())
    totals = ClassTotals(columns, {"n_neither": n}, 10)
    above, below = unseen_terms(m, totals)
    assert below.tolist() == [7.0] * 20
    assert above.tolist() == [7.0] * 20  # each of them has the accuracy 1
    assert ratio_of_sums(m, totals) == pytest.approx(
        mean_over_classes(m, totals, summed_means), abs=1e-12
    )
