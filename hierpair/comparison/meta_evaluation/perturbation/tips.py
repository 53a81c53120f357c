"""The labels of instances that are above none of their others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from hierpair.comparison.meta_evaluation.perturbation.relatives import Relatives
from hierpair.hierarchy.arrays import Bools, Ints, offsets, sorted_unique
from hierpair.labels import LabelSets
from hierpair.labels.sets import lowest_labels

__all__ = ["Tips", "one_below_the_other", "sets_of"]


@dataclass(frozen=True, eq=False)
class Tips:
    """Labels that are above no other label of their instance.

    Labels above others say nothing more; with them a set measure would see a replaced label as one
    that is left out.

    Attributes
    ----------
    relatives
        Who is related to whom.
    row, label
        Instance and class of every tip, ascending.
    n_instances
        Number of instances, with or without labels.
    """

    relatives: Relatives
    row: Ints
    label: Ints
    n_instances: int

    @classmethod
    def of(cls, relatives: Relatives, truth: LabelSets) -> Tips:
        """Return the tips of label sets."""
        row, label = lowest_labels(relatives.hierarchy, truth)
        return cls(relatives, row, label.astype(np.int64), len(truth))

    @cached_property
    def ptr(self) -> Ints:
        """CSR row pointer of the instances."""
        return offsets(np.bincount(self.row, minlength=self.n_instances))

    @cached_property
    def tops(self) -> scipy.sparse.csr_array:
        """Which highest classes the labels of every instance are below, a row per instance."""
        n = len(self.relatives.hierarchy)
        ones = np.ones(len(self.label))
        sets = scipy.sparse.csr_array((ones, self.label, self.ptr), shape=(self.n_instances, n))
        return scipy.sparse.csr_array(sets @ self.relatives.tops)

    def hold(self, row: Ints, label: Ints) -> Bools:
        """Return whether an instance has a label."""
        n = len(self.relatives.hierarchy)
        held: Bools = np.isin(row * n + label, self.row * n + self.label)
        return held


def sets_of(row: Ints, label: Ints, n_instances: int, n_classes: int) -> LabelSets:
    """Return label sets of (instance, class) in any order."""
    keys = sorted_unique(row * n_classes + label)
    row, label = np.divmod(keys, max(1, n_classes))
    ptr = offsets(np.bincount(row, minlength=n_instances))
    return LabelSets.from_arrays(ptr, label, n_classes)


def one_below_the_other(parts: Sequence[LabelSets]) -> LabelSets:
    """Return several label sets of the same classes as one."""
    ptr = offsets(np.concatenate([part.lengths for part in parts]))
    return LabelSets.from_arrays(
        ptr, np.concatenate([p.indices for p in parts]), parts[0].n_classes
    )
