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
from hierpair.pairing.composed import (
    Bottleneck,
    Lexicographic,
    RightIsFree,
    max_costs,
)
from hierpair.pairing.counts import Count, Partition, by_class, by_level, by_subtree
from hierpair.pairing.given_costs import CosineDistance, CostMatrix
from hierpair.pairing.infeasibility import Blocking, Statement, why_infeasible
from hierpair.pairing.named_costs import NAMED, Cost, cost_named, cost_text, named_cost
from hierpair.pairing.named_pairs import NamedPairs, OrderOfPairs
from hierpair.pairing.network import PAIR, InverseData, build
from hierpair.pairing.network_graph import network_graph
from hierpair.pairing.own_networks import (
    Net,
    NetworkRule,
    OwnFlow,
    OwnNetwork,
    solve_network,
    written_network,
)
from hierpair.pairing.pairings import (
    Pairing,
    flow_of,
    read,
    solve_pairing,
)
from hierpair.pairing.pairs import (
    OPEN,
    SIDES,
    Instances,
    Labels,
    Pairs,
    Side,
    checked_cost,
)
from hierpair.pairing.problem import Builder, PairingProblem
from hierpair.pairing.rule import Rule, formulate
from hierpair.pairing.transport import (
    Masses,
    moving_prices,
    transport_costs,
)
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
from hierpair.pairing.what_if import Saving, WhatIf, best_pairings

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "NAMED",
    "OPEN",
    "PAIR",
    "SIDES",
    "AncestorDifference",
    "Blocking",
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
    "InverseData",
    "Labels",
    "Lexicographic",
    "Lin",
    "Mass",
    "Masses",
    "MaxDistance",
    "NamedPairs",
    "Net",
    "NetworkRule",
    "OrderOfPairs",
    "OwnFlow",
    "OwnNetwork",
    "Pairing",
    "PairingProblem",
    "Pairs",
    "Partition",
    "Quota",
    "Require",
    "Resnik",
    "RightIsFree",
    "Rule",
    "Saving",
    "Side",
    "Statement",
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
    "flow_of",
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
