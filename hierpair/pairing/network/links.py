"""Arcs of a convex table of costs: a base arc, and one more for every run of equal costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.constraints.count_costs import CountCosts
from hierpair.pairing.network.counters import Domain

__all__ = ["Link", "link_of"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Link:
    """The arcs between a set and the one around it, for every set that is counted alike.

    As many units as there are pairs go through them; the cheapest way is what the table says, up
    to ``constant``, because the costs of later units do not fall.

    Attributes
    ----------
    lower, upper
        Bounds of the base arc of every set, which costs nothing: where the table is least.
    constant
        What the table says there.
    more, less
        Arcs for runs of equal costs: units above ``upper`` at a cost each, and units below
        ``lower`` on arcs that go back. Of each: the set, the number of units where its run begins
        (ends), how long it is, and its cost.
    """

    lower: Ints
    upper: Ints
    constant: Ints
    more: tuple[Ints, Ints, Ints, Ints]
    less: tuple[Ints, Ints, Ints, Ints]


def link_of(costs: CountCosts, allowed: Domain, numbers: Ints) -> Link:
    """Return the arcs of tables of whole numbers, of which those in the domain are read.

    A set without any allowed number of units gets a base arc that nothing can fill.
    """
    thing, units = costs.thing, costs.units
    first, last = allowed.first, allowed.last
    empty = first > last
    inside = (units >= first[thing]) & (units < last[thing])
    at = np.flatnonzero(inside)  # a slope: from here to one unit more
    slope = _not_falling(thing[at], numbers[at + 1] - numbers[at])
    n = len(first)
    falling = np.bincount(thing[at[slope < 0]], minlength=n)
    level = np.bincount(thing[at[slope == 0]], minlength=n)
    low = np.where(empty, np.diff(costs.ptr), first + falling)
    constant = np.where(empty, 0, numbers[np.where(empty, costs.ptr[:-1], costs.ptr[:-1] + low)])
    starts = np.ones(len(at), dtype=bool)
    starts[1:] = (thing[at[1:]] != thing[at[:-1]]) | (slope[1:] != slope[:-1])
    run = np.flatnonzero(starts)
    length = np.diff(np.append(run, len(at)))
    whose, begins, cost = thing[at[run]], units[at[run]], slope[run]
    up, down = cost > 0, cost < 0
    return Link(
        low,
        low + np.where(empty, 0, level),
        constant,
        (whose[up], begins[up], length[up], cost[up]),
        (whose[down], (begins + length)[down], length[down], -cost[down]),
    )


def _not_falling(thing: Ints, slope: Ints) -> Ints:
    """Return slopes that do not fall; they can by a unit where costs were rounded."""
    fallen = np.flatnonzero((slope[1:] < slope[:-1]) & (thing[1:] == thing[:-1]))
    for whose in np.unique(thing[fallen]).tolist():
        lo, hi = np.searchsorted(thing, [whose, whose + 1])
        slope[lo:hi] = np.maximum.accumulate(slope[lo:hi])
    return slope
