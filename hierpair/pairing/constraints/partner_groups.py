"""Groups of the partners of one label: the pairs of a label with some labels of the other side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import listed
from hierpair.pairing.constraints.bounds import NOBODY, Source
from hierpair.pairing.constraints.grouping import numbered
from hierpair.pairing.constraints.values import bounds_of
from hierpair.pairing.pairs import SIDES, GroupsOf, Pairs, Side

__all__ = ["PartnerGroups", "other_side"]


@dataclass(frozen=True, eq=False)
class PartnerGroups:
    """For every label of a side, bounds on its pairs with each group of the other side.

    Attributes
    ----------
    side
        Whose partners are grouped, ``"predicted"`` or ``"true"``.
    label, instance, number
        Label of every group, by position on its side, its instance, and the number of the group of
        its partners, shape ``(n_groups,)``.
    of_pair
        Position of every pair's group among these, -1 for no group.
    lower, upper
        Bounds of every group, shape ``(n_groups,)``.
    source
        Which constraint gives them.
    """

    side: Side
    label: NDArray[np.int64]
    instance: NDArray[np.int64]
    number: NDArray[np.int64]
    of_pair: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    source: Source = NOBODY

    @classmethod
    def of_labels(
        cls,
        pairs: Pairs,
        side: Side,
        group: NDArray[np.int64],
        lower: Any,
        upper: Any,
        source: Source = NOBODY,
        where: NDArray[np.bool_] | None = None,
    ) -> PartnerGroups:
        """Lay groups out: ``group`` has a number per label of the other side.

        ``where`` says whose partners are grouped; None: those of all labels of the side.

        Raises
        ------
        BadInput
            For bounds that are none, or contradict themselves.
        """
        across = group[pairs.at(other_side(side))]
        if where is not None:
            across = np.where(where[pairs.at(side)], across, -1)
        label, number, of_pair, size = numbered(pairs.at(side), across)
        instance = pairs.labels(side).instance[label]
        groups = GroupsOf(pairs.hierarchy, other_side(side), instance, number, size)
        bounds = bounds_of(lower, upper, groups)
        low, high = (np.broadcast_to(x, number.shape) for x in bounds)
        return cls(side, label, instance, number, of_pair, low, high, source)

    def things(self, pairs: Pairs) -> GroupsOf:
        """Return the groups as the numbers of a constraint see them."""
        size = np.bincount(self.of_pair[self.of_pair >= 0], minlength=len(self.number))
        return GroupsOf(pairs.hierarchy, other_side(self.side), self.instance, self.number, size)

    def of_pairs(self, pairs: Pairs) -> NDArray[np.int64]:
        """Return the position of the group of every pair, -1 for none."""
        return self.of_pair

    def part(self, instance: int, pairs: slice, labels: slice) -> PartnerGroups:
        """Return the groups of one instance, which has these pairs and labels of their side."""
        lo, hi = np.searchsorted(self.instance, [instance, instance + 1])
        of_pair = np.maximum(self.of_pair[pairs] - lo, -1)
        first = np.zeros(hi - lo, dtype=np.int64)
        number, lower, upper = (x[lo:hi] for x in (self.number, self.lower, self.upper))
        label = self.label[lo:hi] - labels.start
        return PartnerGroups(self.side, label, first, number, of_pair, lower, upper, self.source)

    def members(self, pairs: Pairs, at: int) -> NDArray[np.int64]:
        """Return the positions of the partners in one group among the labels of their side."""
        partners: NDArray[np.int64] = pairs.at(other_side(self.side))[self.of_pair == at]
        return partners

    def text(self, pairs: Pairs, at: int) -> str:
        """Return one group in words, by the names of its label and of the partners."""
        names = pairs.labels(other_side(self.side)).names
        whose, _ = pairs.labels(self.side).place(int(self.label[at]))
        return f"{whose} with {listed(names[i] for i in self.members(pairs, at).tolist())}"

    @property
    def membership(self) -> NDArray[np.int64]:
        """Position of every member's group, -1 for none: the members are pairs."""
        return self.of_pair


def other_side(side: Side) -> Side:
    """Return the other one of the two sides."""
    return SIDES[1 - SIDES.index(side)]
