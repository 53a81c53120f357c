"""Columns that rest on pairings, graphs and root paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion import confusion
from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import row_numbers
from hierpair.lca import SOLVED_BY, Graphs, extended_graphs
from hierpair.measures.columns import SET_SIZES, Column, Columns
from hierpair.measures.evidence import ConfusionEvidence, FlowEvidence, LcaEvidence
from hierpair.measures.evidence.flow_rows import pair_evidence
from hierpair.measures.evidence.joined_graphs import lca_evidence
from hierpair.measures.evidence.path_fields import confusion_evidence
from hierpair.measures.recipes.batch import Batch, Recipe
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.pairing import NamedPairs, Rule, formulate, max_costs, solve_pairing

__all__ = [
    "INFEASIBLE",
    "PAIR_COLUMNS",
    "ConfusionRecipe",
    "LcaRecipe",
    "PairRecipe",
    "named_pairs_of",
    "without",
]

INFEASIBLE = Column("infeasible", "an instance without a possible pairing", bool)
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


def without(columns: Columns, infeasible: NDArray[np.integer]) -> dict[str, NDArray[np.generic]]:
    """Return columns to which instances without a pairing add nothing."""
    if not len(infeasible):
        return dict(columns)
    none = np.zeros(len(next(iter(columns.values()))), dtype=bool)
    none[infeasible] = True
    none |= columns.get(INFEASIBLE.name, none)
    kept = {
        name: column if column.dtype == bool else np.where(none, 0, column)
        for name, column in columns.items()
    }
    return {**kept, INFEASIBLE.name: none}


@dataclass(frozen=True)
class LcaRecipe:
    """Sizes of the graphs that join both sets through their lowest common ancestors.

    Parameters
    ----------
    extension
        ``"exact"``, ``"greedy"`` or ``"full"``.
    threshold
        Path threshold, or None.
    limit
        Seconds for one instance, or None.
    """

    family: ClassVar = "lca"
    columns: ClassVar = (*SET_SIZES, Column("solved_by", "an instance", words=SOLVED_BY))

    extension: str = "exact"
    threshold: int | None = None
    limit: float | None = None

    def compute(self, batch: Batch) -> Columns:
        """Grow the graphs of the batch and count their classes."""
        graphs = extended_graphs(
            batch.hierarchy,
            batch.y_true,
            batch.y_pred,
            self.extension,
            self.threshold,
            self.limit,
            draw=batch.traces is not None,
            distances=batch.known_distances(self.threshold),
        )
        if batch.traces is not None:
            batch.traces[self] = graphs
        return {
            "n_true": graphs.n_true,
            "n_pred": graphs.n_predicted,
            "n_both": graphs.n_both,
            "solved_by": graphs.solved_by,
            **_ranges(graphs),
        }

    def evidence(self, batch: Batch) -> LcaEvidence:
        """Name the classes and edges of both graphs, and what every label requires."""
        sides = batch.y_true, batch.y_pred
        return lca_evidence(batch.hierarchy, *sides, batch.trace(self), self.extension)


def _ranges(graphs: Graphs) -> Columns:
    """Return as remarks what is proved of F where the graphs may not be the minimal ones."""
    remarks: dict[str, NDArray[np.bool_]] = {}
    for i, (low, high) in graphs.f_ranges.items():
        text = f"F of the minimal graphs is from {floor(100 * low) / 100:.2f} to "
        text += f"{ceil(100 * high) / 100:.2f}"
        remarks.setdefault(text, np.zeros(len(graphs.n_true), dtype=bool))[i] = True
    return remarks


@dataclass(frozen=True)
class ConfusionRecipe:
    """TP, FP, FN and TN of every instance along root paths.

    Parameters
    ----------
    pairing, empty, nested, blank
        As for :func:`hierpair.metrics.hierarchical_confusion_matrix`.
    """

    family: ClassVar = "confusion"
    columns: ClassVar = (
        Column("tp", "a class of a true and a predicted path"),
        Column("fp", "a class of a predicted path alone"),
        Column("fn", "a class of a true path alone"),
        Column("tn", "a class beside what is shared that neither path takes"),
    )

    pairing: str = "exact"
    empty: str = "root"
    nested: str = "drop"
    blank: str = "ignore"

    def compute(self, batch: Batch) -> Columns:
        """Pair the paths of the batch and count."""
        sides = batch.y_true, batch.y_pred
        options = self.pairing, self.empty, self.nested, self.blank
        c = confusion(batch.hierarchy, *sides, *options)
        if batch.traces is not None:
            batch.traces[self] = c
        return {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}

    def evidence(self, batch: Batch) -> ConfusionEvidence:
        """Spell out the pairs of paths and classes with their fields."""
        return confusion_evidence(batch.hierarchy, batch.trace(self), self.pairing)


def named_pairs_of(measures: Iterable[HasRecipe]) -> list[NamedPairs]:
    """Return the pairs of classes that the rules of measures name."""
    rules = [m.recipe.rule for m in measures if isinstance(m.recipe, PairRecipe)]
    return [named for rule in rules for named in rule.named_pairs]
