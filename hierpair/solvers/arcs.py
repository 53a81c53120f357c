"""Networks in the making: nodes and families of arcs, laid out by component in integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hierpair.solvers.network import Array, FlowNetwork, Ints
from hierpair.solvers.scaling import Scaled, to_integers

__all__ = ["Arcs", "Layout", "NetworkBuilder"]


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs that were written together.

    Attributes
    ----------
    tail, head
        Ends of every arc.
    lower, upper
        Bounds of each, or of all.
    costs
        Costs of each, minimised one after the other; those that are not given are 0.
    """

    tail: Ints
    head: Ints
    lower: Ints | int = 0
    upper: Ints | int = 1
    costs: Sequence[Array] = ()


@dataclass(frozen=True, eq=False)
class Layout:
    """A network, and where in it is what was written.

    Attributes
    ----------
    network, families
        The network, and the families of its arcs.
    order, node_order
        Of every arc of the network, its place among those of all families, one after the other; of
        every node, its number when it was written.
    costs
        Scale and exactness of every cost; the values are what had to be scaled beside it.
    """

    network: FlowNetwork
    families: Sequence[Arcs]
    order: Ints
    node_order: Ints
    costs: tuple[Scaled, ...]

    @cached_property
    def _ptr(self) -> Ints:
        return np.cumsum([0, *(len(f.tail) for f in self.families)])

    @cached_property
    def _place(self) -> Ints:
        return _inverse(self.order)

    def arcs(self, family: int) -> Ints:
        """Return where the arcs of a family are in the network."""
        return self._place[slice(*self._ptr[family : family + 2])]

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

        Parameters
        ----------
        n_components
            How many components there are.
        families
            The arcs.
        beside
            For each of the costs, arrays of costs that have to be whole with them.

        Raises
        ------
        SolverLimit
            If the exact integers would be too large for the solver.
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
        scaled = []
        for k, more in enumerate(beside):
            given = [f.costs[k] if k < len(f.costs) else node_order[:0] for f in families]
            nodes = int(np.diff(node_ptr).max(initial=0))
            scaled.append(to_integers([*given, *more], nodes=nodes))
        order = np.argsort(owner, kind="stable")
        tail, head, lower, upper = (
            _column(families, order, values)
            for values in (
                [place[f.tail] for f in families],
                [place[f.head] for f in families],
                [f.lower for f in families],
                [f.upper for f in families],
            )
        )
        n = len(families)
        cost, *later = (
            _column(families, order, [v if len(v) else 0 for v in x.values[:n]]) for x in scaled
        )
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
