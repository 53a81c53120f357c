"""Exact decoding of expected GIE for one true class, on trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Bools, Floats, Ints, row_numbers
from hierpair.pairing import Degree, EdgeWeights, Hops, Rule, Unmatched
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import (
    blocks,
    edge_weights,
    need_single_paths,
    need_tree,
    paths_of,
    preorder,
)
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.probabilistic.stopping import parent_of

__all__ = ["decode_gie"]

CELLS = 40_000_000
"""Instances times classes times classes kept for going back, in bytes."""


def decode_gie(
    distribution: LabelDistribution,
    default: float = 5,
    *,
    default_true: float | None = None,
    weighted: bool = False,
    predictable: Bools | None = None,
) -> Decoded:
    """Return the set with the least expected graph-induced error where one class is true.

    For a prediction S and the true class y, GIE is ``(|S| - 1) c`` and the smaller one of
    ``c + c'`` and the distance from y to the nearest class of S, with the costs c and c' of
    predicted and true classes that stay alone; without prediction it is c'. That is placing
    facilities on a tree: each costs c, and every label is served by the nearest one or for
    ``c + c'``. F(v, u), the least cost below v where u serves v, is found from the leaves up in
    O(n²) per instance.

    Parameters
    ----------
    distribution
        A distribution over single labels on a tree; a scenario without a label costs c for each
        class.
    default
        Dmax, the cost c > 0 of a predicted class without partner.
    default_true
        The cost c' of a true class without partner; by default the same.
    weighted
        Distances add edge weights instead of counting edges.
    predictable
        Which classes may be predicted, shape ``(n_classes,)``; by default all.

    Raises
    ------
    BadInput
        For a hierarchy that is no tree, a distribution with several labels per scenario, or costs
        out of range.

    Examples
    --------
    >>> from hierpair import Hierarchy
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> best = decode_gie(LabelDistribution.from_leaves([[0.3, 0.5, 0.2]], tree), 2)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4)
    (['3'], 1.3)
    """
    need_single_paths(distribution, "GIE with one true class")
    h = distribution.hierarchy
    need_tree(h, "GIE with one true class")
    alone = float(default)
    alone_true = alone if default_true is None else float(default_true)
    if not (np.isfinite(alone) and alone > 0 and np.isfinite(alone_true) and alone_true >= 0):
        raise BadInput("the cost of a class without partner must be a finite number > 0")
    may = np.ones(len(h), dtype=bool) if predictable is None else np.asarray(predictable, bool)
    if may.shape != (len(h),):
        raise BadInput(f"predictable must have shape ({len(h)},), got {may.shape}")
    value = np.empty(len(distribution))
    rows: list[Ints] = []
    nodes: list[Ints] = []
    tree = _Tree(h, weighted)
    for at, some in blocks(distribution, CELLS, len(h) ** 2):
        own = np.zeros((len(some), len(h)))  # the probability of every class to be the label
        there = some.tips >= 0
        np.add.at(own, (row_numbers(some.indptr)[there], some.tips[there]), some.p[there])
        none = np.maximum(0.0, 1 - own.sum(axis=1))
        cost, serving = _serve(tree, own, alone, alone + alone_true, may)
        # |S| c is paid for the facilities; with a true class one of them is not alone.
        something = cost - alone * own.sum(axis=1)
        nothing = alone_true * (1 - none)
        better = something < nothing - 1e-12
        value[at] = np.where(better, something, nothing)
        row = np.repeat(np.flatnonzero(better), len(h))
        keys = np.unique(row * len(h) + serving[better].ravel())
        rows.append(keys // len(h) + at.start)
        nodes.append(keys % len(h))
    method = "facilities on a tree by dynamic program"
    return proved(distribution, rows, nodes, value, "lower", method)


def _default_costs(rule: Rule | None) -> tuple[float, float] | None:
    """Return the costs of unmatched classes of a rule that is GIE's, predicted and true."""
    if rule is None or not isinstance(rule.cost, (Hops, EdgeWeights)):
        return None
    cost = {c.side: c.cost for c in rule.constraints if isinstance(c, Unmatched)}
    numbers = all(isinstance(c, (int, float)) and 0 <= c < 1e100 for c in cost.values())
    if set(cost) != {"predicted", "true"} or not numbers or not cost["predicted"] > 0:
        return None
    one_to_one = {
        *(Degree(side, 1, 1) for side in cost),
        *(Unmatched(side, cost[side]) for side in cost),
    }
    return (cost["predicted"], cost["true"]) if set(rule.constraints) == one_to_one else None


def _is_measured(task: Task) -> bool:
    """Whether the hierarchy has the edge weights that the rule asks for, if it does."""
    assert task.rule is not None
    return isinstance(task.rule.cost, Hops) or task.hierarchy.weights is not None


@decoder(
    lambda task: (
        _default_costs(task.rule) is not None
        and task.is_distribution
        and task.has_single_paths
        and task.hierarchy.shape == "tree"
        and _is_measured(task)
    )
)
def _gie(task: Task) -> Decoded:
    """One-to-one pairings by distance, where classes may stay unmatched at a constant cost."""
    costs = _default_costs(task.rule)
    assert costs is not None
    assert task.rule is not None
    weighted = isinstance(task.rule.cost, EdgeWeights)
    best = decode_gie(task.full, costs[0], default_true=costs[1], weighted=weighted)
    return task.pooled(best)


class _Tree:
    """A tree as arrays that the dynamic program walks over."""

    def __init__(self, hierarchy: Any, weighted: bool) -> None:
        self.n = len(hierarchy)
        self.parent = parent_of(hierarchy)
        self.path = paths_of(hierarchy)
        self.depth = hierarchy.depths.astype(np.int64)
        weight = edge_weights(hierarchy, weighted)
        self.down = np.zeros(self.n)
        for v in range(1, self.n):
            self.down[v] = self.down[self.parent[v]] + weight[v]
        pointer, children = hierarchy.child_ptr, hierarchy.children
        self.children = [children[pointer[v] : pointer[v + 1]].tolist() for v in range(self.n)]
        self.upwards = preorder(hierarchy)[::-1].tolist()  # children first, and soon their parent

    def below(self, v: int) -> Bools:
        """Whether each class is v or below it."""
        inside: Bools = self.path[:, self.depth[v]] == v
        below: Bools = inside & (self.depth >= self.depth[v])
        return below

    def distance(self, v: int) -> Floats:
        """Return the distance of every class to v."""
        mine = self.path[v, : self.depth[v] + 1]
        theirs = self.path[:, : self.depth[v] + 1]
        shared = np.cumprod(theirs == mine, axis=1).sum(axis=1) - 1
        way: Floats = self.down + self.down[v] - 2 * self.down[mine[shared]]
        return way


def _serve(tree: _Tree, own: Floats, opening: float, cap: float, may: Bools) -> tuple[Floats, Ints]:
    """Return the least cost of at least one facility, and who serves every class."""
    n_rows = len(own)
    rows = np.arange(n_rows)
    least: dict[int, Floats] = {}  # F(v, ·) of classes whose parent is not done
    lowest: dict[int, Floats] = {}  # the best of these that are served from below
    nearest = np.zeros((n_rows, tree.n), dtype=np.int64)  # the best server below every class
    stays = np.zeros((n_rows, tree.n, tree.n), dtype=bool)  # whether the parent's server is kept
    for v in tree.upwards:
        cost = own[:, v, None] * np.minimum(cap, tree.distance(v))
        for c in tree.children[v]:
            theirs, inside = least.pop(c), tree.below(c)
            best = lowest.pop(c)[:, None]
            stays[:, c] = inside | (theirs <= best)
            cost += np.where(stays[:, c], theirs, best)
        cost[:, v] += opening
        cost[:, ~may] = np.inf
        inside = tree.below(v)
        within = np.where(inside, cost, np.inf)
        nearest[:, v] = within.argmin(axis=1)
        lowest[v] = within[rows, nearest[:, v]]
        least[v] = cost
    server = np.zeros((n_rows, tree.n), dtype=np.int64)
    server[:, 0] = nearest[:, 0]
    for v in range(1, tree.n):
        above = server[:, tree.parent[v]]
        server[:, v] = np.where(stays[rows, v, above], above, nearest[:, v])
    return lowest[0], server
