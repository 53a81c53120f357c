"""The cost of a flow through a network that a rule wrote itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hierpair.measures.columns import SET_SIZES, Column, Columns, without
from hierpair.measures.evidence import FlowEvidence
from hierpair.measures.evidence.flow_rows import network_evidence
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.pairings import PAIR_COLUMNS
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.pairing import NetworkRule, solve_network, written_network

__all__ = ["OwnNetworkRecipe"]


@dataclass(frozen=True)
class OwnNetworkRecipe:
    """Cost of the cheapest flow of every instance through a network of its own.

    Parameters
    ----------
    rule
        What writes the networks.
    threshold
        Path threshold, or None.
    """

    family: ClassVar = "pair"
    columns: ClassVar[tuple[Column, ...]] = PAIR_COLUMNS

    rule: NetworkRule
    threshold: int | None = None

    def compute(self, batch: Batch) -> Columns:
        """Solve the networks of the batch."""
        own = written_network(self.rule, batch.pairs(self.threshold))
        plain = batch.columns(SetRecipe())
        found = solve_network(own, on_infeasible=batch.on_infeasible)
        if batch.traces is not None:
            batch.traces[self] = own, found
        columns = {column.name: plain[column.name] for column in SET_SIZES}
        columns["cost"] = found.cost
        return without(columns, found.flow.infeasible)

    def evidence(self, batch: Batch) -> FlowEvidence:
        """Spell out the flow, with the proof that none is cheaper."""
        return network_evidence(*batch.trace(self))
