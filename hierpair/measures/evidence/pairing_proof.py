"""The proof, without the solver, that the pairing of one instance is an optimal one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.pairing import (
    SIDES,
    InverseData,
    Pairing,
    PairingProblem,
    Side,
    build,
    flow_of,
    read,
)
from hierpair.solvers import Flow, FlowNetwork, check, solve

__all__ = ["Proof", "proof_of"]


@dataclass(frozen=True, eq=False)
class Proof:
    """What dual prices prove of a pairing.

    Attributes
    ----------
    network, inverse
        The full network, and what its arcs say.
    dual
        By side, the dual price of every label.
    reduced
        Of every arc, its cost less the dual prices of its ends.
    bound
        What every pairing costs at least.
    optimal
        Whether the pairing is proved optimal.
    gap
        How far its cost can be from the optimum because costs had to be rounded.
    lexicographic
        What the pairing costs by each of the lexicographic costs, of which the other numbers are
        those of the first; empty for a single cost.
    """

    network: FlowNetwork
    inverse: InverseData
    dual: dict[Side, NDArray[np.float64]]
    reduced: NDArray[np.float64]
    bound: float
    optimal: bool
    gap: float
    lexicographic: tuple[float, ...] = ()


def proof_of(problem: PairingProblem, pairing: Pairing) -> Proof:
    """Check the pairing of a batch in the full network, whichever network was solved.

    Bound and totals are those of the batch, which mostly is one instance. Without a pairing there
    is nothing to prove: all numbers are nan.
    """
    network, inverse = build(problem, reduce=False)
    dual = {s: np.full(len(problem.labels(s).classes), np.nan) for s in SIDES}
    if len(pairing.infeasible):
        none = np.full(len(network.tail), np.nan)
        return Proof(network, inverse, dual, none, math.nan, False, 0.0)
    flow = flow_of(problem, pairing, network, inverse)
    found, gap = check(network, flow), pairing.gap.sum()
    optimal, costs = found.optimal, inverse.costs[0]
    scale = costs.scale
    unit = 1 if pairing.whole is None else int(pairing.whole[0])
    if not optimal and not costs.exact:  # rounded otherwise than in a reduced network
        best, cost = solve(network), found.cost
        found = check(network, best)
        gap += read(network, best, inverse, problem).gap.sum()
        optimal = found.optimal and (cost - found.bound) / scale / unit <= gap
    reduced = (
        network.cost + found.potentials[network.tail] - found.potentials[network.head]
    ) / scale
    for s in SIDES:  # the reduced cost of the arcs that count the pairs of a label
        dual[s][:] = 0.0
        for k, count in enumerate(inverse.counts):
            if count.kind == "label" and count.side == s:
                arc = (inverse.count == k) & (inverse.sign == 0)
                dual[s][inverse.subject[arc]] += reduced[arc]
    bound = found.bound + int(inverse.constant[0].sum())
    lexicographic = _each_cost(problem, network, inverse, flow)
    least = bound / (scale * unit)
    return Proof(network, inverse, dual, reduced, least, bool(optimal), float(gap), lexicographic)


def _each_cost(
    problem: PairingProblem, network: FlowNetwork, inverse: InverseData, flow: Flow
) -> tuple[float, ...]:
    """Return what a flow costs by each of the lexicographic costs."""
    if len(inverse.costs) == 1:
        return ()
    totals = [int(np.dot(c.astype(object), flow.flow)) for c in (network.cost, *network.later)]
    totals = [x + int(c.sum()) for x, c in zip(totals, inverse.constant, strict=True)]
    unit = 1 if problem.moved is None else int(problem.moved.whole[0])
    scales = [scaled.scale for scaled in inverse.costs]
    return tuple(x / (scale * unit) for x, scale in zip(totals, scales, strict=True))
