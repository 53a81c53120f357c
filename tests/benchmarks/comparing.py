"""Measure comparing many systems, against a plain loop over pairs, in one run.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.comparing [--instances N] [--systems S]

CPU seconds are user and system time; the peak is that of the process. The loop draws its own signs
for one pair and one measure at a time and is measured on a few of them, then multiplied.
"""

import argparse
import resource
import time

import numpy as np

from hierpair import compare, score
from hierpair.hierarchy.arrays import offsets
from hierpair.labels import LabelSets

from .workloads import generated_hierarchy, generated_labels

MEASURES = [
    "subset_accuracy", "f", "hp", "hr", "hf", "hf(average=micro)", "f(average=micro)",
    "hp(average=micro)", "hr(average=micro)", "sdl",
]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=20_000)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--permutations", type=int, default=10_000)
    parser.add_argument("--bootstrap", type=int, default=2_000)
    options = parser.parse_args()
    hierarchy = generated_hierarchy("dag19", 5_000, depth=8)
    truth, _ = generated_labels(hierarchy, options.instances, 2.0, 2.0)
    systems = {
        f"system {k}": mixed(
            truth, generated_labels(hierarchy, options.instances, 2.0, 2.0, 0)[1], k
        )
        for k in range(options.systems)
    }
    start = time.process_time()
    scores = score(hierarchy, truth, systems, MEASURES)
    print(f"scoring                {time.process_time() - start:8.1f} CPU s")
    before = peak()
    start = time.process_time()
    found = compare(scores, n_permutations=options.permutations, n_bootstrap=options.bootstrap)
    print(f"comparing              {time.process_time() - start:8.1f} CPU s")
    print(f"peak before and after  {before:8.0f} {peak():.0f} MB")
    print(f"loop over pairs, about {loop(scores, options):8.1f} CPU s, permutations alone")
    print(f"{int(np.triu(found.significant[4]).sum())} of {options.systems * (options.systems - 1) // 2}"
          " pairs differ in hf")  # fmt: skip


def mixed(truth, noise, k):
    """Truth with a share of other predictions that grows with the number of the system."""
    rng = np.random.default_rng(k)
    wrong = rng.random(len(truth)) < 0.2 + 0.01 * k
    sides = [(s.indptr, s.indices) for s in (truth, noise)]
    lengths = np.where(wrong, noise.lengths, truth.lengths)
    rows = [
        sides[int(w)][1][sides[int(w)][0][i] : sides[int(w)][0][i + 1]] for i, w in enumerate(wrong)
    ]
    return LabelSets.from_arrays(offsets(lengths), np.concatenate(rows), truth.n_classes)


def loop(scores, options, tried=3):
    """CPU seconds of one product of signs and differences per pair and measure."""
    rng = np.random.default_rng(0)
    names = list(scores.systems)
    start = time.process_time()
    for k in range(tried):
        d = scores.per_instance[names[0]][:, k] - scores.per_instance[names[1]][:, k]
        for lo in range(0, options.permutations, 500):
            signs = rng.integers(0, 2, (min(500, options.permutations - lo), len(d))) * 2.0 - 1
            np.abs(signs @ d)
    pairs = len(names) * (len(names) - 1) // 2
    return (time.process_time() - start) / tried * pairs * len(scores.measures)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
