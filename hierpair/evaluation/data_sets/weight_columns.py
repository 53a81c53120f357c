"""Weights of instances that are a column of a data set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.evaluation.checked import is_weight
from hierpair.io.datasets import PartRows
from hierpair.io.datasets.arrow_columns import ArrowColumn
from hierpair.labels.coded import values_of
from hierpair.labels.columns import column_named

__all__ = ["weights_of"]


def weights_of(rows: PartRows, name: str) -> NDArray[np.float64]:
    """Return the weight of every row.

    Raises
    ------
    BadInput
        For a column that is not there, or a weight that is no number, negative or not finite, by
        file and row.
    """
    if rows.meaning.long:
        raise BadInput(
            f"{rows.part.path}: sample_weight needs a row per instance, and this has a row per "
            "label"
        )
    column = column_named(rows.columns, name, (), "weight", rows.part.path, needed=True)
    weight = _plain_numbers(column) if isinstance(column, ArrowColumn) else None
    if weight is None:
        weight = np.array([_number(value) for value in values_of(column or [])])
    bad = np.flatnonzero(~is_weight(weight))
    if len(bad):
        at = int(bad[0])
        found = values_of(column or [])[at]
        raise BadInput(
            f"{rows.place(at)}: the weight {shown(found)} in the column {name!r}; weights must be "
            "finite numbers and not negative"
        )
    return weight


def _plain_numbers(column: ArrowColumn) -> NDArray[np.float64] | None:
    """Return the values of a column of numbers, nan for a null; None for other columns."""
    import pyarrow.types as kinds

    if kinds.is_integer(column.array.type):
        numbers: NDArray[np.float64] = column.array.to_numpy(zero_copy_only=False)
        return numbers.astype(np.float64)
    return column.numbers()


def _number(value: object) -> float:
    """Return a value as a number; nan for what is none."""
    if isinstance(value, bool):
        return float("nan")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")
