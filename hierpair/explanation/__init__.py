"""Why an instance got its score: pairings with proofs, augmented sets, the hierarchy around."""

from hierpair.explanation.costs_of_constraints import (
    ConstraintCost,
    ConstraintCosts,
    constraint_costs,
)
from hierpair.explanation.explained import Explanation
from hierpair.explanation.instances import explain, explain_worst
from hierpair.explanation.paired_data_set import PairedDataSet, pair_data_set
from hierpair.measures.evidence import (
    ClassNode,
    Field,
    FieldEvidence,
    FlowEvidence,
    FlowRow,
    Neighbourhood,
    neighbourhood,
)

__all__ = [
    "ClassNode",
    "ConstraintCost",
    "ConstraintCosts",
    "Explanation",
    "Field",
    "FieldEvidence",
    "FlowEvidence",
    "FlowRow",
    "Neighbourhood",
    "PairedDataSet",
    "constraint_costs",
    "explain",
    "explain_worst",
    "neighbourhood",
    "pair_data_set",
]
