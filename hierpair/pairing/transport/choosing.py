"""Which way masses are moved: on trees in closed form, otherwise as a flow."""

from __future__ import annotations

from typing import cast

import numpy as np

from hierpair.hierarchy import Hierarchy, least_ways
from hierpair.hierarchy.arrays import Floats
from hierpair.pairing.costs.named_costs import Cost
from hierpair.pairing.pairs import Pairs
from hierpair.pairing.rule import checked_cost
from hierpair.pairing.transport.masses import Masses
from hierpair.pairing.transport.moves import cheapest_moves
from hierpair.pairing.transport.tree_form import carried_by_edges

__all__ = ["moving_prices", "transport_costs"]


def transport_costs(masses: Masses, cost: Cost, default: float | None = None) -> Floats:
    """Return the least cost of moving the masses of one side to those of the other.

    Parameters
    ----------
    masses
        Of both sides.
    cost
        Of moving the mass 1 from a predicted to a true class.
    default
        Length of an edge from each of several roots to a virtual class above them; None: masses
        cannot pass between classes without a common ancestor.

    Returns
    -------
    numpy.ndarray
        Shape ``(n_instances,)``: 0 where a side has no classes, inf where there is no way.
    """
    h = masses.hierarchy
    lengths = _edge_lengths(cost, h)
    if lengths is not None and h.shape != "DAG":
        return carried_by_edges(masses, lengths, np.inf if default is None else default)
    return cheapest_moves(masses, moving_prices(cost, masses.pairs, default)).cost


def moving_prices(cost: Cost, pairs: Pairs, default: float | None = None) -> Floats:
    """Return the price of moving the mass 1 between the classes of every pair; inf: no way.

    Of costs that are lengths of paths, the way through a virtual class above several roots is one
    of the ways, where ``default`` gives the length of the edges to it.
    """
    h = pairs.hierarchy
    price = checked_cost(cost, pairs).astype(np.float64)
    lengths = _edge_lengths(cost, h)
    if default is None or lengths is None or len(h.root_indices) == 1:
        return price
    up = least_ways(h, lengths)
    over: Floats = np.minimum(price, up[pairs.predicted] + up[pairs.true] + 2 * default)
    return over


def _edge_lengths(cost: Cost, hierarchy: Hierarchy) -> Floats | None:
    """Return the lengths of the edges whose paths a cost measures; None for any other cost."""
    lengths = getattr(cost, "edge_lengths", None)
    return None if lengths is None else cast("Floats | None", lengths(hierarchy))
