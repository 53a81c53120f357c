"""Networks in the making: families of arcs, laid out by component, with costs as integers.

Costs are carried exactly where possible, and as finely as the solver can otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.solvers.network import COST_LIMIT, Array, FlowNetwork, Ints

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
    """Integer costs: ``value = integer / scale``."""

    values: list[Ints]
    scale: int
    exact: bool  # no cost was rounded; otherwise each is off by at most 0.5 / scale


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs that were written together, with bounds of each or of all."""

    tail: Ints
    head: Ints
    lower: Ints | int = 0
    upper: Ints | int = 1
    costs: Sequence[Array] = ()  # minimised one after the other; those that are not given are 0


@dataclass(frozen=True, eq=False)
class Layout:
    """A network, and where in it is what was written."""

    network: FlowNetwork
    families: Sequence[Arcs]  # the arcs as they were written
    order: Ints  # of every arc, its place among those of all families, one after the other
    node_order: Ints  # of every node, its number when it was written
    costs: tuple[Scaled, ...]  # of every cost the scale, and what was scaled beside it

    @cached_property
    def _place(self) -> Ints:
        return _inverse(self.order)

    def arcs(self, family: int) -> Ints:
        """Return where the arcs of a family are in the network."""
        first = sum(len(f.tail) for f in self.families[:family])
        return self._place[first : first + len(self.families[family].tail)]

    def column(self, values: Iterable[Any], kind: Any = np.int64) -> Array:
        """Return what every family has for each of its arcs, or for all, over the network's."""
        return _column(self.families, self.order, values, kind)


class NetworkBuilder:
    """Nodes in the making, each of a component; the network holds one component after the other.

    Nodes of a component, and its arcs, stay in the order in which they were written.
    """

    def __init__(self) -> None:
        self.owner: Ints = np.empty(0, dtype=np.int64)
        """Of every node, its component."""
        self._supplies: list[tuple[Ints, Ints]] = []

    def nodes(self, component: Ints) -> Ints:
        """Add a node to each of these components; return the numbers of the nodes."""
        n = len(self.owner)
        self.owner = np.concatenate([self.owner, component])
        return np.arange(n, len(self.owner))

    def supply(self, node: Ints, units: Ints) -> None:
        """Let nodes send so many units more (negative: take)."""
        self._supplies.append((node, units))

    def laid_out(
        self,
        n_components: int,
        families: Sequence[Arcs],
        beside: Sequence[Sequence[Array]] = ((),),
    ) -> Layout:
        """Return the network that families of arcs between the nodes are.

        ``beside`` are for each of the costs arrays of costs that have to be whole with them. If
        the exact integers would be too large for the solver, SolverLimit is raised.
        """
        node_order = np.argsort(self.owner, kind="stable")
        place = _inverse(node_order)
        supply = np.zeros(len(place), dtype=np.int64)
        for node, units in self._supplies:
            np.add.at(supply, place[node], units)
        owner = self.owner[np.concatenate([node_order[:0], *(f.tail for f in families)])]
        ptr, node_ptr = (
            np.append(0, np.cumsum(np.bincount(x, minlength=n_components)))
            for x in (owner, self.owner)
        )
        order, n, scaled = np.argsort(owner, kind="stable"), len(families), []
        columns: list[list[Array | int]] = [
            [place[f.tail] for f in families],
            [place[f.head] for f in families],
            [f.lower for f in families],
            [f.upper for f in families],
        ]
        for k, more in enumerate(beside):
            given = [f.costs[k] if k < len(f.costs) else node_order[:0] for f in families]
            whole = to_integers([*given, *more], nodes=int(np.diff(node_ptr).max(initial=0)))
            scaled.append(whole)
            columns.append([v if len(v) else 0 for v in whole.values[:n]])
        tail, head, lower, upper, cost, *later = (_column(families, order, x) for x in columns)
        network = FlowNetwork(tail, head, lower, upper, cost, supply, ptr, node_ptr, (*later,))
        costs = tuple(Scaled(x.values[n:], x.scale, x.exact) for x in scaled)
        return Layout(network, families, order, node_order, costs)


def _column(families: Sequence[Arcs], order: Ints, values: Iterable[Any], kind: Any = int) -> Array:
    sized = zip(values, families, strict=True)
    given = [np.broadcast_to(np.asarray(x, kind), len(f.tail)) for x, f in sized]
    every: Array = np.concatenate([np.empty(0, kind), *given])[order]
    return every


def _inverse(order: Ints) -> Ints:
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


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
    limit = min(EXACT_LIMIT, (COST_LIMIT - 1) // (nodes + 2))
    if any(p.dtype == object for p in costs):
        exact = [[Fraction(x) for x in p.tolist()] for p in costs]
        scale = math.lcm(*(x.denominator for p in exact for x in p))
        values = [[int(x * scale) for x in p] for p in exact]
        most = max((abs(x) for p in values for x in p), default=0)
        if most > limit:
            raise SolverLimit(
                f"the costs' common denominator {scale} makes integers up to {most}, more than "
                "the solver can carry exactly; use coarser fractions or floats"
            )
        return Scaled([np.array(p, dtype=np.int64) for p in values], scale, exact=True)
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
