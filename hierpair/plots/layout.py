"""Where nodes stand in a layered picture: numbers only, nothing is drawn here.

Sugiyama's method: an edge that spans several layers gets a lane through each layer between, layers
are ordered by barycentres so that few edges cross, and places are those of a linear program: least
lengths of edges, and nodes in the middle of their neighbours, at least separations. The edges of
one parent share their lanes.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput

SWEEPS = 24
STRAIGHT = 6.0
"""How much more a link to a lane insists on being straight than one between nodes,"""
MIDDLE = 1.5
"""and how much a node insists on the middle of its neighbours."""

Edges = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Layered:
    """Layer of every node, from 0, its place along the layer, what all layers need from 0, and
    the layers and places that every edge runs through, both ends included.
    """

    layer: tuple[int, ...]
    position: tuple[float, ...]
    breadth: float
    routes: tuple[tuple[tuple[int, float], ...], ...]


def layered(
    levels: Sequence[int],
    edges: Edges,
    before: Sequence[float],
    after: Sequence[float],
    *,
    gap: float = 8.0,
    lane: float = 2.0,
) -> Layered:
    """Lay out a directed acyclic graph; nodes of one level share a layer, parents come first.

    A node takes the room ``before`` and ``after`` its place, and an edge that passes a layer
    ``lane`` on both sides; ``gap`` is the least room between two neighbours.
    """
    layer = layers_of(levels, edges)
    if not layer:
        return Layered((), (), 0.0, ())
    net = _Net.of(layer, edges)
    sides = np.full((len(net.layer), 2), float(lane))
    sides[: len(layer)] = np.column_stack([before, after])
    x = _placed(net, _untangled(net), sides, gap)
    x -= (x - sides[:, 0]).min()
    return Layered(
        tuple(layer),
        tuple(x[: len(layer)].tolist()),
        float((x + sides[:, 1]).max()),
        tuple(tuple((net.layer[i], float(x[i])) for i in net.along[edge]) for edge in edges),
    )


def layers_of(levels: Sequence[int], edges: Edges) -> list[int]:
    """Return a layer for every node: levels without the empty ones, children below parents."""
    layer = list(levels)
    for p, c in sorted(edges, key=lambda edge: edge[1]):
        if not 0 <= p < c < len(layer):
            raise BadInput(f"the edge ({p}, {c}): a parent must stand before its children")
        layer[c] = max(layer[c], layer[p] + 1)
    used = {k: i for i, k in enumerate(sorted(set(layer)))}
    return [used[k] for k in layer]


@dataclass(frozen=True, eq=False)
class _Net:
    """Nodes and lanes with links between neighbouring layers only.

    ``near`` is by direction, up and down, the neighbours of every item; ``along`` what every edge
    runs through.
    """

    n: int
    layer: list[int]
    near: tuple[list[list[int]], list[list[int]]]
    along: dict[tuple[int, int], list[int]]

    @classmethod
    def of(cls, layer: Sequence[int], edges: Edges) -> _Net:
        of, lanes, along = list(layer), dict[tuple[int, int], int](), {}
        for p, c in edges:
            for k in range(layer[p] + 1, layer[c]):
                if lanes.setdefault((p, k), len(of)) == len(of):
                    of.append(k)
            along[p, c] = [p, *(lanes[p, k] for k in range(layer[p] + 1, layer[c])), c]
        up, down = [[] for _ in of], [[] for _ in of]  # type: list[list[int]], list[list[int]]
        for through in along.values():
            for a, b in pairwise(through):
                if b not in down[a]:
                    down[a].append(b)
                    up[b].append(a)
        return cls(len(layer), of, (up, down), along)


def _untangled(net: _Net) -> list[list[int]]:
    """Return the order of every layer with few crossings."""
    best = order = _depth_first(net)
    fewest, vain = _crossings(net, order), 0
    for sweep in range(SWEEPS):
        if fewest == 0 or vain == 4:
            break
        near, order = net.near[sweep % 2], [list(row) for row in order]
        place = {i: k for row in order for k, i in enumerate(row)}
        for row in reversed(order) if sweep % 2 else order:
            # What has neighbours is sorted by their mean place; all else keeps its slot.
            mean = {i: sum(place[j] for j in near[i]) / len(near[i]) for i in row if near[i]}
            first = iter(sorted(mean, key=mean.__getitem__))
            row[:] = [next(first) if i in mean else i for i in row]
            place |= {i: k for k, i in enumerate(row)}
        found = _crossings(net, order)
        vain = 0 if found < fewest else vain + 1
        if found < fewest:
            best, fewest = order, found
    return best


def _depth_first(net: _Net) -> list[list[int]]:
    """Return the order in which a walk from the first root meets the nodes: no tree tangles."""
    up, down = net.near
    order: list[list[int]] = [[] for _ in range(max(net.layer) + 1)]
    seen: set[int] = set()
    stack = sorted(range(len(net.layer)), key=lambda i: (bool(up[i]), i), reverse=True)
    while stack:
        i = stack.pop()
        if i not in seen:
            seen.add(i)
            order[net.layer[i]].append(i)
            stack += down[i][::-1]
    return order


def _crossings(net: _Net, order: list[list[int]]) -> int:
    """Return how many links cross."""
    place = {i: k for row in order for k, i in enumerate(row)}
    count = 0
    for row in order:
        lower: list[int] = []
        for i in row:
            ends = sorted(place[j] for j in net.near[1][i])
            count += sum(len(lower) - bisect_right(lower, end) for end in ends)
            for end in ends:
                insort(lower, end)
    return count


def _placed(
    net: _Net, order: list[list[int]], sides: NDArray[np.float64], gap: float
) -> NDArray[np.float64]:
    """Return places that keep the order and the least separations, and else short edges.

    The least weighted sum of absolute values is a linear program: each has a variable that is no
    less than the value and than its negative.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    up, down = net.near
    terms: list[tuple[tuple[int, ...], tuple[float, ...], float]] = [
        ((i, j), (1.0, -1.0), STRAIGHT if max(i, j) >= net.n else 2.0 if len(row) == 1 else 1.0)
        for i, row in enumerate(down)
        for j in row
    ]
    terms += [
        ((i, *row), (1.0, *[-1.0 / len(row)] * len(row)), MIDDLE)
        for near in (up, down)
        for i, row in enumerate(near)
        if len(row) > 1
    ]
    n, m = len(net.layer), len(terms)
    entries, most = list[tuple[int, int, float]](), list[float]()
    for k, (at, factors, _) in enumerate(terms):
        for sign in (1.0, -1.0):
            at_most = len(most)
            entries += [(at_most, i, sign * f) for i, f in zip(at, factors, strict=True)]
            entries.append((at_most, n + k, -1.0))
            most.append(0.0)
    for a, b in (both for layer in order for both in pairwise(layer)):
        entries += [(len(most), a, 1.0), (len(most), b, -1.0)]
        most.append(-float(sides[a, 1] + gap + sides[b, 0]))
    if not most:
        return np.zeros(n)
    rows, columns, values = zip(*entries, strict=True)
    matrix = coo_array((values, (rows, columns)), shape=(len(most), n + m)).tocsr()
    cost = [*[1e-4] * n, *(weight for *_, weight in terms)]
    found: NDArray[np.float64] = linprog(cost, matrix, most, method="highs").x[:n]
    return found
