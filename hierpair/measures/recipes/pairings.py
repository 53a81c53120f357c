"""Evidence that rests on pairings, graphs and root paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hierpair.confusion import confusion
from hierpair.hierarchy.arrays import row_numbers
from hierpair.lca import extended_graphs
from hierpair.measures.evidence import ConfusionEvidence, LcaEvidence, PairEvidence
from hierpair.measures.evidence.joined_graphs import lca_evidence
from hierpair.measures.evidence.paired_labels import pair_evidence
from hierpair.measures.evidence.path_fields import confusion_evidence
from hierpair.measures.pooling import FIELDS, Counts
from hierpair.measures.protocols import Recipe
from hierpair.measures.recipes.set_sizes import Batch, SetRecipe
from hierpair.pairing import NamedPairs, Rule, formulate, max_costs, solve_pairing

__all__ = ["ConfusionRecipe", "LcaRecipe", "PairRecipe", "named_pairs_of", "without"]


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
    worst
        Add up the largest cost of every true class too.
    """

    rule: Rule
    threshold: int | None = None
    worst: bool = False

    def compute(self, batch: Batch) -> Counts:
        """Solve the pairing problems of the batch."""
        problem = formulate(self.rule, batch.pairs(self.threshold))
        plain = batch.counts(SetRecipe())
        pairing = solve_pairing(problem, on_infeasible=batch.on_infeasible)
        if batch.traces is not None:
            batch.traces[self] = problem, pairing
        worst = None
        if self.worst:
            sets = batch.y_true
            each = max_costs(self.rule.cost, batch.hierarchy, sets.indices)
            worst = np.bincount(row_numbers(sets.indptr), each, len(sets)).astype(np.float64)
        counts = Counts(
            plain.n_true, plain.n_pred, plain.n_both, pairing.cost, plain.n_classes, worst=worst,
            remarks=tuple(problem.remarks),
        )  # fmt: skip
        return without(counts, pairing.infeasible) if len(pairing.infeasible) else counts

    def evidence(self, batch: Batch) -> PairEvidence:
        """Spell out the pairing, with the proof that none is cheaper."""
        return pair_evidence(*batch.trace(self))


def without(counts: Counts, infeasible: NDArray[np.integer]) -> Counts:
    """Return counts to which instances without a pairing add nothing."""
    none = np.zeros(len(counts.n_true), dtype=bool)
    none[infeasible] = True
    columns = {name: getattr(counts, name) for name in FIELDS}
    cut: dict[str, Any] = {
        k: np.where(none, 0, column) for k, column in columns.items() if column is not None
    }
    return replace(counts, **cut, infeasible=none)


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

    extension: str = "exact"
    threshold: int | None = None
    limit: float | None = None

    def compute(self, batch: Batch) -> Counts:
        """Grow the graphs of the batch and count their classes."""
        graphs = extended_graphs(
            batch.hierarchy, batch.y_true, batch.y_pred, self.extension, self.threshold, self.limit,
            draw=batch.traces is not None,
        )  # fmt: skip
        if batch.traces is not None:
            batch.traces[self] = graphs
        none = np.zeros(len(graphs.n_true))
        return Counts(
            graphs.n_true, graphs.n_predicted, graphs.n_both, none, len(batch.hierarchy),
            graphs.found_by,
        )  # fmt: skip

    def evidence(self, batch: Batch) -> LcaEvidence:
        """Name the classes and edges of both graphs, and what every label requires."""
        sides = batch.y_true, batch.y_pred
        return lca_evidence(batch.hierarchy, *sides, batch.trace(self), self.extension)


@dataclass(frozen=True)
class ConfusionRecipe:
    """TP, FP, FN and TN of every instance along root paths.

    Parameters
    ----------
    pairing, empty, nested, blank
        As for :func:`hierpair.metrics.hierarchical_confusion_matrix`.
    """

    pairing: str = "exact"
    empty: str = "root"
    nested: str = "drop"
    blank: str = "ignore"

    def compute(self, batch: Batch) -> Counts:
        """Pair the paths of the batch and count."""
        c = confusion(
            batch.hierarchy, batch.y_true, batch.y_pred,
            self.pairing, self.empty, self.nested, self.blank,
        )  # fmt: skip
        if batch.traces is not None:
            batch.traces[self] = c
        none = np.zeros(len(c.tp))
        return Counts(c.tp + c.fn, c.tp + c.fp, c.tp, none, len(batch.hierarchy), n_neither=c.tn)

    def evidence(self, batch: Batch) -> ConfusionEvidence:
        """Spell out the pairs of paths and classes with their fields."""
        return confusion_evidence(batch.hierarchy, batch.trace(self), self.pairing)


def named_pairs_of(measures: Iterable[HasRecipe]) -> list[NamedPairs]:
    """Return the pairs of classes that the rules of measures name."""
    rules = [m.recipe.rule for m in measures if isinstance(m.recipe, PairRecipe)]
    return [named for rule in rules for named in rule.named_pairs]
