"""Two augmented label sets of one instance and what they share."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.evidence.base import (
    Evidence,
    Name,
    cost_text,
    listed_classes,
)
from hierpair.tables import Block

__all__ = ["Amounts", "SetEvidence"]


class Amounts(NamedTuple):
    """What numbers of classes are, the classes, their numbers, and what has to be known of them."""

    word: str
    classes: NDArray[np.integer]
    numbers: NDArray[np.float64]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetEvidence(Evidence):
    """Two augmented label sets and what they share.

    Attributes
    ----------
    augment
        How the sets grew: ``"ancestors"``, ``"descendants"``, ``"pruned"`` or ``"none"``.
    shared, only_true, only_predicted
        Classes of both augmented sets, and of one of them, parents before children.
    excluded_classes
        Classes that stand for "any class" and do not count.
    pruned
        Classes that pruning left out.
    amount, amounts
        Where classes count by numbers of their own, such as weights: what the numbers are, and
        (class, number) of each that has one.
    remarks
        What has to be known of these sets and numbers, a sentence each.
    counts
        (column, value) of what the recipe counts, as it follows from these classes and numbers.
    """

    augment: str
    shared: tuple[Name, ...]
    only_true: tuple[Name, ...]
    only_predicted: tuple[Name, ...]
    excluded_classes: tuple[Name, ...]
    pruned: tuple[Name, ...] = ()
    amount: str = ""
    amounts: tuple[tuple[Name, float], ...] = ()
    remarks: tuple[str, ...] = ()
    counts: tuple[tuple[str, float], ...] = ()

    kind: ClassVar[str] = "sets"

    @property
    def columns(self) -> Mapping[str, float]:
        """The sizes of the sets, or what else follows from the classes and their numbers."""
        return dict(self.counts)

    @property
    def is_empty(self) -> bool:
        """Whether both sets are empty."""
        return not (self.shared or self.only_true or self.only_predicted)

    def with_amounts(self, names: Sequence[Hashable], digits: int = 4) -> list[Hashable]:
        """Return the names of classes, each with its number in brackets where it has one."""
        known = dict(self.amounts)
        return [f"{c} ({cost_text(known[c], digits)})" if c in known else c for c in names]

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return the classes of both sets and of one of them, and the remarks."""
        rows = [
            [name, str(len(classes)), listed_classes(self.with_amounts(classes, digits))]
            for name, classes in (
                ("in both", self.shared),
                ("only true", self.only_true),
                ("only predicted", self.only_predicted),
                ("not counted", self.excluded_classes),
                ("pruned", self.pruned),
            )
            if classes or name not in ("not counted", "pruned")
        ]
        grown = "labels" if self.augment == "none" else f"labels with {self.augment}"
        amount = f"({self.amount})" if self.amount else ""
        return [Block([grown, "classes", amount], rows, align="lrl", foot=self.remarks)]
