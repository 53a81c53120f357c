"""Why an instance got its score: pairings with proofs, augmented sets, the hierarchy around."""

from hierpair.explanation.explained import Explanation
from hierpair.explanation.explaining import explain, explain_worst
from hierpair.measures.evidence import (
    BlockingRow,
    ClassNode,
    ConfusionEvidence,
    ConfusionRow,
    ConstraintRow,
    Evidence,
    LabelRow,
    LcaEvidence,
    Neighbourhood,
    PairEvidence,
    PairRow,
    SetEvidence,
    neighbourhood,
)

__all__ = [
    "BlockingRow",
    "ClassNode",
    "ConfusionEvidence",
    "ConfusionRow",
    "ConstraintRow",
    "Evidence",
    "Explanation",
    "LabelRow",
    "LcaEvidence",
    "Neighbourhood",
    "PairEvidence",
    "PairRow",
    "SetEvidence",
    "explain",
    "explain_worst",
    "neighbourhood",
]
