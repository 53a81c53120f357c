"""Costs that are minimised one after the other: as one number, or among optima of those before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hierpair.solvers.network import COST_LIMIT, Flow, FlowNetwork, Ints

__all__ = ["next_cost", "potentials", "weighted"]

COMBINED_LIMIT = 2**48
"""Several costs are minimised as one number where it is no larger; otherwise one by one."""


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


def potentials(network: FlowNetwork, flow: Ints) -> tuple[Ints, bool]:
    """Return shortest distances in the residual network from a node linked to all at cost 0.

    And whether they are final: they are not where a cycle has a negative cost (Bellman–Ford on all
    components at once).
    """
    steps = network.residual(flow)
    y = np.zeros(len(network.supply), dtype=np.int64)
    for _ in range(int(np.diff(network.node_ptr).max(initial=0)) + 1):
        before = y.copy()
        np.minimum.at(y, steps.head, y[steps.tail] + steps.cost)
        if (y == before).all():
            return y, True
    return y, False
