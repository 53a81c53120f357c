"""What a recipe shows of one instance, in names: the evidence that a value rests on."""

from hierpair.measures.evidence.base import ARTIFICIAL, Evidence, cost_text
from hierpair.measures.evidence.digraphs import (
    hierarchy_digraph,
    network_digraph,
    own_network_digraph,
)
from hierpair.measures.evidence.fields import Field, FieldEvidence
from hierpair.measures.evidence.moved_masses import MassRow, MoveRow, TransportEvidence
from hierpair.measures.evidence.neighbourhoods import ClassNode, Neighbourhood, neighbourhood
from hierpair.measures.evidence.other_pairings import SavingRow
from hierpair.measures.evidence.own_network import ArcRow, NetworkEvidence, NodeRow
from hierpair.measures.evidence.paired_labels import (
    BlockingRow,
    CountRow,
    LabelRow,
    PairEvidence,
    PairRow,
)

__all__ = [
    "ARTIFICIAL",
    "ArcRow",
    "BlockingRow",
    "ClassNode",
    "CountRow",
    "Evidence",
    "Field",
    "FieldEvidence",
    "LabelRow",
    "MassRow",
    "MoveRow",
    "Neighbourhood",
    "NetworkEvidence",
    "NodeRow",
    "PairEvidence",
    "PairRow",
    "SavingRow",
    "TransportEvidence",
    "cost_text",
    "hierarchy_digraph",
    "neighbourhood",
    "network_digraph",
    "own_network_digraph",
]
