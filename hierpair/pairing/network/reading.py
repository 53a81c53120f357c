"""From flow to pairing, where there is one."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import Infeasible
from hierpair.hierarchy.arrays import row_sums, sorted_unique
from hierpair.pairing.network.infeasibility import why_infeasible
from hierpair.pairing.network.inverse_data import DEFAULT, PAIR, InverseData, Pairing
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
        instance = int(infeasible[0])
        raise Infeasible(why_infeasible(problem, instance).text, instance)
    picked = inverse.subject[(inverse.kind == PAIR) & (flow.flow > 0)]
    missing: dict[Side, NDArray[np.int64]] = {}
    fallback_pairs: list[NDArray[np.int64]] = []
    for number, side in enumerate(SIDES):
        missed = np.zeros(len(problem.lower[side]), dtype=np.int64)
        if inverse.fallback_pair is None:
            of_default = (inverse.kind == DEFAULT) & (inverse.side == number)
            missed[inverse.subject[of_default]] = flow.flow[of_default]
        else:
            at = problem.pairs.at(side)
            back = inverse.fallback_pair[side]
            alone = np.ones(len(back), dtype=bool)
            alone[at[picked]] = False
            missed[alone & (back < 0)] = 1
            fallback_pairs.append(back[alone & (back >= 0)])
        missing[side] = missed
    if fallback_pairs:
        picked = sorted_unique(np.concatenate([picked, *fallback_pairs]))
    pairing = _with_cost(problem, picked, missing, inverse.costs)
    return _without(infeasible, pairing, problem) if len(infeasible) else pairing


def without_pairing(flow: Flow, inverse: InverseData, problem: PairingProblem) -> NDArray[np.int64]:
    """Return the instances that have no pairing, ascending."""
    stuck = [flow.infeasible, inverse.hopeless]
    if problem.kinds is None or "require" in problem.kinds:
        stuck.append(problem.pairs.instance[problem.required & ~problem.candidate])
    stuck += [np.flatnonzero(remark.instances) for remark in problem.impossible]
    return sorted_unique(np.concatenate(stuck).astype(np.int64))


def _without(infeasible: NDArray[np.int64], pairing: Pairing, problem: PairingProblem) -> Pairing:
    """Return the pairing with nothing chosen, at no known cost, where there can be none."""
    none = np.zeros(problem.n_instances, dtype=bool)
    none[infeasible] = True
    return Pairing(
        pairing.chosen & ~none[problem.pairs.instance],
        {s: np.where(none[problem.labels(s).instance], 0, pairing.missing[s]) for s in SIDES},
        np.where(none, np.nan, pairing.cost),
        np.where(none, 0.0, pairing.gap),
        infeasible,
    )


def _with_cost(
    problem: PairingProblem,
    picked: NDArray[np.int64],
    missing: dict[Side, NDArray[np.int64]],
    costs: Scaled,
) -> Pairing:
    """Sum the original costs of the picked pairs and the missing partners."""
    n = problem.n_instances
    chosen = np.zeros(len(problem.cost), dtype=bool)
    chosen[picked] = True
    instance = problem.pairs.instance[picked]
    pair_cost, default = problem.shown_costs
    if costs.exact and problem.first_cost is None:
        total = np.zeros(n, dtype=np.int64)
        np.add.at(total, instance, _to_exact(problem.cost[picked], costs.scale))
        for number, s in enumerate(SIDES):
            total += row_sums(missing[s] * costs.values[1 + number], problem.labels(s).ptr)
        return Pairing(chosen, missing, total / costs.scale, np.zeros(n))
    cost = np.zeros(n)
    cost += np.bincount(instance, pair_cost[picked].astype(np.float64), minlength=n)
    units = np.diff(problem.pairs.ptr).astype(np.float64)
    for s in SIDES:
        finite = np.where(default[s] == np.inf, 0.0, default[s])
        cost += np.bincount(
            problem.labels(s).instance, missing[s] * finite.astype(np.float64), minlength=n
        )
        units += np.bincount(problem.labels(s).instance, problem.lower[s], minlength=n)
    gap = np.zeros(n) if costs.exact else units / costs.scale
    return Pairing(chosen, missing, cost, gap)


def _to_exact(costs: NDArray[Any], scale: int) -> NDArray[np.int64]:
    """Return costs times the scale that fits them exactly."""
    if costs.dtype == object:
        return np.array([int(x * scale) for x in costs.tolist()], dtype=np.int64)
    return np.rint(costs.astype(np.float64) * scale).astype(np.int64)
