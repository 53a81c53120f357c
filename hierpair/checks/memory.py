"""What a run will need in memory, to within a factor of two."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hierpair.evaluation.batches import CHUNK, CHUNK_ANCESTORS, CHUNK_PAIRS
from hierpair.hierarchy import Hierarchy, ancestor_closure, mean_ancestors
from hierpair.io.datasets import DataSet
from hierpair.io.datasets.tables import BATCH_ROWS
from hierpair.labels import LabelSets

__all__ = ["memory_note"]

BASE_BYTES = 87e6
"""What a run needs at its peak, measured on generated data: interpreter and libraries,"""

CLASS_BYTES = 330
"""a class with its name, edges and the text that it was read from,"""

CLOSURE_BYTES = 24
"""an ancestor in the closure, with what distances are computed from,"""

INSTANCE_BYTES = 100
"""an instance with its id and line,"""

LABEL_BYTES = 30
"""a label with its text,"""

PAIR_BYTES = 128
"""and a pair of labels in the chunk that is being scored."""


def memory_note(hierarchy: Hierarchy, sides: Iterable[LabelSets | DataSet]) -> str:
    """Say what scoring truth and systems with the default measures needs.

    Of what is read part by part only a batch of instances, with about a label each, is in memory.
    """
    mean = mean_ancestors(hierarchy)
    n_ancestors = CHUNK_ANCESTORS if mean is not None else len(ancestor_closure(hierarchy).indices)
    total = BASE_BYTES + CLASS_BYTES * len(hierarchy) + CLOSURE_BYTES * n_ancestors
    means = []
    for side in sides:
        rows = side.n_rows or BATCH_ROWS if isinstance(side, DataSet) else len(side)
        n = min(rows, BATCH_ROWS) if isinstance(side, DataSet) else rows
        n_labels = n if isinstance(side, DataSet) else len(side.indices)
        total += INSTANCE_BYTES * n + LABEL_BYTES * n_labels
        means.append((n, n_labels / max(1, n)))
    pairs_of_one = float(np.prod([labels for _, labels in means[:2]])) if len(means) > 1 else 0.0
    n_pairs = min(CHUNK, max((n for n, _ in means), default=0)) * pairs_of_one
    total += PAIR_BYTES * min(CHUNK_PAIRS, n_pairs)
    return f"scoring all with the default measures needs about {total / 1e6:,.0f} MB"
