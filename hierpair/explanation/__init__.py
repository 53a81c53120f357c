"""Why an instance got its score: pairings with proofs, augmented sets, the hierarchy around."""

from hierpair.explanation.evidence import (
    BlockingRow,
    ClassNode,
    ConfusionEvidence,
    ConfusionRow,
    ConstraintRow,
    Evidence,
    ExtensionEvidence,
    LabelRow,
    Neighbourhood,
    PairEvidence,
    PairRow,
    SetEvidence,
)
from hierpair.explanation.explaining import Explanation, explain, explain_worst
from hierpair.explanation.surroundings import neighbourhood

__all__ = [
    "BlockingRow",
    "ClassNode",
    "ConfusionEvidence",
    "ConfusionRow",
    "ConstraintRow",
    "Evidence",
    "Explanation",
    "ExtensionEvidence",
    "LabelRow",
    "Neighbourhood",
    "PairEvidence",
    "PairRow",
    "SetEvidence",
    "explain",
    "explain_worst",
    "neighbourhood",
]
