"""Tables of one label a row: rows of one id are put together, scores are checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, shown
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.hierarchy.building import plain_number
from hierpair.labels.coded import Coded, CodedLists, Column
from hierpair.labels.rows import LabelRows

if TYPE_CHECKING:
    from hierpair.labels.columns import Columns

__all__ = ["gathered", "score_of"]


def score_of(given: Any, place: str) -> float:
    """Return a finite score, or refuse it."""
    value = plain_number(given)
    if not math.isfinite(value):
        raise BadInput(f"{place}: a score must be a finite number, got {shown(given, 40)}")
    return value


def gathered(
    rows: CodedLists,
    names: Coded,
    scores: Sequence[Any] | Column | None,
    columns: Columns,
    place: Callable[[int], str],
    *,
    source: str,
    levels: bool,
) -> LabelRows:
    """Put the rows of one id together, in the order in which ids and labels come."""
    row = row_numbers(rows.pointer)
    order = np.argsort(names.first_rows(), kind="stable")
    order = order[: len(np.unique(names.codes))]  # less the values of rows that were left out
    number = np.zeros(len(names.values), dtype=np.int64)
    number[order] = np.arange(len(order))
    owner, label = number[names.codes][row], rows.codes.astype(np.int64)
    ids = [names.values[k] for k in order.tolist()]
    value, n_twice, least = np.zeros(len(row)), 0, columns.min_score
    if scores is not None:
        filled = np.array([x != "" for x in rows.labels], dtype=bool)[label]
        value[filled] = _numbers(scores, row[filled], place)
        before = _first_of_each(owner * max(1, len(rows.labels)) + label, filled)
        n_twice = int(np.count_nonzero(row[before] != row))
        odd = np.flatnonzero(value != value[before])
        if len(odd) and not columns.highest:
            i, j = int(odd[0]), int(before[odd[0]])
            raise BadInput(
                f"{place(int(row[i]))}: instance {shown(ids[owner[i]])} has the label "
                f"{shown(rows.labels[label[i]])} with another score at {place(int(row[j]))}"
            )
        if least is not None:
            kept = ~filled | (value >= least)
            row, owner, label, value = row[kept], owner[kept], label[kept], value[kept]
    by_owner = np.argsort(owner, kind="stable")
    row, label = row[by_owner], label[by_owner]
    pointer = offsets(np.bincount(owner, minlength=len(ids)))

    def where(i: int, k: int) -> str:
        alone = pointer[i] == pointer[i + 1]
        return f"instance {shown(ids[i])}" if alone else place(int(row[pointer[i] + k]))

    return LabelRows(
        CodedLists(pointer, label.astype(np.int32), rows.labels),
        where,
        ids,
        levels,
        notes=(f"{source}: {counted(n_twice, 'label')} given twice; the highest score counts",)
        if columns.highest and n_twice
        else (),
        scores=None
        if scores is None or not columns.highest  # only who asks for scores pays for lists
        else [part.tolist() for part in np.split(value[by_owner], pointer[1:-1])],
        unused_scores=scores is not None and least is None,
    )


def _numbers(
    scores: Sequence[Any] | Column, rows: NDArray[np.int64], place: Callable[[int], str]
) -> NDArray[np.float64]:
    """Return the scores of some rows."""
    numbers = None if isinstance(scores, Sequence) else scores.numbers()
    values: Any = (
        numbers
        if numbers is not None
        else scores.listed()
        if not isinstance(scores, Sequence)
        else scores
    )
    if numbers is None and set(map(type, values)) == {float}:
        numbers = np.array(values)
    found = (
        numbers[rows]
        if numbers is not None
        else np.fromiter((plain_number(values[i]) for i in rows.tolist()), float, count=len(rows))
    )
    odd = np.flatnonzero(~np.isfinite(found))
    if len(odd):
        i = int(rows[odd[0]])
        score_of(values[i], place(i))
    return found


def _first_of_each(key: NDArray[np.int64], filled: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first entry with the same key; for one that is not filled, itself."""
    own = np.arange(len(key))
    _, first, group = np.unique(
        np.where(filled, key, -1 - own), return_index=True, return_inverse=True
    )
    found: NDArray[np.int64] = first[group]
    return found
