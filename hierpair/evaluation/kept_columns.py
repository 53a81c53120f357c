"""What is kept of every instance so that systems can be compared: counts, and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.pooling import FIELDS, ClassEntries, Counts
from hierpair.measures.protocols import KeepsClasses
from hierpair.measures.recipes.set_sizes import Batch
from hierpair.measures.registry import Measure

__all__ = ["Keep", "Kept", "holder", "joined", "kept_of"]

Keep = Literal["nothing", "counts", "classes"]
Kept = dict[int, Counts | ClassEntries]
"""By number of the measure: the counts of every instance, or what it adds to classes."""

SMALL_COUNT = 2**31
"""Counts below this are kept in 32 bits."""


def holder(measures: Sequence[Measure], k: int) -> int | None:
    """Return the number of the measure that keeps the evidence of measure ``k``.

    It is the first with the same recipe that is pooled in the same manner; means over instances
    need nothing but their values, so for them it is None.
    """
    way = _way(measures[k])
    if way == "nothing":
        return None
    return next(
        j for j, m in enumerate(measures) if _way(m) == way and m.recipe == measures[k].recipe
    )


def kept_of(batch: Batch, measures: Sequence[Measure], keep: Keep) -> Kept:
    """Return what is to be kept of a batch whose measures have been computed.

    With ``keep="counts"`` only counts are kept, with ``"classes"`` what every instance adds to
    every class as well, which averages over classes need.
    """
    found: Kept = {}
    if keep == "nothing":
        return found
    for k, m in enumerate(measures):
        way = _way(m)
        if holder(measures, k) != k or (way == "classes" and keep != "classes"):
            continue
        if way == "counts":
            found[k] = _small(batch.counts(m.recipe))
        elif isinstance(m.recipe, KeepsClasses):
            found[k] = m.recipe.class_entries(batch)
    return found


def joined(parts: Sequence[Kept]) -> Kept:
    """Return what was kept of consecutive batches as one."""
    return {k: _joined([part[k] for part in parts]) for k in (parts[0] if parts else {})}


def _way(m: Measure) -> Keep:
    average = m.options.get("average", "samples")
    ways: Mapping[Any, Keep] = {"micro": "counts", "macro": "classes", "weighted": "classes"}
    return ways.get(average, "nothing")


def _small(counts: Counts) -> Counts:
    """Return whole numbers in 32 bits; costs that are all zero take no room."""
    small: dict[str, Any] = {"found_by": None, "infeasible": None, "remarks": ()}
    for name in FIELDS:
        column = getattr(counts, name)
        whole = column is not None and column.dtype.kind in "iu"
        fits = whole and (len(column) == 0 or column.max() < SMALL_COUNT)
        small[name] = column.astype(np.int32) if fits else column
    small["cost"] = _priced([counts.cost])
    return replace(counts, **small)


def _priced(costs: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return costs in a row; where all are zero, without storing them."""
    if any(cost.any() for cost in costs):
        return np.concatenate(costs)
    return np.broadcast_to(0.0, (sum(map(len, costs)),))


def _joined(parts: Sequence[Counts | ClassEntries]) -> Counts | ClassEntries:
    counts = [part for part in parts if isinstance(part, Counts)]
    if not counts:
        return ClassEntries.joined([part for part in parts if isinstance(part, ClassEntries)])
    columns: dict[str, Any] = {}
    for name in FIELDS:
        known = [getattr(c, name) for c in counts]
        columns[name] = None if known[0] is None else np.concatenate(known)
    columns["cost"] = _priced([c.cost for c in counts])
    return Counts(**columns, n_classes=max(c.n_classes for c in counts))
