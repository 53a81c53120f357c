"""The units into which the masses of an instance are cut, so that all of them are whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.pairing.constraints.amounts import (
    FINEST,
    MOST,
    Amount,
    amount_of,
    least_common,
)
from hierpair.pairing.constraints.values import OPEN, Things
from hierpair.pairing.pairs import GroupsOf, Instances

__all__ = ["Units", "owners", "too_many"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LIGHTEST = 2**-10
"""Masses of an instance that add up to less get no more units than if they added up to this."""


class Units:
    """Finds, and then knows, into how many units the mass 1 of every instance is cut.

    First all amounts are taken in by :meth:`note`; :meth:`fixed` then has :meth:`whole`, and
    :meth:`of` returns the units of every amount.

    Attributes
    ----------
    whole
        Units that make the mass 1, by instance.
    rough
        Instances with floats that are rounded.
    known
        Whether ``whole`` is fixed.
    """

    def __init__(self, n_instances: int) -> None:
        self.whole = np.ones(n_instances, dtype=np.int64)
        self.rough = np.zeros(n_instances, dtype=bool)
        self.heaviest = np.zeros(n_instances)
        self.known = False

    def note(self, amount: Amount, instance: Ints) -> None:
        """Take amounts in, each of an instance."""
        least_common(self.whole, instance, amount.below)
        self.rough[instance[amount.rough]] = True

    def note_sum(self, amount: Amount, instance: Ints) -> None:
        """Take the masses of one side in: of rounded ones the unit depends on their sum."""
        total = np.bincount(instance, amount.value, minlength=len(self.whole))
        np.maximum(self.heaviest, total, out=self.heaviest)

    def fixed(self) -> Units:
        """Return it with units so fine that all exact amounts are whole."""
        found = Units(len(self.whole))
        found.whole, found.rough, found.known = self.whole, self.rough, True
        some = np.flatnonzero(self.rough)  # most rules have none, and their units are at hand
        if len(some):
            heaviest = self.heaviest[some]
            heaviest = np.where(heaviest > 0, np.maximum(heaviest, LIGHTEST), 1)
            room = np.floor(FINEST - np.log2(self.whole[some] * heaviest))
            found.whole = self.whole.copy()
            found.whole[some] *= np.exp2(np.maximum(room, 0)).astype(np.int64)
        return found

    def of(self, amount: Amount, instance: Ints, *, up: bool = False) -> Ints:
        """Return amounts in units; what is rough is rounded to the nearest, or up.

        Raises
        ------
        SolverLimit
            For more units than the solver takes.
        """
        whole = self.whole[instance]
        is_open = np.isinf(amount.value)
        size = np.where(is_open, 0, amount.value * whole)
        if size.max(initial=0) >= MOST:
            at = int(np.argmax(size))
            raise too_many(int(instance[at]), int(whole[at]))
        near = np.ceil(size) if up else np.rint(size)
        exact = amount.above * (whole // np.where(is_open, 1, amount.below))
        units: Ints = np.where(amount.rough, near.astype(np.int64), exact)
        units[is_open] = OPEN
        return units

    def apportioned(self, amount: Amount, instance: Ints) -> tuple[Ints, Floats]:
        """Return masses in units, by largest remainder where they are rounded.

        So the sum of an instance is rounded once. The second array holds how much mass every
        instance had to be rounded by.
        """
        units = self.of(amount, instance)
        n = len(self.whole)
        at = np.flatnonzero(amount.rough)
        if not len(at):
            return units, np.zeros(n)
        size = amount.value[at] * self.whole[instance[at]]
        units[at] = np.floor(size).astype(np.int64)
        rest = size - units[at]
        over = np.rint(np.bincount(instance[at], rest, minlength=n)).astype(np.int64)
        order = np.lexsort((-rest, instance[at]))
        first = np.searchsorted(instance[at][order], np.arange(n))
        rank = np.arange(len(order)) - first[instance[at][order]]
        units[at[order[rank < over[instance[at][order]]]]] += 1
        off = np.abs(units[at] - size) / self.whole[instance[at]]
        return units, np.bincount(instance[at], off, n).astype(np.float64)

    def bounds(self, lower: Any, upper: Any, chosen: Bools | None = None) -> tuple[Any, Any]:
        """Return bounds as functions that give them in units; first they are only taken in."""

        def least(things: Things) -> Ints:
            return self._bound(amount_of(lower, things, "lower", chosen, 0), things)

        def most(things: Things) -> Ints:
            high = amount_of(upper, things, "upper", chosen, np.inf)
            low = amount_of(lower, things, "lower", chosen, 0)
            bad = np.flatnonzero(low.value > high.value)
            if len(bad):
                whose, instance = things.place(int(bad[0]))
                raise BadInput(
                    f"{whose} cannot have at least {low.text(bad[0])} and at most "
                    f"{high.text(bad[0])}; bounds are 0 ≤ lower ≤ upper",
                    instance,
                )
            return self._bound(high, things)

        return least, most

    def _bound(self, amount: Amount, things: Things) -> Ints:
        instance, is_open = owners(things), np.isinf(amount.value)
        if self.known:
            return self.of(amount, instance)
        if isinstance(things, GroupsOf) and not things.size.any():
            instance = instance[:0]  # groups that nobody is in have no instance to be measured for
            amount = amount.at(np.zeros(len(amount), dtype=bool))
        self.note(amount, instance)
        return np.where(is_open, OPEN, 0)


def too_many(instance: int, whole: int) -> SolverLimit:
    """Return the error for an instance with more units than the solver takes."""
    cut = f" in units of 1/{whole}" if whole > 1 else ""
    return SolverLimit(
        f"its masses and capacities{cut} are 2**62 units or more, which the solver cannot carry; "
        "use coarser or smaller ones",
        instance,
    )


def owners(things: Things) -> Ints:
    """Return the instance of every label, group or instance."""
    if isinstance(things, Instances):
        return np.arange(len(things))
    return things.instance
