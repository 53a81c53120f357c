"""Minimal LCA graph extension: two label sets grown to meet in their lowest common ancestors."""

from hierpair.lca.graphs import BOUND, SOLVED_BY, SOLVER, Graphs, extended_graphs
from hierpair.lca.links import name_ranks, paths_of_links, ways_up

__all__ = [
    "BOUND",
    "SOLVED_BY",
    "SOLVER",
    "Graphs",
    "extended_graphs",
    "name_ranks",
    "paths_of_links",
    "ways_up",
]
