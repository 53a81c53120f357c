"""Proof, without the solver, that a flow is feasible and of minimum cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.solvers.flow import Flow, FlowNetwork

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
    """

    feasible: bool
    optimal: bool
    potentials: NDArray[np.int64]
    cost: int
    bound: int
    reason: str = ""


def check(network: FlowNetwork, flow: Flow) -> Certificate:
    """Check a flow against its network by arithmetic alone.

    Feasibility is recomputed from bounds and balances. Optimality is the absence of a negative
    cycle in the residual network (Bellman–Ford on all components at once); the resulting
    potentials give a dual bound that must meet the cost.
    """
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
    y, stable = _potentials(network, f)
    reduced = network.cost + y[network.tail] - y[network.head]
    held = np.where(reduced > 0, network.lower, network.upper)
    bound = int((reduced.astype(object) * held).sum()) - int((y.astype(object) * sent).sum())
    feasible = not reason
    if feasible and not stable:
        reason = "the residual network has a negative cycle"
    return Certificate(feasible, feasible and stable, y, cost, bound, reason)


def _potentials(network: FlowNetwork, f: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
    """Shortest distances in the residual network from a node linked to all at cost 0."""
    ahead, back = f < network.upper, f > network.lower
    tail = np.concatenate([network.tail[ahead], network.head[back]])
    head = np.concatenate([network.head[ahead], network.tail[back]])
    cost = np.concatenate([network.cost[ahead], -network.cost[back]])
    y = np.zeros(len(network.supply), dtype=np.int64)
    for _ in range(int(np.diff(network.node_ptr).max(initial=0)) + 1):
        before = y.copy()
        np.minimum.at(y, head, y[tail] + cost)
        if (y == before).all():
            return y, True
    return y, False
