"""Which predicted class may be paired with which true class, how often, and at what cost."""

from hierpair.pairing.class_costs import (
    AncestorDifference,
    Climb,
    DecayedEdges,
    EdgeWeights,
    Height,
    Hops,
    Lin,
    Resnik,
    WuPalmer,
)
from hierpair.pairing.composed import Bottleneck, Lexicographic, RightIsFree, max_costs
from hierpair.pairing.counts import Count, Partition, by_class, by_level, by_subtree
from hierpair.pairing.given_costs import CosineDistance, CostMatrix
from hierpair.pairing.infeasibility import why_infeasible
from hierpair.pairing.named_costs import NAMED, Cost, cost_named, cost_text, named_cost
from hierpair.pairing.named_pairs import NamedPairs, OrderOfPairs
from hierpair.pairing.network import build
from hierpair.pairing.network_graph import network_graph
from hierpair.pairing.own_networks import NetworkRule, solve_network, written_network
from hierpair.pairing.pairings import Pairing, read, solve_pairing
from hierpair.pairing.pairs import SIDES, Instances, Labels, Pairs, Side, checked_cost
from hierpair.pairing.problem import Builder, PairingProblem
from hierpair.pairing.rule import Rule, formulate
from hierpair.pairing.transport import Masses, moving_prices, transport_costs
from hierpair.pairing.units import mass_text
from hierpair.pairing.vocabulary import (
    AS_MANY_AS_THERE_ARE,
    Capacity,
    Cardinality,
    CountCost,
    Degree,
    Forbid,
    Groups,
    Mass,
    MaxDistance,
    Quota,
    Require,
    Unmatched,
)
from hierpair.pairing.what_if import WhatIf, best_pairings

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "NAMED",
    "SIDES",
    "AncestorDifference",
    "Bottleneck",
    "Builder",
    "Capacity",
    "Cardinality",
    "Climb",
    "CosineDistance",
    "Cost",
    "CostMatrix",
    "Count",
    "CountCost",
    "DecayedEdges",
    "Degree",
    "EdgeWeights",
    "Forbid",
    "Groups",
    "Height",
    "Hops",
    "Instances",
    "Labels",
    "Lexicographic",
    "Lin",
    "Mass",
    "Masses",
    "MaxDistance",
    "NamedPairs",
    "NetworkRule",
    "OrderOfPairs",
    "Pairing",
    "PairingProblem",
    "Pairs",
    "Partition",
    "Quota",
    "Require",
    "Resnik",
    "RightIsFree",
    "Rule",
    "Side",
    "Unmatched",
    "WhatIf",
    "WuPalmer",
    "best_pairings",
    "build",
    "by_class",
    "by_level",
    "by_subtree",
    "checked_cost",
    "cost_named",
    "cost_text",
    "formulate",
    "mass_text",
    "max_costs",
    "moving_prices",
    "named_cost",
    "network_graph",
    "read",
    "solve_network",
    "solve_pairing",
    "transport_costs",
    "why_infeasible",
    "written_network",
]
