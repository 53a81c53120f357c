"""Costs as integers: exactly where possible, as finely as the solver carries otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.solvers.network import COST_LIMIT, Array, Ints

__all__ = ["Scaled", "to_integers"]

LARGEST_SCALED = 2**44
"""Costs that no exact scale fits are scaled up to about this size."""

EXACT_LIMIT = 2**48
"""Exact costs may be this large; blocks of some thousand nodes then stay in range."""

FINEST_EXACT = 20
"""Floats that are multiples of this power of 1/2, or a smaller one, are carried exactly."""

LARGEST_POWER = 900
"""Floats are multiplied by no larger power of two, or it would not be a float."""


@dataclass(frozen=True, eq=False)
class Scaled:
    """Integer costs: ``value = integer / scale``.

    ``exact`` says that no cost was rounded; otherwise each is off by at most ``0.5 / scale``.
    """

    values: list[Ints]
    scale: int
    exact: bool


def to_integers(costs: Sequence[Array], *, nodes: int = 0) -> Scaled:
    """Scale arrays of finite costs (integers, Fractions or floats) together.

    Integers and Fractions are exact (scaled by their least common denominator), and so are
    floats that are multiples of a power of two not below 2**-20. Other floats are multiplied
    by the largest power of two that the solver can carry, and rounded. It carries less where a
    component has many ``nodes``: costs times nodes have to stay below 2**62.

    Raises
    ------
    SolverLimit
        If the exact integers would be too large for the solver.

    Examples
    --------
    >>> scaled = to_integers([np.array([Fraction(1, 3), 2], dtype=object)])
    >>> scaled.values[0].tolist(), scaled.scale, scaled.exact
    ([1, 6], 3, True)
    >>> to_integers([np.array([0.5, 1.25])]).scale
    4
    """
    if any(p.dtype == object for p in costs):
        return _fractions(costs, nodes)
    limit = _limit(nodes)
    floats = [p.astype(np.float64) for p in costs]
    highest = max((float(np.abs(p).max(initial=0.0)) for p in floats), default=0.0)
    for power in range(FINEST_EXACT + 1):
        scale = 2**power
        if highest * scale > limit:
            break
        if all((p * scale == np.rint(p * scale)).all() for p in floats):
            return Scaled([(p * scale).astype(np.int64) for p in floats], scale, exact=True)
    if highest > limit:
        raise SolverLimit(f"a cost of {highest:g} is more than the solver can carry exactly")
    room = min(int(math.log2(LARGEST_SCALED)), int(math.log2(limit)))
    scale = 2 ** min(LARGEST_POWER, room - math.ceil(math.log2(highest)))
    return Scaled([np.rint(p * scale).astype(np.int64) for p in floats], scale, exact=False)


def _limit(nodes: int) -> int:
    """Return how large costs may be in a component of so many nodes."""
    return min(EXACT_LIMIT, (COST_LIMIT - 1) // (nodes + 2))


def _fractions(costs: Sequence[Array], nodes: int) -> Scaled:
    exact = [[Fraction(x) for x in p.tolist()] for p in costs]
    scale = math.lcm(*(x.denominator for p in exact for x in p))
    values = [[int(x * scale) for x in p] for p in exact]
    highest = max((abs(x) for p in values for x in p), default=0)
    if highest > _limit(nodes):
        raise SolverLimit(
            f"the costs' common denominator {scale} makes integers up to {highest}, more than "
            "the solver can carry exactly; use coarser fractions or floats"
        )
    return Scaled([np.array(p, dtype=np.int64) for p in values], scale, exact=True)
