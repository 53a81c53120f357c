"""Why an instance got its score: pairings with proofs, augmented sets, the hierarchy around."""

from hierpair.explanation.costs_of_constraints import (
    ConstraintCost,
    ConstraintCosts,
    constraint_costs,
)
from hierpair.explanation.explained import Explanation
from hierpair.explanation.explaining import explain, explain_worst
from hierpair.explanation.paired_data_set import PairedDataSet, QuotaRow, pair_data_set
from hierpair.measures.evidence import (
    BlockingRow,
    ClassNode,
    CountRow,
    Evidence,
    Field,
    FieldEvidence,
    LabelRow,
    Neighbourhood,
    PairEvidence,
    PairRow,
    SavingRow,
    neighbourhood,
)

__all__ = [
    "BlockingRow",
    "ClassNode",
    "ConstraintCost",
    "ConstraintCosts",
    "CountRow",
    "Evidence",
    "Explanation",
    "Field",
    "FieldEvidence",
    "LabelRow",
    "Neighbourhood",
    "PairEvidence",
    "PairRow",
    "PairedDataSet",
    "QuotaRow",
    "SavingRow",
    "constraint_costs",
    "explain",
    "explain_worst",
    "neighbourhood",
    "pair_data_set",
]
