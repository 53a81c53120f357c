"""Minimal LCA graph extension: two label sets grown to meet in their lowest common ancestors."""

from __future__ import annotations

from hierpair.errors import check_choice
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats
from hierpair.labels import LabelSets
from hierpair.lca.graphs import (
    ARRAYS,
    BOUND,
    SEARCH,
    SOLVED_BY,
    SOLVER,
    Graphs,
    full_graphs,
    greedy_graphs,
    minimal_graphs,
)
from hierpair.lca.links import Links, Wanted, classes_on_paths, link, without_ancestors
from hierpair.lca.written import cover_problem

__all__ = [
    "ARRAYS",
    "BOUND",
    "EXTENSIONS",
    "SEARCH",
    "SOLVED_BY",
    "SOLVER",
    "Graphs",
    "Links",
    "Wanted",
    "classes_on_paths",
    "cover_problem",
    "extended_graphs",
    "link",
    "without_ancestors",
]


EXTENSIONS = ("exact", "greedy", "full")
"""The minimal graphs; those of Algorithm 1; the extended graphs with nothing taken away."""


def extended_graphs(
    hierarchy: Hierarchy,
    y_true: LabelSets,
    y_pred: LabelSets,
    extension: str = "exact",
    threshold: int | None = None,
    limit: float | None = None,
    *,
    draw: bool = False,
    distances: Floats | None = None,
) -> Graphs:
    """Return the two graphs of every instance (Kosmopoulos et al. 2014, §2.4.2).

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes and the labels of a batch.
    extension
        ``"exact"``: the minimal graphs; ``"greedy"``: those of the corrected Algorithm 1;
        ``"full"``: the extended graphs.
    threshold
        Longest path between two classes, an even number, or None.
    limit
        For ``"exact"``: seconds for one instance, or None.
    draw
        Keep classes and edges too.
    distances
        Of all pairs of labels, in the order of :class:`hierpair.pairing.Pairs`, if known.
    """
    check_choice("extension", extension, EXTENSIONS)
    members = without_ancestors(hierarchy, y_true, y_pred)
    links = link(hierarchy, members, threshold, distances)
    if extension == "full":
        return full_graphs(hierarchy, links, draw=draw)
    if extension == "greedy":
        return greedy_graphs(hierarchy, links, draw=draw)
    return minimal_graphs(hierarchy, links, limit, draw=draw)
