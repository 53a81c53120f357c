"""Least expected cost of a pairing: GIE of one label on a tree, and any rule as a program."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestors_of, descendant_closure
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
from hierpair.solvers import BinaryProgram, Chosen

SLACK = 1e-6
"""HiGHS meets its constraints to about this, as a share of the cost."""

CELLS = 10_000_000
"""Instances times classes times classes whose costs are held at a time."""


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
        program = _program(h, rule, classes, p, truth)
        found = program.solve(limit, "no prediction has a pairing in every scenario")
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


def _program(
    hierarchy: Hierarchy, rule: Rule, classes: Ints, p: Floats, truth: LabelSets
) -> BinaryProgram:
    """Return the choice of classes whose cheapest pairings with all true sets cost least.

    It has what the rule says of every class, whether it will be predicted or not. What it says of
    the last class must not change where that is the only one: the program says it before it is
    known what is predicted. Once the classes are chosen, each true set is a flow, so only the
    choice needs whole numbers.
    """
    if any(isinstance(c, (Mass, Capacity)) for c in rule.constraints):
        raise _refusal()
    n = len(classes)
    problem, alone = (_formulated(hierarchy, rule, c, truth) for c in (classes, classes[-1:]))
    more, missing = problem.counts[2:], [problem.default[s].astype(np.float64) for s in SIDES]
    said = zip(_of_last(problem, n), _of_last(alone, 1), strict=True)
    if (
        any(not c.is_hard or c.kind != "instance" for c in more)
        or len(problem.costs) > 1
        or problem.limit is not None
        or problem.moved is not None
        or (problem.required & ~problem.candidate).any()
        or not all(np.array_equal(*both) for both in said)
    ):
        raise _refusal()
    cost, pairs, useful = problem.cost.astype(np.float64), problem.pairs, problem.candidate
    if not more:  # not where leaving both classes without a partner costs no more
        without = missing[0][pairs.predicted_at] + missing[1][pairs.true_at]
        one_each = all((count.upper == 1).all() for count in problem.counts[:2])
        useful = useful & ((cost < without) if one_each else (cost <= without))
    kept = np.flatnonzero(useful | problem.required)
    copy, program, (predicted, true) = (
        pairs.predicted_at[kept],
        BinaryProgram(n),
        problem.counts[:2],
    )
    place, of, own = np.arange(n * len(p)), pairs.true_labels.instance, np.arange(len(kept))
    pair, every = program.variables(p[copy // n] * cost[kept]), np.arange(len(of))
    lack, lacking = (
        program.variables(p[of] * np.where(may, price, 0.0), np.where(may, count.lower, 0.0))
        for of, count, price in zip((place // n, of), (predicted, true), missing, strict=True)
        for may in [np.isfinite(price)]
    )
    # a chosen class has its partners or pays for them, and has no more than it may
    partners, found = (copy, pair, 1), (pairs.true_at[kept], pair, 1)
    least = (place, place % n, -predicted.lower), partners, (place, lack, 1)
    program.constrain(len(place), 0, np.inf, *least)
    program.constrain(len(place), -np.inf, 0, (place, place % n, -predicted.upper), partners)
    program.constrain(len(every), true.lower, np.inf, found, (every, lacking, 1))
    program.constrain(len(every), -np.inf, true.upper, found)
    # only chosen classes have partners
    all_or_none = np.where(problem.required[kept], 0.0, -np.inf)
    program.constrain(len(kept), all_or_none, 0.0, (own, copy % n, -1), (own, pair, 1))
    for total in more[:1]:
        program.constrain(len(p), total.lower, total.upper, (copy // n, pair, 1))
    return program


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
    every, opening = np.arange(len(h)), np.where(may, alone, np.inf)
    place, size = inverse(preorder(h), len(h)), descendant_closure(h).lengths(every)
    weighted = weighted and h.weights is not None

    @lru_cache(maxsize=1)  # mostly the next instances have the same classes
    def distances(used: bytes) -> Floats:
        classes = np.frombuffer(used, np.int64)
        of, to = np.repeat(classes, len(classes)), np.tile(classes, len(classes))
        return h.pair_distances(of, to, weighted=weighted).reshape(len(classes), -1)

    def best(some: LabelDistribution) -> Best:
        law, classes = some.label_marginals(), every
        if predictable is None:  # no class is nearer to labels than those above one
            used = np.append(ancestors_of(h, law.indices)[1], h.root_indices)
            classes = sorted_unique(used.astype(np.int64))
        p = law.dense()
        labelled = p.sum(axis=1)
        near = np.minimum(alone + alone_true, distances(classes.tobytes()))
        cost = p.T[classes, :, None] * near[:, None]
        at, n_below = place[classes], size[classes]
        inside = (at >= at[:, None]) & (at < (at + n_below)[:, None])
        children_first = np.argsort(at + n_below - h.depths[classes])
        parent = places_in(classes, h.parent[classes])
        least, serving = _serve(cost, opening[classes], parent, children_first, inside)
        # |S| c is paid for the facilities; with a true class one of them is not alone.
        something = least - alone * labelled
        nothing = alone_true * (1 - np.maximum(0.0, 1 - labelled))
        better = something < nothing - 1e-12
        row = np.flatnonzero(better).repeat(len(classes))
        node = classes[serving[better].ravel()]
        return Best(row, node, np.where(better, something, nothing))

    parts = map(best, in_parts(distribution, CELLS, min(len(h) ** 2, CELLS)))
    return decoded(distribution, parts, "lower", "facilities on a tree by dynamic program")


def _serve(
    cost: Floats, opening: Floats, parent: Ints, children_first: Ints, inside: Bools
) -> tuple[Floats, Ints]:
    """Return the least cost of at least one facility, and who serves every class.

    ``cost`` is by class, row and server what it costs to serve the class, and becomes F; whether a
    server is at or below a class says ``inside``.
    """
    n, n_rows, _ = cost.shape
    rows, lowest = np.arange(n_rows), np.zeros((n, n_rows))
    nearest, server = np.zeros((2, n, n_rows), dtype=np.int64)
    for v in children_first.tolist():
        cost[v, :, v] += opening[v]
        within = np.where(inside[v], cost[v], np.inf)
        nearest[v] = within.argmin(axis=1)
        lowest[v] = within[rows, nearest[v]]
        if v:
            cost[parent[v]] += np.minimum(cost[v], np.where(inside[v], np.inf, lowest[v, :, None]))
    server[0] = nearest[0]
    for v in range(1, n):
        above = server[parent[v]]
        stays = inside[v, above] | (cost[v, rows, above] <= lowest[v])
        server[v] = np.where(stays, above, nearest[v])
    return lowest[0], server.T
