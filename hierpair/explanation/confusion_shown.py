"""The confusion matrix of one instance, in names: every pair with its fields."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from hierpair.confusion import FIELDS, Confusion, confusion, fields_of
from hierpair.explanation.evidence import (
    ClassNode,
    ConfusionEvidence,
    ConfusionRow,
    Neighbourhood,
)
from hierpair.hierarchy import Hierarchy
from hierpair.measures import Batch, ConfusionRecipe

__all__ = ["confusion_evidence", "field_neighbourhood"]

BLANK = "(blank)"
"""Name of a blank label that counts."""


def confusion_evidence(batch: Batch, recipe: ConfusionRecipe) -> ConfusionEvidence:
    """Pair the paths of a batch of one and spell out the fields."""
    found = confusion(
        batch.hierarchy, batch.y_true, batch.y_pred,
        recipe.pairing, recipe.empty, recipe.nested, recipe.blank,
    )  # fmt: skip
    fields = fields_of(found)
    names = [*batch.hierarchy.names, BLANK]
    rows = []
    for owner, (path, true) in enumerate(_owners(found)):
        mine = fields.owner == owner
        listed = [
            tuple(names[c] for c in fields.classes[mine & (fields.field == k)].tolist())
            for k in range(len(FIELDS))
        ]
        rows.append(
            ConfusionRow(
                () if path is None else _path(found, names, path),
                None if true is None else names[found.pairs.true_labels.classes[true]],
                listed[0],
                listed[1],
                listed[2][::-1],  # they come from below
                listed[3],
            )
        )
    return ConfusionEvidence(recipe.pairing, tuple(rows))


def _owners(found: Confusion) -> list[tuple[int | None, int | None]]:
    """Return (path, true class) of the chosen pairs, then paths, then classes without partner."""
    chosen, missing = found.pairing.chosen, found.pairing.missing
    path, true = found.pairs.predicted_at[chosen], found.pairs.true_at[chosen]
    pairs: list[tuple[int | None, int | None]] = list(
        zip(path.tolist(), true.tolist(), strict=True)
    )
    pairs += [(int(k), None) for k in np.flatnonzero(missing["predicted"])]
    pairs += [(None, int(k)) for k in np.flatnonzero(missing["true"])]
    return pairs


def _path(found: Confusion, names: list[Hashable], path: int) -> tuple[Hashable, ...]:
    paths = found.pairs.paths
    lo, hi = paths.node_ptr[path : path + 2]
    blank = (BLANK,) * int(paths.beyond[path])
    return tuple(names[c] for c in paths.nodes[lo:hi].tolist()) + blank


def field_neighbourhood(hierarchy: Hierarchy, evidence: ConfusionEvidence) -> Neighbourhood:
    """Return all classes in a field, and the root, with their fields."""
    found: dict[int, set[str]] = {int(hierarchy.root_indices[0]): set()}
    position = hierarchy.position
    for row in evidence.rows:
        for field, classes in zip(FIELDS, (row.tp, row.fp, row.fn, row.tn), strict=True):
            for name in classes:
                if name in position:
                    found.setdefault(position[name], set()).add(field)
    order = sorted(found)
    place = {c: i for i, c in enumerate(order)}
    true = {row.true for row in evidence.rows if row.true is not None}
    predicted = {row.path[-1] for row in evidence.rows if row.path}
    nodes = tuple(
        ClassNode(
            hierarchy.names[c],
            int(hierarchy.levels[c]),
            hierarchy.names[c] in true,
            hierarchy.names[c] in predicted,
            bool(found[c] & {"TP", "FN"}),
            bool(found[c] & {"TP", "FP"}),
            False,
            0,
        )
        for c in order
    )
    ptr, children = hierarchy.child_ptr, hierarchy.children
    edges = tuple(
        (place[c], place[b])
        for c in order
        for b in children[ptr[c] : ptr[c + 1]].tolist()
        if b in place
    )
    fields = tuple(tuple(f for f in FIELDS if f in found[c]) for c in order)
    pairs = tuple(
        (place[position[row.path[-1]]], place[position[row.true]])
        for row in evidence.rows
        if row.path and row.true is not None and row.path[-1] in position
    )
    return Neighbourhood(nodes, edges, pairs, fields=fields)
