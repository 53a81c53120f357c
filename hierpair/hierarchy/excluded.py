"""Which classes count in augmented sets: "any class" does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.graph import Hierarchy

__all__ = ["excluded_classes"]


def excluded_classes(hierarchy: Hierarchy, root: Any) -> NDArray[np.int64]:
    """Return the numbers of the classes that stand for "any class" and do not count.

    ``"exclude"``: a single parentless class; ``"include"``: none; otherwise the class named.
    """
    if root == "include":
        return np.empty(0, dtype=np.int64)
    if root == "exclude":
        single = len(hierarchy.root_indices) == 1
        return hierarchy.root_indices if single else np.empty(0, dtype=np.int64)
    return hierarchy.index([root]).astype(np.int64)
