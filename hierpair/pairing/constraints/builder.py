"""The builder that constraints write on: what is counted, and what labels may lack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.pairing.constraints.counts import (
    NOBODY,
    Count,
    Source,
    counts_of_tables,
    short_text,
    soft_count,
)
from hierpair.pairing.constraints.numbers import (
    OPEN,
    Mask,
    bounds_of,
    checked_table,
    numbers_of,
    truths,
)
from hierpair.pairing.constraints.partition import (
    Partition,
    across,
    each_instance,
    each_label,
    grouped,
    partners_grouped,
)
from hierpair.pairing.constraints.units import (
    Amount,
    Moved,
    Units,
    balanced,
    exact_amount,
    mass_text,
    moved,
)
from hierpair.pairing.pairs import SIDES, Array, Labels, Pairs, Side, other_side
from hierpair.pairing.problem import PairingProblem, Remark


class _Said(NamedTuple):
    """What a constraint says of the sets at a place: bounds, and what units cost.

    Bounds without a cost are hard; what is ``carried`` are masses.
    """

    source: Source
    place: int
    lower: Amount
    upper: Amount
    chosen: Bools
    under: Any
    over: Any
    is_hard: bool
    carried: bool | Literal["shares"]

    @property
    def is_soft(self) -> bool:
        """Whether units beyond its bounds may be paid for."""
        return self.under is not None or self.over is not None


class Builder:
    """A pairing problem in the making, with two verbs that are all that a constraint can say.

    :meth:`count` says of sets of pairs how many there may be in each, and what numbers cost;
    :meth:`short` what a partner costs that a label lacks. Both have an exact place in a flow
    network, so whatever is written can be solved. Repeated bounds intersect: the largest lower and
    the smallest upper one count, and a contradiction is an error that names both constraints.

    Attributes
    ----------
    pairs
        All pairs of the batch.
    source
        Which constraint writes.
    """

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.source = NOBODY
        self._partitions: list[Partition] = [each_label(pairs, s) for s in SIDES]
        self._said: list[_Said] = []
        self._tables: dict[int, list[tuple[Source, Any, Bools]]] = {}
        self._candidate = np.ones(len(pairs), dtype=bool)
        self._required = np.zeros(len(pairs), dtype=bool)
        self._capacities: list[Amount] = []
        self._short: dict[Side, list[Array]] = {
            s: [np.full(len(pairs.labels(s)), np.inf)] for s in SIDES
        }
        self._short_by = {s: np.full(len(pairs.labels(s)), -1) for s in SIDES}
        self._sources: dict[int, Source] = {}
        self._remarks: list[Remark] = []
        self._impossible: list[Remark] = []

    # ------------------------------------------------------------ what can be counted

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)

    def others(self, side: Side) -> Ints:
        """Return, per label, how many labels the other side of its instance has."""
        count: Ints = np.diff(self.labels(other_side(side)).ptr)[self.labels(side).instance]
        return count

    def groups(
        self, side: Side, number: Any, *, partners: bool = False, where: Mask = None
    ) -> Partition:
        """Return groups of labels of a side, by the number of each (-1: no group), to be counted.

        With ``partners`` it is the pairs of each label of the side with each group of labels of
        the other side, and only of labels ``where`` it is true. Groups of a side must be nested,
        in any order.
        """
        labels = self.labels(other_side(side) if partners else side)
        group = self._group_numbers(number, labels.classes.shape, "label")
        some = truths(where, self.labels(side))
        if partners:
            return partners_grouped(self.pairs, side, group, some)
        return grouped(self.pairs, side, np.where(some, group, -1))

    def across(self, side: Side | None, number: Any, *, by_class: bool = False) -> Partition:
        """Return sets that span instances, to be counted.

        ``number`` is one per label of the side, or without a side one per instance; -1: in no set.
        All labels or instances with one number are a set. With ``by_class`` the numbers are those
        of classes.
        """
        many, n_all = len(self.pairs.ptr) - 1, self.pairs.instances.n_all
        if many != n_all or not many:
            raise BadInput(
                f"{self.source}, is over all instances at once, and here are {many} of {n_all}; "
                "solve it with pair_data_set"
            )
        shape = (many,) if side is None else self.labels(side).classes.shape
        group = self._group_numbers(number, shape, "instance" if side is None else "label")
        return across(self.pairs, side, group, by_class=by_class)

    def _group_numbers(self, number: Any, shape: tuple[int, ...], one: str) -> Ints:
        group = np.asarray(number)
        if group.shape != shape or group.dtype.kind not in "iu":
            raise BadInput(
                f"groups of {self.source}, must be one whole number per {one} {shape}, got "
                f"{group.dtype} of shape {group.shape}"
            )
        return group.astype(np.int64)

    # ------------------------------------------------------------ the two verbs

    def count(
        self,
        of: Side | Literal["instance", "pair"] | Partition,
        lower: Any = 0,
        upper: Any = None,
        *,
        under: Any = None,
        over: Any = None,
        costs: Any = None,
        where: Mask = None,
        carried: bool | Literal["shares"] = False,
    ) -> None:
        """Say how many pairs there are in each of some sets, and what numbers of them cost.

        Parameters
        ----------
        of
            A side: of each of its labels; ``"instance"``: of each instance; what :meth:`groups` or
            :meth:`across` returned; or ``"pair"``: each pair by itself, which is chosen once at
            most.
        lower, upper
            Bounds: a number, an array with one per set, or a function of what is counted;
            ``upper=None`` leaves it open.
        under, over
            Cost of each unit too few or too many; None: not allowed. A tuple is a cost for each
            lexicographic one.
        costs
            Costs of 0, 1, 2 … units, None for not allowed, which must not rise less and less; or a
            function that takes what is counted and how many units, and returns one cost each.
        where
            Only of these labels, instances or pairs.
        carried
            The upper bounds are masses of labels or capacities of pairs: pairs carry any part of
            them, costs are of the mass 1, and all other bounds are masses, too.
        """
        if of == "pair":
            self._count_pairs(lower, upper, where, carried=carried)
            return
        place = self._place(of)
        things = self._partitions[place].things
        some = truths(where, things)
        low, high = upper, upper
        if not isinstance(upper, Amount):
            low, high = bounds_of(lower, upper, things, where if where is None else some)
            all_of_it = carried and lower is upper  # a mass, which is rounded once
            high = exact_amount(high, things, "upper")
            low = high if all_of_it else exact_amount(low, things, "lower")
        free = under is not None or (isinstance(lower, int) and lower == 0)
        free &= over is not None or upper is None
        is_hard = not free or (under is None and over is None and costs is None)
        said = _Said(self.source, place, low, high, some, under, over, is_hard, carried)
        self._said += [said] * (is_hard or said.is_soft)
        if costs is not None:
            table = costs if callable(costs) else checked_table(costs)
            self._tables.setdefault(place, []).append((self.source, table, some))

    def _place(self, of: Any) -> int:
        """Return the place of sets among those that are counted; the same ones have one place."""
        if not isinstance(of, Partition):
            pairs = self.pairs
            of = each_instance(pairs) if of == "instance" else each_label(pairs, of)
        for place, known in enumerate(self._partitions):
            if known.what == of.what and np.array_equal(known.of_member, of.of_member):
                return place
        self._partitions.append(of)
        return len(self._partitions) - 1

    def _count_pairs(self, lower: Any, upper: Any, where: Mask, *, carried: Any) -> None:
        if carried:
            most = OPEN if upper is None else upper
            given, _ = numbers_of(most, self.pairs, "the capacity")
            self._capacities.append(exact_amount(given, self.pairs, "the capacity"))
            return
        some = truths(where, self.pairs)
        if lower not in (0, 1) or upper not in (0, 1, None):
            raise BadInput("a pair is chosen once or not at all; see Capacity")
        if lower:
            self._required |= some
        if upper == 0:
            self._candidate &= ~some

    def short(self, side: Side, cost: Any, where: Mask = None) -> None:
        """Let labels lack partners at a cost each; a tuple is a cost for each lexicographic one.

        A cost is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        chosen = truths(where, labels)
        given = [
            numbers_of(c, labels, "a default cost")
            for c in (cost if isinstance(cost, tuple) and cost else (cost,))
        ]
        if given[0][1] is not None:
            chosen = chosen & given[0][1]
        known, new, giver = self._short[side], [x for x, _ in given], self._short_by[side]
        for fewer, more in ((known, new), (new, known)):
            fewer.extend([np.zeros(len(labels))] * (len(more) - len(fewer)))
        differ = np.any([a != b for a, b in zip(known, new, strict=True)], axis=0)
        labels.refuse(
            chosen & (giver >= 0) & differ,
            lambda at, whose: (
                f"{whose} has two default costs, {short_text(known[0][at])} "
                f"({self._sources[giver[at]]}) and {short_text(new[0][at])} ({self.source}); say "
                "for which labels each is meant (where), or give one function of labels"
            ),
        )
        known[:] = [np.where(chosen, b, a) for a, b in zip(known, new, strict=True)]
        giver[chosen] = self.source.number
        self._sources[self.source.number] = self.source

    def remark(self, text: str, instances: Bools, *, impossible: bool = False) -> None:
        """Note what has to be known of instances, or why they can have no pairing."""
        if instances.any():
            (self._impossible if impossible else self._remarks).append(Remark(text, instances))

    # ------------------------------------------------------------ the problem

    def problem(self, costs: Sequence[Array], *, signed: bool = False) -> PairingProblem:
        """Return the problem that the constraints make of pairs with these costs.

        Raises
        ------
        BadInput
            For bounds that contradict each other, or that are not whole where nothing has a mass;
            for quotas beside masses, and for costs of numbers that no flow can have.
        """
        pairs, candidate = self.pairs, self._candidate.copy()
        for cost in costs:
            candidate &= ~np.isposinf(cost.astype(np.float64))
        is_mass = bool(self._capacities) or any(s.carried for s in self._said)
        units = self._units(is_mass=is_mass)
        bounds = [self._in_units(s, units) for s in self._said]
        every = [self._bounded(k, bounds, units.whole) for k in range(len(self._partitions))]
        carried = self._carried(units, every, costs[0], candidate) if is_mass else None
        if carried is not None:
            candidate &= ~self._required | (carried.capacity >= carried.whole[pairs.instance])
        each = np.ones(len(pairs), dtype=np.int64) if carried is None else carried.capacity
        for k, own in enumerate(every):
            if own.kind in ("label", "instance"):  # more is never used
                every[k] = own.capped(
                    own.sizes if carried is None else own.units(slice(None), each)
                )
        for k, s in enumerate(SIDES):
            every[k] = every[k].lacking(self._short[s])
        said = {s.place for s in self._said if s.is_hard} | {*range(len(SIDES))}
        counts = [own for k, own in enumerate(every) if k in said]
        counts += [
            soft_count(self._partitions[s.place], *own, s.under, s.over, s.chosen, s.source)
            for s, own in zip(self._said, bounds, strict=True)
            if s.is_soft
        ]
        some = np.flatnonzero(candidate)
        for place, tables in self._tables.items():
            own = every[place]
            most = own.units(some, each[some])
            if own.kind == "label" and is_mass:
                most = np.minimum(most, own.upper)
            allowed, step = (own.hard().lower, own.upper), units.whole[own.instance]
            of = self._partitions[place]
            counts += counts_of_tables(of, tables, most, allowed, step, signed=signed)
        return PairingProblem(
            pairs, candidate, self._required, tuple(costs), tuple(counts),
            remarks=tuple(self._remarks), impossible=tuple(self._impossible), moved=carried,
        )  # fmt: skip

    def _units(self, *, is_mass: bool) -> Units:
        """Return the units of masses and capacities; where nothing has one, bounds are whole."""
        if is_mass and any(of.kind == "quota" for of in self._partitions):
            raise BadInput("quotas count pairs that are chosen once, so not masses and capacities")
        amounts = [(x, self.pairs.instance) for x in self._capacities]
        masses = []
        for said in self._said:
            of = self._partitions[said.place]
            for what, x in (("lower", said.lower), ("upper", said.upper)):
                amounts.append((x, of.instance))
                if not is_mass:
                    _refuse_fractions(of, what, x)
            masses += amounts[-1:] if said.carried else []
        return Units(len(self.pairs.ptr) - 1, amounts if is_mass else [], masses)

    def _in_units(self, said: _Said, units: Units) -> tuple[Ints, Ints]:
        """Return bounds in units of masses and capacities."""
        of = self._partitions[said.place].instance
        low = high = units.of(said.upper, of, "in sum" if said.carried else "near")
        if said.lower is not said.upper:
            low = np.minimum(units.of(said.lower, of), high)
        if said.carried:
            low, high = np.where(said.chosen, low, 0), np.where(said.chosen, high, OPEN)
        return low, high

    def _bounded(self, place: int, bounds: Sequence[tuple[Ints, Ints]], whole: Ints) -> Count:
        """Return sets with the hard bounds of all that is said of them together."""
        of = self._partitions[place]
        what = "partners" if of.kind == "label" else "pairs"
        lower, upper = np.zeros(len(of), dtype=np.int64), np.full(len(of), OPEN)
        said: list[tuple[Source, Ints, Ints]] = []
        for s, (low, high) in zip(self._said, bounds, strict=True):
            if s.place != place or not s.is_hard:
                continue
            least = np.zeros_like(low) if s.under is not None else low
            most = np.full_like(high, OPEN) if s.over is not None else high
            lower, upper = np.maximum(lower, least), np.minimum(upper, most)
            for at in np.flatnonzero(lower > upper)[:1].tolist():
                clash = (x for x, lo, hi in said if lo[at] > upper[at] or hi[at] < lower[at])
                whose, instance = of.place(at)
                unit = int(whole[of.instance[at]])
                raise BadInput(
                    f"{s.source}, contradicts {next(clash)}: {whose} cannot have at least "
                    f"{mass_text(int(lower[at]), unit)} and at most "
                    f"{mass_text(int(upper[at]), unit)} {what}",
                    instance,
                )
            said.append((s.source, least, most))
        source = sum((x[0] for x in said[1:]), said[0][0]) if said else NOBODY
        return Count.of(of, lower, upper, source, said=tuple(said))

    def _carried(self, units: Units, every: list[Count], cost: Array, candidate: Bools) -> Moved:
        """Return what every pair may carry; true masses are made even with predicted ones."""
        pairs, given = self.pairs, np.where(candidate, OPEN, 0)
        for x in self._capacities:
            given = np.minimum(given, units.of(x, pairs.instance, "up"))
        masses = [s for s in self._said if s.carried]
        shared = (np.diff(pairs.ptr) == 0) & all(s.carried == "shares" for s in masses)
        shared |= len({s.place for s in masses}) < len(SIDES)
        hard = {s: self._short[s][0].astype(np.float64) == np.inf for s in SIDES}
        every[1] = balanced(units, dict(zip(SIDES, every, strict=False)), hard, shared)
        paid = bool(self._tables) or any(s.is_soft for s in self._said)
        rewarded = (cost.astype(np.float64) < 0) | paid
        return moved(pairs, units, given, every, self._required, rewarded)


def _refuse_fractions(of: Partition, what: str, bounds: Amount) -> None:
    of.things.refuse(
        bounds.rough | (bounds.below > 1),
        lambda at, whose: f"{what} of {whose} is {bounds.value[at]}; it must be a whole number ≥ 0",
    )
