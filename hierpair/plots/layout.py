"""Where nodes stand in a layered picture: numbers only, nothing is drawn here.

Sugiyama's method: an edge that spans several layers gets a lane through each layer between, layers
are ordered by barycentres so that few edges cross, and places are those of a linear program: least
lengths of edges, and nodes in the middle of their neighbours, at least separations. The edges of
one parent share their lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hierpair.hierarchy.arrays import Floats

SWEEPS = 24
STRAIGHT = 6.0
"""How much more a link to a lane insists on being straight than one between nodes,"""
MIDDLE = 1.5
"""and how much a node insists on the middle of its neighbours."""
LANE = 2.0
"""What an edge that passes a layer takes on both sides."""

Ends = tuple[int, int]


def layered(
    layer: Sequence[int], edges: Sequence[Ends], room: Any, gap: float = 8.0
) -> tuple[list[float], dict[Ends, list[float]]]:
    """Return the place of every node along its layer, and the places that every edge runs through.

    A node takes ``room`` before and after its place; ``gap`` is the least room between two
    neighbours. Every edge leads to a later layer.
    """
    import networkx as nx

    of, lanes, routes = list(layer), dict[Ends, int](), dict[Ends, list[int]]()
    for p, c in edges:
        passed = range(layer[p] + 1, layer[c])
        for k in passed:
            if lanes.setdefault((p, k), len(of)) == len(of):
                of.append(k)
        routes[p, c] = [p, *(lanes[p, k] for k in passed), c]
    links = nx.DiGraph()
    links.add_nodes_from(range(len(of)))
    for route in routes.values():
        nx.add_path(links, route)
    sides = np.full((len(of), 2), LANE)
    sides[: len(layer)] = room
    x = _placed(_untangled(of, links), links, sides, gap, len(layer))
    return x[: len(layer)].tolist(), {ends: x[route].tolist() for ends, route in routes.items()}


def _untangled(layer: Sequence[int], links: Any) -> list[list[int]]:
    """Return the order of every layer with few crossings.

    At first it is the one in which a walk from the first root meets the nodes: no tree tangles.
    """
    import networkx as nx

    roots = (i for i, n_above in links.in_degree if not n_above)
    walk = dict.fromkeys(i for root in roots for i in nx.dfs_preorder_nodes(links, root))
    order = [[i for i in walk if layer[i] == k] for k in sorted({*layer})]
    place = np.zeros(len(layer))
    a, b = np.array([*links.edges], int).reshape(-1, 2).T
    beside = np.equal.outer(at := np.array(layer)[a], at)

    def crossings() -> int:
        for row in order:
            place[row] = range(len(row))
        return int(
            (
                np.less.outer(place[a], place[a]) & np.greater.outer(place[b], place[b]) & beside
            ).sum()
        )

    best, fewest = order, crossings()
    for sweep in range(SWEEPS if fewest else 0):
        near, order = (links.succ if sweep % 2 else links.pred), [[*row] for row in order]
        for row in order[::-1] if sweep % 2 else order:
            # What has neighbours is sorted by their mean place; all else keeps its slot.
            mean = {i: place[[*near[i]]].mean() for i in row if near[i]}
            moved = iter(sorted(mean, key=mean.__getitem__))
            row[:] = [next(moved) if i in mean else i for i in row]
            place[row] = range(len(row))
        if (found := crossings()) < fewest:
            best, fewest = order, found
    return best


def _placed(order: list[list[int]], links: Any, sides: Floats, gap: float, n_nodes: int) -> Floats:
    """Return places that keep the order and the least separations, and else short edges.

    The least weighted sum of absolute values is a linear program: each has a variable that is no
    less than the value and than its negative.
    """
    from scipy.optimize import linprog

    if not len(sides):
        return np.zeros(0)
    middles = [
        (i, [*near[i]]) for near in (links.pred, links.succ) for i in near if len(near[i]) > 1
    ]
    terms = [(i, [j]) for i, j in links.edges] + middles  # what wants to be in whose middle
    weight = [
        STRAIGHT if max(i, j) >= n_nodes else 1.0 + (links.out_degree(i) == 1)
        for i, j in links.edges
    ] + [MIDDLE] * len(middles)
    n, m = len(sides), len(terms)
    each = np.eye(n)
    off = np.array([each[i] - each[row].mean(axis=0) for i, row in terms]).reshape(m, n)
    a, b = np.array([both for row in order for both in pairwise(row)], int).reshape(-1, 2).T
    limits = np.block([
        [np.kron(off, [[1.0], [-1.0]]), np.kron(np.eye(m), [[-1.0], [-1.0]])],
        [each[a] - each[b], np.zeros((len(a), m))],
    ])  # fmt: skip
    most = [*[0.0] * 2 * m, *(-(sides[a, 1] + gap + sides[b, 0]))]
    found: Floats = linprog([*[1e-4] * n, *weight], limits, most, method="highs").x[:n]
    return found
