"""The builder that constraints write on: what is counted, and what labels may lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from hierpair.errors import BadInput, did_you_mean
from hierpair.hierarchy.arrays import Bools, Ints
from hierpair.pairing.constraints.amounts import Amount, Units, exact_amount, mass_text, units_of
from hierpair.pairing.constraints.capacities import Capacities, Moved
from hierpair.pairing.constraints.counts import (
    Count,
    checked_table,
    counts_of_tables,
    soft_count,
)
from hierpair.pairing.constraints.numbers import (
    OPEN,
    Mask,
    bounds_of,
    costs_of,
    not_whole,
    numbers_of,
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
from hierpair.pairing.pairs import SIDES, Array, Labels, Pairs, Side
from hierpair.pairing.problem import PairingProblem, Remark

__all__ = ["Builder"]


class _Hard(NamedTuple):
    """Hard bounds of the sets of a partition, as numbers of any kind."""

    source: Source
    place: int
    lower: Any
    upper: Any
    chosen: Mask
    carried: bool
    shared: bool


class _Soft(NamedTuple):
    """Bounds that may be missed, and what a unit costs then."""

    source: Source
    place: int
    lower: Any
    upper: Any
    chosen: Mask
    under: Any
    over: Any


class _Costs(NamedTuple):
    """What numbers of units cost."""

    source: Source
    place: int
    costs: Any
    chosen: Mask


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
        self._hard: list[_Hard] = []
        self._soft: list[_Soft] = []
        self._tables: list[_Costs] = []
        self._candidate = np.ones(len(pairs.instance), dtype=bool)
        self._required = np.zeros(len(pairs.instance), dtype=bool)
        self._capacities: list[Array] = []
        # default costs, the first and later ones; and who gave them to which labels
        self._costs: dict[Side, list[Array]] = {
            s: [np.full(len(self.labels(s)), np.inf)] for s in SIDES
        }
        self._defaults: dict[Side, list[tuple[Source, Mask]]] = {s: [] for s in SIDES}
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
        free = under is not None or (isinstance(lower, int) and lower == 0)
        free &= over is not None or upper is None
        if not free or (under is None and over is None and costs is None):
            least = low if under is None else np.asarray(0)
            most = high if over is None else np.asarray(OPEN)
            self._hard.append(
                _Hard(self.source, place, least, most, where, carried, isinstance(high, Amount))
            )
        if under is not None or over is not None:
            self._soft.append(_Soft(self.source, place, low, high, where, under, over))
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
        n = len(self.pairs.instance)
        if carried:
            most = OPEN if upper is None else upper
            self._capacities.append(numbers_of(most, n, "the capacity", self._pair))
            return
        some = np.ones(n, dtype=bool) if where is None else truths(where, (n,), "pair")
        if lower not in (0, 1) or upper not in (0, 1, None):
            raise BadInput("a pair is chosen once or not at all; see Capacity")
        if lower:
            self._required |= some
        if upper == 0:
            self._candidate &= ~some

    def _pair(self, at: int) -> tuple[str, int]:
        return f"the pair {self.pairs.text(at)}", int(self.pairs.instance[at])

    def short(self, side: Side, cost: Any, where: Mask = None) -> None:
        """Let labels lack partners at a cost each; a tuple is a cost for each lexicographic one.

        A cost is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        chosen = None if where is None else truths(where, labels.classes.shape, "label")
        given = [
            costs_of(c, labels, "a default cost")
            for c in (cost if isinstance(cost, tuple) and cost else (cost,))
        ]
        if given[0][1] is not None:
            chosen = given[0][1] if chosen is None else chosen & given[0][1]
        new, known = [values for values, _ in given], self._costs[side]
        self._same_cost(side, new, chosen)
        if new[0].dtype == object and known[0].dtype != object:
            known[0] = known[0].astype(object)
        known += [np.zeros(len(labels)) for _ in new[len(known) :]]
        at: Any = slice(None) if chosen is None else chosen
        for values, before in zip(new, known, strict=False):
            before[at] = values[at]
        self._defaults[side].append((self.source, chosen))

    def _same_cost(self, side: Side, new: list[Array], chosen: Mask) -> None:
        """Refuse a second default cost of a label that is not the first one."""
        known = self._costs[side]
        for source, before in self._defaults[side]:
            differ = np.zeros(len(known[0]), dtype=bool)
            for one, other in zip_longest(known, new, fillvalue=np.zeros(1)):
                differ |= one != other
            for mask in (chosen, before):
                differ &= True if mask is None else mask
            if differ.any():
                at = int(differ.argmax())
                whose, instance = self.labels(side).place(at)
                raise BadInput(
                    f"{whose} has two default costs, {_short(known[0][at])} ({source}) "
                    f"and {_short(new[0][at])} ({self.source}); say for which labels each is "
                    "meant (where), or give one function of labels",
                    instance,
                )

    def remark(self, text: str, instances: Bools, *, impossible: bool = False) -> None:
        """Note what has to be known of instances, or why they can have no pairing."""
        if instances.any():
            (self._impossible if impossible else self._remarks).append(Remark(text, instances))

    # ------------------------------------------------------------ the problem

    @property
    def says_numbers(self) -> bool:
        """Whether something is said of numbers of pairs."""
        return bool(self._hard or self._soft or self._tables)

    def default_costs(self, side: Side) -> list[Array]:
        """Return the default costs of a side: the first, which are inf for none, and later ones."""
        return self._costs[side]

    def bounds(self, capacities: Capacities | None = None) -> list[Count]:
        """Return the hard bounds of all that is counted, the labels first."""
        return [self._bounded(k, capacities) for k in range(len(self._partitions))]

    def problem(self, costs: Sequence[Array]) -> PairingProblem:
        """Return the problem that the constraints make of pairs with these costs."""
        candidate = self._candidate.copy()
        for cost in costs:
            candidate &= ~np.isposinf(cost.astype(np.float64))
        capacities = self._amounts_given()
        every = self.bounds(capacities)
        self._check_same(every, capacities)
        moved = None
        room = dict(zip(SIDES, map(self.others, SIDES), strict=True))
        n_pairs = np.diff(self.pairs.ptr)
        if capacities is not None:
            default = {s: self._costs[s][0] for s in SIDES}
            rewarded = (costs[0].astype(np.float64) < 0) | bool(self._soft or self._tables)
            moved, every[: len(SIDES)], impossible = capacities.moved(
                every, default, candidate, self._required, rewarded
            )
            self._impossible += [Remark(*found) for found in impossible]
            n_pairs, room = moved.of_instances(self.pairs), moved.of_labels(self.pairs)
        for k, own in enumerate(every):
            if k < len(SIDES):
                every[k] = own.capped(room[SIDES[k]]).lacking(self._costs[SIDES[k]])
            elif own.kind == "instance":  # more is never used
                every[k] = own.capped(n_pairs)
        said = {h.place for h in self._hard} | set(range(len(SIDES)))
        counts = [own for k, own in enumerate(every) if k in said]
        counts += self._soft_counts(capacities)
        counts += self._counts_of_tables(every, candidate, moved)
        return PairingProblem(
            self.pairs, candidate, self._required, tuple(costs), tuple(counts),
            remarks=tuple(self._remarks), impossible=tuple(self._impossible), moved=moved,
        )  # fmt: skip

    def _soft_counts(self, capacities: Capacities | None) -> Iterator[Count]:
        for s in self._soft:
            low, high = self._in_units(s.place, s.lower, s.upper, capacities)
            sets = self._partitions[s.place]
            yield soft_count(sets, low, high, s.under, s.over, s.chosen, s.source)

    def _counts_of_tables(
        self, every: list[Count], candidate: Bools, moved: Moved | None
    ) -> Iterator[Count]:
        """Yield what tables of costs say, those of the same sets beside each other."""
        some = np.flatnonzero(candidate)
        for place in dict.fromkeys(t.place for t in self._tables):
            own, step = every[place], None
            most = own.units(some, None if moved is None else moved.capacity[some])
            if moved is not None:
                step = moved.whole[own.instance]
                most = np.minimum(most, own.upper) if own.kind == "label" else most
            said = [(t.source, t.costs, t.chosen) for t in self._tables if t.place == place]
            bounds = own.hard().lower, own.upper
            yield from counts_of_tables(self._partitions[place], said, most, bounds, step)

    def _amounts_given(self) -> Capacities | None:
        """Return the masses and capacities in units; None where nothing has one.

        Raises
        ------
        BadInput
            For bounds that are not whole where nothing has a mass, and quotas beside masses.
        """
        every: list[Any] = [*self._hard, *self._soft]
        if not self._capacities and not any(h.carried for h in self._hard):
            for said in every:
                for what in ("lower", "upper"):
                    if getattr(said, what).dtype != np.int64:
                        things = self._partitions[said.place].things
                        raise not_whole(getattr(said, what), what, things)
            return None
        quotas = (x for p, x in zip(self._partitions, self._given_by, strict=True)
                  if p.kind == "quota")  # fmt: skip
        for quota in quotas:
            raise BadInput(
                f"{quota}, counts pairs that are chosen once; beside masses and capacities "
                "there is no such quota"
            )
        n = len(self.pairs.ptr) - 1
        capacities = [
            exact_amount(x, len(self.pairs.instance), "the capacity", self._pair)
            for x in self._capacities
        ]
        numbers = [x for said in every for x in (said.lower, said.upper)] + self._capacities
        if all(isinstance(x, np.ndarray) and x.dtype.kind in "iu" for x in numbers):
            units = Units(np.ones(n, np.int64), np.zeros(n, dtype=bool))
        else:
            self._hard = [self._in_fractions(h) for h in self._hard]
            amounts = [
                (x, self._partitions[said.place].instance)
                for said in (*self._hard, *map(self._in_fractions, self._soft))
                for x in dict.fromkeys((said.lower, said.upper))
            ]
            amounts += [(x, self.pairs.instance) for x in capacities]
            units = units_of(n, amounts, [(h.upper, self._partitions[h.place].instance)
                                          for h in self._hard if h.carried])  # fmt: skip
        return Capacities(self.pairs, units, [h for h in self._hard if h.carried], capacities)

    def _in_fractions(self, said: Any) -> Any:
        """Return hard or soft bounds as exact amounts."""
        of = self._partitions[said.place]
        upper = exact_amount(said.upper, len(of), "upper", of.things.place)
        lower = upper
        if said.lower is not said.upper:
            lower = exact_amount(said.lower, len(of), "lower", of.things.place)
        return said._replace(lower=lower, upper=upper)

    def _in_units(
        self, place: int, lower: Any, upper: Any, capacities: Capacities | None
    ) -> list[Ints]:
        """Return bounds in units."""
        if capacities is None or (capacities.plain and not isinstance(upper, Amount)):
            return [lower, upper]
        of = self._partitions[place]
        return [
            capacities.units.of(exact_amount(x, len(of), "a bound", of.things.place), of.instance)
            for x in (lower, upper)
        ]

    def _bounded(self, place: int, capacities: Capacities | None) -> Count:
        """Return sets with the bounds of all that is said of them together."""
        of = self._partitions[place]
        n = len(of)
        lower, upper = np.zeros(n, dtype=np.int64), np.full(n, OPEN, dtype=np.int64)
        said: list[tuple[Source, Any, Any]] = []
        for h in (h for h in self._hard if h.place == place):
            if h.carried and capacities is not None:
                low, high = capacities.of_labels(h)
            else:
                low, high = self._in_units(place, h.lower, h.upper, capacities)
            np.maximum(lower, low, out=lower)
            np.minimum(upper, high, out=upper)
            said.append((h.source, low, high))
            bad = np.flatnonzero(lower > upper)
            if len(bad):
                at = int(bad[0])
                giver = [
                    next(x[0] for x in said if np.broadcast_to(x[k], (n,))[at] == bound[at])
                    for k, bound in ((1, lower), (2, upper))
                ]
                self._contradict(of, at, (int(lower[at]), giver[0]), (int(upper[at]), giver[1]),
                                 capacities)  # fmt: skip
        source = self._given_by[place]
        if of.kind == "instance" and said:
            source = said[0][0]
        return Count.of(of, lower, upper, source)

    def _check_same(self, sets: list[Count], capacities: Capacities | None) -> None:
        """Refuse bounds of groups with the same members that contradict each other."""
        groups = [p for p in sets[len(SIDES) :] if p.kind != "instance"]
        for k, one in enumerate(groups):
            for other in groups[:k]:
                for a, b in one.same_sets(other).tolist():
                    bounds = [(int(p.lower[i]), int(p.upper[i]), p.source)
                              for p, i in ((one, a), (other, b))]  # fmt: skip
                    low, high = max(bounds, key=lambda x: x[0]), min(bounds, key=lambda x: x[1])
                    if low[0] > high[1]:
                        self._contradict(one, a, (low[0], low[2]), (high[1], high[2]), capacities)

    def _contradict(
        self, of: Partition, at: int, low: tuple[int, Source], high: tuple[int, Source],
        capacities: Capacities | None,
    ) -> NoReturn:  # fmt: skip
        one, other = low[1], high[1]
        if other.number > one.number:
            one, other = other, one
        whose, instance = of.place(at)
        whole = 1
        if instance is not None and capacities is not None:
            whole = int(capacities.units.whole[instance])
        least, most = (mass_text(x, whole) for x in (low[0], high[0]))
        what = "partners" if of.kind == "label" else "pairs"
        raise BadInput(
            f"{one}, contradicts {other}: {whose} cannot have at least {least} and at most "
            f"{most} {what}",
            instance,
        )


def _short(cost: Any) -> str:
    """Return a cost as it was written: 5, not 5.0."""
    return f"{cost:.0f}" if isinstance(cost, float) and cost.is_integer() else str(cost)
