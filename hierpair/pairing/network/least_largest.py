"""The least largest cost of every instance, all at once, and why no smaller one will do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.pairing.cost_limits import CostLimit
from hierpair.pairing.network.infeasibility import Blocking, why_infeasible
from hierpair.pairing.network.pairings import Pairing, solve_pairing
from hierpair.pairing.pairs import SIDES
from hierpair.pairing.problem import PairingProblem

__all__ = ["limited", "why_no_smaller"]

Ints = NDArray[np.int64]


def limited(problem: PairingProblem) -> PairingProblem:
    """Return the problem without the pairs and defaults above the least largest cost.

    The limit is found by bisection over the different costs of every instance, of all instances in
    parallel. An instance without a pairing keeps all of them.

    Raises
    ------
    BadInput
        For a negative cost.
    """
    limit, distinct = _ranked(problem)
    best = solve_pairing(problem, on_infeasible="nan")
    stuck = np.isnan(best.cost)
    every = np.arange(problem.n_instances)
    block = every * len(distinct)
    levels = _levels(problem, limit, block)
    start = np.searchsorted(levels, block)
    end = np.append(start[1:], len(levels)) - 1
    high = np.where(stuck, end, np.searchsorted(levels, block + _used(problem, limit, best)))
    low = np.where(stuck, end - 1, start - 1)  # what is too low; before the first one nothing is
    while (open_ := low + 1 < high).any():
        middle = np.where(open_, (low + high) // 2, high)
        found = solve_pairing(_up_to(problem, limit, levels[middle] - block), on_infeasible="nan")
        met = ~np.isnan(found.cost)
        high, low = np.where(met, middle, high), np.where(met | ~open_, low, middle)
    rank = levels[high] - block
    below = np.where(high > start, levels[high - 1] - block, -1)
    largest = np.where(stuck, np.nan, distinct[rank])
    limit = replace(limit, rank=rank, below=below, largest=largest)
    return replace(_up_to(problem, limit, rank), limit=limit)


def why_no_smaller(problem: PairingProblem, instance: int) -> Blocking | None:
    """Return what cannot hold together where all is cheaper than the largest cost of an instance.

    None where the largest cost is 0, or the instance has no pairing at all.
    """
    limit = problem.limit
    if limit is None or limit.below[instance] < 0 or np.isnan(limit.largest[instance]):
        return None
    return why_infeasible(_up_to(problem, limit, limit.below), instance)


def _ranked(problem: PairingProblem) -> tuple[CostLimit, NDArray[np.float64]]:
    """Return ranks of all costs, limited nowhere, and the different costs; 0 is the first."""
    arrays = [problem.cost, *(problem.default[s] for s in SIDES)]
    exact = any(x.dtype == object for x in arrays)
    column = np.concatenate([np.zeros(1), *arrays]) if not exact else _as_objects(arrays)
    distinct, rank = np.unique(column, return_inverse=True)
    if distinct[0] < 0:
        raise BadInput("a Bottleneck needs costs ≥ 0, as the largest of no cost at all is 0")
    sizes = np.cumsum([1, *map(len, arrays)])
    of_pair, *of_defaults = np.split(rank.ravel()[1:], sizes[1:-1] - 1)
    n = problem.n_instances
    limit = CostLimit(
        of_pair,
        dict(zip(SIDES, of_defaults, strict=True)),
        np.full(n, len(distinct)),
        np.full(n, -1),
        np.full(n, np.nan),
        problem.candidate,
        {s: problem.default[s].astype(np.float64) != np.inf for s in SIDES},
    )
    return limit, distinct.astype(np.float64)


def _as_objects(arrays: list[NDArray[np.generic]]) -> NDArray[np.object_]:
    """Return exact numbers in one column, 0 before them."""
    values = [0, *(x for array in arrays for x in array.tolist())]
    return np.array(values, dtype=object)


def _levels(problem: PairingProblem, limit: CostLimit, block: Ints) -> Ints:
    """Return the ranks that every instance has, and 0, each in a block of its own."""
    found = [block, (limit.of_pair + block[problem.pairs.instance])[limit.candidate]]
    found += [
        (limit.of_default[s] + block[problem.labels(s).instance])[limit.open[s]] for s in SIDES
    ]
    return np.unique(np.concatenate(found))


def _used(problem: PairingProblem, limit: CostLimit, pairing: Pairing) -> Ints:
    """Return the rank of the largest cost that a pairing pays in every instance."""
    used = np.zeros(problem.n_instances, dtype=np.int64)
    chosen = np.flatnonzero(pairing.chosen)
    np.maximum.at(used, problem.pairs.instance[chosen], limit.of_pair[chosen])
    for s in SIDES:
        bought = np.flatnonzero(pairing.missing[s])
        np.maximum.at(used, problem.labels(s).instance[bought], limit.of_default[s][bought])
    return used


def _up_to(problem: PairingProblem, limit: CostLimit, rank: Ints) -> PairingProblem:
    """Return the problem without what costs more than a rank in every instance."""
    owner = {s: problem.labels(s).instance for s in SIDES}
    candidate, open_ = limit.allowed(rank, problem.pairs.instance, owner)
    counts = list(problem.counts)
    for k, s in enumerate(SIDES):
        first, *later = counts[k].under()
        counts[k] = counts[k].lacking([np.where(open_[s], first, np.inf), *later])
    return replace(problem, candidate=candidate, counts=tuple(counts), limit=None)
