"""Measure the LCA graphs against compiled loops and hF, and greedy against exact, in one run.

    python -m tests.benchmarks.lca [tree|dag19|dag66|mesh|germeval|random]

Needs the extra ``bench``. Times are CPU seconds (user and system), the least of the repeats.
"""

import sys
import time

import numpy as np

from hierpair import Hierarchy, LabelSets, read_hierarchy, score
from hierpair.evaluation.batches import CHUNK
from hierpair.hierarchy import ancestor_closure
from hierpair.lca import extended_graphs
from hierpair.lca.links import without_ancestors

from .run import DATA, alternate, peak_mb, row
from .workloads import DBPEDIA, generated_hierarchy, generated_labels


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "tree"
    if kind == "germeval":
        from .run import germeval_data

        hierarchy, truth, systems = germeval_data()
        for name, labels in systems.items():
            report(hierarchy, truth, labels, f"GermEval B, {name}")
    elif kind == "random":
        for most in (1, 3):
            random_hierarchies(most)
    elif kind == "mesh":
        hierarchy = read_hierarchy(DATA / "mesh2016" / "hierarchy.txt")
        for mean in (3.3, 12.0):
            sides = generated_labels(hierarchy, 20_000, mean, mean)
            compiled(hierarchy, *sides, limit=4)
            report(hierarchy, *sides, f"MeSH, {mean} labels")
    else:
        hierarchy = generated_hierarchy(kind, DBPEDIA["classes"], DBPEDIA["depth"])
        sides = generated_labels(hierarchy, DBPEDIA["instances"], 3.3, 3.0)
        compiled(hierarchy, *sides, limit=2.5)
        report(hierarchy, *sides, kind)


def compiled(hierarchy, truth, prediction, limit):
    """The extended graphs against a compiled loop that starts from the same pruned labels."""
    from . import loops

    ancestor_closure(hierarchy)
    closure = loops.closure(hierarchy.parent_ptr, hierarchy.parents, len(hierarchy))
    members = without_ancestors(hierarchy, truth, prediction)
    cut = members.n_true
    out = np.empty((2, len(truth)), dtype=np.int64)

    def theirs():
        loops.extended_graphs(
            *closure, hierarchy.parent_ptr, hierarchy.parents, members.ptr[0],
            members.classes[:cut], members.ptr[1], members.classes[cut:], len(hierarchy), out,
        )  # fmt: skip

    def ours():
        found = []
        for lo in range(0, len(truth), CHUNK):
            hi = min(lo + CHUNK, len(truth))
            found.append(
                extended_graphs(hierarchy, truth.part(lo, hi), prediction.part(lo, hi), "full")
            )
        return np.concatenate([[g.n_true, g.n_predicted] for g in found], axis=1)

    theirs()
    assert (ours() == out).all()
    row("extended graphs", *alternate(ours, theirs, 3), limit)


def report(hierarchy, truth, prediction, title):
    """Times against hF, the ways that were taken, the slowest instance, greedy against exact."""

    def run(measure):
        start = time.process_time()
        found = score(hierarchy, truth, {"s": prediction}, [measure], missing="empty",
                      unknown="drop")  # fmt: skip
        return time.process_time() - start, found

    run("hf")
    plain = min(run("hf")[0] for _ in range(3))
    seconds, exact = run("lca_f")
    n = exact.n_instances
    print(
        f"{title}: lca_f {seconds:.2f} s, {seconds / n * 1e6:.0f} µs an instance, "
        f"{seconds / plain:.1f} times hf ({plain:.2f} s); {peak_mb():.0f} MB"
    )
    for ways in exact.solved_by.values():
        print("  " + ", ".join(f"{k / n:.1%} {way}" for way, k in ways.items()))
    some = min(n, 20_000)
    y = [s.part(0, some) if hasattr(s, "part") else s for s in (truth, prediction)]
    if all(hasattr(s, "part") for s in y):
        greedy = score(hierarchy, y[0], {"s": y[1]}, ["lca_f(extension=greedy)"])
        gap = exact.per_instance["s"][:some, 0] - greedy.per_instance["s"][:, 0]
        compare("greedy F", gap)
        slowest(hierarchy, *y)


def random_hierarchies(most_parents, hierarchies=400, instances=50):
    """Greedy against exact on small random trees (one parent) and DAGs."""
    rng = np.random.default_rng(0)
    gaps = []
    for _ in range(hierarchies):
        n = int(rng.integers(6, 40))
        edges = [
            (int(parent), child)
            for child in range(1, n)
            for parent in rng.choice(
                child, min(child, int(rng.integers(1, most_parents + 1))), False
            )
        ]
        hierarchy = Hierarchy.from_edges(edges)
        rows = [
            [rng.choice(n, int(rng.integers(1, 6)), False).tolist() for _ in range(instances)]
            for _ in "tp"
        ]
        y = [LabelSets.from_labels(side, hierarchy) for side in rows]
        exact, greedy = (
            score(hierarchy, y[0], {"s": y[1]}, [measure]).per_instance["s"][:, 0]
            for measure in ("lca_f", "lca_f(extension=greedy)")
        )
        gaps.append(exact - greedy)
    compare(f"random, up to {most_parents} parents: greedy F", np.concatenate(gaps))


def compare(title, gap):
    """Print how often and how far greedy is below and above exact."""
    lower, higher = gap[gap > 1e-12], -gap[gap < -1e-12]
    parts = [
        f"{word} in {len(some) / len(gap):.2%} (mean {_mean(some):.3f}, at most {max(some, default=0):.3f})"
        for word, some in (("lower", lower), ("higher", higher))
    ]
    print(f"  {title} of {len(gap):,}: {', '.join(parts)}")


def _mean(values):
    return float(values.mean()) if len(values) else 0.0


def slowest(hierarchy, truth, prediction):
    """The instance that takes longest on its own."""
    longest = 0.0
    for i in range(min(len(truth), 3000)):
        start = time.process_time()
        extended_graphs(hierarchy, truth.part(i, i + 1), prediction.part(i, i + 1))
        longest = max(longest, time.process_time() - start)
    print(f"  slowest of 3,000 instances on its own: {longest * 1000:.0f} ms")


if __name__ == "__main__":
    main()
