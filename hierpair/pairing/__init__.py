"""Which predicted class may be paired with which true class, how often, and at what price."""

from hierpair.pairing.demands import (
    AS_MANY_AS_THERE_ARE,
    Default,
    Forbid,
    MaxDistance,
    Partners,
    Require,
    Total,
    Within,
    by_level,
    by_subtree,
)
from hierpair.pairing.draft import Draft, Grouping
from hierpair.pairing.pairs import Labels, Pairs, Side
from hierpair.pairing.prices import (
    CosineDistance,
    DecayedEdges,
    EdgeWeights,
    Hops,
    InTurn,
    PriceMatrix,
    price_named,
    price_text,
)
from hierpair.pairing.problem import PairingProblem, Rule, formulate

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "CosineDistance",
    "DecayedEdges",
    "Default",
    "Draft",
    "EdgeWeights",
    "Forbid",
    "Grouping",
    "Hops",
    "InTurn",
    "Labels",
    "MaxDistance",
    "PairingProblem",
    "Pairs",
    "Partners",
    "PriceMatrix",
    "Require",
    "Rule",
    "Side",
    "Total",
    "Within",
    "by_level",
    "by_subtree",
    "formulate",
    "price_named",
    "price_text",
]
