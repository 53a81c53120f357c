"""Measure the confusion matrix against the package of its authors, on MeSH, and on a ladder.

    python -m tests.benchmarks.confusion [germeval|mesh|ladder|large]

Needs the extra ``bench``. Times are CPU seconds (user and system), the least of the repeats.
"""

import sys
import time

import networkx as nx
import numpy as np

from hierpair import Hierarchy, LabelSets, hierarchical_confusion_matrix, read_hierarchy, score

from .run import DATA, alternate, cpu, germeval_data, peak_mb, row
from .workloads import DBPEDIA, generated_hierarchy, generated_labels


def main():
    chosen = sys.argv[1] if len(sys.argv) > 1 else "germeval"
    {"germeval": germeval, "mesh": mesh, "ladder": ladder, "large": large}[chosen]()


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
    """20,000 instances with 12 true labels and 12 predicted paths, drawn upwards at random."""
    hierarchy = read_hierarchy(DATA / "mesh2016" / "hierarchy.txt")
    truth, prediction = generated_labels(hierarchy, 20_000, 12, 12)
    rng = np.random.default_rng(1)
    ptr, parents = hierarchy.parent_ptr.tolist(), hierarchy.parents.tolist()
    names = hierarchy.names

    def path(c):
        found = [c]
        while ptr[c] < ptr[c + 1]:
            c = parents[int(rng.integers(ptr[c], ptr[c + 1]))]
            found.append(c)
        return [names[x] for x in reversed(found)]

    rows = [
        [path(c) for c in prediction.indices[a:b].tolist()]
        for a, b in zip(prediction.indptr[:-1], prediction.indptr[1:], strict=True)
    ]
    reading, paths = cpu(lambda: LabelSets.from_levels(rows, hierarchy))
    print(f"{hierarchy}: {sum(map(len, rows)):,} paths checked in {reading:.2f} s")
    for pairing in ("exact", "published"):
        hierarchy.cache.clear()
        seconds, found = cpu(lambda p=pairing: run(hierarchy, truth, paths, p))
        print(f"{pairing}: {seconds:.2f} s, {seconds / 20:.3f} ms an instance, {tuple(found)}, "
              f"peak {peak_mb():.0f} MB")  # fmt: skip


def run(hierarchy, truth, prediction, pairing):
    names = [f"hcm_{x}(pairing={pairing}, average=micro)" for x in ("tp", "tn", "fp", "fn")]
    scores = score(hierarchy, truth, {"s": prediction}, names)
    return [int(scores["s", name]) for name in names]


def ladder(rungs=16):
    """A class with 2**16 root paths: what counts is its 49 classes."""
    edges = []
    for i in range(rungs):
        edges += [(f"j{i}", f"{x}{i}") for x in "ab"] + [(f"{x}{i}", f"j{i + 1}") for x in "ab"]
    hierarchy = Hierarchy.from_edges(edges)
    path = [x for i in range(rungs) for x in (f"j{i}", f"a{i}")] + [f"j{rungs}"]
    y_pred = LabelSets.from_levels([path], hierarchy)

    def ours():
        hierarchy.cache.clear()
        return hierarchical_confusion_matrix([f"j{rungs}"], y_pred, hierarchy)

    seconds, found = cpu(ours, 5)
    graph = hierarchy.to_networkx()
    listing, n = cpu(lambda: sum(1 for _ in nx.all_simple_paths(graph, "j0", f"j{rungs}")))
    print(f"{len(hierarchy)} classes, {n:,} paths: {seconds * 1e3:.2f} ms, {found}; listing the "
          f"paths {listing * 1e3:.0f} ms")  # fmt: skip


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


if __name__ == "__main__":
    main()
