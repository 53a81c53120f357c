"""Measure hierpair against compiled loops, a scalar solver loop and hiclass, in one run.

    python -m tests.benchmarks.run [tree|dag19|dag66] [--instances N] [--repeat R]
    python -m tests.benchmarks.run hiclass
    python -m tests.benchmarks.run mesh|germeval

Needs the extra ``bench``. Times are CPU seconds (user and system), the least of the repeats;
a ratio is taken from times of the same process, alternating.
"""

import argparse
import csv
import os
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from hierpair.evaluation.batches import CHUNK
from hierpair.evaluation.checked import default_measures
from hierpair.evaluation.scoring import score
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.io import read_hierarchy
from hierpair.labels import LabelSets
from hierpair.measures import Batch, measure
from hierpair.measures.recipes.paths import LevelRecipe
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.pairing import build, formulate, read
from hierpair.solvers import solve

from .workloads import DBPEDIA, generated_hierarchy, generated_labels

PLAIN = [m for m in default_measures() if not m.startswith("lca_")]
"""The default measures less those of graphs, which lca.py measures."""

EVERYTHING = [
    *PLAIN,
    "all_pairs",
    *(f"{m}(average={a})" for m in ("precision", "f", "hp", "hf") for a in ("micro", "macro")),
    *(f"hf(augment={a})" for a in ("descendants", "pruned")),
    *(f"{m}(threshold=4)" for m in ("hf", "symmetric_difference", "gie", "mgia")),
    "gie(cost=decayed)",
    "gie(max_distance=4)",
    "mgia(denominator=symdiff)",
]

DATA = Path(os.environ.get("HIERPAIR_DATA", Path(__file__).parents[3] / "shared" / "data"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", nargs="?", default="dag19")
    parser.add_argument("--instances", type=int, default=DBPEDIA["instances"])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if options.workload == "hiclass":
        against_hiclass(options.repeat)
    elif options.workload == "mesh":
        mesh()
    elif options.workload == "germeval":
        germeval()
    else:
        at_size(options.workload, options.instances, options.repeat)


def cpu(job, repeat=1):
    """Least CPU seconds of some runs, and the last result."""
    best = np.inf
    for _ in range(repeat):
        start = time.process_time()
        result = job()
        best = min(best, time.process_time() - start)
    return best, result


def alternate(ours, theirs, repeat):
    """Least CPU seconds of both, run in turn."""
    a = b = np.inf
    for _ in range(repeat):
        a, b = min(a, cpu(ours)[0]), min(b, cpu(theirs)[0])
    return a, b


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def row(what, ours, bound, limit, note=""):
    print(
        f"{what:<34} {ours:8.3f} s {bound:8.3f} s  ratio {ours / bound:6.2f}  (≤ {limit})  {note}",
        flush=True,
    )


def at_size(kind, instances, repeat):
    from . import loops

    hierarchy = generated_hierarchy(kind, DBPEDIA["classes"], DBPEDIA["depth"])
    truth, prediction = generated_labels(hierarchy, instances, 3.3, 3.25)
    pairs = int((truth.lengths * prediction.lengths).sum())
    print(
        f"{hierarchy}, {instances} instances, {truth.lengths.mean():.2f} true and "
        f"{prediction.lengths.mean():.2f} predicted labels, {pairs} pairs; "
        f"{peak_mb():.0f} MB with the data"
    )
    start = time.process_time()
    scores = score(hierarchy, truth, {"system": prediction}, PLAIN)
    print(
        f"every default measure: {time.process_time() - start:.2f} s CPU, closure included, "
        f"peak {peak_mb():.0f} MB"
    )
    start = time.process_time()
    score(hierarchy, truth, {"system": prediction}, EVERYTHING)
    print(
        f"every measure with every augmentation, average and cost: "
        f"{time.process_time() - start:.2f} s CPU, peak {peak_mb():.0f} MB"
    )
    n = len(hierarchy)

    def ours_closure():
        hierarchy.cache.clear()
        return ancestor_closure(hierarchy)

    loops.closure(hierarchy.parent_ptr[:3], hierarchy.parents, 2)
    mine, loop = alternate(
        ours_closure, lambda: loops.closure(hierarchy.parent_ptr, hierarchy.parents, n), repeat
    )
    closure = ancestor_closure(hierarchy)
    row(
        "closure / compiled loop",
        mine,
        loop,
        3,
        f"{len(closure.indices) / n:.1f} ancestors a class",
    )

    args = (prediction.indptr, prediction.indices, truth.indptr, truth.indices)
    up = closure.up.astype(np.uint8)
    out = np.empty(pairs, np.int32)

    def loop_distances():
        return loops.distances(closure.indptr, closure.indices, up, *args, n, out)

    def ours_distances():
        return [b.pairs(None).distance for b in batches()]

    def batches():
        for lo in range(0, instances, CHUNK):
            hi = min(lo + CHUNK, instances)
            yield Batch(hierarchy, truth.part(lo, hi), prediction.part(lo, hi))

    loop_distances()
    seconds_distances, loop = alternate(ours_distances, loop_distances, repeat)
    assert np.array_equal(np.concatenate(ours_distances()), out)
    row("all pair distances / compiled loop", seconds_distances, loop, 3.5)

    sizes = np.empty((3, instances), np.int64)
    root = int(hierarchy.root_indices[0])

    def loop_sets():
        loops.set_sizes(closure.indptr, closure.indices, *args, n, root, sizes)

    def ours_sets():
        recipe = SetRecipe("ancestors", "exclude")
        return [recipe.compute(b) for b in batches()]

    loop_sets()
    mine, loop = alternate(ours_sets, loop_sets, repeat)
    counts = ours_sets()
    for k, name in enumerate(("n_true", "n_pred", "n_both")):
        assert np.array_equal(np.concatenate([c[name] for c in counts]), sizes[k])
    row("set measures / compiled loop", mine, loop, 3)
    itself = np.arange(n + 1)  # no label brings another class

    def loop_flat():
        loops.set_sizes(itself, itself, *args, n + 1, n, sizes)

    def ours_flat():
        return [SetRecipe().compute(b) for b in batches()]

    loop_flat()
    mine, loop = alternate(ours_flat, loop_flat, repeat)
    counts = ours_flat()
    for k, name in enumerate(("n_true", "n_pred", "n_both")):
        assert np.array_equal(np.concatenate([c[name] for c in counts]), sizes[k])
    row("flat sizes / compiled loop", mine, loop, 3)

    levels = hierarchy.levels.astype(np.int64)
    at_level = np.bincount(levels[np.arange(n) != root], minlength=levels[-1] + 1)
    judged, right = np.empty((2, instances), np.int64)
    share = np.empty(instances)

    def loop_levels():
        loops.level_columns(
            closure.indptr, closure.indices, *args, levels, at_level, root, judged, right, share
        )

    def ours_levels():
        return [LevelRecipe().compute(b) for b in batches()]

    loop_levels()
    mine, loop = alternate(ours_levels, loop_levels, repeat)
    counts = ours_levels()
    assert np.array_equal(np.concatenate([c["n_judged"] for c in counts]), judged)
    assert np.array_equal(np.concatenate([c["n_right"] for c in counts]), right)
    wrong = np.concatenate([c["wrong_share"] for c in counts])
    assert np.allclose(wrong * (at_level > 0).sum(), share, rtol=1e-12)
    row("levels / compiled loop", mine, loop, 3)

    def with_sets(*recipes):
        for b in batches():
            for recipe in recipes:
                recipe.compute(b)

    alone, both = alternate(
        lambda: with_sets(SetRecipe("ancestors", "exclude")),
        lambda: with_sets(SetRecipe("ancestors", "exclude"), LevelRecipe()),
        repeat,
    )
    print(f"levels beside set measures: {both / alone - 1:.2f} times the set measures alone")

    ready = list(batches())
    for b in ready:
        assert len(b.pairs(None).distance) == b.pairs(None).ptr[-1]

    def flows(name):
        rule = measure(name).recipe.rule
        for b in ready:
            problem = formulate(rule, b.pairs(None))
            network, meaning = build(problem)
            read(network, solve(network), meaning, problem)

    gie, _ = cpu(lambda: flows("gie"), repeat)
    mgia, _ = cpu(lambda: flows("mgia"), repeat)
    row(
        "GIE + MGIA flows / our distances",
        gie + mgia,
        seconds_distances,
        1.5,
        f"GIE {gie:.2f} s, MGIA {mgia:.2f} s",
    )

    some = ready[0]
    problem = formulate(measure("gie").recipe.rule, some.pairs(None))
    network, _ = build(problem)

    def one_by_one():
        for c in range(network.n_components):
            scalar(network, c)

    blocks, single = alternate(lambda: solve(network), one_by_one, repeat)
    row(
        "blocks / scalar loop of OR-Tools", blocks, single, 0.3, f"{network.n_components} instances"
    )
    print("linear in instances:", end=" ")
    for part in (4, 2, 1):
        few = instances // part
        seconds, _ = cpu(
            lambda few=few: score(
                hierarchy, truth.part(0, few), {"system": prediction.part(0, few)}
            )
        )
        print(f"{few}: {seconds:.2f} s", end="  ")
    print(f"\npeak {peak_mb():.0f} MB in all")
    print(scores)


def scalar(network, component):
    """One OR-Tools solver per instance, arc by arc, as a user would write it."""
    from ortools.graph.python import min_cost_flow

    arcs = range(int(network.arc_ptr[component]), int(network.arc_ptr[component + 1]))
    first = int(network.node_ptr[component])
    solver = min_cost_flow.SimpleMinCostFlow()
    for k in arcs:
        solver.add_arc_with_capacity_and_unit_cost(
            int(network.tail[k]) - first,
            int(network.head[k]) - first,
            int(network.upper[k]),
            int(network.cost[k]),
        )
    for v in range(first, int(network.node_ptr[component + 1])):
        solver.set_node_supply(v - first, int(network.supply[v]))
    solver.solve()
    return solver.optimal_cost()


def against_hiclass(repeat):
    from hiclass import metrics

    rng = np.random.default_rng(1)
    width = 6
    paths = [("root", f"{a}") for a in range(width)]
    leaves = []
    for a in range(width):
        for b in range(width):
            paths.append((f"{a}", f"{a}.{b}"))
            for c in range(width):
                paths.append((f"{a}.{b}", f"{a}.{b}.{c}"))
                for d in range(width):
                    paths.append((f"{a}.{b}.{c}", f"{a}.{b}.{c}.{d}"))
                    leaves.append((f"{a}", f"{a}.{b}", f"{a}.{b}.{c}", f"{a}.{b}.{c}.{d}"))
    hierarchy = Hierarchy.from_edges(paths)
    n = 20_000
    true = rng.integers(0, len(leaves), n)
    pred = np.where(rng.random(n) < 0.6, true, rng.integers(0, len(leaves), n))
    y_true, y_pred = np.array(leaves)[true], np.array(leaves)[pred]
    labels = [LabelSets.from_labels(y[:, -1], hierarchy) for y in (y_true, y_pred)]
    wanted = [f"{m}(average='micro')" for m in ("hp", "hr", "hf")] + ["symmetric_difference"]

    def ours():
        hierarchy.cache.clear()
        return score(hierarchy, labels[0], {"s": labels[1]}, wanted)

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return metrics.f1(y_true, y_pred, average="micro")

    ours(), theirs()
    mine, other = alternate(ours, theirs, max(3, repeat))
    assert abs(ours()["s", wanted[2]] - theirs()) < 1e-12

    def with_names():
        hierarchy.cache.clear()
        return score(hierarchy, y_true[:, -1], {"s": y_pred[:, -1]}, wanted)

    named, _ = cpu(with_names, max(3, repeat))
    print(
        f"hP, hR, hF, symmetric difference of {n} instances: {mine:.4f} s "
        f"(from names {named:.4f} s); "
        f"hiclass micro F1 alone: {other:.3f} s; {other / mine:.1f} times ({other / named:.1f})"
    )


def mesh():
    seconds, hierarchy = cpu(lambda: read_hierarchy(DATA / "mesh2016" / "hierarchy.txt"))
    print(f"{hierarchy} read in {seconds:.2f} s")
    truth, prediction = generated_labels(hierarchy, 20_000, 12, 12)
    report(hierarchy, truth, {"generated": prediction})


def germeval():
    report(*germeval_data())


def germeval_data():
    """Hierarchy, truth and systems of GermEval 2019 task B."""
    folder = DATA / "germeval2019"
    hierarchy = read_hierarchy(folder / "hierarchy.tsv")

    def labels(path):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            return {
                r["book"]: [x for x in r["labels"].split("|") if x]
                for r in rows
                if r["task"] == "B"
            }

    truth = labels(folder / "gold.tsv")
    systems = {
        p.stem: labels(p)
        for p in sorted(folder.glob("*.tsv"))
        if p.stem not in ("gold", "hierarchy")
    }
    return hierarchy, truth, {name: s for name, s in systems.items() if s}


def report(hierarchy, truth, systems):
    seconds, scores = cpu(
        lambda: score(hierarchy, truth, systems, PLAIN, unknown="drop", missing="empty")
    )
    print(f"{hierarchy}: {scores!r}, {seconds:.2f} s CPU, peak {peak_mb():.0f} MB")
    print(scores)
    for name in ("gie", "mgia"):
        seconds, _ = cpu(
            lambda name=name: score(
                hierarchy, truth, systems, [name], unknown="drop", missing="empty"
            )
        )
        print(f"{name}: {seconds:.2f} s CPU")


if __name__ == "__main__":
    sys.exit(main())
