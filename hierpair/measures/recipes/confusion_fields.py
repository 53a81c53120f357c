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

__all__ = ["ConfusionRecipe"]

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
        kept = np.delete(np.arange(len(batch)), [*batch.reasons(self)])
        true, predicted = batch.y_true, batch.y_pred
        if len(kept) < len(batch):
            true, predicted = true.take(kept), predicted.take(kept)
        options = self.pairing, self.empty, self.nested, self.blank
        found = confusion(batch.hierarchy, true, predicted, *options)
        if batch.traces is not None:
            batch.traces[self] = found
        columns = {column.name: getattr(found, column.name) for column in self.columns}
        if len(kept) < len(batch):
            for name, column in columns.items():
                columns[name] = np.zeros(len(batch), dtype=np.int64)
                columns[name][kept] = column
        return columns

    def evidence(self, batch: Batch) -> FieldEvidence:
        """Spell out the pairs of paths and classes with their fields."""
        found = batch.trace(self)
        names: list[Name] = [*batch.hierarchy.names, BLANK]
        fields, paths, pairs = fields_of(found), found.pairs.paths, found.pairs
        chosen, missing = found.pairing.chosen, found.pairing.missing
        alone = [np.flatnonzero(missing[side]).tolist() for side in ("predicted", "true")]
        owners: list[tuple[int | None, int | None]] = [  # (path, true class)
            *zip(pairs.predicted_at[chosen].tolist(), pairs.true_at[chosen].tolist(), strict=True),
            *((k, None) for k in alone[0]),
            *((None, k) for k in alone[1]),
        ]
        shown = []
        for owner, (k, at) in enumerate(owners):
            path: tuple[Name, ...] = ()
            if k is not None:
                nodes = paths.nodes[paths.node_ptr[k] : paths.node_ptr[k + 1]].tolist()
                path = (*(names[c] for c in nodes), *(BLANK,) * int(paths.beyond[k]))
            true = () if at is None else (names[pairs.true_labels.classes[at]],)
            for number, name in enumerate(FIELDS):
                mine = fields.classes[(fields.owner == owner) & (fields.field == number)].tolist()
                classes = [names[c] for c in mine[:: -1 if name == "FN" else 1]]  # from below
                shown.append(Field(name, tuple(classes), (), path, true))
        proof = None
        if self.pairing == "exact":
            proof = pair_evidence(formulate(CONFUSION_RULE, found.pairs), found.pairing)
        evidence = FieldEvidence(f"{self.pairing} pairing", tuple(shown), proof=proof)
        return evidence.adding({name.lower(): (name,) for name in FIELDS})
