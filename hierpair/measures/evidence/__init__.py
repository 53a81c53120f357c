"""What a recipe shows of one instance, in names: the evidence that a value rests on."""

from hierpair.measures.evidence.base import ARTIFICIAL, Evidence, cost_text
from hierpair.measures.evidence.digraphs import hierarchy_digraph, network_digraph
from hierpair.measures.evidence.joined_graphs import ConstraintRow, LcaEvidence
from hierpair.measures.evidence.neighbourhoods import ClassNode, Neighbourhood, neighbourhood
from hierpair.measures.evidence.paired_labels import (
    BlockingRow,
    LabelRow,
    PairEvidence,
    PairRow,
)
from hierpair.measures.evidence.path_fields import ConfusionEvidence, ConfusionRow
from hierpair.measures.evidence.shared_classes import Amounts, SetEvidence

__all__ = [
    "ARTIFICIAL",
    "Amounts",
    "BlockingRow",
    "ClassNode",
    "ConfusionEvidence",
    "ConfusionRow",
    "ConstraintRow",
    "Evidence",
    "LabelRow",
    "LcaEvidence",
    "Neighbourhood",
    "PairEvidence",
    "PairRow",
    "SetEvidence",
    "cost_text",
    "hierarchy_digraph",
    "neighbourhood",
    "network_digraph",
]
