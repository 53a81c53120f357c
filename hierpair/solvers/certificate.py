"""Proof, without the solver, that a flow is feasible and of minimum cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hierpair.solvers.flow_network import Flow, FlowNetwork
from hierpair.solvers.lexicographic import next_cost, potentials

__all__ = ["Certificate", "check"]


@dataclass(frozen=True, eq=False)
class Certificate:
    """What :func:`check` found.

    Attributes
    ----------
    feasible
        Every arc is within its bounds and every node in balance.
    optimal
        Feasible, and the residual network has no negative cycle.
    potentials
        Node potentials y that prove optimality, shape ``(n_nodes,)``: no arc with room has a
        negative reduced cost ``cost + y[tail] - y[head]``, and none with flow above its lower
        bound a positive one. Meaningless unless ``optimal``.
    cost, bound
        Cost of the flow, and the dual bound from the potentials; equal at an optimum.
    reason
        Why the flow fails, or an empty string.
    later
        Of a network with several costs, the same for each later one, in the network that is left
        of it by those before. ``optimal`` says that all are; the other numbers are of the first.
    """

    feasible: bool
    optimal: bool
    potentials: NDArray[np.int64]
    cost: int
    bound: int
    reason: str = ""
    later: tuple[Certificate, ...] = ()


def check(network: FlowNetwork, flow: Flow) -> Certificate:
    """Check a flow against its network by arithmetic alone.

    Feasibility is recomputed from bounds and balances. Optimality is the absence of a negative
    cycle in the residual network (Bellman–Ford on all components at once); the resulting
    potentials give a dual bound that must meet the cost. Of several costs each is checked in the
    network whose flows are the optima of those before it.
    """
    found = [_check(network, flow)]
    while network.later and found[-1].optimal:
        network = next_cost(network, flow, found[-1].potentials)
        found.append(_check(network, flow))
    return replace(
        found[0], optimal=found[-1].optimal, reason=found[-1].reason, later=tuple(found[1:])
    )


def _check(network: FlowNetwork, flow: Flow) -> Certificate:
    """Check a flow with the first cost of its network."""
    f = flow.flow
    cost = int((network.cost.astype(object) * f).sum()) if len(f) else 0
    reason = ""
    if len(flow.infeasible):
        reason = f"component {flow.infeasible[0]} has no flow"
    outside = np.flatnonzero((f < network.lower) | (f > network.upper))
    if not reason and len(outside):
        reason = f"arc {outside[0]} carries {f[outside[0]]}, outside its bounds"
    sent = np.zeros(len(network.supply), dtype=np.int64)
    np.add.at(sent, network.tail, f)
    np.subtract.at(sent, network.head, f)
    unmet = np.flatnonzero(sent != network.supply)
    if not reason and len(unmet):
        reason = f"node {unmet[0]} sends {sent[unmet[0]]} instead of {network.supply[unmet[0]]}"
    y, stable = potentials(network, f)
    reduced = network.cost + y[network.tail] - y[network.head]
    held = np.where(reduced > 0, network.lower, network.upper)
    bound = int((reduced.astype(object) * held).sum()) - int((y.astype(object) * sent).sum())
    feasible = not reason
    if feasible and not stable:
        reason = "the residual network has a negative cycle"
    return Certificate(feasible, feasible and stable, y, cost, bound, reason)
