"""Flow networks in integers, and flows through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["COST_LIMIT", "Flow", "FlowNetwork", "Steps"]

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

    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    cost: NDArray[np.int64]
    supply: NDArray[np.int64]
    arc_ptr: NDArray[np.int64]
    node_ptr: NDArray[np.int64]
    later: tuple[NDArray[np.int64], ...] = ()

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.arc_ptr) - 1

    @property
    def component(self) -> NDArray[np.int64]:
        """Of every arc, its component."""
        return np.repeat(np.arange(self.n_components), np.diff(self.arc_ptr))

    def residual(self, flow: NDArray[np.int64]) -> Steps:
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

    arc: NDArray[np.int64]
    sign: NDArray[np.int64]
    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    cost: NDArray[np.int64]


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

    flow: NDArray[np.int64]
    infeasible: NDArray[np.int64]
