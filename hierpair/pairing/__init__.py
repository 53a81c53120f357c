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
from hierpair.pairing.matrices import CosineDistance, PriceMatrix
from hierpair.pairing.naming import NAMED, price_named, price_text
from hierpair.pairing.pairs import Labels, Pairs, Side
from hierpair.pairing.prices import (
    NORMALISATIONS,
    AncestorDifference,
    DecayedEdges,
    EdgeWeights,
    Hops,
    InTurn,
    Price,
)
from hierpair.pairing.problem import PairingProblem, Rule, checked_price, formulate
from hierpair.pairing.similarities import Lin, Resnik, WuPalmer
from hierpair.pairing.worst import worst_prices

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "NAMED",
    "NORMALISATIONS",
    "AncestorDifference",
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
    "Lin",
    "MaxDistance",
    "PairingProblem",
    "Pairs",
    "Partners",
    "Price",
    "PriceMatrix",
    "Require",
    "Resnik",
    "Rule",
    "Side",
    "Total",
    "Within",
    "WuPalmer",
    "by_level",
    "by_subtree",
    "checked_price",
    "formulate",
    "price_named",
    "price_text",
    "worst_prices",
]
