"""Where classes stand in a layered picture: numbers only, nothing is drawn here.

Sugiyama's method: an edge that spans several layers gets a lane through each layer between,
layers are ordered by barycentres and swaps so that few edges cross, and positions come from
repeated least squares with minimum separations. The edges of one parent share their lanes.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput

__all__ = ["Layered", "layered", "layers_of"]

SWEEPS = 24
MOST_SWAPPED = 800
STRAIGHT = 6.0
"""How much more a link between two lanes insists on being straight than one between classes."""

Edges = Sequence[tuple[int, int]]
Pulls = list[tuple[NDArray[np.int64], NDArray[np.float64]]]
"""The neighbours of every item on one side, and how much each pulls."""


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
    order = _untangled(net)
    sides = np.full((len(net.layer), 2), float(lane))
    sides[: len(layer)] = np.column_stack([before, after])
    x = _placed(net, order, sides, gap)
    x -= (x - sides[:, 0]).min()
    return Layered(
        tuple(layer),
        tuple(x[: len(layer)].tolist()),
        float((x + sides[:, 1]).max()),
        tuple(tuple((net.layer[i], float(x[i])) for i in net.along(p, c)) for p, c in edges),
    )


def layers_of(levels: Sequence[int], edges: Edges) -> list[int]:
    """Return a layer for every node: levels without the empty ones, children below parents."""
    rank = {level: i for i, level in enumerate(sorted(set(levels)))}
    layer = [rank[level] for level in levels]
    for p, c in sorted(edges, key=lambda edge: edge[1]):
        if not 0 <= p < c < len(layer):
            raise BadInput(f"the edge ({p}, {c}): a parent must stand before its children")
        layer[c] = max(layer[c], layer[p] + 1)
    used = {k: i for i, k in enumerate(sorted(set(layer)))}
    return [used[k] for k in layer]


@dataclass(frozen=True, eq=False)
class _Net:
    """Nodes and lanes with links between neighbouring layers only."""

    layer: list[int]
    up: list[list[int]]
    down: list[list[int]]
    lanes: dict[tuple[int, int], int]

    @classmethod
    def of(cls, layer: Sequence[int], edges: Edges) -> _Net:
        net = cls(list(layer), [[] for _ in layer], [[] for _ in layer], {})
        for p, c in edges:
            for k in range(layer[p] + 1, layer[c]):
                if (p, k) not in net.lanes:
                    net.lanes[p, k] = len(net.layer)
                    net.layer.append(k)
                    net.up.append([])
                    net.down.append([])
            for a, b in pairwise(net.along(p, c)):
                if b not in net.down[a]:
                    net.down[a].append(b)
                    net.up[b].append(a)
        return net

    def along(self, p: int, c: int) -> list[int]:
        """Return what an edge runs through."""
        between = range(self.layer[p] + 1, self.layer[c])
        return [p, *(self.lanes[p, k] for k in between), c]


def _untangled(net: _Net) -> list[list[int]]:
    """Return the order of every layer with few crossings."""
    order = _depth_first(net)
    best, fewest = [list(row) for row in order], _crossings(net, order)
    vain = 0
    for sweep in range(SWEEPS):
        if fewest == 0 or vain == 4:
            break
        place = _places(net, order)
        rows = range(len(order)) if sweep % 2 == 0 else range(len(order) - 1, -1, -1)
        for k in rows:
            _sort_by_barycentre(order[k], net.up if sweep % 2 == 0 else net.down, place)
        if len(net.layer) <= MOST_SWAPPED:
            _swap(net, order, place)
        found = _crossings(net, order)
        vain = 0 if found < fewest else vain + 1
        if found < fewest:
            best, fewest = [list(row) for row in order], found
    return best


def _depth_first(net: _Net) -> list[list[int]]:
    """Return the order in which a walk from the first root meets the nodes: no tree tangles."""
    order: list[list[int]] = [[] for _ in range(max(net.layer) + 1)]
    seen: set[int] = set()
    stack = [i for i in range(len(net.layer)) if not net.up[i]][::-1]
    while stack:
        i = stack.pop()
        if i not in seen:
            seen.add(i)
            order[net.layer[i]].append(i)
            stack += net.down[i][::-1]
    return order


def _places(net: _Net, order: list[list[int]]) -> list[int]:
    place = [0] * len(net.layer)
    for row in order:
        for k, i in enumerate(row):
            place[i] = k
    return place


def _sort_by_barycentre(row: list[int], near: list[list[int]], place: list[int]) -> None:
    """Sort what has neighbours by their mean place; everything else keeps its slot."""
    slots = [k for k, i in enumerate(row) if near[i]]
    moved = sorted(
        (row[k] for k in slots), key=lambda i: sum(place[j] for j in near[i]) / len(near[i])
    )
    for k, i in zip(slots, moved, strict=True):
        row[k] = i
        place[i] = k


def _swap(net: _Net, order: list[list[int]], place: list[int]) -> None:
    """Swap neighbours as long as fewer edges cross."""

    def tangle(a: int, b: int) -> int:
        return sum(
            place[x] > place[y] for near in (net.up, net.down) for x in near[a] for y in near[b]
        )

    for _ in range(8):
        better = False
        for row in order:
            for k in range(len(row) - 1):
                a, b = row[k : k + 2]
                if tangle(b, a) < tangle(a, b):
                    row[k : k + 2] = b, a
                    place[a], place[b] = k + 1, k
                    better = True
        if not better:
            return


def _crossings(net: _Net, order: list[list[int]]) -> int:
    place = _places(net, order)
    count = 0
    for row in order:
        lower: list[int] = []
        for i in row:
            ends = sorted(place[j] for j in net.down[i])
            count += sum(len(lower) - bisect_right(lower, end) for end in ends)
            for end in ends:
                insort(lower, end)
    return count


def _placed(
    net: _Net, order: list[list[int]], sides: NDArray[np.float64], gap: float
) -> NDArray[np.float64]:
    """Return places that keep the order, the least separations, and else short edges."""
    steps = [
        np.cumsum([0.0, *(sides[a, 1] + gap + sides[b, 0] for a, b in pairwise(row))])
        for row in order
    ]
    x = np.zeros(len(net.layer))
    for row, step in zip(order, steps, strict=True):
        x[row] = step - step[-1] / 2
    lanes = set(net.lanes.values())

    def pulls(near: list[list[int]]) -> Pulls:
        factors = (
            [STRAIGHT if {i, j} <= lanes else 1.0 for j in row] for i, row in enumerate(near)
        )
        return [
            (np.array(row, dtype=np.int64), np.array(f))
            for row, f in zip(near, factors, strict=True)
        ]

    up, down = pulls(net.up), pulls(net.down)
    downwards, upwards = range(len(order)), range(len(order) - 1, -1, -1)
    for _ in range(12):
        for k in downwards:
            _fit(x, order[k], steps[k], [up])
        for k in upwards:
            _fit(x, order[k], steps[k], [down])
    for turn in range(24):
        for k in upwards if turn % 2 else downwards:
            _fit(x, order[k], steps[k], [up, down])
    return x


def _fit(
    x: NDArray[np.float64],
    row: list[int],
    step: NDArray[np.float64],
    sides: Sequence[Pulls],
) -> None:
    """Move one layer to where its neighbours pull it, as far as separations permit."""
    from scipy.optimize import isotonic_regression

    # Whatever no neighbour pulls stays, but gives way to everything else.
    pull = np.full(len(row), 1e-3)
    target = x[row] * pull
    for k, i in enumerate(row):
        for near, weight in (side[i] for side in sides):
            if len(near):
                pull[k] += weight.sum()
                target[k] += weight @ x[near]
    # With the least separations subtracted, keeping them means not to decrease.
    fitted = isotonic_regression(target / pull - step, weights=pull)
    x[row] = fitted.x + step
