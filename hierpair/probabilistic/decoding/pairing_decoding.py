"""Exact decoding of the expected cost of a pairing rule: a mixed-integer program."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, Infeasible, SolverLimit
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Ints, offsets
from hierpair.labels import LabelSets
from hierpair.pairing import (
    SIDES,
    Capacity,
    Mass,
    PairingProblem,
    Pairs,
    Rule,
    Side,
    formulate,
    solve_pairing,
)
from hierpair.probabilistic.decoding.decoded import Decoded, proved
from hierpair.probabilistic.decoding.exact_decoders import Task, decoder
from hierpair.probabilistic.decoding.probability_rows import (
    candidate_classes,
    merged_scenarios,
    need_distribution,
)
from hierpair.probabilistic.distributions import LabelDistribution
from hierpair.solvers import Ends, ExpectedPairing, choose_nodes

__all__ = ["decode_pairing"]

SLACK = 1e-6
"""HiGHS meets its constraints to about this, as a share of the cost."""


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
    value, bound = np.empty(len(distribution)), np.empty(len(distribution))
    exact = True
    rows, nodes = [], []
    for i in range(len(distribution)):
        merged = merged_scenarios(distribution, i, sets.indptr, sets.indices)
        p = np.array([*merged.values()])
        flat = np.array([c for key in merged for c in key], dtype=np.int32)
        pointer = offsets(np.array([len(key) for key in merged], dtype=np.int64))
        truth = LabelSets.from_arrays(pointer, flat, len(h))
        try:
            best = choose_nodes(_expected(h, rule, classes, p, truth), limit)
            _check_cost(h, rule, classes[best.nodes], p, truth, best.value, best.optimal)
        except (BadInput, Infeasible, SolverLimit) as error:
            raise type(error)(error.reason, distribution.name(i)) from None
        rows.append(np.full(len(best.nodes), i))
        nodes.append(classes[best.nodes])
        value[i], bound[i] = best.value, best.bound
        exact = exact and best.optimal
    method = "mixed-integer program" if exact else "mixed-integer program, stopped by the limit"
    return proved(distribution, rows, nodes, value, "lower", method, bound=bound, exact=exact)


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
    if problem.groups:
        _refuse("it bounds groups of labels (Groups)")
    if problem.costs_of_numbers:
        _refuse("numbers of pairs have costs of their own (CountCost, under, over)")
    if len(problem.costs) > 1:
        _refuse("its costs are lexicographic")
    if problem.limit is not None:
        _refuse("its largest cost is minimised first (Bottleneck)")
    if problem.moved is not None or problem.joined:
        _refuse("it has capacities, masses, or a quota over all instances")
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


def _check_cost(
    hierarchy: Hierarchy,
    rule: Rule,
    classes: Ints,
    p: Floats,
    truth: LabelSets,
    cost: float,
    optimal: bool,
) -> None:
    """Score the chosen set by the rule itself, and refuse a rule that gives it another cost."""
    problem = _formulated(hierarchy, rule, classes, truth)
    scored = float(p @ solve_pairing(problem, on_infeasible="nan").cost)
    slack = SLACK * (1 + abs(cost))
    if not (scored <= cost + slack and (not optimal or scored >= cost - slack)):
        _refuse("its costs or bounds depend on which other classes are predicted")


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
