"""Sizes of the graphs that join both sets through lowest common ancestors, and their fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor
from typing import ClassVar

import numpy as np

from hierpair.hierarchy.arrays import Bools
from hierpair.lca import SOLVED_BY, Graphs, extended_graphs
from hierpair.measures.columns import SET_SIZES, Column, Columns
from hierpair.measures.evidence import ARTIFICIAL
from hierpair.measures.evidence.base import (
    BOTH,
    CHOSEN_LCAS,
    ONLY_PREDICTED,
    ONLY_TRUE,
    Name,
)
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.recipes.batch import Batch

SIDES = ("true", "predicted")

SIZES = {
    "n_true": (BOTH, ONLY_TRUE),
    "n_pred": (BOTH, ONLY_PREDICTED),
    "n_both": (BOTH,),
}
"""The fields that make up the sizes of two sets."""

PROOF = "proof: no graphs that meet all constraints come before these (all aims proved optimal)"


@dataclass(frozen=True)
class LcaRecipe:
    """Sizes of the graphs that join both sets through their lowest common ancestors.

    Parameters
    ----------
    extension
        ``"exact"``, ``"greedy"`` or ``"full"``.
    threshold
        Path threshold, or None.
    limit
        Seconds for one instance, or None.
    """

    family: ClassVar = "lca"
    columns: ClassVar = (*SET_SIZES, Column("solved_by", "an instance", words=SOLVED_BY))

    extension: str = "exact"
    threshold: int | None = None
    limit: float | None = None

    def compute(self, batch: Batch) -> Columns:
        """Grow the graphs of the batch and count their classes."""
        graphs = extended_graphs(
            batch.hierarchy,
            batch.y_true,
            batch.y_pred,
            self.extension,
            self.threshold,
            self.limit,
            draw=batch.traces is not None,
            distances=batch.known_distances(self.threshold),
        )
        if batch.traces is not None:
            batch.traces[self] = graphs
        return {
            "n_true": graphs.n_true,
            "n_pred": graphs.n_predicted,
            "n_both": graphs.n_both,
            "solved_by": graphs.solved_by,
            **_ranges(graphs),
        }

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Name the classes and edges of both graphs, and what every label requires."""
        graphs: Graphs = batch.trace(self)
        names = [*batch.hierarchy.names, ARTIFICIAL]
        links, members = graphs.links, graphs.links.members
        chosen, (true, predicted), pairs = graphs.drawn(batch.hierarchy, 0)

        def named(classes: Iterable[int]) -> tuple[Name, ...]:
            return tuple(names[c] for c in classes)

        fields = [
            Field(BOTH, named(sorted(true & predicted))),
            Field(ONLY_TRUE, named(sorted(true - predicted))),
            Field(ONLY_PREDICTED, named(sorted(predicted - true))),
            Field(CHOSEN_LCAS, named(sorted(chosen))),
        ]
        kept = np.split(members.classes, [members.n_true])
        for side, sets, labels in zip(SIDES, (batch.y_true, batch.y_pred), kept, strict=True):
            if removed := named(c for c in sets.indices.tolist() if c not in labels):
                fields.append(Field(f"above other {side} labels", removed))
        for k, c in enumerate(members.classes.tolist()):
            ends = (named([c]), ())[:: -1 if k < members.n_true else 1]  # predicted, true
            near = named(members.classes[links.partners(k)].tolist())
            lcas = named(links.lca[(links.label == k) & links.own].tolist())
            fields += [Field("nearest", near, (), *ends), Field("LCAs", lcas, (), *ends)]
        edges = tuple(
            (f"{side} graph", tuple((names[p], names[c]) for c, p in sorted(found)))
            for side, found in zip(SIDES, pairs, strict=True)
        )
        remarks, stopped = (PROOF,) * (self.extension == "exact"), 0 in graphs.f_ranges
        if stopped:
            low, high = graphs.f_ranges[0]
            text = "the limit of the solver was reached before the graphs were proved minimal"
            text += f"; F of the minimal ones is from {low} to {high}"
            remarks = (f"{text} ({float(low):.4f} to {float(high):.4f})",)
        return FieldEvidence(
            f"{self.extension} graphs", tuple(fields), remarks=remarks, edges=edges,
            repeatable=not stopped,
        ).adding(SIZES)  # fmt: skip


def _ranges(graphs: Graphs) -> Columns:
    """Return as remarks what is proved of F where the graphs may not be the minimal ones."""
    remarks: dict[str, Bools] = {}
    for i, (low, high) in graphs.f_ranges.items():
        text = f"F of the minimal graphs is from {floor(100 * low) / 100:.2f} to "
        text += f"{ceil(100 * high) / 100:.2f}"
        remarks.setdefault(text, np.zeros(len(graphs.n_true), dtype=bool))[i] = True
    return remarks
