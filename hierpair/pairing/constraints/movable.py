"""What constraints say of masses and capacities, and what every pair may carry then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import row_sums, sorted_unique
from hierpair.pairing.constraints.amounts import (
    FINEST_UNITS,
    Amount,
    amount_of,
    exact_amount,
    shares,
)
from hierpair.pairing.constraints.bounds import Bounds
from hierpair.pairing.constraints.count_costs import Evaluate, SoftBounds
from hierpair.pairing.constraints.grouping import Grouping
from hierpair.pairing.constraints.moved import Moved, mass_text
from hierpair.pairing.constraints.partner_groups import PartnerGroups
from hierpair.pairing.constraints.units import Units, owners, too_many
from hierpair.pairing.constraints.values import OPEN, NotWhole, Things, spread
from hierpair.pairing.pairs import SIDES, Labels, Pairs, Side

__all__ = ["Movable"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class _Given(NamedTuple):
    """Masses of labels of a side, by one constraint."""

    value: NDArray[np.float64]
    chosen: Bools
    share: bool


class Movable:
    """What a builder takes in of masses and capacities, in units that make all of them whole.

    Without ``units`` all amounts must be whole numbers; one that is not raises
    :class:`NotWhole`, and the rule is read again: once to find the units, once in them.
    """

    def __init__(self, pairs: Pairs, units: Units | None) -> None:
        self.pairs = pairs
        self.given = units
        self.units = units or Units(len(pairs.ptr) - 1).fixed()
        self.masses: dict[Side, list[_Given]] = {s: [] for s in SIDES}
        self.capacity: Ints | None = None
        self.rounding = np.zeros(len(pairs.ptr) - 1)

    @property
    def any(self) -> bool:
        """Whether something has a mass or a capacity."""
        return self.capacity is not None or any(self.masses.values())

    def bounds(self, lower: Any, upper: Any, chosen: Bools | None = None) -> tuple[Any, Any]:
        """Return bounds as they are, or as functions that give them in units."""
        return (lower, upper) if self.given is None else self.given.bounds(lower, upper, chosen)

    def mass(
        self, labels: Labels, mass: Any, lower: Any, share: bool, chosen: Bools | None
    ) -> tuple[Ints, Ints]:
        """Take masses of labels in; return the least and largest number of units of each."""
        given, listed = spread(mass, labels, "the mass")
        some = np.ones(len(labels), dtype=bool) if chosen is None else chosen
        unlisted = np.zeros(0) if listed is None else np.flatnonzero(some & ~listed)
        if len(unlisted):
            whose, instance = labels.place(int(unlisted[0]))
            raise BadInput(
                f"{whose} has no mass; list it (0 for none), or say for which labels masses are "
                "meant (where)",
                instance,
            )
        amount = exact_amount(given, len(labels), "the mass", labels.place, some, 0)
        if share:
            own = np.flatnonzero(some)
            parts = shares(
                amount.at(some), labels.instance[own], lambda i: labels.place(int(own[i]))
            )
            amount = amount.replaced(own, parts)
        least = None if lower is None else amount_of(lower, labels, "lower", some, 0)
        self.masses[labels.side].append(_Given(amount.value, some, share))
        if not self._ready(amount, labels.instance) or not (
            least is None or self._ready(least, labels.instance)
        ):
            self.units.note_sum(amount, labels.instance)
            return np.zeros(len(labels), np.int64), np.full(len(labels), OPEN)
        high, off = self.units.apportioned(amount, labels.instance)
        self.rounding += off
        if least is None:
            return high, high
        bad = np.flatnonzero(some & (least.value > amount.value))
        if len(bad):
            whose, instance = labels.place(int(bad[0]))
            raise BadInput(
                f"{whose} has the mass {amount.text(bad[0])}, and at least {least.text(bad[0])} of "
                "it should be moved",
                instance,
            )
        return np.minimum(self.units.of(least, labels.instance), high), high

    def limit(self, capacity: Any) -> None:
        """Take capacities of all pairs in."""
        pairs = self.pairs

        def place(at: int) -> tuple[str, int]:
            return f"the pair {pairs.text(at)}", int(pairs.instance[at])

        n = len(pairs.instance)
        amount = exact_amount(np.inf if capacity is None else capacity, n, "the capacity", place)
        if self.capacity is None:
            self.capacity = np.full(n, OPEN)
        if self._ready(amount, pairs.instance):
            new = self.units.of(amount, pairs.instance, up=True)
            if amount.rough.any():
                off = np.where(amount.rough, new / self.units.whole[pairs.instance], 0)
                off -= np.where(amount.rough, amount.value, 0)
                self.rounding += np.bincount(pairs.instance, off, minlength=len(self.rounding))
            np.minimum(self.capacity, new, out=self.capacity)

    def _ready(self, amount: Amount, instance: Ints) -> bool:
        """Whether units are known; where they are not, take the amounts in."""
        if self.given is None and ((amount.below > 1).any() or amount.rough.any()):
            raise NotWhole("an amount is no whole number")
        if not self.units.known:
            self.units.note(amount, instance)
        return self.units.known

    def costs(self, evaluate: Evaluate) -> Evaluate:
        """Return costs of units, times the units that make 1, for costs of whole masses.

        Between whole masses they rise evenly. Soft bounds are in units already.
        """
        if isinstance(evaluate, SoftBounds) or (self.units.whole == 1).all():
            return evaluate

        def of_units(things: Things, n: int) -> tuple[NDArray[Any], ...]:
            whole = self.units.whole[owners(things)]
            below, rest = np.divmod(n, whole)
            by_cost: list[NDArray[Any]] = []
            for q in np.unique(below).tolist():
                here = below == q
                low, high = evaluate(things, q), evaluate(things, q + 1)
                for k in range(max(len(low), len(high))):
                    if k == len(by_cost):
                        by_cost.append(np.zeros(len(things), dtype=object))
                    for i in np.flatnonzero(here).tolist():
                        by_cost[k][i] = _between(low[k][i], high[k][i], int(whole[i]), int(rest[i]))
            return tuple(by_cost)

        return of_units

    def _balanced(
        self, bounds: Mapping[Side, Bounds], defaults: Mapping[Side, NDArray[Any]]
    ) -> Bools:
        """Check that what must be moved from one side fits the other; return where nothing can.

        These are instances of which a side has nothing to share.

        Raises
        ------
        BadInput
            For masses that add up to different sums and have no Unmatched.
        """
        n = len(self.rounding)
        covered = {s: self._covered(s) for s in SIDES}
        if self.units.rough.any() and all(x.all() for x in covered.values()):
            self._evened(bounds)
        must: dict[Side, Ints] = {}
        can: dict[Side, NDArray[np.float64]] = {}
        total: dict[Side, Ints] = {}
        for s in SIDES:
            owner, b = self.pairs.labels(s).instance, bounds[s]
            hard = np.where(defaults[s].astype(np.float64) == np.inf, b.lower, 0)
            must[s], can[s] = np.zeros(n, np.int64), np.zeros(n)
            np.add.at(must[s], owner, hard)
            can[s] = np.bincount(owner, b.upper, n).astype(np.float64)
            total[s] = np.zeros(n, np.int64)
            np.add.at(total[s], owner, np.where(b.upper < OPEN, b.upper, 0))
            can[s][~covered[s]] = np.inf
        lacks = np.zeros(n, dtype=bool)
        for one, other in (SIDES, SIDES[::-1]):
            exact = np.where(np.isinf(can[other]), OPEN, total[other])
            lacks |= must[one] > exact
        if not self.masses["predicted"] or not self.masses["true"]:
            lacks[:] = False
        shared = all(g.share for given in self.masses.values() for g in given)
        empty = np.zeros(n, dtype=bool)
        for s in SIDES:
            empty |= np.diff(self.pairs.labels(s).ptr) == 0
        wrong = np.flatnonzero(lacks & ~(empty & shared))
        if len(wrong):
            at = int(wrong[0])
            sums = [mass_text(int(total[s][at]), int(self.units.whole[at]), 12) for s in SIDES]
            raise BadInput(
                f"the masses of the predicted side add up to {sums[0]} and those of the true side "
                f"to {sums[1]}; for masses that differ give both sides an Unmatched, or take their "
                "shares of the sum, Mass(…, share=True)",
                at,
            )
        return lacks & empty

    def _covered(self, side: Side) -> Bools:
        """Return the instances of which all labels of a side have a mass."""
        labels = self.pairs.labels(side)
        known = np.zeros(len(labels), dtype=bool)
        for given in self.masses[side]:
            known |= given.chosen
        covered: Bools = np.bincount(labels.instance[~known], minlength=len(self.rounding)) == 0
        return covered

    def _evened(self, bounds: Mapping[Side, Bounds]) -> None:
        """Make sums equal that differ by less than a unit, after each was rounded by itself."""
        n = len(self.rounding)
        labels = self.pairs.labels("true")
        value = {s: np.zeros(n) for s in SIDES}
        units = {s: np.zeros(n, np.int64) for s in SIDES}
        for s in SIDES:
            for given in self.masses[s]:
                value[s] += np.bincount(
                    self.pairs.labels(s).instance, np.where(given.chosen, given.value, 0), n
                )
            np.add.at(units[s], self.pairs.labels(s).instance, bounds[s].upper)
        off = units["predicted"] - units["true"]
        apart = np.abs(value["predicted"] - value["true"])
        close = (apart * self.units.whole < 0.5) | (apart * FINEST_UNITS <= value["predicted"])
        for i in np.flatnonzero(self.units.rough & close & (off != 0)).tolist():
            own = slice(*labels.ptr[i : i + 2].tolist())
            most = own.start + int(np.argmax(bounds["true"].upper[own]))
            bounds["true"].upper[most] += off[i]
            if bounds["true"].lower[most]:
                bounds["true"].lower[most] += off[i]
            self.rounding[i] += abs(int(off[i])) / int(self.units.whole[i])

    def moved(
        self,
        bounds: Mapping[Side, Bounds],
        total: Bounds | None,
        default: Mapping[Side, NDArray[Any]],
        groupings: Iterable[Grouping | PartnerGroups],
        candidate: Bools,
        required: Bools,
        rewarded: Bools,
    ) -> tuple[Moved, list[tuple[str, Bools]]]:
        """Return what every pair may carry, and where that is impossible, in words.

        Parameters
        ----------
        bounds, total, default
            Of the labels, of all pairs of an instance, and costs of what labels lack.
        groupings
            Groups with lower bounds.
        candidate, required
            Which pairs there are, and which must carry 1.
        rewarded
            Pairs of which more than is asked for might be of use.

        Raises
        ------
        BadInput
            For masses that add up to different sums, and for pairs that nothing limits.
        SolverLimit
            For more units than the solver takes.
        """
        pairs, whole = self.pairs, self.units.whole
        empty = self._balanced(bounds, default)
        room = np.full(len(pairs.instance), OPEN)
        wanted = row_sums(np.where(required, whole[pairs.instance], 0), pairs.ptr)
        for s in SIDES:
            room = np.minimum(room, bounds[s].upper[pairs.at(s)])
            wanted += row_sums(bounds[s].lower, pairs.labels(s).ptr)
        for group in groupings:
            np.add.at(wanted, group.instance, group.lower)
        if total is not None:
            room = np.minimum(room, total.upper[pairs.instance])
            wanted += total.lower
        given = np.full(len(room), OPEN) if self.capacity is None else self.capacity
        capacity = np.where(candidate, np.minimum(given, room), 0)
        endless = np.flatnonzero((capacity >= OPEN) & rewarded)
        if len(endless):
            at = int(endless[0])
            raise BadInput(
                f"nothing limits how much the pair {pairs.text(at)} carries, and more may cost "
                "less; give it a Capacity",
                int(pairs.instance[at]),
            )
        capacity = np.where(capacity >= OPEN, wanted[pairs.instance], capacity)
        self._check_size(capacity, bounds)
        impossible = []
        if empty.any():
            text = "there are masses on one side, and the other one has none to share"
            impossible.append((text, empty))
        short = np.flatnonzero(required & candidate & (capacity < whole[pairs.instance]))
        for i in sorted_unique(pairs.instance[short]).tolist():
            at = int(short[np.searchsorted(pairs.instance[short], i)])
            text = (
                f"the required pair {pairs.text(at)} must carry 1 and can carry only "
                f"{mass_text(int(capacity[at]), int(whole[i]))}"
            )
            impossible.append((text, np.arange(len(whole)) == i))
        limited = given < room
        most = np.full(len(whole), OPEN) if total is None else total.upper
        upper = {s: bounds[s].upper for s in SIDES}
        return Moved(capacity, limited, whole, self.rounding, given, upper, most), impossible

    def _check_size(self, capacity: Ints, bounds: Mapping[Side, Bounds]) -> None:
        """Refuse more units of an instance than the solver takes."""
        pairs, n = self.pairs, len(self.rounding)
        size = np.bincount(pairs.instance, capacity, n).astype(np.float64)
        for s in SIDES:
            upper = np.where(bounds[s].upper >= OPEN, 0, bounds[s].upper)
            held = upper.astype(float) + bounds[s].lower
            size += np.bincount(pairs.labels(s).instance, held, n)
        if size.max(initial=0) >= OPEN:
            at = int(np.argmax(size))
            raise too_many(at, int(self.units.whole[at]))


def _between(low: Any, high: Any, whole: int, rest: int) -> Any:
    """Return ``whole`` times the cost of a mass, a part ``rest / whole`` of the way to the next."""
    if float(low) == np.inf or (rest and float(high) == np.inf):
        return np.inf
    low, high = (_whole(x) for x in (low, high if rest else 0))
    return low * (whole - rest) + high * rest


def _whole(x: Any) -> Any:
    return int(x) if isinstance(x, float) and x.is_integer() else x
