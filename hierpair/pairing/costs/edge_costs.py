"""Costs of pairs by edges and ancestors: hops, weights, decay with depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import (
    DEPTHS,
    Hierarchy,
    ancestor_closure,
    common_ancestor_sums,
    depth_weights,
    grown_weights,
    way_weights,
)
from hierpair.hierarchy.arrays import ratio, row_numbers
from hierpair.pairing.costs.named_costs import named_cost
from hierpair.pairing.pairs import Pairs

__all__ = [
    "NORMALISATIONS",
    "AncestorDifference",
    "DecayedEdges",
    "EdgeWeights",
    "Hops",
]

NORMALISATIONS = ("none", "max-path", "path")
"""What depth-weighted distances are divided by."""


@named_cost("hops")
@dataclass(frozen=True)
class Hops:
    """Edges on the shortest path through a common ancestor (Kosmopoulos et al. 2014, eq. 1)."""

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the distances; inf without a common ancestor."""
        return pairs.distance

    def edge_lengths(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        """Return the length of every edge, in the order of ``parents``."""
        return np.ones(len(hierarchy.parents))


@named_cost("weights")
@dataclass(frozen=True)
class EdgeWeights:
    """Least sum of the hierarchy's edge weights (Kosmopoulos et al. 2014, eq. 1)."""

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the weighted distances; inf without a common ancestor."""
        self.edge_lengths(pairs.hierarchy)
        return pairs.weighted_distance

    def edge_lengths(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        """Return the weight of every edge, in the order of ``parents``."""
        if hierarchy.weights is None and len(hierarchy.parents):
            raise BadInput("cost 'weights' needs a hierarchy with edge weights; it has none")
        return np.empty(0) if hierarchy.weights is None else hierarchy.weights


@dataclass(frozen=True)
class _ByDepth:
    """What classes weigh by their depth, and what distances are divided by."""

    w0: float = 0.75
    depth: Literal["min", "max", "mean", "sum"] = "mean"
    normalise: Literal["none", "max-path", "path"] = "none"

    def __post_init__(self) -> None:
        if not isinstance(self.w0, (int, float)) or not 0 < self.w0 <= 1:
            raise BadInput(f"w0 must be in (0, 1], got {self.w0!r}")
        for option, known in (("depth", DEPTHS), ("normalise", NORMALISATIONS)):
            given = getattr(self, option)
            if given not in known:
                raise BadInput(
                    f"{option} must be one of {', '.join(map(repr, known))}, got {given!r}"
                )


@named_cost("decayed")
@dataclass(frozen=True)
class DecayedEdges(_ByDepth):
    """Edges weigh ``w0 ** depth`` of their child, so that errors near the top cost more.

    Blockeel et al. 2002; Holden & Freitas 2006 (Costa et al. 2007, "Depth-dependent
    measures").

    Parameters
    ----------
    w0
        Weight of one level, in (0, 1].
    depth
        Of a class with several parents: by its fewest (``"min"``) or its most edges (``"max"``)
        from a root, or w0 times the mean (``"mean"``) or the sum (``"sum"``) of the weights of
        its parents.
    normalise
        ``"none"``; ``"max-path"``: divided by twice the longest path from a root, so that the
        largest cost of a tree is 1; ``"path"``: divided by the paths from a root to both classes,
        so that a pair that only shares a root costs 1 whatever its depths. At most 1 either way.
    """

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the decayed distances; inf without a common ancestor."""
        hierarchy = pairs.hierarchy
        key = ("decayed", self.w0, self.depth)

        def made() -> tuple[Hierarchy, NDArray[np.float64]]:
            decayed = hierarchy.with_weights(self._lengths(hierarchy))
            return decayed, way_weights(hierarchy, depth_weights(hierarchy, self.w0, self.depth))

        decayed, way = hierarchy.cached(key, made)
        return _normalised(pairs.distance_on(decayed), way, self.normalise, pairs)

    def edge_lengths(self, hierarchy: Hierarchy) -> NDArray[np.float64] | None:
        """Return the weight of every edge; None where costs are relative to paths."""
        return self._lengths(hierarchy) if self.normalise == "none" else None

    def _lengths(self, hierarchy: Hierarchy) -> NDArray[np.float64]:
        of_class = depth_weights(hierarchy, self.w0, self.depth)
        return of_class[row_numbers(hierarchy.parent_ptr)]


@named_cost("ancestors")
@dataclass(frozen=True)
class AncestorDifference(_ByDepth):
    """Weights of the ancestors, each class being its own, that only one of two classes has.

    Of two classes in a tree it is :class:`DecayedEdges`; in a DAG, where ways up differ, it looks
    at all ancestors, as ``depth_loss`` does (Blockeel et al. 2002). A single parentless class
    does not count. With ``w0=1`` it is the number of these classes.

    Parameters
    ----------
    w0, depth
        As for :class:`DecayedEdges`: what a class weighs.
    normalise
        ``"none"``; ``"max-path"``: divided by twice the heaviest class with its ancestors;
        ``"path"``: divided by the weights of both classes with their ancestors.
    """

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the weights; finite without a common ancestor too."""
        hierarchy = pairs.hierarchy
        u, v = pairs.predicted, pairs.true
        weight = depth_weights(hierarchy, self.w0, self.depth)
        whole = grown_weights(hierarchy, self.w0, self.depth, "include")
        closure = ancestor_closure(hierarchy, pairs.in_use)
        # a single root is an ancestor of both, so it does not matter whether it counts here
        shared = common_ancestor_sums(closure, u, v, weight)
        differ = np.maximum(whole[u] + whole[v] - 2 * shared, 0)
        differ[u == v] = 0  # to the last bit
        way = grown_weights(hierarchy, self.w0, self.depth, "exclude")
        return _normalised(differ, way, self.normalise, pairs)


def _normalised(
    distance: NDArray[np.float64], way: NDArray[np.float64], normalise: str, pairs: Pairs
) -> NDArray[np.float64]:
    """Return distances as a share of twice the longest path, or of the paths to both classes."""
    if normalise == "none":
        return distance
    longest = (
        np.full(len(distance), 2 * way.max())
        if normalise == "max-path"
        else way[pairs.predicted] + way[pairs.true]
    )
    share = ratio(distance, longest, 0)  # of a root and itself 0
    return np.where(np.isinf(distance), np.inf, np.minimum(share, 1))
