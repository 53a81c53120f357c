"""Measure flat averages against scikit-learn: python -m tests.benchmarks.flat [--classes N].

Both get what they take without conversion: label sets here, indicator matrices and arrays of single labels there.
Times are CPU seconds of one process, each the least of some runs in turn; precision, recall and F of every average are
compared to the last digits.
"""

import argparse
import time

import numpy as np
import scipy
from sklearn.metrics import precision_recall_fscore_support

from hierpair import Hierarchy, LabelSets, score
from hierpair.hierarchy.arrays import offsets

BOUND = 1
"""How many times as long as scikit-learn flat averages may take."""

RIGHT = 0.6
"""Share of instances that are predicted as they are."""


def random_rows(n, k, n_classes, rng):
    """``n`` sets of ``k`` classes each, a row per set."""
    rows = rng.integers(0, n_classes, (n, k))
    while len(again := np.flatnonzero((np.diff(np.sort(rows, axis=1), axis=1) == 0).any(axis=1))):
        rows[again] = rng.integers(0, n_classes, (len(again), k))
    return np.sort(rows, axis=1)


def seconds(*jobs, runs=5):
    """The least CPU seconds of every job, all in turn."""
    best = [float("inf")] * len(jobs)
    for _ in range(runs):
        for at, job in enumerate(jobs):
            start = time.process_time()
            job()
            best[at] = min(best[at], time.process_time() - start)
    return best


def compared(n, k, n_classes, average):
    """Print how long both take for one average of sets of ``k`` labels."""
    rng = np.random.default_rng(0)
    true = random_rows(n, k, n_classes, rng)
    right = rng.random((n, 1)) < RIGHT
    predicted = np.where(right, true, random_rows(n, k, n_classes, rng))
    flat = Hierarchy.from_edges([("root", f"c{i}") for i in range(n_classes)])
    ptr = offsets(np.full(n, k))
    sides = [LabelSets.from_arrays(ptr, x.ravel() + 1, len(flat)) for x in (true, predicted)]
    matrices = [
        scipy.sparse.csr_matrix((np.ones(n * k, dtype=int), x.ravel(), ptr), shape=(n, n_classes))
        for x in (true, predicted)
    ]
    names = ["precision", "recall", "f"]
    names = names if average == "samples" else [f"{name}(average={average})" for name in names]

    def ours():
        return score(flat, sides[0], {"s": sides[1]}, names).values[0]

    def theirs(given=matrices):
        return precision_recall_fscore_support(*given, average=average, zero_division=0)[:3]

    # Classes that do not occur are left out here, and 0 there.
    occur = len(np.union1d(true, predicted)) / n_classes if average == "macro" else 1
    np.testing.assert_allclose(ours() * occur, theirs(), rtol=1e-12)
    jobs = [ours, theirs]
    single = k == 1 and average != "samples"
    if single:
        jobs.append(lambda: theirs((true[:, 0], predicted[:, 0])))
    mine, *others = seconds(*jobs)
    said = [f"{mine / other:5.2f} times ({other:.4f} s)" for other in others]
    verdict = "kept" if mine <= BOUND * min(others) else "MISSED"
    print(f"{n:>7} {k:>6} {average:8} {mine:.4f} s  matrices {said[0]}"
          f"{'  arrays ' + said[1] if single else '':32} {verdict}", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=int, default=10_000)
    options = parser.parse_args()
    print("   rows labels average")
    for n in (50_000, 200_000):
        for k in (1, 3):
            for average in ("macro", "micro", "samples"):
                compared(n, k, options.classes, average)


if __name__ == "__main__":
    main()
