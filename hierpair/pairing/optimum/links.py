"""The links of the full networks of a batch: one per pair, one per set of pairs that is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.pairing.constraints.partition import Partition
from hierpair.pairing.network.counters import counters
from hierpair.pairing.network.flow_of_pairing import flow_of
from hierpair.pairing.network.full import build_full
from hierpair.pairing.network.inverse_data import DEFAULT, LESS, PAIR, InverseData, Pairing
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import NO_ROOM, Flow, FlowNetwork, Residual, residual, solve, weighted

__all__ = ["Links", "in_costs", "in_units", "links_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Links:
    """The residual network of the optimal pairings of a batch, and what its links say.

    Attributes
    ----------
    residual
        What one unit more or less on every link costs, as whole numbers of ``1 / scale``.
    every, first
        What is counted, and the number of the link of the first set of each.
    pair, of_pair
        Pairs that may be chosen, and the links of these.
    units
        Units of every link.
    scale, exact
        By what costs were multiplied, and whether none had to be rounded.
    weights
        Of lexicographic costs: what a unit of each of them, in every instance, is in the whole
        numbers, which then are those of all costs together; otherwise None.
    without
        Of every instance, whether it has no pairing.
    """

    residual: Residual
    every: list[Partition]
    first: Ints
    pair: Ints
    of_pair: Ints
    units: Ints
    scale: int
    exact: bool
    weights: Ints | None
    without: NDArray[np.bool_]


def links_of(problem: PairingProblem, pairing: Pairing) -> Links:
    """Return the links of the full networks, with the flow that the pairings are.

    Costs that had to be rounded are rounded otherwise than in a reduced network; then the full
    one is solved anew.

    Raises
    ------
    BadInput
        For a rule that binds instances to each other.
    SolverLimit
        For lexicographic costs that are too large for one number.
    """
    network, inverse = build_full(problem, hold=False)
    if problem.joined or network.n_components != problem.n_instances:
        raise BadInput("what an optimum means is told of rules whose instances are independent")
    weights = None
    if network.later:
        in_one = weighted(network, spare=2)
        if in_one is None:
            raise SolverLimit("its lexicographic costs are too large to tell what would change")
        network, weights = in_one
    without = np.zeros(problem.n_instances, dtype=bool)
    without[pairing.infeasible] = True
    flow = flow_of(problem, pairing, network, inverse) if inverse.costs.exact else solve(network)
    dead = np.flatnonzero(without)
    every = counters(problem)
    first = np.cumsum([0, *map(len, every)])
    of_pairs = np.flatnonzero(inverse.kind == PAIR)
    link = first[inverse.counter] + inverse.subject
    link[of_pairs] = first[-1] + np.arange(len(of_pairs))
    ahead = ~np.isin(inverse.kind, (DEFAULT, LESS))
    n_links = int(first[-1]) + len(of_pairs)
    return Links(
        residual(network, Flow(flow.flow, dead), link, ahead, n_links),
        every,
        first,
        inverse.subject[of_pairs],
        link[of_pairs],
        _units(network, flow.flow, inverse, link, ahead, n_links),
        inverse.costs.scale,
        inverse.costs.exact,
        weights,
        without,
    )


def _units(
    network: FlowNetwork,
    flow: Ints,
    inverse: InverseData,
    link: Ints,
    ahead: NDArray[np.bool_],
    n_links: int,
) -> Ints:
    """Return how many units go through every link."""
    units = np.zeros(n_links, dtype=np.int64)
    np.add.at(units, link, np.where(ahead, flow, -flow))
    return units


def in_costs(links: Links, units: Ints | Floats, instance: Ints) -> Floats:
    """Return whole numbers of the network as costs, inf where there is no room.

    Of lexicographic costs they are those of the first cost.
    """
    first = units
    if links.weights is not None:
        first = np.rint(units / links.weights[0, instance])
    return np.where(units >= NO_ROOM, np.inf, first / links.scale)


def in_units(links: Links, problem: PairingProblem, costs: NDArray[Any], instance: Ints) -> Floats:
    """Return costs as whole numbers of the network, those that are inf stay it."""
    if problem.packing is None or links.weights is None:
        if costs.dtype == object:
            exact = [x if x == np.inf else x * links.scale for x in costs.tolist()]
            return np.array(exact, dtype=np.float64)
        return costs.astype(np.float64) * links.scale
    open_ = costs.astype(np.float64) != np.inf
    (packed,) = problem.whole([np.where(open_, costs, 0)]).values
    digits = problem.packing.digits(packed)
    total = sum(w[instance] * d for w, d in zip(links.weights, digits, strict=True))
    return np.where(open_, total, np.inf)
