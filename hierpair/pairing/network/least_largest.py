"""The least largest cost of every instance, all at once, and why no smaller one will do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy.arrays import Ints
from hierpair.pairing.network.infeasibility import Blocking, why_infeasible
from hierpair.pairing.network.pairings import Pairing, solve_pairing
from hierpair.pairing.pairs import SIDES, Array
from hierpair.pairing.problem import CostLimit, PairingProblem

__all__ = ["limited", "why_no_smaller"]


def limited(problem: PairingProblem) -> PairingProblem:
    """Return the problem without the pairs and defaults above the least largest cost.

    The limit is found by bisection over the different costs of every instance, of all instances in
    parallel. An instance without a pairing keeps all of them.

    Raises
    ------
    BadInput
        For a negative cost.
    """
    n = problem.n_instances
    costs = [problem.cost, *problem.default.values()]
    of = [problem.pairs.instance, *(problem.labels(s).instance for s in SIDES)]
    values = [0, *(x for cost in costs for x in cost.tolist())]  # Fractions stay what they are
    kind = object if any(c.dtype == object for c in costs) else np.float64
    distinct, place = np.unique(np.array(values, dtype=kind), return_inverse=True)
    if distinct[0] < 0:
        raise BadInput("a Bottleneck needs costs ≥ 0, as the largest of no cost at all is 0")
    rank, owner = place.ravel()[1:], np.concatenate(of)
    allowed = np.concatenate([problem.candidate, *(c < np.inf for c in costs[1:])]).astype(bool)
    block = np.arange(n) * len(distinct)
    levels = np.unique(np.concatenate([block, (rank + block[owner])[allowed]]))
    start = np.searchsorted(levels, block)
    end = np.append(start[1:], len(levels)) - 1

    def value(level: Ints) -> Array:
        return distinct[levels[level] - block]

    best = solve_pairing(problem, on_infeasible="nan")
    stuck = np.isnan(best.cost)
    used = np.concatenate([best.chosen, *(m > 0 for m in best.missing.values())])
    most = block.copy()
    np.maximum.at(most, owner[used], (rank + block[owner])[used])
    high = np.where(stuck, end, np.searchsorted(levels, most))
    low = np.where(stuck, end - 1, start - 1)  # what is too low; before the first one nothing is
    while (open_ := low + 1 < high).any():
        middle = np.where(open_, (low + high) // 2, high)
        found: Pairing = solve_pairing(_up_to(problem, value(middle)), on_infeasible="nan")
        met = ~np.isnan(found.cost)
        high, low = np.where(met, middle, high), np.where(met | ~open_, low, middle)
    largest = np.where(stuck, np.nan, value(high).astype(np.float64))
    below = np.where(stuck | (high == start), -1, value(np.maximum(high - 1, start)))
    return replace(_up_to(problem, value(high)), limit=CostLimit(problem, largest, below))


def why_no_smaller(problem: PairingProblem, instance: int) -> Blocking | None:
    """Return what cannot hold together where all is cheaper than the largest cost of an instance.

    None where the largest cost is 0, or the instance has no pairing at all.
    """
    limit = problem.limit
    if limit is None or limit.below[instance] < 0:
        return None
    return why_infeasible(_up_to(limit.of, limit.below), instance)


def _up_to(problem: PairingProblem, most: Array) -> PairingProblem:
    """Return the problem without what costs more than so much in every instance."""
    candidate = problem.candidate & (problem.cost <= most[problem.pairs.instance]).astype(bool)
    counts = list(problem.counts)
    for k, count in enumerate(counts[: len(SIDES)]):
        first, *later = count.under()
        cheap = (first <= most[count.instance]).astype(bool)
        counts[k] = count.lacking([np.where(cheap, first, np.inf), *later])
    return replace(problem, candidate=candidate, counts=tuple(counts))
