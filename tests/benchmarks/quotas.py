"""Times of rules with quotas: python -m tests.benchmarks.quotas INSTANCES none|all|side|both."""

import resource
import sys
import time

import numpy as np

from hierpair import Degree, Hierarchy, Hops, LabelSets, Quota, Rule, Unmatched
from hierpair.pairing import Pairs, build, formulate, read
from hierpair.solvers import check, solve

CLASSES = 1000


def label_sets(rng, hierarchy, n):
    """One to four leaves for each of n instances."""
    leaves = np.array(hierarchy.index([f"c{i}" for i in range(CLASSES)]))
    owner = np.repeat(np.arange(n), rng.integers(1, 5, n))
    key = np.unique(owner * len(hierarchy) + rng.choice(leaves, len(owner)))
    ptr = np.searchsorted(key // len(hierarchy), np.arange(n + 1))
    return LabelSets.from_arrays(ptr, (key % len(hierarchy)).astype(np.int32), len(hierarchy))


def main(n, which):
    """Print the CPU seconds of each step."""
    rng = np.random.default_rng(0)
    edges = [("r", f"g{i}") for i in range(30)]
    edges += [(f"g{i % 30}", f"c{i}") for i in range(CLASSES)]
    hierarchy = Hierarchy.from_edges(edges)
    pairs = Pairs.between(hierarchy, *(label_sets(rng, hierarchy, n) for _ in "tp"))
    assert len(pairs.distance) == len(pairs.instance)  # computed before the clock starts
    each = int(1.2 * n / CLASSES)
    sides = [Quota(s, upper=each) for s in ("predicted", "true")]
    said = {"none": [], "all": [Quota(upper=n)], "side": sides[:1], "both": sides}[which]
    labels = [c for s in ("predicted", "true") for c in (Degree(s, 1, 1), Unmatched(s, 3))]
    clock = [time.process_time()]

    def lap(step):
        clock.append(time.process_time())
        print(f"{step} {clock[-1] - clock[-2]:.2f} s", end="; ", flush=True)

    problem = formulate(Rule(Hops(), (*labels, *said)), pairs)
    network, inverse = build(problem)
    lap("write")
    flow = solve(network)
    lap("solve")
    cost = read(network, flow, inverse, problem).cost.sum()
    lap("read")
    assert check(network, flow).optimal
    lap("check")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"cost {cost:g}, {len(pairs.instance)} pairs, {len(network.tail)} arcs, {peak:.2f} GiB")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
