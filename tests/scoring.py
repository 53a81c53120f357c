"""Values of one measure, a small tree, and whether scores add up, for tests."""

import itertools
from itertools import pairwise

import numpy as np

from hierpair import Hierarchy, LabelSets, measure, score
from hierpair.pairing import Pairs


def values(name, hierarchy, y_true, y_pred, **options):
    """Per-instance values of one measure."""
    chosen = measure(name).with_options(**options)
    return score(hierarchy, y_true, {"s": y_pred}, [chosen]).per_instance["s"][:, 0].tolist()


def pooled(name, hierarchy, y_true, y_pred, **options):
    """The pooled value of one measure."""
    chosen = measure(name).with_options(**options)
    return score(hierarchy, y_true, {"s": y_pred}, [chosen]).values[0, 0]


def all_pairs_of(hierarchy, names):
    """Pairs of every true class with every predicted one, and a matrix of a cost's values."""
    rows = [[u] for u in names for _ in names], [[v] for _ in names for v in names]
    sides = [LabelSets.from_labels(side, hierarchy) for side in rows]
    pairs = Pairs.between(hierarchy, sides[0], sides[1])
    keys = list(itertools.product(names, names))
    return lambda cost: dict(zip(keys, np.asarray(cost(pairs)).tolist(), strict=True))


def is_exhaustive(scores, tolerance=1e-6):
    """Whether the scores of the children of every inner class, and of the roots, add up (trees)."""
    h, p = scores.hierarchy, scores.dense()
    if h.shape == "DAG":
        raise ValueError("exhaustive scores are defined on trees and forests, and this is a DAG")
    below = [h.children[a:b] for a, b in pairwise(h.child_ptr)]
    gaps = [p[:, h.root_indices].sum(axis=1) - 1]
    gaps += [p[:, some].sum(axis=1) - p[:, c] for c, some in enumerate(below) if len(some)]
    return bool(np.abs(gaps).max(initial=0) <= tolerance)


SUNLIM_NAMES = ["R", "1", "2", "1.1", "1.2", "2.1", "2.2"]
SUNLIM_TREE = Hierarchy.from_edges(zip("RR1122", SUNLIM_NAMES[1:], strict=True))
