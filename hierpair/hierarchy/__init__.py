"""A checked class hierarchy (tree, forest or DAG), its ancestor closure and its distances."""

from hierpair.hierarchy.closure import (
    Closure,
    ancestor_closure,
    cut_closure,
    descendant_closure,
    mean_ancestors,
)
from hierpair.hierarchy.counted import uncounted
from hierpair.hierarchy.cycles import depth_first_back_edges, find_cycle
from hierpair.hierarchy.distance import common_ancestor_distances, nearest_common_ancestors
from hierpair.hierarchy.graph import Hierarchy

__all__ = [
    "Closure",
    "Hierarchy",
    "ancestor_closure",
    "common_ancestor_distances",
    "cut_closure",
    "depth_first_back_edges",
    "descendant_closure",
    "find_cycle",
    "mean_ancestors",
    "nearest_common_ancestors",
    "uncounted",
]
