"""Measure weighted sets against hF without weights, and the counting of weights.

    python -m tests.benchmarks.weighted [tree|dag19|dag66] [--instances N] [--repeat R]

Times are CPU seconds (user and system), the least of the repeats, taken in turn with hF on the same
labels.
"""

import argparse

import numpy as np

from hierpair import measure, score
from hierpair.labels import information_accretion
from hierpair.labels.sets import LabelSets

from .run import alternate, cpu, peak_mb, row
from .workloads import DBPEDIA, generated_hierarchy, generated_labels

LIMIT = 1.5
"""Times hF, within which a measure of weighted sets has to stay."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="?", default="tree")
    parser.add_argument("--instances", type=int, default=DBPEDIA["instances"])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    hierarchy = generated_hierarchy(options.workload, DBPEDIA["classes"], DBPEDIA["depth"])
    truth, said = generated_labels(hierarchy, options.instances, 3.3, 3.0)
    print(f"{hierarchy}, {options.instances} instances; {peak_mb():.0f} MB with the data")
    rng = np.random.default_rng(0)
    given = dict(zip(hierarchy.names, rng.random(len(hierarchy)).tolist(), strict=True))
    reference = LabelSets.from_arrays(truth.indptr, truth.indices, len(hierarchy))

    def timed(name, **how):
        chosen = measure(name, **how)  # given weights are read once
        return lambda: score(hierarchy, truth, {"s": said}, chosen)

    plain = timed("hf")
    plain()
    for name, how in (
        ("hf", {"weights": given}), ("simgic", {"weights": given}), ("symmetric_difference", {"weights": given}),
        ("hf(average=micro)", {"weights": given}), ("icm", {"reference": reference}),
        ("simgic", {}),
    ):  # fmt: skip
        timed(name, **how)()  # weights are counted once
        told = name if not how else f"{name}, {next(iter(how))}"
        row(told, *alternate(timed(name, **how), plain, options.repeat), LIMIT)
    took, _ = cpu(lambda: measure("hf", weights=given))
    print(f"a mapping of weights read in {took:.2f} s")
    took, _ = cpu(lambda: information_accretion(hierarchy, truth))
    print(f"information accretion counted in {took:.2f} s; {peak_mb():.0f} MB")


if __name__ == "__main__":
    main()
