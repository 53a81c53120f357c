"""Minimum-cost flow on block-diagonal integer networks, solved by OR-Tools in blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.solvers.lexicographic import next_cost, weighted
from hierpair.solvers.network import COST_LIMIT, Flow, FlowNetwork

__all__ = ["solve"]

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
        return _Blocks(in_one[0]).solved()
    first = flow = _Blocks(network).solved()
    node = np.repeat(np.arange(network.n_components), np.diff(network.node_ptr))
    arcs, nodes = (np.isin(x, first.infeasible, invert=True) for x in (network.component, node))
    now = replace(  # where there is no flow nothing is to be done
        network,
        lower=network.lower * arcs,
        upper=network.upper * arcs,
        supply=network.supply * nodes,
    )
    while now.later:
        now = next_cost(now, flow)
        flow = _Blocks(now).solved()
    return Flow(flow.flow, first.infeasible)


class _Blocks:
    """Components that are solved some at a time, their lower bounds being sent already."""

    def __init__(self, network: FlowNetwork) -> None:
        self.network, self.flow, self.supply = network, network.lower.copy(), network.supply.copy()
        held = np.flatnonzero(network.lower)
        np.subtract.at(self.supply, network.tail[held], network.lower[held])
        np.add.at(self.supply, network.head[held], network.lower[held])
        self.free = np.flatnonzero(network.upper > network.lower)
        all_free = len(self.free) == len(self.flow)
        self.start = network.arc_ptr if all_free else np.searchsorted(self.free, network.arc_ptr)

    def solved(self) -> Flow:
        """Solve them in blocks of about ``BLOCK_ARCS`` arcs, or twice as many nodes."""
        n, node_ptr = self.network.n_components, self.network.node_ptr
        first, stuck = 0, []
        while first < n:
            last = int(np.searchsorted(self.start, self.start[first] + BLOCK_ARCS))
            few = int(np.searchsorted(node_ptr, node_ptr[first] + 2 * BLOCK_ARCS))
            last = min(max(min(last, few), first + 1), n)
            stuck += self.stuck(first, last)
            first = last
        for c in stuck:
            self.flow[slice(*self.network.arc_ptr[c : c + 2])] = 0
        return Flow(self.flow, np.array(stuck, dtype=np.int64))

    def stuck(self, first: int, last: int) -> list[int]:
        """Add the flow of components ``first … last - 1``; return those that have none."""
        if self.solve(first, last):
            return []
        if last - first == 1:
            return [first]
        return [c for one in range(first, last) for c in self.stuck(one, one + 1)]

    def solve(self, first: int, last: int) -> bool:
        """Add the optimal flow of components ``first … last - 1``; False if there is none."""
        network, arcs = self.network, self.free[self.start[first] : self.start[last]]
        lo, hi = int(network.node_ptr[first]), int(network.node_ptr[last])
        if not len(arcs):
            return not self.supply[lo:hi].any()
        cost = network.cost[arcs]
        if int(np.abs(cost).max()) * (hi - lo + 1) >= COST_LIMIT:
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
        solver.set_nodes_supplies(np.arange(hi - lo, dtype=np.int32), self.supply[lo:hi])
        status = solver.solve()
        if status == solver.OPTIMAL:
            self.flow[arcs] += solver.flows(numbers)
            return True
        if status in (solver.INFEASIBLE, solver.UNBALANCED):
            return False
        raise SolverLimit(f"OR-Tools gave up on a flow network: {status}")


def _new_solver() -> Any:
    from ortools.graph.python import min_cost_flow

    return min_cost_flow.SimpleMinCostFlow()
