"""Measure the confusion matrix: against the package of its authors, on MeSH, on a ladder, at size.

    python -m tests.benchmarks.confusion [germeval|mesh|ladder|large]

Needs the extra ``bench``. Times are CPU seconds (user and system).
"""

import sys
import time

import networkx as nx
import numpy as np

from hierpair import Hierarchy, LabelSets, read_hierarchy, score
from hierpair.confusion import confusion
from hierpair.hierarchy import ancestor_closure
from hierpair.metrics import hierarchical_confusion_matrix

from .run import DATA, alternate, cpu, germeval_data, peak_mb, row
from .workloads import DBPEDIA, generated_hierarchy, generated_labels


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "germeval"
    {"germeval": germeval, "mesh": mesh, "ladder": ladder, "large": large}[kind]()


def germeval(system="Averbis__BOHB_CNN"):
    """One system of task B, from label sets to counts, both instance by instance and pooled."""
    from hierarchical_confusion_matrix import determineHierarchicalConfusionMatrix

    hierarchy, truth, systems = germeval_data()
    prediction = {book: systems[system].get(book, []) for book in truth}
    graph = hierarchy.to_networkx()

    def paths_by_search():
        """Each label's path by searching the graph, as the published scripts do."""
        found = {}
        for book, labels in prediction.items():
            paths = [next(nx.all_simple_paths(graph, "root", x)) for x in set(labels)]
            found[book] = paths
        for labels in truth.values():
            for x in set(labels):
                next(nx.all_simple_paths(graph, "root", x))
        return found

    def paths_by_parents():
        """Each label's path by going up, which a tree allows."""

        def up(x):
            path = [x]
            while path[-1] != "root":
                path.append(next(iter(graph.predecessors(path[-1]))))
            return path[::-1]

        for labels in truth.values():
            for x in set(labels):
                up(x)
        return {book: [up(x) for x in set(labels)] for book, labels in prediction.items()}

    def theirs(paths, above):
        """The package, on paths that are not the start of another one of their book."""
        counts = []
        for book, labels in truth.items():
            kept = cover(labels, above)
            leaves = cover(prediction[book], above)
            listed = [p for p in paths[book] if p[-1] in leaves] or [["root"]]
            counts.append(determineHierarchicalConfusionMatrix(graph, kept, listed))
        return np.array(counts)

    def ours(pairing="published"):
        hierarchy.cache.clear()
        return np.array(
            hierarchical_confusion_matrix(
                truth, prediction, hierarchy, per="instance", pairing=pairing
            )
        ).T

    above = {x: nx.ancestors(graph, x) | {x} for x in graph}
    search, paths = cpu(paths_by_search)
    climb, _ = cpu(paths_by_parents)
    evaluation, found = cpu(lambda: theirs(paths, above))
    mine = {pairing: cpu(lambda p=pairing: ours(p), 5) for pairing in ("published", "exact")}
    assert np.array_equal(mine["published"][1], found), "counts differ in some book"
    tp, tn, fp, fn = found.sum(axis=0).tolist()
    print(f"GermEval B, {system}: TP {tp}, TN {tn}, FP {fp}, FN {fn}, equal in every book")
    print(
        f"package: paths by search {search:.2f} s (by parents {climb:.2f} s), counts "
        f"{evaluation:.2f} s"
    )
    for pairing, (seconds, _) in mine.items():
        print(
            f"{pairing}, from label sets: {seconds:.3f} s; {(search + evaluation) / seconds:.0f} "
            f"times faster than the package with its search, {(climb + evaluation) / seconds:.0f} "
            f"with paths by parents, {evaluation / seconds:.0f} without any conversion"
        )


def cover(labels, above):
    """Labels in the order of the published scripts: most newly covered first, then as given."""
    left, open_, taken = list(dict.fromkeys(labels)), set(labels), []
    while open_:
        best = max(left, key=lambda x: len(above[x] & open_))
        left.remove(best)
        open_ -= above[best]
        taken.append(best)
    return taken


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


def large():
    """452,167 instances on 325,056 classes in a tree, against our own hF."""
    hierarchy = generated_hierarchy("tree", DBPEDIA["classes"], DBPEDIA["depth"])
    sides = generated_labels(hierarchy, DBPEDIA["instances"], 3.3, 3.0)

    def timed(name):
        return lambda: score(hierarchy, sides[0], {"s": sides[1]}, [name])

    timed("hf")()
    for pairing in ("exact", "published"):
        start = time.process_time()
        timed(f"hcm_f(pairing={pairing})")()
        first = time.process_time() - start
        mine, plain = alternate(timed(f"hcm_f(pairing={pairing})"), timed("hf"), 2)
        row(f"hcm_f {pairing} / hF", mine, plain, 30, f"first {first:.2f} s, {peak_mb():.0f} MB")


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
