"""Flow networks in integers, and flows through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["COST_LIMIT", "Array", "Bools", "Floats", "Flow", "FlowNetwork", "Ints", "Steps"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Array = NDArray[Any]

COST_LIMIT = 2**62
"""OR-Tools refuses costs with ``max(cost) * nodes`` beyond this."""


@dataclass(frozen=True, eq=False)
class FlowNetwork:
    """A flow network in integers: many independent components, one after the other.

    Attributes
    ----------
    tail, head
        End nodes of the arcs, shape ``(n_arcs,)``.
    lower, upper, cost
        Bounds on the flow of each arc and its cost per unit, shape ``(n_arcs,)``.
    supply
        What each node sends (positive) or takes (negative), shape ``(n_nodes,)``.
    arc_ptr, node_ptr
        Component ``c`` has the arcs ``arc_ptr[c]:arc_ptr[c + 1]`` and likewise the nodes.
    later
        Further costs of the arcs, minimised one after the other: each decides among the optima of
        those before it only.
    """

    tail: Ints
    head: Ints
    lower: Ints
    upper: Ints
    cost: Ints
    supply: Ints
    arc_ptr: Ints
    node_ptr: Ints
    later: tuple[Ints, ...] = ()

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.arc_ptr) - 1

    @property
    def component(self) -> Ints:
        """Of every arc, its component."""
        return np.repeat(np.arange(self.n_components), np.diff(self.arc_ptr))

    def copies(self, components: Ints) -> tuple[FlowNetwork, Ints]:
        """Return a network of some components, again and again, and which arcs these have."""
        nodes, arcs = (np.diff(ptr)[components] for ptr in (self.node_ptr, self.arc_ptr))
        node_ptr, arc_ptr = (np.append(0, np.cumsum(size)) for size in (nodes, arcs))
        shift = node_ptr[:-1] - self.node_ptr[components]
        node, at = (
            np.arange(new[-1]) + np.repeat(old[components] - new[:-1], size)
            for new, old, size in ((node_ptr, self.node_ptr, nodes), (arc_ptr, self.arc_ptr, arcs))
        )
        shift = np.repeat(shift, arcs)
        found = FlowNetwork(
            self.tail[at] + shift, self.head[at] + shift, self.lower[at], self.upper[at],
            self.cost[at], self.supply[node], arc_ptr, node_ptr, tuple(c[at] for c in self.later),
        )  # fmt: skip
        return found, at

    def residual(self, flow: Ints) -> Steps:
        """Return the residual network: by which units a flow may change."""
        more, less = np.flatnonzero(flow < self.upper), np.flatnonzero(flow > self.lower)
        return Steps(
            np.concatenate([more, less]),
            np.repeat([1, -1], [len(more), len(less)]),
            np.concatenate([self.tail[more], self.head[less]]),
            np.concatenate([self.head[more], self.tail[less]]),
            np.concatenate([self.cost[more], -self.cost[less]]),
        )


class Steps(NamedTuple):
    """Units that a flow may take more (sign 1) or less (-1) on arcs, from tail to head."""

    arc: Ints
    sign: Ints
    tail: Ints
    head: Ints
    cost: Ints


@dataclass(frozen=True, eq=False)
class Flow:
    """An optimal flow.

    Attributes
    ----------
    flow
        Units on each arc, shape ``(n_arcs,)``.
    infeasible
        Components that have no feasible flow (their arcs carry 0), ascending.
    """

    flow: Ints
    infeasible: Ints
