"""From flow to pairing, and from an infeasible network to the demand that cannot be met."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import Infeasible
from hierpair.hierarchy.arrays import row_sums, sorted_unique
from hierpair.network.full import build_full
from hierpair.network.parcel import BOUND, DEFAULT, GROUP, PAIR, SIDES, Meaning, Pairing
from hierpair.pairing import PairingProblem, Side
from hierpair.solvers import Flow, FlowNetwork, Scaled, shortage

__all__ = ["read"]


def read(network: FlowNetwork, flow: Flow, meaning: Meaning, problem: PairingProblem) -> Pairing:
    """Translate a flow back into pairs and defaults.

    Raises
    ------
    Infeasible
        Names the first instance without a feasible pairing, and the label, group or total
        that cannot get what it demands.
    """
    if len(flow.infeasible):
        raise _explain_infeasible(int(flow.infeasible[0]), problem)
    picked = meaning.subject[(meaning.kind == PAIR) & (flow.flow > 0)]
    missing: dict[Side, NDArray[np.int64]] = {}
    fallback_pairs: list[NDArray[np.int64]] = []
    for number, side in enumerate(SIDES):
        bought = np.zeros(len(problem.at_least[side]), dtype=np.int64)
        if meaning.fallback_pair is None:
            of_default = (meaning.kind == DEFAULT) & (meaning.side == number)
            bought[meaning.subject[of_default]] = flow.flow[of_default]
        else:
            at = problem.pairs.predicted_at if side == "predicted" else problem.pairs.true_at
            back = meaning.fallback_pair[side]
            alone = np.ones(len(back), dtype=bool)
            alone[at[picked]] = False
            bought[alone & (back < 0)] = 1
            fallback_pairs.append(back[alone & (back >= 0)])
        missing[side] = bought
    if fallback_pairs:
        picked = sorted_unique(np.concatenate([picked, *fallback_pairs]))
    return _priced(problem, picked, missing, meaning.prices)


def _priced(
    problem: PairingProblem,
    picked: NDArray[np.int64],
    missing: dict[Side, NDArray[np.int64]],
    prices: Scaled,
) -> Pairing:
    """Sum the original prices of the picked pairs and the missing partners."""
    n = problem.n_instances
    chosen = np.zeros(len(problem.price), dtype=bool)
    chosen[picked] = True
    instance = problem.pairs.instance[picked]
    pair_price, default = problem.first_turn or (problem.price, problem.default)
    if prices.exact and problem.first_turn is None:
        total = np.zeros(n, dtype=np.int64)
        np.add.at(total, instance, _to_exact(problem.price[picked], prices.scale))
        for number, s in enumerate(SIDES):
            total += row_sums(missing[s] * prices.values[1 + number], problem.labels(s).ptr)
        return Pairing(chosen, missing, total / prices.scale, np.zeros(n))
    cost = np.zeros(n)
    cost += np.bincount(instance, pair_price[picked].astype(np.float64), minlength=n)
    units = np.diff(problem.pairs.ptr).astype(np.float64)
    for s in SIDES:
        finite = np.where(default[s] == np.inf, 0.0, default[s])
        cost += np.bincount(
            problem.labels(s).instance, missing[s] * finite.astype(np.float64), minlength=n
        )
        units += np.bincount(problem.labels(s).instance, problem.at_least[s], minlength=n)
    gap = np.zeros(n) if prices.exact else units / prices.scale
    return Pairing(chosen, missing, cost, gap)


def _to_exact(prices: NDArray[Any], scale: int) -> NDArray[np.int64]:
    """Return prices times the scale that fits them exactly."""
    if prices.dtype == object:
        return np.array([int(x * scale) for x in prices.tolist()], dtype=np.int64)
    return np.rint(prices.astype(np.float64) * scale).astype(np.int64)


def _explain_infeasible(component: int, problem: PairingProblem) -> Infeasible:
    """Name the demands that cannot be met even when all give way as little as possible."""
    network, meaning = build_full(problem, settle=False)  # with every bound where it was said
    lacking = shortage(network, component)
    first = int(network.arc_ptr[component])
    names = problem.pairs.hierarchy.names
    reasons = []
    for i in np.flatnonzero(lacking):
        arc = first + int(i)
        subject, side = int(meaning.subject[arc]), SIDES[meaning.side[arc]]
        wanted, gets = int(network.lower[arc]), int(network.lower[arc] - lacking[i])
        if meaning.kind[arc] == BOUND:
            name = names[problem.labels(side).classes[subject]]
            reasons.append(
                f"the {side} class {name!r} must have at least {wanted} "
                f"partner{'s' * (wanted != 1)} and can get only {gets}"
            )
        elif meaning.kind[arc] == PAIR:
            p = names[problem.pairs.predicted[subject]]
            t = names[problem.pairs.true[subject]]
            reasons.append(f"the required pair ({p!r}, {t!r}) breaks another bound")
        elif meaning.kind[arc] == GROUP:
            reasons.append(f"a {side} group must have {wanted} pairs and can get only {gets}")
        else:
            reasons.append(f"at least {wanted} pairs are demanded in all, but only {gets} fit")
    sizes = [
        int(problem.labels(s).ptr[component + 1] - problem.labels(s).ptr[component]) for s in SIDES
    ]
    reasons.append(f"it has {sizes[0]} predicted and {sizes[1]} true classes")
    return Infeasible("; ".join(reasons), component)
