"""Why an instance got its score: pairings with proofs, augmented sets, the hierarchy around."""

from hierpair.explanation.data_sets import (
    ConstraintCost,
    ConstraintCosts,
    PairedDataSet,
    constraint_costs,
    pair_data_set,
)
from hierpair.explanation.instances import Explanation, explain
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
    "neighbourhood",
    "pair_data_set",
]
