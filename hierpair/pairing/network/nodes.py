"""The nodes of a network: how sets of pairs lie in each other, and on which side each hangs."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.pairing.constraints.counts import Count
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import NetworkBuilder

__all__ = ["on_sides", "placed"]

INSIDE = {"label": 1, "partners": 2}
"""What is around what where sets are equal: groups, labels, groups of partners."""

Sets = tuple[int, int]
"""A set of one count and a set of another."""


def placed(
    network: NetworkBuilder,
    problem: PairingProblem,
    counts: Sequence[Count],
    there: Sequence[Bools],
    kept: Ints,
) -> tuple[list[tuple[Ints, Ints]], list[Ints]]:
    """Add a hub, more of them between counts of all pairs, and nodes for the sets that are there.

    Returns
    -------
    tuple
        Of every count, tail and head of the arcs between its sets and those around them; and by
        side the node of the smallest set that each of the kept pairs is in.

    Raises
    ------
    BadInput
        For sets of a side of which neither contains the other; names them.
    """
    n, between = problem.n_components, [k for k, c in enumerate(counts) if c.side is None]
    of_side = [k for k, c in enumerate(counts) if c.side is not None]
    used = np.full(n, bool(between))
    for k in of_side:
        used[counts[k].instance[there[k]]] = True
    hubs = np.full((len(between) + 1, n), -1, dtype=np.int64)
    hubs[:, used] = network.nodes(np.tile(np.flatnonzero(used), len(hubs))).reshape(len(hubs), -1)
    node, around = {}, {}
    for k in of_side:
        node[k] = np.full(len(counts[k]), -1, dtype=np.int64)
        node[k][there[k]] = network.nodes(counts[k].instance[there[k]])
        around[k] = hubs[0 if counts[k].side == "predicted" else -1][counts[k].instance]
    innermost = []
    for s, hub in zip(SIDES, (hubs[0], hubs[-1]), strict=True):
        own = [k for k in of_side if counts[k].side == s and there[k].any()]
        own.sort(key=lambda k: INSIDE.get(counts[k].kind, 0))
        if len(own) == 1 and counts[own[0]].kind == "label":  # what every pair is in
            innermost.append(node[own[0]][counts[own[0]].of_pair[kept]])
        else:
            at = hub[problem.component(problem.pairs.instance)]
            innermost.append(_nested(counts, own, node, around, at)[kept])
    ends = []
    for k, count in enumerate(counts):
        if count.side is None:  # from the hub of the true side back to that of the predicted one
            step = between.index(k)
            ends.append((hubs[step + 1], hubs[step]))
        else:
            way = (around[k], node[k])
            ends.append(way if count.side == "predicted" else way[::-1])
    return ends, innermost


def _nested(
    counts: Sequence[Count],
    own: Sequence[int],
    node: dict[int, Ints],
    around: dict[int, Ints],
    at: Ints,
) -> Ints:
    """Write the node around every set of a side; return the innermost one of every pair.

    ``at`` is where every pair begins.
    """
    size = np.zeros((len(at), len(own)), dtype=np.int64)
    for j, k in enumerate(own):
        of = counts[k].of_pair
        inside = (of >= 0) & (node[k][of] >= 0)
        size[inside, j] = counts[k].sizes[of[inside]]
    order = np.argsort(-size, axis=1, kind="stable")  # large sets first; what is in none comes last
    steps: list[tuple[int, Ints, Ints]] = []
    for rank in range(len(own)):
        above = at.copy()
        for j, k in enumerate(own):
            here = np.flatnonzero((order[:, rank] == j) & (size[:, j] > 0))
            which = counts[k].of_pair[here]
            at[here] = node[k][which]
            around[k][which] = above[here]
            steps.append((k, which, above[here]))
    if any((around[k][which] != above).any() for k, which, above in steps):
        crossing = ((a, b, _overlap(counts[a], counts[b])) for a, b in combinations(own, 2))
        a, b, sets = next((a, b, sets) for a, b, sets in crossing if sets is not None)
        (one, instance), (other, _) = counts[a].place(sets[0]), counts[b].place(sets[1])
        raise BadInput(
            f"{one} and {other} overlap, and neither contains the other; a flow "
            "can nest groups of a side, not cross them",
            instance,
        )
    return at


# ---------------------------------------------------------------- instances that are one problem


def on_sides(problem: PairingProblem, counts: Sequence[Count]) -> list[Count]:
    """Return what is counted as sets of one network, each on the side where it nests.

    Two counts cross if a set of one overlaps with a set of the other and neither contains the
    other; they have to be on different sides. The labels are on their own ones.

    Raises
    ------
    BadInput
        If counts cross so that two sides do not suffice, which is no flow.
    """
    crossing: list[dict[int, Sets]] = [{} for _ in counts]
    for a, b in combinations(range(len(counts)), 2):
        overlap = _overlap(counts[a], counts[b])
        if overlap is not None:
            crossing[a][b], crossing[b][a] = overlap, overlap[::-1]
    side: dict[int, Side] = {
        k: c.side for k, c in enumerate(counts) if c.kind == "label" and c.side
    }
    queue = deque(side)
    for start, count in enumerate(counts):  # what crosses something has to be on the other side
        while queue:
            k = queue.popleft()
            for other, sets in crossing[k].items():
                wanted = SIDES[1 - SIDES.index(side[k])]
                if other not in side:
                    side[other] = wanted
                    queue.append(other)
                elif side[other] != wanted:
                    _refuse_third(problem, (counts[k], counts[other]), sets)
        if start not in side:
            side[start] = count.side or "predicted"
            queue.append(start)
    one = (np.zeros_like(c.instance) for c in counts)
    return [replace(c, side=side[k], instance=next(one)) for k, c in enumerate(counts)]


def _overlap(one: Count, other: Count) -> Sets | None:
    """Return two sets that cross, or None."""
    both = np.flatnonzero((one.of_pair >= 0) & (other.of_pair >= 0))
    key, shared = np.unique(
        one.of_pair[both] * len(other) + other.of_pair[both], return_counts=True
    )
    a, b = np.divmod(key, max(1, len(other)))
    at = np.flatnonzero((shared < one.sizes[a]) & (shared < other.sizes[b]))
    return (int(a[at[0]]), int(b[at[0]])) if len(at) else None


def _refuse_third(problem: PairingProblem, which: tuple[Count, Count], sets: Sets) -> None:
    """Name two sets that cross although they have to be on one side."""
    names = []
    for count, at in zip(which, sets, strict=True):
        whose, instance = count.place(at)
        names.append(whose if instance is None else f"{whose} (instance {instance})")
    said = dict.fromkeys(str(quota.source) for quota in problem.quotas)
    raise BadInput(
        f"{' and '.join(said)}: {names[0]} and {names[1]} overlap, neither contains the other, and "
        "both cross bounds of the other side; a flow can nest sets of pairs on two sides, not "
        "cross them on a third (bounds per predicted class, per true class and per instance "
        "together are three-dimensional matching). Leave one of them out, or make it a cost"
    )
