"""Measure HEMKit against hierpair on MeSH, the same labels in one run.

    python -m tests.benchmarks.hemkit BINARY [--instances N] [--runs K]

BINARY is HEMKit, compiled with -O2 (Kosmopoulos et al. 2014); it is not part of this project. It prints
hP, hR, hF, symmetric difference, LCA F, P and R of greedy graphs, and its own MGIA; hierpair computes the
same eight measures, with minimal graphs and with greedy ones. Microseconds of CPU an instance, the least
of the runs: HEMKit's are what more instances take beyond a few, so that reading the hierarchy does not
count; hierpair's start from labels in memory, so what reading takes is shown too.
"""

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from hierpair import read_hierarchy, read_labels, score

from .run import DATA
from .workloads import generated_labels

MESH = DATA / "mesh2016" / "hierarchy.txt"
FEW = 200
SETS = ["hp", "hr", "hf", "symmetric_difference"]
LCA = ["lca_f", "lca_precision", "lca_recall"]
MEASURES = {
    "exact": [*SETS, "mgia", *LCA],
    "exact, without MGIA": [*SETS, *LCA],
    "greedy": [*SETS, "mgia", *(f"{name}(extension=greedy)" for name in LCA)],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    hierarchy = read_hierarchy(MESH)
    with tempfile.TemporaryDirectory() as folder:
        for mean in (2.0, 3.3, 12.0):
            sides = generated_labels(hierarchy, options.instances, mean, mean)
            measured(options, hierarchy, sides, mean, Path(folder))


def measured(options, hierarchy, sides, mean, folder):
    """Both in turn, and a row of what they took."""
    n = options.instances
    paths = [
        [written(hierarchy, side.part(0, k), folder / f"{name}{k}") for name, side in zip("tp", sides, strict=True)]
        for k in (n, FEW)
    ]  # fmt: skip
    truth, prediction = sides
    score(hierarchy, truth.part(0, FEW), {"s": prediction.part(0, FEW)}, MEASURES["exact"])
    best = dict.fromkeys(("HEMKit", *MEASURES, "reading"), float("inf"))
    for _ in range(options.runs):
        all_, printed = hemkit(options.binary, paths[0])
        few, _ = hemkit(options.binary, paths[1])
        best["HEMKit"] = min(best["HEMKit"], (all_ - few) / (n - FEW))
        for name, measures in MEASURES.items():
            start = time.process_time()
            found = score(hierarchy, truth, {"s": prediction}, measures)
            best[name] = min(best[name], (time.process_time() - start) / n)
        start = time.process_time()
        for path in paths[0]:
            read_labels(path, hierarchy)
        best["reading"] = min(best["reading"], (time.process_time() - start) / n)
    # Sizes of sets are the same; the other numbers of HEMKit follow rules of its own.
    assert np.isclose(
        printed["SDL with all ancestors"], found["s", "symmetric_difference"], rtol=1e-5
    )
    print(f"{mean} labels: HEMKit {best['HEMKit'] * 1e6:.0f} µs an instance")
    for name in MEASURES:
        print(
            f"  {name:20} {best[name] * 1e6:6.1f} µs, {best['HEMKit'] / best[name]:5.1f} times as fast;"
            f" with reading {best['HEMKit'] / (best[name] + best['reading']):5.1f}"
        )


def written(hierarchy, side, path):
    """Write the labels, a line per instance."""
    names = hierarchy.names
    rows = np.split(side.indices, side.indptr[1:-1])
    path.write_text("".join(" ".join(str(names[c]) for c in row) + "\n" for row in rows))
    return path


def hemkit(binary, paths):
    """CPU seconds of a run, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [binary, MESH, *paths, "100000", "5"], capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    pairs = (line.rpartition(" = ") for line in done.stdout.splitlines() if " = " in line)
    return seconds, {name: float(value) for name, _, value in pairs}


if __name__ == "__main__":
    main()
