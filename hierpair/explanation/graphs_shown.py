"""The graphs of an LCA measure for one instance, in names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

import numpy as np

from hierpair.explanation.evidence import ARTIFICIAL, ConstraintRow, ExtensionEvidence
from hierpair.lca import BOUND, Links, cover_of, link, nearest_partners, without_ancestors
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
    _check_sizes(batch, recipe, nodes, optimal=cover.optimal)

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
        _constraints(links, names, nearest_partners(hierarchy, members, recipe.threshold)),
        tuple(removed),
        named(cover.ends),
        named(nodes[0] & nodes[1]),
        named(nodes[0] - nodes[1]),
        named(nodes[1] - nodes[0]),
        edges(0),
        edges(1),
        cover.optimal,
    )


def _check_sizes(batch: Batch, recipe: LcaRecipe, nodes: list[set[int]], *, optimal: bool) -> None:
    """Refuse graphs that are not as large as those that were scored.

    Where a time limit stops the solver, it may stop elsewhere each time: then what is drawn counts.
    """
    counts = batch.counts(recipe)
    drawn = len(nodes[0]), len(nodes[1]), len(nodes[0] & nodes[1])
    scored = int(counts.n_true[0]), int(counts.n_pred[0]), int(counts.n_both[0])
    if drawn == scored:
        return
    stopped = counts.found_by is not None and counts.found_by[0] == BOUND
    if recipe.extension != "exact" or (optimal and not stopped):
        raise AssertionError(f"graphs of {drawn} classes are drawn, and {scored} were scored")
    n_true, n_pred, n_both = (np.array([size]) for size in drawn)
    batch.cache[recipe] = replace(counts, n_true=n_true, n_pred=n_pred, n_both=n_both)


def _constraints(
    links: Links, names: list[Hashable], partners: list[list[int]]
) -> tuple[ConstraintRow, ...]:
    members = links.members
    rows = []
    for k, c in enumerate(members.classes.tolist()):
        mine = links.lca[(links.label == k) & links.own]
        rows.append(
            ConstraintRow(
                SIDES[int(k >= members.n_true)],
                names[c],
                tuple(names[members.classes[p]] for p in partners[k]),
                tuple(names[a] for a in mine.tolist()),
            )
        )
    return tuple(rows)
