"""Least expected cost of a pairing: GIE of one label on a tree, and any rule as a program."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestors_of
from hierpair.hierarchy.arrays import (
    Bools,
    Floats,
    Ints,
    inverse,
    places_in,
    sorted_unique,
)
from hierpair.hierarchy.building import LARGEST_NUMBER
from hierpair.labels import LabelSets
from hierpair.pairing import (
    SIDES,
    Capacity,
    Mass,
    PairingProblem,
    Pairs,
    Rule,
    formulate,
    solve_pairing,
)
from hierpair.pairing.costs import check_number
from hierpair.probabilistic.decoding import (
    Best,
    Decoded,
    NotExact,
    decoded,
    in_parts,
    need_distribution,
    need_single_paths,
    need_tree,
    one_by_one,
)
from hierpair.probabilistic.decoding.by_class import candidate_classes, class_costs
from hierpair.probabilistic.decoding.by_size import preorder
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.solvers import Chosen, Ends, ExpectedPairing, choose_nodes

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
    >>> from hierpair import Hierarchy
    >>> from hierpair.pairing import Degree, Hops, Unmatched
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
    h = distribution.hierarchy
    classes = candidate_classes(h, candidates)

    def best(p: Floats, truth: LabelSets) -> Chosen:
        found = choose_nodes(_expected(h, rule, classes, p, truth), limit)
        found = found._replace(nodes=classes[found.nodes])
        scored = solve_pairing(_formulated(h, rule, found.nodes, truth), on_infeasible="nan")
        cost, slack = float(p @ scored.cost), SLACK * (1 + abs(found.value))
        # the chosen set scored by the rule itself: another cost shows what the rule hides
        if not (cost <= found.value + slack and (not found.optimal or cost >= found.value - slack)):
            raise _refusal()
        return found

    parts = one_by_one(distribution, distribution.sets, best)
    return decoded(distribution, parts, "lower", "binary program")


def _formulated(
    hierarchy: Hierarchy, rule: Rule, classes: Ints, truth: LabelSets
) -> PairingProblem:
    """Return the problems of predicting all of these classes, one per true set."""
    n = len(truth)
    everywhere = LabelSets.from_arrays(
        np.arange(n + 1) * len(classes), np.tile(classes, n).astype(np.int32), len(hierarchy)
    )
    return formulate(rule, Pairs.between(hierarchy, truth, everywhere, first=None))


def _expected(
    hierarchy: Hierarchy, rule: Rule, classes: Ints, p: Floats, truth: LabelSets
) -> ExpectedPairing:
    """Return what the rule says of every class, whether it will be predicted or not.

    What it says of the last class must not change where that is the only one: the program says it
    before it is known what is predicted.
    """
    if any(isinstance(c, (Mass, Capacity)) for c in rule.constraints):
        raise _refusal()
    problem, alone = (_formulated(hierarchy, rule, c, truth) for c in (classes, classes[-1:]))
    more = problem.counts[2:]
    said = zip(_of_last(problem, len(classes)), _of_last(alone, 1), strict=True)
    if (
        any(not c.is_hard or c.kind != "instance" for c in more)
        or len(problem.costs) > 1
        or problem.limit is not None
        or problem.moved is not None
        or (problem.required & ~problem.candidate).any()
        or not all(np.array_equal(*both) for both in said)
    ):
        raise _refusal()
    cost, pairs = problem.cost.astype(np.float64), problem.pairs
    missing = {s: problem.default[s].astype(np.float64) for s in SIDES}
    useful = problem.candidate
    total = next(((c.lower, c.upper) for c in more), None)
    if total is None:  # not where leaving both classes without a partner costs no more
        without = missing["predicted"][pairs.predicted_at] + missing["true"][pairs.true_at]
        one_each = all((count.upper == 1).all() for count in problem.counts[:2])
        useful = useful & ((cost < without) if one_each else (cost <= without))
    kept = np.flatnonzero(useful | problem.required)
    both = zip(problem.counts[:2], missing.values(), strict=True)
    predicted, true = (Ends(count.lower, count.upper, lacks) for count, lacks in both)
    at = pairs.predicted_at[kept], pairs.true_at[kept]
    of = pairs.true_labels.instance
    return ExpectedPairing(p, predicted, true, of, *at, cost[kept], problem.required[kept], total)


def _of_last(problem: PairingProblem, n: int) -> list[Any]:
    """Return what a problem says of the last of n predicted classes and of the true ones."""
    predicted, true = problem.counts[:2]
    last, of_last = problem.pairs.predicted_at % n == n - 1, slice(n - 1, None, n)
    said = [x[last] for x in (problem.cost, problem.candidate, problem.required)]
    said += [x[of_last] for x in (predicted.lower, predicted.upper, problem.default["predicted"])]
    n_true = np.diff(problem.pairs.true_labels.ptr)
    for of in (true, *(c for c in problem.counts[2:] if c.kind == "instance")):
        most = np.maximum(of.lower, 1 if of is true else n_true)
        said += [of.lower, np.minimum(of.upper, most)]
    return [*said, problem.default["true"]]


def _refusal() -> NotExact:
    return NotExact(
        "the expected cost of this rule cannot be decoded exactly: groups of labels, costs of "
        "numbers of pairs, lexicographic or largest costs, masses, capacities, quotas, required "
        "pairs that are impossible, and what depends on which other classes are predicted have no "
        "place in the program"
    )


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
    alone, alone_true = default, default if default_true is None else default_true
    check_number("default", alone, "a finite number > 0", lambda x: 0 < x < LARGEST_NUMBER)
    check_number("default_true", alone_true)
    may = class_costs(h, 1.0 if predictable is None else predictable, "predictable") > 0
    opening, place = np.where(may, alone, np.inf), inverse(preorder(h), len(h))
    weighted = weighted and h.weights is not None
    whole = None
    if predictable is not None or len(h) ** 2 <= CELLS:
        whole = _Subtree.of(h, np.arange(len(h)), place, weighted)

    def best(some: LabelDistribution) -> Best:
        tree = whole
        if tree is None:  # no class is nearer to labels than those above one
            used = np.append(ancestors_of(h, some.sets.indices)[1], h.root_indices)
            tree = _Subtree.of(h, sorted_unique(used), place, weighted)
        own = np.zeros((len(some), len(tree.classes)))
        there = some.tips >= 0
        at = some.row[there], places_in(tree.classes, some.tips[there])
        np.add.at(own, at, some.p[there])
        np.minimum(own, 1.0, out=own)
        none = np.maximum(0.0, 1 - own.sum(axis=1))
        cost, serving = _serve(tree, own, opening[tree.classes], alone + alone_true)
        # |S| c is paid for the facilities; with a true class one of them is not alone.
        something = cost - alone * own.sum(axis=1)
        nothing = alone_true * (1 - none)
        better = something < nothing - 1e-12
        row = np.flatnonzero(better).repeat(own.shape[1])
        node = tree.classes[serving[better].ravel()]
        return Best(row, node, np.where(better, something, nothing))

    parts = map(best, in_parts(distribution, CELLS, min(len(h) ** 2, CELLS)))
    return decoded(distribution, parts, "lower", "facilities on a tree by dynamic program")


class _Subtree(NamedTuple):
    """Classes of a tree with all above them: their parents, an order, and what pairs share.

    ``inside`` says of every class which ones it is or are below it.
    """

    classes: Ints
    parent: Ints
    walk: Ints
    distance: Floats
    inside: Bools

    @classmethod
    def of(cls, h: Hierarchy, classes: Ints, place: Ints, weighted: bool) -> _Subtree:
        """Return the classes, ascending; ``place`` is that of every class in preorder."""
        n = len(classes)
        u, v = np.repeat(classes, n), np.tile(classes, n)
        distance = h.pair_distances(u, v, weighted=weighted).reshape(n, n)
        inside = np.zeros((n, n), dtype=bool)
        owner, above = ancestors_of(h, classes)
        inside[places_in(classes, above.astype(np.int64)), owner] = True
        parent = places_in(classes, h.parent[classes])
        return cls(classes, parent, np.argsort(place[classes]), distance, inside)


def _serve(tree: _Subtree, own: Floats, opening: Floats, cap: float) -> tuple[Floats, Ints]:
    """Return the least cost of at least one facility, and who serves every class."""
    n_rows, n = own.shape
    rows, parent, inside = np.arange(n_rows), tree.parent, tree.inside
    children = [np.flatnonzero(parent == v).tolist() for v in range(n)]
    least: dict[int, Floats] = {}  # F(v, ·) of classes whose parent is not done
    lowest = np.zeros((n_rows, n))  # the best of these that are served from below
    nearest = np.zeros((n_rows, n), dtype=np.int64)  # the best server below every class
    stays = np.zeros((n_rows, n, n), dtype=bool)  # whether the parent's server is kept
    for v in tree.walk[::-1].tolist():  # children first, and soon their parent
        cost = own[:, v, None] * np.minimum(cap, tree.distance[v])
        for c in children[v]:
            theirs, best = least.pop(c), lowest[:, c, None]
            stays[:, c] = inside[c] | (theirs <= best)
            cost += np.where(stays[:, c], theirs, best)
        cost[:, v] += opening[v]
        within = np.where(inside[v], cost, np.inf)
        nearest[:, v] = within.argmin(axis=1)
        lowest[:, v] = within[rows, nearest[:, v]]
        least[v] = cost
    server = np.zeros((n_rows, n), dtype=np.int64)
    server[:, 0] = nearest[:, 0]
    for v in range(1, n):
        above = server[:, parent[v]]
        server[:, v] = np.where(stays[rows, v, above], above, nearest[:, v])
    return lowest[:, 0], server
