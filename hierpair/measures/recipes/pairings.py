"""Columns of cheapest pairings of the labels of both sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import row_numbers
from hierpair.measures.columns import INFEASIBLE, SET_SIZES, Column, Columns, without
from hierpair.measures.evidence import FlowEvidence
from hierpair.measures.evidence.flow_rows import pair_evidence
from hierpair.measures.recipes.batch import Batch, Recipe
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.pairing import NamedPairs, Rule, formulate, max_costs, solve_pairing

__all__ = ["PAIR_COLUMNS", "PairRecipe", "named_pairs_of"]

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


class HasRecipe(Protocol):
    """What a measure is here."""

    @property
    def recipe(self) -> Recipe:
        """What it computes."""
        ...


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
        plain = batch.columns(SetRecipe())
        pairing = solve_pairing(problem, on_infeasible=batch.on_infeasible)
        if batch.traces is not None:
            batch.traces[self] = problem, pairing
        columns = {column.name: plain[column.name] for column in SET_SIZES}
        columns["cost"] = pairing.cost
        if self.with_max_cost:
            sets = batch.y_true
            each = max_costs(self.rule.cost, batch.hierarchy, sets.indices)
            largest = np.bincount(row_numbers(sets.indptr), each, len(sets))
            columns["max_cost"] = largest.astype(np.float64)
        columns = without(columns, pairing.infeasible)
        remarks = dict(problem.remarks)
        if self.note_mistakes:
            remarks[MISTAKES] = np.less(columns["n_both"], columns["n_true"])
        return {**columns, **remarks}

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out the pairing, with the proof that none is cheaper."""
        return pair_evidence(*batch.trace(self))


def named_pairs_of(measures: Iterable[HasRecipe]) -> list[NamedPairs]:
    """Return the pairs of classes that the rules of measures name."""
    rules = [m.recipe.rule for m in measures if isinstance(m.recipe, PairRecipe)]
    return [named for rule in rules for named in rule.named_pairs]
