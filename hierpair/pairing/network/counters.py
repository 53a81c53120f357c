"""What a problem counts: sets of pairs of each side, what so many of them cost, how they nest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.constraints.count_costs import CountCosts
from hierpair.pairing.constraints.partition import Partition, each_label
from hierpair.pairing.pairs import SIDES
from hierpair.pairing.problem import PairingProblem

__all__ = [
    "Domain",
    "counters",
    "domain",
    "sum_of_costs",
    "without_costs_of_counts",
]


def counters(problem: PairingProblem) -> list[Partition]:
    """Return all that is counted: labels and groups of both sides, instances, quotas.

    Upper bounds are cut to what can be used.
    """
    found = []
    for s in SIDES:
        labels = each_label(problem.pairs, s)
        found.append(
            replace(
                labels, lower=problem.lower[s], upper=problem.upper[s], default=problem.default[s]
            )
        )
        found += [_cut(own, problem.most_units) for own in problem.groups if own.side == s]
    found += [own for own in problem.sets if own.kind == "instance"]
    return found + [_cut(own, np.array([len(problem.cost)])) for own in problem.quotas]


def _cut(own: Partition, most: NDArray[np.int64]) -> Partition:
    upper = np.minimum(own.upper, np.maximum(most[own.instance], own.lower))
    return own.bounded(own.lower, upper, own.source)


def sum_of_costs(counter: Partition, costs: CountCosts) -> NDArray[Any]:
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


def domain(counter: Partition, costs: CountCosts, numbers: NDArray[Any]) -> Domain:
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
        if counter.kind == "label":
            which = counter.key[1]
            for name, bound in (("lower", lower), ("upper", upper)):
                changed[name] = {**changed.get(name, getattr(problem, name)), which: bound}
            none = np.full(len(counter), np.inf)
            changed["default"] = {**changed.get("default", problem.default), which: none}
        else:
            changed["sets"] = tuple(
                own.bounded(lower, upper, own.source) if own.key == counter.key else own
                for own in changed.get("sets", problem.sets)
            )
    return replace(problem, **changed)
