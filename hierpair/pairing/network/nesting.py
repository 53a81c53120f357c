"""How sets of pairs lie in each other, and the node that each of them has in the network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import offsets
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem

__all__ = ["Nested", "nested"]

Ints = NDArray[np.int64]


INSIDE = {"label": 1, "partners": 2}
"""What is around what where sets are equal: groups, labels, groups of partners."""


@dataclass(frozen=True, eq=False)
class Nested:
    """The nodes of all instances: source, sink (the same without a bound on all pairs), sets.

    Attributes
    ----------
    node_ptr
        Nodes of instance ``i`` are ``node_ptr[i]`` to ``node_ptr[i + 1] - 1``.
    ends
        Of every counter, tail and head of the links between its sets and those around them.
    innermost
        By side, the node of the smallest set that every pair is in.
    """

    node_ptr: Ints
    ends: list[tuple[Ints, Ints]]
    innermost: dict[Side, Ints]


def nested(problem: PairingProblem, every: list[Partition]) -> Nested:
    """Return nodes for the sets of all counters.

    Raises
    ------
    BadInput
        For sets of a side of which neither contains the other; names them.
    """
    n = problem.n_components
    apart = int(any(c.side is None for c in every))
    of_side = [k for k, c in enumerate(every) if c.side is not None]
    blocks = [np.full(n, 1 + apart)]
    blocks += [np.bincount(every[k].instance, minlength=n) for k in of_side]
    node_ptr = offsets(np.sum(blocks, axis=0))
    before = np.cumsum([np.zeros(n, np.int64), *blocks], axis=0) + node_ptr[:-1]
    hub: dict[Side, Ints] = {"predicted": node_ptr[:-1], "true": node_ptr[:-1] + apart}
    node = {}
    for block, k in enumerate(of_side, start=1):
        owner = every[k].instance
        rank = np.arange(len(owner)) - offsets(np.bincount(owner, minlength=n))[owner]
        node[k] = before[block][owner] + rank
    around: dict[int, Ints] = {}
    innermost: dict[Side, Ints] = {}
    for s in SIDES:
        own = [k for k in of_side if every[k].side == s]
        own.sort(key=lambda k: INSIDE.get(every[k].kind, 0))
        around |= {k: hub[s][every[k].instance] for k in own}
        if len(own) == 1:  # labels alone
            innermost[s] = node[own[0]][every[own[0]].of_pair]
        else:
            innermost[s] = _around(problem, every, own, node, around, hub[s])
    ends = []
    for k, counter in enumerate(every):
        if counter.side is None:
            ends.append((hub["true"], hub["predicted"]))
        else:
            way = (around[k], node[k])
            ends.append(way if counter.side == "predicted" else way[::-1])
    return Nested(node_ptr, ends, innermost)


def _around(
    problem: PairingProblem,
    every: list[Partition],
    own: list[int],
    node: dict[int, Ints],
    around: dict[int, Ints],
    hub: Ints,
) -> Ints:
    """Write the node around every set of a side; return the innermost one of every pair."""
    n_pairs = len(problem.pairs.instance)
    each = np.arange(n_pairs)
    size = np.zeros((n_pairs, len(own)), dtype=np.int64)
    for j, k in enumerate(own):
        inside = every[k].of_pair >= 0
        size[inside, j] = every[k].units(each)[every[k].of_pair[inside]]
    order = np.argsort(-size, axis=1, kind="stable")  # large sets first; what is in none comes last
    at = hub[problem.component(problem.pairs.instance)]
    steps: list[tuple[int, Ints, Ints]] = []
    for rank in range(len(own)):
        above = at.copy()
        for j, k in enumerate(own):
            here = np.flatnonzero((order[:, rank] == j) & (size[:, j] > 0))
            which = every[k].of_pair[here]
            at[here] = node[k][which]
            around[k][which] = above[here]
            steps.append((k, here, above[here]))
    for k, here, above in steps:
        differ = np.flatnonzero(around[k][every[k].of_pair[here]] != above)
        if len(differ):
            _refuse(problem, every, own, k, int(every[k].of_pair[here[differ[0]]]))
    return at


def _refuse(
    problem: PairingProblem, every: list[Partition], own: list[int], k: int, at: int
) -> None:
    """Name the two smallest sets that overlap where this one does, and why that is no flow."""
    instance = int(every[k].instance[at])
    here = slice(*problem.pairs.ptr[instance : instance + 2].tolist())
    sets = [(j, i) for j in own for i in np.flatnonzero(every[j].instance == instance).tolist()]
    inside = np.stack([every[j].of_pair[here] == i for j, i in sets], axis=1).astype(np.int64)
    size, shared = inside.sum(axis=0), inside.T @ inside
    cross = (shared > 0) & (shared < size) & (shared < size[:, None])
    both = np.argwhere(cross)
    small = both[np.argmin(size[both].sum(axis=1))]
    one, other = (every[j].place(i)[0] for j, i in (sets[n] for n in small.tolist()))
    raise BadInput(
        f"{one} and {other} overlap, and neither contains the other; a flow "
        "can nest groups of a side, not cross them",
        instance,
    )
