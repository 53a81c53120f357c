"""The worst instances of a partial: a bounded number, the same for every partition."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hierpair.measures import Measure

__all__ = ["Worst", "worst_of", "worst_together"]

Worst = tuple[tuple[float, str], ...]
"""Values and ids of instances, the worst first; of equal values, by id."""


def worst_of(
    measures: Sequence[Measure], values: NDArray[np.float64], ids: Sequence[str], most: int
) -> tuple[Worst, ...]:
    """Return by measure the worst instances; ``values`` has a column per measure.

    Undefined values are left out.
    """
    return tuple(_worst(values[:, k], ids, most, m) for k, m in enumerate(measures))


def worst_together(
    measures: Sequence[Measure], one: Sequence[Worst], other: Sequence[Worst], most: int
) -> tuple[Worst, ...]:
    """Return by measure the worst of both."""
    triples = zip(measures, one, other, strict=True)
    return tuple(_first([*a, *b], most, m) for m, a, b in triples)


def _worst(values: NDArray[np.float64], ids: Sequence[str], most: int, m: Measure) -> Worst:
    known = np.flatnonzero(~np.isnan(values))
    some = [known]
    if most < len(known):
        down = values[known] if m.higher_is_better else -values[known]
        last = np.partition(down, most - 1)[most - 1]
        ties = known[down == last].tolist()  # often many: the first of them by id
        first = heapq.nsmallest(most, ties, key=ids.__getitem__)
        some = [known[down < last], np.array(first, dtype=np.int64)]
    pairs = ((value + 0.0, ids[i]) for at in some
             for value, i in zip(values[at].tolist(), at.tolist(), strict=True))  # fmt: skip
    return _first(pairs, most, m)  # -0.0 is 0.0


def _first(some: Iterable[tuple[float, str]], most: int, m: Measure) -> Worst:
    sign = 1 if m.higher_is_better else -1
    return tuple(heapq.nsmallest(most, some, key=lambda one: (sign * one[0], one[1])))
