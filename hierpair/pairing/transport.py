"""The least cost of moving masses of classes: on trees in closed form, else by a pairing rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from hierpair.hierarchy import Hierarchy, ancestors_of, least_ways
from hierpair.hierarchy.arrays import Floats, Ints, row_numbers, row_sums
from hierpair.labels import LabelSets
from hierpair.pairing.costs import Cost
from hierpair.pairing.pairings import solve_pairing
from hierpair.pairing.pairs import SIDES, Pairs, Side, checked_cost
from hierpair.pairing.rules import Mass, Rule, formulate

FINEST = 52
"""Masses that are given as floats are cut into 2**52 units of an instance, or fewer where it has
so many labels that masses and what pairs may carry would together no longer fit 62 bits."""

FLOW_BITS = 62  # bits of all units of an instance together


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses of the classes of both sides of a batch, as whole units.

    Make one with :meth:`of_sets` or :meth:`of_laws`.
    """

    hierarchy: Hierarchy
    sets: Mapping[Side, LabelSets]  # the classes of every instance that have mass
    units: Mapping[Side, Ints]  # of each of them; 0 in an instance with a side without classes
    whole: Ints  # by instance, how many units make the mass 1: those of either side add up to it

    def __post_init__(self) -> None:
        both = np.minimum(*(sets.lengths for sets in self.sets.values())) > 0
        units = {side: self.units[side] * both[self.rows[side]] for side in SIDES}
        object.__setattr__(self, "units", units)

    @classmethod
    def of_sets(cls, hierarchy: Hierarchy, y_true: LabelSets, y_pred: LabelSets) -> Masses:
        """Share the mass 1 among the labels of a set: ``1/|T|`` each, in ``1/lcm(|T|, |P|)``."""
        sets: dict[Side, LabelSets] = {"predicted": y_pred, "true": y_true}
        whole = np.lcm(*(np.maximum(own.lengths, 1) for own in sets.values()))
        units = {
            side: np.repeat(whole // np.maximum(own.lengths, 1), own.lengths)
            for side, own in sets.items()
        }
        return cls(hierarchy, sets, units, whole)

    @classmethod
    def of_laws(
        cls, hierarchy: Hierarchy, y_true: LabelSets, y_pred: LabelSets, mass: Mapping[Side, Floats]
    ) -> Masses:
        """Cut given masses into units; what rounding leaves over goes to the heaviest class.

        The mass of each class is a number ≥ 0; those of an instance are divided by their sum.
        """
        sets: dict[Side, LabelSets] = {"predicted": y_pred, "true": y_true}
        longest = max(int(own.lengths.max(initial=1)) for own in sets.values())
        fine = 2 ** min(FINEST, FLOW_BITS - (longest + 4).bit_length())
        units = {side: _units(own, mass[side], fine) for side, own in sets.items()}
        return cls(hierarchy, sets, units, np.full(len(y_true), fine))

    def __len__(self) -> int:
        return len(self.whole)

    @cached_property
    def rows(self) -> dict[Side, Ints]:
        """By side, the instance of every class that has mass."""
        return {side: row_numbers(own.indptr) for side, own in self.sets.items()}

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of a predicted and a true class of each instance."""
        return Pairs.between(self.hierarchy, self.sets["true"], self.sets["predicted"])


def _units(sets: LabelSets, mass: Floats, fine: int) -> Ints:
    row, some = row_numbers(sets.indptr), sets.lengths > 0
    total = np.bincount(row, mass, minlength=len(sets))
    units = np.rint(mass / total[row] * fine).astype(np.int64)
    heaviest = np.lexsort((mass, row))[sets.indptr[1:][some] - 1]
    units[heaviest] += (fine - row_sums(units, sets.indptr))[some]
    return units


def transport_costs(masses: Masses, cost: Cost, default: float | None = None) -> Floats:
    """Return the least cost of moving the masses of one side to those of the other.

    ``cost`` is of moving the mass 1; ``default`` the length of an edge from each of several roots
    to a virtual class above them, None: masses cannot pass there. Of instances it is 0 where a side
    has no classes, inf where there is no way.
    """
    lengths = _edge_lengths(cost, masses.hierarchy)
    if lengths is not None and masses.hierarchy.shape != "DAG":
        return _carried_by_edges(masses, lengths, np.inf if default is None else default)
    return carried_by_pairs(masses, moving_prices(cost, masses.pairs, default))


def _edge_lengths(cost: Cost, hierarchy: Hierarchy) -> Floats | None:
    """Return the lengths of the edges whose paths a cost measures; None for any other cost."""
    return getattr(cost, "edge_lengths", lambda _: None)(hierarchy)


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
    return np.minimum(price, up[pairs.predicted] + up[pairs.true] + 2 * default)


def _carried_by_edges(masses: Masses, lengths: Floats, top: float) -> Floats:
    """Return Σ over classes of length · |mass below in the truth - in the prediction|.

    Evans & Matsen (2012), Le et al. (2019); the edge above roots has the length ``top``, inf: none.
    """
    h, n = masses.hierarchy, len(masses.hierarchy)
    above = np.full(n, 0.0 if len(h.root_indices) == 1 else top, dtype=np.float64)
    above[np.diff(h.parent_ptr) > 0] = lengths
    below = []
    for side, sets in masses.sets.items():
        owner, ancestor = ancestors_of(h, sets.indices)
        at = masses.units[side][owner], (masses.rows[side][owner], ancestor)
        below.append(scipy.sparse.csr_array(at, shape=(len(masses), n)))
    more = below[0] - below[1]
    cost = np.abs(more.data) * above[more.indices]
    return np.bincount(row_numbers(more.indptr), cost, len(masses)) / masses.whole


def carried_by_pairs(masses: Masses, price: Floats) -> Floats:
    """Return what the cheapest moves cost, where the price of every pair is known; inf: no way.

    That is a rule whose masses are whole numbers of units.
    """
    sides = [Mass(side, lambda labels: masses.units[labels.side]) for side in SIDES]
    pairs, n = masses.pairs, len(masses)
    found = solve_pairing(formulate(Rule(lambda _: price, (*sides,)), pairs), on_infeasible="nan")
    paid = np.zeros(len(price))  # what is not moved costs nothing, also without a way
    np.multiply(found.carried, price, out=paid, where=found.chosen)
    cost = np.bincount(pairs.instance, paid, minlength=n) / masses.whole
    cost[found.infeasible] = np.inf
    return cost
