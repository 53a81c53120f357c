"""What a change of an optimal flow costs: the shortest ways beside it, in its residual network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.solvers.network import Flow, FlowNetwork, Steps

__all__ = ["NO_WAY", "Ways"]

Ints = NDArray[np.int64]

NO_WAY = 2**61
"""What a way costs that is not there; two of them still are a number."""

MOST_NODES = 1_200
"""Between all nodes of larger components no distances are computed."""


class Ways:
    """Shortest ways between all nodes of each component, by one unit more or less on arcs.

    Two flows differ by cycles of such units, so the cheapest way from the head of an arc to its
    tail is what one unit more on the arc costs beside its own cost. Components without a flow have
    no ways.

    Raises
    ------
    SolverLimit
        For a component with more than ``MOST_NODES`` nodes.
    AssertionError
        If the flow was not optimal.
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
        steps = network.residual(flow.flow)
        component = network.component[steps.arc]
        order = np.argsort(component, kind="stable")
        order = order[~np.isin(component[order], flow.infeasible)]
        self._steps = Steps(*(x[order] for x in steps))
        self._step_ptr = np.searchsorted(component[order], np.arange(len(size) + 1))
        self._start = np.concatenate([[0], np.cumsum(size**2)])
        self._flat = self._distances(size)

    def _distances(self, size: Ints) -> Ints:
        """Return all shortest distances (Floyd–Warshall, components of one size at a time)."""
        flat = np.full(self._start[-1], NO_WAY)
        np.minimum.at(flat, self._entry(self._steps.tail, self._steps.head), self._steps.cost)
        for n in np.unique(size[size > 0]).tolist():
            at = self._start[:-1][size == n, None] + np.arange(n * n)
            d = flat[at].reshape(-1, n, n)
            d[:, np.arange(n), np.arange(n)] = 0
            for k in range(n):
                np.minimum(d, d[:, :, k, None] + d[:, None, k, :], out=d)
            if d[:, np.arange(n), np.arange(n)].any():
                raise AssertionError("the flow is not optimal: a cycle has a negative cost")
            flat[at] = d.reshape(len(d), -1)
        flat[flat > NO_WAY // 2] = NO_WAY
        return flat

    def _entry(self, one: Ints, other: Ints) -> Ints:
        """Return where the distance between two nodes of a component is."""
        c = np.searchsorted(self.node_ptr, one, side="right") - 1
        first = self.node_ptr[c]
        at: Ints = self._start[c] + (one - first) * (self.node_ptr[c + 1] - first) + other - first
        return at

    def between(self, one: Ints, other: Ints) -> Ints:
        """Return the distances from nodes to others of their components; NO_WAY: there is none."""
        return self._flat[self._entry(one, other)]

    def around(self, closed: Sequence[int], one: int, other: int) -> tuple[int, Ints, Ints]:
        """Return the cheapest way from a node to another that leaves some arcs as they are.

        Returns
        -------
        tuple
            What it costs (:data:`NO_WAY`: there is none); the arcs on it, and of each whether it
            gets one unit more (1) or less (-1).
        """
        c = int(np.searchsorted(self.node_ptr, one, side="right")) - 1
        own = Steps(*(x[slice(*self._step_ptr[c : c + 2])] for x in self._steps))
        own = Steps(*(x[~np.isin(own.arc, closed)] for x in own))
        lo, hi = self.node_ptr[c : c + 2].tolist()
        tail, head = own.tail - lo, own.head - lo
        far, by = np.full(hi - lo, NO_WAY), np.full(hi - lo, -1)
        far[one - lo] = 0
        for _ in range(hi - lo):  # Bellman–Ford
            through = far[tail] + own.cost
            better = np.flatnonzero((through < far[head]) & (far[tail] < NO_WAY))
            if not len(better):
                break
            order = better[np.argsort(-through[better], kind="stable")]  # the cheapest comes last
            far[head[order]], by[head[order]] = through[order], order
        steps, at = [], other - lo
        while at != one - lo and by[at] >= 0:
            steps.append(int(by[at]))
            at = int(tail[by[at]])
        used = np.array(steps, dtype=np.int64)
        return int(far[other - lo]), own.arc[used], own.sign[used]
