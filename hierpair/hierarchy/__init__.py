"""A checked class hierarchy (tree, forest or DAG), its ancestor closure and its distances."""

from hierpair.hierarchy.closure import (
    Closure,
    ancestor_closure,
    common_ancestor_depths,
    common_ancestor_distances,
    common_ancestor_sums,
    cut_closure,
    descendant_closure,
    highest_common_ancestors,
    mean_ancestors,
    nearest_common_ancestors,
)
from hierpair.hierarchy.graph import Hierarchy, takes_hierarchy
from hierpair.hierarchy.weights import (
    COSTS,
    DEPTHS,
    ancestor_sums,
    depth_weights,
    descendant_sums,
    excluded_classes,
    grown_weights,
    handed_down,
    least_ways,
    mistake_costs,
    way_weights,
)

__all__ = [
    "COSTS",
    "DEPTHS",
    "Closure",
    "Hierarchy",
    "ancestor_closure",
    "ancestor_sums",
    "common_ancestor_depths",
    "common_ancestor_distances",
    "common_ancestor_sums",
    "cut_closure",
    "depth_weights",
    "descendant_closure",
    "descendant_sums",
    "excluded_classes",
    "grown_weights",
    "handed_down",
    "highest_common_ancestors",
    "least_ways",
    "mean_ancestors",
    "mistake_costs",
    "nearest_common_ancestors",
    "takes_hierarchy",
    "way_weights",
]
