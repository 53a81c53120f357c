"""Whether scores of classes add up, which no measure asks."""

from itertools import pairwise

import numpy as np


def is_exhaustive(scores, tolerance=1e-6):
    """Whether the scores of the children of every inner class, and of the roots, add up (trees)."""
    h, p = scores.hierarchy, scores.dense()
    if h.shape == "DAG":
        raise ValueError("exhaustive scores are defined on trees and forests, and this is a DAG")
    below = [h.children[a:b] for a, b in pairwise(h.child_ptr)]
    gaps = [p[:, h.root_indices].sum(axis=1) - 1]
    gaps += [p[:, some].sum(axis=1) - p[:, c] for c, some in enumerate(below) if len(some)]
    return bool(np.abs(gaps).max(initial=0) <= tolerance)
