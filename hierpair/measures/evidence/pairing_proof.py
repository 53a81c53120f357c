"""The proof, without the solver, that the pairing of one instance is an optimal one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing import (
    BOUND,
    PAIR,
    SIDES,
    TOTAL,
    InverseData,
    Pairing,
    PairingProblem,
    Side,
    build,
    read,
)
from hierpair.pairing.network.inverse_data import DEFAULT, GROUP
from hierpair.solvers import Flow, FlowNetwork, check, solve

__all__ = ["Proof", "in_one_number", "proof_of"]


@dataclass(frozen=True, eq=False)
class Proof:
    """What dual prices prove of a pairing.

    Attributes
    ----------
    network, inverse
        The full network, and what its arcs say.
    dual
        By side, the dual price of every label.
    slack
        Of every pair, its cost less the dual prices of both labels; nan if it is not allowed.
    bound
        What every pairing costs at least.
    optimal
        Whether the pairing is proved optimal.
    gap
        How far its cost can be from the optimum because costs had to be rounded.
    """

    network: FlowNetwork
    inverse: InverseData
    dual: dict[Side, NDArray[np.float64]]
    slack: NDArray[np.float64]
    bound: float
    optimal: bool
    gap: float


def proof_of(problem: PairingProblem, pairing: Pairing) -> Proof:
    """Check the pairing of a batch of one in the full network, whichever network was solved.

    Without a pairing there is nothing to prove: all numbers are nan.
    """
    network, inverse = build(problem, reduce=False)
    dual = {s: np.full(len(problem.labels(s).classes), np.nan) for s in SIDES}
    slack = np.full(len(problem.cost), np.nan)
    if len(pairing.infeasible):
        return Proof(network, inverse, dual, slack, math.nan, False, 0.0)
    found, gap = check(network, _as_flow(problem, pairing, network, inverse)), pairing.gap[0]
    optimal, scale = found.optimal, inverse.costs.scale
    if not optimal and not inverse.costs.exact:  # rounded otherwise than in a reduced network
        best, cost = solve(network), found.cost
        found = check(network, best)
        gap += read(network, best, inverse, problem).gap[0]
        optimal = found.optimal and (cost - found.bound) / scale <= gap
    reduced = (
        network.cost + found.potentials[network.tail] - found.potentials[network.head]
    ) / scale
    for number, s in enumerate(SIDES):  # the reduced cost of the arc that bounds a label
        arc = (inverse.kind == BOUND) & (inverse.side == number)
        dual[s][:] = 0.0
        dual[s][inverse.subject[arc]] = reduced[arc]
    of_pair = inverse.kind == PAIR
    slack[inverse.subject[of_pair]] = reduced[of_pair]
    return Proof(network, inverse, dual, slack, found.bound / scale, bool(optimal), float(gap))


def _as_flow(
    problem: PairingProblem, pairing: Pairing, network: FlowNetwork, inverse: InverseData
) -> Flow:
    """Return the flow in the full network that the pairing of a batch of one is."""
    at = problem.pairs.at
    partners = {
        s: np.bincount(at(s)[pairing.chosen], minlength=len(pairing.missing[s])) for s in SIDES
    }
    flow = np.zeros(len(network.tail), dtype=np.int64)
    kind, subject = inverse.kind, inverse.subject
    flow[kind == PAIR] = pairing.chosen[subject[kind == PAIR]]
    flow[kind == TOTAL] = pairing.chosen.sum()
    for number, s in enumerate(SIDES):
        for what, units in (
            (DEFAULT, pairing.missing[s]),
            (BOUND, partners[s] + pairing.missing[s]),
        ):
            arc = (kind == what) & (inverse.side == number)
            flow[arc] = units[subject[arc]]
    for i, grouping in enumerate(problem.groupings):  # one arc per group, ascending
        inside = grouping.of_label >= 0
        n_pairs = np.bincount(grouping.of_label[inside], partners[grouping.side][inside])
        flow[(kind == GROUP) & (subject == i)] = n_pairs
    return Flow(flow, np.empty(0, dtype=np.int64))


def in_one_number(problem: PairingProblem, pairing: Pairing) -> float:
    """Return the cost of a pairing whose lexicographic costs are one whole number each."""
    total = math.fsum(problem.cost[pairing.chosen])
    for s in SIDES:
        bought = np.flatnonzero(pairing.missing[s])
        total += math.fsum(problem.default[s][bought] * pairing.missing[s][bought])
    return total
