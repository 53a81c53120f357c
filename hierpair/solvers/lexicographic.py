"""Costs that are minimised one after the other: as one number, or among optima of those before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hierpair.solvers.flow_network import COST_LIMIT, Flow, FlowNetwork

__all__ = ["combined", "next_cost", "node_potentials", "potentials", "weighted"]

COMBINED_LIMIT = 2**48
"""Several costs are minimised as one number where it is no larger; otherwise one by one."""


def combined(network: FlowNetwork) -> FlowNetwork | None:
    """Return the network with one cost that orders like all; None where it would be too large.

    A unit of a cost weighs more than all later costs of its component can differ by, which is
    Σ |cost| · (upper - lower) over all arcs of the network, times their weights.
    """
    found = weighted(network)
    return None if found is None else found[0]


def weighted(
    network: FlowNetwork, *, spare: int = 1
) -> tuple[FlowNetwork, NDArray[np.int64]] | None:
    """Return :func:`combined`, and what a unit of every cost weighs in every component.

    It weighs more than ``spare`` times all that later costs can differ by; with 2, what a cycle
    costs is told apart into the first cost, by rounding, and the rest.
    """
    n = network.n_components
    component = np.repeat(np.arange(n), np.diff(network.arc_ptr))
    room = (network.upper - network.lower).astype(np.float64)
    later, largest, weights = np.zeros(n), np.zeros(n), []
    costs = (network.cost, *network.later)
    nodes = int(np.diff(network.node_ptr).max(initial=0))
    most_allowed = min(COMBINED_LIMIT, (COST_LIMIT - 1) // (nodes + 2))
    for cost in reversed(costs):
        weight = spare * later + 1
        size = np.abs(cost).astype(np.float64)
        most = np.zeros(n)
        np.maximum.at(most, component, size)
        largest += weight * most
        later = later + weight * np.bincount(component, size * room, n)
        weights.append(weight)
        if np.maximum(weight, largest).max(initial=0.0) > most_allowed:
            return None
    cost = np.zeros(len(component), dtype=np.int64)
    for weight, of_one in zip(weights, reversed(costs), strict=True):
        cost += weight.astype(np.int64)[component] * of_one
    whole = np.array(weights[::-1], dtype=np.int64)
    return replace(network, cost=cost, later=()), whole


def next_cost(network: FlowNetwork, flow: Flow, y: NDArray[np.int64] | None = None) -> FlowNetwork:
    """Return a network with the next cost whose flows are the optima of this one's first cost.

    An arc whose reduced cost is positive is held at its lower bound, a negative one at its upper
    bound: by complementary slackness that is what all optima, and nothing but optima, do.
    ``y`` are potentials that prove the flow optimal, if they are known.
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


def potentials(network: FlowNetwork, f: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
    """Shortest distances in the residual network from a node linked to all at cost 0."""
    ahead, back = f < network.upper, f > network.lower
    tail = np.concatenate([network.tail[ahead], network.head[back]])
    head = np.concatenate([network.head[ahead], network.tail[back]])
    cost = np.concatenate([network.cost[ahead], -network.cost[back]])
    return node_potentials(tail, head, cost, network.node_ptr)


def node_potentials(
    tail: NDArray[np.int64],
    head: NDArray[np.int64],
    cost: NDArray[np.int64],
    node_ptr: NDArray[np.int64],
) -> tuple[NDArray[np.int64], bool]:
    """Return shortest distances from a node linked to all at cost 0, and whether they are final.

    They are not where a cycle has a negative cost.
    """
    y = np.zeros(int(node_ptr[-1]), dtype=np.int64)
    for _ in range(int(np.diff(node_ptr).max(initial=0)) + 1):
        before = y.copy()
        np.minimum.at(y, head, y[tail] + cost)
        if (y == before).all():
            return y, True
    return y, False
