"""What moved masses cost, in the original costs, and how far that can be from the least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.network.counters import counters
from hierpair.pairing.network.inverse_data import Pairing
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Scaled

__all__ = ["moved_masses"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

EXACT = 2**53
"""Sums below this are whole numbers in floats as well."""


def moved_masses(
    problem: PairingProblem,
    picked: Ints,
    each: Ints,
    missing: dict[Side, Ints],
    costs: Scaled,
    infeasible: Ints,
) -> Pairing:
    """Return what these pairs carry, with its cost.

    Costs are of the mass 1, so the sum over units is divided by how many of them make it.
    """
    assert problem.moved is not None
    n, whole = problem.n_instances, problem.moved.whole
    units = np.zeros(len(problem.cost), dtype=np.int64)
    units[picked] = each
    pair_cost, default = problem.shown_costs
    owed = [(problem.pairs.instance[picked], each, pair_cost[picked])]
    for s in SIDES:
        bought = np.flatnonzero(missing[s])
        owner = problem.labels(s).instance[bought]
        owed.append((owner, missing[s][bought], default[s][bought]))
    for counter in counters(problem) if problem.shown_counts else ():
        table = problem.shown_counts.get(counter.key)
        if table is not None:
            owner, paid = _of_counts(problem, counter, picked, each, infeasible)
            owed.append((owner, np.ones(len(owner), dtype=np.int64), paid))
    exact = costs.exact and problem.first_cost is None
    cost = _exact_sum(owed, costs.scale, whole) if exact else _float_sum(owed, n) / whole
    gap = _gap(problem, missing, 0.0 if costs.exact else 1 / costs.scale)
    return Pairing(units > 0, missing, cost, gap, units=units, whole=whole)


def _of_counts(
    problem: PairingProblem, counter: Partition, picked: Ints, each: Ints, infeasible: Ints
) -> tuple[Ints, NDArray[Any]]:
    """Return instances and what the units of each of their sets cost, times those that make 1."""
    table = problem.shown_counts[counter.key]
    units = counter.units(picked, each)
    known = ~np.isin(counter.instance, infeasible)
    return counter.instance[known], table.total()[table.ptr[:-1][known] + units[known]]


def _exact_sum(owed: list[tuple[Ints, Ints, NDArray[Any]]], scale: int, whole: Ints) -> Floats:
    """Return the sums of units times costs by instance, as whole numbers, divided once."""
    parts = [(o, u, _scaled(c, scale)) for o, u, c in owed]
    size = np.zeros(len(whole))
    for owner, units, cost in parts:
        size += np.bincount(owner, np.abs(cost.astype(float)) * units, len(whole))
    large = (size.max(initial=0) >= EXACT) | (whole.astype(float) * scale >= EXACT).any()
    total = np.zeros(len(whole), dtype=object if large else np.int64)
    for owner, units, cost in parts:
        np.add.at(total, owner, units.astype(total.dtype) * cost.astype(total.dtype))
    if not large:
        return total / (whole * scale)
    each = zip(total.tolist(), whole.tolist(), strict=True)
    return np.array([t / (w * scale) for t, w in each], dtype=np.float64)


def _scaled(cost: NDArray[Any], scale: int) -> NDArray[Any]:
    if cost.dtype != object:
        return np.rint(cost.astype(np.float64) * scale).astype(np.int64)
    return np.array([int(x * scale) for x in cost.tolist()], dtype=object)


def _float_sum(owed: list[tuple[Ints, Ints, NDArray[Any]]], n: int) -> Floats:
    total = np.zeros(n)
    for owner, units, cost in owed:
        total += np.bincount(owner, cost.astype(np.float64) * units, n)
    return total


def _gap(problem: PairingProblem, missing: dict[Side, Ints], step: float) -> Floats:
    """Return how far costs can be from the least, for costs rounded by a step, and for masses.

    A mass that is rounded is carried on another way at most as often as there are labels of the
    shorter side, or once where every pair may carry everything; each time it costs no more than
    the largest cost less the least one.
    """
    assert problem.moved is not None
    n, moved = problem.n_instances, problem.moved
    instance = problem.pairs.instance
    gap = np.zeros(n)
    if step:
        mass = np.zeros(n)
        for s in SIDES:
            mass += np.bincount(problem.labels(s).instance, problem.upper[s].astype(float), n)
        for table in problem.counts.values():
            mass += np.diff(table.ptr).sum()
        gap += 2 * step * mass / moved.whole
    if moved.rounding.any():
        own, default = problem.shown_costs
        cost = np.where(problem.candidate, own.astype(np.float64), 0)
        least, largest = np.zeros(n), np.zeros(n)
        free = np.full(n, np.inf)
        np.minimum.at(free, instance[problem.candidate], cost[problem.candidate])
        np.maximum.at(largest, instance, cost)
        alone = np.zeros(n)
        for s in SIDES:
            finite = np.where(default[s].astype(float) == np.inf, 0, default[s]).astype(float)
            most = np.zeros(n)
            np.maximum.at(most, problem.labels(s).instance, finite)
            alone += most
        least = np.where(np.isinf(free) | (alone > 0), np.minimum(free, 0), free)
        least = np.where(np.isinf(least), 0, least)
        ways = np.minimum(*(np.diff(problem.labels(s).ptr) for s in SIDES))
        barred = np.zeros(n, dtype=bool)
        barred[instance[~problem.candidate | moved.limited]] = True
        spread = np.maximum(largest, alone) - least
        gap += moved.rounding * spread * np.where(barred, np.maximum(ways, 1), 1)
    return gap
