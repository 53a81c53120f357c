"""What the writers of hierarchies share: edges by name, and what a form cannot hold."""

from __future__ import annotations

from collections.abc import Callable

from hierpair.hierarchy import Hierarchy

__all__ = ["lost_beside", "named_edges"]


def named_edges(hierarchy: Hierarchy, names: list[str]) -> list[tuple[str, str]]:
    """Return parent and child of every edge by these names."""
    ptr, parents = hierarchy.parent_ptr.tolist(), hierarchy.parents.tolist()
    return [(names[p], names[c]) for c in range(len(names)) for p in parents[ptr[c] : ptr[c + 1]]]


def lost_beside(*kept: str) -> Callable[[Hierarchy], list[str]]:
    """Return what says which parts of a hierarchy are lost in a form that keeps only these."""

    def lost(hierarchy: Hierarchy) -> list[str]:
        n_weights = 0 if hierarchy.weights is None else len(hierarchy.weights)
        held = {
            "aliases": (len(hierarchy.aliases), "other names of classes are lost; json keeps"),
            "titles": (len(hierarchy.titles), "names of classes for people are lost; json keeps"),
            "weights": (n_weights, "edge weights are lost; weighted-edges and json keep"),
        }
        return [f"{n} {text} them" for part, (n, text) in held.items() if n and part not in kept]

    return lost
