"""Measure comparing many systems, against a plain loop over pairs, in one run.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.comparing [--instances N] [--systems S]
    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.comparing classes [--instances N]
    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.comparing germeval

CPU seconds are user and system time; the peak is that of the process. The loop draws its own signs
for one pair and one measure at a time and is measured on a few of them, then multiplied. The second
form compares the same systems under an average over classes and under a mean over instances, the
third five systems of GermEval with as many exchanges and resamples as are drawn by default.
"""

import argparse
import resource
import time

import numpy as np

from hierpair import compare, score
from hierpair.hierarchy.arrays import offsets
from hierpair.labels import LabelSets

from .run import germeval_data
from .workloads import generated_hierarchy, generated_labels

MEASURES = [
    "subset_accuracy", "f", "hp", "hr", "hf", "hf(average=micro)", "f(average=micro)",
    "hp(average=micro)", "hr(average=micro)", "symmetric_difference",
]  # fmt: skip


BOUND = 5
"""How many times as long as means averages over classes may take."""

MANY = {"systems": 20, "permutations": 10_000, "bootstrap": 2_000}
CLASSES = {"systems": 6, "permutations": 1_000, "bootstrap": 200}
GERMEVAL = {"systems": 5, "permutations": 10_000, "bootstrap": 2_000}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "case", nargs="?", choices=["systems", "classes", "germeval"], default="systems"
    )
    parser.add_argument("--instances", type=int, default=20_000)
    parser.add_argument("--systems", type=int)
    parser.add_argument("--permutations", type=int)
    parser.add_argument("--bootstrap", type=int)
    options = parser.parse_args()
    sizes = {"systems": MANY, "classes": CLASSES, "germeval": GERMEVAL}[options.case]
    for name, value in sizes.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    data = germeval_data() if options.case == "germeval" else generated(options)
    (many_systems if options.case == "systems" else over_classes)(*data, options)


def generated(options):
    """Hierarchy, truth and systems, each a little worse than the one before."""
    hierarchy = generated_hierarchy("dag19", 5_000, depth=8)
    truth, noise = generated_labels(hierarchy, options.instances, 2.0, 2.0)
    systems = {f"system {k}": mixed(truth, noise, k) for k in range(options.systems)}
    return hierarchy, truth, systems


def over_classes(hierarchy, truth, systems, options, runs=3):
    """Averages over classes against means over instances, in turn; the least of some runs."""
    names = ["hf", "hf(average=macro)"]
    scored = {
        name: score(hierarchy, truth, systems, name, keep_classes=name != "hf", missing="empty")
        for name in names
    }
    before = peak()
    best = dict.fromkeys(names, float("inf"))
    for _ in range(runs):
        for name in names:
            start = time.process_time()
            compare(
                scored[name], n_permutations=options.permutations, n_bootstrap=options.bootstrap
            )
            best[name] = min(best[name], time.process_time() - start)
    for name, seconds in best.items():
        print(f"{name:22} {seconds:8.3f} CPU s")
    print(f"peak before and after  {before:8.0f} {peak():.0f} MB")
    ratio = best[names[1]] / best[names[0]]
    verdict = "kept" if ratio <= BOUND else "MISSED"
    print(f"{'averages / means':22} {ratio:8.1f}, bound {BOUND}: {verdict}")


def many_systems(hierarchy, truth, systems, options):
    """Scoring and comparing under ten measures, and what a loop over pairs would take."""
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
