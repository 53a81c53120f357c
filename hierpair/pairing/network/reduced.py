"""The reduced network: only pairs and labels that an optimum can still decide about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy.arrays import offsets, row_sums
from hierpair.pairing.network.inverse_data import DEFAULT, PAIR, Arcs, InverseData
from hierpair.pairing.pairs import SIDES, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork

__all__ = ["build_reduced", "is_plain"]


def is_plain(problem: PairingProblem) -> bool:
    """Whether all labels need one partner and may have just one, or all may have any number.

    The reductions are proved for these; any other problem is solved in full.
    """
    if problem.sets or problem.counts or problem.moved is not None or problem.required.any():
        return False
    if len(problem.cost) and not (problem.cost[problem.candidate] >= 0).all():
        return False
    if not all((problem.lower[s] == 1).all() for s in SIDES):
        return False
    return _all_single(problem) or _all_open(problem)


def _all_single(problem: PairingProblem) -> bool:
    return all((problem.upper[s] == 1).all() for s in SIDES)


def _all_open(problem: PairingProblem) -> bool:
    count = {s: np.diff(problem.labels(s).ptr) for s in SIDES}
    others = {"predicted": count["true"], "true": count["predicted"]}
    return all((problem.upper[s] >= others[s][problem.labels(s).instance]).all() for s in SIDES)


def build_reduced(problem: PairingProblem) -> tuple[FlowNetwork, InverseData]:
    """Write the reduced network; see the package for the reductions."""
    at = {s: problem.pairs.at(s) for s in SIDES}
    fallback: dict[Side, NDArray[Any]] = dict(problem.default)
    fallback_pair: dict[Side, NDArray[np.int64]] = {
        s: np.full(len(fallback[s]), -1, dtype=np.int64) for s in SIDES
    }
    if not _all_single(problem):
        for s in SIDES:
            fallback[s], fallback_pair[s] = _cheapest(problem, s)
    limit = fallback["predicted"][at["predicted"]] + fallback["true"][at["true"]]
    kept = np.flatnonzero(problem.candidate & (problem.cost < limit))
    ends = {s: at[s][kept] for s in SIDES}
    degree = {s: np.bincount(ends[s], minlength=len(fallback[s])) for s in SIDES}
    hopeless = [
        problem.labels(s).instance[(degree[s] == 0) & (fallback[s] == np.inf)] for s in SIDES
    ]
    finite = [np.where(fallback[s] == np.inf, 0, fallback[s]) for s in SIDES]
    costs = problem.whole([problem.cost[kept], *finite])
    pair_cost, unpaired = costs.values[0], dict(zip(SIDES, costs.values[1:], strict=True))

    # A true class with one candidate and a finite fallback needs no node: its two arcs follow
    # each other, so the pair goes straight to the hub and saves the fallback.
    tied = (degree["true"] == 1) & (fallback["true"] != np.inf)
    has_node: dict[Side, NDArray[np.bool_]] = {
        "predicted": degree["predicted"] > 0,
        "true": (degree["true"] > 0) & ~tied,
    }
    node_ptr, node, supply = _nodes(problem, has_node)
    arcs = Arcs(problem.packing)
    owner = problem.pairs.instance[kept]
    through = tied[ends["true"]]
    arcs.add(
        node["predicted"][ends["predicted"]],
        np.where(through, node_ptr[owner], node["true"][ends["true"]]),
        owner,
        PAIR,
        0,
        kept,
        cost=pair_cost - np.where(through, unpaired["true"][ends["true"]], 0),
    )
    for number, s in enumerate(SIDES):
        label = np.flatnonzero(has_node[s] & (fallback[s] != np.inf))
        owner = problem.labels(s).instance[label]
        way = (node[s][label], node_ptr[owner])
        tail, head = way if s == "predicted" else way[::-1]
        arcs.add(tail, head, owner, DEFAULT, number, label, cost=unpaired[s][label])
    network, inverse = arcs.network(node_ptr, supply, costs, fallback_pair)
    return network, replace(inverse, hopeless=np.concatenate(hopeless))


def _nodes(
    problem: PairingProblem, has_node: dict[Side, NDArray[np.bool_]]
) -> tuple[NDArray[np.int64], dict[Side, NDArray[np.int64]], NDArray[np.int64]]:
    """Number the nodes of an instance: the hub, its predicted labels, its true labels.

    Returns the first node of every instance, the node of every label, and the supplies.
    """
    count = {s: row_sums(has_node[s], problem.labels(s).ptr) for s in SIDES}
    has_hub = count["predicted"] > 0
    node_ptr = offsets(has_hub + count["predicted"] + count["true"])
    first = {"predicted": node_ptr[:-1] + has_hub}
    first["true"] = first["predicted"] + count["predicted"]
    node: dict[Side, NDArray[np.int64]] = {}
    for s in SIDES:
        shift = first[s] - offsets(count[s])[:-1]
        node[s] = np.cumsum(has_node[s]) - 1 + shift[problem.labels(s).instance]
    supply = np.zeros(node_ptr[-1], dtype=np.int64)
    supply[node["predicted"][has_node["predicted"]]] = 1
    supply[node["true"][has_node["true"]]] = -1
    supply[node_ptr[:-1][has_hub]] = (count["true"] - count["predicted"])[has_hub]
    return node_ptr, node, supply


def _cheapest(problem: PairingProblem, side: Side) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return every label's fallback cost and, where that is a pair, the pair."""
    at = problem.pairs.at(side)
    cost = np.where(problem.candidate, problem.cost, np.inf)
    nearest = np.full(len(problem.default[side]), np.inf, dtype=cost.dtype)
    np.minimum.at(nearest, at, cost)
    pair = np.full(len(nearest), -1, dtype=np.int64)
    hits = np.flatnonzero((cost == nearest[at]) & problem.candidate)
    pair[at[hits]] = hits
    pair[problem.default[side] < nearest] = -1
    return np.minimum(problem.default[side], nearest), pair
