"""Flow networks in integers, flows through them, and costs that are minimised one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Array = NDArray[Any]

COST_LIMIT = 2**62
"""OR-Tools refuses costs with ``max(cost) * nodes`` beyond this."""

COMBINED_LIMIT = 2**48
"""Several costs are minimised as one number where it is no larger; otherwise one by one."""


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
        found = []
        for old in (self.node_ptr, self.arc_ptr):
            size = np.diff(old)[components]
            new = np.append(0, np.cumsum(size))
            found += [new, np.arange(new[-1]) + np.repeat(old[components] - new[:-1], size)]
        node_ptr, node, arc_ptr, at = found
        shift = np.repeat(node_ptr[:-1] - self.node_ptr[components], np.diff(arc_ptr))
        copies = FlowNetwork(
            self.tail[at] + shift, self.head[at] + shift, self.lower[at], self.upper[at],
            self.cost[at], self.supply[node], arc_ptr, node_ptr, tuple(c[at] for c in self.later),
        )  # fmt: skip
        return copies, at

    def residual(self, flow: Ints) -> Steps:
        """Return the residual network: by which units a flow may change."""
        more, less = np.flatnonzero(flow < self.upper), np.flatnonzero(flow > self.lower)
        return Steps(
            np.concatenate([more, less]),
            np.concatenate([self.tail[more], self.head[less]]),
            np.concatenate([self.head[more], self.tail[less]]),
            np.concatenate([self.cost[more], -self.cost[less]]),
        )


class Steps(NamedTuple):
    """Units that a flow may take more or less on arcs, from tail to head."""

    arc: Ints
    tail: Ints
    head: Ints
    cost: Ints


@dataclass(frozen=True, eq=False)
class Flow:
    """An optimal flow."""

    flow: Ints  # units on each arc
    infeasible: Ints  # components without a feasible flow (their arcs carry 0), ascending


def weighted(network: FlowNetwork, *, spare: int = 1) -> tuple[FlowNetwork, Ints] | None:
    """Return the network with one cost that orders like all, and what a unit of every cost weighs.

    A unit weighs more than ``spare`` times all that later costs of its component can differ by,
    which is Σ abs(cost) · (upper - lower) over its arcs, times their weights; with 2, what a cycle
    costs is told apart into the first cost, by rounding, and the rest. Weights are by cost and
    component. None where the numbers would be too large.
    """
    component, n = network.component, network.n_components
    room = (network.upper - network.lower).astype(np.float64)
    differ, largest, weights = np.zeros(n), np.zeros(n), []
    costs = (network.cost, *network.later)
    nodes = int(np.diff(network.node_ptr).max(initial=0))
    most_allowed = min(COMBINED_LIMIT, (COST_LIMIT - 1) // (nodes + 2))
    total = np.zeros(len(component), dtype=np.int64)
    for cost in reversed(costs):
        weight, size, most = spare * differ + 1, np.abs(cost).astype(np.float64), np.zeros(n)
        np.maximum.at(most, component, size)
        largest += weight * most
        if np.maximum(weight, largest).max(initial=0.0) > most_allowed:
            return None
        differ = differ + weight * np.bincount(component, size * room, n)
        weights.append(weight.astype(np.int64))
        total += weights[-1][component] * cost
    return replace(network, cost=total, later=()), np.array(weights[::-1])


def next_cost(network: FlowNetwork, flow: Flow, y: Ints | None = None) -> FlowNetwork:
    """Return a network with the next cost whose flows are the optima of this one's first cost.

    They hold arcs of positive reduced cost at the lower bound and of negative at the upper one.
    """
    if y is None:
        y, _ = potentials(network, flow.flow)
    reduced = network.cost + y[network.tail] - y[network.head]
    return replace(
        network,
        lower=np.where(reduced < 0, network.upper, network.lower),
        upper=np.where(reduced > 0, network.lower, network.upper),
        cost=network.later[0],
        later=network.later[1:],
    )


def potentials(network: FlowNetwork, flow: Ints) -> tuple[Ints, bool]:
    """Return shortest distances in the residual network from a node linked to all at cost 0.

    And whether no cycle has a negative cost (Bellman–Ford on all components at once).
    """
    steps = network.residual(flow)
    y = np.zeros(len(network.supply), dtype=np.int64)
    for _ in range(int(np.diff(network.node_ptr).max(initial=0)) + 1):
        before = y.copy()
        np.minimum.at(y, steps.head, y[steps.tail] + steps.cost)
        if (y == before).all():
            return y, True
    return y, False
