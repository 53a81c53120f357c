"""The confusion matrix of root paths: its counts, and the classes of every pair in its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hierpair.confusion import CONFUSION_RULE, FIELDS, confusion, fields_of, path_faults
from hierpair.measures.columns import Column, Columns
from hierpair.measures.evidence.base import Name
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.evidence.flow_rows import pair_evidence
from hierpair.measures.recipes.batch import Batch
from hierpair.pairing import formulate

BLANK = "(blank)"
"""Name of a blank label that counts."""


@dataclass(frozen=True)
class ConfusionRecipe:
    """TP, FP, FN and TN of every instance along root paths.

    Parameters
    ----------
    pairing, empty, nested, blank
        As for :func:`hierpair.metrics.hierarchical_confusion_matrix`.
    """

    family: ClassVar = "confusion"
    columns: ClassVar = (
        Column("tp", "a class of a true and a predicted path"),
        Column("fp", "a class of a predicted path alone"),
        Column("fn", "a class of a true path alone"),
        Column("tn", "a class beside what is shared that neither path takes"),
    )

    pairing: str = "exact"
    empty: str = "root"
    nested: str = "drop"
    blank: str = "ignore"

    def compute(self, batch: Batch) -> Columns:
        """Pair the paths of the batch and count."""
        for error in path_faults(batch.hierarchy, batch.y_pred, self.nested):
            batch.refuse(self, error)
        true, predicted = batch.y_true, batch.y_pred
        if refused := [*batch.reasons(self)]:
            rows = np.arange(len(batch))
            rows[refused] = -1  # nothing to pair
            true, predicted = true.take(rows), predicted.take(rows)
        options = self.pairing, self.empty, self.nested, self.blank
        found = confusion(batch.hierarchy, true, predicted, *options)
        if batch.traces is not None:
            batch.traces[self] = found
        return {column.name: getattr(found, column.name) for column in self.columns}

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Spell out the pairs of paths and classes with their fields."""
        found = batch.trace(self)
        names: list[Name] = [*batch.hierarchy.names, BLANK]
        fields, pairs = fields_of(found), found.pairs
        paths, chosen, missing = pairs.paths, found.pairing.chosen, found.pairing.missing
        pointer = paths.node_ptr.tolist()
        owners: list[tuple[int | None, int | None]] = [  # (path, true class)
            *zip(pairs.predicted_at[chosen].tolist(), pairs.true_at[chosen].tolist(), strict=True),
            *((k, None) for k in np.flatnonzero(missing["predicted"]).tolist()),
            *((None, k) for k in np.flatnonzero(missing["true"]).tolist()),
        ]
        shown = []
        for owner, (k, at) in enumerate(owners):
            nodes = [] if k is None else paths.nodes[pointer[k] : pointer[k + 1]].tolist()
            if k is not None:
                nodes += [-1] * int(paths.beyond[k])  # the last name
            true = () if at is None else (names[pairs.true_labels.classes[at]],)
            for number, name in enumerate(FIELDS):
                mine = fields.classes[(fields.owner == owner) & (fields.field == number)].tolist()
                classes = mine[:: -1 if name == "FN" else 1]  # from below
                told = (tuple(names[c] for c in some) for some in (classes, nodes))
                shown.append(Field(name, next(told), (), next(told), true))
        proof = None
        if self.pairing == "exact":
            proof = pair_evidence(formulate(CONFUSION_RULE, pairs), found.pairing)
        evidence = FieldEvidence(f"{self.pairing} pairing", tuple(shown), proof=proof)
        return evidence.adding({name.lower(): (name,) for name in FIELDS})
