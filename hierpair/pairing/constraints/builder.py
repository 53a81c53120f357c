"""The builder that constraints write on: what is counted, and what labels may lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.pairing.constraints.counts import Count, short_text, soft_count
from hierpair.pairing.constraints.numbers import (
    OPEN,
    Mask,
    bounds_of,
    costs_of,
    not_whole,
    numbers_of,
    spread,
    truths,
)
from hierpair.pairing.constraints.partition import (
    Partition,
    across,
    each_instance,
    each_label,
    grouped,
    other_side,
    partners_grouped,
)
from hierpair.pairing.constraints.source import NOBODY, Source
from hierpair.pairing.constraints.tables import checked_table, counts_of_tables
from hierpair.pairing.constraints.units import (
    Amount,
    GivenMass,
    Moved,
    Units,
    exact_amount,
    mass_text,
    moved,
)
from hierpair.pairing.pairs import SIDES, Array, Labels, Pairs, Side
from hierpair.pairing.problem import PairingProblem, Remark

__all__ = ["Builder"]


class _Said(NamedTuple):
    """What a constraint says of the sets at a place: bounds, and what a unit beyond them costs.

    Bounds are numbers of any kind; without a cost they are hard. What is ``carried`` are masses.
    """

    source: Source
    place: int
    lower: Any
    upper: Any
    chosen: Mask
    under: Any
    over: Any
    is_hard: bool
    carried: bool


class _Costs(NamedTuple):
    """What numbers of units cost."""

    source: Source
    place: int
    costs: Any
    chosen: Mask


class _Default(NamedTuple):
    """What labels pay for partners that they lack, in each of the costs."""

    source: Source
    chosen: Bools
    costs: list[Array]


Bounds = list[tuple[Ints, Ints]]
"""Bounds in units, of all that was said."""


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
        self._given_by: list[Source] = [NOBODY, NOBODY]
        self._said: list[_Said] = []
        self._tables: list[_Costs] = []
        self._candidate = np.ones(len(pairs.instance), dtype=bool)
        self._required = np.zeros(len(pairs.instance), dtype=bool)
        self._capacities: list[Array] = []
        self._defaults: dict[Side, list[_Default]] = {s: [] for s in SIDES}
        self._remarks: list[Remark] = []
        self._impossible: list[Remark] = []

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("_"):
            raise AttributeError(verb)
        known = ["across", "count", "groups", "labels", "others", "remark", "short"]
        raise BadInput(
            f"a pairing has no verb {verb!r}; it has {', '.join(known)}"
            f"{did_you_mean(verb, known)} (what a flow network cannot express has no verb)"
        )

    # ------------------------------------------------------------ what can be counted

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)

    def others(self, side: Side) -> Ints:
        """Return, per label, how many labels the other side of its instance has."""
        other = self.labels("true" if side == "predicted" else "predicted")
        count: Ints = np.diff(other.ptr)[self.labels(side).instance]
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
        group = np.asarray(number)
        if group.dtype.kind not in "iu":
            raise BadInput(f"groups must be whole numbers, got {group.dtype}")
        if group.shape != labels.classes.shape:
            raise BadInput(
                f"expected one group per label {labels.classes.shape}, got shape {group.shape}"
            )
        if where is not None:
            where = truths(where, self.labels(side).classes.shape, "label")
        group = group.astype(np.int64)
        if partners:
            return partners_grouped(self.pairs, side, group, where)
        return grouped(self.pairs, side, group if where is None else np.where(where, group, -1))

    def across(self, side: Side | None, number: Any, *, by_class: bool = False) -> Partition:
        """Return sets that span instances, to be counted.

        ``number`` is one per label of the side, or without a side one per instance; -1: in no set.
        All labels or instances with one number are a set. With ``by_class`` the numbers are those
        of classes.
        """
        pairs, group = self.pairs, np.asarray(number)
        many, n_all = len(pairs.ptr) - 1, pairs.instances.n_all
        if many != n_all or not many:
            raise BadInput(
                f"{self.source}, is over all instances at once, and here are {many} of {n_all}; "
                "solve it with pair_data_set"
            )
        shape = (many,) if side is None else self.labels(side).classes.shape
        if group.shape != shape or group.dtype.kind not in "iu":
            one = "instance" if side is None else "label"
            raise BadInput(
                f"groups of {self.source}, must be one whole number per {one} {shape}, got "
                f"{group.dtype} of shape {group.shape}"
            )
        return across(pairs, side, group.astype(np.int64), by_class=by_class)

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
        carried: bool = False,
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
        if where is not None:
            where = truths(where, (len(things),), "label" if isinstance(things, Labels) else "set")
        low, high = upper, upper
        if not isinstance(upper, Amount):
            low, high = bounds_of(lower, upper, things, where)
            low = high if carried and lower is upper else low  # all of a mass is rounded once
        soft = under is not None or over is not None
        free = under is not None or (isinstance(lower, int) and lower == 0)
        free &= over is not None or upper is None
        is_hard = not free or not (soft or costs is not None)
        if soft or is_hard:
            self._said.append(
                _Said(self.source, place, low, high, where, under, over, is_hard, carried)
            )
        if costs is not None:
            self._tables.append(_Costs(self.source, place, checked_table(costs), where))

    def _place(self, of: Any) -> int:
        """Return the place of sets among those that are counted; groups are new ones each time."""
        if isinstance(of, Partition):
            self._partitions.append(of)
            self._given_by.append(self.source)
            return len(self._partitions) - 1
        if of == "instance":
            known = [i for i, p in enumerate(self._partitions) if p.kind == "instance"]
            if not known:
                self._partitions.append(each_instance(self.pairs))
                self._given_by.append(self.source)
            return known[0] if known else len(self._partitions) - 1
        return SIDES.index(self.labels(of).side)

    def _count_pairs(self, lower: Any, upper: Any, where: Mask, *, carried: bool) -> None:
        n = len(self.pairs)
        if carried:
            most, _ = spread(OPEN if upper is None else upper, self.pairs, "the capacity")
            self._capacities.append(numbers_of(most, n, "the capacity", self.pairs.place))
            return
        some = np.ones(n, dtype=bool) if where is None else truths(where, (n,), "pair")
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
        chosen = np.ones(len(labels), dtype=bool)
        if where is not None:
            chosen = truths(where, labels.classes.shape, "label")
        given = [
            costs_of(c, labels, "a default cost")
            for c in (cost if isinstance(cost, tuple) and cost else (cost,))
        ]
        if given[0][1] is not None:
            chosen = chosen & given[0][1]
        self._defaults[side].append(_Default(self.source, chosen, [values for values, _ in given]))

    def _default_costs(self, side: Side) -> list[Array]:
        """Return the default costs of a side: the first, which are inf for none, and later ones."""
        said, n = self._defaults[side], len(self.labels(side))
        many = max((len(d.costs) for d in said), default=1)
        found: list[Array] = [np.full(n, np.inf), *np.zeros((many - 1, n))]
        giver = np.full(n, -1)
        for k, d in enumerate(said):
            new = [*d.costs, *np.zeros((many - len(d.costs), n))]
            differ = np.any([a != b for a, b in zip(found, new, strict=True)], axis=0)
            for at in np.flatnonzero(d.chosen & (giver >= 0) & differ)[:1].tolist():
                whose, instance = self.labels(side).place(at)
                raise BadInput(
                    f"{whose} has two default costs, {short_text(found[0][at])} "
                    f"({said[giver[at]].source}) and {short_text(new[0][at])} ({d.source}); say "
                    "for which labels each is meant (where), or give one function of labels",
                    instance,
                )
            found = [np.where(d.chosen, b, a) for a, b in zip(found, new, strict=True)]
            giver[d.chosen] = k
        return found

    def remark(self, text: str, instances: Bools, *, impossible: bool = False) -> None:
        """Note what has to be known of instances, or why they can have no pairing."""
        if instances.any():
            (self._impossible if impossible else self._remarks).append(Remark(text, instances))

    # ------------------------------------------------------------ the problem

    def problem(self, costs: Sequence[Array]) -> PairingProblem:
        """Return the problem that the constraints make of pairs with these costs."""
        candidate = self._candidate.copy()
        for cost in costs:
            candidate &= ~np.isposinf(cost.astype(np.float64))
        default = {s: self._default_costs(s) for s in SIDES}
        bounds, units = self._in_units()
        whole = None if units is None else units.whole
        every = [self._bounded(k, bounds, whole) for k in range(len(self._partitions))]
        self._check_same(every, whole)
        carried = None
        if units is not None:
            carried = self._carried(units, every, costs[0], default, candidate)
        for k, own in enumerate(every):
            if own.kind in ("label", "instance"):  # more is never used
                most = np.diff(self.pairs.ptr) if own.side is None else self.others(own.side)
                if carried is not None:
                    most = own.units(np.arange(len(self.pairs)), carried.capacity)
                every[k] = own.capped(most)
        for k, s in enumerate(SIDES):
            every[k] = every[k].lacking(default[s])
        said = {s.place for s in self._said if s.is_hard} | {*range(len(SIDES))}
        counts = [own for k, own in enumerate(every) if k in said]
        counts += [
            soft_count(self._partitions[s.place], *own, s.under, s.over, s.chosen, s.source)
            for s, own in zip(self._said, bounds, strict=True)
            if s.under is not None or s.over is not None
        ]
        counts += self._counts_of_tables(every, candidate, carried)
        sources = [x.source for x in self._said] + [x.source for x in self._tables]
        return PairingProblem(
            self.pairs, candidate, self._required, tuple(costs), tuple(counts),
            remarks=tuple(self._remarks), impossible=tuple(self._impossible), moved=carried,
            counting=frozenset(source.number for source in sources),
        )  # fmt: skip

    def _carried(
        self,
        units: Units,
        every: list[Count],
        cost: Array,
        default: Mapping[Side, Sequence[Array]],
        candidate: Bools,
    ) -> Moved:
        """Return what every pair may carry, and note where that is impossible."""
        given = np.full(len(self.pairs), OPEN)
        for x in self._capacities:
            amount = exact_amount(x, self.pairs, "the capacity")
            given = np.minimum(given, units.of(amount, self.pairs.instance, up=True))
        masses: dict[Side, list[GivenMass]] = {s: [] for s in SIDES}
        for said in self._said:
            if said.carried:
                things = self._partitions[said.place].things
                chosen = np.ones(len(things), bool) if said.chosen is None else said.chosen
                amount = exact_amount(said.upper, things, "the mass")
                is_share = isinstance(said.upper, Amount)
                masses[SIDES[said.place]].append(GivenMass(amount, chosen, is_share))
        soft = any(s.under is not None or s.over is not None for s in self._said)
        rewarded = (cost.astype(np.float64) < 0) | soft | bool(self._tables)
        first = {s: default[s][0] for s in SIDES}
        found, impossible = moved(
            self.pairs, units, given, masses, every, first, candidate, self._required, rewarded
        )
        self._impossible += [Remark(*one) for one in impossible]
        return found

    def _counts_of_tables(
        self, every: list[Count], candidate: Bools, carried: Moved | None
    ) -> Iterator[Count]:
        """Yield what tables of costs say, those of the same sets beside each other."""
        some = np.flatnonzero(candidate)
        for place in dict.fromkeys(t.place for t in self._tables):
            own, step = every[place], None
            most = own.units(some, None if carried is None else carried.capacity[some])
            if carried is not None:
                step = carried.whole[own.instance]
                most = np.minimum(most, own.upper) if own.kind == "label" else most
            said = [(t.source, t.costs, t.chosen) for t in self._tables if t.place == place]
            bounds = own.hard().lower, own.upper
            yield from counts_of_tables(self._partitions[place], said, most, bounds, step)

    def _in_units(self) -> tuple[Bounds, Units | None]:
        """Return all bounds in units of masses and capacities; None where nothing has one.

        Raises
        ------
        BadInput
            For bounds that are not whole where nothing has a mass, and quotas beside masses.
        """
        given = [(s, self._partitions[s.place]) for s in self._said]
        if not self._capacities and not any(s.carried for s in self._said):
            for s, of in given:
                for what, bound in (("lower", s.lower), ("upper", s.upper)):
                    if bound.dtype != np.int64:
                        raise not_whole(bound, what, of.things)
            return [(s.lower, s.upper) for s in self._said], None
        for of, source in zip(self._partitions, self._given_by, strict=True):
            if of.kind == "quota":
                raise BadInput(
                    f"{source}, counts pairs that are chosen once; beside masses and capacities "
                    "there is no such quota"
                )
        exact = [
            [
                exact_amount(x, of.things, "a bound")
                for x in (s.lower, s.upper)[s.lower is s.upper :]
            ]
            for s, of in given
        ]
        amounts = [(x, of.instance) for (_, of), own in zip(given, exact, strict=True) for x in own]
        of_pairs = (exact_amount(x, self.pairs, "the capacity") for x in self._capacities)
        amounts += [(x, self.pairs.instance) for x in of_pairs]
        masses = [(own[-1], of.instance) for (s, of), own in zip(given, exact, strict=True)
                  if s.carried]  # fmt: skip
        units, bounds = Units(len(self.pairs.ptr) - 1, amounts, masses), []
        for (s, of), own in zip(given, exact, strict=True):
            if not s.carried:
                low, high = (units.of(x, of.instance) for x in (own[0], own[-1]))
            else:
                some: Any = True if s.chosen is None else s.chosen
                high = np.where(some, units.apportioned(own[-1], of.instance), OPEN)
                low = np.where(some, high, 0)
                if len(own) > 1:
                    low = np.minimum(units.of(own[0], of.instance), high)
            bounds.append((low, high))
        return bounds, units

    def _bounded(self, place: int, bounds: Bounds, whole: Ints | None) -> Count:
        """Return sets with the hard bounds of all that is said of them together."""
        of, n = self._partitions[place], len(self._partitions[place])
        lower, upper = np.zeros(n, dtype=np.int64), np.full(n, OPEN, dtype=np.int64)
        said: list[tuple[Source, Any, Any]] = []
        for s, (least, most) in zip(self._said, bounds, strict=True):
            if s.place != place or not s.is_hard:
                continue
            said.append((
                s.source,
                np.asarray(0) if s.under is not None else least,
                np.asarray(OPEN) if s.over is not None else most,
            ))  # fmt: skip
            np.maximum(lower, said[-1][1], out=lower)
            np.minimum(upper, said[-1][2], out=upper)
            for at in np.flatnonzero(lower > upper)[:1].tolist():
                givers = [
                    next(x[0] for x in said if np.broadcast_to(x[k], n)[at] == bound[at])
                    for k, bound in ((1, lower), (2, upper))
                ]
                _contradict(of, at, (lower, upper), givers, whole)
        source = self._given_by[place]
        if of.kind == "instance" and said:
            source = said[0][0]
        return Count.of(of, lower, upper, source, said=tuple(said))

    def _check_same(self, sets: list[Count], whole: Ints | None) -> None:
        """Refuse bounds of the same groups that contradict each other."""
        groups = [p for p in sets[len(SIDES) :] if p.kind != "instance"]
        for one, other in permutations(groups, 2):
            a, b = ((p.kind, p.side, len(p), getattr(p.things, "of", "")) for p in (one, other))
            if a == b and np.array_equal(one.of_member, other.of_member):
                bounds, givers = (one.lower, other.upper), [one.source, other.source]
                for at in np.flatnonzero(one.lower > other.upper)[:1].tolist():
                    _contradict(one, at, bounds, givers, whole)


def _contradict(
    of: Partition, at: int, bounds: tuple[Ints, Ints], givers: list[Source], whole: Ints | None
) -> NoReturn:
    """Name the constraints that give a lower and an upper bound, the later one first."""
    one, other = sorted(givers, key=lambda source: -source.number)
    whose, instance = of.place(at)
    unit = None if whole is None or instance is None else int(whole[instance])
    least, most = (mass_text(int(x[at]), unit) for x in bounds)
    what = "partners" if of.kind == "label" else "pairs"
    raise BadInput(
        f"{one}, contradicts {other}: {whose} cannot have at least {least} and at most "
        f"{most} {what}",
        instance,
    )
