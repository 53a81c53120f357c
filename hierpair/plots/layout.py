"""Where nodes stand in a layered picture: numbers only, nothing is drawn here.

Sugiyama's method: an edge that spans several layers gets a lane through each layer between, layers
are ordered by barycentres so that few edges cross, and places are those of a linear program: least
lengths of edges, and nodes in the middle of their neighbours, at least separations. The edges of
one parent share their lanes.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Floats

SWEEPS = 24
STRAIGHT = 6.0
"""How much more a link to a lane insists on being straight than one between nodes,"""
MIDDLE = 1.5
"""and how much a node insists on the middle of its neighbours."""
LANE = 2.0
"""What an edge that passes a layer takes on both sides."""

Edges = Sequence[tuple[int, int]]
Near = list[list[int]]


def layered(
    layer: Sequence[int],
    edges: Edges,
    before: Sequence[float],
    after: Sequence[float],
    gap: float = 8.0,
) -> tuple[list[float], dict[tuple[int, int], list[float]]]:
    """Return the place of every node along its layer, and the places that every edge runs through.

    A node takes the room ``before`` and ``after`` its place; ``gap`` is the least room between two
    neighbours. Every edge leads to a later layer.
    """
    of, lanes, along = list(layer), dict[tuple[int, int], int](), dict[tuple[int, int], list[int]]()
    for p, c in edges:
        if layer[p] >= layer[c]:
            raise BadInput(f"the edge ({p}, {c}): a parent must stand above its children")
        for k in range(layer[p] + 1, layer[c]):
            if lanes.setdefault((p, k), len(of)) == len(of):
                of.append(k)
        along[p, c] = [p, *(lanes[p, k] for k in range(layer[p] + 1, layer[c])), c]
    links = dict.fromkeys(link for through in along.values() for link in pairwise(through))
    up, down = [[] for _ in of], [[] for _ in of]  # type: Near, Near
    for a, b in links:
        down[a].append(b)
        up[b].append(a)
    sides = np.full((len(of), 2), LANE)
    sides[: len(layer)] = np.column_stack([before, after])
    x = _placed(_untangled(of, up, down), up, down, sides, gap, len(layer))
    return x[: len(layer)].tolist(), {ends: x[through].tolist() for ends, through in along.items()}


def _untangled(layer: Sequence[int], up: Near, down: Near) -> Near:
    """Return the order of every layer with few crossings.

    At first it is the one in which a walk from the first root meets the nodes: no tree tangles.
    """
    order: Near = [[] for _ in range(max(layer, default=-1) + 1)]
    stack = sorted(range(len(layer)), key=lambda i: (bool(up[i]), i), reverse=True)
    seen = set[int]()
    while stack:
        if (i := stack.pop()) not in seen:
            seen.add(i)
            order[layer[i]].append(i)
            stack += down[i][::-1]
    best, fewest = order, _crossings(order, down)
    for sweep in range(SWEEPS if fewest else 0):
        near, order = (down if sweep % 2 else up), [list(row) for row in order]
        place = {i: k for row in order for k, i in enumerate(row)}
        for row in reversed(order) if sweep % 2 else order:
            # What has neighbours is sorted by their mean place; all else keeps its slot.
            mean = {i: sum(place[j] for j in near[i]) / len(near[i]) for i in row if near[i]}
            first = iter(sorted(mean, key=mean.__getitem__))
            row[:] = [next(first) if i in mean else i for i in row]
            place |= {i: k for k, i in enumerate(row)}
        if (found := _crossings(order, down)) < fewest:
            best, fewest = order, found
    return best


def _crossings(order: Near, down: Near) -> int:
    """Return how many links cross."""
    place = {i: k for row in order for k, i in enumerate(row)}
    count = 0
    for row in order:
        lower: list[int] = []
        for i in row:
            ends = sorted(place[j] for j in down[i])
            count += sum(len(lower) - bisect_right(lower, end) for end in ends)
            for end in ends:
                insort(lower, end)
    return count


def _placed(order: Near, up: Near, down: Near, sides: Floats, gap: float, n_nodes: int) -> Floats:
    """Return places that keep the order and the least separations, and else short edges.

    The least weighted sum of absolute values is a linear program: each has a variable that is no
    less than the value and than its negative.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    terms: list[tuple[float, dict[int, float]]] = []  # weights, and factors of places
    for i, row in enumerate(down):
        for j in row:
            weight = STRAIGHT if max(i, j) >= n_nodes else 2.0 if len(row) == 1 else 1.0
            terms.append((weight, {i: 1.0, j: -1.0}))
    for near in (up, down):
        for i, row in enumerate(near):
            if len(row) > 1:
                terms.append((MIDDLE, {i: 1.0} | dict.fromkeys(row, -1.0 / len(row))))
    n = len(sides)
    limits: list[tuple[float, dict[int, float]]] = []  # of sums: the most
    for k, (_, factors) in enumerate(terms, n):
        limits += [(0.0, {i: s * f for i, f in factors.items()} | {k: -1.0}) for s in (1.0, -1.0)]
    for a, b in (both for row in order for both in pairwise(row)):
        limits.append((-(sides[a, 1] + gap + sides[b, 0]), {a: 1.0, b: -1.0}))
    if not limits:
        return np.zeros(n)
    entries = [(k, i, f) for k, (_, factors) in enumerate(limits) for i, f in factors.items()]
    rows, columns, values = zip(*entries, strict=True)
    matrix = coo_array((values, (rows, columns)), shape=(len(limits), n + len(terms))).tocsr()
    cost = [*[1e-4] * n, *(weight for weight, _ in terms)]
    found: Floats = linprog(cost, matrix, [most for most, _ in limits], method="highs").x[:n]
    return found
