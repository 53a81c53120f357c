"""Flow networks in integers: how they are written, costs as whole numbers, cheapest flows.

A network is many independent components, one after the other. Costs are carried exactly where
possible, and as finely as the solver can otherwise; OR-Tools solves components in blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Array = NDArray[Any]

COST_LIMIT = 2**62  # OR-Tools refuses costs with ``max(cost) * nodes`` beyond this
COMBINED_LIMIT = 2**48  # several costs are one number up to this; otherwise one by one


@dataclass(frozen=True, eq=False)
class FlowNetwork:
    """A flow network in integers: many independent components, one after the other."""

    tail: Ints  # end nodes of the arcs
    head: Ints
    lower: Ints  # bounds on the flow of each arc
    upper: Ints
    cost: Ints  # of a unit on each arc
    supply: Ints  # what each node sends (positive) or takes (negative)
    arc_ptr: Ints  # component ``c`` has the arcs ``arc_ptr[c]:arc_ptr[c + 1]``
    node_ptr: Ints  # and likewise the nodes
    later: tuple[Ints, ...] = ()  # further costs, each deciding among the optima of those before

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.arc_ptr) - 1

    @property
    def component(self) -> Ints:
        """Of every arc, its component."""
        return np.repeat(np.arange(self.n_components), np.diff(self.arc_ptr))

    def alone(self, component: int) -> tuple[FlowNetwork, slice]:
        """Return the network of one component, and which arcs it has."""
        arcs, nodes = (slice(*x[component : component + 2]) for x in (self.arc_ptr, self.node_ptr))
        own = FlowNetwork(
            self.tail[arcs] - nodes.start, self.head[arcs] - nodes.start, self.lower[arcs],
            self.upper[arcs], self.cost[arcs], self.supply[nodes],
            np.array([0, arcs.stop - arcs.start]), np.array([0, nodes.stop - nodes.start]),
            tuple(cost[arcs] for cost in self.later),
        )  # fmt: skip
        return own, arcs

    def residual(self, flow: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return arc, tail, head and cost of the units by which a flow may change."""
        more, less = np.flatnonzero(flow < self.upper), np.flatnonzero(flow > self.lower)
        return (
            np.concatenate([more, less]),
            np.concatenate([self.tail[more], self.head[less]]),
            np.concatenate([self.head[more], self.tail[less]]),
            np.concatenate([self.cost[more], -self.cost[less]]),
        )


@dataclass(frozen=True, eq=False)
class Flow:
    """An optimal flow."""

    flow: Ints  # units on each arc
    infeasible: Ints  # components without a feasible flow (their arcs carry 0), ascending


def weighted(network: FlowNetwork, *, spare: int = 1) -> tuple[FlowNetwork, Ints] | None:
    """Return the network with one cost that orders like all, and what a unit of every cost weighs.

    By component, that is more than ``spare`` times all that later costs can differ by; with 2, what
    a cycle costs is told apart into the first cost, by rounding, and the rest. None: too large.
    """
    component, n = network.component, network.n_components
    room = (network.upper - network.lower).astype(np.float64)
    nodes = int(np.diff(network.node_ptr).max(initial=0))
    limit = min(COMBINED_LIMIT, (COST_LIMIT - 1) // (nodes + 2))
    differ, largest, total, weights = np.zeros(n), 0 * room, 0 * network.cost, []
    for cost in (*network.later[::-1], network.cost):
        weight = spare * differ + 1
        size = np.abs(cost) * weight[component]
        largest += size
        if max(weight.max(initial=0), largest.max(initial=0)) > limit:
            return None
        differ += np.bincount(component, size * room, n)
        weights.append(weight.astype(np.int64))
        total += weights[-1][component] * cost
    return replace(network, cost=total, later=()), np.array(weights[::-1])


def next_cost(network: FlowNetwork, flow: Flow, y: Ints | None = None) -> FlowNetwork:
    """Return the network of the optima of the first cost, with the next one, by reduced costs."""
    if y is None:
        y, _ = potentials(network, flow.flow)
    reduced = network.cost + y[network.tail] - y[network.head]
    return replace(
        network,
        lower=np.where(reduced < 0, network.upper, network.lower),
        upper=np.where(reduced > 0, network.lower, network.upper),
        cost=network.later[0],
        later=network.later[1:],
    )


def potentials(network: FlowNetwork, flow: Ints) -> tuple[Ints, bool]:
    """Return distances from a node linked to all at cost 0, and whether no cycle is negative."""
    _, tail, head, cost = network.residual(flow)
    y = np.zeros(len(network.supply), dtype=np.int64)
    for _ in range(int(np.diff(network.node_ptr).max(initial=0)) + 1):
        before = y.copy()
        np.minimum.at(y, head, y[tail] + cost)
        if (y == before).all():
            return y, True
    return y, False


LARGEST_SCALED = 2**44  # costs that no exact scale fits are scaled up to about this size
EXACT_LIMIT = 2**48  # exact costs may be this large; blocks of thousands of nodes are in range
FINEST_EXACT = 20  # floats that are multiples of this power of 1/2 are carried exactly
LARGEST_POWER = 900  # floats are multiplied by no larger power of two, or it would not be a float


@dataclass(frozen=True, eq=False)
class Scaled:
    """Integer costs: ``value = integer / scale``."""

    values: list[Ints]
    scale: int
    exact: bool  # no cost was rounded; otherwise each is off by at most 0.5 / scale


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs that were written together, with bounds of each or of all."""

    tail: Ints
    head: Ints
    lower: Ints | int = 0
    upper: Ints | int = 1
    costs: Sequence[Array] = ()  # minimised one after the other; those that are not given are 0


@dataclass(frozen=True, eq=False)
class Layout:
    """A network, and where in it is what was written."""

    network: FlowNetwork
    families: Sequence[Arcs]  # the arcs as they were written
    order: Ints  # of every arc, its place among those of all families, one after the other
    place: Ints  # of every arc of the families its place in the network
    node_order: Ints  # of every node, its number when it was written
    costs: tuple[Scaled, ...]  # of every cost the scale, and what was scaled beside it

    def arcs(self, family: int) -> Ints:
        """Return where the arcs of a family are in the network."""
        first = sum(len(f.tail) for f in self.families[:family])
        return self.place[first : first + len(self.families[family].tail)]

    def column(self, values: Iterable[Any], kind: Any = np.int64) -> Array:
        """Return what every family has for each of its arcs, or for all, over the network's."""
        return _column(self.families, values)[self.order].astype(kind, copy=False)


class NetworkBuilder:
    """Nodes in the making, each of a component; the network holds one component after the other.

    Nodes of a component, and its arcs, stay in the order in which they were written.
    """

    def __init__(self) -> None:
        self.owner: Ints = np.empty(0, dtype=np.int64)  # of every node, its component
        self._supplies: list[tuple[Ints, Ints]] = []

    def nodes(self, component: Ints) -> Ints:
        """Add a node to each of these components; return the numbers of the nodes."""
        n = len(self.owner)
        self.owner = np.concatenate([self.owner, component])
        return np.arange(n, len(self.owner))

    def supply(self, node: Ints, units: Ints) -> None:
        """Let nodes send so many units more (negative: take)."""
        self._supplies.append((node, units))

    def laid_out(
        self, n_components: int, families: Sequence[Arcs], beside: Sequence[Sequence[Array]] = ((),)
    ) -> Layout:
        """Return the network that families of arcs between the nodes are.

        ``beside`` are for each of the costs arrays of costs that have to be whole with them. If
        the exact integers would be too large for the solver, SolverLimit is raised.
        """
        node_order = np.argsort(self.owner, kind="stable")
        place = _inverse(node_order)
        supply = np.zeros(len(place), dtype=np.int64)
        for node, units in self._supplies:
            np.add.at(supply, place[node], units)
        tail, head, lower, upper = (
            _column(families, (getattr(f, name) for f in families))
            for name in ("tail", "head", "lower", "upper")
        )
        owner, columns, scaled = self.owner[tail], [place[tail], place[head], lower, upper], []
        ptr, node_ptr = (
            np.append(0, np.cumsum(np.bincount(x, minlength=n_components)))
            for x in (owner, self.owner)
        )
        for k, more in enumerate(beside):
            given = _column(families, (f.costs[k] if k < len(f.costs) else 0 for f in families))
            whole = to_integers([given, *more], nodes=int(np.diff(node_ptr).max(initial=0)))
            columns.append(whole.values.pop(0))
            scaled.append(whole)
        order = np.argsort(owner, kind="stable")
        tail, head, lower, upper, cost, *later = (x[order] for x in columns)
        network = FlowNetwork(tail, head, lower, upper, cost, supply, ptr, node_ptr, (*later,))
        return Layout(network, families, order, _inverse(order), node_order, (*scaled,))


def _column(families: Sequence[Arcs], values: Iterable[Any]) -> Array:
    each = zip(values, families, strict=True)
    return np.concatenate([np.arange(0), *(np.broadcast_to(x, len(f.tail)) for x, f in each)])


def _inverse(order: Ints) -> Ints:
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def to_integers(costs: Sequence[Array], *, nodes: int = 0) -> Scaled:
    """Scale arrays of finite costs (integers, Fractions or floats) together.

    Integers and Fractions are exact (scaled by their least common denominator), and so are floats
    that are multiples of a power of two not below 2**-20. Other floats are multiplied by the
    largest power of two that the solver can carry, and rounded. It carries less where a component
    has many ``nodes``: costs times nodes have to stay below 2**62. SolverLimit: exact ones are too
    large.
    """
    limit = min(EXACT_LIMIT, (COST_LIMIT - 1) // (nodes + 2))
    every, ends = np.concatenate([np.zeros(0), *costs]), np.cumsum([len(p) for p in costs])
    if is_exact := every.dtype == object:
        fractions = [Fraction(x) for x in every.tolist()]
        scale = math.lcm(*(x.denominator for x in fractions))
        values = [int(x * scale) for x in fractions]
        if (most := max(map(abs, values), default=0)) > limit:
            raise SolverLimit(
                f"the costs' common denominator {scale} makes integers up to {most}, more than "
                "the solver can carry exactly; use coarser fractions or floats"
            )
        whole = np.array(values, dtype=np.int64)
    else:
        highest, scale, whole = float(np.abs(every).max(initial=0)), 1, every
        if highest > limit:
            raise SolverLimit(f"a cost of {highest:g} is more than the solver can carry exactly")
        while not (is_exact := bool((whole == np.rint(whole)).all())):
            scale *= 2
            if scale > 2**FINEST_EXACT or highest * scale > limit:
                room = int(math.log2(min(LARGEST_SCALED, limit)))
                scale = 2 ** min(LARGEST_POWER, room - math.ceil(math.log2(highest)))
                whole = np.rint(every * scale)
                break
            whole = whole * 2
    return Scaled(np.split(whole.astype(np.int64), ends)[:-1], scale, is_exact)


BLOCK_ARCS = 5_000  # arcs handed to OR-Tools in one call; 2,000 to 20,000 are about equally fast


def solve(network: FlowNetwork) -> Flow:
    """Return a minimum-cost flow; of several costs each is minimised after those before it.

    Several costs are one number that orders like them, or where that would be too large are
    minimised one after the other. Lower bounds are moved into the supplies, arcs that this leaves
    without freedom are dropped, and whole components are solved together in blocks of about
    ``BLOCK_ARCS`` arcs. SolverLimit is raised for too large costs, or if OR-Tools gives up.
    """
    if network.later and (in_one := weighted(network)) is not None:
        network = in_one[0]
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
    # a block ends where arcs or nodes pass a multiple of its size
    full = (
        np.diff(x[:-1] // size) for x, size in ((start, BLOCK_ARCS), (node_ptr, 2 * BLOCK_ARCS))
    )
    ends = [0, *(np.flatnonzero(np.any([*full], axis=0)) + 1), network.n_components]
    blocks, stuck = [*pairwise(map(int, ends))], []
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
    from ortools.graph.python import min_cost_flow

    if not len(arcs):
        return None if supply.any() else arcs
    cost, n = network.cost[arcs], len(supply)
    solver: Any = min_cost_flow.SimpleMinCostFlow()
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
