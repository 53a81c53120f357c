"""Costs that are minimised one after the other, and one whole number that orders like them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit, shown
from hierpair.pairing.costs.named_costs import Cost
from hierpair.pairing.pairs import SIDES, Pairs, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import to_integers
from hierpair.solvers.scaling import EXACT_LIMIT

__all__ = ["Lexicographic", "in_one_cost"]


@dataclass(frozen=True)
class Lexicographic:
    """Several costs, minimised one after the other: a later one decides among equals only.

    The total of the first cost is the cost of a pairing. With it a ``Unmatched`` may have a tuple
    of costs; a single one counts as the first.

    Parameters
    ----------
    costs
        Vectorised callables like any cost; whole numbers, Fractions, or floats that are
        multiples of 2**-20.
    """

    costs: tuple[Cost, ...]

    def __post_init__(self) -> None:
        costs = tuple(self.costs) if isinstance(self.costs, (tuple, list)) else ()
        if not costs or not all(map(callable, costs)):
            raise BadInput(f"lexicographic costs are a tuple of callables, got {shown(self.costs)}")
        object.__setattr__(self, "costs", costs)

    def __call__(self, pairs: Pairs) -> NDArray[Any]:
        """Return the costs, shape ``(n_costs, n_pairs)``."""
        return np.stack([np.asarray(cost(pairs)) for cost in self.costs])


def in_one_cost(
    problem: PairingProblem,
    costs: Sequence[NDArray[Any]],
    defaults: Mapping[Side, Sequence[NDArray[Any]]],
) -> PairingProblem:
    """Return a problem with one cost per pair and per missing partner that orders like all.

    One unit of a cost weighs more than all later costs of its instance together can be worth:
    what is paid at most is the largest cost times the number of pairs that can be chosen, and
    every default as often as its label may lack a partner.

    Raises
    ------
    BadInput
        For a cost that is no multiple of 2**-20.
    SolverLimit
        If the whole numbers of an instance would be too large.
    """
    pairs, n = problem.pairs, problem.n_instances
    owner = {s: pairs.labels(s).instance for s in SIDES}
    n_labels = {s: np.diff(pairs.labels(s).ptr) for s in SIDES}
    others = {s: n_labels[t][owner[s]] for s, t in zip(SIDES, reversed(SIDES), strict=True)}
    most = [np.bincount(owner[s], np.minimum(problem.upper[s], others[s]), n) for s in SIDES]
    most_pairs = np.minimum(*most)
    candidate = ~np.any([np.isposinf(c.astype(np.float64)) for c in costs], axis=0)
    candidate &= problem.candidate
    open_ = {s: problem.default[s].astype(np.float64) != np.inf for s in SIDES}
    weight = np.ones(n)
    cost = np.zeros(len(candidate))
    default: dict[Side, NDArray[Any]] = {s: np.zeros(len(open_[s])) for s in SIDES}
    later = np.zeros(n)
    for k in reversed(range(len(costs))):
        singles = [
            np.where(open_[s], defaults[s][k] if k < len(defaults[s]) else 0, 0) for s in SIDES
        ]
        scaled = to_integers([np.where(candidate, costs[k], 0), *singles])
        if not scaled.exact:
            raise BadInput(
                f"cost {k + 1} of a Lexicographic must be whole numbers, Fractions, or floats that "
                "are multiples of 2**-20, so that equal ones are known to be equal"
            )
        pair = scaled.values[0]
        cost += weight[pairs.instance] * pair
        worth = _largest(pair, pairs.instance, n) * most_pairs
        for s, single in zip(SIDES, scaled.values[1:], strict=True):
            default[s] += weight[owner[s]] * single
            worth += np.bincount(owner[s], single * problem.lower[s], n)
        if k:
            later += 2 * weight * worth  # costs may be negative
            weight = later + 1
    heavy = np.flatnonzero(np.maximum(weight, _largest(cost, pairs.instance, n)) > EXACT_LIMIT)
    if len(heavy):
        raise SolverLimit(
            "its lexicographic costs are more than the solver can carry exactly; use coarser "
            "costs, or fewer of them",
            int(heavy[0]),
        )
    for s in SIDES:
        default[s][~open_[s]] = np.inf
    cost[~candidate] = np.inf
    return replace(
        problem,
        candidate=candidate,
        cost=cost,
        default=default,
        first_cost=(problem.cost, problem.default),
    )


def _largest(cost: NDArray[Any], instance: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    largest = np.zeros(n)
    np.maximum.at(largest, instance, np.abs(cost))
    return largest
