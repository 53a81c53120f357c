"""Which bounds of a flow network cannot hold together: a set from which none can be left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.solvers.flow import shortage, solve
from hierpair.solvers.flow_network import FlowNetwork

__all__ = ["blocking_bounds"]

MOST_TRIALS = 1_000
"""Bounds that are left out one at a time; a larger set is returned as the cut gives it."""


def blocking_bounds(
    network: FlowNetwork,
    lower: NDArray[np.bool_],
    upper: NDArray[np.bool_],
    first: NDArray[np.integer],
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return bounds of an infeasible network of one component that cannot hold together.

    Lower bounds into a set of nodes that are more than the upper bounds out of it (Hoffman's
    circulation theorem) are contradictory by themselves. Of these, one after the other is left
    out if the rest still is.

    Parameters
    ----------
    network
        Without a feasible flow.
    lower, upper
        Arcs whose bounds are in question, shape ``(n_arcs,)``; other bounds just hold.
    first
        Of every arc, when it is tried: small numbers are left out before large ones.

    Returns
    -------
    tuple
        Arcs whose lower bounds, and arcs whose upper bounds, are in the set; and how many units
        of these lower bounds can be met at most.
    """
    inside = _short_side(network)
    entering = ~inside[network.tail] & inside[network.head]
    leaving = inside[network.tail] & ~inside[network.head]
    low = lower & entering & (network.lower > 0)
    high = upper & leaving
    wide = int(network.lower.sum() + network.upper[~upper].sum()) + 1

    def bounded(low: NDArray[np.bool_], high: NDArray[np.bool_]) -> FlowNetwork:
        relaxed = np.where(upper & ~high, np.maximum(network.upper, wide), network.upper)
        return replace(
            network, lower=np.where(lower & ~low, 0, network.lower), upper=relaxed,
            cost=np.zeros_like(network.cost), later=(),
        )  # fmt: skip

    tried = [(int(first[a]), 0, a) for a in np.flatnonzero(low)]
    tried += [(int(first[a]), 1, a) for a in np.flatnonzero(high)]
    if len(tried) <= MOST_TRIALS:
        for _, which, arc in sorted(tried):
            (low, high)[which][arc] = False
            if not len(solve(bounded(low, high)).infeasible):
                (low, high)[which][arc] = True
    left = bounded(low, high)
    met = int((left.lower - shortage(left)[1])[low].sum())
    return np.flatnonzero(low), np.flatnonzero(high), met


def _short_side(network: FlowNetwork) -> NDArray[np.bool_]:
    """Return the nodes of a cut whose lower bounds inwards exceed its upper bounds outwards.

    They are what can be reached, in the residual network of a flow that misses least, from the
    head of an arc that misses something: could its tail be reached as well, it would miss less.
    """
    flow, missing = shortage(network)
    tail, head = network.tail, network.head
    forth, back = flow < network.upper, flow > network.lower
    n = len(network.supply)
    steps = scipy.sparse.csr_array(
        (
            np.ones(int(forth.sum() + back.sum())),
            (np.concatenate([tail[forth], head[back]]), np.concatenate([head[forth], tail[back]])),
        ),
        shape=(n, n),
    )
    start = int(head[np.flatnonzero(missing)[0]])
    inside = np.zeros(n, dtype=bool)
    inside[scipy.sparse.csgraph.breadth_first_order(steps, start, return_predecessors=False)] = True
    return inside
