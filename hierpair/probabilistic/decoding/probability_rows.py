"""Probabilities of classes row by row, with the place of each class's parent in its row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Floats, Ints, groups_by, row_numbers
from hierpair.labels.node_scores import NodeScores
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.stopping import parent_of

__all__ = [
    "TreeRows",
    "blocks",
    "candidate_classes",
    "class_costs",
    "counted_entries",
    "edge_weights",
    "marginals_of",
    "merged_scenarios",
    "need_distribution",
    "need_single_paths",
    "need_tree",
    "paths_of",
    "preorder",
    "sum_rows",
    "tree_rows",
]


Instances = TypeVar("Instances", LabelDistribution, NodeScores)


@dataclass(frozen=True, eq=False)
class TreeRows:
    """The classes that an instance may have, on a tree or forest, parents before children.

    Attributes
    ----------
    row, node, p
        Instance, class and probability of every entry, by instance and then class.
    parent
        Entry of the class's parent in the same instance, -1 at the top.
    level
        Level of every class.
    """

    row: Ints
    node: NDArray[np.int32]
    p: Floats
    parent: Ints
    level: NDArray[np.int32]

    def by_level(self) -> list[Ints]:
        """Return the entries of every level, from the top."""
        return groups_by(self.level)

    def from_top(self, own: Floats) -> Floats:
        """Return for every entry the sum of ``own`` over it and its ancestors."""
        total = own.copy()
        for entries in self.by_level():
            below = entries[self.parent[entries] >= 0]
            total[below] += total[self.parent[below]]
        return total


def marginals_of(distribution: LabelDistribution | NodeScores) -> NodeScores:
    """Return the probability of every class; scores stand for it."""
    if isinstance(distribution, LabelDistribution):
        return distribution.marginals()
    if not isinstance(distribution, NodeScores):
        raise BadInput(
            f"expected a LabelDistribution or NodeScores, got {type(distribution).__name__}"
        )
    return distribution


def blocks(instances: Instances, cells: int, width: int) -> Iterator[tuple[slice, Instances]]:
    """Yield instances in blocks of so many cells at most, a width each, and where they are."""
    step = max(1, cells // width)
    for lo in range(0, len(instances), step):
        hi = min(len(instances), lo + step)
        yield slice(lo, hi), instances.part(lo, hi)


def counted_entries(scores: NodeScores, root: Any) -> tuple[Ints, NDArray[np.int32], Floats]:
    """Return instance, class and score of all entries but those of what ``root`` excludes."""
    keep = ~np.isin(scores.indices, excluded_classes(scores.hierarchy, root))
    return row_numbers(scores.indptr)[keep], scores.indices[keep], scores.values[keep]


def merged_scenarios(
    distribution: LabelDistribution, i: int, pointer: NDArray[Any], node: NDArray[Any]
) -> dict[tuple[int, ...], float]:
    """Return the distinct sets of the possible scenarios of an instance, and their probabilities.

    The set of scenario ``j`` is ``node[pointer[j] : pointer[j + 1]]``.
    """
    merged: dict[tuple[int, ...], float] = {}
    for j in range(int(distribution.indptr[i]), int(distribution.indptr[i + 1])):
        if distribution.p[j] > 0:
            key = tuple(node[pointer[j] : pointer[j + 1]].tolist())
            merged[key] = merged.get(key, 0.0) + float(distribution.p[j])
    return merged


def need_distribution(distribution: Any, what: str) -> LabelDistribution:
    """Return a distribution; refuse anything else, scores of classes too."""
    if not isinstance(distribution, LabelDistribution):
        raise BadInput(
            f"{what} needs a LabelDistribution, got {type(distribution).__name__}; make one with "
            "LabelDistribution.from_nodes or LabelDistribution.from_leaves"
        )
    return distribution


def need_tree(hierarchy: Hierarchy, what: str, *, forest: bool = False) -> None:
    """Refuse a DAG, and a forest unless it will do."""
    if hierarchy.shape == "DAG" or (hierarchy.shape == "forest" and not forest):
        allowed = "a tree or forest" if forest else "a tree"
        raise BadInput(f"{what} is decoded exactly on {allowed}, and this is a {hierarchy.shape}")


def need_single_paths(distribution: Any, what: str, *, labelled: bool = False) -> None:
    """Refuse scenarios of several labels, and if they must be labelled those without a label."""
    known = need_distribution(distribution, what)
    if not known.is_single_path:
        raise BadInput(
            f"{what} is decoded for distributions over single labels; this distribution has "
            "scenarios of several"
        )
    if labelled and (known.tips < 0).any():
        raise BadInput(f"{what} is not defined for scenarios without a label")


def preorder(hierarchy: Hierarchy) -> Ints:
    """Return the classes of a tree or forest, each followed by its descendants."""
    order: list[int] = []
    waiting = hierarchy.root_indices[::-1].tolist()
    while waiting:
        v = waiting.pop()
        order.append(v)
        below = hierarchy.children[hierarchy.child_ptr[v] : hierarchy.child_ptr[v + 1]]
        waiting += below[::-1].tolist()
    return np.array(order, dtype=np.int64)


def paths_of(hierarchy: Hierarchy) -> Ints:
    """Return the class at every depth above every class, itself at its own; else itself."""
    parent = parent_of(hierarchy)
    deepest = int(hierarchy.depths.max())
    path = np.repeat(np.arange(len(hierarchy))[:, None], deepest + 1, axis=1)
    for d in range(deepest - 1, -1, -1):
        below = hierarchy.depths > d
        path[below, d] = parent[path[below, d + 1]]
    return path


def edge_weights(hierarchy: Hierarchy, weighted: bool) -> Floats:
    """Return the length of the edge into every class of a tree, 0 for the root."""
    weight = np.ones(len(hierarchy))
    if weighted and hierarchy.weights is not None:
        weight[np.diff(hierarchy.parent_ptr) == 1] = hierarchy.weights
    weight[hierarchy.root_indices] = 0.0
    return weight


def class_costs(hierarchy: Hierarchy, costs: Any, name: str) -> Floats:
    """Return a cost per class from a number, or one number per class."""
    try:
        cost = np.array(np.broadcast_to(np.asarray(costs, float), (len(hierarchy),)))
    except (TypeError, ValueError):
        raise BadInput(f"{name} must be a number or hold one per class") from None
    if not ((cost >= 0) & np.isfinite(cost)).all():
        raise BadInput(f"{name} must be finite and not negative")
    return cost


def candidate_classes(hierarchy: Hierarchy, candidates: Any) -> Ints:
    """Return the numbers of the classes that may be predicted, ascending; None is all.

    Raises
    ------
    BadInput
        For no class, or what is no class number.
    """
    if candidates is None:
        return np.arange(len(hierarchy))
    listed = list(candidates) if isinstance(candidates, Iterable) else candidates
    numbers = np.asarray(listed)
    if numbers.ndim != 1 or not len(numbers) or numbers.dtype.kind not in "iu":
        raise BadInput(
            "candidates must be class numbers such as hierarchy.index(names), got "
            f"{shown(candidates)}"
        )
    outside = (numbers < 0) | (numbers >= len(hierarchy))
    if outside.any():
        raise BadInput(
            f"the candidate {numbers[outside][0]} is no class number; there are 0 … "
            f"{len(hierarchy) - 1}"
        )
    return np.unique(numbers).astype(np.int64)


def sum_rows(row: NDArray[np.integer], values: Floats, n: int) -> Floats:
    """Return the sum of the values of every row, shape ``(n,)``."""
    sums: Floats = np.bincount(row, values, minlength=n).astype(np.float64)
    return sums


def tree_rows(scores: NodeScores, root: Any = "include") -> TreeRows:
    """Return the entries of coherent scores on a tree or forest; ``root`` says what counts.

    A parent without a score of its own would have one of at least its child's, so it must be
    there: incoherent scores are refused.
    """
    h = scores.hierarchy
    row, node, p = counted_entries(scores, root)
    above = parent_of(h)[node]
    above[np.isin(above, excluded_classes(h, root))] = -1
    keys = row * len(h) + node
    at = np.full(len(keys), -1, dtype=np.int64)
    inner = np.flatnonzero(above >= 0)
    if len(inner):
        wanted = row[inner] * len(h) + above[inner]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        if (keys[place] != wanted).any():
            raise BadInput(
                "a class has a probability and its parent has none; repair the scores with "
                "closed('max') or closed('min')"
            )
        at[inner] = place
    return TreeRows(row, node, p, at, h.levels[node])
