"""Label sets as CSR arrays of class numbers, whatever the classes are called."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, counted, facts_table
from hierpair.hierarchy.arrays import offsets, ragged_ranges, row_numbers, sorted_unique
from hierpair.hierarchy.building import plain_names
from hierpair.hierarchy.graph import Hierarchy
from hierpair.labels.naming import check_ids
from hierpair.labels.rows import AsWritten

__all__ = ["LabelArrays"]


@dataclass(frozen=True, eq=False, repr=False)
class LabelArrays:
    """One set of classes per instance; see :class:`hierpair.LabelSets`."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    n_classes: int
    ids: tuple[Hashable, ...] | None = None
    n_unknown: int = 0
    numbering: str | None = None
    as_written: AsWritten | None = None
    unused_scores: bool = False

    def __post_init__(self) -> None:
        self.indptr.setflags(write=False)
        self.indices.setflags(write=False)

    @classmethod
    def from_arrays(
        cls,
        indptr: NDArray[np.integer],
        indices: NDArray[np.integer],
        n_classes: int,
        ids: Sequence[Hashable] | None = None,
    ) -> Self:
        """Build from CSR arrays of class numbers; repeated labels collapse.

        Raises
        ------
        BadInput
            For a row pointer that does not fit, numbers outside ``0 … n_classes - 1``, or
            repeated ids.
        """
        numbers = np.asarray(indices)
        if np.asarray(indptr).dtype.kind not in "iu":
            raise BadInput("indptr must hold whole numbers")
        pointer = np.asarray(indptr, dtype=np.int64)
        if len(pointer) == 0 or pointer[0] != 0 or pointer[-1] != len(numbers):
            raise BadInput("indptr must run from 0 to the number of labels")
        if (np.diff(pointer) < 0).any():
            raise BadInput("indptr must not descend")
        if len(numbers) and numbers.dtype.kind not in "iu":
            raise BadInput(f"class numbers must be integers, got {numbers.dtype}")
        outside = np.flatnonzero((numbers < 0) | (numbers >= n_classes))
        if len(outside):
            row = int(np.searchsorted(pointer, outside[0], side="right")) - 1
            raise BadInput(
                f"instance {row}: class number {numbers[outside[0]]} is outside 0 … {n_classes - 1}"
            )
        if ids is not None:
            check_ids(ids, len(pointer) - 1)
        keys = row_numbers(pointer) * n_classes + numbers.astype(np.int64)
        as_written = None
        if (np.diff(keys) <= 0).any():
            as_written = AsWritten(pointer.copy(), numbers.astype(np.int32))
            keys = sorted_unique(keys)
        rows, label = np.divmod(keys, max(1, n_classes))
        return cls(
            offsets(np.bincount(rows, minlength=len(pointer) - 1)),
            label.astype(np.int32),
            n_classes,
            None if ids is None else tuple(plain_names(ids)),
            as_written=as_written,
        )

    def __repr__(self) -> str:
        n, n_labels = counted(len(self), "instance"), counted(len(self.indices), "label")
        by = "by position" if self.ids is None else "with ids"
        return f"LabelSets({n} {by}, {n_labels} of {counted(self.n_classes, 'class')})"

    def _repr_html_(self) -> str:
        lengths = self.lengths
        facts = [
            ("instances", f"{len(self):,}, {'by position' if self.ids is None else 'with ids'}"),
            ("labels", f"{len(self.indices):,} of {counted(self.n_classes, 'class')}"),
            ("labels of an instance", f"{lengths.mean():.2f} in the mean" if len(self) else "none"),
            ("at most", f"{lengths.max(initial=0):,}"),
            ("without labels", f"{int((lengths == 0).sum()):,}"),
        ]
        unknown = [("dropped or replaced", f"{self.n_unknown:,}")] if self.n_unknown else []
        return facts_table(type(self).__name__, [*facts, *unknown])

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of labels of each instance."""
        return np.diff(self.indptr)

    def part(self, lo: int, hi: int) -> Self:
        """Return the instances ``lo … hi - 1``."""
        a, b = self.indptr[lo], self.indptr[hi]
        return type(self)(
            self.indptr[lo : hi + 1] - a,
            self.indices[a:b],
            self.n_classes,
            numbering=self.numbering,
            as_written=None if self.as_written is None else self.as_written.part(lo, hi),
        )

    def take(self, rows: NDArray[np.integer]) -> Self:
        """Return these instances in this order; a negative row number gives an empty set."""
        rows = np.asarray(rows, dtype=np.int64)
        lengths = np.where(rows >= 0, np.append(self.lengths, 0)[rows], 0)
        starts = np.where(rows >= 0, self.indptr[rows], 0)
        picked = self.indices[ragged_ranges(starts, lengths)]
        written = None if self.as_written is None else self.as_written.take(rows)
        return type(self)(
            offsets(lengths), picked, self.n_classes, None, self.n_unknown, self.numbering, written
        )

    def names_of(self, i: int, hierarchy: Hierarchy) -> list[Hashable]:
        """Return the class names of instance ``i``."""
        return [hierarchy.names[c] for c in self.indices[self.indptr[i] : self.indptr[i + 1]]]
