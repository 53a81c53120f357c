"""Columns of classes of several runs: sums of either number type are those of a plain product."""

import numpy as np
import pytest
import scipy

from hierpair.comparison import class_samples
from hierpair.comparison.class_samples import ClassFields, ClassSample
from hierpair.measures import measure

INSTANCES, RUNS = 30, 3
FIELDS = ClassFields(measure("hf(average=macro)"), ("a", "b"), 5, (), ("c",), 5)


def random_runs(seed, values=(0, 0, 0, 1, 2)):
    """Runs that agree in most entries, each dense, with fields as rows."""
    rng = np.random.default_rng(seed)
    shared = rng.choice(values, (len(FIELDS), INSTANCES)).astype(float)
    other = rng.choice(values, (RUNS, len(FIELDS), INSTANCES)).astype(float)
    return np.where(rng.random(other.shape) < 0.2, other, shared)


def as_sample(runs):
    return ClassSample.of([scipy.sparse.csr_array(run) for run in runs], FIELDS, len(runs))


@pytest.mark.parametrize(
    ("short", "single", "expected"),
    [(2**15 - 1, 2**24, np.int16), (0, 2**24, np.float32), (0, 0, np.float64)],
)
def test_sums_of_all_types_are_those_of_a_product(monkeypatch, short, single, expected):
    monkeypatch.setattr(class_samples, "LARGEST_SHORT", short)
    monkeypatch.setattr(class_samples, "LARGEST_SINGLE", single)
    for seed in range(5):
        runs = random_runs(seed, (-2, 0, 0, 0, 1, 3))
        draws = np.random.default_rng(seed).integers(0, 4, (7, INSTANCES)).astype(float)
        sample = as_sample(runs)
        found = sample.sums(draws)
        assert found.dtype == expected
        known = np.einsum("bn,rfn->brf", draws, runs)
        assert found.tolist() == known.tolist()
        assert sample.moved(draws).tolist() == (known - known[:, :1]).tolist()


@pytest.mark.parametrize(
    ("largest", "often", "expected"),
    [(2**22, 1, np.float32), (2**22 + 1, 1, np.float64), (2**20, 4, np.float32),
     (2**20, 5, np.float64), (0.5, 1, np.float64), (8191, 1, np.int16), (8192, 1, np.float32),
     (2047, 4, np.int16), (2048, 4, np.float32)],
)  # fmt: skip
def test_the_type_holds_sums_and_their_differences(largest, often, expected):
    """The second run has −2 · largest beyond the first, and a difference may be twice that."""
    runs = np.zeros((2, len(FIELDS), 2))
    runs[:, 0, 0] = largest, -largest
    found = as_sample(runs).sums(np.array([[often, 0.0], [0, 1]]))
    assert found.dtype == expected
    assert found[0, :, 0].tolist() == [often * largest, -often * largest]


def test_sums_of_groups():
    runs = random_runs(3)
    groups = scipy.sparse.csr_array(np.eye(6).repeat(5, axis=1))
    found = as_sample(runs).in_groups(groups)
    known = np.moveaxis(runs.reshape(RUNS, len(FIELDS), 6, 5).sum(axis=3), 2, 0)
    assert found.n_instances == 6
    assert found.sums(np.eye(6)).tolist() == known.tolist()


def test_only_what_differs_is_held():
    runs = random_runs(4)
    sample = as_sample(runs)
    assert [other.nnz for other in sample.beyond] == [
        int((run != runs[0]).sum()) for run in runs[1:]
    ]
