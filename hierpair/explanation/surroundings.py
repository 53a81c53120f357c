"""The part of a hierarchy around the labels of one instance."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from hierpair.explanation.evidence import (
    ARTIFICIAL,
    ClassNode,
    ExtensionEvidence,
    Neighbourhood,
    PairEvidence,
)
from hierpair.hierarchy import Hierarchy

__all__ = ["grown_neighbourhood", "neighbourhood"]


def neighbourhood(
    hierarchy: Hierarchy,
    true: NDArray[np.integer],
    predicted: NDArray[np.integer],
    pairing: PairEvidence | None = None,
    *,
    most: int = 60,
) -> Neighbourhood:
    """Return the labels and their ancestors, at most so many classes.

    Parameters
    ----------
    hierarchy
        The classes.
    true, predicted
        Class numbers of the labels.
    pairing
        Marks chosen pairs, and labels that paid the default cost.
    most
        When there are more classes, ancestors far from all labels are left out first, of equally
        far ones those of one side only; labels always stay.
    """
    sides = [_upward(hierarchy, classes.tolist()) for classes in (true, predicted)]
    up: dict[int, int] = {}
    for side in sides:
        for c, steps in side.items():
            up[c] = min(steps, up.get(c, steps))
    order = sorted(up, key=lambda c: (up[c], not all(c in side for side in sides), c))
    labels = sum(steps == 0 for steps in up.values())
    kept = sorted(order[: max(most, labels)])
    place = {c: i for i, c in enumerate(kept)}
    alone = _alone(hierarchy, pairing)
    ptr, children = hierarchy.child_ptr, hierarchy.children
    nodes, edges = [], []
    for c in kept:
        below = children[ptr[c] : ptr[c + 1]].tolist()
        shown = [b for b in below if b in place]
        edges += [(place[c], place[b]) for b in shown]
        nodes.append(
            ClassNode(
                hierarchy.names[c],
                int(hierarchy.levels[c]),
                sides[0].get(c) == 0,
                sides[1].get(c) == 0,
                c in sides[0],
                c in sides[1],
                c in alone,
                len(below) - len(shown),
            )
        )
    return Neighbourhood(
        tuple(nodes), tuple(edges), _chosen(hierarchy, pairing, place), len(up) - len(kept)
    )


def grown_neighbourhood(
    hierarchy: Hierarchy,
    true: NDArray[np.integer],
    predicted: NDArray[np.integer],
    graphs: ExtensionEvidence,
    *,
    most: int = 60,
) -> Neighbourhood:
    """Return the two graphs of an LCA measure: their classes, their edges, and the LCAs.

    When there are more classes than ``most``, those far from all labels and LCAs are left out
    first; labels and LCAs always stay.
    """
    in_true = {*graphs.shared, *graphs.only_true}
    in_predicted = {*graphs.shared, *graphs.only_predicted}
    left_out = set(graphs.removed)
    labels = [
        {hierarchy.names[c] for c in side.tolist() if (word, hierarchy.names[c]) not in left_out}
        for word, side in (("true", true), ("predicted", predicted))
    ]
    number = {**hierarchy.position, ARTIFICIAL: -1}  # the artificial class is above all others
    every = in_true | in_predicted | labels[0] | labels[1]
    both = {*graphs.edges_true, *graphs.edges_predicted}
    names = sorted(_nearest(labels[0] | labels[1] | {*graphs.lcas}, both, every, most),
                   key=lambda name: number[name])  # fmt: skip
    place = {name: i for i, name in enumerate(names)}
    edges = {(place[p], place[c]) for p, c in both if p in place and c in place}
    nodes = tuple(
        ClassNode(
            name,
            0 if name == ARTIFICIAL else int(hierarchy.levels[number[name]]) + 1,
            name in labels[0],
            name in labels[1],
            name in in_true,
            name in in_predicted,
            False,
            0,
        )
        for name in names
    )
    return Neighbourhood(
        nodes,
        tuple(sorted(edges)),
        n_left_out=len(every) - len(names),
        lcas=tuple(place[a] for a in graphs.lcas),
    )


def _nearest(
    kept: set[Hashable], edges: set[tuple[Hashable, Hashable]], every: set[Hashable], most: int
) -> set[Hashable]:
    """Return these classes and, step by step along edges, the nearest others until there are most.

    Of equally near ones all are taken or, beyond ``most``, none.
    """
    if len(every) <= most:
        return every
    beside: dict[Hashable, list[Hashable]] = {}
    for parent, child in edges:
        beside.setdefault(parent, []).append(child)
        beside.setdefault(child, []).append(parent)
    found, front = set(kept), kept
    while front:
        front = {other for c in front for other in beside.get(c, ())} - found
        if len(found) + len(front) > most:
            break
        found |= front
    return found


def _upward(hierarchy: Hierarchy, classes: list[int]) -> dict[int, int]:
    """Return the classes and all their ancestors with the fewest edges up to each."""
    steps = dict.fromkeys(classes, 0)
    front = list(steps)
    ptr, parents = hierarchy.parent_ptr, hierarchy.parents
    while front:
        reached = []
        for c in front:
            for p in parents[ptr[c] : ptr[c + 1]].tolist():
                if p not in steps:
                    steps[p] = steps[c] + 1
                    reached.append(p)
        front = reached
    return steps


def _alone(hierarchy: Hierarchy, pairing: PairEvidence | None) -> set[int]:
    if pairing is None:
        return set()
    lonely = [row.name for row in (*pairing.predicted, *pairing.true) if row.n_missing]
    return set(hierarchy.index(lonely).tolist())


def _chosen(
    hierarchy: Hierarchy, pairing: PairEvidence | None, place: dict[int, int]
) -> tuple[tuple[int, int], ...]:
    if pairing is None:
        return ()
    ends = {
        "predicted": hierarchy.index(row.name for row in pairing.predicted).tolist(),
        "true": hierarchy.index(row.name for row in pairing.true).tolist(),
    }
    return tuple(
        (place[ends["predicted"][p.predicted]], place[ends["true"][p.true]])
        for p in pairing.pairs
        if p.chosen
    )
