"""Minimum-cost flow on block-diagonal integer networks, solved by OR-Tools in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.solvers.network import Flow, FlowNetwork, Ints, next_cost, weighted

BLOCK_ARCS = 5_000
"""Arcs handed to OR-Tools in one call; 2,000 to 20,000 are about equally fast."""


def solve(network: FlowNetwork) -> Flow:
    """Return a minimum-cost flow; of several costs each is minimised after those before it.

    Several costs are one number that orders like them, or where that would be too large are
    minimised one after the other. Lower bounds are moved into the supplies, arcs that this leaves
    without freedom are dropped, and whole components are solved together in blocks of about
    ``BLOCK_ARCS`` arcs.

    Raises
    ------
    SolverLimit
        For costs beyond what OR-Tools can carry, or if it gives up.
    """
    in_one = weighted(network) if network.later else (network, None)
    if in_one is not None:
        return _in_blocks(in_one[0])
    flow = _in_blocks(network)
    while network.later:
        network = next_cost(network, flow)
        flow = _in_blocks(network)
    return flow


def _in_blocks(network: FlowNetwork) -> Flow:
    """Solve with the first cost; where a block has no flow, its components are tried one by one."""
    flow, supply = network.lower.copy(), network.supply.copy()
    held = np.flatnonzero(network.lower)
    np.subtract.at(supply, network.tail[held], network.lower[held])
    np.add.at(supply, network.head[held], network.lower[held])
    free, node_ptr = np.flatnonzero(network.upper > network.lower), network.node_ptr
    start = np.searchsorted(free, network.arc_ptr)
    n, first, stuck = network.n_components, 0, []
    blocks: list[tuple[int, int]] = []
    while first < n:
        last = int(np.searchsorted(start, start[first] + BLOCK_ARCS))
        few = int(np.searchsorted(node_ptr, node_ptr[first] + 2 * BLOCK_ARCS))
        last = min(max(min(last, few), first + 1), n)
        blocks.append((first, last))
        first = last
    while blocks:
        first, last = blocks.pop()
        arcs, (lo, hi) = free[start[first] : start[last]], node_ptr[[first, last]].tolist()
        found = _block(network, arcs, lo, supply[lo:hi])
        if found is not None:
            flow[arcs] += found
        elif last - first > 1:
            blocks += [(c, c + 1) for c in range(first, last)]
        else:
            stuck.append(first)
            flow[slice(*network.arc_ptr[first : last + 1])] = 0
    return Flow(flow, np.array(sorted(stuck), dtype=np.int64))


def _block(network: FlowNetwork, arcs: Ints, lo: int, supply: Ints) -> Ints | None:
    """Return the optimal flow of arcs between the nodes from ``lo`` on; None: there is none."""
    if not len(arcs):
        return None if supply.any() else arcs
    cost, n = network.cost[arcs], len(supply)
    solver = _new_solver()
    numbers = solver.add_arcs_with_capacity_and_unit_cost(
        (network.tail[arcs] - lo).astype(np.int32),
        (network.head[arcs] - lo).astype(np.int32),
        network.upper[arcs] - network.lower[arcs],
        cost,
    )
    solver.set_nodes_supplies(np.arange(n, dtype=np.int32), supply)
    status = solver.solve()
    if status == solver.OPTIMAL:
        flow: Ints = solver.flows(numbers)
        return flow
    if status in (solver.INFEASIBLE, solver.UNBALANCED):
        return None
    raise SolverLimit(f"OR-Tools gave up on a flow network: {status}")


def _new_solver() -> Any:
    from ortools.graph.python import min_cost_flow

    return min_cost_flow.SimpleMinCostFlow()
