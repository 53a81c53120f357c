"""Scores of classes as they are given, checked, as CSR arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, offsets, row_numbers
from hierpair.labels.naming import check_order

__all__ = ["TOLERANCE", "given_root", "score_arrays"]

TOLERANCE = 1e-6
"""A score may exceed 1, or that of a parent, by so much: rounding of single precision."""


def score_arrays(
    scores: Any,
    hierarchy: Hierarchy,
    classes: Sequence[Hashable] | None,
    ids: Sequence[Hashable] | None = None,
) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Return checked scores as CSR arrays over the classes; zeros are left out."""
    check_order(classes, "classes (one per column)")
    check_order(ids, "ids (one per instance)")
    columns = np.arange(len(Hierarchy.of(hierarchy)), dtype=np.int64)
    if classes is not None:
        columns = hierarchy.index(classes).astype(np.int64)
        if len(np.unique(columns)) < len(columns):
            listed = list(classes)
            twice = first_repeated(listed)
            raise BadInput(f"two columns of scores are called {shown(twice)}")
    try:
        if hasattr(scores, "tocsr"):
            matrix = scipy.sparse.csr_array(scores).astype(np.float64)
            matrix.sum_duplicates()
            shape = matrix.shape
        else:
            table = np.asarray(scores, dtype=np.float64)
            shape = table.shape
            matrix = None
    except (TypeError, ValueError):
        raise BadInput("scores must be a matrix of numbers, a row per instance") from None
    if len(shape) != 2 or shape[1] != len(columns):
        order = "classes are in the hierarchy" if classes is None else "names of columns are given"
        raise BadInput(
            f"scores have shape {shape}, and {len(columns)} {order}; "
            "give a row per instance and give the class of every column (classes)"
        )
    if ids is not None and len(ids) != shape[0]:
        raise BadInput(f"{len(ids)} ids for {shape[0]} instances")
    if matrix is None:
        row, column = np.nonzero(table)
        value = table[row, column]
    else:
        row, column, value = row_numbers(matrix.indptr), matrix.indices, matrix.data
        row, column, value = row[value != 0], column[value != 0], value[value != 0]
    odd = np.flatnonzero(~((value >= 0) & (value <= 1 + TOLERANCE)))
    if len(odd):
        i = int(odd[0])
        who = ids[int(row[i])] if ids is not None else int(row[i])
        name = hierarchy.names[int(columns[column[i]])]
        raise BadInput(
            f"instance {shown(who)}, class {shown(name)}: a probability must be in [0, 1], "
            f"got {value[i]!s} (of logits take a softmax or sigmoid first)"
        )
    node = columns[column]
    order_of = np.lexsort((node, row))
    indptr = offsets(np.bincount(row, minlength=shape[0]))
    return indptr, node[order_of].astype(np.int32), np.minimum(value[order_of], 1.0)


def given_root(
    hierarchy: Hierarchy, indptr: Ints, indices: NDArray[np.int32], values: Floats
) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Give a single root that has no score the score 1; the root is number 0, first in its row."""
    if len(hierarchy.root_indices) != 1:
        return indptr, indices, values
    lengths = np.diff(indptr)
    first = np.full(len(lengths), -1)
    first[lengths > 0] = indices[indptr[:-1][lengths > 0]]
    lacking = np.flatnonzero(first != 0)
    at = indptr[lacking]
    return (
        offsets(lengths + (first != 0)),
        np.insert(indices, at, 0).astype(np.int32),
        np.insert(values, at, 1.0),
    )
