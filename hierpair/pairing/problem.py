"""The pairing problems of a batch, as arrays, and the builder that constraints write them on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations, zip_longest
from typing import Any, Literal, NamedTuple

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.counts import (
    NOBODY,
    Count,
    Partition,
    checked_table,
    count_of_tables,
    each_instance,
    each_label,
    grouped,
    short_text,
    soft_count,
)
from hierpair.pairing.pairs import (
    OPEN,
    SIDES,
    Array,
    Labels,
    Mask,
    Pairs,
    Side,
    Things,
    named,
    other_side,
)
from hierpair.pairing.units import (
    Amount,
    MassUnits,
    Moved,
    exact_amount,
    mass_text,
    moved,
    shares,
)


class CostLimit(NamedTuple):
    """How dear a pair or a missing partner may be, where that is minimised first."""

    of: PairingProblem  # without the limit
    largest: Floats  # of every instance the largest cost that may be paid; nan without a pairing
    below: Array  # the next smaller one that it has; -1 where there is none


@dataclass(frozen=True, eq=False)
class PairingProblem:
    """Problem 1 of Kosmopoulos et al. (2014, §2.3) for a whole batch of instances.

    Minimise the total cost of the chosen pairs plus what the numbers of pairs in sets cost. All
    arrays are NumPy arrays over labels or pairs.
    """

    pairs: Pairs  # all of them
    candidate: Bools  # which may be chosen
    required: Bools  # which must be chosen
    costs: tuple[Array, ...]  # of pairs, minimised one after the other
    counts: tuple[Count, ...]  # first the partners of labels of both sides, with what it costs to
    # lack them; then groups, instances, and sets across instances, which join them
    moved: Moved | None = None  # with masses or capacities: what pairs may carry, in which units,
    # which all bounds are in then, and costs of the mass 1; None: pairs are chosen once at most
    limit: CostLimit | None = None  # how dear a pair or a missing partner may be; dearer ones are
    # no candidates, or may not be missing

    @property
    def cost(self) -> Array:
        """The cost of every pair, of several the first, which makes the cost of a pairing."""
        return self.costs[0]

    @property
    def default(self) -> dict[Side, Array]:
        """By side, the cost of a partner that a label lacks; inf where none may be lacking."""
        return {s: count.under()[0] for s, count in zip(SIDES, self.counts, strict=False)}

    @property
    def joined(self) -> bool:
        """Whether some sets span the instances, which are then one problem."""
        return bool(self.quotas)

    @property
    def quotas(self) -> tuple[Count, ...]:
        """The sets that span instances."""
        return tuple(c for c in self.counts if c.kind == "quota")

    @cached_property
    def carried(self) -> tuple[Ints, Ints]:
        """How many units every pair carries at least and at most."""
        least, most = self.required.astype(np.int64), self.candidate.astype(np.int64)
        if self.moved is not None:
            least, most = least * self.moved.whole[self.pairs.instance], self.moved.capacity
        return np.minimum(least, most), most

    @property
    def hopeless(self) -> Bools:
        """Which instances can have no pairing, as is known without a network."""
        alone = [self.pairs.instance[self.required & ~self.candidate]]
        for count in self.counts[: len(SIDES)]:
            if count.must.any():
                some = np.flatnonzero(self.candidate)
                lacks = count.lower > count.units(some, self.carried[1][some])
                alone.append(count.instance[lacks & count.must])
        return np.bincount(np.concatenate(alone), minlength=self.n_instances) > 0

    @property
    def n_components(self) -> int:
        """Number of problems that are solved apart: one per instance, or one if they are joined."""
        return 1 if self.joined else self.n_instances

    @property
    def is_single(self) -> bool:
        """Whether it is of one instance, whose pairs are chosen once at most."""
        return self.n_instances == 1 and self.moved is None and not self.joined

    def component(self, instance: Ints) -> Ints:
        """Return which of these problems things of instances belong to."""
        return np.zeros_like(instance) if self.joined else instance

    @property
    def n_instances(self) -> int:
        """Number of instances in the batch."""
        return len(self.pairs.ptr) - 1


class _Bounds(NamedTuple):
    """Bounds that a constraint sets to the sets at a place."""

    source: str
    place: int
    lower: Array
    upper: Array
    carried: bool | Literal["shares"] = False
    beyond: tuple[Any, Any] | None = None  # what units below and above cost; None: not allowed


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
        self._said: list[_Bounds] = []
        self._tables: dict[int, list[tuple[str, Any, Bools]]] = {}
        self._candidate = np.ones(len(pairs), dtype=bool)
        self._required = np.zeros(len(pairs), dtype=bool)
        self._capacities: list[Array] = []
        self._short: dict[Side, list[tuple[str, Bools, list[Array]]]] = {s: [] for s in SIDES}

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)

    def groups(
        self, side: Side, number: Any, *, partners: bool = False, where: Mask = None
    ) -> Partition:
        """Return groups of labels of a side, by the number of each (-1: no group), to be counted.

        With ``partners`` it is the pairs of each label of the side with each group of labels of
        the other side, and only of labels ``where`` it is true. Groups of a side must be nested, in
        any order.
        """
        labels, some = self.labels(side), self.labels(side).truths(where)
        if not partners:
            group = np.where(some, self._numbers(number, labels), -1)
            return grouped("group", side, self.pairs, labels.instance, group, side)
        owner, other = self.pairs.at(side), other_side(side)
        group = self._numbers(number, self.labels(other))[self.pairs.at(other)]
        return grouped("partners", side, self.pairs, owner, np.where(some[owner], group, -1), None)

    def across(self, side: Side | None, number: Any, *, by_class: bool = False) -> Partition:
        """Return sets that span instances, to be counted.

        ``number`` is one per label of the side, or without a side one per instance; -1: in no set.
        All labels or instances with one number are a set. With ``by_class`` the numbers are those
        of classes.
        """
        instances = self.pairs.instances
        if len(instances) != instances.n_known or not instances.n_known:
            raise BadInput(
                f"it is over all instances at once, and here are {len(instances)} of "
                f"{instances.n_known}; solve it with pair_data_set"
            )
        group = self._numbers(number, self.labels(side) if side else instances)
        none = np.zeros_like(group)
        sets = grouped("quota", None, self.pairs, none, group, side, by_class=by_class)
        if side is None:  # instances without pairs are in a set, too
            sets = replace(sets, of_member=sets.of_member[self.pairs.instance])
        return sets

    def _numbers(self, number: Any, things: Things) -> Ints:
        group, shape = np.asarray(number), (len(things),)
        if group.shape != shape or group.dtype.kind not in "iu":
            raise BadInput(
                f"groups must be one whole number per {things.one} {shape}, got {group.dtype} of "
                f"shape {group.shape}"
            )
        return group.astype(np.int64)

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
            if carried:
                most = OPEN if upper is None else upper
                self._capacities.append(self.pairs.numbers(most, "the capacity")[0])
                return
            paid = any(x is not None for x in (under, over, costs))
            if paid or lower not in (0, 1) or upper not in (0, 1, None):
                raise BadInput(
                    "a pair is chosen once or not at all; its cost is the rule's; see Capacity"
                )
            chosen = self.pairs.truths(where)
            self._required |= chosen & bool(lower)
            self._candidate &= ~chosen | (upper != 0)
            return
        if not isinstance(of, Partition):
            of = each_instance(self.pairs) if of == "instance" else each_label(self.pairs, of)
        same = (
            k
            for k, known in enumerate(self._partitions)  # the same sets have one place
            if known.what == of.what and np.array_equal(known.of_member, of.of_member)
        )
        place = next(same, len(self._partitions))
        self._partitions += [of] * (place == len(self._partitions))
        things, some = of.things, of.things.truths(where)
        low, high = things.bounds(lower, upper, None if where is None else some)
        if carried and lower is upper:  # a mass, which is rounded once
            low = high
        fewer, more = under is not None, over is not None  # may be paid for
        none, every = np.zeros(len(of), dtype=np.int64), np.full(len(of), OPEN)
        free = (fewer or (isinstance(lower, int) and lower == 0)) and (more or upper is None)
        if not free or not (fewer or more or costs is not None):
            hard = none if fewer else low, every if more else high
            self._said.append(_Bounds(self.source, place, *hard, carried))
        if fewer or more:
            soft = low if fewer else none, high if more else every
            self._said.append(_Bounds(self.source, place, *soft, carried, (under, over)))
        if costs is not None:
            self._tables.setdefault(place, []).append((self.source, checked_table(costs), some))

    def short(self, side: Side, cost: Any, where: Mask = None) -> None:
        """Let labels lack partners at a cost each; a tuple is a cost for each lexicographic one.

        A cost is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        each = cost if isinstance(cost, tuple) and cost else (cost,)
        given = [labels.numbers(c, "the default cost") for c in each]
        chosen = labels.truths(where) & labels.truths(given[0][1])
        new = [x for x, _ in given]
        for source, some, known in self._short[side]:
            differ = [a != b for a, b in zip_longest(known, new, fillvalue=np.zeros(len(labels)))]

            def why(at: int, whose: str, first: Array = known[0], source: str = source) -> str:
                return (
                    f"{whose} has two default costs, {short_text(new[0][at])} here and "
                    f"{short_text(first[at])} by {source}; say for which labels "
                    "each is meant (where), or give one function of labels"
                )

            labels.refuse(chosen & some & np.any(differ, axis=0), why)
        self._short[side].append((self.source, chosen, new))

    def problem(self, costs: Sequence[Array], *, signed: bool = False) -> PairingProblem:
        """Return the problem that the constraints make of pairs with these costs.

        BadInput is raised for bounds that contradict each other, or are not whole where nothing has
        a mass; for quotas beside masses, and for costs of numbers that no flow can have.
        """
        pairs, candidate = self.pairs, self._candidate.copy()
        for cost in costs:
            candidate &= cost != np.inf
        units, carried, each = None, None, None
        if self._capacities or any(s.carried for s in self._said):
            units, said, given = self._cut()
        else:
            said = [self._whole(s) for s in self._said]
        whole = np.ones(len(pairs.ptr) - 1, dtype=np.int64) if units is None else units.whole
        hard = [s for s in said if s.beyond is None]
        every = [self._bounded(k, hard, whole) for k in range(len(self._partitions))]
        stated = sorted({s.place for s in hard}.union(range(len(SIDES))))
        if units is not None:
            most = np.minimum.reduce([np.where(candidate, OPEN, 0), *given])
            paid = bool(self._tables) or len(said) > len(hard)
            rewarded = (costs[0].astype(np.float64) < 0) | paid
            carried = moved(units, every, most, self._required, rewarded)
            carried = carried._replace(stated=tuple(every[k].upper for k in stated))
            each = carried.capacity
            candidate &= ~self._required | (each >= whole[pairs.instance])
        for k, own in enumerate(every):
            if own.kind in ("label", "instance"):  # more is never used
                every[k] = own.capped(own.sizes if each is None else own.units(slice(None), each))
        for k, side in enumerate(SIDES):
            default = [np.full(len(every[k]), np.inf)]
            for _, chosen, new in self._short[side]:
                both = zip_longest(default, new, fillvalue=np.zeros(len(chosen)))
                default = [np.where(chosen, b, a) for a, b in both]
            every[k] = every[k].beyond(-1, default)
        counts = [every[k] for k in stated]
        counts += [
            soft_count(self._partitions[s.place], s.lower, s.upper, s.beyond, s.source)
            for s in said
            if s.beyond is not None
        ]
        some = np.flatnonzero(candidate)
        for place, tables in self._tables.items():
            own = every[place]
            most = own.units(some, each if each is None else each[some])
            if own.kind == "label" and each is not None:
                most = np.minimum(most, own.upper)
            bounded, of = (own.hard().lower, own.upper), self._partitions[place]
            step = whole[own.instance]
            counts.append(count_of_tables(of, tables, most, bounded, step, signed=signed))
        return PairingProblem(
            pairs, candidate, self._required, tuple(costs), tuple(counts), moved=carried
        )

    def _whole(self, said: _Bounds) -> _Bounds:
        """Return bounds as whole numbers."""
        things = self._partitions[said.place].things
        with named(said.source):
            low, high = things.whole(said.lower, "lower"), things.whole(said.upper, "upper")
        return said._replace(lower=low, upper=high)

    def _cut(self) -> tuple[MassUnits, list[_Bounds], list[Ints]]:
        """Return the units of masses and capacities, and all bounds and capacities in them."""
        pairs, n, bounds = self.pairs, len(self.pairs.ptr) - 1, list[list[Amount]]()
        if any(of.kind == "quota" for of in self._partitions):
            raise BadInput("quotas count pairs that are chosen once, so not masses and capacities")
        most = [exact_amount(x, pairs, pairs.instance, "the capacity") for x in self._capacities]
        for s in self._said:
            of = self._partitions[s.place]
            with named(s.source):
                ends = [exact_amount(s.upper, of.things, of.instance, "upper")]
                if s.carried == "shares":
                    ends = [shares(ends[0], n, of.things)]
                elif s.lower is not s.upper:
                    ends.append(exact_amount(s.lower, of.things, of.instance, "lower"))
            bounds.append(ends)
        masses = [ends[0] for s, ends in zip(self._said, bounds, strict=True) if s.carried]
        units, said = MassUnits(n, [*most, *(x for ends in bounds for x in ends)], masses), []
        for s, (end, *least) in zip(self._said, bounds, strict=True):
            high = units.of(end, "in sum" if s.carried else "near")
            low = np.where(high < OPEN, high, 0)
            for x in least:
                low = np.minimum(units.of(x), high)
            said.append(s._replace(lower=low, upper=high))
        return units, said, [units.of(x, "up") for x in most]

    def _bounded(self, place: int, hard: Sequence[_Bounds], whole: Ints) -> Count:
        """Return sets with the bounds of all that is said of them together."""
        of, said = self._partitions[place], [s for s in hard if s.place == place]
        what = "partners" if of.kind == "label" else "pairs"
        for one, other in combinations(said, 2):
            low, high = np.maximum(one.lower, other.lower), np.minimum(one.upper, other.upper)
            for at in np.flatnonzero(low > high)[:1].tolist():
                whose, instance = of.place(at)
                least, most = (
                    mass_text(int(x[at]), int(whole[of.instance[at]])) for x in (low, high)
                )
                raise BadInput(
                    f"{other.source}, contradicts {one.source}: {whose} cannot have at least "
                    f"{least} and at most {most} {what}",
                    instance,
                )
        lower = reduce(np.maximum, (s.lower for s in said), np.zeros(len(of), dtype=np.int64))
        upper = reduce(np.minimum, (s.upper for s in said), np.full(len(of), OPEN))
        source = " and ".join(dict.fromkeys(s.source for s in said)) or NOBODY
        return Count.of(of, lower, upper, source)
