"""Weights of classes: by depth, summed over ways up, ancestors or descendants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hierpair.errors import BadInput, check_known
from hierpair.hierarchy.arrays import Bools, Floats, Ints, by_row, marked
from hierpair.hierarchy.closure import ancestor_closure, remembered
from hierpair.hierarchy.graph import Hierarchy

DEPTHS = ("min", "max", "mean", "sum")
"""What the depth of a class with several parents is: by its fewest or its most edges from a
parentless class, or by the mean or the sum of the weights of its parents."""

COSTS = ("sibling", "ones", "subtree")
"""What a wrong class costs in the H-loss: its share of 1, handed down from parent to children; 1;
or the share of all classes that it and its descendants are."""


def excluded_classes(hierarchy: Hierarchy, root: Any) -> Ints:
    """Return the numbers of the classes that do not count.

    These are the :func:`root_classes`, and where only some classes are of interest
    (:meth:`Hierarchy.counting`) all others.
    """
    found = root_classes(hierarchy, root)
    if hierarchy.of_interest is None:
        return found
    return np.union1d(found, np.flatnonzero(~hierarchy.of_interest))


def counted_classes(hierarchy: Hierarchy, root: Any, classes: Iterable[Any] | None = None) -> Bools:
    """Return which classes, of these or of all, count: all but the :func:`excluded_classes`."""
    counts = ~marked(excluded_classes(hierarchy, root), len(hierarchy))
    return counts if classes is None else counts & marked(hierarchy.index(classes), len(counts))


def root_classes(hierarchy: Hierarchy, root: Any) -> Ints:
    """Return the numbers of the classes that stand for "any class".

    ``"exclude"``: a single parentless class; ``"include"``: none; otherwise the class named.
    """
    if root not in ("include", "exclude") and root not in hierarchy:
        said = hierarchy.unknown_message(root)
        raise BadInput(f"{said}; root is 'include', 'exclude' or the name of a class")
    if root == "exclude":
        return hierarchy.root_indices[: hierarchy.has_one_root]
    return hierarchy.index([] if root == "include" else [root]).astype(np.int64)


def named_levels(hierarchy: Hierarchy) -> tuple[Ints, tuple[Any, ...]]:
    """Return the place of every class among the levels, and what these are: numbers, or ranks.

    Where classes have ranks, levels are these, from the top by how deep their classes lie on
    average; a class without one is of no level, whose place is behind all others.
    """
    level = hierarchy.levels.astype(np.int64)
    if not hierarchy.ranks:
        return level, tuple(range(int(level.max(initial=0)) + 1))
    words = np.array([hierarchy.ranks.get(name, "") for name in hierarchy.names], dtype=object)
    ranks = sorted({*hierarchy.ranks.values()}, key=lambda x: (level[words == x].mean(), x))
    place = {word: k for k, word in enumerate(ranks)} | {"": len(ranks)}
    return np.array([place[word] for word in words]), tuple(ranks)


def classes_at(hierarchy: Hierarchy, level: int | str | None) -> Bools:
    """Return which classes are of a level, given as a number or as a rank; None: all are.

    Raises
    ------
    BadInput
        For a level or rank that the hierarchy does not have.
    """
    if level is None:
        return np.ones(len(hierarchy), dtype=bool)
    if isinstance(level, str):
        check_known("rank", level, sorted({*hierarchy.ranks.values()}), "at_level")
        rank_of = hierarchy.ranks.get
        return hierarchy.cached(
            ("rank", level), lambda: np.array([rank_of(name) == level for name in hierarchy.names])
        )
    deepest = int(hierarchy.levels[-1])
    if level > deepest:
        raise BadInput(f"at_level must be a level of the hierarchy, 0 to {deepest}, got {level}")
    return np.asarray(hierarchy.levels == level)


@remembered
def depth_weights(hierarchy: Hierarchy, w0: float, depth: str) -> Floats:
    """Return a weight per class that decreases with depth; parentless classes weigh 1.

    In a tree it is ``w0 ** depth``. With several parents it is ``w0`` times the least (``"max"``
    depth), largest (``"min"`` depth), mean or summed weight of the parents (Vens et al. 2008).

    >>> dag = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "d")])
    >>> [depth_weights(dag, 0.5, depth).tolist()[-1] for depth in DEPTHS]
    [0.25, 0.125, 0.1875, 0.375]
    """
    if depth in ("min", "max"):
        n_edges = hierarchy.depths if depth == "min" else hierarchy.levels
        weight: Floats = np.power(float(w0), n_edges)
    else:
        weight = np.ones(len(hierarchy))
        for lo, hi, starts, parents in hierarchy.downwards():
            weight[lo:hi] = w0 * np.add.reduceat(weight[parents], starts)
            if depth == "mean":
                weight[lo:hi] /= np.diff(hierarchy.parent_ptr[lo : hi + 1])
    weight.setflags(write=False)
    return weight


@remembered
def grown_weights(hierarchy: Hierarchy, w0: float, depth: str, root: Any) -> Floats:
    """Return for every class the depth weights of it and its ancestors that count, added up.

    ``root`` is that of :func:`excluded_classes`.
    """
    weight = depth_weights(hierarchy, w0, depth).copy()
    weight[excluded_classes(hierarchy, root)] = 0
    closure = ancestor_closure(hierarchy)
    return np.add.reduceat(weight[closure.indices], closure.indptr[:-1])


@remembered
def mistake_costs(hierarchy: Hierarchy, costs: str) -> Floats:
    """Return what a wrong class costs in the H-loss, by a word of :data:`COSTS`."""
    if costs != "sibling":
        ones = np.ones(len(hierarchy))
        some = descendant_sums(hierarchy, ones) / len(hierarchy)
        return some if costs == "subtree" else ones
    # parentless classes share 1, and children what each of their parents has
    share = np.zeros(len(hierarchy))
    share[hierarchy.root_indices] = 1 / len(hierarchy.root_indices)
    n_children = hierarchy.n_children
    for lo, hi, starts, parents in hierarchy.downwards():
        share[lo:hi] = np.add.reduceat(share[parents] / n_children[parents], starts)
    return share


def leaf_information(hierarchy: Hierarchy) -> Floats:
    """Return by how many bits every class narrows down the leaves (Valmadre 2022).

    The information of a class is ``I(c) = −log₂(|L(c)| / |N|)``, L(c) the leaves below it (a leaf:
    it itself) and N all leaves. Its weight is I(c) less that of its parent, so that a class and its
    ancestors weigh I(c) together; in a DAG less the largest of its parents, where they weigh more.

    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"),
    ...                              ("b", "f")])
    >>> dict(zip(tree.names, leaf_information(tree).tolist()))
    {'r': 0.0, 'a': 1.0, 'b': 1.0, 'c': 1.0, 'd': 1.0, 'e': 1.0, 'f': 1.0}
    """
    leaf = hierarchy.is_leaf.astype(np.float64)
    information: Floats = np.abs(np.log2(descendant_sums(hierarchy, leaf) / leaf.sum()))
    above = information[hierarchy.parents]
    return information - by_row(np.maximum, above, hierarchy.parent_ptr, 0)


def descendant_sums(hierarchy: Hierarchy, values: Floats) -> Floats:
    """Return for every class the sum over its descendants, itself included, each counted once."""
    sums: Floats = ancestor_closure(hierarchy).pattern.T @ values
    return sums
