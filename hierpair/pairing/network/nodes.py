"""The nodes of a network: how sets of pairs lie in each other, and on which side each hangs."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import offsets
from hierpair.pairing.constraints.counts import Count
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem

__all__ = ["Nodes", "on_sides", "placed"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


INSIDE = {"label": 1, "partners": 2}
"""What is around what where sets are equal: groups, labels, groups of partners."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of all components: a hub, more of them between counts of all pairs, then sets.

    Attributes
    ----------
    node_ptr
        Nodes of component ``i`` are ``node_ptr[i]`` to ``node_ptr[i + 1] - 1``.
    ends
        Of every count, tail and head of the arcs between its sets and those around them.
    innermost
        By side, the node of the smallest set that each of the pairs is in.
    """

    node_ptr: Ints
    ends: list[tuple[Ints, Ints]]
    innermost: dict[Side, Ints]


def placed(
    problem: PairingProblem, counts: Sequence[Count], there: Sequence[Bools], kept: Ints
) -> Nodes:
    """Return nodes for the sets that are there, and between which of them some pairs lie.

    Raises
    ------
    BadInput
        For sets of a side of which neither contains the other; names them.
    """
    n = problem.n_components
    of_side = [k for k, c in enumerate(counts) if c.side is not None]
    between = [k for k, c in enumerate(counts) if c.side is None]
    owners = {k: counts[k].instance[there[k]] for k in of_side}
    used = np.zeros(n, dtype=bool)
    for owner in owners.values():
        used[owner] = True
    blocks = [
        np.where(used | bool(between), 1 + len(between), 0),
        *(np.bincount(x, minlength=n) for x in owners.values()),
    ]
    node_ptr = offsets(np.sum(blocks, axis=0))
    before = node_ptr[:-1] + blocks[0]
    hub: dict[Side, Ints] = {"predicted": node_ptr[:-1], "true": node_ptr[:-1] + len(between)}
    node = {}
    for (k, owner), block in zip(owners.items(), blocks[1:], strict=True):
        rank = np.arange(len(owner)) - offsets(np.bincount(owner, minlength=n))[owner]
        node[k] = np.full(len(counts[k]), -1, dtype=np.int64)
        node[k][there[k]] = before[owner] + rank
        before = before + block
    around: dict[int, Ints] = {}
    innermost: dict[Side, Ints] = {}
    for s in SIDES:
        own = [k for k in of_side if counts[k].side == s and there[k].any()]
        own.sort(key=lambda k: INSIDE.get(counts[k].kind, 0))
        around |= {k: hub[s][counts[k].instance] for k in of_side if counts[k].side == s}
        if len(own) == 1 and counts[own[0]].kind == "label":  # what every pair is in
            innermost[s] = node[own[0]][counts[own[0]].of_pair[kept]]
        else:
            innermost[s] = _around(problem, counts, own, node, around, hub[s])[kept]
    ends = []
    for k, count in enumerate(counts):
        if count.side is None:  # from the hub of the true side back to that of the predicted one
            step = between.index(k)
            ends.append((node_ptr[:-1] + step + 1, node_ptr[:-1] + step))
        else:
            way = (around[k], node[k])
            ends.append(way if count.side == "predicted" else way[::-1])
    return Nodes(node_ptr, ends, innermost)


def _around(
    problem: PairingProblem,
    counts: Sequence[Count],
    own: list[int],
    node: dict[int, Ints],
    around: dict[int, Ints],
    hub: Ints,
) -> Ints:
    """Write the node around every set of a side; return the innermost one of every pair."""
    n_pairs = len(problem.pairs.instance)
    size = np.zeros((n_pairs, len(own)), dtype=np.int64)
    for j, k in enumerate(own):
        of = counts[k].of_pair
        inside = (of >= 0) & (node[k][of] >= 0)
        size[inside, j] = _sizes(counts[k])[of[inside]]
    order = np.argsort(-size, axis=1, kind="stable")  # large sets first; what is in none comes last
    at = hub[problem.component(problem.pairs.instance)]
    steps: list[tuple[int, Ints, Ints]] = []
    for rank in range(len(own)):
        above = at.copy()
        for j, k in enumerate(own):
            here = np.flatnonzero((order[:, rank] == j) & (size[:, j] > 0))
            which = counts[k].of_pair[here]
            at[here] = node[k][which]
            around[k][which] = above[here]
            steps.append((k, which, above[here]))
    for k, which, above in steps:
        differ = np.flatnonzero(around[k][which] != above)
        if len(differ):
            _refuse_crossing(problem, counts, own, k, int(which[differ[0]]))
    return at


def _sizes(count: Count) -> Ints:
    return np.bincount(count.of_pair[count.of_pair >= 0], minlength=len(count))


def _refuse_crossing(
    problem: PairingProblem, counts: Sequence[Count], own: list[int], k: int, at: int
) -> None:
    """Name the two smallest sets that overlap where this one does, and why that is no flow."""
    instance = int(counts[k].instance[at])
    here = slice(*problem.pairs.ptr[instance : instance + 2].tolist())
    sets = [(j, i) for j in own for i in np.flatnonzero(counts[j].instance == instance).tolist()]
    inside = np.stack([counts[j].of_pair[here] == i for j, i in sets], axis=1).astype(np.int64)
    size, shared = inside.sum(axis=0), inside.T @ inside
    both = np.argwhere((shared > 0) & (shared < size) & (shared < size[:, None]))
    small = both[np.argmin(size[both].sum(axis=1))]
    one, other = (counts[j].place(i)[0] for j, i in (sets[n] for n in small.tolist()))
    raise BadInput(
        f"{one} and {other} overlap, and neither contains the other; a flow "
        "can nest groups of a side, not cross them",
        instance,
    )


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
    crossing: dict[int, dict[int, tuple[int, int]]] = {k: {} for k in range(len(counts))}
    for a, b in combinations(range(len(counts)), 2):
        overlap = _overlap(counts[a], counts[b])
        if overlap is not None:
            crossing[a][b], crossing[b][a] = overlap, overlap[::-1]
    side: dict[int, Side] = {
        k: c.side for k, c in enumerate(counts) if c.kind == "label" and c.side is not None
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


def _overlap(one: Count, other: Count) -> tuple[int, int] | None:
    """Return two sets that cross, or None."""
    both = np.flatnonzero((one.of_pair >= 0) & (other.of_pair >= 0))
    a, b = one.of_pair[both], other.of_pair[both]
    _, first, count = np.unique(a * len(other) + b, return_index=True, return_counts=True)
    bad = (count < _sizes(one)[a[first]]) & (count < _sizes(other)[b[first]])
    at = np.flatnonzero(bad)
    return (int(a[first[at[0]]]), int(b[first[at[0]]])) if len(at) else None


def _refuse_third(
    problem: PairingProblem, which: tuple[Count, Count], sets: tuple[int, int]
) -> None:
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
