"""Minimal LCA graph extension: two label sets grown to meet in their lowest common ancestors."""

from __future__ import annotations

from dataclasses import replace

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.lca.chosen_graphs import cover_of
from hierpair.lca.instance_problem import cover_problem
from hierpair.lca.links import Links, link, nearest_partners, without_ancestors
from hierpair.lca.minimal import (
    ARRAYS,
    BOUND,
    SEARCH,
    SOLVER,
    WAYS,
    Graphs,
    full_graphs,
    greedy_graphs,
    minimal_graphs,
)
from hierpair.lca.shortest_paths import Wanted, shortest_ways

__all__ = [
    "ARRAYS",
    "BOUND",
    "EXTENSIONS",
    "SEARCH",
    "SOLVER",
    "WAYS",
    "Graphs",
    "Links",
    "Wanted",
    "cover_of",
    "cover_problem",
    "extended_graphs",
    "link",
    "nearest_partners",
    "shortest_ways",
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
) -> Graphs:
    """Return the sizes of the two graphs of every instance (Kosmopoulos et al. 2014, §2.4.2).

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
    """
    if extension not in EXTENSIONS:
        raise BadInput(f"extension must be one of {', '.join(EXTENSIONS)}, got {extension!r}")
    members = without_ancestors(hierarchy, y_true, y_pred)
    links = link(hierarchy, members, threshold)
    if extension == "full":
        graphs = full_graphs(hierarchy, links)
    elif extension == "greedy":
        graphs = greedy_graphs(hierarchy, links)
    else:
        graphs = minimal_graphs(hierarchy, links, limit)
    if not draw:
        return graphs
    covers = [cover_of(hierarchy, links, i, extension, limit) for i in range(len(y_true))]
    partners = nearest_partners(hierarchy, members, threshold)
    return replace(graphs, drawing=(links, covers, partners))
