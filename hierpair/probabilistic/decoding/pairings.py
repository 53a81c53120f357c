"""Least expected cost of a pairing: GIE of one label on a tree, and any rule as a program."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, descendant_closure
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets, row_numbers
from hierpair.labels import LabelSets
from hierpair.pairing import (
    SIDES,
    Capacity,
    Degree,
    EdgeWeights,
    Hops,
    Mass,
    PairingProblem,
    Pairs,
    Rule,
    Side,
    Unmatched,
    formulate,
    solve_pairing,
)
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    Scenarios,
    Task,
    blocks,
    decoded,
    decoder,
    need_distribution,
    need_single_paths,
    need_tree,
    one_by_one,
)
from hierpair.probabilistic.decoding.closed_sets import preorder
from hierpair.probabilistic.decoding.single_class import candidate_classes, edge_weights
from hierpair.probabilistic.distributions import LabelDistribution, parent_of
from hierpair.solvers import Chosen, Ends, ExpectedPairing, choose_nodes

__all__ = ["decode_gie", "decode_pairing"]

SLACK = 1e-6
"""HiGHS meets its constraints to about this, as a share of the cost."""

CELLS = 40_000_000
"""Instances times classes times classes kept for going back, in bytes."""


# ------------------------------------------------------------------------------ any rule


def decode_pairing(
    distribution: LabelDistribution,
    rule: Rule,
    *,
    candidates: Any = None,
    limit: float | None = None,
) -> Decoded:
    """Return the set with the least expected cost of its best pairing with the true set.

    Whether a class is predicted is a whole number, and once that is chosen, pairing is a flow for
    every scenario; HiGHS branches on the choice. The problem is NP-hard for arbitrary costs.

    Parameters
    ----------
    distribution
        Any distribution. Labels are compared as they are; ancestors are not added.
    rule
        The costs and constraints of the pairing. Bounds on partners, costs of what stays
        unmatched, forbidden and required pairs and a bound on all pairs of an instance can be
        expressed; ``Groups``, lexicographic costs, and costs or bounds that depend on which other
        classes are predicted cannot.
    candidates
        Class numbers that may be predicted, in any order; by default all.
    limit
        Seconds for an instance; the best set so far then counts and the certificate is not
        exact.

    Returns
    -------
    Decoded
        Sets, expected costs, and a bound that no set is below.

    Raises
    ------
    BadInput
        For a rule whose expected cost the program cannot express; says why.
    Infeasible
        If no set has a pairing in all scenarios of an instance.
    SolverLimit
        If nothing was found in time.

    Examples
    --------
    >>> from hierpair import Degree, Hierarchy, Hops, Unmatched
    >>> tree = Hierarchy.from_edges([("r", "1"), ("r", "2"), ("1", "3"), ("1", "4")])
    >>> distribution = LabelDistribution.from_scenarios([[(0.6, ["3", "2"]), (0.4, ["4"])]], tree)
    >>> one_to_one = Rule(Hops(), (
    ...     Degree("predicted", 1, 1), Unmatched("predicted", 2),
    ...     Degree("true", 1, 1), Unmatched("true", 2),
    ... ))
    >>> best = decode_pairing(distribution, one_to_one)
    >>> best.sets.names_of(0, tree), round(float(best.value[0]), 4), best.is_exact
    (['2', '3'], 1.6, True)
    """
    need_distribution(distribution, "the expected cost of a pairing")
    if not isinstance(rule, Rule):
        raise BadInput(f"a pairing is decoded for a Rule, got {type(rule).__name__}")
    h, sets = distribution.hierarchy, distribution.sets
    classes = candidate_classes(h, candidates)

    def best(scenarios: Scenarios) -> Chosen:
        p = np.array([*scenarios.values()])
        flat = np.array([c for key in scenarios for c in key], dtype=np.int32)
        pointer = offsets(np.array([len(key) for key in scenarios], dtype=np.int64))
        truth = LabelSets.from_arrays(pointer, flat, len(h))
        found = choose_nodes(_expected(h, rule, classes, p, truth), limit)
        found = found._replace(nodes=classes[found.nodes])
        scored = solve_pairing(_formulated(h, rule, found.nodes, truth), on_infeasible="nan")
        cost, slack = float(p @ scored.cost), SLACK * (1 + abs(found.value))
        # the chosen set scored by the rule itself: another cost shows what the rule hides
        if not (cost <= found.value + slack and (not found.optimal or cost >= found.value - slack)):
            _refuse("its costs or bounds depend on which other classes are predicted")
        return found

    parts = one_by_one(distribution, sets.indptr, sets.indices, best)
    return decoded(distribution, parts, "lower", "mixed-integer program")


def _formulated(
    hierarchy: Hierarchy, rule: Rule, classes: Ints, truth: LabelSets
) -> PairingProblem:
    """Return the problems of predicting all of these classes, one per true set."""
    n = len(truth)
    everywhere = LabelSets.from_arrays(
        np.arange(n + 1) * len(classes), np.tile(classes, n).astype(np.int32), len(hierarchy)
    )
    return formulate(rule, Pairs.between(hierarchy, truth, everywhere))


def _expected(
    hierarchy: Hierarchy, rule: Rule, classes: Ints, p: Floats, truth: LabelSets
) -> ExpectedPairing:
    """Return what the rule says of every class, whether it will be predicted or not."""
    if any(isinstance(c, (Mass, Capacity)) for c in rule.constraints):
        _refuse("labels have masses or pairs capacities (Mass, Capacity)")
    problem = _formulated(hierarchy, rule, classes, truth)
    _check_rule(problem, _formulated(hierarchy, rule, classes[-1:], truth))
    cost = problem.cost.astype(np.float64)
    missing = {s: problem.default[s].astype(np.float64) for s in SIDES}
    pairs = problem.pairs
    # a pair is not needed where leaving both its classes without a partner costs no more
    alone = missing["predicted"][pairs.predicted_at] + missing["true"][pairs.true_at]
    one_each = all((problem.upper[s] == 1).all() for s in SIDES)
    useful = problem.candidate & ((cost < alone) if one_each else (cost <= alone))
    if problem.total is not None:
        useful = problem.candidate
    kept = np.flatnonzero(useful | problem.required)
    predicted, true = (Ends(problem.lower[s], problem.upper[s], missing[s]) for s in SIDES)
    return ExpectedPairing(
        p,
        predicted,
        true,
        pairs.true_labels.instance,
        pairs.predicted_at[kept],
        pairs.true_at[kept],
        cost[kept],
        problem.required[kept],
        problem.total,
    )


def _check_rule(problem: PairingProblem, alone: PairingProblem) -> None:
    """Refuse what the program cannot express.

    ``alone`` is the same rule where only the last class is predicted: what it says of that class
    and of the true ones must not change, because the program says it before it is known what is
    predicted.
    """
    costly = problem.costs_of_numbers
    refused = {
        "it bounds groups of labels (Groups)": problem.groups,
        "numbers of pairs have costs of their own (CountCost, under, over)": costly,
        "its costs are lexicographic": len(problem.costs) > 1,
        "its largest cost is minimised first (Bottleneck)": problem.limit is not None,
        "it has capacities, masses, or a quota over all instances": (
            problem.moved is not None or problem.joined
        ),
    }
    for why in [why for why, there in refused.items() if there][:1]:
        _refuse(why)
    impossible = problem.required & ~problem.candidate
    if impossible.any():
        _refuse(f"it requires the impossible pair {problem.pairs.text(int(impossible.argmax()))}")
    width = len(problem.lower["predicted"]) // max(1, problem.n_instances)
    last = problem.pairs.predicted_at % max(1, width) == width - 1
    labels = np.arange(len(problem.lower["predicted"])) % max(1, width) == width - 1
    same = _equal(problem.cost[last], alone.cost)
    for name in ("candidate", "required"):
        same &= np.array_equal(getattr(problem, name)[last], getattr(alone, name))
    of_side: dict[Side, Any] = {"predicted": labels, "true": slice(None)}
    for side, which in of_side.items():
        lower, upper = problem.lower[side][which], problem.upper[side][which]
        most = upper if side == "predicted" else np.minimum(upper, np.maximum(lower, 1))
        same &= np.array_equal(lower, alone.lower[side])
        same &= np.array_equal(most, alone.upper[side])
        same &= _equal(problem.default[side][which], alone.default[side])
    if problem.total is not None and alone.total is not None:
        pairs = np.maximum(np.diff(alone.pairs.ptr), problem.total[0])
        same &= np.array_equal(problem.total[0], alone.total[0])
        same &= np.array_equal(np.minimum(problem.total[1], pairs), alone.total[1])
    if not same:
        _refuse("its costs or bounds depend on which other classes are predicted")


def _equal(costs: NDArray[Any], others: NDArray[Any]) -> bool:
    return np.array_equal(costs.astype(np.float64), others.astype(np.float64))


class Inexpressible(BadInput):
    """A rule whose expected cost the program cannot express."""


def _refuse(why: str) -> None:
    raise Inexpressible(f"the expected cost of this rule cannot be decoded exactly: {why}")


@decoder(
    lambda task: (
        task.rule is not None and task.is_distribution and task.average in ("samples", "micro")
    ),
    general=True,
)
def _best_pairing(task: Task) -> Decoded | None:
    """Any measure that is the cost of a pairing; None where the program cannot express its rule."""
    assert task.rule is not None
    try:
        best = decode_pairing(task.full, task.rule, limit=task.limit)
    except Inexpressible:
        return None
    return task.pooled(best)


# ------------------------------------------------------- one label on a tree: facilities


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
    tree = _Tree(h, weighted)

    def best(some: LabelDistribution) -> Best:
        own = np.zeros((len(some), len(h)))  # the probability of every class to be the label
        there = some.tips >= 0
        np.add.at(own, (row_numbers(some.indptr)[there], some.tips[there]), some.p[there])
        none = np.maximum(0.0, 1 - own.sum(axis=1))
        cost, serving = _serve(tree, own, alone, alone + alone_true, may)
        # |S| c is paid for the facilities; with a true class one of them is not alone.
        something = cost - alone * own.sum(axis=1)
        nothing = alone_true * (1 - none)
        better = something < nothing - 1e-12
        row = np.repeat(np.flatnonzero(better), len(h))
        row, node = np.divmod(np.unique(row * len(h) + serving[better].ravel()), len(h))
        return Best(row, node, np.where(better, something, nothing))

    parts = map(best, blocks(distribution, CELLS, len(h) ** 2))
    return decoded(distribution, parts, "lower", "facilities on a tree by dynamic program")


def _gie_of(task: Task) -> dict[str, Any] | None:
    """Return the options of :func:`decode_gie` for a measure that is one, if it is to be decoded.

    One-to-one pairings by distance, where classes may stay unmatched at a constant cost.
    """
    rule, h = task.rule, task.hierarchy
    if rule is None or not task.is_distribution or not task.has_single_paths or h.shape != "tree":
        return None
    weighted = isinstance(rule.cost, EdgeWeights)
    if not (isinstance(rule.cost, Hops) or (weighted and h.weights is not None)):
        return None
    cost = {c.side: c.cost for c in rule.constraints if isinstance(c, Unmatched)}
    numbers = all(isinstance(c, (int, float)) and 0 <= c < 1e100 for c in cost.values())
    if set(cost) != {"predicted", "true"} or not numbers or not cost["predicted"] > 0:
        return None
    one_to_one = {Degree(s, 1, 1) for s in cost} | {Unmatched(s, cost[s]) for s in cost}
    found = {"default": cost["predicted"], "default_true": cost["true"], "weighted": weighted}
    return found if set(rule.constraints) == one_to_one else None


@decoder(lambda task: _gie_of(task) is not None)
def _gie(task: Task) -> Decoded:
    return task.pooled(decode_gie(task.full, **(_gie_of(task) or {})))


class _Tree:
    """A tree as arrays that the dynamic program walks over."""

    def __init__(self, hierarchy: Hierarchy, weighted: bool) -> None:
        h, self.n = hierarchy, len(hierarchy)
        self.parent, walk = parent_of(h), preorder(h)
        self.upwards = walk[::-1].tolist()  # children first, and soon their parent
        self.children = [h.children[a:b].tolist() for a, b in pairwise(h.child_ptr)]
        self.first = np.argsort(walk)  # the place of a class; those below it follow,
        self.last = self.first + descendant_closure(h).lengths(np.arange(self.n))  # up to here
        self.down = edge_weights(h, weighted)
        for v in range(1, self.n):
            self.down[v] += self.down[self.parent[v]]

    def below(self, v: int) -> Bools:
        """Whether each class is v or below it."""
        inside: Bools = (self.first >= self.first[v]) & (self.first < self.last[v])
        return inside

    def distance(self, v: int) -> Floats:
        """Return the distance of every class to v."""
        shared, above = np.empty(self.n), [v]
        while above[-1]:
            above.append(int(self.parent[above[-1]]))
        for u in reversed(above):
            shared[self.below(u)] = self.down[u]
        way: Floats = self.down + self.down[v] - 2 * shared
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
