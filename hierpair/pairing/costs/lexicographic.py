"""Costs that are minimised one after the other, as one whole number each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, SolverLimit
from hierpair.pairing.constraints.builder import Builder, Compiled
from hierpair.pairing.pairs import Side
from hierpair.solvers import to_integers
from hierpair.solvers.scaling import EXACT_LIMIT

__all__ = ["one_cost"]

SIDES: tuple[Side, Side] = ("predicted", "true")


def one_cost(
    builder: Builder,
    said: Compiled,
    costs: Sequence[NDArray[Any]],
    candidate: NDArray[np.bool_],
) -> tuple[NDArray[Any], dict[Side, NDArray[Any]]]:
    """Return one cost per pair and per missing partner that orders like all in turn.

    Groups an instance, one unit of a turn weighs more than all later turns together can be
    worth: what is paid at most is the largest cost times the number of pairs that can be chosen,
    and every default as often as its label may lack a partner.

    Raises
    ------
    BadInput
        For a cost that is no multiple of 2**-20.
    SolverLimit
        If the whole numbers of an instance would be too large.
    """
    pairs = builder.pairs
    n = len(pairs.ptr) - 1
    most = {
        s: np.bincount(builder.labels(s).instance, np.minimum(said.upper[s], builder.others(s)), n)
        for s in SIDES
    }
    most_pairs = np.minimum(most["predicted"], most["true"])
    open_ = {s: said.default[s].astype(np.float64) != np.inf for s in SIDES}
    weight = np.ones(n)
    cost = np.zeros(len(candidate))
    default = {s: np.zeros(len(open_[s])) for s in SIDES}
    later = np.zeros(n)
    for turn in reversed(range(len(costs))):
        pair, singles = _whole(said, costs[turn], turn, candidate, open_)
        cost += weight[pairs.instance] * pair
        largest = np.zeros(n)
        np.maximum.at(largest, pairs.instance, np.abs(pair))
        worth = largest * most_pairs
        for s in SIDES:
            owner = builder.labels(s).instance
            default[s] += weight[owner] * singles[s]
            worth += np.bincount(owner, singles[s] * said.lower[s], n)
        if turn:
            later += 2 * weight * worth  # costs may be negative
            weight = later + 1
    heavy = np.flatnonzero(np.maximum(weight, _highest(cost, pairs.instance, n)) > EXACT_LIMIT)
    if len(heavy):
        raise SolverLimit(
            "its costs in turn are more than the solver can carry exactly; use coarser costs, "
            "or fewer turns",
            int(heavy[0]),
        )
    whole: dict[Side, NDArray[Any]] = {}
    for s in SIDES:
        whole[s] = default[s]
        whole[s][~open_[s]] = np.inf
    cost[~candidate] = np.inf
    return cost, whole


def _whole(
    said: Compiled,
    cost: NDArray[Any],
    turn: int,
    candidate: NDArray[np.bool_],
    open_: dict[Side, NDArray[np.bool_]],
) -> tuple[NDArray[np.int64], dict[Side, NDArray[np.int64]]]:
    """Return the costs of one turn as whole numbers; 0 where nothing can be chosen."""
    singles = []
    for s in SIDES:
        given = said.default[s] if turn == 0 else said.default_in_turn[s].get(turn)
        singles.append(np.where(open_[s], 0 if given is None else given, 0))
    scaled = to_integers([np.where(candidate, cost, 0), *singles])
    if not scaled.exact:
        raise BadInput(
            f"the costs of turn {turn + 1} must be whole numbers, Fractions, or floats that are "
            "multiples of 2**-20, so that equal ones are known to be equal"
        )
    return scaled.values[0], dict(zip(SIDES, scaled.values[1:], strict=True))


def _highest(cost: NDArray[np.float64], instance: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    found = np.zeros(n)
    np.maximum.at(found, instance, np.abs(cost))
    return found
