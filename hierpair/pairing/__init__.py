"""Which predicted class may be paired with which true class, how often, and at what price."""

from hierpair.pairing.constraints.amounts import OPEN
from hierpair.pairing.constraints.builder import VERBS, Draft, Remark
from hierpair.pairing.constraints.groupings import by_level, by_subtree
from hierpair.pairing.constraints.groups import Grouping, numbered
from hierpair.pairing.constraints.vocabulary import (
    AS_MANY_AS_THERE_ARE,
    Default,
    Forbid,
    MaxDistance,
    Partners,
    Require,
    Total,
    Within,
)
from hierpair.pairing.costs.cost_matrices import CosineDistance, PriceMatrix
from hierpair.pairing.costs.edge_costs import (
    NORMALISATIONS,
    AncestorDifference,
    DecayedEdges,
    EdgeWeights,
    Hops,
    InTurn,
    Price,
)
from hierpair.pairing.costs.max_cost import worst_prices
from hierpair.pairing.costs.named_costs import NAMED, price_named, price_text
from hierpair.pairing.costs.similarities import Lin, Resnik, WuPalmer
from hierpair.pairing.pair_order import NamedPairs, OrderOfPairs
from hierpair.pairing.pairs import GroupsOf, Instances, Labels, Pairs, Side
from hierpair.pairing.problem import PairingProblem, Rule, checked_price, formulate

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "NAMED",
    "NORMALISATIONS",
    "OPEN",
    "VERBS",
    "AncestorDifference",
    "CosineDistance",
    "DecayedEdges",
    "Default",
    "Draft",
    "EdgeWeights",
    "Forbid",
    "Grouping",
    "GroupsOf",
    "Hops",
    "InTurn",
    "Instances",
    "Labels",
    "Lin",
    "MaxDistance",
    "NamedPairs",
    "OrderOfPairs",
    "PairingProblem",
    "Pairs",
    "Partners",
    "Price",
    "PriceMatrix",
    "Remark",
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
    "numbered",
    "price_named",
    "price_text",
    "worst_prices",
]
