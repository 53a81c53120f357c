"""Measure the reviewed families against our own hF, with the labels of DBpedia Large in number.

    python -m tests.benchmarks.reviewed [tree|dag19|dag66] [--instances N] [--repeat R]

Needs the extra ``bench``. Times are CPU seconds (user and system), the least of the repeats, taken
in turn with hF on the same labels. Measures of costs get one true and one predicted label each.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from hierpair import CostMatrix, measure, score
from hierpair.pairing import CosineDistance

from .run import alternate, cpu, peak_mb, row
from .workloads import DBPEDIA, generated_hierarchy, generated_labels

LIMIT = 5
"""Times that of hF, within which every family has to stay."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="?", default="tree")
    parser.add_argument("--instances", type=int, default=DBPEDIA["instances"])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    hierarchy = generated_hierarchy(options.workload, DBPEDIA["classes"], DBPEDIA["depth"])
    several = generated_labels(hierarchy, options.instances, 3.3, 3.0)
    single = generated_labels(hierarchy, options.instances, 1, 1)
    print(f"{hierarchy}, {options.instances} instances; {peak_mb():.0f} MB with the data")
    vectors, costs = class_vectors(len(hierarchy)), cost_matrix(*single, len(hierarchy))
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts.tsv"
        names = hierarchy.names
        counts.write_text("".join(f"{name}\t{i % 7 + 1}\n" for i, name in enumerate(names)))
        for labels, families in (
            (several, families_of_sets(vectors, str(counts))),
            (single, families_of_costs(costs)),
        ):
            compare(hierarchy, labels, families, options.repeat)


def families_of_sets(vectors, counts):
    """Measures of each family, all computed together, and every similarity as a cost."""
    cosine = CosineDistance(vectors)
    contributions = [
        measure(f"contribution_{m}") for m in ("precision", "recall", "f", "accuracy", "error")
    ]
    return {
        "contributions": contributions,
        "contributions, macro": [m.with_options(average="macro") for m in contributions],
        "contributions, category similarity": [
            m.with_options(cost=cosine, theta="mean") for m in contributions
        ],
        "depth": [measure(m) for m in ("depth_loss", "depth_euclidean", "depth_accuracy")],
        "depth, normalised": ["depth_loss(normalise=path)", "depth_accuracy(normalise=path)"],
        "H-loss": ["h_loss", "h_loss(costs=subtree)"],
        "descendants": [f"descendant_{m}" for m in ("precision", "recall", "f")],
        "ancestors without root": ["hp", "hr", "hf"],
        **{
            f"contributions, {cost}": [
                measure("contribution_f").with_options(cost=cost if cost != "lin, counts" else
                                              f"lin({counts!r})", theta=0.5)
            ]
            for cost in ("decayed", "ancestors", "wu_palmer", "lin", "lin, counts", "resnik")
        },
    }  # fmt: skip


def families_of_costs(costs):
    """Measures of costs by a sparse matrix and by costs that need none."""
    kinds = ("total_cost", "mean_cost", "normalised_cost")
    return {
        "costs, matrix": [measure(m).with_options(cost=costs) for m in kinds],
        **{
            f"costs, {cost}": [measure(m).with_options(cost=cost) for m in kinds[:2]]
            for cost in ("hops", "decayed", "ancestors", "wu_palmer", "lin")
        },
    }


def class_vectors(n, width=300, filled=10, seed=0):
    """Sparse class vectors, such as counts of words."""
    rng = np.random.default_rng(seed)
    at = rng.integers(0, width, n * filled), np.repeat(np.arange(n), filled)
    return sp.coo_array((rng.random(n * filled), at[::-1]), shape=(n, width)).tocsr()


def cost_matrix(truth, prediction, n, seed=0):
    """Costs of the pairs that occur and of ten others per class; every other pair costs nothing."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([truth.indices, np.repeat(np.arange(n), 10)])
    columns = np.concatenate([prediction.indices, rng.integers(0, n, 10 * n)])
    wrong = rows != columns
    cost = rng.integers(1, 10, wrong.sum()).astype(float)
    matrix = sp.coo_array((cost, (rows[wrong], columns[wrong])), shape=(n, n)).tocsr()
    return CostMatrix(matrix.T)


def compare(hierarchy, labels, families, repeat):
    """Time every family in turn with hF."""

    def timed(measures):
        return lambda: score(hierarchy, labels[0], {"s": labels[1]}, measures)

    timed(["hf"])()
    for name, measures in families.items():
        first, _ = cpu(timed(measures))
        mine, plain = alternate(timed(measures), timed(["hf"]), repeat)
        row(name, mine, plain, LIMIT, f"first {first:.2f} s, {peak_mb():.0f} MB")


if __name__ == "__main__":
    start = time.process_time()
    main()
    print(f"{time.process_time() - start:.0f} s CPU in all")
