"""A checked class hierarchy (tree, forest or DAG), its ancestor closure and its distances."""

from hierpair.hierarchy.closure import (
    Closure,
    ancestor_closure,
    common_ancestor_depths,
    common_ancestor_distances,
    common_ancestor_sums,
    descendant_closure,
    highest_common_ancestors,
    mean_ancestors,
    nearest_common_ancestors,
)
from hierpair.hierarchy.graph import Hierarchy, takes_hierarchy
from hierpair.hierarchy.weights import (
    COSTS,
    DEPTHS,
    classes_at,
    depth_weights,
    descendant_sums,
    excluded_classes,
    grown_weights,
    leaf_information,
    least_ways,
    mistake_costs,
    named_levels,
    root_classes,
)

__all__ = [
    "COSTS",
    "DEPTHS",
    "Closure",
    "Hierarchy",
    "ancestor_closure",
    "classes_at",
    "common_ancestor_depths",
    "common_ancestor_distances",
    "common_ancestor_sums",
    "depth_weights",
    "descendant_closure",
    "descendant_sums",
    "excluded_classes",
    "grown_weights",
    "highest_common_ancestors",
    "leaf_information",
    "least_ways",
    "mean_ancestors",
    "mistake_costs",
    "named_levels",
    "nearest_common_ancestors",
    "root_classes",
    "takes_hierarchy",
]
