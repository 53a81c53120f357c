"""Masses and capacities in units: what every label has, and what every pair may carry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Floats, Ints, row_sums, sorted_unique
from hierpair.pairing.constraints.amounts import (
    FINEST_UNITS,
    Amount,
    Units,
    exact_amount,
    mass_text,
)
from hierpair.pairing.constraints.counts import Count
from hierpair.pairing.constraints.numbers import OPEN
from hierpair.pairing.pairs import SIDES, Array, Pairs, Side

__all__ = ["Capacities", "Moved"]


@dataclass(frozen=True, eq=False)
class Moved:
    """Pairs that carry any whole number of units, and how many of these make the mass 1.

    Attributes
    ----------
    capacity
        Most units of every pair.
    limited
        Whether a capacity was given for it that is less than its labels would let it carry.
    whole
        Units that make the mass 1, by instance.
    rounding
        How much mass had to be rounded away or up, by instance; 0 for exact numbers.
    given, upper, total
        What was said: capacities of pairs, by side upper bounds of labels, and of instances; OPEN
        where nothing was. ``capacity`` is the least of what they and their labels let pairs carry.
    """

    capacity: Ints
    limited: Bools
    whole: Ints
    rounding: Floats
    given: Ints
    upper: Mapping[Side, Ints]
    total: Ints

    def of_instances(self, pairs: Pairs) -> Ints:
        """Return how many units all pairs of every instance carry at most."""
        return row_sums(self.capacity, pairs.ptr)

    def of_labels(self, pairs: Pairs) -> dict[Side, Ints]:
        """Return, by side, how many units the pairs of every label carry at most."""
        room = {}
        for s in SIDES:
            room[s] = np.zeros(len(pairs.labels(s)), dtype=np.int64)
            np.add.at(room[s], pairs.at(s), self.capacity)
        return room

    def part(self, instance: int, pairs: slice, labels: Mapping[Side, slice]) -> Moved:
        """Return what one instance has, whose pairs and labels these are."""
        return Moved(
            self.capacity[pairs],
            self.limited[pairs],
            self.whole[[instance]],
            self.rounding[[instance]],
            self.given[pairs],
            {s: self.upper[s][labels[s]] for s in SIDES},
            self.total[[instance]],
        )


class Capacities:
    """The masses of labels and the capacities of pairs that a rule gives, in units.

    Attributes
    ----------
    units
        Into how many the mass 1 of every instance is cut.
    plain
        Whether these are 1, so that all numbers are whole already.
    """

    def __init__(
        self, pairs: Pairs, units: Units, masses: Iterable[Any], capacities: Iterable[Amount]
    ) -> None:
        self.pairs, self.units = pairs, units
        self.plain = bool((units.whole == 1).all() and not units.rough.any())
        self.rounding = np.zeros(len(units.whole))
        self.masses: dict[Side, list[tuple[Amount, Bools, bool]]] = {s: [] for s in SIDES}
        for h in masses:
            labels = pairs.labels(SIDES[h.place])
            amount = exact_amount(h.upper, len(labels), "the mass", labels.place)
            chosen = np.ones(len(labels), dtype=bool) if h.chosen is None else h.chosen
            self.masses[labels.side].append((amount, chosen, h.shared))
        self.capacity = np.full(len(pairs.instance), OPEN)
        for amount in capacities:
            new = units.of(amount, pairs.instance, up=True)
            if amount.rough.any():
                off = np.where(amount.rough, new / units.whole[pairs.instance] - amount.value, 0)
                self.rounding += np.bincount(pairs.instance, off, minlength=len(self.rounding))
            np.minimum(self.capacity, new, out=self.capacity)

    def of_labels(self, said: Any) -> tuple[Ints, Ints]:
        """Return how many units the labels of a statement have at least and at most."""
        labels = self.pairs.labels(SIDES[said.place])
        amount = exact_amount(said.upper, len(labels), "the mass", labels.place)
        high, off = self.units.apportioned(amount, labels.instance)
        self.rounding += off
        if said.chosen is not None:
            high = np.where(said.chosen, high, OPEN)
        if said.lower is said.upper:
            return (high if said.chosen is None else np.where(said.chosen, high, 0)), high
        least = exact_amount(said.lower, len(labels), "lower", labels.place)
        return np.minimum(self.units.of(least, labels.instance), high), high

    def moved(
        self,
        counts: Sequence[Count],
        default: Mapping[Side, Array],
        candidate: Bools,
        required: Bools,
        rewarded: Bools,
    ) -> tuple[Moved, list[Count], list[tuple[str, Bools]]]:
        """Return what every pair may carry, the labels, and where it is impossible, in words.

        Parameters
        ----------
        counts
            What is counted, labels first, with bounds in units.
        default
            Costs of what labels lack.
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
        sides, empty = self._balanced(dict(zip(SIDES, counts, strict=False)), default)
        room = np.full(len(pairs.instance), OPEN)
        wanted = row_sums(np.where(required, whole[pairs.instance], 0), pairs.ptr)
        most = np.full(len(whole), OPEN)
        for own in (*sides.values(), *counts[len(SIDES) :]):
            np.add.at(wanted, own.instance, own.lower)
            if own.kind in ("label", "instance"):
                room = np.minimum(room, own.upper[own.of_pair])
            if own.kind == "instance":
                most = own.upper
        capacity = np.where(candidate, np.minimum(self.capacity, room), 0)
        endless = np.flatnonzero((capacity >= OPEN) & rewarded)
        if len(endless):
            at = int(endless[0])
            raise BadInput(
                f"nothing limits how much the pair {pairs.text(at)} carries, and more may cost "
                "less; give it a Capacity",
                int(pairs.instance[at]),
            )
        capacity = np.where(capacity >= OPEN, wanted[pairs.instance], capacity)
        self._check_size(capacity, sides)
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
        found = Moved(capacity, self.capacity < room, whole, self.rounding, self.capacity,
                      {s: p.upper for s, p in sides.items()}, most)  # fmt: skip
        return found, [*sides.values()], impossible

    def _balanced(
        self, labels: Mapping[Side, Count], default: Mapping[Side, Array]
    ) -> tuple[dict[Side, Count], Bools]:
        """Check that what must be moved from one side fits the other.

        Returns the labels, with sums that rounding has not set apart, and the instances of which a
        side has nothing to share.

        Raises
        ------
        BadInput
            For masses that add up to different sums and have no Unmatched.
        """
        n = len(self.rounding)
        covered = {s: self._covered(s) for s in SIDES}
        sides = dict(labels)
        if self.units.rough.any() and all(x.all() for x in covered.values()):
            sides["true"] = self._evened(labels)
        must = {s: np.zeros(n, np.int64) for s in SIDES}
        total = {s: np.zeros(n, np.int64) for s in SIDES}
        can = {}
        for s, own in sides.items():
            hard = np.where(default[s].astype(np.float64) == np.inf, own.lower, 0)
            np.add.at(must[s], own.instance, hard)
            np.add.at(total[s], own.instance, np.where(own.upper < OPEN, own.upper, 0))
            open_ = np.bincount(own.instance, own.upper >= OPEN, n) > 0
            can[s] = np.where(open_ | ~covered[s], OPEN, total[s])
        lacks = (must["predicted"] > can["true"]) | (must["true"] > can["predicted"])
        if not self.masses["predicted"] or not self.masses["true"]:
            lacks[:] = False
        shared = all(share for given in self.masses.values() for _, _, share in given)
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
        return sides, lacks & empty

    def _covered(self, side: Side) -> Bools:
        """Return the instances of which all labels of a side have a mass."""
        labels = self.pairs.labels(side)
        known = np.zeros(len(labels), dtype=bool)
        for _, chosen, _ in self.masses[side]:
            known |= chosen
        covered: Bools = np.bincount(labels.instance[~known], minlength=len(self.rounding)) == 0
        return covered

    def _evened(self, labels: Mapping[Side, Count]) -> Count:
        """Return the true labels with equal sums where they differ by less than a unit.

        Each side was rounded by itself.
        """
        n, true = len(self.rounding), labels["true"]
        value = {s: np.zeros(n) for s in SIDES}
        units = {s: np.zeros(n, np.int64) for s in SIDES}
        for s in SIDES:
            for amount, chosen, _ in self.masses[s]:
                value[s] += np.bincount(labels[s].instance, np.where(chosen, amount.value, 0), n)
            np.add.at(units[s], labels[s].instance, labels[s].upper)
        off = units["predicted"] - units["true"]
        apart = np.abs(value["predicted"] - value["true"])
        close = (apart * self.units.whole < 0.5) | (apart * FINEST_UNITS <= value["predicted"])
        lower, upper = true.lower.copy(), true.upper.copy()
        ptr = self.pairs.labels("true").ptr
        for i in np.flatnonzero(self.units.rough & close & (off != 0)).tolist():
            own = slice(*ptr[i : i + 2].tolist())
            most = own.start + int(np.argmax(upper[own]))
            upper[most] += off[i]
            if lower[most]:
                lower[most] += off[i]
            self.rounding[i] += abs(int(off[i])) / int(self.units.whole[i])
        return replace(true, lower=lower, upper=upper)

    def _check_size(self, capacity: Ints, sides: Mapping[Side, Count]) -> None:
        """Refuse more units of an instance than the solver takes."""
        n = len(self.rounding)
        size = np.bincount(self.pairs.instance, capacity, n).astype(np.float64)
        for own in sides.values():
            upper = np.where(own.upper >= OPEN, 0, own.upper)
            size += np.bincount(own.instance, upper.astype(float) + own.lower, n)
        if size.max(initial=0) >= OPEN:
            raise self.units.too_many(int(np.argmax(size)))
