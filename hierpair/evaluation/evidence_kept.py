"""What is kept of every instance so that systems can be compared: columns, and entries by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.measures import Batch, Columns, Entries, Measure, counts_classes

__all__ = ["Keep", "Kept", "holder", "joined", "kept_of"]

Keep = Literal["nothing", "columns", "classes"]
Kept = dict[int, Columns | Entries]
"""By number of the measure: the columns of every instance, or what it adds to classes."""

SMALL_COUNT = 2**31
"""Counts below this are kept in 32 bits."""

WAYS: Mapping[str, Keep] = {"micro": "columns", "macro": "classes", "weighted": "classes"}


def holder(measures: Sequence[Measure], k: int) -> int | None:
    """Return the number of the measure that keeps the evidence of measure ``k``.

    It is the first with the same recipe that is pooled in the same manner; means over instances
    need nothing but their values, so for them it is None.
    """
    if measures[k].average not in WAYS:
        return None
    return _sharing(measures, k)[0]


def kept_of(batch: Batch, measures: Sequence[Measure], keep: Keep) -> Kept:
    """Return what is to be kept of a batch whose measures have been computed.

    With ``keep="columns"`` only columns are kept, with ``"classes"`` what every instance adds to
    every class as well, which averages over classes need.
    """
    found: Kept = {}
    for k, m in enumerate(measures):
        way = WAYS.get(m.average, "nothing")
        if keep == "nothing" or holder(measures, k) != k or (way == "classes" and keep != way):
            continue
        if way == "classes" and counts_classes(m.recipe):
            found[k] = batch.entries(m.recipe)
        elif way == "columns":
            every = batch.columns(m.recipe)
            taken = [c for j in _sharing(measures, k) for c in measures[j].definition.columns]
            found[k] = {name: _small(every[name]) for name in dict.fromkeys(taken)}
    return found


def joined(parts: Sequence[Kept]) -> Kept:
    """Return what was kept of consecutive batches as one."""
    return {k: _joined([part[k] for part in parts]) for k in (parts[0] if parts else {})}


def _sharing(measures: Sequence[Measure], k: int) -> list[int]:
    """Return the numbers of the measures with the recipe of measure ``k`` and its way to pool."""
    way, recipe = WAYS[measures[k].average], measures[k].recipe
    return [j for j, m in enumerate(measures) if WAYS.get(m.average) == way and m.recipe == recipe]


def _small(column: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in 32 bits."""
    whole = column.dtype.kind in "iu"
    return column.astype(np.int32) if whole and column.max(initial=0) < SMALL_COUNT else column


def _joined(parts: Sequence[Columns | Entries]) -> Columns | Entries:
    entries = [part for part in parts if isinstance(part, Entries)]
    if entries:
        return Entries.joined(entries)
    columns = [part for part in parts if not isinstance(part, Entries)]
    return {name: np.concatenate([part[name] for part in columns]) for name in columns[0]}
