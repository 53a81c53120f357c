"""The k best pairings of an instance, one after the other (Lawler 1972)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput, shown
from hierpair.pairing.network.inverse_data import Pairing
from hierpair.pairing.network.solving import solve_pairing
from hierpair.pairing.problem import PairingProblem

__all__ = ["best_pairings"]

Bools = NDArray[np.bool_]


def best_pairings(problem: PairingProblem, k: int) -> list[Pairing]:
    """Return the k best pairings of a batch of one, cheapest first; fewer if there are no more.

    Pairings differ in the pairs that are chosen. All others than the best one are split by the
    first pair in which they differ from it, and each part is solved with the pairs before it held
    (Lawler 1972): at most as many problems per pairing as it has candidates.

    Raises
    ------
    BadInput
        For more than one instance; where labels have masses, as there are all mixtures between two
        transports; for lexicographic costs, whose totals are not compared; and for budgets.
    Infeasible
        If there is no pairing.

    Examples
    --------
    >>> from hierpair import Degree, Hierarchy, Hops, LabelSets, Rule
    >>> from hierpair.pairing import Pairs, formulate
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> sides = [LabelSets.from_labels([x], tree) for x in (["a", "b"], ["b", "c"])]
    >>> rule = Rule(Hops(), (Degree("predicted", 1, 1), Degree("true", 1, 1)))
    >>> problem = formulate(rule, Pairs.between(tree, *sides))
    >>> [found.cost.item() for found in best_pairings(problem, 5)]
    [1.0, 3.0]
    """
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise BadInput(
            f"the number of pairings must be a whole number of at least 1, got {shown(k)}"
        )
    for refused, why in (
        (problem.n_instances != 1, "a problem of a single instance (problem.part)"),
        (problem.joined, "instances that no budget joins"),
        (problem.moved is not None, "pairs that are chosen once or not at all, not of masses"),
        (problem.packing is not None, "a single cost, not of lexicographic ones"),
        (problem.limit is not None, "a sum of costs, not of a Bottleneck"),
    ):
        if refused:
            raise BadInput(f"the best pairings are told of {why}")
    first = solve_pairing(problem)
    found: list[Pairing] = []
    # the cheapest part comes first; of equal ones that which was made first
    parts = [(float(first.cost[0]), 0, first, problem)]
    made = 1
    while parts and len(found) < k:
        _, _, best, part = heapq.heappop(parts)
        found.append(best)
        for other, rest in _others(best, part):
            heapq.heappush(parts, (float(other.cost[0]), made, other, rest))
            made += 1
    return found


def _others(best: Pairing, part: PairingProblem) -> Iterator[tuple[Pairing, PairingProblem]]:
    """Yield the best pairings of the parts that all others of a part are split into."""
    required, candidate = part.required.copy(), part.candidate.copy()
    for pair in np.flatnonzero(part.candidate & ~part.required).tolist():
        chosen = bool(best.chosen[pair])
        other = replace(
            part,
            required=_with(required, pair, not chosen),
            candidate=_with(candidate, pair, not chosen),
        )
        solved = solve_pairing(other, on_infeasible="nan")
        if not np.isnan(solved.cost[0]):
            yield solved, other
        required[pair] = candidate[pair] = chosen


def _with(mask: Bools, pair: int, value: bool) -> Bools:
    changed = mask.copy()
    changed[pair] = value
    return changed
