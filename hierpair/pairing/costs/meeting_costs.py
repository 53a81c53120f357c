"""Costs by where two classes meet: how high it is, or how far above the true class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure, highest_common_ancestors
from hierpair.pairing.costs.named_costs import named_cost
from hierpair.pairing.costs.similarities import ByCounts, shared_content
from hierpair.pairing.pairs import Pairs

__all__ = ["Climb", "Height"]


@named_cost("height")
@dataclass(frozen=True)
class Height:
    """Least height of a common ancestor (Deng et al. 2010; Bertinetto et al. 2020).

    The height of a class is the longest way down to a class without children, in edges. A class
    with itself costs 0. In a tree it is an ultrametric; in a DAG it need not be one. It is not a
    number of edges between the classes: that is ``hops``.

    Parameters
    ----------
    normalise
        ``"none"``, or ``"root"``: divided by the greatest height of the hierarchy.
    """

    normalise: Literal["none", "root"] = "none"

    def __post_init__(self) -> None:
        if self.normalise not in ("none", "root"):
            raise BadInput(f"normalise must be 'none' or 'root', got {self.normalise!r}")

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the heights; inf without a common ancestor."""
        hierarchy = pairs.hierarchy
        lowness = hierarchy.cached("lowness", lambda: -hierarchy.heights.astype(np.float64))
        closure = ancestor_closure(hierarchy, pairs.in_use)
        lowest = highest_common_ancestors(closure, pairs.predicted, pairs.true, lowness)
        height = np.where(lowest >= 0, hierarchy.heights[lowest], np.inf)
        height[pairs.predicted == pairs.true] = 0
        return height / self.unit(hierarchy)

    def unit(self, hierarchy: Hierarchy) -> float:
        """Return what heights are divided by."""
        return max(1.0, float(hierarchy.heights.max())) if self.normalise == "root" else 1.0


@named_cost("climb")
@dataclass(frozen=True)
class Climb(ByCounts):
    """How far above the true class the two classes meet: what the answer leaves open.

    By default in levels, depth(true) - depth(a), where a is their deepest common ancestor and the
    depth of a class its longest way from a root; with ``by="information"`` IC(true) - IC(a), as
    in LCA-on-the-line (Shi et al. 2024), where a is the common ancestor with the largest IC. A
    prediction below the true class costs 0, so it is no distance.

    Parameters
    ----------
    counts, smooth
        With ``by="information"``, as for :class:`Lin`.
    by
        ``"depth"`` or ``"information"``.
    """

    by: Literal["depth", "information"] = "depth"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by not in ("depth", "information"):
            raise BadInput(f"by must be 'depth' or 'information', got {self.by!r}")
        if self.by == "depth" and (self.counts is not None or self.smooth):
            raise BadInput("counts and smooth are for by='information'")

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the differences; inf without a common ancestor."""
        hierarchy = pairs.hierarchy
        if self.by == "information":
            content, shared = shared_content(pairs, self.counts, self.smooth)
            above = np.where(shared >= 0, shared, -np.inf)
            return np.maximum(content[pairs.true] - above, 0)
        depth = hierarchy.cached("depth of levels", lambda: hierarchy.levels.astype(np.float64))
        closure = ancestor_closure(hierarchy, pairs.in_use)
        deepest = highest_common_ancestors(closure, pairs.predicted, pairs.true, depth)
        return np.where(deepest >= 0, depth[pairs.true] - depth[deepest], np.inf)
