"""The full network of every instance: all labels, groups, bounds and costs of numbers of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.network.counters import (
    Domain,
    counters,
    domain,
    sum_of_costs,
)
from hierpair.pairing.network.inverse_data import (
    BOUND,
    DEFAULT,
    GROUP,
    LESS,
    MORE,
    PAIR,
    QUOTA,
    TOTAL,
    Arcs,
    InverseData,
)
from hierpair.pairing.network.joining import joined
from hierpair.pairing.network.links import link_of
from hierpair.pairing.network.nesting import Nested, nested
from hierpair.pairing.pairs import SIDES
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork

__all__ = ["KINDS", "build_full"]

KINDS = {"label": BOUND, "group": GROUP, "partners": GROUP, "instance": TOTAL, "quota": QUOTA}
"""What the base arc of a counter says, by what is counted."""

Ints = NDArray[np.int64]
Numbers = dict[str, Ints | int]


@dataclass(frozen=True, eq=False)
class _Table:
    """What numbers of units cost the sets of a counter, and which are allowed."""

    allowed: Domain
    numbers: NDArray[Any]
    finite: NDArray[np.bool_]


def build_full(problem: PairingProblem, *, hold: bool = True) -> tuple[FlowNetwork, InverseData]:
    """Write the full network; see the package for its shape.

    With ``hold`` a label that needs all of its pairs gets them as lower bounds.
    """
    pairs, n = problem.pairs, problem.n_components
    kept = np.flatnonzero(problem.candidate)
    every = counters(problem)
    if problem.joined:
        every = joined(problem, every)
    tables = {k: _table(problem, c) for k, c in enumerate(every) if c.key in problem.counts}
    costs = problem.whole(
        [
            problem.cost[kept],
            *(np.where(problem.default[s] == np.inf, 0, problem.default[s]) for s in SIDES),
            *(np.where(t.finite, t.numbers, 0) for t in tables.values()),
        ]
    )
    whole = dict(zip(tables, costs.values[3:], strict=True))
    place = nested(problem, every)
    arcs, constant = Arcs(problem.packing), np.zeros((_n_costs(problem), n), dtype=np.int64)
    for k, counter in enumerate(every):
        if k in tables:
            constant += _add_table(arcs, place, problem, k, counter, tables[k], whole[k])
            continue
        tail, head = place.ends[k]
        own = np.arange(len(counter))
        bounds: Numbers = {"lower": counter.lower, "upper": counter.upper, "counter": k}
        side = 0 if counter.side is None else SIDES.index(counter.side)
        arcs.add(tail, head, counter.instance, KINDS[counter.kind], side, own, **bounds)
        if counter.default is not None:
            open_ = np.flatnonzero(counter.default != np.inf)
            arcs.add(
                head[open_], tail[open_], counter.instance[open_], DEFAULT, side, open_,
                upper=counter.lower[open_], cost=costs.values[1 + side][open_], counter=k,
            )  # fmt: skip
    most, least = _carried(problem, kept)
    if hold:
        least = np.where(_needed(problem, kept, most), most, least)
    held: Numbers = {"lower": least, "upper": most, "cost": costs.values[0]}
    tail, head = (place.innermost[s][kept] for s in SIDES)
    owner = problem.component(pairs.instance[kept])
    arcs.add(tail, head, owner, PAIR, 0, kept, **held)
    supply = np.zeros(place.node_ptr[-1], dtype=np.int64)
    return arcs.network(place.node_ptr, supply, costs, constant=constant if tables else None)


def _table(problem: PairingProblem, counter: Partition) -> _Table:
    costs = problem.counts[counter.key]
    numbers = sum_of_costs(counter, costs)
    return _Table(domain(counter, costs, numbers), numbers, numbers.astype(float) != np.inf)


def _add_table(
    arcs: Arcs,
    place: Nested,
    problem: PairingProblem,
    k: int,
    counter: Partition,
    table: _Table,
    numbers: Ints,
) -> Ints:
    """Add the arcs of a table; return what it costs every instance at least, in every cost."""
    link = link_of(problem.counts[counter.key], table.allowed, numbers)
    tail, head = place.ends[k]
    side = 0 if counter.side is None else SIDES.index(counter.side)
    bounds: Numbers = {"lower": link.lower, "upper": link.upper, "counter": k}
    own = np.arange(len(counter))
    arcs.add(tail, head, counter.instance, KINDS[counter.kind], side, own, **bounds)
    for kind, (whose, start, length, cost), (a, b) in (
        (MORE, link.more, (tail, head)),
        (LESS, link.less, (head, tail)),
    ):
        step: Numbers = {"upper": length, "cost": cost, "counter": k, "start": start}
        arcs.add(a[whose], b[whose], counter.instance[whose], kind, side, whose, **step)
    least = np.zeros((_n_costs(problem), problem.n_components), dtype=np.int64)
    constants = (
        [link.constant] if problem.packing is None else problem.packing.digits(link.constant)
    )
    for total, constant in zip(least, constants, strict=True):
        np.add.at(total, counter.instance, constant)
    return least


def _n_costs(problem: PairingProblem) -> int:
    return 1 if problem.packing is None else len(problem.packing.bits)


def _carried(problem: PairingProblem, kept: Ints) -> tuple[Ints | int, Ints]:
    """Return how many units pairs carry at most and at least."""
    forced = problem.required[kept].astype(np.int64)
    if problem.moved is None:
        return 1, forced
    most = problem.moved.capacity[kept]
    return most, np.minimum(forced * problem.moved.whole[problem.pairs.instance[kept]], most)


def _needed(problem: PairingProblem, kept: Ints, most: Ints | int) -> NDArray[np.bool_]:
    """Whether a pair belongs to a label without default that needs all of its pairs."""
    needed = np.zeros(len(kept), dtype=bool)
    for s in SIDES:
        at = problem.pairs.at(s)[kept]
        degree = np.bincount(at, minlength=len(problem.default[s]))
        if problem.moved is not None:
            degree = np.zeros(len(degree), dtype=np.int64)
            np.add.at(degree, at, most)
        every = (problem.lower[s] == degree) & (problem.default[s] == np.inf)
        needed |= every[at]
    return needed
