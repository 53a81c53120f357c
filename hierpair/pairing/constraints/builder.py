"""The builder that constraints write on: its verbs are the whole vocabulary."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, did_you_mean, shown
from hierpair.pairing.constraints.bounds import NOBODY, Bounds, Contradiction, Source
from hierpair.pairing.constraints.budget_sets import BudgetSets
from hierpair.pairing.constraints.count_costs import (
    CountTable,
    SoftBounds,
    checked_costs,
    checked_table,
)
from hierpair.pairing.constraints.grouping import Grouping, clash_of, without_labels
from hierpair.pairing.constraints.movable import Movable
from hierpair.pairing.constraints.moved import mass_text
from hierpair.pairing.constraints.partner_groups import PartnerGroups, other_side
from hierpair.pairing.constraints.units import Units
from hierpair.pairing.constraints.values import Things, bounds_of, costs_of, frozen
from hierpair.pairing.constraints.written_counts import Written, counts_of
from hierpair.pairing.pairs import SIDES, GroupsOf, Labels, Pairs, SetsOf, Side
from hierpair.pairing.problem import PairingProblem, Remark

__all__ = ["VERBS", "Absent", "Builder"]

Absent = Literal["skip", "error"]

VERBS = (
    "bound", "allow_missing", "forbid", "require", "total", "within", "count", "mass", "capacity",
    "budget",
)  # fmt: skip


class Builder:
    """A pairing problem in the making; its verbs are all that a constraint can say.

    Every verb has an exact place in a flow network, so whatever is written can be solved. A verb
    that is not here fails by name. Repeated bounds intersect: the largest lower and the smallest
    upper one count, and a contradiction is an error that names both constraints.

    Attributes
    ----------
    pairs
        All pairs of the batch.
    units
        Of masses and capacities, where they are fractions; None: all are whole numbers.
    """

    __slots__ = (
        "_bounds",
        "_budgets",
        "_candidate",
        "_costs",
        "_defaults",
        "_groupings",
        "_impossible",
        "_kinds",
        "_movable",
        "_remarks",
        "_required",
        "_source",
        "_total",
        "_written",
        "pairs",
    )

    def __init__(self, pairs: Pairs, units: Units | None = None) -> None:
        self.pairs = pairs
        count = {s: len(self.labels(s)) for s in SIDES}
        self._candidate = np.ones(len(pairs.instance), dtype=bool)
        self._required = np.zeros(len(pairs.instance), dtype=bool)
        self._bounds = {s: Bounds(count[s]) for s in SIDES}
        # default costs, the first and later ones; and who gave them to which labels
        self._costs: dict[Side, list[NDArray[Any]]] = {
            s: [np.full(count[s], np.inf)] for s in SIDES
        }
        self._defaults: dict[Side, list[tuple[Source, NDArray[np.bool_] | None]]]
        self._defaults = {s: [] for s in SIDES}
        self._total: Bounds | None = None
        self._groupings: list[Grouping | PartnerGroups] = []
        self._budgets: list[BudgetSets] = []
        self._written: list[Written] = []
        self._kinds: set[str] = set()
        self._remarks: list[Remark] = []
        self._impossible: list[Remark] = []
        self._source = NOBODY
        self._movable = Movable(pairs, units)

    def __getattr__(self, verb: str) -> NoReturn:
        if verb.startswith("__"):
            raise AttributeError(verb)
        known = [*VERBS, "budget_sets", "groups", "labels", "others"]
        raise BadInput(
            f"a pairing has no verb {verb!r}; it has {', '.join(known)}"
            f"{did_you_mean(verb, known)} (what a flow network cannot express has no verb)"
        )

    def labels(self, side: Side) -> Labels:
        """Return the labels of a side."""
        return self.pairs.labels(side)

    def groups(self, place: int) -> GroupsOf:
        """Return groups by their place, as :meth:`within` gave it."""
        return self._groupings[place].things(self.pairs)

    def others(self, side: Side) -> NDArray[np.int64]:
        """Return, per label, how many labels the other side of its instance has."""
        other = self.labels("true" if side == "predicted" else "predicted")
        count: NDArray[np.int64] = np.diff(other.ptr)[self.labels(side).instance]
        return count

    def bound(
        self,
        side: Side,
        lower: Any,
        upper: Any,
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        """Bound the number of partners of labels; ``upper=None`` leaves it open.

        A bound is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        self._kinds.add("bound")
        chosen = None if where is None else self._mask(where, labels.classes.shape, "label")
        lowest, highest = self.in_units(lower, upper, labels, chosen)
        self._bounded(labels, lowest, highest, chosen)

    def _bounded(
        self,
        labels: Labels,
        lower: NDArray[np.int64],
        upper: NDArray[np.int64],
        chosen: NDArray[np.bool_] | None,
    ) -> None:
        clash = self._bounds[labels.side].add(lower, upper, chosen, self._source)
        if clash is not None:
            whose, instance = labels.place(clash.at)
            self._contradict(clash, whose, "partners", instance)

    def in_units(
        self, lower: Any, upper: Any, things: Things, chosen: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return bounds of labels, groups or instances, in the units of their masses."""
        return bounds_of(*self._movable.bounds(lower, upper, chosen), things, chosen)

    def mass(
        self,
        side: Side,
        mass: Any,
        where: NDArray[np.bool_] | None = None,
        *,
        lower: Any = None,
        share: bool = False,
    ) -> None:
        """Give labels a mass each, of which at least ``lower`` goes to the other side (None: all).

        A mass is a number, an array with one per label, or a function of :class:`Labels`; with
        ``share`` those of an instance are divided by their sum. A pair carries as much as its
        capacity lets it, costs are of the mass 1, and all bounds are masses.
        """
        labels = self.labels(side)
        self._kinds.add("mass")
        chosen = None if where is None else self._mask(where, labels.classes.shape, "label")
        least, most = self._movable.mass(labels, mass, lower, share, chosen)
        self._bounded(labels, least, most, chosen)

    def capacity(self, capacity: Any) -> None:
        """Let pairs be used more than once, or carry a mass: up to a number, or one per pair."""
        self._kinds.add("capacity")
        self._movable.limit(capacity)

    @property
    def has_masses(self) -> bool:
        """Whether something has been given a mass or a capacity."""
        return self._movable.any

    def allow_missing(self, side: Side, cost: Any, where: NDArray[np.bool_] | None = None) -> None:
        """Let labels lack partners at a cost each; a tuple is a cost for each lexicographic one.

        A cost is a number, an array with one per label, or a function of :class:`Labels`.
        """
        labels = self.labels(side)
        self._kinds.add("allow_missing")
        chosen = None if where is None else self._mask(where, labels.classes.shape, "label")
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
        self._defaults[side].append((self._source, chosen))

    def _same_cost(
        self, side: Side, new: list[NDArray[Any]], chosen: NDArray[np.bool_] | None
    ) -> None:
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
                    f"and {_short(new[0][at])} ({self._source}); say for which labels each is "
                    "meant "
                    "(where), or give one function of labels",
                    instance,
                )

    def forbid(self, where: NDArray[np.bool_]) -> None:
        """Take pairs out."""
        self._kinds.add("forbid")
        self._candidate &= ~self._mask(where, self._candidate.shape, "pair")

    def require(self, where: NDArray[np.bool_]) -> None:
        """Choose these pairs in any case."""
        self._kinds.add("require")
        self._required |= self._mask(where, self._required.shape, "pair")

    def total(self, lower: Any, upper: Any) -> None:
        """Bound the number of chosen pairs of every instance.

        A bound is a number, an array with one per instance of the batch, or a function of
        :class:`Instances`.
        """
        self._kinds.add("total")
        instances = self.pairs.instances
        least, most = self.in_units(lower, upper, instances)
        self._total = self._total or Bounds(len(instances))
        clash = self._total.add(least, most, None, self._source)
        if clash is not None:
            self._contradict(clash, "all pairs of an instance", "pairs", clash.at)

    def within(
        self,
        side: Side,
        group: NDArray[np.int64],
        upper: Any,
        lower: Any = 0,
        *,
        every: NDArray[np.int64] | None = None,
        absent: Absent = "skip",
        partners: bool = False,
        where: NDArray[np.bool_] | None = None,
    ) -> int:
        """Bound the pairs of each group of labels (-1: no group); return the place of these groups.

        With ``partners`` it bounds the pairs of each label of the side with each group of labels
        of the other side, and only of labels ``where`` it is true. Groups of a side must be nested,
        in any order.

        A bound is a number, an array with one per number of a group, or a function of
        :class:`GroupsOf`. ``every`` holds the numbers of all groups that there can be. For a
        group without labels a minimum means nothing: ``absent="skip"`` leaves it out and remarks
        upon the instance; with ``absent="error"`` the instance has no pairing.
        """
        labels = self.labels(other_side(side) if partners else side)
        self._kinds.add("within")
        if group.shape != labels.classes.shape:
            raise BadInput(
                f"expected one group per label {labels.classes.shape}, got shape {group.shape}"
            )
        lower, upper = self._movable.bounds(frozen(lower), frozen(upper))
        numbers = group.astype(np.int64)
        new: Grouping | PartnerGroups
        if partners:
            if where is not None:
                where = self._mask(where, self.labels(side).classes.shape, "label")
            new = PartnerGroups.of_labels(
                self.pairs, side, numbers, lower, upper, self._source, where
            )
        else:
            new = Grouping.of_labels(labels, numbers, lower, upper, self._source)
        for known in self._groupings:
            if (clash := clash_of(new, known)) is not None:
                whose = new.text(self.pairs, clash.at)
                self._contradict(clash, whose, "pairs", int(new.instance[clash.at]))
        if absent not in ("skip", "error"):
            raise BadInput(f"absent must be 'skip' or 'error', got {shown(absent)}")
        if every is not None and isinstance(new, Grouping):
            where = without_labels(new, labels, lower, every)
            if absent == "error":
                text = f"{self._source}, has a minimum for a group without labels"
                self._impossible.append(Remark(text, where))
            elif where.any():
                text = f"the minimum of {self._source}, asks nothing of groups without labels"
                self._remarks.append(Remark(text, where))
        self._groupings.append(new)
        return len(self._groupings) - 1

    def budget(
        self,
        side: Side | None,
        number: NDArray[np.integer],
        lower: Any,
        upper: Any,
        *,
        by_class: bool = False,
    ) -> int:
        """Bound the pairs of sets that span instances; return the place of these sets.

        ``number`` is one per label of the side, or without a side one per instance; -1: in no set.
        All labels or instances with one number are a set, and its bounds are those of
        :meth:`within`. With ``by_class`` the numbers are those of classes.
        """
        self._kinds.add("budget")
        source = self._source
        new = BudgetSets.of_numbers(
            self.pairs, side, number, frozen(lower), frozen(upper), source, by_class=by_class
        )
        for known in self._budgets:
            if (clash := clash_of(new, known)) is not None:
                self._contradict(clash, new.place(clash.at)[0], "pairs", None)
        self._budgets.append(new)
        return len(self._budgets) - 1

    def budget_sets(self, place: int) -> SetsOf:
        """Return the sets of a budget by their place."""
        return self._budgets[place].sets

    def count(
        self,
        of: Side | Literal["instance"] | int | tuple[Literal["budget"], int],
        costs: Any,
        where: NDArray[np.bool_] | None = None,
    ) -> None:
        """Give numbers of partners or pairs a cost, which must not rise less and less.

        Parameters
        ----------
        of
            A side: of its labels; ``"instance"``: of all pairs of an instance; or the place of
            groups, as :meth:`within` returns it; ``("budget", place)``: of sets of a budget.
        costs
            Costs of 0, 1, 2 … units, None for not allowed; or a function that takes the labels,
            groups or instances and how many units, and returns one cost for each.
        where
            Only for these labels, groups or instances.
        """
        self._kinds.add("count")
        if isinstance(of, int) and not 0 <= of < len(self._groupings):
            raise BadInput(f"there is no grouping {of}; within returns the place of its groups")
        if isinstance(of, str) and of != "instance":
            self.labels(of)
        table = checked_table(costs)
        if isinstance(table, (CountTable, SoftBounds)):
            self._written.append(Written(of, self._movable.costs(table), where, self._source))
            return

        def evaluate(things: Things, n: int) -> tuple[NDArray[Any], ...]:
            return checked_costs(table, things, n)

        self._written.append(Written(of, self._movable.costs(evaluate), where, self._source))

    def problem(self, cost: NDArray[Any]) -> PairingProblem:
        """Return the problem that the constraints make of pairs with these costs."""
        candidate = self._candidate & ~np.isposinf(cost.astype(np.float64))
        default = {s: costs[0] for s, costs in self._costs.items()}
        moved = None
        n_pairs, room = np.diff(self.pairs.ptr), {s: self.others(s) for s in SIDES}
        if self._movable.any:
            if self._budgets:
                raise BadInput(
                    f"{self._budgets[0].source}, counts pairs that are chosen once; beside masses "
                    "and capacities there is no such budget"
                )
            least = [group for group in self._groupings if group.lower.any()]
            moved, impossible = self._movable.moved(
                self._bounds, self._total, default, least, candidate, self._required,
                (cost.astype(np.float64) < 0) | bool(self._written),
            )  # fmt: skip
            self._impossible += [Remark(*found) for found in impossible]
            n_pairs, room = moved.of_instances(self.pairs), moved.of_labels(self.pairs)
        lower = {s: b.lower for s, b in self._bounds.items()}
        upper: dict[Side, NDArray[np.int64]] = {  # more is never used
            s: np.minimum(b.upper, np.maximum(room[s], b.lower)) for s, b in self._bounds.items()
        }
        total = None
        if self._total is not None:
            most = np.minimum(n_pairs, self._total.upper)
            total = self._total.lower, np.maximum(most, self._total.lower)
        return PairingProblem(
            self.pairs,
            candidate,
            self._required,
            cost,
            lower,
            upper,
            default,
            total,
            tuple(self._groupings),
            kinds=frozenset(self._kinds),
            remarks=tuple(self._remarks),
            impossible=tuple(self._impossible),
            counts=counts_of(
                self._written, self.pairs, self._groupings, candidate, moved, upper, self._budgets
            ),
            moved=moved,
            budgets=tuple(self._budgets),
        )

    def default_costs(self, side: Side) -> list[NDArray[Any]]:
        """Return the default costs of a side: the first, which are inf for none, and later ones."""
        return self._costs[side]

    def written_by(self, source: Source) -> None:
        """Note which constraint writes from now on."""
        self._source = source

    def _contradict(
        self, clash: Contradiction, whose: str, what: str, instance: int | None
    ) -> None:
        one, other = clash.from_lower, clash.from_upper
        if other.number > one.number:
            one, other = other, one
        whole = 1 if instance is None else int(self._movable.units.whole[instance])
        low, high = (mass_text(x, whole) for x in (clash.lower, clash.upper))
        raise BadInput(
            f"{one}, contradicts {other}: {whose} cannot have at least {low} and at most "
            f"{high} {what}",
            instance,
        )

    def _mask(self, where: Any, shape: tuple[int, ...], one: str) -> NDArray[np.bool_]:
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != shape:
            raise BadInput(
                f"expected one truth value per {one} {shape}, got {mask.dtype} of shape "
                f"{mask.shape}"
            )
        return mask


def _short(cost: Any) -> str:
    """Return a cost as it was written: 5, not 5.0."""
    return f"{cost:.0f}" if isinstance(cost, float) and cost.is_integer() else str(cost)
