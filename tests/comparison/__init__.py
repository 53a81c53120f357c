"""Data of the tests: a tree, and systems that have more and more labels wrong."""

import numpy as np

from hierpair import Hierarchy
from hierpair.evaluation import partial

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f"), ("c", "g"), ("c", "h")]
)
NAMES = [name for name in TREE.names if name != "r"]


def labels(n, n_systems, *, seed=0, step=0.1, least=0, names=NAMES):
    """Truth and systems, of which each has some more of the answers replaced by any labels."""
    rng = np.random.default_rng(seed)

    def rows(fewest):
        return [[*rng.choice(names, rng.integers(fewest, 3), replace=False)] for _ in range(n)]

    def wrong(k):
        pairs = zip(truth, rows(least), strict=True)
        return [other if rng.random() < 0.2 + step * k else of for of, other in pairs]

    truth = rows(1)
    return truth, {f"s{k}": wrong(k) for k in range(n_systems)}


def some_of(rows, some, ids=None):
    """Some instances by their ids."""
    return {ids[i] if ids else f"i{i}": rows[i] for i in some}


def part_of(truth, systems, measures, some, *, ids=None, **how):
    """A partial of some instances."""
    sides = {s: some_of(rows, some, ids) for s, rows in systems.items()}
    return partial(TREE, some_of(truth, some, ids), sides, measures, **how)
