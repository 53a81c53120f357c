"""The masses of both sides of a batch, in whole numbers that add up to the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.pairing.pairs import SIDES, Pairs, Side

__all__ = ["Masses"]

FINEST = 52
"""Masses that are given as floats are cut into 2**52 units of an instance, or fewer where it has
so many labels that the capacities of their arcs would no longer fit 62 bits."""

FLOW_BITS = 62
"""Bits of all units of an instance together."""


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses of the classes of both sides of a batch, as whole units.

    Make one with :meth:`of_sets` or :meth:`of_laws`.

    Attributes
    ----------
    hierarchy
        The classes.
    y_true, y_pred
        The classes of every instance that have mass.
    units
        By side, the units of each of them.
    whole
        How many units make the mass 1, by instance: those of either side add up to it. An
        instance with a side without classes has units of 0 on both sides.
    """

    hierarchy: Hierarchy
    y_true: LabelSets
    y_pred: LabelSets
    units: Mapping[Side, Ints]
    whole: Ints

    @classmethod
    def of_sets(cls, hierarchy: Hierarchy, y_true: LabelSets, y_pred: LabelSets) -> Masses:
        """Share the mass 1 among the labels of a set: ``1/|T|`` each, in ``1/lcm(|T|, |P|)``."""
        n_true, n_pred = y_true.lengths, y_pred.lengths
        whole = np.lcm(np.maximum(n_true, 1), np.maximum(n_pred, 1))
        both = (n_true > 0) & (n_pred > 0)
        units: dict[Side, Ints] = {
            side: (whole // np.maximum(sets.lengths, 1) * both)[row_numbers(sets.indptr)]
            for side, sets in zip(SIDES, (y_pred, y_true), strict=True)
        }
        return cls(hierarchy, y_true, y_pred, units, whole)

    @classmethod
    def of_laws(
        cls,
        hierarchy: Hierarchy,
        y_true: LabelSets,
        y_pred: LabelSets,
        mass: Mapping[Side, Floats],
    ) -> Masses:
        """Cut given masses into units; what rounding leaves over goes to the heaviest class.

        Parameters
        ----------
        hierarchy, y_true, y_pred
            The classes of every instance that have mass.
        mass
            By side, the mass of each, ≥ 0; those of an instance are divided by their sum.

        Raises
        ------
        BadInput
            For a mass that is negative, not finite, or nothing but zeros.
        """
        longest = int(max(y_true.lengths.max(initial=1), y_pred.lengths.max(initial=1)))
        fine = 2 ** min(FINEST, FLOW_BITS - longest.bit_length())
        units: dict[Side, Ints] = {}
        for side, sets in zip(SIDES, (y_pred, y_true), strict=True):
            units[side] = _units(sets, mass[side], fine, side)
        both = (y_true.lengths > 0) & (y_pred.lengths > 0)
        for side, sets in zip(SIDES, (y_pred, y_true), strict=True):
            units[side] = units[side] * both[row_numbers(sets.indptr)]
        return cls(hierarchy, y_true, y_pred, units, np.full(len(y_true), fine))

    def sets(self, side: Side) -> LabelSets:
        """Return the classes of a side."""
        return self.y_true if side == "true" else self.y_pred

    def __len__(self) -> int:
        return len(self.whole)

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of a predicted and a true class of each instance."""
        return Pairs.between(self.hierarchy, self.y_true, self.y_pred)


def _units(sets: LabelSets, mass: Floats, fine: int, side: Side) -> Ints:
    row = row_numbers(sets.indptr)
    wrong = np.flatnonzero(~((mass >= 0) & np.isfinite(mass)))
    if len(wrong):
        raise BadInput(
            f"a mass of the {side} side must be a finite number ≥ 0, got {mass[wrong[0]]}",
            int(row[wrong[0]]),
        )
    total = np.bincount(row, mass, minlength=len(sets))
    nothing = np.flatnonzero((total == 0) & (sets.lengths > 0))
    if len(nothing):
        raise BadInput(f"all masses of the {side} side are 0", int(nothing[0]))
    units = np.rint(mass / total[row] * fine).astype(np.int64)
    over = fine - row_sums(units, sets.indptr)
    last = np.lexsort((mass, row))[sets.indptr[1:][sets.lengths > 0] - 1]
    units[last] += over[sets.lengths > 0]
    return units
