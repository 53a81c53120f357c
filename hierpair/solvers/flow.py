"""Minimum-cost flow on block-diagonal integer networks, solved by OR-Tools in blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.solvers.flow_network import COST_LIMIT, Flow, FlowNetwork
from hierpair.solvers.lexicographic import combined, next_cost

__all__ = ["shortage", "solve"]

BLOCK_ARCS = 5_000
"""Arcs handed to OR-Tools in one call; 2,000 to 20,000 are about equally fast."""


def solve(network: FlowNetwork, *, block_arcs: int | None = None) -> Flow:
    """Return a minimum-cost flow; of several costs each is minimised after those before it.

    Several costs are one number that orders like them, or where that would be too large are
    minimised one after the other. Lower bounds are moved into the supplies, arcs that this leaves
    without freedom are dropped, and whole components are solved together in blocks of about
    ``block_arcs`` arcs (by default ``BLOCK_ARCS``).

    Raises
    ------
    SolverLimit
        For costs beyond what OR-Tools can carry, or if it gives up.
    """
    block_arcs = BLOCK_ARCS if block_arcs is None else block_arcs
    if network.later:
        one = combined(network)
        return _solve_lexicographic(network, block_arcs) if one is None else _solve(one, block_arcs)
    return _solve(network, block_arcs)


def _solve_lexicographic(network: FlowNetwork, block_arcs: int) -> Flow:
    """Minimise one cost after the other, each among the optima of those before."""
    first = flow = _solve(network, block_arcs)
    now = _without(network, first.infeasible)
    while now.later:
        now = next_cost(now, flow)
        flow = _solve(now, block_arcs)
    return Flow(flow.flow, first.infeasible)


def _without(network: FlowNetwork, components: NDArray[np.int64]) -> FlowNetwork:
    """Return the network with nothing to do in some components."""
    lower, upper, supply = network.lower.copy(), network.upper.copy(), network.supply.copy()
    for c in components.tolist():
        arcs = slice(*network.arc_ptr[c : c + 2].tolist())
        lower[arcs] = upper[arcs] = 0
        supply[slice(*network.node_ptr[c : c + 2].tolist())] = 0
    return replace(network, lower=lower, upper=upper, supply=supply)


def _solve(network: FlowNetwork, block_arcs: int) -> Flow:
    flow = network.lower.copy()
    supply = network.supply.copy()
    held = np.flatnonzero(network.lower)
    np.subtract.at(supply, network.tail[held], network.lower[held])
    np.add.at(supply, network.head[held], network.lower[held])
    free = np.flatnonzero(network.upper > network.lower)
    all_free = len(free) == len(flow)
    start = network.arc_ptr if all_free else np.searchsorted(free, network.arc_ptr)
    stuck: list[NDArray[np.int64]] = []
    idle = np.flatnonzero((np.diff(start) == 0) & (np.diff(network.node_ptr) > 0))
    stuck.append(idle[_any_unmet(supply, network.node_ptr, idle)])
    first = 0
    while first < network.n_components:
        last = int(np.searchsorted(start, start[first] + block_arcs, side="left"))
        few = int(network.node_ptr[first]) + 2 * block_arcs
        last = min(last, int(np.searchsorted(network.node_ptr, few, side="left")))
        last = min(max(last, first + 1), network.n_components)
        part = free[start[first] : start[last]]
        if len(part) and not _solve_block(network, supply, flow, part, first, last):
            stuck.append(_solve_one_by_one(network, supply, flow, free, start, first, last))
        first = last
    infeasible = np.unique(np.concatenate(stuck))
    for c in infeasible:
        flow[network.arc_ptr[c] : network.arc_ptr[c + 1]] = 0
    return Flow(flow, infeasible)


def shortage(network: FlowNetwork) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the flow through one component that misses as few units of lower bounds as can be.

    Every lower bound becomes a wish with a reward; what stays unfulfilled in an optimum is a
    smallest shortage. The second array holds it, shape ``(n_arcs,)``; upper bounds hold.
    """
    lower, n = network.lower, len(network.lower)
    soft = FlowNetwork(
        tail=np.tile(network.tail, 2),
        head=np.tile(network.head, 2),
        lower=np.zeros(2 * n, np.int64),
        upper=np.concatenate([lower, network.upper - lower]),
        cost=np.repeat(np.array([-1, 0]), n),
        supply=network.supply,
        arc_ptr=np.array([0, 2 * n]),
        node_ptr=np.array([0, len(network.supply)]),
    )
    met = solve(soft).flow
    flow: NDArray[np.int64] = met[:n] + met[n:]
    return flow, lower - met[:n]


def _any_unmet(
    supply: NDArray[np.int64], node_ptr: NDArray[np.int64], components: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether some node of a component still has to send or take."""
    running = np.concatenate([[0], np.cumsum(supply != 0)])
    unmet: NDArray[np.bool_] = running[node_ptr[components + 1]] > running[node_ptr[components]]
    return unmet


def _solve_one_by_one(
    network: FlowNetwork,
    supply: NDArray[np.int64],
    flow: NDArray[np.int64],
    free: NDArray[np.int64],
    start: NDArray[np.int64],
    first: int,
    last: int,
) -> NDArray[np.int64]:
    """Solve the components of an infeasible block singly and return those without a flow."""
    failed = [
        c
        for c in range(first, last)
        if start[c + 1] > start[c]
        and not _solve_block(network, supply, flow, free[start[c] : start[c + 1]], c, c + 1)
    ]
    return np.array(failed, dtype=np.int64)


def _solve_block(
    network: FlowNetwork,
    supply: NDArray[np.int64],
    flow: NDArray[np.int64],
    arcs: NDArray[np.int64],
    first: int,
    last: int,
) -> bool:
    """Add the optimal flow of components ``first … last - 1``; False if there is none."""
    lo, hi = int(network.node_ptr[first]), int(network.node_ptr[last])
    cost = network.cost[arcs]
    if int(np.abs(cost).max(initial=0)) * (hi - lo + 1) >= COST_LIMIT:
        raise SolverLimit(
            f"costs up to {int(np.abs(cost).max())} on {hi - lo} nodes are more than the "
            "solver can carry exactly; use smaller or coarser costs"
        )
    solver = _new_solver()
    numbers = solver.add_arcs_with_capacity_and_unit_cost(
        (network.tail[arcs] - lo).astype(np.int32),
        (network.head[arcs] - lo).astype(np.int32),
        network.upper[arcs] - network.lower[arcs],
        cost,
    )
    solver.set_nodes_supplies(np.arange(hi - lo, dtype=np.int32), supply[lo:hi])
    status = solver.solve()
    if status == solver.OPTIMAL:
        flow[arcs] += solver.flows(numbers)
        return True
    if status in (solver.INFEASIBLE, solver.UNBALANCED):
        return False
    raise SolverLimit(f"OR-Tools gave up on a flow network: {status}")


def _new_solver() -> Any:
    from ortools.graph.python import min_cost_flow

    return min_cost_flow.SimpleMinCostFlow()
