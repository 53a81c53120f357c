"""Which predicted class may be paired with which true class, how often, and at what cost."""

from hierpair.pairing.constraints.builder import VERBS, Builder
from hierpair.pairing.constraints.grouping import Grouping, by_level, by_subtree
from hierpair.pairing.constraints.values import OPEN
from hierpair.pairing.constraints.vocabulary import (
    AS_MANY_AS_THERE_ARE,
    Cardinality,
    Degree,
    Forbid,
    Groups,
    MaxDistance,
    Require,
    Unmatched,
)
from hierpair.pairing.costs.cost_matrices import CosineDistance, CostMatrix
from hierpair.pairing.costs.edge_costs import (
    NORMALISATIONS,
    AncestorDifference,
    DecayedEdges,
    EdgeWeights,
    Hops,
)
from hierpair.pairing.costs.lexicographic import Lexicographic
from hierpair.pairing.costs.max_cost import max_costs
from hierpair.pairing.costs.named_costs import NAMED, Cost, cost_named, cost_text, named_cost
from hierpair.pairing.costs.similarities import Lin, Resnik, WuPalmer
from hierpair.pairing.network.infeasibility import Blocking, Statement, why_infeasible
from hierpair.pairing.network.inverse_data import BOUND, PAIR, TOTAL, InverseData, Pairing
from hierpair.pairing.network.reading import read, without_pairing
from hierpair.pairing.network.solving import build, solve_pairing
from hierpair.pairing.pair_order import NamedPairs, OrderOfPairs
from hierpair.pairing.pairs import SIDES, GroupsOf, Instances, Labels, Pairs, Side
from hierpair.pairing.problem import PairingProblem, Remark
from hierpair.pairing.rule import Rule, checked_cost, formulate

__all__ = [
    "AS_MANY_AS_THERE_ARE",
    "BOUND",
    "NAMED",
    "NORMALISATIONS",
    "OPEN",
    "PAIR",
    "SIDES",
    "TOTAL",
    "VERBS",
    "AncestorDifference",
    "Blocking",
    "Builder",
    "Cardinality",
    "CosineDistance",
    "Cost",
    "CostMatrix",
    "DecayedEdges",
    "Degree",
    "EdgeWeights",
    "Forbid",
    "Grouping",
    "Groups",
    "GroupsOf",
    "Hops",
    "Instances",
    "InverseData",
    "Labels",
    "Lexicographic",
    "Lin",
    "MaxDistance",
    "NamedPairs",
    "OrderOfPairs",
    "Pairing",
    "PairingProblem",
    "Pairs",
    "Remark",
    "Require",
    "Resnik",
    "Rule",
    "Side",
    "Statement",
    "Unmatched",
    "WuPalmer",
    "build",
    "by_level",
    "by_subtree",
    "checked_cost",
    "cost_named",
    "cost_text",
    "formulate",
    "max_costs",
    "named_cost",
    "read",
    "solve_pairing",
    "why_infeasible",
    "without_pairing",
]
