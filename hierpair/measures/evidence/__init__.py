"""What a recipe shows of one instance, in names: the evidence that a value rests on."""

from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.evidence.flows import FlowEvidence, FlowRow, cost_text
from hierpair.measures.evidence.graphs import ARTIFICIAL, ClassNode, Neighbourhood, neighbourhood

__all__ = [
    "ARTIFICIAL",
    "ClassNode",
    "Field",
    "FieldEvidence",
    "FlowEvidence",
    "FlowRow",
    "Neighbourhood",
    "cost_text",
    "neighbourhood",
]
