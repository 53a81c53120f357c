"""What is kept of every instance so that systems can be compared: counts, and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets
from hierpair.measures.evidence import AugmentedSets, Batch, SetRecipe
from hierpair.measures.pooling import Counts
from hierpair.measures.registry import Measure

__all__ = ["Keep", "Kept", "holder", "joined", "kept_of"]

Keep = Literal["nothing", "counts", "classes"]
Kept = dict[int, Counts | AugmentedSets]
"""By number of the measure: the counts of every instance, or its augmented sets."""

FIELDS = ("n_true", "n_pred", "n_both", "n_neither")


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

    With ``keep="counts"`` only counts are kept, with ``"classes"`` augmented sets as well, which
    averages over classes need.
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
        elif isinstance(m.recipe, SetRecipe):
            found[k] = _joined_sets(list(m.recipe.augmented(batch)))
    return found


def joined(parts: Sequence[Kept]) -> Kept:
    """Return what was kept of consecutive batches as one."""
    return {k: _joined([part[k] for part in parts]) for k in (parts[0] if parts else {})}


def _way(m: Measure) -> Keep:
    average = m.options.get("average", "samples")
    ways: Mapping[Any, Keep] = {"micro": "counts", "macro": "classes", "weighted": "classes"}
    return ways.get(average, "nothing")


def _small(counts: Counts) -> Counts:
    """Return counts in numbers of 32 bits; costs that are all zero take no room."""
    small: Any = {}
    for name in FIELDS:
        column = getattr(counts, name)
        fits = column is not None and (len(column) == 0 or column.max() < 2**31)
        small[name] = column.astype(np.int32) if fits else column
    cost = counts.cost if counts.cost.any() else np.broadcast_to(0.0, counts.cost.shape)
    return Counts(**small, cost=cost, n_classes=counts.n_classes)


def _joined(parts: Sequence[Counts | AugmentedSets]) -> Counts | AugmentedSets:
    counts = [part for part in parts if isinstance(part, Counts)]
    if not counts:
        return _joined_sets([part for part in parts if isinstance(part, AugmentedSets)])
    columns: Any = {}
    for name in FIELDS:
        known = [getattr(c, name) for c in counts]
        columns[name] = None if known[0] is None else np.concatenate(known)
    priced = any(c.cost.any() for c in counts)
    n = sum(len(c.cost) for c in counts)
    cost = np.concatenate([c.cost for c in counts]) if priced else np.broadcast_to(0.0, (n,))
    return Counts(**columns, cost=cost, n_classes=max(c.n_classes for c in counts))


def _joined_sets(parts: Sequence[AugmentedSets]) -> AugmentedSets:
    """Return augmented sets as one, without the classes that do not count."""
    counted = [part.in_true | part.in_pred for part in parts]
    lengths = [_sizes(part.row_ptr, c) for part, c in zip(parts, counted, strict=True)]

    def column(name: str) -> NDArray[Any]:
        pieces = [getattr(part, name)[c] for part, c in zip(parts, counted, strict=True)]
        return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int32)

    return AugmentedSets(
        0,
        offsets(np.concatenate(lengths) if lengths else np.zeros(0, dtype=np.int64)),
        column("column").astype(np.int32),
        column("in_true").astype(bool),
        column("in_pred").astype(bool),
    )


def _sizes(row_ptr: NDArray[np.int64], counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    upto = np.concatenate([[0], np.cumsum(counted)])
    sizes: NDArray[np.int64] = upto[row_ptr[1:]] - upto[row_ptr[:-1]]
    return sizes
