"""Costs that are minimised one after the other, or the largest of one first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.pairing.constraints.count_costs import CountCosts
from hierpair.pairing.costs.named_costs import Cost
from hierpair.pairing.packing import Packing
from hierpair.pairing.pairs import SIDES, Pairs, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Scaled, to_integers

__all__ = ["Bottleneck", "Lexicographic", "in_one_cost"]


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


@dataclass(frozen=True)
class Bottleneck:
    """The least largest cost: of all pairings those whose dearest pair is as cheap as can be.

    Among these the sum of the costs is minimised, and it is the cost of the pairing. Costs of
    missing partners (``Unmatched``) count like those of pairs; costs of numbers of pairs are part
    of the sum only.

    Parameters
    ----------
    cost
        A cost of pairs, ≥ 0; or a :class:`Lexicographic`, of whose first cost the largest counts,
        and which decides among pairings of the same largest cost.

    Examples
    --------
    >>> from hierpair import Degree, Hops, Rule
    >>> rule = Rule(Bottleneck(Hops()), (Degree("true", 1, 1), Degree("predicted", 1, 1)))
    """

    cost: Cost | Lexicographic

    def __post_init__(self) -> None:
        if not callable(self.cost) or isinstance(self.cost, Bottleneck):
            raise BadInput(f"a bottleneck is that of a cost of pairs, got {shown(self.cost)}")

    def __call__(self, pairs: Pairs) -> NDArray[Any]:
        """Return the costs."""
        found: NDArray[Any] = self.cost(pairs)
        return found


def in_one_cost(
    problem: PairingProblem,
    costs: Sequence[NDArray[Any]],
    defaults: Mapping[Side, Sequence[NDArray[Any]]],
) -> PairingProblem:
    """Return a problem with one cost per pair and per missing partner that orders like all.

    It is what networks are written with; how much a unit of a cost weighs beside the totals of
    later ones is read off the network when it is solved.

    Raises
    ------
    BadInput
        For a cost that is no multiple of 2**-20.
    SolverLimit
        If a cost alone would be too large for the solver.
    """
    candidate = ~np.any([np.isposinf(c.astype(np.float64)) for c in costs], axis=0)
    candidate &= problem.candidate
    open_ = {s: problem.default[s].astype(np.float64) != np.inf for s in SIDES}
    every: list[Scaled] = []
    for k in range(len(costs)):
        singles = [
            np.where(open_[s], defaults[s][k] if k < len(defaults[s]) else 0, 0) for s in SIDES
        ]
        tables = [table.total(k) for table in problem.counts.values()]
        finite = [np.where(x.astype(np.float64) == np.inf, 0, x) for x in tables]
        scaled = to_integers(
            [np.where(candidate, costs[k], 0), *singles, *finite], nodes=problem.most_nodes
        )
        if not scaled.exact:
            raise BadInput(
                f"cost {k + 1} of a Lexicographic must be whole numbers, Fractions, or floats that "
                "are multiples of 2**-20, so that equal ones are known to be equal"
            )
        every.append(scaled)
    # what is written on an arc is a pair's cost, less a default; or a step of a table, to which
    # defaults are added as often as partners may lack
    lacking = max((int(problem.lower[s][open_[s]].max(initial=0)) for s in SIDES), default=0)
    largest = [max(int(np.abs(x).max(initial=0)) for x in t.values) for t in every]
    how = Packing.of([4 * most * (lacking + 1) for most in largest], [t.scale for t in every])
    cost, *singles = (how.packed(x) for x in zip(*(t.values for t in every), strict=True))
    default, numbers = dict(zip(SIDES, singles, strict=False)), singles[len(SIDES) :]
    for s in SIDES:
        default[s][~open_[s]] = np.inf
    cost[~candidate] = np.inf
    counts = {}
    for (key, table), together in zip(problem.counts.items(), numbers, strict=True):
        together[table.total().astype(np.float64) == np.inf] = np.inf
        counts[key] = CountCosts(table.ptr, ((table.parts[0][0], (together,)),))
    return replace(
        problem,
        candidate=candidate,
        cost=cost,
        default=default,
        first_cost=(problem.cost, problem.default, problem.counts),
        counts=counts,
        packing=how,
    )
