"""What is moved from predicted to true classes of an instance, and the proof that it is best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.measures.evidence.base import Evidence, Name, cost_text
from hierpair.measures.evidence.neighbourhoods import Neighbourhood, neighbourhood
from hierpair.pairing import (
    SIDES,
    Masses,
    Side,
    as_flow,
    cheapest_moves,
    mass_text,
    network_of,
)
from hierpair.solvers import check
from hierpair.tables import Block

__all__ = ["MassRow", "MoveRow", "TransportEvidence", "transport_evidence"]


@dataclass(frozen=True)
class MassRow:
    """A class of one side with its mass.

    Attributes
    ----------
    name
        The class.
    units
        Its mass, in units of which the evidence says how many make 1.
    price
        Its price in the proof: moving the mass 1 from a predicted to a true class costs at least
        the sum of their two prices.
    """

    name: Name
    units: int
    price: float


@dataclass(frozen=True)
class MoveRow:
    """What is moved between two classes.

    Attributes
    ----------
    predicted, true
        Positions among the classes of their side.
    units
        The mass that is moved, in units.
    cost
        What moving the mass 1 costs.
    """

    predicted: int
    true: int
    units: int
    cost: float


@dataclass(frozen=True)
class TransportEvidence(Evidence):
    """A cheapest way to move the predicted masses to the true ones.

    Attributes
    ----------
    predicted, true
        The classes of both sides that have mass; none where the other side is empty.
    moves
        What is moved, pairs with a mass above 0.
    whole
        How many units make the mass 1.
    cost
        What the moves cost.
    bound
        What the prices prove that any moves cost at least.
    optimal
        Whether the independent check of the flow found it feasible and optimal.
    gap
        How far ``cost`` can be from the least because costs had to be rounded.
    """

    predicted: tuple[MassRow, ...]
    true: tuple[MassRow, ...]
    moves: tuple[MoveRow, ...]
    whole: int
    cost: float
    bound: float
    optimal: bool
    gap: float

    kind: ClassVar[str] = "transport"

    @property
    def columns(self) -> Mapping[str, float]:
        """The cost, added up from the moves."""
        return {"cost": math.fsum(m.units * m.cost for m in self.moves) / self.whole}

    def around(
        self,
        hierarchy: Hierarchy,
        true: NDArray[np.integer],
        predicted: NDArray[np.integer],
        most: int,
    ) -> Neighbourhood:
        """Return the labels and their ancestors, with the classes between which mass is moved."""
        place = hierarchy.position
        pairs = [
            (place[self.predicted[m.predicted].name], place[self.true[m.true].name])
            for m in self.moves
        ]
        return neighbourhood(hierarchy, true, predicted, pairs=pairs, most=most)

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return the moves, the masses with their prices, and the proof."""
        if not self.moves:
            return ["nothing can be moved: a side has no labels"]
        moves = [
            [
                str(self.predicted[m.predicted].name),
                str(self.true[m.true].name),
                self.mass_text(m.units, digits),
                cost_text(m.cost, digits),
                cost_text(m.units / self.whole * m.cost, digits),
            ]
            for m in sorted(self.moves, key=lambda m: (m.predicted, m.true))
        ]
        masses = [
            [side, str(row.name), self.mass_text(row.units, digits), cost_text(row.price, digits)]
            for side, rows in zip(SIDES, (self.predicted, self.true), strict=True)
            for row in rows
        ]
        return [
            Block(["predicted", "true", "mass", "cost of 1", "cost"], moves, align="llrrr"),
            Block(["side", "class", "mass", "price"], masses, align="llrr"),
            self.proof_text(digits),
        ]

    def mass_text(self, units: int, digits: int = 4) -> str:
        """Return a mass as a fraction where it is a plain one."""
        return mass_text(units, self.whole, digits)

    def proof_text(self, digits: int) -> str:
        """Return the cost, and what proves that nothing is cheaper."""
        text = f"cost {cost_text(self.cost, digits)}"
        if not self.optimal:
            return f"{text}\nthe flow could not be proved optimal; please report this"
        close = f" (costs were rounded; the optimum is within {self.gap:.1e})" if self.gap else ""
        bound = cost_text(self.bound, digits)
        return f"{text}\nproof: the prices show that any moves cost at least {bound}{close}"


def transport_evidence(masses: Masses, price: NDArray[np.float64]) -> TransportEvidence:
    """Find the moves of a batch of one as a flow, and check it without the solver."""
    moves = cheapest_moves(masses, price)
    network, costs = network_of(masses, price)
    proof = check(network, as_flow(price, moves))
    whole, pairs = int(masses.whole[0]), masses.pairs
    n_pred = masses.y_pred.lengths[0]
    rows: dict[Side, tuple[MassRow, ...]] = {}
    # of a predicted class the price falls with its potential, of a true one it rises
    prices = np.split(proof.potentials / costs.scale, [n_pred])
    for sign, side, own in zip((-1, 1), SIDES, prices, strict=True):
        names = masses.sets(side).names_of(0, masses.hierarchy)
        units = masses.units[side].tolist()
        rows[side] = tuple(
            MassRow(name, unit, float(sign * y) + 0.0)
            for name, unit, y in zip(names, units, own, strict=True)
        )
    if not len(price):  # a side has no classes, so nothing can be moved
        rows = dict.fromkeys(SIDES, ())
    moved = np.flatnonzero(moves.units)
    return TransportEvidence(
        rows["predicted"],
        rows["true"],
        tuple(
            MoveRow(
                int(pairs.predicted_at[i]),
                int(pairs.true_at[i]),
                int(moves.units[i]),
                float(price[i]),
            )
            for i in moved
        ),
        whole,
        float(moves.cost[0]),
        proof.bound / costs.scale / whole,
        proof.optimal,
        float(moves.gap[0]),
    )
