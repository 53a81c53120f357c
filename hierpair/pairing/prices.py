"""Prices of pairs: hops, weighted and depth-decayed edges, similarity, a user's matrix."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.hierarchy.arrays import row_numbers
from hierpair.pairing.pairs import Pairs

__all__ = [
    "CosineDistance",
    "DecayedEdges",
    "EdgeWeights",
    "Hops",
    "InTurn",
    "PriceMatrix",
    "price_named",
    "price_text",
]

Price = Callable[[Pairs], NDArray[Any]]


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
    measures"). In a DAG the depth of a class is its fewest or its most edges from a root.

    Parameters
    ----------
    w0
        Weight of one level, in (0, 1].
    depth
        ``"min"`` or ``"max"``.
    """

    w0: float = 0.75
    depth: Literal["min", "max"] = "min"

    def __post_init__(self) -> None:
        if not isinstance(self.w0, (int, float)) or not 0 < self.w0 <= 1:
            raise BadInput(f"w0 must be in (0, 1], got {self.w0!r}")
        if self.depth not in ("min", "max"):
            raise BadInput(f"depth must be 'min' or 'max', got {self.depth!r}")

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return the decayed distances; inf without a common ancestor."""
        hierarchy = pairs.hierarchy
        if self not in hierarchy.cache:
            levels = hierarchy.depths if self.depth == "min" else hierarchy.levels
            child = row_numbers(hierarchy.parent_ptr)
            weights = self.w0 ** levels[child].astype(np.float64)
            hierarchy.cache[self] = hierarchy.with_weights(weights)
        return pairs.distance_on(hierarchy.cache[self])


@dataclass(frozen=True, eq=False)
class CosineDistance:
    """1 - cosine similarity of class vectors (Sun & Lim 2001); a zero vector is like nothing.

    Parameters
    ----------
    vectors
        One row per class in the order of ``hierarchy.names``; dense or scipy sparse.
    """

    vectors: Any

    def __call__(self, pairs: Pairs) -> NDArray[np.float64]:
        """Return 1 - similarity, in [0, 2]."""
        rows = sp.csr_array(self.vectors, dtype=np.float64)
        if rows.shape[0] != len(pairs.hierarchy):
            raise BadInput(
                f"expected one vector per class ({len(pairs.hierarchy)}), got {rows.shape[0]}"
            )
        if not np.isfinite(rows.data).all():
            raise BadInput("class vectors must be finite")
        norm = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        dot = np.asarray(rows[pairs.predicted].multiply(rows[pairs.true]).sum(axis=1)).ravel()
        both = norm[pairs.predicted] * norm[pairs.true]
        similarity = np.divide(dot, both, out=np.zeros_like(dot), where=both > 0)
        distance: NDArray[np.float64] = 1 - np.clip(similarity, -1, 1)
        return distance


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


@dataclass(frozen=True, eq=False)
class PriceMatrix:
    """A user's prices: ``prices[true, predicted]``, in the order of ``hierarchy.names``."""

    prices: Any

    def __call__(self, pairs: Pairs) -> NDArray[Any]:
        """Look the prices up; what a sparse matrix does not hold costs 0."""
        matrix = self.prices if sp.issparse(self.prices) else np.asarray(self.prices)
        n = len(pairs.hierarchy)
        if matrix.shape != (n, n):
            raise BadInput(f"expected a {n} × {n} price matrix, got shape {matrix.shape}")
        if sp.issparse(matrix):
            picked = sp.csr_array(matrix)[pairs.true, pairs.predicted]
            return np.asarray(picked.todense() if sp.issparse(picked) else picked).ravel()
        found: NDArray[Any] = matrix[pairs.true, pairs.predicted]
        return found


NAMED: dict[str, Callable[..., Price]] = {
    "hops": Hops,
    "weights": EdgeWeights,
    "decayed": DecayedEdges,
}
"""Prices that a measure's name can spell, such as ``gie(price="decayed(w0=0.5)")``."""


def price_text(price: str | Price) -> str | Price:
    """Return the complete text of a named price; a callable passes through.

    >>> price_text("decayed")
    "decayed(w0=0.75,depth='min')"
    """
    if not isinstance(price, str):
        return price
    options = vars(price_named(price))
    listed = ",".join(f"{k}={v!r}" for k, v in options.items())
    name = price.partition("(")[0]
    return f"{name}({listed})" if listed else name


def price_named(price: str | Price) -> Price:
    """Return the price that a text names; a callable passes through.

    >>> price_named("decayed(w0=0.5)")
    DecayedEdges(w0=0.5, depth='min')
    """
    if not isinstance(price, str):
        return price
    name, _, rest = price.partition("(")
    if name not in NAMED:
        raise BadInput(
            f"unknown price {price!r}; it is one of {', '.join(NAMED)}, or a callable"
            f"{did_you_mean(name, NAMED)}"
        )
    if not rest:
        return NAMED[name]()
    try:
        call = ast.parse(price, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError("write it like decayed(w0=0.5)")
        options = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
        return NAMED[name](*[ast.literal_eval(a) for a in call.args], **options)
    except BadInput:
        raise
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        raise BadInput(
            f"cannot read the price {shown(price)}; write it like {price_text(name)}"
        ) from None
