"""Measure curves and decoders: python -m tests.benchmarks.probabilities [wikivitals|sparse].

Times are CPU seconds of one process; a ratio is taken from times of the same run. ``wikivitals`` uses
the taxonomy and the size of the test part of Hierarchical WikiVitals with random distributions; ``sparse`` uses
generated classes and a few scenarios per instance.
"""

import argparse
import os
import resource
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import auc, precision_recall_curve

from hierpair import Hierarchy, LabelDistribution, LabelSets, decode, read_hierarchy
from hierpair.hierarchy import ancestor_closure
from hierpair.hierarchy.arrays import offsets
from hierpair.probabilistic import precision_recall_curves

from .workloads import generated_hierarchy

DATA = Path(os.environ.get("HIERPAIR_DATA", Path(__file__).parents[3] / "shared" / "data"))


def timed(call, repeat=3):
    """Return the least CPU time of some calls, and what they returned."""
    best = np.inf
    for _ in range(repeat):
        start = time.process_time()
        found = call()
        best = min(best, time.process_time() - start)
    return best, found


def wikivitals():
    hierarchy = read_hierarchy(DATA / "hwv" / "taxonomy.tsv")
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    rng = np.random.default_rng(0)
    n = 2003
    z = np.exp(3 * rng.normal(size=(n, len(leaves))))
    distribution = LabelDistribution.from_leaves(z / z.sum(axis=1, keepdims=True), hierarchy)
    tips = leaves[rng.integers(0, len(leaves), n)]
    truth = LabelSets.from_arrays(np.arange(n + 1), tips, len(hierarchy))
    scores = distribution.marginals()
    mine, areas = timed(lambda: precision_recall_curves(truth, scores).areas())
    corners, fewer = timed(
        lambda: precision_recall_curves(truth, scores, drop_intermediate=True).areas()
    )
    dense = scores.dense()[:, 1:]
    member = ancestor_closure(hierarchy).with_data(
        np.ones(len(ancestor_closure(hierarchy).indices))
    )
    member = member[tips].toarray()[:, 1:]

    def one_by_one():
        found = np.empty(n)
        for i in range(n):
            precision, recall, _ = precision_recall_curve(member[i], dense[i])
            found[i] = auc(recall, precision)
        return found

    theirs, same = timed(one_by_one, 2)
    print(f"without intermediate points {corners:.3f} s, {theirs / corners:.1f} times; largest "
          f"difference {np.abs(fewer - same).max():.1e}")  # fmt: skip
    print(f"curves {n} x {dense.shape[1]}: {mine:.3f} s, scikit-learn one by one {theirs:.3f} s, "
          f"{theirs / mine:.1f} times; largest difference {np.abs(areas - same).max():.1e}")  # fmt: skip
    for name in (
        "hf",
        "hf(beta=2)",
        "symmetric_difference",
        "shortest_path",
        "leaf_accuracy",
        "hf(average=micro)",
    ):
        seconds, found = timed(lambda name=name: decode(distribution, name))
        print(f"{name:20} {1000 * seconds / n:8.3f} ms an instance  {found.certificate.method}")
    for part in (500, 1000, 2000):
        some = distribution.part(0, part)
        seconds, _ = timed(lambda some=some: decode(some, "hf"))
        print(f"hf of {part:5} instances  {1000 * seconds / part:8.3f} ms an instance")
    for name, part in (("gie", 200),):
        some = distribution.part(0, part)
        seconds, _ = timed(lambda some=some, name=name: decode(some, name), 1)
        print(f"{name:20} {1000 * seconds / part:8.3f} ms an instance (of {part})")


def sparse(kind, n_instances, n_scenarios):
    hierarchy = generated_hierarchy(kind, 325_056)
    assert isinstance(hierarchy, Hierarchy)
    rng = np.random.default_rng(1)
    leaves = np.flatnonzero(np.diff(hierarchy.child_ptr) == 0)
    tips = np.sort(rng.choice(leaves, (n_instances, n_scenarios)), axis=1)
    p = rng.dirichlet(np.ones(n_scenarios), n_instances).ravel()
    sets = LabelSets.from_arrays(np.arange(tips.size + 1), tips.ravel(), len(hierarchy))
    distribution = LabelDistribution.from_sets(
        hierarchy, offsets(np.full(n_instances, n_scenarios)), p, sets
    )
    for name in ("hf", "symmetric_difference"):
        seconds, _ = timed(lambda name=name: decode(distribution, name), 1)
        print(f"{name:6} {seconds:8.2f} s, {1e6 * seconds / n_instances:8.1f} us an instance")
    scores = distribution.marginals()
    truth = distribution.sets.take(distribution.sample(1, 2)[:, 0])
    seconds, _ = timed(lambda: precision_recall_curves(truth, scores).areas(), 1)
    print(f"curves {seconds:8.2f} s, {1e6 * seconds / n_instances:8.1f} us an instance")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{hierarchy.describe()}; {n_instances} instances, {n_scenarios} scenarios; {peak:.0f} MB"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "workload", nargs="?", choices=("wikivitals", "sparse"), default="wikivitals"
    )
    parser.add_argument("--kind", default="tree")
    parser.add_argument("--instances", type=int, default=450_000)
    parser.add_argument("--scenarios", type=int, default=5)
    options = parser.parse_args()
    if options.workload == "wikivitals":
        wikivitals()
    else:
        sparse(options.kind, options.instances, options.scenarios)
