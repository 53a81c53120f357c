"""What is paid at least: for the best pairing, a flow of one's own, or masses that are moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures.columns import INFEASIBLE, SET_SIZES, Column, Columns, without
from hierpair.measures.evidence import FlowEvidence
from hierpair.measures.evidence.flow_rows import network_evidence, pair_evidence
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.pairing import (
    SIDES,
    Cost,
    Mass,
    Masses,
    NamedPairs,
    NetworkRule,
    Rule,
    formulate,
    max_costs,
    moving_prices,
    solve_network,
    solve_pairing,
    transport_costs,
    written_network,
)

COST = Column("cost", "a pairing that costs 1", float)
PAIR_COLUMNS = (*SET_SIZES, COST, INFEASIBLE)

SPANS = (
    "its rule has quotas over the data set, so only the total is determined and no instance has a "
    "value of its own: nothing to score, compare, resample or decode; solve and explain the whole "
    "data set with pair_data_set(rule, hierarchy, y_true, y_pred)"
)
"""Why a rule with quotas is no measure."""

MISTAKES = "a mistake; the severity is the mean over these alone"
"""What is noted of the instances that a severity is over."""


@dataclass(frozen=True)
class PairRecipe:
    """Cost of the best pairing of every instance under a rule.

    Parameters
    ----------
    rule
        Costs and constraints.
    threshold
        Path threshold, or None.
    with_max_cost
        Add up the largest cost of every true class too.
    note_mistakes
        Remark upon the instances that lack a true label.
    """

    family: ClassVar = "pair"

    rule: Rule
    threshold: int | None = None
    with_max_cost: bool = False
    note_mistakes: bool = False

    def __post_init__(self) -> None:
        if self.rule.spans == "data set":
            raise BadInput(SPANS)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Sizes of the label sets, and the cost of their pairing."""
        largest = Column("max_cost", "a largest cost of 1 of a true class", float)
        return (*PAIR_COLUMNS, largest) if self.with_max_cost else PAIR_COLUMNS

    def compute(self, batch: Batch) -> Columns:
        """Solve the pairing problems of the batch."""
        problem = formulate(self.rule, batch.pairs(self.threshold))
        if problem.joined:
            raise BadInput(SPANS)
        columns = _sizes(batch)
        pairing = solve_pairing(problem, on_infeasible=batch.on_infeasible)
        if batch.traces is not None:
            batch.traces[self] = problem, pairing
        columns["cost"] = pairing.cost
        if self.with_max_cost:
            sets = batch.y_true
            each = max_costs(self.rule.cost, batch.hierarchy, sets.indices)
            largest = np.bincount(row_numbers(sets.indptr), each, len(sets))
            columns["max_cost"] = largest.astype(np.float64)
        columns = without(columns, pairing.infeasible)
        if self.note_mistakes:
            columns[MISTAKES] = np.less(columns["n_both"], columns["n_true"])
        return columns

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out the pairing, with the proof that none is cheaper."""
        return pair_evidence(*batch.trace(self))


@dataclass(frozen=True)
class OwnNetworkRecipe:
    """Cost of the cheapest flow of every instance through a network that a rule wrote itself.

    Parameters
    ----------
    rule
        What writes the networks.
    threshold
        Path threshold, or None.
    """

    family: ClassVar = "pair"
    columns: ClassVar = PAIR_COLUMNS

    rule: NetworkRule
    threshold: int | None = None

    def compute(self, batch: Batch) -> Columns:
        """Solve the networks of the batch."""
        own = written_network(self.rule, batch.pairs(self.threshold))
        sizes = _sizes(batch)
        found = solve_network(own, on_infeasible=batch.on_infeasible)
        if batch.traces is not None:
            batch.traces[self] = own, found
        return without({**sizes, "cost": found.cost}, found.flow.infeasible)

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out the flow, with the proof that none is cheaper."""
        return network_evidence(*batch.trace(self))


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
        masses = Masses.of_sets(batch.hierarchy, batch.y_true, batch.y_pred)
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


def _sizes(batch: Batch) -> dict[str, Any]:
    """Return the sizes of the label sets as they are."""
    found = batch.columns(SetRecipe())
    return {column.name: found[column.name] for column in SET_SIZES}


def named_pairs_of(measures: Iterable[Any]) -> list[NamedPairs]:
    """Return the pairs of classes that the rules of measures name."""
    rules = [m.recipe.rule for m in measures if isinstance(m.recipe, PairRecipe)]
    return [named for rule in rules for named in rule.named_pairs]
