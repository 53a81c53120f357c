"""From flow to pairing, where there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import Infeasible
from hierpair.hierarchy.arrays import sorted_unique
from hierpair.pairing.constraints.moved import Moved
from hierpair.pairing.network.counters import counters
from hierpair.pairing.network.infeasibility import why_infeasible, why_none
from hierpair.pairing.network.inverse_data import DEFAULT, PAIR, InverseData, Pairing
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Flow, FlowNetwork, Scaled

__all__ = ["read", "without_pairing"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

EXACT = 2**53
"""Sums below this are whole numbers in floats as well."""


def read(
    network: FlowNetwork,
    flow: Flow,
    inverse: InverseData,
    problem: PairingProblem,
    *,
    on_infeasible: Literal["raise", "nan"] = "raise",
) -> Pairing:
    """Translate a flow back into pairs and defaults.

    Raises
    ------
    Infeasible
        Names the first instance without a feasible pairing, and constraints that cannot hold
        together there; with ``on_infeasible="nan"`` its cost is nan and nothing is raised.
    """
    infeasible = without_pairing(flow, inverse, problem)
    if len(infeasible) and on_infeasible == "raise":
        if problem.joined:
            raise Infeasible(*why_none(problem))
        instance = int(infeasible[0])
        raise Infeasible(why_infeasible(problem, instance).text, instance)
    used = (inverse.kind == PAIR) & (flow.flow > 0)
    picked, each = inverse.subject[used], flow.flow[used]
    missing: dict[Side, Ints] = {}
    taken = np.empty(0, dtype=np.int64)
    for number, (side, lower) in enumerate(problem.lower.items()):
        at, missed = problem.pairs.at(side), np.zeros(len(lower), dtype=np.int64)
        if inverse.fallback_pair is not None:
            back = inverse.fallback_pair[side]
            alone = np.ones(len(back), dtype=bool)
            alone[at[picked]] = False
            missed[alone & (back < 0)] = 1
            taken = np.concatenate([taken, back[alone & (back >= 0)]])
        elif ("label", side) in problem.counts:  # bought on the arcs of a table
            np.add.at(missed, at[picked], each)
            missed = np.maximum(lower - missed, 0)
        else:
            of_default = (inverse.kind == DEFAULT) & (inverse.side == number)
            missed[inverse.subject[of_default]] = flow.flow[of_default]
        missing[side] = missed
    if len(taken):
        picked = sorted_unique(np.concatenate([picked, taken]))
        each = np.ones(len(picked), dtype=np.int64)
        for side in SIDES:  # one that costs nothing is not missing where a fallback came to it
            missing[side][problem.pairs.at(side)[taken]] = 0
    units = np.zeros(len(problem.cost), dtype=np.int64)
    units[picked] = each
    pairing = Pairing(
        units > 0, missing, *_paid(problem, picked, each, missing, inverse.costs, infeasible)
    )
    if problem.moved is not None:
        pairing = replace(pairing, units=units, whole=problem.moved.whole)
    return _without(infeasible, pairing, problem) if len(infeasible) else pairing


def without_pairing(flow: Flow, inverse: InverseData, problem: PairingProblem) -> NDArray[np.int64]:
    """Return the instances that have no pairing, ascending."""
    impossible = problem.pairs.instance[problem.required & ~problem.candidate]
    stuck = [flow.infeasible, inverse.hopeless, impossible]
    stuck += [np.flatnonzero(remark.instances) for remark in problem.impossible]
    found = sorted_unique(np.concatenate(stuck).astype(np.int64))
    return np.arange(problem.n_instances) if problem.joined and len(found) else found


def _without(infeasible: NDArray[np.int64], pairing: Pairing, problem: PairingProblem) -> Pairing:
    """Return the pairing with nothing chosen, at no known cost, where there can be none."""
    none = np.zeros(problem.n_instances, dtype=bool)
    none[infeasible] = True
    lacking = none[: problem.n_components]  # where instances are joined it is all of them
    return Pairing(
        pairing.chosen & ~none[problem.pairs.instance],
        {s: np.where(none[problem.labels(s).instance], 0, pairing.missing[s]) for s in SIDES},
        np.where(lacking, np.nan, pairing.cost),
        np.where(lacking, 0.0, pairing.gap),
        infeasible,
        None if pairing.units is None else np.where(none[problem.pairs.instance], 0, pairing.units),
        pairing.whole,
    )


def _paid(
    problem: PairingProblem, picked: Ints, each: Ints, missing: dict[Side, Ints], costs: Scaled,
    infeasible: Ints,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return what these units of pairs cost, in the original costs, and how far off that can be.

    Costs are of the mass 1, so the sum over units is divided by how many of them make it.
    """
    n, of = problem.n_components, problem.component
    whole = np.ones(n, dtype=np.int64) if problem.moved is None else problem.moved.whole
    pair_cost, default = problem.shown_costs
    owed = [(of(problem.pairs.instance[picked]), each, pair_cost[picked])]
    for s in SIDES:
        hard = default[s].astype(np.float64) == np.inf  # only lacking where there is no pairing
        bought = np.flatnonzero((missing[s] > 0) & ~hard)
        owner = of(problem.labels(s).instance[bought])
        owed.append((owner, missing[s][bought], default[s][bought]))
    for counter in counters(problem) if problem.shown_counts else ():
        table = problem.shown_counts.get(counter.key)
        if table is not None:
            number = table.ptr[:-1] + counter.units(picked, each)
            known = ~np.isin(counter.instance, infeasible)
            one = np.ones(int(known.sum()), dtype=np.int64)
            owed.append((of(counter.instance[known]), one, table.total()[number[known]]))
    if costs.exact and problem.first_cost is None:
        return _exact_sum(owed, costs.scale, whole), _gap(problem, missing, None)
    cost = np.zeros(n)
    for owner, units, paid in owed:
        cost += np.bincount(owner, paid.astype(np.float64) * units, n)
    return cost / whole, _gap(problem, missing, None if costs.exact else costs.scale)


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
    """Return costs times the scale that fits them exactly."""
    if cost.dtype != object:
        return np.rint(cost.astype(np.float64) * scale).astype(np.int64)
    return np.array([int(x * scale) for x in cost.tolist()], dtype=object)


def _gap(problem: PairingProblem, missing: dict[Side, Ints], scale: int | None) -> Floats:
    """Return how far costs can be from the least, for costs that were rounded, and for masses.

    Every unit costs at most 1 / scale more than in the solver (None: as much). A mass that is
    rounded is carried on another way at most as often as there are labels of the shorter side, or
    once where every pair may carry everything; each time it costs no more than the largest cost
    less the least one.
    """
    n, moved, of = problem.n_components, problem.moved, problem.component
    gap = np.zeros(n)
    if scale is not None and moved is None:
        units = np.bincount(of(problem.pairs.instance), minlength=n).astype(np.float64)
        for s in SIDES:
            units += np.bincount(of(problem.labels(s).instance), problem.lower[s], n)
        for counter in counters(problem) if problem.counts else ():
            if (
                table := problem.counts.get(counter.key)
            ) is not None:  # a unit more or less of each
                units += 2 * np.bincount(of(counter.instance), np.diff(table.ptr), n)
        gap += units / scale
    elif scale is not None and moved is not None:
        mass = np.zeros(n)
        for s in SIDES:
            mass += np.bincount(problem.labels(s).instance, problem.upper[s].astype(float), n)
        for table in problem.counts.values():
            mass += np.diff(table.ptr).sum()
        gap += 2 * mass / scale / moved.whole
    if moved is not None and moved.rounding.any():
        gap += moved.rounding * _spread(problem, moved)
    return gap


def _spread(problem: PairingProblem, moved: Moved) -> Floats:
    """Return how much dearer than the cheapest a rounded mass can be carried in an instance."""
    n, instance = problem.n_instances, problem.pairs.instance
    own, default = problem.shown_costs
    cost = np.where(problem.candidate, own.astype(np.float64), 0)
    largest, free = np.zeros(n), np.full(n, np.inf)
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
    spread: Floats = np.maximum(largest, alone) - least
    return spread * np.where(barred, np.maximum(ways, 1), 1)
