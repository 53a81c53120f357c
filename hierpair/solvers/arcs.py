"""Arcs as they are written, family by family, laid out component by component in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.solvers.network import FlowNetwork
from hierpair.solvers.scaling import Scaled, to_integers

__all__ = ["Arcs", "Layout", "laid_out"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs that were written together.

    Attributes
    ----------
    tail, head, owner
        Ends and component of every arc.
    lower, upper
        Bounds of each, or of all.
    costs
        Costs of each, minimised one after the other; those that are not given are 0.
    """

    tail: Ints
    head: Ints
    owner: Ints
    lower: Ints | int = 0
    upper: Ints | int = 1
    costs: tuple[NDArray[Any], ...] = ()


class Layout(NamedTuple):
    """A network of families of arcs.

    Attributes
    ----------
    network
        The network.
    order
        Of every arc of it, its place among those of all families.
    costs
        Scale and exactness of every cost; the values are what had to be scaled beside it.
    """

    network: FlowNetwork
    order: Ints
    costs: tuple[Scaled, ...]

    def column(self, families: Sequence[Arcs], name: str, kind: Any = np.int64) -> NDArray[Any]:
        """Return what the families say of their arcs, over the arcs of the network."""
        return _column(families, self.order, name, kind)


def laid_out(
    families: Sequence[Arcs],
    supply: Ints,
    node_ptr: Ints,
    beside: Sequence[Sequence[NDArray[Any]]] = ((),),
) -> Layout:
    """Return the network that families of arcs are.

    Parameters
    ----------
    families
        The arcs.
    supply, node_ptr
        As in the network.
    beside
        For each of the costs, arrays of costs that have to be whole with them.

    Raises
    ------
    SolverLimit
        If the exact integers would be too large for the solver.
    """
    owner = np.concatenate([np.empty(0, np.int64), *(f.owner for f in families)])
    order = np.argsort(owner, kind="stable")
    nodes, none = int(np.diff(node_ptr).max(initial=0)), np.empty(0)
    costs, scaled = [], []
    for k, more in enumerate(beside):
        given = [f.costs[k] if k < len(f.costs) else none for f in families]
        whole = to_integers([*given, *more], nodes=nodes)
        values = [
            x if len(x) else np.zeros(len(f.owner), dtype=np.int64)
            for x, f in zip(whole.values, families, strict=False)
        ]
        costs.append(np.concatenate([np.empty(0, np.int64), *values])[order])
        scaled.append(Scaled(whole.values[len(families) :], whole.scale, whole.exact))
    tail, head, lower, upper = (
        _column(families, order, name, np.int64) for name in ("tail", "head", "lower", "upper")
    )
    arc_ptr = np.append(0, np.cumsum(np.bincount(owner, minlength=len(node_ptr) - 1)))
    network = FlowNetwork(
        tail, head, lower, upper, costs[0], supply, arc_ptr, node_ptr, tuple(costs[1:])
    )
    return Layout(network, order, tuple(scaled))


def _column(families: Sequence[Arcs], order: Ints, name: str, kind: Any) -> NDArray[Any]:
    given = [(getattr(f, name), len(f.owner)) for f in families if len(f.owner)]
    first = given[0][0] if given else 0
    if all(isinstance(x, int) and x == first for x, _ in given):
        return np.full(len(order), first, dtype=kind)
    column: NDArray[Any] = np.concatenate(
        [np.broadcast_to(np.asarray(x, kind), n) for x, n in given]
    )
    of_network: NDArray[Any] = column[order]
    return of_network
