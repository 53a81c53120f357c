"""Prices of pairs along edges: hops, weighted and depth-decayed edges; several in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import DEPTHS, depth_weights, way_weights
from hierpair.hierarchy.arrays import row_numbers
from hierpair.pairing.pairs import Pairs

__all__ = ["NORMALISATIONS", "DecayedEdges", "EdgeWeights", "Hops", "InTurn", "Price"]

Price = Callable[[Pairs], NDArray[Any]]

NORMALISATIONS = ("none", "max-path", "path")
"""What depth-weighted distances are divided by."""


@dataclass(frozen=True)
class Hops:
    """Edges on the shortest way through a common ancestor (Kosmopoulos et al. 2014, eq. 1)."""

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the distances; inf without a common ancestor."""
        return pairs.distance


@dataclass(frozen=True)
class EdgeWeights:
    """Least sum of the hierarchy's edge weights (Kosmopoulos et al. 2014, eq. 1)."""

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the weighted distances; inf without a common ancestor."""
        if pairs.hierarchy.weights is None:
            raise BadInput("price 'weights' needs a hierarchy with edge weights; it has none")
        return pairs.weighted_distance


@dataclass(frozen=True)
class DecayedEdges:
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
        ``"none"``; ``"max-path"``: divided by twice the longest way from a root, so that the
        largest price of a tree is 1; ``"path"``: divided by the ways from a root to both classes,
        so that a pair that only shares a root costs 1 whatever its depths. At most 1 either way.
    """

    w0: float = 0.75
    depth: Literal["min", "max", "mean", "sum"] = "mean"
    normalise: Literal["none", "max-path", "path"] = "none"

    def __post_init__(self) -> None:
        if not isinstance(self.w0, (int, float)) or not 0 < self.w0 <= 1:
            raise BadInput(f"w0 must be in (0, 1], got {self.w0!r}")
        if self.depth not in DEPTHS:
            raise BadInput(
                f"depth must be one of {', '.join(map(repr, DEPTHS))}, got {self.depth!r}"
            )
        if self.normalise not in NORMALISATIONS:
            raise BadInput(
                f"normalise must be one of {', '.join(map(repr, NORMALISATIONS))}, "
                f"got {self.normalise!r}"
            )

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the decayed distances; inf without a common ancestor."""
        hierarchy = pairs.hierarchy
        key = ("decayed", self.w0, self.depth)
        if key not in hierarchy.cache:
            of_class = depth_weights(hierarchy, self.w0, self.depth)
            child = row_numbers(hierarchy.parent_ptr)
            decayed = hierarchy.with_weights(of_class[child])
            hierarchy.cache[key] = decayed, way_weights(hierarchy, of_class)
        decayed, way = hierarchy.cache[key]
        distance = pairs.distance_on(decayed)
        if self.normalise == "none":
            return distance
        longest = (
            np.full(len(distance), 2 * way.max())
            if self.normalise == "max-path"
            else way[pairs.predicted] + way[pairs.true]
        )
        share = np.zeros(len(distance))  # a root and itself: 0
        np.divide(distance, longest, out=share, where=longest > 0)
        return np.where(np.isinf(distance), np.inf, np.minimum(share, 1))


@dataclass(frozen=True)
class InTurn:
    """Several prices, minimised one after the other: a later one decides among equals only.

    The total of the first price is the cost of a pairing. With it a ``Default`` may have a tuple
    of prices; a single one counts in the first turn.

    Parameters
    ----------
    prices
        Vectorised callables like any price; whole numbers, Fractions, or floats that are
        multiples of 2**-20.
    """

    prices: tuple[Price, ...]

    def __post_init__(self) -> None:
        listed = tuple(self.prices) if isinstance(self.prices, (tuple, list)) else ()
        if not listed or not all(map(callable, listed)):
            raise BadInput(f"prices in turn are a tuple of callables, got {shown(self.prices)}")
        object.__setattr__(self, "prices", listed)

    def __call__(self, pairs: Pairs) -> NDArray[Any]:
        """Return the prices, shape ``(n_prices, n_pairs)``."""
        return np.stack([np.asarray(price(pairs)) for price in self.prices])
