"""What it costs to move the mass of the predicted labels to that of the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hierpair.errors import Infeasible
from hierpair.measures.columns import INFEASIBLE, Column, Columns
from hierpair.measures.evidence import FlowEvidence
from hierpair.measures.evidence.flow_rows import pair_evidence
from hierpair.measures.recipes.batch import Batch
from hierpair.pairing import (
    SIDES,
    Cost,
    Mass,
    Masses,
    Rule,
    formulate,
    moving_prices,
    solve_pairing,
    transport_costs,
)

__all__ = ["TransportRecipe"]


@dataclass(frozen=True)
class TransportRecipe:
    """The least cost of moving masses: each label of a set has an even share of the mass 1.

    Parameters
    ----------
    cost
        Of moving the mass 1 from a predicted to a true class.
    default
        Length of the edges from several roots to a virtual class above them, or None.
    """

    family: ClassVar = "transport"
    columns: ClassVar = (
        Column("n_true", "a true label"),
        Column("n_pred", "a predicted label"),
        Column("cost", "moving the mass 1 at a cost of 1", float),
        INFEASIBLE,
    )

    cost: Cost
    default: float | None = None

    def compute(self, batch: Batch) -> Columns:
        """Move the masses of the batch."""
        masses = _masses(batch)
        cost = transport_costs(masses, self.cost, self.default)
        for i in np.flatnonzero(np.isinf(cost)).tolist():
            text = (
                "some of the mass has no way: classes have no common ancestor; give default, the "
                "length of an edge from each root to a class above them all"
            )
            batch.refuse(self, Infeasible(text, i))
        return {"n_true": batch.y_true.lengths, "n_pred": batch.y_pred.lengths, "cost": cost}

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out what is moved, as a pairing of shares, however the cost was found."""
        if not batch.y_true.lengths[0] or not batch.y_pred.lengths[0]:
            nothing = ("nothing can be moved: a side has no labels",)
            return FlowEvidence((), (), 0.0, 0.0, True, 0.0, 1, remarks=nothing)
        shares = tuple(Mass(side, 1, share=True) for side in SIDES)
        rule = Rule(lambda pairs: moving_prices(self.cost, pairs, self.default), shares)
        problem = formulate(rule, batch.pairs(None))
        return pair_evidence(problem, solve_pairing(problem))


def _masses(batch: Batch) -> Masses:
    return Masses.of_sets(batch.hierarchy, batch.y_true, batch.y_pred)
