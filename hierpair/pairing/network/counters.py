"""What a problem counts: sets of pairs of each side, what so many of them cost, how they nest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.constraints.count_costs import CountCosts
from hierpair.pairing.constraints.grouping import Grouping
from hierpair.pairing.constraints.partner_groups import PartnerGroups
from hierpair.pairing.pairs import SIDES, Pairs, Side
from hierpair.pairing.problem import Counted, PairingProblem

__all__ = [
    "Counter",
    "Domain",
    "counters",
    "domain",
    "sum_of_costs",
    "without_costs_of_counts",
]


@dataclass(frozen=True, eq=False)
class Counter:
    """Sets of pairs that are counted alike, of which no two share a pair.

    Attributes
    ----------
    key
        The labels of a side, the groups of a grouping, the instances, or the sets of a budget.
    side
        Where it hangs in the network; None for instances, whose link goes from sink to source, and
        for sets of budgets, which find their side in :func:`joined`.
    instance
        Of every set, its instance.
    of_pair
        Of every pair, the set that it is in, -1 for none.
    lower, upper
        Hard bounds of every set.
    place
        Returns one set in words, and its instance.
    default
        Of labels: cost of each unit below ``lower``, inf where it is hard; otherwise None.
    """

    key: Counted
    side: Side | None
    instance: NDArray[np.int64]
    of_pair: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    place: Callable[[int], tuple[str, int | None]]
    default: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.instance)

    def units(
        self, pairs: NDArray[np.integer], each: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Return how many of these pairs, given by number, or of their units, are in each set."""
        at = self.of_pair[pairs]
        if each is None:
            return np.bincount(at[at >= 0], minlength=len(self))
        count = np.zeros(len(self), dtype=np.int64)
        np.add.at(count, at[at >= 0], each[at >= 0])
        return count


def counters(problem: PairingProblem) -> list[Counter]:
    """Return all that is counted: labels and groups of both sides, instances, budgets."""
    pairs = problem.pairs
    found = []
    for s in SIDES:
        found.append(
            Counter(
                ("label", s), s, problem.labels(s).instance, pairs.at(s),
                problem.lower[s], problem.upper[s], problem.labels(s).place, problem.default[s],
            )
        )  # fmt: skip
        for i, group in enumerate(problem.groupings):
            if group.side == s:
                most = np.maximum(
                    problem.most_units[group.instance], group.lower
                )  # no more is used
                found.append(
                    Counter(
                        ("group", i), s, group.instance, group.of_pairs(pairs),
                        group.lower, np.minimum(group.upper, most), partial(_group, group, pairs),
                    )
                )  # fmt: skip
    if problem.total is not None or ("instance", None) in problem.counts:
        every = np.arange(problem.n_instances)
        least, most = problem.total or (np.zeros(len(every), np.int64), problem.most_units)
        found.append(Counter(("instance", None), None, every, pairs.instance, least, most, _all))
    for i, budget in enumerate(problem.budgets):
        none = np.zeros(len(budget.lower), dtype=np.int64)
        most = np.maximum(len(budget.of_pair), budget.lower)
        found.append(
            Counter(
                ("budget", i), None, none, budget.of_pair, budget.lower,
                np.minimum(budget.upper, most), budget.place,
            )
        )  # fmt: skip
    return found


def _group(group: Grouping | PartnerGroups, pairs: Pairs, at: int) -> tuple[str, int]:
    return group.text(pairs, at), int(group.instance[at])


def _all(at: int) -> tuple[str, int]:
    return "all pairs of the instance", at


def sum_of_costs(counter: Counter, costs: CountCosts) -> NDArray[Any]:
    """Return what every number of units costs a set, all that is said of it together."""
    numbers = costs.total()
    thing, units = costs.thing, costs.units
    lacking = counter.lower[thing] - units
    if counter.default is not None:
        bought = np.flatnonzero((lacking > 0) & (counter.default[thing].astype(float) != np.inf))
        if len(bought):
            owed = lacking[bought] * counter.default[thing[bought]]
            exact = object in (owed.dtype, numbers.dtype)
            numbers = numbers.astype(object) if exact else numbers.copy()
            numbers[bought] = numbers[bought] + owed
            lacking[bought] = 0
    return np.where((lacking > 0) | (units > counter.upper[thing]), np.inf, numbers)


@dataclass(frozen=True, eq=False)
class Domain:
    """Of every set, which numbers of units are allowed; ``first > last`` where none is."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]


def domain(counter: Counter, costs: CountCosts, numbers: NDArray[Any]) -> Domain:
    """Return which numbers of units have a cost, and refuse costs that no flow can carry.

    Raises
    ------
    BadInput
        For a unit that is cheaper than one before it, and for a number of units that is left out.
    """
    thing, units = costs.thing, costs.units
    allowed = np.flatnonzero(numbers.astype(np.float64) != np.inf)
    n = len(counter)
    first, last = np.full(n, np.iinfo(np.int64).max), np.full(n, -1)
    np.minimum.at(first, thing[allowed], units[allowed])
    np.maximum.at(last, thing[allowed], units[allowed])
    count = np.bincount(thing[allowed], minlength=n)
    hole = np.flatnonzero((count > 0) & (count != last - first + 1))
    if len(hole):
        whose, instance = counter.place(int(hole[0]))
        raise BadInput(
            f"{_sources(costs)}: {whose} may have {first[hole[0]]} and {last[hole[0]]} units, and "
            "not every number between them; a flow cannot leave out a number between two others",
            instance,
        )
    step = allowed[1:][thing[allowed[1:]] == thing[allowed[:-1]]]  # a unit more than the one before
    slope = numbers[step] - numbers[step - 1]
    again = thing[step[1:]] == thing[step[:-1]]
    fallen = (slope[:-1] - slope[1:]).astype(np.float64)
    size = np.abs(numbers[allowed].astype(np.float64)).max(initial=1.0)
    slack = 0.0 if numbers.dtype == object else 1e-12 * size  # what floats lose in differences
    bad = np.flatnonzero(again & (fallen > slack))
    if len(bad):
        at = int(step[bad[0] + 1])
        whose, instance = counter.place(int(thing[at]))
        k = int(units[at])
        what = "partner" if counter.key[0] == "label" else "pair"
        raise BadInput(
            f"{_sources(costs)}, {whose}: {what} {k} costs {_short(slope[bad[0] + 1])} and "
            f"{what} {k - 1} costs {_short(slope[bad[0]])}; a flow needs costs per {what} that do "
            "not fall, as it would take the cheaper one first",
            instance,
        )
    return Domain(first, last)


def _sources(costs: CountCosts) -> str:
    return " and ".join(dict.fromkeys(str(source) for source, _ in costs.parts))


def _short(cost: Any) -> str:
    """Return a cost as it was written: 5, not 5.0."""
    return f"{float(cost):.12g}" if not hasattr(cost, "numerator") else str(cost)


def without_costs_of_counts(problem: PairingProblem) -> PairingProblem:
    """Return the problem with hard bounds instead of tables: what is possible stays possible."""
    changed: dict[str, Any] = {"counts": {}, "first_cost": None}
    for counter in counters(problem):
        costs = problem.counts.get(counter.key)
        if costs is None:
            continue
        allowed = domain(counter, costs, sum_of_costs(counter, costs))
        most = np.diff(costs.ptr) - 1
        empty = allowed.first > allowed.last
        lower = np.where(empty, np.maximum(most + 1, counter.lower), allowed.first)
        upper = np.where(empty | (allowed.last == most), counter.upper, allowed.last)
        upper = np.maximum(lower, upper)
        what, which = counter.key
        if what == "label":
            for name, bound in (("lower", lower), ("upper", upper)):
                changed[name] = {**changed.get(name, getattr(problem, name)), which: bound}
            none = np.full(len(counter), np.inf)
            changed["default"] = {**changed.get("default", problem.default), which: none}
        elif what == "group":
            groups = list(changed.get("groupings", problem.groupings))
            groups[which] = replace(groups[which], lower=lower, upper=upper)
            changed["groupings"] = tuple(groups)
        elif what == "budget":
            budgets = list(changed.get("budgets", problem.budgets))
            budgets[which] = replace(budgets[which], lower=lower, upper=upper)
            changed["budgets"] = tuple(budgets)
        else:
            changed["total"] = lower, upper
    return replace(problem, **changed)
