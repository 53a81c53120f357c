"""Columns of classes of several runs: sums of every number type are those of a plain product."""

import numpy as np
import pytest
import scipy

from hierpair.comparison.samples import class_columns
from hierpair.comparison.samples.class_columns import ClassColumns

FIELDS, INSTANCES, RUNS = 12, 30, 3


def random_runs(seed, values=(0, 0, 0, 1, 2)):
    """Runs that agree in most entries, each dense, with fields as rows."""
    rng = np.random.default_rng(seed)
    shared = rng.choice(values, (FIELDS, INSTANCES)).astype(float)
    other = rng.choice(values, (RUNS, FIELDS, INSTANCES)).astype(float)
    return np.where(rng.random(other.shape) < 0.2, other, shared)


def as_columns(runs):
    return ClassColumns.of([scipy.sparse.csr_array(run) for run in runs])


def plain(runs, weights):
    return np.einsum("bn,rfn->brf", weights, runs)


@pytest.mark.parametrize(
    ("short", "single", "expected"),
    [(2**15 - 1, 2**24, np.int16), (0, 2**24, np.float32), (0, 0, np.float64)],
)
def test_sums_of_all_types_are_those_of_a_product(monkeypatch, short, single, expected):
    monkeypatch.setattr(class_columns, "LARGEST_SHORT", short)
    monkeypatch.setattr(class_columns, "LARGEST_SINGLE", single)
    monkeypatch.setattr(class_columns, "TURNED", 5)
    for seed in range(5):
        runs = random_runs(seed, (-2, 0, 0, 0, 1, 3))
        weights = np.random.default_rng(seed).integers(0, 4, (7, INSTANCES)).astype(float)
        columns = as_columns(runs)
        found = columns.sums(weights)
        assert found.dtype == expected
        assert found.tolist() == plain(runs, weights).tolist()
        apart = columns.sums(weights, shared=False)
        known = plain(runs - runs[0], weights)
        assert (apart - apart[:, :1]).tolist() == (known - known[:, :1]).tolist()


@pytest.mark.parametrize(
    ("largest", "expected"),
    [
        (2**13 - 1, np.int16),
        (2**13, np.float32),
        (2**22, np.float32),
        (2**22 + 1, np.float64),
    ],
)
def test_the_type_holds_sums_and_their_differences(largest, expected):
    """The second run has −2 · largest beyond the first, and a difference may be twice that."""
    runs = np.zeros((2, 1, 2))
    runs[0], runs[1] = largest, -largest
    found = as_columns(runs).sums(np.eye(2))
    assert found.dtype == expected
    gap = found[:, 0] - found[:, 1]
    assert gap.astype(float).tolist() == [[2.0 * largest]] * 2


def test_broken_numbers_and_broken_weights_need_all_bits():
    runs = random_runs(1)
    halves = as_columns(runs / 2)
    weights = np.random.default_rng(0).integers(0, 3, (4, INSTANCES)).astype(float)
    for columns, by, known in (
        (halves, weights, plain(runs / 2, weights)),
        (as_columns(runs), weights / 4, plain(runs, weights / 4)),
    ):
        found = columns.sums(by)
        assert found.dtype == np.float64
        assert found.tolist() == known.tolist()


def test_sums_of_groups():
    runs = random_runs(3)
    of = np.arange(INSTANCES) % 4
    groups = scipy.sparse.csr_array((np.ones(INSTANCES), (of, np.arange(INSTANCES))))
    found = as_columns(runs).in_groups(groups)
    assert found.shape == (4, RUNS * FIELDS)
    assert found.sums(np.eye(4)).tolist() == plain(runs, groups.toarray()).tolist()


def test_only_what_differs_is_held():
    """Entries of other runs are as many as they differ in from the first, not all of theirs."""
    runs = random_runs(4)
    columns = as_columns(runs)
    assert [other.nnz for other in columns.others] == [
        int((run != runs[0]).sum()) for run in runs[1:]
    ]


def test_an_instance_that_is_drawn_often_needs_more_bits():
    """A field of one instance with 2,000, which is drawn ten times: 20,000, twice that for differences."""
    runs = np.zeros((2, 1, 3))
    runs[0, 0, 0], runs[1, 0, 1] = 2_000, 2_000
    weights = np.array([[10.0, 0, 0]])
    found = as_columns(runs).sums(weights)
    assert found.dtype == np.float32
    assert found.tolist() == plain(runs, weights).tolist()
