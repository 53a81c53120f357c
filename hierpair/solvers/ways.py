"""What a change of an optimal flow costs: shortest ways beside it, and copies that are changed."""

from __future__ import annotations

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.solvers.flow import solve
from hierpair.solvers.network import Flow, FlowNetwork, Ints

NO_WAY = 2**61
"""What a way costs that is not there; two of them still are a number."""

MOST_NODES = 1_200
"""Between all nodes of larger components no distances are computed."""


class Ways:
    """Shortest ways between all nodes of each component, by one unit more or less on arcs.

    Two flows differ by cycles of such units, so the cheapest way from the head of an arc to its
    tail is what one unit more on the arc costs beside its own cost. Components without a flow have
    no ways; for one with more than ``MOST_NODES`` nodes SolverLimit is raised.
    """

    def __init__(self, network: FlowNetwork, flow: Flow) -> None:
        self.node_ptr = network.node_ptr
        size = np.diff(network.node_ptr)
        if size.max(initial=0) > MOST_NODES:
            raise SolverLimit(
                f"{size.max()} labels and groups are too many to tell what would change the "
                f"pairing (at most {MOST_NODES})",
                int(size.argmax()),
            )
        self._start = np.concatenate([[0], np.cumsum(size**2)])
        steps = network.residual(flow.flow)
        some = ~np.isin(network.component[steps.arc], flow.infeasible)
        flat = np.full(self._start[-1], NO_WAY)
        np.minimum.at(flat, self._entry(steps.tail[some], steps.head[some]), steps.cost[some])
        for n in np.unique(size[size > 0]).tolist():  # Floyd–Warshall, components of one size
            at = self._start[:-1][size == n, None] + np.arange(n * n)
            d = flat[at].reshape(-1, n, n)
            d[:, np.arange(n), np.arange(n)] = 0
            for k in range(n):
                np.minimum(d, d[:, :, k, None] + d[:, None, k, :], out=d)
            if d[:, np.arange(n), np.arange(n)].any():
                raise AssertionError("the flow is not optimal: a cycle has a negative cost")
            flat[at] = d.reshape(len(d), -1)
        flat[flat > NO_WAY // 2] = NO_WAY
        self._flat = flat

    def _entry(self, one: Ints, other: Ints) -> Ints:
        """Return where the distance between two nodes of a component is."""
        c = np.searchsorted(self.node_ptr, one, side="right") - 1
        first = self.node_ptr[c]
        at: Ints = self._start[c] + (one - first) * (self.node_ptr[c + 1] - first) + other - first
        return at

    def between(self, one: Ints, other: Ints) -> Ints:
        """Return the distances from nodes to others of their components; NO_WAY: there is none."""
        return self._flat[self._entry(one, other)]


def changed(network: FlowNetwork, flow: Ints, arcs: Ints, more: Ints) -> tuple[Ints, list[Ints]]:
    """Return what it costs that arcs carry so many units more, each in a copy of its component.

    And of each copy, the arcs of the network on which the cheapest flow is another one; ``NO_WAY``
    and no arcs where there is none.
    """
    owner = np.searchsorted(network.arc_ptr, arcs, side="right") - 1
    copies, at = network.copies(owner)
    start = copies.arc_ptr[:-1] + arcs - network.arc_ptr[owner]
    copies.lower[start] = copies.upper[start] = flow[arcs] + more
    found = solve(copies)
    differ = found.flow - flow[at]
    cost = np.zeros(len(arcs), dtype=np.int64)
    np.add.at(cost, copies.component, copies.cost * differ)
    cost[found.infeasible] = NO_WAY
    differ[np.isin(copies.component, found.infeasible)] = 0
    used = np.flatnonzero(differ)
    ends = np.searchsorted(used, copies.arc_ptr[1:-1])
    return cost, np.split(at[used], ends)
