"""Flows through networks that rules wrote themselves, and why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import Infeasible, listed
from hierpair.pairing.own_network import OwnNetwork
from hierpair.solvers import Flow, blocking_bounds, solve

__all__ = ["OwnFlow", "solve_network"]

LARGEST_TOTAL = 2.0**62
"""Sums of whole costs are below this, or made of Python's own whole numbers."""

MOST_NAMED = 12
"""Bounds that a message names."""


@dataclass(frozen=True, eq=False)
class OwnFlow:
    """A cheapest flow of every instance.

    Attributes
    ----------
    flow
        Over the arcs of the network.
    cost, gap
        Of every instance, in the original costs, and how far it can be from the optimum because
        costs had to be rounded; nan and 0 where there is no flow.
    chosen
        Over the pairs of the batch.
    """

    flow: Flow
    cost: NDArray[np.float64]
    gap: NDArray[np.float64]
    chosen: NDArray[np.bool_]


def solve_network(own: OwnNetwork, *, on_infeasible: Literal["raise", "nan"] = "raise") -> OwnFlow:
    """Find a cheapest flow of every instance.

    Raises
    ------
    Infeasible
        Names the first instance without a flow, and bounds that cannot hold together there.
    SolverLimit
        If costs are too large for the solver.
    """
    network = own.network
    flow = solve(network)
    if len(flow.infeasible) and on_infeasible == "raise":
        instance = int(flow.infeasible[0])
        raise Infeasible(_why(own.part(instance)), instance)
    n = network.n_components
    owner = np.repeat(np.arange(n), np.diff(network.arc_ptr))
    if own.exact:
        size = np.abs(network.cost.astype(np.float64)) * flow.flow
        kind: Any = np.int64 if size.sum() < LARGEST_TOTAL else object
        total: NDArray[Any] = np.zeros(n, dtype=kind)
        np.add.at(total, owner, network.cost.astype(kind) * flow.flow)
        cost: NDArray[np.float64] = (total / own.scale).astype(np.float64)
        gap = np.zeros(n)
    else:
        paid = own.column("cost").astype(np.float64) * flow.flow
        cost = np.bincount(owner, paid, minlength=n).astype(np.float64)
        room = (network.upper - network.lower).astype(np.float64)
        gap = np.bincount(owner, room, minlength=n) / own.scale
    cost[flow.infeasible], gap[flow.infeasible] = np.nan, 0.0
    chosen = np.zeros(len(own.pairs.instance), dtype=bool)
    used = np.flatnonzero(flow.flow > 0)
    pair = [x for x in own.column("pair")[used].tolist() if x is not None]
    chosen[np.array(pair, dtype=np.int64)] = True
    return OwnFlow(flow, cost, gap, chosen)


def _why(own: OwnNetwork) -> str:
    """Return bounds and supplies of one instance that cannot hold together."""
    w = own.network
    sends = np.flatnonzero(w.supply)
    hub, amount = len(w.supply), w.supply[sends]
    forth = amount > 0
    fixed = np.abs(amount)
    circulation = replace(
        w,
        tail=np.concatenate([w.tail, np.where(forth, hub, sends)]),
        head=np.concatenate([w.head, np.where(forth, sends, hub)]),
        lower=np.concatenate([w.lower, fixed]),
        upper=np.concatenate([w.upper, fixed]),
        cost=np.concatenate([w.cost, np.zeros_like(fixed)]),
        supply=np.zeros(hub + 1, dtype=np.int64),
        arc_ptr=np.array([0, len(w.tail) + len(sends)]),
        node_ptr=np.array([0, hub + 1]),
    )
    every = np.ones(len(circulation.tail), dtype=bool)
    lower, upper, _ = blocking_bounds(circulation, every, every, np.where(every, 0, 0))
    said = []
    for arcs, bound, values in (
        (lower, "at least", circulation.lower),
        (upper, "at most", circulation.upper),
    ):
        for arc in arcs.tolist():
            if arc >= len(w.tail):
                said.append(f"a supply of {bound} {values[arc]}")
            else:
                said.append(f"{own.text(arc)}: {bound} {values[arc]}")
    return f"its network has no flow; these cannot hold together: {listed(said, MOST_NAMED)}"
