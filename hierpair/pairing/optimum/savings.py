"""What one unit more or less of a bound would save: what a constraint costs at the margin.

Of a statement about a set of pairs, n units at a cost p(n), a unit more means that its cheapest
run of numbers is one longer: what it said of n − 1 units beyond that, it says of n. Of a bound that
is the bound raised by one, hard or soft; of a lower bound, a unit less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.constraints.source import Source
from hierpair.pairing.network.inverse_data import Pairing
from hierpair.pairing.optimum.links import Links, in_costs, in_units, links_of
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import NO_ROOM, Distances, cheapest_way, distances

__all__ = ["Saving", "savings", "savings_in"]

BOUNDS: tuple[tuple[bool, Literal["at least", "at most"]], ...] = (
    (True, "at most"),
    (False, "at least"),
)
"""Which way a bound moves that is raised, or lowered, by one unit."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Saving:
    """What one unit of a statement would save, for every set that it is about.

    Attributes
    ----------
    counter
        The sets.
    source
        The constraint, where costs of numbers of pairs say so; None for hard bounds and defaults.
    bound
        ``"at most"`` is raised by one, or ``"at least"`` lowered by one.
    value
        The bound of every set as it stands.
    saved
        What the pairing would cost less; 0 where the bound does not bind, nan where there is no
        pairing, or where the costs fall again, so that a unit more has no meaning.
    """

    counter: Partition
    source: Source | None
    bound: Literal["at least", "at most"]
    value: Ints
    saved: Floats


@dataclass(frozen=True, eq=False)
class _Statement:
    """A statement about the sets of a counter, near the units that they have, in whole numbers.

    ``more`` and ``less`` are what one unit more and less costs by it; ``first`` and ``last`` are
    where its cheapest numbers are; it is ``unsure`` whether they end there.
    """

    source: Source | None
    first: Ints
    last: Ints
    more: Floats
    less: Floats
    convex: NDArray[np.bool_]
    unsure: NDArray[np.bool_]


def savings(problem: PairingProblem, pairing: Pairing) -> list[Saving]:
    """Return what one unit of every bound and table of costs would save, exact for one unit.

    Further units save as much or less. Of lexicographic costs it is the first one's, of hard
    bounds only.

    Raises
    ------
    BadInput
        For a least largest cost (``Bottleneck``), of which a unit may change the sum either way,
        and where labels have masses or pairs capacities.
    SolverLimit
        For an instance with more than some thousand labels.
    """
    if problem.moved is not None:
        raise BadInput(
            "what a unit saves is told of pairs that are chosen once or not at all, and here "
            "labels have masses or pairs capacities"
        )
    if problem.limit is not None:
        raise BadInput("with a Bottleneck a unit may change the sum either way: nothing is saved")
    links = links_of(problem, pairing)
    return list(savings_in(problem, links, distances(links.residual)))


def savings_in(problem: PairingProblem, links: Links, ways: Distances) -> Iterator[Saving]:
    """Yield :func:`savings` where links and their distances are known."""
    r = links.residual
    for k, counter in enumerate(links.every):
        own = np.arange(links.first[k], links.first[k + 1])
        units, none = links.units[own], links.without[counter.instance]
        said = list(_statements(problem, links, counter, units))
        tail, head, owner = r.tail[own], r.head[own], r.owner[own]
        for up, bound in BOUNDS:
            ends = (head, tail) if up else (tail, head)
            step = _as_floats(ways.between(*ends, owner))
            for j, s in enumerate(said):
                if s.source is not None and problem.packing is not None:
                    continue  # what all constraints say together, of all costs
                others = said[:j] + said[j + 1 :]
                around = _around(links, own, step, s, others, up)
                rest = sum((x.more if up else x.less for x in others), np.zeros(len(own)))
                saved = in_costs(links, _saved(s, units, rest + around, up), owner)
                saved[none | ~s.convex | (s.unsure & (not up))] = np.nan
                value = s.last if up else s.first
                yield Saving(counter, s.source, bound, value, saved)


def _saved(s: _Statement, units: Ints, step: Floats, up: bool) -> Floats:
    """Return what is saved where the next unit costs ``step`` without the statement.

    Beyond its cheapest numbers a statement that has moved by one asks for one unit less, or one
    unit more may be taken at what the last one cost.
    """
    beyond, past = (units >= s.last, units > s.last) if up else (units <= s.first, units < s.first)
    paid = np.where(past, -(s.less if up else s.more), 0.0)
    return np.where(beyond, np.maximum(np.maximum(paid, -step), 0.0), 0.0)


def _around(
    links: Links, own: Ints, step: Floats, s: _Statement, others: list[_Statement], up: bool
) -> Floats:
    """Return the distances without the link itself, where that can make a difference.

    A way over the link itself is as cheap only where the other statements are not convex.
    """
    around = step.copy()
    for other in others:
        for at in np.flatnonzero(~other.convex & s.convex).tolist():
            way = cheapest_way(links.residual, int(own[at]), back=not up)[0]
            around[at] = np.inf if way >= NO_ROOM else way
    return around


def _statements(
    problem: PairingProblem, links: Links, counter: Partition, units: Ints
) -> Iterator[_Statement]:
    """Yield the hard bounds with their default costs, then what each constraint says of costs."""
    n, owner = len(counter), counter.instance
    default = np.full(n, np.inf)
    if counter.default is not None:
        default = in_units(links, problem, counter.default, owner)
    lower, upper = counter.lower, counter.upper
    more = np.where(units >= upper, np.inf, np.where(units < lower, -default, 0.0))
    less = np.where(units > lower, 0.0, default)
    yield _Statement(None, lower, upper, more, less, np.ones(n, bool), np.zeros(n, bool))
    table = problem.counts.get(counter.key)
    if table is None:
        return
    ptr, thing, count = table.ptr, table.thing, table.units
    longer = ptr + np.arange(len(ptr))  # one number more of each set
    for k, (source, by_cost) in enumerate(table.parts):
        costs = np.full(int(longer[-1]), np.inf)
        costs[longer[thing] + count] = in_units(links, problem, by_cost[0], owner[thing])
        unsure = np.ones(n, dtype=bool)
        if table.beyond:
            beyond = in_units(links, problem, table.beyond[k], owner)
            unsure = np.isnan(beyond)
            costs[longer[1:] - 1] = np.where(unsure, np.inf, beyond)
        found = _of_table(longer, costs, source, units)
        yield replace(found, unsure=unsure & (units == found.first) & (units == np.diff(ptr) - 1))


def _of_table(ptr: Ints, costs: Floats, source: Source, units: Ints) -> _Statement:
    """Return one part of a table of costs as a statement."""
    n = len(ptr) - 1
    thing = np.repeat(np.arange(n), np.diff(ptr))
    count = np.arange(len(costs)) - ptr[thing]
    least = np.full(n, np.inf)
    np.minimum.at(least, thing, costs)
    lowest = np.flatnonzero(costs == least[thing])
    first, last = np.full(n, np.iinfo(np.int64).max), np.full(n, -1)
    np.minimum.at(first, thing[lowest], count[lowest])
    np.maximum.at(last, thing[lowest], count[lowest])
    size = np.diff(ptr)
    known = units + 1 < size  # where there is no pairing, nothing is
    here = ptr[:-1] + np.where(known, units, 0)
    known &= np.isfinite(costs[here])
    now = np.where(known, costs[here], 0.0)
    more = np.where(known, costs[here + 1] - now, np.inf)
    less = np.where(known & (units > 0), costs[np.maximum(here - 1, 0)] - now, np.inf)
    return _Statement(source, first, last, more, less, _convex(thing, costs, n), np.zeros(n, bool))


def _convex(thing: Ints, costs: Floats, n: int) -> NDArray[np.bool_]:
    """Whether the costs of a set do not rise less and less."""
    convex = np.ones(n, dtype=bool)
    if len(costs) < 3:
        return convex
    with np.errstate(invalid="ignore"):
        bend = costs[2:] - 2 * costs[1:-1] + costs[:-2]
    finite = np.isfinite(costs)
    hole = ~finite[1:-1] & finite[2:] & finite[:-2]
    lost = 1e-9 * np.abs(costs[finite]).max(initial=1.0)  # what floats lose in differences
    fallen = finite[2:] & finite[1:-1] & finite[:-2] & (bend < -lost)
    bad = (thing[2:] == thing[:-2]) & (hole | fallen)
    convex[thing[2:][bad]] = False
    return convex


def _as_floats(units: Ints) -> Floats:
    return np.where(units >= NO_ROOM, np.inf, units.astype(np.float64))
