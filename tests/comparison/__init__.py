"""Data of the tests: a tree, and systems that have more and more labels wrong."""

import numpy as np

from hierpair import Hierarchy

TREE = Hierarchy.from_edges(
    [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f"), ("c", "g"), ("c", "h")]
)
NAMES = [name for name in TREE.names if name != "r"]


def labels(n, n_systems, *, seed=0, step=0.1, least=0):
    """Truth and systems, of which each has some more of the answers replaced by any labels."""
    rng = np.random.default_rng(seed)

    def rows(fewest):
        return [[*rng.choice(NAMES, rng.integers(fewest, 3), replace=False)] for _ in range(n)]

    def wrong(k):
        pairs = zip(truth, rows(least), strict=True)
        return [other if rng.random() < 0.2 + step * k else of for of, other in pairs]

    truth = rows(1)
    return truth, {f"s{k}": wrong(k) for k in range(n_systems)}
