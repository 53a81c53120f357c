"""Proof that a flow is of least cost, or which bounds cannot hold together where there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hierpair.solvers.flow import Bools, Flow, FlowNetwork, Ints, next_cost, potentials, solve

MOST_TRIALS = 1_000  # bounds left out one by one; of more the cut is returned as it is


@dataclass(frozen=True, eq=False)
class Certificate:
    """What :func:`check` found.

    Of a network with several costs ``optimal`` says that all are least; the other numbers are of
    the first, and ``later`` has the same for each later one, in the network that is left of it.
    """

    feasible: bool  # every arc is within its bounds and every node in balance
    optimal: bool  # feasible, and the residual network has no negative cycle
    potentials: Ints  # of nodes: no arc with room has a negative ``cost + y[tail] - y[head]``,
    # and none with flow above its lower bound a positive one; meaningless unless optimal
    cost: int  # of the flow
    bound: int  # the dual bound from the potentials; equal at an optimum
    reason: str = ""  # why the flow fails, or an empty string
    later: tuple[Certificate, ...] = ()


def check(network: FlowNetwork, flow: Flow) -> Certificate:
    """Check a flow against its network by arithmetic alone.

    Feasibility is recomputed from bounds and balances; a flow is optimal if its residual network
    has no negative cycle, and then potentials give a dual bound that meets the cost. Of several
    costs each is checked in the network whose flows are the optima of those before it.
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
    sent = np.zeros(len(network.supply), dtype=np.int64)
    np.add.at(sent, network.tail, f)
    np.subtract.at(sent, network.head, f)
    outside = np.flatnonzero((f < network.lower) | (f > network.upper))
    unmet = np.flatnonzero(sent != network.supply)
    reasons = [f"component {c} has no flow" for c in flow.infeasible[:1]]
    reasons += [f"arc {a} carries {f[a]}, outside its bounds" for a in outside[:1]]
    reasons += [f"node {v} sends {sent[v]} instead of {network.supply[v]}" for v in unmet[:1]]
    feasible = not reasons
    y, stable = potentials(network, f)
    reasons += ["the residual network has a negative cycle"] * (not stable)
    reduced = network.cost + y[network.tail] - y[network.head]
    held = np.where(reduced > 0, network.lower, network.upper)
    cost, above, at_nodes = (
        int((a.astype(object) * b).sum())
        for a, b in ((network.cost, f), (reduced, held), (y, sent))
    )
    reason = reasons[0] if reasons else ""
    return Certificate(feasible, not reasons, y, cost, above - at_nodes, reason)


class BlockingBounds(NamedTuple):
    """Bounds of an infeasible network of one component that cannot hold together."""

    lower: Ints  # arcs whose lower bounds are in the set
    upper: Ints  # arcs whose upper bounds are
    met: int  # how many units of these lower bounds can be met at most
    network: FlowNetwork  # further arcs, from and to a node of their own, stand for its supplies


def blocking_bounds(
    network: FlowNetwork, upper: Bools | None = None, first: Ints | None = None
) -> BlockingBounds:
    """Return bounds of an infeasible network of one component that cannot hold together.

    Lower bounds into a set of nodes that are more than the upper bounds out of it (Hoffman's
    circulation theorem) contradict each other. One after the other, with small numbers in ``first``
    first, is left out if the rest still do; only bounds of ``upper`` arcs are in question.
    """
    network = _circulation(network)
    every = np.ones(len(network.tail), dtype=bool)
    upper = every if upper is None else upper
    first = every.astype(np.int64) if first is None else first
    # beside a flow that misses least, nodes behind an arc that misses some are short of units
    met, more = np.split(_most_met(network), 2)
    short = np.arange(len(every)) == (met < network.lower).argmax()
    inside = potentials(replace(network, cost=-short.astype(np.int64)), met + more)[0] < 0
    entering = ~inside[network.tail] & inside[network.head]
    leaving = inside[network.tail] & ~inside[network.head]
    low, high = entering & (network.lower > 0), upper & leaving
    wide = int(network.lower.sum() + network.upper[~upper].sum()) + 1

    def bounded(low: Bools, high: Bools) -> FlowNetwork:
        relaxed = np.where(upper & ~high, np.maximum(network.upper, wide), network.upper)
        free = np.zeros_like(network.cost)
        return replace(network, lower=network.lower * low, upper=relaxed, cost=free, later=())

    tried = [
        (int(first[a]), k, a) for k, some in enumerate((low, high)) for a in np.flatnonzero(some)
    ]
    for _, which, arc in sorted(tried) if len(tried) <= MOST_TRIALS else ():
        (low, high)[which][arc] = False
        if not len(solve(bounded(low, high)).infeasible):
            (low, high)[which][arc] = True
    met, _ = np.split(_most_met(bounded(low, high)), 2)
    return BlockingBounds(np.flatnonzero(low), np.flatnonzero(high), int(met[low].sum()), network)


def _circulation(network: FlowNetwork) -> FlowNetwork:
    """Return the network of one component with arcs from and to a hub instead of supplies."""
    at = np.flatnonzero(network.supply)
    units, hub = network.supply[at], len(network.supply)
    sent, ends = np.abs(units), (np.where(units > 0, hub, at), np.where(units > 0, at, hub))
    own = network.tail, network.head, network.lower, network.upper, network.cost
    tail, head, lower, upper, cost = map(np.append, own, (*ends, sent, sent, 0 * units))
    none, ptr = np.zeros(hub + 1, dtype=np.int64), np.array([0, len(tail)])
    return FlowNetwork(tail, head, lower, upper, cost, none, ptr, np.array([0, hub + 1]))


def _most_met(network: FlowNetwork) -> Ints:
    """Return what meets most of lower bounds, which are wishes, and after that what is above."""
    lower, n = network.lower, len(network.lower)
    wishes = replace(
        network,
        tail=np.tile(network.tail, 2),
        head=np.tile(network.head, 2),
        lower=np.zeros(2 * n, np.int64),
        upper=np.concatenate([lower, network.upper - lower]),
        cost=np.repeat([-1, 0], n),
        arc_ptr=2 * network.arc_ptr,
        later=(),
    )
    return solve(wishes).flow
