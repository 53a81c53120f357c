"""Instances that quotas join: one network for all, and on which side of it each set hangs."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem

__all__ = ["joined"]


def joined(problem: PairingProblem, every: list[Partition]) -> list[Partition]:
    """Return what is counted as sets of one network, each on the side where it nests.

    Two statements cross if a set of one overlaps with a set of the other and neither contains the
    other; they have to hang on different sides. The labels hang on their own ones.

    Raises
    ------
    BadInput
        If statements cross so that two sides do not suffice, which is no flow.
    """
    crossing: dict[int, dict[int, tuple[int, int]]] = {k: {} for k in range(len(every))}
    for a, b in combinations(range(len(every)), 2):
        overlap = _overlap(every[a], every[b])
        if overlap is not None:
            crossing[a][b], crossing[b][a] = overlap, overlap[::-1]
    side: dict[int, Side] = {}
    labels = [k for k, counter in enumerate(every) if counter.kind == "label"]
    _spread({k: every[k].key[1] for k in labels}, side, crossing, every, problem)
    for k, counter in enumerate(every):
        if k not in side:
            _spread({k: counter.side or "predicted"}, side, crossing, every, problem)
    return [
        replace(counter, side=side[k], instance=np.zeros_like(counter.instance))
        for k, counter in enumerate(every)
    ]


def _overlap(one: Partition, other: Partition) -> tuple[int, int] | None:
    """Return two sets that cross, or None."""
    both = np.flatnonzero((one.of_pair >= 0) & (other.of_pair >= 0))
    a, b = one.of_pair[both], other.of_pair[both]
    _, first, count = np.unique(a * len(other) + b, return_index=True, return_counts=True)
    sizes = [_sizes(x) for x in (one, other)]
    bad = (count < sizes[0][a[first]]) & (count < sizes[1][b[first]])
    at = np.flatnonzero(bad)
    return (int(a[first[at[0]]]), int(b[first[at[0]]])) if len(at) else None


def _sizes(counter: Partition) -> NDArray[np.int64]:
    return np.bincount(counter.of_pair[counter.of_pair >= 0], minlength=len(counter))


def _spread(
    start: dict[int, Side],
    side: dict[int, Side],
    crossing: dict[int, dict[int, tuple[int, int]]],
    every: list[Partition],
    problem: PairingProblem,
) -> None:
    """Give everything that crosses something, directly or not, the side that it needs."""
    side |= start
    queue = deque(start)
    while queue:
        k = queue.popleft()
        for other, sets in crossing[k].items():
            wanted = SIDES[1 - SIDES.index(side[k])]
            if other not in side:
                side[other] = wanted
                queue.append(other)
            elif side[other] != wanted:
                _refuse(problem, every, (k, other), sets)


def _refuse(
    problem: PairingProblem, every: list[Partition], which: tuple[int, int], sets: tuple[int, int]
) -> None:
    """Name two sets that cross although they have to hang on one side."""
    names = []
    for k, at in zip(which, sets, strict=True):
        whose, instance = every[k].place(at)
        names.append(whose if instance is None else f"{whose} (instance {instance})")
    said = dict.fromkeys(str(quota.source) for quota in problem.quotas)
    raise BadInput(
        f"{' and '.join(said)}: {names[0]} and {names[1]} overlap, neither contains the other, and "
        "both cross bounds of the other side; a flow can nest sets of pairs on two sides, not "
        "cross them on a third (bounds per predicted class, per true class and per instance "
        "together are three-dimensional matching). Leave one of them out, or make it a cost"
    )
