"""Random parts of a hierarchy of one's own, to examine measures on what it is like."""

from __future__ import annotations

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.verification.properties.small_world import World

__all__ = ["check_parts", "part_of"]

FEWEST, MOST = 3, 15
"""Classes of a part below its root: what is built into it needs some more."""

MOST_EDGES = 40
"""Edges of a part: where all of them are split there is a class for each."""

NEARBY = 0.6
"""How often the next class is a child of one that is there: parts have siblings and paths."""

TRIES = 60
"""How often a class is tried."""

ROOT = "(root)"
"""What stands above the roots of a hierarchy that has several."""


def check_parts(hierarchy: Hierarchy) -> Hierarchy:
    """Return a hierarchy of which parts can be drawn, or refuse it."""
    Hierarchy.of(hierarchy)
    n_below = len(hierarchy) - (len(hierarchy.root_indices) == 1)
    if n_below < FEWEST:
        raise BadInput(
            f"a hierarchy to draw from needs at least {FEWEST} classes below the root, this one "
            f"has {n_below}; leave it out to draw any hierarchies"
        )
    return hierarchy


def part_of(hierarchy: Hierarchy, rng: np.random.Generator) -> World:
    """Return some classes of a hierarchy with all classes above them and the edges between.

    Classes that are more than 15 with all above them are never in it.

    Parameters
    ----------
    hierarchy
        A large one, of any shape; several roots get one above.
    rng
        What chooses the classes.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("food", "bread"), ("food", "cheese"), ("cheese", "brie")])
    >>> part_of(tree, np.random.default_rng(0))
    World(parents=((), (0,), (0,), (2,)), names=('food', 'bread', 'cheese', 'brie'))
    """
    roots = set(hierarchy.root_indices.tolist())
    wanted = int(rng.integers(FEWEST, MOST + 1))
    chosen = set[int]()
    for _ in range(TRIES):
        if len(chosen - roots) >= wanted:
            break
        near = sorted(chosen) if chosen and rng.random() < NEARBY else []
        at = near[int(rng.integers(len(near)))] if near else int(rng.integers(len(hierarchy)))
        below = hierarchy.children[hierarchy.child_ptr[at] : hierarchy.child_ptr[at + 1]]
        c = int(rng.choice(below)) if near and len(below) else at
        more = chosen | {c, *hierarchy.ancestor_numbers(c).tolist()}
        if len(more) <= MOST + 1 and sum(len(_above(hierarchy, x)) for x in more) <= MOST_EDGES:
            chosen = more
    order = sorted(chosen)  # parents have smaller numbers
    single = len(roots) == 1
    place = {c: k + (not single) for k, c in enumerate(order)}
    parents = [tuple(sorted(place[p] for p in _above(hierarchy, c))) or (0,) for c in order]
    names = [str(hierarchy.names[c]) for c in order]
    if single:
        return World(((), *parents[1:]), tuple(names))
    return World(((), *parents), (ROOT, *names))


def _above(hierarchy: Hierarchy, c: int) -> list[int]:
    """Return the parents of a class."""
    found: list[int] = hierarchy.parents[
        hierarchy.parent_ptr[c] : hierarchy.parent_ptr[c + 1]
    ].tolist()
    return found
