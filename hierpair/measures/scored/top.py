"""The highest columns of a matrix of scores, without sorting or copying it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from hierpair.errors import first_repeated
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Array, Ints, array_of
from hierpair.labels import NodeScores
from hierpair.labels.columns import matrix_of
from hierpair.labels.naming import numbers_of

NUMBERS = 3_000_000
"""Numbers of a matrix that are looked at together."""


def thinned(given: Any, hierarchy: Hierarchy, k: int) -> NodeScores | None:
    """Return of a matrix of scores those that can be among the first k leaves of a ranking.

    None for what is no dense matrix of numbers in [0, 1] with a column per class, which is read as
    it comes.
    """
    matrix, classes = matrix_of(given)
    matrix = None if hasattr(matrix, "tocsr") else array_of(matrix)
    if matrix is None or matrix.ndim != 2 or matrix.dtype.kind != "f" or not matrix.size:
        return None
    numbers = hierarchy.leaf_indices
    if classes is not None:
        numbers = numbers_of(list(classes), hierarchy)
        if (numbers < 0).any():
            return None  # refused where all is read
    elif matrix.shape[1] == len(hierarchy):
        numbers = np.arange(len(hierarchy))
    if matrix.shape[1] != len(numbers) or first_repeated(numbers.tolist()) is not None:
        return None
    return highest_leaves(matrix, numbers, hierarchy, k)


def first_leaves(measures: Iterable[Any]) -> int:
    """Return how many of the first leaves measures of rankings look at; 0 where others see more."""
    some = [
        (m.definition.family, m.options.get("candidates"), m.options.get("k")) for m in measures
    ]
    if any(each[:2] != ("ranking", "leaves") for each in some):
        return 0
    return max((k for *_, k in some), default=0)


def highest_leaves(matrix: Array, numbers: Ints, hierarchy: Hierarchy, k: int) -> NodeScores | None:
    """Return the scores that can be among the first k leaves; ``numbers`` are those of columns.

    These are all that are at least the k + 1st highest, so that equal ones are there, too.
    """
    leaf = hierarchy.is_leaf[numbers]
    if not leaf.all():
        if not 0 <= matrix.min() <= matrix.max() <= 1:
            return None  # refused where all is read, as it is below
        matrix, numbers = matrix[:, leaf], numbers[leaf]
    n, m = matrix.shape
    if m < 4 * (k + 1):
        return None
    step = max(1, NUMBERS // m)
    cells: list[Ints] = []
    for lo in range(0, n, step):
        found = _highest(matrix[lo : lo + step], k + 1)
        if found is None:
            return None
        cells.append(found + lo * m)
    row, column = np.divmod(np.concatenate(cells), m)
    value = matrix[row, column].astype(np.float64)
    found_scores = NodeScores.of_cells(hierarchy, n, row, numbers[column], value)
    return replace(found_scores, holds="leaves")


def _highest(matrix: Array, k: int) -> Ints | None:
    """Return the places of all numbers of a row that are at least its k-th highest one.

    The k-th highest of the maxima of groups of columns is no higher than that; few others reach it.
    Every third number of a group is enough to look at. None where numbers are not in [0, 1].
    """
    n, m = matrix.shape
    n_groups = min(m, max(2 * k, int(np.sqrt(m))))
    width = n_groups * max(1, m // n_groups // 10)  # maxima of long rows come first: they are fast
    rows, columns = matrix.strides
    groups = np.lib.stride_tricks.as_strided(
        matrix, (n, m // width, width), (rows, columns * width, columns), writeable=False
    )
    best = groups[:, ::3].max(axis=1).reshape(n, -1, n_groups).max(axis=1)
    bound = np.partition(best, n_groups - k, axis=1)[:, n_groups - k]
    if not matrix.min() >= 0:  # also refuses nan
        return None
    cells = np.flatnonzero((matrix >= bound[:, None]).ravel())
    return cells if matrix.ravel()[cells].max() <= 1 else None
