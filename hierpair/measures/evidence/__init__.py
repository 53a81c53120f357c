"""What a recipe shows of one instance, in names: the evidence that a value rests on."""

from hierpair.measures.evidence.base import ARTIFICIAL, Evidence, cost_text
from hierpair.measures.evidence.digraphs import (
    hierarchy_digraph,
    network_digraph,
    own_network_digraph,
)
from hierpair.measures.evidence.flows import ArcRow, CountRow, FlowEvidence
from hierpair.measures.evidence.joined_graphs import ConstraintRow, LcaEvidence
from hierpair.measures.evidence.neighbourhoods import ClassNode, Neighbourhood, neighbourhood
from hierpair.measures.evidence.path_fields import ConfusionEvidence, ConfusionRow
from hierpair.measures.evidence.shared_classes import Amounts, SetEvidence

__all__ = [
    "ARTIFICIAL",
    "Amounts",
    "ArcRow",
    "ClassNode",
    "ConfusionEvidence",
    "ConfusionRow",
    "ConstraintRow",
    "CountRow",
    "Evidence",
    "FlowEvidence",
    "LcaEvidence",
    "Neighbourhood",
    "SetEvidence",
    "cost_text",
    "hierarchy_digraph",
    "neighbourhood",
    "network_digraph",
    "own_network_digraph",
]
