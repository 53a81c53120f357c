"""From flow to pairing, where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import Infeasible
from hierpair.hierarchy.arrays import row_sums, sorted_unique
from hierpair.pairing.network.counters import counters
from hierpair.pairing.network.infeasibility import why_infeasible, why_none
from hierpair.pairing.network.inverse_data import DEFAULT, PAIR, InverseData, Pairing
from hierpair.pairing.network.mass_costs import moved_masses
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Flow, FlowNetwork, Scaled

__all__ = ["read", "without_pairing"]


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
    picked = inverse.subject[used]
    each = None if problem.moved is None else flow.flow[used]
    missing: dict[Side, NDArray[np.int64]] = {}
    fallback_pairs: list[NDArray[np.int64]] = []
    for number, side in enumerate(SIDES):
        missed = np.zeros(len(problem.lower[side]), dtype=np.int64)
        if inverse.fallback_pair is None:
            of_default = (inverse.kind == DEFAULT) & (inverse.side == number)
            missed[inverse.subject[of_default]] = flow.flow[of_default]
            if ("label", side) in problem.counts:  # bought on the arcs of a table
                n_partners = np.bincount(problem.pairs.at(side)[picked], minlength=len(missed))
                if each is not None:
                    n_partners = np.zeros(len(missed), dtype=np.int64)
                    np.add.at(n_partners, problem.pairs.at(side)[picked], each)
                missed = np.maximum(problem.lower[side] - n_partners, 0)
        else:
            at = problem.pairs.at(side)
            back = inverse.fallback_pair[side]
            alone = np.ones(len(back), dtype=bool)
            alone[at[picked]] = False
            missed[alone & (back < 0)] = 1
            fallback_pairs.append(back[alone & (back >= 0)])
        missing[side] = missed
    if fallback_pairs:
        taken = np.concatenate(fallback_pairs)
        picked = sorted_unique(np.concatenate([picked, taken]))
        for side in SIDES:  # one that costs nothing is not missing where a fallback came to it
            missing[side][problem.pairs.at(side)[taken]] = 0
    if each is None:
        pairing = _with_cost(problem, picked, missing, inverse.costs, infeasible)
    else:
        pairing = moved_masses(problem, picked, each, missing, inverse.costs, infeasible)
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


def _with_cost(
    problem: PairingProblem,
    picked: NDArray[np.int64],
    missing: dict[Side, NDArray[np.int64]],
    costs: Scaled,
    infeasible: NDArray[np.int64],
) -> Pairing:
    """Sum the original costs of the picked pairs and the missing partners."""
    n = problem.n_components
    chosen = np.zeros(len(problem.cost), dtype=bool)
    chosen[picked] = True
    instance = problem.component(problem.pairs.instance[picked])
    pair_cost, default = problem.shown_costs
    if costs.exact and problem.first_cost is None:
        total = np.zeros(n, dtype=np.int64)
        np.add.at(total, instance, _to_exact(problem.cost[picked], costs.scale))
        for number, s in enumerate(SIDES):
            bought = row_sums(missing[s] * costs.values[1 + number], problem.labels(s).ptr)
            total += bought.sum() if problem.joined else bought
        for owner, paid in _of_counts(problem, picked, infeasible):
            np.add.at(total, owner, _to_exact(paid, costs.scale))
        return Pairing(chosen, missing, total / costs.scale, np.zeros(n))
    cost = np.zeros(n)
    cost += np.bincount(instance, pair_cost[picked].astype(np.float64), minlength=n)
    every = np.diff(problem.pairs.ptr).astype(np.float64)
    units = np.full(n, every.sum()) if problem.joined else every
    for s in SIDES:
        owner = problem.component(problem.labels(s).instance)
        finite = np.where(default[s] == np.inf, 0.0, default[s])
        cost += np.bincount(owner, missing[s] * finite.astype(np.float64), minlength=n)
        units += np.bincount(owner, problem.lower[s], minlength=n)
    for owner, paid in _of_counts(problem, picked, infeasible):
        cost += np.bincount(owner, paid.astype(np.float64), minlength=n)
    for counter in counters(problem) if problem.counts and not costs.exact else ():
        if (table := problem.counts.get(counter.key)) is not None:  # a unit more or less of each
            owner = problem.component(counter.instance)
            units += 2 * np.bincount(owner, np.diff(table.ptr), minlength=n)
    gap = np.zeros(n) if costs.exact else units / costs.scale
    return Pairing(chosen, missing, cost, gap)


def _of_counts(
    problem: PairingProblem, picked: NDArray[np.int64], infeasible: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
    """Yield instances that have a pairing (one for all joined), and what numbers of pairs cost."""
    for counter in counters(problem):
        table = problem.shown_counts.get(counter.key)
        if table is None:
            continue
        units = counter.units(picked)
        known = ~np.isin(counter.instance, infeasible)
        yield (
            problem.component(counter.instance[known]),
            table.total()[table.ptr[:-1][known] + units[known]],
        )


def _to_exact(costs: NDArray[Any], scale: int) -> NDArray[np.int64]:
    """Return costs times the scale that fits them exactly."""
    if costs.dtype == object:
        return np.array([int(x * scale) for x in costs.tolist()], dtype=np.int64)
    return np.rint(costs.astype(np.float64) * scale).astype(np.int64)
