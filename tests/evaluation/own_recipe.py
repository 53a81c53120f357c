"""A recipe declared outside the package: exact hits among the labels, with all kinds of columns."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from hierpair import set_measure
from hierpair.measures import REGISTRY, Batch, Column, Columns, Entries


@dataclass(frozen=True)
class Hits:
    """True labels, and how many of them were predicted, without looking at the hierarchy."""

    columns = (
        Column("n_asked", "a true label", support=True),
        Column("n_hit", "a true label that is predicted"),
        Column("kind", "an instance", words=("none", "one", "several")),
    )

    def compute(self, batch: Batch) -> Columns:
        """Count by instance."""
        e = batch.entries(self)
        n = len(batch.y_true)
        leaf = np.diff(batch.hierarchy.child_ptr) == 0
        alone = batch.y_true.lengths == 1
        first = np.zeros(n, dtype=bool)
        starts = batch.y_true.indptr[:-1][alone]
        first[alone] = leaf[batch.y_true.indices[starts]]
        return {
            "n_asked": np.bincount(e.row, minlength=n),
            "n_hit": np.bincount(e.row[e.columns["n_hit"]], minlength=n),
            "kind": np.minimum(batch.y_true.lengths, 2),
            "the truth is one leaf": first,
        }

    def entries(self, batch: Batch) -> Entries:
        """Count by class."""
        sets = batch.y_true, batch.y_pred
        true, predicted = (
            {(i, c) for i in range(len(side)) for c in side.part(i, i + 1).indices.tolist()}
            for side in sets
        )
        pairs = sorted(true)
        row, number = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
        hit = np.array([pair in predicted for pair in pairs], dtype=bool)
        columns = {"n_asked": np.ones(len(pairs), dtype=bool), "n_hit": hit}
        return Entries(len(sets[0]), row, number, columns, len(batch.hierarchy))


@contextmanager
def declared() -> Iterator[str]:
    """Register a measure of this recipe for a while."""

    @set_measure(
        formula="hits / asked", source="ours", direction="higher", range="[0, 1]", recipe=Hits
    )
    def own_hits(n_asked, n_hit, *, power: float = 1):
        """Share of the true labels that were predicted."""
        return (n_hit / np.maximum(n_asked, 1)) ** power

    try:
        yield "own_hits"
    finally:
        del REGISTRY["own_hits"]
