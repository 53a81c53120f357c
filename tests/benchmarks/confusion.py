"""Measure the confusion matrix: against the package of its authors, on MeSH, on a ladder.

    python -m tests.benchmarks.confusion [germeval|mesh|ladder]

Needs the extra ``bench``. Times are CPU seconds (user and system).
"""

import sys
import time

import networkx as nx
import numpy as np

from hierpair import Hierarchy, LabelSets, hierarchical_confusion_matrix, load_case, read_hierarchy
from hierpair.confusion import confusion
from hierpair.hierarchy import ancestor_closure

from .run import DATA, cpu, peak_mb
from .workloads import generated_labels


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "germeval"
    {"germeval": germeval, "mesh": mesh, "ladder": ladder}[kind]()


def germeval():
    """Task B, one system: labels to paths and pairing, ours from names, theirs from names."""
    from hierarchical_confusion_matrix.HierarchicalConfusion import (
        determineHierarchicalConfusionMatrix,
    )

    case = load_case("germeval2019-b", DATA)
    hierarchy = case.hierarchy
    n = len(case.y_true)
    rows = [[sets.names_of(i, hierarchy) for i in range(n)] for sets in (
        case.y_true, case.systems["Averbis"]
    )]  # fmt: skip

    def ours():
        return hierarchical_confusion_matrix(*rows, hierarchy, pairing="published")

    graph = hierarchy.to_networkx()

    def theirs():
        total = np.zeros(4, dtype=int)
        for true, predicted in zip(*rows, strict=True):
            classes, paths = [lowest(graph, side) for side in (true, predicted)]
            listed = [next(nx.all_simple_paths(graph, "root", c)) for c in paths] or [["root"]]
            total += determineHierarchicalConfusionMatrix(graph, classes, listed)
        return total

    ours()
    mine, found = cpu(ours)
    exact, _ = cpu(lambda: hierarchical_confusion_matrix(*rows, hierarchy))
    other, theirs_found = cpu(theirs)
    print(f"GermEval B, Averbis, {n:,} books: published {mine:.3f} s, exact {exact:.3f} s, "
          f"package {other:.1f} s: {other / mine:.0f} and {other / exact:.0f} times")  # fmt: skip
    print("  ours", tuple(found), "package", theirs_found.tolist())


def lowest(graph, labels):
    """The labels that are above no other, in their order."""
    chosen = set(labels)
    return [c for c in labels if not chosen & nx.descendants(graph, c)]


def mesh():
    """20,000 instances with 12 true classes and 12 predicted paths each."""
    hierarchy = read_hierarchy(DATA / "mesh2016" / "hierarchy.txt")
    ancestor_closure(hierarchy)
    truth, prediction = generated_labels(hierarchy, 20_000, 12.0, 12.0)
    rng = np.random.default_rng(0)
    known = {}
    rows = [
        [known.setdefault(c, random_path(hierarchy, c, rng)) for c in
         prediction.indices[prediction.indptr[i] : prediction.indptr[i + 1]].tolist()]
        for i in range(len(prediction))
    ]  # fmt: skip
    start = time.process_time()
    paths = LabelSets.from_levels(rows, hierarchy)
    print(f"MeSH, 20,000 x 12: paths from names {time.process_time() - start:.1f} s")
    for pairing in ("exact", "published"):
        seconds = 0.0
        for lo in range(0, 20_000, 2_000):
            y = truth.part(lo, lo + 2_000), paths.part(lo, lo + 2_000)
            used, _ = cpu(lambda y=y, pairing=pairing: confusion(hierarchy, *y, pairing))
            seconds += used
        print(f"  {pairing} {seconds:.1f} s, {seconds / 20_000 * 1e6:.0f} µs an instance, "
              f"peak {peak_mb():.0f} MB")  # fmt: skip


def random_path(hierarchy, c, rng):
    """A random walk up from a class, as names from the root."""
    path = [c]
    while True:
        above = hierarchy.parents[hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]]
        if not len(above):
            return tuple(hierarchy.names[x] for x in reversed(path))
        c = int(rng.choice(above))
        path.append(c)


def ladder():
    """49 classes and 65,536 root paths."""
    edges = []
    for i in range(16):
        edges += [(f"{i}", f"{i}{x}") for x in "ab"] + [(f"{i}{x}", f"{i + 1}") for x in "ab"]
    hierarchy = Hierarchy.from_edges(edges)
    truth = LabelSets.from_labels([["16"]], hierarchy)
    paths = LabelSets.from_levels([[name for i in range(16) for name in (f"{i}a", f"{i + 1}")]],
                                  hierarchy)  # fmt: skip
    confusion(hierarchy, truth, paths)
    seconds, _ = cpu(lambda: confusion(hierarchy, truth, paths))
    print(f"ladder of {len(hierarchy)} classes: {seconds * 1000:.1f} ms")


if __name__ == "__main__":
    main()
