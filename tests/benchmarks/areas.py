"""Measure areas of all classes: python -m tests.benchmarks.areas [dense|sparse].

Times are CPU seconds of one process; the ratio is taken from times of the same run. ``dense`` has a score
for every pair of an instance and a class, as scikit-learn needs them; ``sparse`` has a hundred scores per instance
and more classes than a dense table has room for.
"""

import argparse
import resource
import warnings

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from hierpair import Hierarchy, LabelSets, NodeScores
from hierpair.measures.scored.calibration import level_scores
from hierpair.measures.scored.curves import class_areas

from .probabilities import timed
from .workloads import generated_hierarchy

SUMMARIES = ("micro_auprc", "macro_auprc", "weighted_auprc", "macro_auroc", "micro_auroc")


def random_tree(n_classes, rng):
    above = [int(rng.integers(0, max(1, i // 3))) for i in range(1, n_classes)]
    return Hierarchy.from_edges([(p, i + 1) for i, p in enumerate(above)])


def areas(truth, scores):
    """All areas and their averages."""
    found = class_areas(truth, scores)
    return found, [getattr(found, name)() for name in SUMMARIES]


def dense(n_instances, n_classes):
    rng = np.random.default_rng(0)
    tree = random_tree(n_classes, rng)
    leaves = np.flatnonzero(np.diff(tree.child_ptr) == 0)
    tips = rng.choice(leaves, n_instances)
    truth = LabelSets.from_arrays(np.arange(n_instances + 1), tips, len(tree))
    table = rng.random((n_instances, len(tree)))
    scores = NodeScores.from_array(table, tree)
    mine, (found, averages) = timed(lambda: areas(truth, scores))
    true = np.zeros((n_instances, len(tree)), dtype=np.int8)
    names = np.array(tree.names)
    parent = {tree.names[c]: tree.names[p] for c, p in zip(
        range(1, len(tree)), tree.parents.tolist(), strict=True)}  # fmt: skip
    number = {name: i for i, name in enumerate(tree.names)}
    for i, tip in enumerate(names[tips].tolist()):
        while True:
            true[i, number[tip]] = 1
            if tip not in parent:
                break
            tip = parent[tip]  # noqa: PLW2901

    def one_by_one():
        ap, roc = np.full((2, len(found)), np.nan)
        for k, c in enumerate(found.classes):
            if 0 < true[:, c].sum() < n_instances:
                ap[k] = average_precision_score(true[:, c], table[:, c])
                roc[k] = roc_auc_score(true[:, c], table[:, c])
        micro = average_precision_score(true[:, 1:], table[:, 1:], average="micro")
        return ap, roc, micro, roc_auc_score(true[:, 1:], table[:, 1:], average="micro")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, (ap, roc, micro, micro_roc) = timed(one_by_one, 1)
    both = ~np.isnan(ap)
    differences = [
        np.abs(ap - found.auprc)[both].max(), np.abs(roc - found.auroc)[both].max(),
        abs(micro - averages[0]), abs(micro_roc - averages[-1]),
    ]  # fmt: skip
    print(f"areas {n_instances} x {n_classes}, {len(scores.values)} scores: {mine:.2f} s; "
          f"scikit-learn class by class {theirs:.2f} s, {theirs / mine:.1f} times; "
          f"largest difference {max(differences):.1e}")  # fmt: skip
    seconds, _ = timed(lambda: level_scores(truth, scores), 1)
    print(f"Brier, log loss, ECE, SCE and ACE of {tree.levels[-1]} levels: {seconds:.2f} s")


def sparse(n_instances, n_classes, per_instance):
    hierarchy = generated_hierarchy("tree", n_classes)
    rng = np.random.default_rng(1)
    classes = np.sort(rng.integers(1, n_classes, (n_instances, per_instance)), axis=1)
    classes += np.arange(per_instance)  # distinct within a row
    np.minimum(classes, n_classes - per_instance + np.arange(per_instance), out=classes)
    values = rng.random(classes.size)
    indptr = np.arange(n_instances + 1, dtype=np.int64) * per_instance
    scores = NodeScores(hierarchy, indptr, classes.ravel().astype(np.int32), values)
    tips = classes[np.arange(n_instances), rng.integers(0, per_instance, n_instances)]
    truth = LabelSets.from_arrays(np.arange(n_instances + 1), tips, n_classes)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds, _ = timed(lambda: areas(truth, scores), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"areas {n_instances} x {n_classes}, {len(values)} scores: {seconds:.2f} s, "
          f"{1e9 * seconds / len(values):.0f} ns a score; {peak:.0f} MB at most, {before:.0f} MB "
          "before")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="?", choices=("dense", "sparse"), default="dense")
    parser.add_argument("--instances", type=int)
    parser.add_argument("--classes", type=int)
    parser.add_argument("--scores", type=int, default=100)
    options = parser.parse_args()
    if options.workload == "dense":
        dense(options.instances or 2_000, options.classes or 1_000)
    else:
        sparse(options.instances or 100_000, options.classes or 45_000, options.scores)
