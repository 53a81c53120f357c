"""The cheapest moves of masses between classes, as a minimum-cost flow in whole units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, row_numbers
from hierpair.pairing.pairs import SIDES
from hierpair.pairing.transport.masses import Masses
from hierpair.solvers import Flow, FlowNetwork, Scaled, solve, to_integers

__all__ = ["Moves", "as_flow", "cheapest_moves", "network_of"]


@dataclass(frozen=True, eq=False)
class Moves:
    """What is moved from predicted to true classes.

    Attributes
    ----------
    units
        Of every pair, the units that are moved, shape ``(n_pairs,)``.
    cost
        Of every instance, what moving the mass 1 costs; inf where there is no way.
    gap
        How far each can be from the least cost because costs of pairs had to be rounded.
    """

    units: Ints
    cost: Floats
    gap: Floats


def cheapest_moves(masses: Masses, price: Floats) -> Moves:
    """Return the cheapest moves.

    Where one side has a single class there is nothing to choose; the others are solved.

    Parameters
    ----------
    masses
        Of both sides.
    price
        Of moving the mass 1 from the predicted to the true class of every pair; inf: no way.
    """
    pairs = masses.pairs
    single = (masses.y_true.lengths == 1) | (masses.y_pred.lengths == 1)
    network, costs = network_of(masses, price, ~single)
    flow = solve(network)
    units = np.zeros(len(price), dtype=np.int64)
    way = np.flatnonzero(np.isfinite(price))
    units[way] = flow.flow
    alone = single[pairs.instance]
    units[alone] = _most(masses)[alone]
    paid = np.zeros(len(price))  # what is not moved costs nothing, also without a way
    np.multiply(units, price, out=paid, where=units > 0)
    cost = np.bincount(pairs.instance, paid, minlength=len(masses)) / masses.whole
    cost[flow.infeasible] = np.inf
    gap = np.zeros(len(masses)) if costs.exact else np.where(single, 0.0, 1 / costs.scale)
    return Moves(units, cost, gap)


def network_of(
    masses: Masses, price: Floats, solved: Bools | None = None
) -> tuple[FlowNetwork, Scaled]:
    """Return the network: an arc for each pair that has a way, a component per instance.

    Predicted classes send their units and true classes take theirs; of instances that are not to
    be solved nothing flows.
    """
    pairs = masses.pairs
    n_nodes = masses.y_pred.lengths + masses.y_true.lengths
    node_ptr = offsets(n_nodes)
    supply = np.zeros(node_ptr[-1], dtype=np.int64)
    node = {}
    for sign, side, before in zip(
        (1, -1), SIDES, (0 * n_nodes, masses.y_pred.lengths), strict=True
    ):
        sets = masses.sets(side)
        row = row_numbers(sets.indptr)
        node[side] = np.arange(len(row)) - sets.indptr[row] + (node_ptr[:-1] + before)[row]
        supply[node[side]] = sign * masses.units[side]
    upper = (masses.whole + 1)[pairs.instance]  # never reached: prices of classes are the proof
    if solved is not None:
        supply[~solved[row_numbers(node_ptr)]] = 0
        upper[~solved[pairs.instance]] = 0
    way = np.flatnonzero(np.isfinite(price))
    costs = to_integers([price[way]])
    network = FlowNetwork(
        tail=node["predicted"][pairs.predicted_at[way]],
        head=node["true"][pairs.true_at[way]],
        lower=np.zeros(len(way), dtype=np.int64),
        upper=upper[way],
        cost=costs.values[0],
        supply=supply,
        arc_ptr=offsets(np.bincount(pairs.instance[way], minlength=len(masses))),
        node_ptr=node_ptr,
    )
    return network, costs


def as_flow(price: Floats, moves: Moves) -> Flow:
    """Return the flow in the network of all instances that these moves are."""
    stuck = np.flatnonzero(np.isinf(moves.cost))
    return Flow(moves.units[np.isfinite(price)], stuck)


def _most(masses: Masses) -> Ints:
    """Return how many units a pair can move: those of the lighter of its classes."""
    pairs = masses.pairs
    least: Ints = np.minimum(
        masses.units["predicted"][pairs.predicted_at], masses.units["true"][pairs.true_at]
    )
    return least
