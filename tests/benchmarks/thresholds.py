"""Curves of whole data sets at all scores, against CAFA-evaluator at nine thresholds.

    python -m tests.benchmarks.thresholds [--targets N] [--terms N]   both, each in its own process
    python -m tests.benchmarks.thresholds large                       45,000 terms × 100,000 targets

Both read the same files: an ontology, a truth and scores; with ``--weights`` also weights of terms,
for which CAFA-evaluator should need some 20 GB at this size. Times are CPU seconds of one process (user
and system); memory is the peak of the process, with all that it reads.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from hierpair import LabelSets, NodeScores
from hierpair.measures.scored.pooled_curve import threshold_sweep
from hierpair.measures.scored.system import counted_classes

from .workloads import generated_hierarchy

SCORED, TRUE = 30, 4


def data(n_terms, n_targets, seed=0):
    """Return a DAG, true labels, scores with three decimals, and weights."""
    rng = np.random.default_rng(seed)
    hierarchy = generated_hierarchy("dag19", n_terms)
    n = len(hierarchy)
    truth = LabelSets.from_arrays(
        np.arange(n_targets + 1) * TRUE, rng.integers(1, n, n_targets * TRUE), n
    )
    sets = LabelSets.from_arrays(
        np.arange(n_targets + 1) * SCORED, rng.integers(1, n, n_targets * SCORED), n
    )
    values = rng.integers(1, 1000, len(sets.indices)) / 1000
    weights = np.append(0.0, rng.gamma(1.0, 2.0, n - 1))
    return hierarchy, truth, NodeScores(hierarchy, sets.indptr, sets.indices, values), weights


def write(folder, hierarchy, truth, scores, weights):
    parents = np.split(hierarchy.parents, hierarchy.parent_ptr[1:-1])
    with Path(folder, "o.obo").open("w") as file:
        file.write("format-version: 1.2\n\n")
        for c, above in enumerate(parents):
            rows = "".join(f"is_a: T:{p}\n" for p in above)
            file.write(f"[Term]\nid: T:{c}\nname: t{c}\nnamespace: all\n{rows}\n")
    Path(folder, "ia.tsv").write_text("".join(f"T:{c}\t{w!r}\n" for c, w in enumerate(weights.tolist())))  # fmt: skip
    Path(folder, "pred").mkdir()
    for name, sets in (("gt.tsv", truth), ("pred/s.tsv", scores)):
        owner = np.repeat(np.arange(len(sets)), np.diff(sets.indptr)).tolist()
        columns = [owner, sets.indices.tolist()]
        if sets is scores:
            columns.append(sets.values.tolist())
        with Path(folder, name).open("w") as file:
            for i, c, *score in zip(*columns, strict=True):
                file.write("\t".join([f"p{i}", f"T:{c}", *map(repr, score)]) + "\n")


def used():
    """Return CPU seconds of this process, and its peak memory in MB."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def theirs(folder, weighted):
    from cafaeval import parser
    from cafaeval.evaluation import evaluate_prediction
    from cafaeval.parser import gt_parser, obo_parser, pred_parser

    os.chdir(folder)
    ontologies = obo_parser("o.obo", ("is_a", "part_of"), "ia.tsv" if weighted else None)
    gt = gt_parser("gt.tsv", ontologies)
    start, handing_up = used()[0], parser.propagate
    spans = []

    def timed(*given, **how):
        begin = used()[0]
        handing_up(*given, **how)
        spans.append(used()[0] - begin)

    parser.propagate = timed
    prediction = pred_parser("pred/s.tsv", ontologies, gt, "max")
    begin = used()[0]
    table = evaluate_prediction(prediction, gt, ontologies, np.arange(0.1, 1, 0.1), n_cpu=1)
    done = used()
    print(
        *done,
        done[0] - start,
        done[0] - begin + sum(spans),
        table["f_w" if weighted else "f"].max(),
    )


def ours(folder, weighted):
    from hierpair import read_hierarchy, read_labels
    from hierpair.io.class_tables import class_weights
    from hierpair.labels import match_instances
    from hierpair.probabilistic.probability_files import read_scored_labels

    os.chdir(folder)
    hierarchy = read_hierarchy("o.obo")
    truth = read_labels("gt.tsv", hierarchy)
    kinds = [None, class_weights("ia.tsv", hierarchy)] if weighted else [None]
    start = used()[0]
    scores = match_instances(truth, read_scored_labels("pred/s.tsv", hierarchy))
    read = used()[0]
    how, counts = {"zero_weight": "count"}, counted_classes(hierarchy, "include")
    curves = [threshold_sweep(truth, scores, counts, **how, weights=w) for w in kinds]
    done = used()
    grid = threshold_sweep(
        truth, scores, counts, **how, weights=kinds[-1], thresholds=np.arange(0.1, 1, 0.1)
    )
    print(*done, done[0] - start, done[0] - read, len(curves[0]), grid.fmax())


def run(what, folder, weighted):
    found = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.thresholds", what, "--folder", folder,
         *(["--weights"] if weighted else [])],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [float(x) for x in found.stdout.split()]


def large():
    hierarchy, truth, scores, weights = data(45_000, 100_000)
    before = used()
    held = sum(x.nbytes for x in (scores.indptr, scores.indices, scores.values, truth.indices))
    start = time.process_time()
    counts = counted_classes(hierarchy, "exclude")
    curve = threshold_sweep(truth, scores, counts, weights=weights)
    after = used()
    print(f"{len(hierarchy):,} terms x {len(truth):,} targets, {len(scores.values):,} scores of "
          f"{held / 2**20:,.0f} MB: {time.process_time() - start:.1f} CPU s, peak {after[1]:,.0f} MB, "
          f"{before[1]:,.0f} MB of it before; {len(curve):,} thresholds; as a matrix the scores are "
          f"{len(hierarchy) * len(truth) * 8 / 2**30:,.0f} GB")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", nargs="?", choices=("both", "ours", "theirs", "large"), default="both"
    )
    parser.add_argument("--terms", type=int, default=22_000)
    parser.add_argument("--targets", type=int, default=20_000)
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--folder")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.what == "large":
        large()
        return
    if options.what != "both":
        {"ours": ours, "theirs": theirs}[options.what](options.folder, options.weights)
        return
    with tempfile.TemporaryDirectory() as folder:
        write(folder, *data(options.terms, options.targets))
        a, b = (run(what, folder, options.weights) for what in ("ours", "theirs"))
    print(f"{options.terms:,} terms x {options.targets:,} targets, {SCORED} scored terms each")
    print(f"hierpair, all {a[4]:,.0f} thresholds: {a[0]:.1f} CPU s with all reading, {a[2]:.1f} with "
          f"that of the scores, {a[3]:.2f} without; peak {a[1]:,.0f} MB")  # fmt: skip
    print(f"cafaeval, nine thresholds: {b[0]:.1f} CPU s with all reading, {b[2]:.1f} with that of "
          f"the scores, {b[3]:.1f} without; peak {b[1]:,.0f} MB")  # fmt: skip
    print(f"{b[0] / a[0]:.0f}, {b[2] / a[2]:.0f} and {b[3] / a[3]:.0f} times; the largest F at the nine thresholds "
          f"differ by {abs(a[5] - b[4]):.1e}")  # fmt: skip


if __name__ == "__main__":
    main()
