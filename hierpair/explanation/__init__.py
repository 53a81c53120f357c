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
    ArcRow,
    ClassNode,
    CountRow,
    Evidence,
    Field,
    FieldEvidence,
    FlowEvidence,
    Neighbourhood,
    neighbourhood,
)

__all__ = [
    "ArcRow",
    "ClassNode",
    "ConstraintCost",
    "ConstraintCosts",
    "CountRow",
    "Evidence",
    "Explanation",
    "Field",
    "FieldEvidence",
    "FlowEvidence",
    "Neighbourhood",
    "PairedDataSet",
    "constraint_costs",
    "explain",
    "explain_worst",
    "neighbourhood",
    "pair_data_set",
]
