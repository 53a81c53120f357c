"""Indicator matrices: a row per instance, a column per class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, first_repeated, shown
from hierpair.hierarchy.arrays import offsets
from hierpair.hierarchy.sources import known_frame

__all__ = ["frame_matrix", "indicator_arrays"]


def frame_matrix(frame: Any) -> tuple[NDArray[Any], list[Hashable] | None]:
    """Return the values of a data frame and the names of its columns; None where it has none.

    Columns that pandas numbered itself, 0, 1, 2, …, have no names.
    """
    names = list(frame.columns)
    numbered = names == list(range(len(names)))
    known = known_frame(frame)
    columns = [np.asarray(known[:, i].to_numpy()) for i in range(len(names))]
    matrix = np.column_stack(columns) if columns else np.zeros((len(known), 0))
    return matrix, None if numbered else names


def indicator_arrays(
    matrix: Any, columns: Sequence[Hashable], *, named: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row pointer and column numbers of the ones, checking that all else is 0."""
    if hasattr(matrix, "tocsr"):
        import scipy.sparse as sp

        csr = sp.csr_array(matrix)
        if not csr.has_canonical_format:
            csr = csr.copy()  # the caller's matrix stays as it is
            csr.sum_duplicates()
        rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
        column, values, shape = csr.indices.astype(np.int64), csr.data, csr.shape
    else:
        try:
            dense = np.asarray(matrix)
        except ValueError:
            raise BadInput("the rows of an indicator matrix must be equally long") from None
        if dense.ndim != 2:
            raise BadInput(f"an indicator matrix must have two dimensions, got shape {dense.shape}")
        shape = dense.shape
        if dense.dtype.kind not in "biuf":
            raise BadInput(f"an indicator matrix must hold 0 and 1, got {dense.dtype}")
        rows, column = np.nonzero(dense)
        values = dense[rows, column]
    if shape[1] != len(columns):
        order = "names of columns are given" if named else "classes are in the hierarchy"
        raise BadInput(
            f"the indicator matrix has {shape[1]} columns, and {len(columns)} {order}; "
            "say the class of every column (classes)"
        )
    if len(set(columns)) < len(columns):
        twice = first_repeated(columns)
        raise BadInput(f"two columns of the indicator matrix are called {shown(twice)}")
    if values.dtype.kind not in "biuf":
        raise BadInput(f"an indicator matrix must hold 0 and 1, got {values.dtype}")
    odd = np.flatnonzero((values != 1) & (values != 0))
    if len(odd):
        i = int(odd[0])
        raise BadInput(
            f"instance {rows[i]}, column {shown(columns[int(column[i])])}: an indicator matrix "
            f"must hold 0 and 1, got {values[i]} (for scores, choose a threshold first)"
        )
    ones = values == 1
    pointer = offsets(np.bincount(rows[ones], minlength=shape[0]))
    return pointer, column[ones].astype(np.int64)
