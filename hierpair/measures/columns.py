"""What a recipe computes: columns of numbers that can be added up, and entries by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hierpair.hierarchy.arrays import Array, Bools, Indices, Shorts, marked


@dataclass(frozen=True)
class Column:
    """A number of every instance that can be added up, or a word that can be counted.

    Parameters
    ----------
    name
        What formulas call it.
    unit
        What one unit of it is.
    dtype
        ``int`` or ``float``; ``bool`` for what holds of an instance or not, and is counted.
    words
        For a column of categories: the words that its numbers 0, 1, … stand for; they are counted.
    support
        Whether weighted averages over classes weigh by it.
    per
        For a support: the column by whose sum that of the support is divided before it weighs, for
        weights that do not grow with how often a class (or level) occurs.
    whole
        Whether formulas of classes take the sum over all instances (see :attr:`Entries.whole`).
    every
        Whether every class that counts adds 1 at every instance, beside what is counted.
    alone
        Whether it is of whole instances only, so that no class has a part of it.

    Examples
    --------
    >>> right = Column("n_right", "a true class that was predicted", support=True)
    >>> how = Column("solved_by", "an instance", words=("searched", "stopped"))
    """

    name: str
    unit: str
    dtype: type = int
    words: tuple[str, ...] = ()
    support: bool = False
    per: str = ""
    whole: bool = False
    every: bool = False
    alone: bool = False


Columns = Mapping[str, Array]
"""Columns by name, each an array over instances, classes, or the one entry of a data set.

The column ``infeasible`` says which instances have no value. A column of bools that its recipe
does not declare is a remark: its name is the sentence, and it is counted of how many instances."""

SET_SIZES = (
    Column("n_true", "a class of the true set", support=True),
    Column("n_pred", "a class of the predicted set"),
    Column("n_both", "a class of both sets"),
)

INFEASIBLE = Column("infeasible", "an instance without a possible pairing", bool)

N_NEITHER = Column("n_neither", "a class that counts and is in neither set", every=True)


@dataclass(frozen=True, eq=False)
class Entries:
    """What instances add to classes (or levels), one entry per instance and class or more.

    Attributes
    ----------
    n_instances
        Number of instances.
    row, number
        Instance of every entry, and the number of its class.
    columns
        By name, what every entry adds.
    n_classes
        Number of classes that count.
    every
        Names of columns to which every instance also adds 1, at every class that counts.
    whole
        By name, shape ``(n_instances,)``: columns of instances that formulas of classes take too,
        every class those of all instances together.
    aside
        Instances that add nothing to any class, also not to ``every`` column; None: there are none.
    """

    n_instances: int
    row: Shorts
    number: Shorts
    columns: dict[str, Array]
    n_classes: int
    every: tuple[str, ...] = ()
    whole: Mapping[str, Array] = field(default_factory=dict)
    aside: Bools | None = None

    @classmethod
    def joined(cls, parts: Sequence[Entries]) -> Entries:
        """Return the entries of consecutive instances as one."""
        first = np.cumsum([0, *(part.n_instances for part in parts)])
        rows = [part.row + np.int32(lo) for part, lo in zip(parts, first[:-1], strict=True)]
        return cls(
            int(first[-1]),
            np.concatenate(rows),
            np.concatenate([part.number for part in parts]),
            {c: np.concatenate([part.columns[c] for part in parts]) for c in parts[0].columns},
            max(part.n_classes for part in parts),
            parts[0].every,
            {c: np.concatenate([part.whole[c] for part in parts]) for c in parts[0].whole},
            np.concatenate([part.judged == 0 for part in parts]),
        )

    def without(self, instances: Indices) -> Entries:
        """Return the entries of all but some instances."""
        kept = np.flatnonzero(~np.isin(self.row, instances))
        columns = {name: each[kept] for name, each in self.columns.items()}
        return replace(self, row=self.row[kept], number=self.number[kept], columns=columns)

    @property
    def judged(self) -> Bools:
        """Which instances add to classes."""
        return np.ones(self.n_instances, dtype=bool) if self.aside is None else ~self.aside


def without(columns: Columns, infeasible: Indices) -> dict[str, Array]:
    """Return columns to which some instances add nothing, and which instances have no value."""
    if not len(infeasible):
        return dict(columns)
    none = marked(infeasible, len(next(iter(columns.values()))))
    none |= columns.get(INFEASIBLE.name, none)
    kept = {
        name: column if column.dtype == bool else np.where(none, 0, column)
        for name, column in columns.items()
    }
    return {**kept, INFEASIBLE.name: none}
