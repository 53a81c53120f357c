"""The residual network of links: how a flow may change, what that costs, is another as good.

A *link* is all arcs between two nodes that carry one convex cost together: base, dearer units,
units that are bought. What counts is its next unit more and its next unit less; the dearer arc and
the reverse arc of one link would be a cycle that changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.solvers.flow_network import Flow, FlowNetwork
from hierpair.solvers.lexicographic import node_potentials

__all__ = ["NO_ROOM", "Distances", "Residual", "cheapest_way", "distances", "is_only", "residual"]

Ints = NDArray[np.int64]

NO_ROOM = 2**61
"""The cost of a unit that does not fit; two of them still are a number."""

NO_WAY = 2**60
"""Sums from here on contain such a unit."""

MOST_NODES = 1_200
"""Between all nodes of larger components no distances are computed."""

BLOCK = 4_000_000
"""Distances that are computed at a time."""


@dataclass(frozen=True, eq=False)
class Residual:
    """What one unit more or less on every link costs, beside an optimal flow.

    Attributes
    ----------
    tail, head, owner
        End nodes of the links and their component, shape ``(n_links,)``.
    more, less
        Cost of the next unit from tail to head, and of one unit less; :data:`NO_ROOM` for none.
    node_ptr
        Component ``c`` has the nodes ``node_ptr[c]:node_ptr[c + 1]``.
    """

    tail: Ints
    head: Ints
    owner: Ints
    more: Ints
    less: Ints
    node_ptr: Ints

    def of_component(self, component: int) -> Ints:
        """Return the links of a component."""
        order, ends = self._by_component
        return order[ends[component] : ends[component + 1]]

    @cached_property
    def _by_component(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.owner, kind="stable")
        ends = np.searchsorted(self.owner[order], np.arange(len(self.node_ptr)))
        return order, ends

    @property
    def steps(self) -> tuple[Ints, Ints, Ints]:
        """Tail, head and cost of all units that fit, those more before those less."""
        up, down = self.more < NO_ROOM, self.less < NO_ROOM
        return (
            np.concatenate([self.tail[up], self.head[down]]),
            np.concatenate([self.head[up], self.tail[down]]),
            np.concatenate([self.more[up], self.less[down]]),
        )


def residual(
    network: FlowNetwork, flow: Flow, link: Ints, ahead: NDArray[np.bool_], n_links: int
) -> Residual:
    """Return the residual network of a flow; components without a flow have no room anywhere.

    Parameters
    ----------
    network, flow
        A network and an optimal flow.
    link, ahead
        Of every arc: its link, and whether it runs like the link or against it.
    n_links
        Their number; each has an arc that runs like it.
    """
    f, cost = flow.flow, network.cost
    owner_of_arc = np.repeat(np.arange(network.n_components), np.diff(network.arc_ptr))
    dead = np.zeros(network.n_components, dtype=bool)
    dead[flow.infeasible] = True
    alive = ~dead[owner_of_arc]
    up, down = alive & (f < network.upper), alive & (f > network.lower)
    more, less = np.full(n_links, NO_ROOM), np.full(n_links, NO_ROOM)
    for fits, side, sign in (
        (up & ahead, more, 1),
        (down & ~ahead, more, -1),
        (down & ahead, less, -1),
        (up & ~ahead, less, 1),
    ):
        arcs = np.flatnonzero(fits)
        np.minimum.at(side, link[arcs], sign * cost[arcs])
    tail, head, owner = (np.zeros(n_links, dtype=np.int64) for _ in range(3))
    base = np.flatnonzero(ahead)
    tail[link[base]], head[link[base]] = network.tail[base], network.head[base]
    owner[link[base]] = owner_of_arc[base]
    return Residual(tail, head, owner, more, less, network.node_ptr)


def is_only(links: Residual, within: Ints) -> NDArray[np.bool_]:
    """Return of every component whether no other flow on its links costs as little.

    Another optimum differs by cycles of links of reduced cost 0. Where these links make nodes
    strongly connected they hold no cycle only if they are a tree.

    Parameters
    ----------
    links
        The residual network of an optimal flow.
    within
        Of every component: cycles that cost no more than this count too; then a component is said
        to have another optimum also where only the single links cost so little.

    Raises
    ------
    AssertionError
        If the flow was not optimal.
    """
    tail, head, cost = links.steps
    up, down = links.more < NO_ROOM, links.less < NO_ROOM
    slack = within[links.owner]
    n_nodes = int(links.node_ptr[-1])
    y, stable = node_potentials(tail, head, cost, links.node_ptr)
    if not stable:
        raise AssertionError("the flow is not optimal: a cycle has a negative cost")
    tight = cost + y[tail] - y[head] <= np.concatenate([slack[up], slack[down]])
    tail, head = tail[tight], head[tight]
    arcs = scipy.sparse.csr_matrix((np.ones(len(tail), np.int8), (tail, head)), (n_nodes, n_nodes))
    n_sets, of_node = scipy.sparse.csgraph.connected_components(
        arcs, directed=True, connection="strong"
    )
    slope = y[links.tail] - y[links.head]
    joins = (links.more + slope <= slack) | (links.less - slope <= slack)
    joins &= of_node[links.tail] == of_node[links.head]
    n_links = np.bincount(of_node[links.tail[joins]], minlength=n_sets)
    cyclic = n_links > np.bincount(of_node, minlength=n_sets) - 1
    component = np.repeat(np.arange(len(links.node_ptr) - 1), np.diff(links.node_ptr))
    only = np.ones(len(links.node_ptr) - 1, dtype=bool)
    only[component[cyclic[of_node]]] = False
    return only


@dataclass(frozen=True, eq=False)
class Distances:
    """Shortest ways between all nodes of a component, in the residual network."""

    flat: Ints
    start: Ints
    node_ptr: Ints

    def between(self, one: Ints, other: Ints, owner: Ints) -> Ints:
        """Return the distances from nodes to others of their components; NO_ROOM: no way."""
        return self.flat[_entry(one, other, owner, self.start, self.node_ptr)]


def distances(links: Residual) -> Distances:
    """Return all shortest distances (Floyd–Warshall, components of one size at a time).

    Raises
    ------
    SolverLimit
        For a component with more than ``MOST_NODES`` nodes.
    """
    size = np.diff(links.node_ptr)
    if size.max(initial=0) > MOST_NODES:
        raise SolverLimit(
            f"{size.max()} labels and groups are too many to tell what would change the pairing "
            f"(at most {MOST_NODES})",
            int(size.argmax()),
        )
    start = np.concatenate([[0], np.cumsum(size**2)])
    flat = np.full(start[-1], NO_ROOM)
    ends = (links.tail, links.head)
    for (one, other), cost in ((ends, links.more), (ends[::-1], links.less)):
        np.minimum.at(flat, _entry(one, other, links.owner, start, links.node_ptr), cost)
    for n in np.unique(size[size > 0]).tolist():
        alike = np.flatnonzero(size == n)
        step = max(1, BLOCK // n**2)
        for first in range(0, len(alike), step):
            at = start[alike[first : first + step], None] + np.arange(n * n)
            d = flat[at].reshape(-1, n, n)
            d[:, np.arange(n), np.arange(n)] = 0
            for k in range(n):
                np.minimum(d, d[:, :, k, None] + d[:, None, k, :], out=d)
            flat[at] = d.reshape(len(d), -1)
    flat[flat >= NO_WAY] = NO_ROOM
    return Distances(flat, start, links.node_ptr)


def _entry(one: Ints, other: Ints, owner: Ints, start: Ints, node_ptr: Ints) -> Ints:
    """Return where the distance between two nodes is."""
    first = node_ptr[owner]
    n = node_ptr[owner + 1] - first
    at: Ints = start[owner] + (one - first) * n + other - first
    return at


def cheapest_way(links: Residual, link: int, *, back: bool) -> tuple[int, Ints, Ints]:
    """Return the cheapest way around one link that does not use it, as a cycle with it.

    Parameters
    ----------
    links, link
        The residual network and the link.
    back
        One unit less on the link instead of one more; the way then leads from tail to head.

    Returns
    -------
    tuple
        What the way costs (:data:`NO_ROOM`: there is none); the links on it, and of each whether
        it gets one unit more (1) or less (-1).
    """
    own = links.of_component(int(links.owner[link]))
    own = own[own != link]
    up, down = own[links.more[own] < NO_ROOM], own[links.less[own] < NO_ROOM]
    lo, hi = links.node_ptr[links.owner[link] : links.owner[link] + 2].tolist()
    tail = np.concatenate([links.tail[up], links.head[down]]) - lo
    head = np.concatenate([links.head[up], links.tail[down]]) - lo
    cost = np.concatenate([links.more[up], links.less[down]])
    used, sign = np.concatenate([up, down]), np.repeat([1, -1], [len(up), len(down)])
    source, target = (int(x[link]) - lo for x in (links.head, links.tail))
    if back:
        source, target = target, source
    far = np.full(hi - lo, NO_ROOM)
    far[source] = 0
    by = np.full(hi - lo, -1)
    for _ in range(hi - lo):
        through = far[tail] + cost
        better = np.flatnonzero((through < far[head]) & (far[tail] < NO_WAY))
        if not len(better):
            break
        order = better[np.argsort(-through[better], kind="stable")]  # the cheapest is written last
        far[head[order]], by[head[order]] = through[order], order
    if far[target] >= NO_WAY:
        none = np.empty(0, dtype=np.int64)
        return NO_ROOM, none, none
    steps = []
    at = target
    while at != source:
        steps.append(int(by[at]))
        at = int(tail[by[at]])
    return int(far[target]), used[steps], sign[steps]
