"""The part of a hierarchy around the labels of one instance."""

from __future__ import annotations

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
        Marks chosen pairs, and labels that paid the default price.
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
) -> Neighbourhood:
    """Return the two graphs of an LCA measure: their classes, their edges, and the LCAs."""
    in_true = {*graphs.shared, *graphs.only_true}
    in_predicted = {*graphs.shared, *graphs.only_predicted}
    left_out = set(graphs.removed)
    labels = [
        {hierarchy.names[c] for c in side.tolist() if (word, hierarchy.names[c]) not in left_out}
        for word, side in (("true", true), ("predicted", predicted))
    ]
    number = {**hierarchy.position, ARTIFICIAL: -1}  # the artificial class is above all others
    names = sorted(in_true | in_predicted | labels[0] | labels[1], key=lambda name: number[name])
    place = {name: i for i, name in enumerate(names)}
    edges = {(place[p], place[c]) for p, c in (*graphs.edges_true, *graphs.edges_predicted)}
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
        lcas=tuple(place[a] for a in graphs.lcas),
    )


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
