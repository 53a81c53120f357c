"""Minimal LCA graph extension: two label sets grown to meet in their lowest common ancestors."""

from __future__ import annotations

import numpy as np

from hierpair.errors import BadInput
from hierpair.extension.greedy import greedy_cover
from hierpair.extension.links import Links, link, nearest_partners, without_ancestors
from hierpair.extension.minimal import (
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
from hierpair.extension.problem import class_of_rank, cover_problem
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.solvers import Cover, solve_cover

__all__ = [
    "ARRAYS",
    "BOUND",
    "EXTENSIONS",
    "SEARCH",
    "SOLVER",
    "WAYS",
    "Graphs",
    "Links",
    "cover_of",
    "cover_problem",
    "extended_graphs",
    "link",
    "nearest_partners",
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
    """
    if extension not in EXTENSIONS:
        raise BadInput(f"extension must be one of {', '.join(EXTENSIONS)}, got {extension!r}")
    links = link(hierarchy, without_ancestors(hierarchy, y_true, y_pred), threshold)
    if extension == "full":
        return full_graphs(hierarchy, links)
    if extension == "greedy":
        return greedy_graphs(hierarchy, links)
    return minimal_graphs(hierarchy, links, limit)


def cover_of(
    hierarchy: Hierarchy,
    links: Links,
    instance: int,
    extension: str = "exact",
    limit: float | None = None,
) -> Cover:
    """Return what was chosen for one instance: LCAs, classes and edges of both graphs.

    The minimal graphs are solved by constraint programming, whatever way the batch took, so that
    they come with a proof. Labels without any partner are not in the graphs.
    """
    rows = np.flatnonzero(links.members.instance[links.label] == instance)
    members = links.members
    here = members.instance == instance
    linked = np.bincount(links.label, minlength=len(here)) > 0
    lone = [int((here & ~linked & (members.side == s)).sum()) for s in (0, 1)]
    if extension == "greedy":
        ranked = greedy_cover(cover_problem(hierarchy, links, rows, ranked=True))
        back = class_of_rank(hierarchy)
        nodes = [frozenset(back[c] for c in side) for side in ranked.nodes]
        edges = [frozenset((back[a], back[b]) for a, b in side) for side in ranked.edges]
        ends = frozenset(back[a] for a in ranked.ends)
        return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)
    problem = cover_problem(hierarchy, links, rows, (lone[0], lone[1]))
    if extension == "full":
        sides = [[x for x in problem.links if x.side == s] for s in (0, 1)]
        nodes = [frozenset(c for x in side for step in x.steps for c in step) for side in sides]
        edges = [frozenset(e for x in side for e in x.edges) for side in sides]
        ends = frozenset(x.end for x in problem.links if x.own)
        return Cover(ends, (nodes[0], nodes[1]), (edges[0], edges[1]), False)
    return solve_cover(problem, limit, greedy_cover(problem) if limit is not None else None)
