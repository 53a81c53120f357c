"""Sparse columns of classes: sums of either number type are those of a plain product."""

import numpy as np
import pytest
import scipy

from hierpair.comparison import class_samples
from hierpair.comparison.class_samples import summed


@pytest.mark.parametrize(
    ("short", "single", "expected"),
    [(2**15 - 1, 2**24, np.int16), (0, 2**24, np.float32), (0, 0, np.float64)],
)
def test_sums_of_all_types_are_those_of_a_product(monkeypatch, short, single, expected):
    monkeypatch.setattr(class_samples, "LARGEST_SHORT", short)
    monkeypatch.setattr(class_samples, "LARGEST_SINGLE", single)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        columns = rng.choice((-2, 0, 0, 0, 1, 3), (30, 12)).astype(float)
        draws = rng.integers(0, 4, (7, 30)).astype(float)
        found = summed(draws, scipy.sparse.csc_array(columns), 3.0)
        assert found.dtype == expected
        assert found.T.tolist() == (draws @ columns).tolist()


@pytest.mark.parametrize(
    ("largest", "often", "expected"),
    [(2**22, 2, np.float32), (2**22 + 1, 2, np.float64), (np.inf, 1, np.float64),
     (8191, 2, np.int16), (8192, 2, np.float32)],
)  # fmt: skip
def test_the_type_holds_sums_and_their_differences(largest, often, expected):
    columns = scipy.sparse.csc_array(np.array([[min(largest, 5.0)], [-1.0]]))
    found = summed(np.array([[often, 0.0], [0, 1]]), columns, largest)
    assert found.dtype == expected
    assert found[0].tolist() == [often * min(largest, 5.0), -1]
