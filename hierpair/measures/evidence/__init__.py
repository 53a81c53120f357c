"""What a recipe shows of one instance, in names: the evidence that a value rests on."""

from hierpair.measures.evidence.base import ARTIFICIAL, Evidence, cost_text
from hierpair.measures.evidence.digraphs import (
    hierarchy_digraph,
    network_digraph,
    own_network_digraph,
)
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.evidence.flows import ArcRow, CountRow, FlowEvidence
from hierpair.measures.evidence.neighbourhoods import ClassNode, Neighbourhood, neighbourhood

__all__ = [
    "ARTIFICIAL",
    "ArcRow",
    "ClassNode",
    "CountRow",
    "Evidence",
    "Field",
    "FieldEvidence",
    "FlowEvidence",
    "Neighbourhood",
    "cost_text",
    "hierarchy_digraph",
    "neighbourhood",
    "network_digraph",
    "own_network_digraph",
]
