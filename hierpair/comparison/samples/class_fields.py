"""The fields of a sample of averages over classes, and what an average makes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy.arrays import Floats
from hierpair.measures import Measure
from hierpair.measures.pooling import (
    ClassTotals,
    class_terms,
    mean_over_classes,
    summed_means,
    unseen_terms,
)

__all__ = ["ClassFields"]

CACHED_CELLS = 84_000
"""Classes times data sets whose values are computed at a time, so that they stay in the cache.

A step over pairs of systems (``PAIR_CELLS`` of ``sample.py``) is one piece where a formula has
three columns.
"""


@dataclass(frozen=True)
class ClassFields:
    """What the fields of one run are, and what an average makes of them.

    Attributes
    ----------
    m
        The average over classes.
    names
        Columns by class; the fields are all classes of the first, all of the second, …
    width
        Number of classes that occur.
    every
        Columns to which every instance adds its weight, which is the field after those of classes.
    shown
        Columns of all instances together, the last fields.
    n_classes
        Number of classes that count.
    """

    m: Measure
    names: tuple[str, ...]
    width: int
    every: tuple[str, ...]
    shown: tuple[str, ...]
    n_classes: int

    def __len__(self) -> int:
        return len(self.names) * self.width + 1 + len(self.shown)

    def totals(self, by_name: Floats, common: Floats) -> ClassTotals:
        """Return the sums that a formula takes.

        ``by_name`` has the shape ``(names, rows, classes)``, ``common`` the last fields of every
        row, shape ``(rows, 1 + shown)``.
        """
        known: dict[str, Floats] = dict(zip(self.names, by_name, strict=True))
        total, *others = common.T
        shared = dict.fromkeys(self.every, total)
        known |= {name: np.maximum(total[:, None] + known[name], 0.0) for name in shared}
        shared |= dict(zip(self.shown, others, strict=True))
        n = by_name.shape[-1]
        known |= {c: np.repeat(shared[c][:, None], n, axis=1) for c in self.shown}
        return ClassTotals(known, shared, self.n_classes)

    def split(self, flat: Floats) -> tuple[Floats, Floats]:
        """Return sums of rows of fields as :meth:`totals` takes them."""
        cut = len(self.names) * self.width
        by_class = flat[:, :cut].reshape(len(flat), len(self.names), self.width)
        by_name = np.ascontiguousarray(by_class.swapaxes(0, 1), dtype=np.float64)
        return by_name, flat[:, cut:].astype(np.float64)

    def means(self, flat: Floats) -> Floats:
        """Return the average over classes of rows of fields, some rows at a time."""
        step = max(1, CACHED_CELLS // max(1, self.width))
        found = [
            mean_over_classes(self.m, self.totals(*self.split(flat[lo : lo + step])), summed_means)
            for lo in range(0, len(flat), step)
        ]
        return np.concatenate(found) if found else np.zeros(0)

    def terms(self, by_name: Floats, common: Floats) -> tuple[Floats, Floats]:
        """Return what classes add to both sides of the ratio that the average is, by class."""
        return class_terms(self.m, self.totals(by_name, common))

    def unseen(self, common: Floats) -> tuple[float, float]:
        """Return what classes that do not occur add to both sides, given the last fields."""
        nothing = np.zeros((len(self.names), 1, self.width))
        above, below = unseen_terms(self.m, self.totals(nothing, common[None]))
        return float(above[0]), float(below[0])
