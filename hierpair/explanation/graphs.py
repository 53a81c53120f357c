"""The graphs of an LCA measure for one instance, in names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from hierpair.explanation.evidence import ARTIFICIAL, DemandRow, ExtensionEvidence
from hierpair.extension import Links, cover_of, link, nearest_partners, without_ancestors
from hierpair.measures import Batch, LcaRecipe

__all__ = ["extension_evidence"]

SIDES = ("true", "predicted")


def extension_evidence(batch: Batch, recipe: LcaRecipe) -> ExtensionEvidence:
    """Grow the graphs of a batch of one, and prove the minimal ones."""
    hierarchy = batch.hierarchy
    names = [*hierarchy.names, ARTIFICIAL]
    members = without_ancestors(hierarchy, batch.y_true, batch.y_pred)
    links = link(hierarchy, members, recipe.threshold)
    cover = cover_of(hierarchy, links, 0, recipe.extension, recipe.limit)
    nodes = [set(side) for side in cover.nodes]
    for k in np.flatnonzero(~links.linked).tolist():
        nodes[int(members.side[k])].add(int(members.classes[k]))

    def named(classes: Iterable[int]) -> tuple[Hashable, ...]:
        return tuple(names[c] for c in sorted(classes))

    def edges(side: int) -> tuple[tuple[Hashable, Hashable], ...]:
        return tuple((names[p], names[c]) for c, p in sorted(cover.edges[side]))

    kept = [
        set(members.classes[: members.n_true].tolist()),
        set(members.classes[members.n_true :].tolist()),
    ]
    removed = [
        (SIDES[s], names[c])
        for s, sets in enumerate((batch.y_true, batch.y_pred))
        for c in sets.indices.tolist()
        if c not in kept[s]
    ]
    return ExtensionEvidence(
        recipe.extension,
        _demands(links, names, nearest_partners(hierarchy, members, recipe.threshold)),
        tuple(removed),
        named(cover.ends),
        named(nodes[0] & nodes[1]),
        named(nodes[0] - nodes[1]),
        named(nodes[1] - nodes[0]),
        edges(0),
        edges(1),
        cover.optimal,
    )


def _demands(
    links: Links, names: list[Hashable], partners: list[list[int]]
) -> tuple[DemandRow, ...]:
    members = links.members
    rows = []
    for k, c in enumerate(members.classes.tolist()):
        mine = links.lca[(links.label == k) & links.own]
        rows.append(
            DemandRow(
                SIDES[int(k >= members.n_true)],
                names[c],
                tuple(names[members.classes[p]] for p in partners[k]),
                tuple(names[a] for a in mine.tolist()),
            )
        )
    return tuple(rows)
