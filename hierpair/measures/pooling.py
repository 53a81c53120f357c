"""From evidence to a pooled score: statistics that add up exactly, in any order and any chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIELDS", "ClassEntries", "Counts", "ExactSum", "Statistics"]

LOWEST_EXPONENT = -1200
"""Below the exponent of the smallest float, less the 53 bits of its mantissa."""


@dataclass
class ExactSum:
    """A sum of floats without rounding, so that order and chunks do not matter.

    >>> total = ExactSum()
    >>> total.add(np.array([1e16, 1.0, -1e16]))
    >>> float(total)
    1.0
    """

    units: int = 0

    def add(self, values: NDArray[np.float64]) -> None:
        """Add finite values: their mantissas are summed as whole numbers, by exponent."""
        mantissa, exponent = np.frexp(values)
        whole = np.ldexp(mantissa, 53)
        high = np.floor(np.ldexp(whole, -27))
        low = whole - np.ldexp(high, 27)
        shift = exponent - 53 - LOWEST_EXPONENT
        for part, extra in ((high, 27), (low, 0)):
            sums = np.bincount(shift, part)
            for power in np.flatnonzero(sums):
                self.units += int(sums[power]) << (int(power) + extra)

    def merge(self, other: ExactSum) -> None:
        """Add another sum."""
        self.units += other.units

    def fraction(self) -> Fraction:
        """Return the exact value."""
        return Fraction(self.units, 1 << -LOWEST_EXPONENT)

    def __float__(self) -> float:
        return float(self.fraction())


@dataclass(frozen=True, eq=False)
class Counts:
    """What a measure is computed from: sizes of label sets and, for pairings, their cost.

    Each field is an array over instances, over classes, or of length one for a whole data set;
    a measure's formula is the same for all three.

    Attributes
    ----------
    n_true, n_pred, n_both
        Sizes of the (augmented) true set, predicted set and their intersection.
    cost
        Cost of the pairing; zeros for set-based measures.
    n_classes
        Number of classes that count.
    found_by
        How the graphs of LCA measures were found (a number of ``hierpair.lca``), or None.
    n_neither
        For confusion counts: classes that neither side took (TN); otherwise None. Then ``n_both``
        is TP, ``n_pred`` TP + FP, and ``n_true`` TP + FN.
    contribution_pred, contribution_true
        What false positives and false negatives count in contributions (FpCon and FnCon, times
        the acceptable distance); otherwise None.
    worst
        What the cost is a share of; None where it is no share.
    infeasible
        Instances that have no pairing, whose value is nan and whose sizes are 0; None: all have.
    remarks
        What has to be known of some instances: sentences, and which ones.
    """

    n_true: NDArray[Any]
    n_pred: NDArray[Any]
    n_both: NDArray[Any]
    cost: NDArray[np.float64]
    n_classes: int
    found_by: NDArray[np.int8] | None = None
    n_neither: NDArray[Any] | None = None
    contribution_pred: NDArray[np.float64] | None = None
    contribution_true: NDArray[np.float64] | None = None
    worst: NDArray[np.float64] | None = None
    infeasible: NDArray[np.bool_] | None = None
    remarks: tuple[tuple[str, NDArray[np.bool_]], ...] = ()

    @property
    def n_union(self) -> NDArray[Any]:
        """Size of the union of both sets."""
        union: NDArray[Any] = self.n_true + self.n_pred - self.n_both
        return union


FIELDS = (
    "n_true", "n_pred", "n_both", "cost", "n_neither", "contribution_pred", "contribution_true", "worst",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ClassEntries:
    """What instances add to the counts of classes, one entry per instance and class or more.

    Attributes
    ----------
    n_instances
        Number of instances.
    row, column
        Instance and class of every entry.
    fields
        By name of a field of :class:`Counts`, what every entry adds to it.
    n_classes
        Number of classes that count.
    neither
        Whether ``n_neither`` of a class is the number of instances that have it on neither side.
    """

    n_instances: int
    row: NDArray[np.int32]
    column: NDArray[np.int32]
    fields: dict[str, NDArray[Any]]
    n_classes: int
    neither: bool = False

    @classmethod
    def joined(cls, parts: Sequence[ClassEntries]) -> ClassEntries:
        """Return the entries of consecutive instances as one."""
        first = np.cumsum([0, *(part.n_instances for part in parts)])
        rows = [part.row + np.int32(lo) for part, lo in zip(parts, first[:-1], strict=True)]
        return cls(
            int(first[-1]),
            np.concatenate(rows),
            np.concatenate([part.column for part in parts]),
            {f: np.concatenate([part.fields[f] for part in parts]) for f in parts[0].fields},
            max(part.n_classes for part in parts),
            parts[0].neither,
        )


@dataclass
class Statistics:
    """What has to be kept of any number of instances to know the pooled score.

    Attributes
    ----------
    value, weight
        Sums of weighted values and of weights, for means over instances.
    sums
        Sums of the counts, for micro averages.
    by_class
        Counts per class, for macro and weighted averages.
    n_classes
        Number of classes that count.
    n_instances
        Number of instances.
    found_by
        For LCA measures: how many instances were solved in which way.
    n_infeasible
        How many instances had no pairing and were left out.
    infeasible_at
        Which ones: their places among all, an array per batch.
    remarks
        By sentence, of how many instances it has to be known.
    """

    value: ExactSum = field(default_factory=ExactSum)
    weight: ExactSum = field(default_factory=ExactSum)
    sums: dict[str, ExactSum] = field(default_factory=lambda: {f: ExactSum() for f in FIELDS})
    by_class: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    n_classes: int = 0
    n_instances: int = 0
    found_by: dict[int, int] = field(default_factory=dict)
    n_infeasible: int = 0
    infeasible_at: list[NDArray[np.int64]] = field(default_factory=list)
    remarks: dict[str, int] = field(default_factory=dict)

    def add_remarks(self, counts: Counts) -> None:
        """Count the instances that have no pairing, and those that something is said of."""
        if counts.infeasible is not None:
            seen = self.n_instances + self.n_infeasible
            self.infeasible_at.append(np.flatnonzero(counts.infeasible) + seen)
            self.n_infeasible += int(counts.infeasible.sum())
        for text, instances in counts.remarks:
            self.remarks[text] = self.remarks.get(text, 0) + int(instances.sum())

    def add_ways(self, found_by: NDArray[np.int8]) -> None:
        """Count how the graphs of instances were found."""
        for way, n in enumerate(np.bincount(found_by).tolist()):
            if n:
                self.found_by[way] = self.found_by.get(way, 0) + n

    def add_values(self, values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> None:
        """Add per-instance values; NaN values are left out together with their weight."""
        known = ~np.isnan(values)
        w = np.ones(len(values)) if weight is None else weight
        self.value.add((values * w)[known])
        self.weight.add(w[known])

    def add_counts(self, counts: Counts, weight: NDArray[np.float64] | None) -> None:
        """Add per-instance counts."""
        self.n_classes = counts.n_classes
        for name in FIELDS:
            if getattr(counts, name) is None:
                continue
            column = np.asarray(getattr(counts, name), dtype=np.float64)
            self.sums[name].add(column if weight is None else column * weight)

    def add_classes(self, counts: Counts) -> None:
        """Add per-class counts."""
        self.n_classes = counts.n_classes
        for name in FIELDS:
            if getattr(counts, name) is None:
                continue
            column = np.asarray(getattr(counts, name), dtype=np.float64)
            self.by_class[name] = self.by_class.get(name, 0.0) + column

    def merge(self, other: Statistics) -> None:
        """Add the statistics of other instances."""
        self.value.merge(other.value)
        self.weight.merge(other.weight)
        self.n_classes = max(self.n_classes, other.n_classes)
        seen = self.n_instances + self.n_infeasible
        self.infeasible_at += [places + seen for places in other.infeasible_at]
        self.n_instances += other.n_instances
        for name in FIELDS:
            self.sums[name].merge(other.sums[name])
        self.n_infeasible += other.n_infeasible
        for text, n in other.remarks.items():
            self.remarks[text] = self.remarks.get(text, 0) + n
        for way, n in other.found_by.items():
            self.found_by[way] = self.found_by.get(way, 0) + n
        for name, column in other.by_class.items():
            self.by_class[name] = self.by_class.get(name, 0.0) + column

    def mean(self) -> float:
        """Return the weighted mean of the values; NaN if there is none."""
        total = self.weight.fraction()
        return float(self.value.fraction() / total) if total else float("nan")

    def whole(self) -> Counts:
        """Return the summed counts."""
        sums: Any = {name: np.array([float(self.sums[name])]) for name in FIELDS}
        return Counts(n_classes=self.n_classes, **sums)

    def classes(self, *, every: bool = False) -> Counts:
        """Return the counts of the classes that occur in the truth or in the predictions.

        With ``every`` also of those that were neither true nor predicted of any instance.
        """
        if not self.by_class:
            none = np.empty(0)
            return Counts(none, none, none, none, self.n_classes)
        kept = self.class_numbers(every=every)
        columns: Any = {name: column[kept] for name, column in self.by_class.items()}
        return Counts(n_classes=self.n_classes, **columns)

    def class_numbers(self, *, every: bool = False) -> NDArray[np.int64]:
        """Return the numbers of the classes that :meth:`classes` counts."""
        found = self.by_class
        if not found:
            return np.empty(0, dtype=np.int64)
        seen = (found["n_true"] > 0) | (found["n_pred"] > 0)
        if every and "n_neither" in found:
            seen |= found["n_neither"] > 0
        return np.flatnonzero(seen)
