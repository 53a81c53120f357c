"""Minimal LCA graph extension: two label sets grown to meet in their lowest common ancestors."""

from hierpair.lca.graphs import ARRAYS, BOUND, SEARCH, SOLVED_BY, SOLVER, Graphs, extended_graphs
from hierpair.lca.links import link, name_ranks, paths_of_links, ways_up, without_ancestors

__all__ = [
    "ARRAYS",
    "BOUND",
    "SEARCH",
    "SOLVED_BY",
    "SOLVER",
    "Graphs",
    "extended_graphs",
    "link",
    "name_ranks",
    "paths_of_links",
    "ways_up",
    "without_ancestors",
]
