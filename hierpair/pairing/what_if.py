"""What an optimal pairing means: is it the only one, the next best, what would change it.

What one unit more or less of a pair, or of what is counted, would cost is the shortest way back in
the residual network of the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hierpair.errors import BadInput, SolverLimit
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.pairing.counts import Count
from hierpair.pairing.network import PAIR, InverseData, build
from hierpair.pairing.pairings import Pairing, flow_of, solve_pairing
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork, solve, weighted

NO_WAY = 2**61  # about what a way costs that is not there; two of them still are a number
MOST_NODES = 1_200  # between the nodes of larger networks no distances are computed


def shortest_ways(network: FlowNetwork, flow: Ints) -> Ints:
    """Return what ways between all nodes cost at least, by one unit more or less on arcs."""
    n = len(network.supply)
    if n > MOST_NODES:
        raise SolverLimit(
            f"{n} labels and groups are too many to tell what would change the pairing "
            f"(at most {MOST_NODES})"
        )
    _, tail, head, cost = network.residual(flow)
    ways = np.full((n, n), NO_WAY)
    np.minimum.at(ways, (tail, head), cost)
    np.fill_diagonal(ways, 0)
    for k in range(n):  # Floyd–Warshall
        np.minimum(ways, ways[:, k, None] + ways[k], out=ways)
    if ways.diagonal().any():
        raise AssertionError("the flow is not optimal: a cycle has a negative cost")
    return ways


@dataclass(frozen=True, eq=False)
class Saving:
    """What one unit more (fewer) than the numbers that cost nothing would save, set by set."""

    count: Count
    bound: str  # "at most" is raised by one, or "at least" lowered
    saved: Floats  # 0 where the bound does not bind


class WhatIf:
    """What would have to change for another pairing of an instance to be the best one.

    Parameters
    ----------
    problem, pairing
        The problem of an instance and its best pairing. Costs that had to be rounded are rounded
        otherwise than where it was found; then the full network is solved anew.
    full
        What :func:`build` returned for the full network, where that is known.

    BadInput is raised for several instances, without a pairing, and for masses and capacities,
    where between two transports there are all their mixtures; SolverLimit for an instance with
    more than some thousand labels, or lexicographic costs too large for one number.

    Examples
    --------
    >>> from hierpair import Hierarchy, LabelSets
    >>> from hierpair.pairing import Degree, Hops, Rule
    >>> from hierpair.pairing import Pairs, formulate, solve_pairing
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> sides = [LabelSets.from_labels([x], tree) for x in (["a", "b"], ["b", "c"])]
    >>> rule = Rule(Hops(), (Degree("predicted", 1, 1), Degree("true", 1, 1)))
    >>> problem = formulate(rule, Pairs.between(tree, *sides))
    >>> told = WhatIf(problem, solve_pairing(problem))
    >>> told.unique, told.further, told.may_fall.tolist()
    (True, 2.0, [2.0, inf, inf, 2.0])
    """

    def __init__(
        self,
        problem: PairingProblem,
        pairing: Pairing,
        full: tuple[FlowNetwork, InverseData] | None = None,
    ) -> None:
        if not problem.is_single or len(pairing.infeasible):
            raise BadInput(
                "what an optimum means is told of the pairing of a single instance: not of quotas, "
                "masses or capacities"
            )
        network, inverse = full or build(problem, reduce=False)
        scaled, self._first = inverse.costs[0], 1
        if network.later:
            in_one = weighted(network, spare=2)
            if in_one is None:
                raise SolverLimit("its lexicographic costs are too large to tell what would change")
            network, self._first = in_one[0], int(in_one[1][0, 0])
        self._flow = (flow_of(pairing, network, inverse) if scaled.exact else solve(network)).flow
        self._problem, self._network, self._inverse = problem, network, inverse
        self._ways = ways = shortest_ways(network, self._flow)
        arc, self._pair = inverse.pairs
        tail, head, cost = network.tail[arc], network.head[arc], network.cost[arc]
        used, more, less = self._flow[arc] > 0, ways[head, tail] + cost, ways[tail, head] - cost
        # what follows one unit more on each pair without a unit, and one less on each other one
        self._more = np.where(used | (network.upper[arc] == 0), NO_WAY, more)
        self._less = np.where(used & (network.lower[arc] == 0), less, NO_WAY)
        self._cycle = np.minimum(self._more, self._less)
        self._nearest = int(self._cycle.min(initial=NO_WAY))
        self._rounded = 0 if scaled.exact else np.ceil(2 * pairing.gap.sum() * scaled.scale)

    @property
    def unique(self) -> bool:
        """Whether the pairing is the only best one.

        Where costs were rounded, another as good up to the rounding counts.
        """
        return bool(self._nearest > self._rounded)

    @property
    def further(self) -> float:
        """How much more the second best pairing costs (0 where there are several best ones).

        inf where there is no other. Of lexicographic costs, as of the next two, it is the first
        one's.
        """
        return float(self._in_costs(np.array(self._nearest)))

    @property
    def may_fall(self) -> Floats:
        """By how much the cost of each pair may fall before another pairing is better.

        All other costs as they are; inf: by any amount, which holds for what is chosen. Nan for a
        pair that may not be chosen, and with a ``Bottleneck``, whose other pairings are those of
        the same largest cost.
        """
        return self._of_pairs(self._more)

    @property
    def may_rise(self) -> Floats:
        """By how much the cost of each pair may rise; inf for what is not chosen."""
        return self._of_pairs(self._less)

    @cached_property
    def changes(self) -> Ints:
        """The pairs that differ in a second best pairing; none where there is no other."""
        arc, n = self._inverse.pairs[0], self._network
        if self._nearest >= NO_WAY // 2:
            return arc[:0]
        turned, lower, upper = arc[self._cycle.argmin()], n.lower.copy(), n.upper.copy()
        lower[turned] = upper[turned] = 1 - self._flow[turned]
        other = solve(replace(n, lower=lower, upper=upper)).flow
        differ: Ints = self._pair[other[arc] != self._flow[arc]]
        return differ

    @cached_property
    def savings(self) -> list[Saving]:
        """What one unit of every count would save, exact for one unit.

        Further units save as much or less. Of lexicographic costs it is the first one's. None is
        told with a ``Bottleneck``.
        """
        found, n = [], self._network
        for k, family in enumerate(self._inverse.families):
            if family.count == PAIR or family.sign or self._problem.limit is not None:
                continue
            count, base = self._inverse.counts[family.count], self._inverse.arcs(k)
            if len(base) < len(count):  # another count has its bounds
                continue
            tail, head, flow = n.tail[base], n.head[base], self._flow[base]
            for bound, way, value in (
                ("at most", self._ways[head, tail], n.upper[base]),
                ("at least", self._ways[tail, head], n.lower[base]),
            ):
                saved = self._in_costs(np.maximum(-np.where(flow == value, way, 0), 0))
                found.append(Saving(count, bound, saved))
        return found

    def _of_pairs(self, cycles: Ints) -> Floats:
        room = np.full(len(self._problem.cost), np.nan)
        if self._problem.limit is None:  # a cost that changes moves the limit, too
            room[self._pair] = self._in_costs(cycles)
        return room

    def _in_costs(self, units: Ints) -> Floats:
        """Return whole numbers as costs, of lexicographic ones as the first cost."""
        first = units if self._first == 1 else np.rint(units / self._first)
        return np.where(units >= NO_WAY // 2, np.inf, first / self._inverse.costs[0].scale)


def best_pairings(problem: PairingProblem, k: int) -> list[Pairing]:
    """Return the k best pairings of a batch of one, cheapest first; fewer if there are no more.

    Pairings differ in the pairs that are chosen. All others than the best one are split by the
    first pair in which they differ from it, and each part is solved with the pairs before it held
    (Lawler 1972): at most as many problems per pairing as it has candidates.

    BadInput is raised for more than one instance or cost, masses (two transports can be mixed), a
    Bottleneck and quotas, Infeasible if there is no pairing.

    Examples
    --------
    >>> from hierpair import Hierarchy, LabelSets
    >>> from hierpair.pairing import Degree, Hops, Rule
    >>> from hierpair.pairing import Pairs, formulate
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
    >>> sides = [LabelSets.from_labels([x], tree) for x in (["a", "b"], ["b", "c"])]
    >>> rule = Rule(Hops(), (Degree("predicted", 1, 1), Degree("true", 1, 1)))
    >>> problem = formulate(rule, Pairs.between(tree, *sides))
    >>> [found.cost.item() for found in best_pairings(problem, 5)]
    [1.0, 3.0]
    """
    if not problem.is_single or len(problem.costs) > 1 or problem.limit is not None:
        raise BadInput(
            "the best pairings are told of a single instance and a single cost: not of quotas, "
            "masses, lexicographic costs or a Bottleneck"
        )
    parts, found = [(solve_pairing(problem), problem)], list[Pairing]()
    while parts and len(found) < k:
        # the cheapest part comes first; of equal ones that which was made first
        best, part = parts.pop(int(np.argmin([each.cost[0] for each, _ in parts])))
        found.append(best)
        required, candidate = part.required.copy(), part.candidate.copy()
        for pair in np.flatnonzero(candidate & ~required):
            chosen = best.chosen[pair]  # held as it is in what comes after, and turned here
            required[pair], candidate[pair] = not chosen, not chosen
            other = replace(part, required=required.copy(), candidate=candidate.copy())
            solved = solve_pairing(other, on_infeasible="nan")
            if not len(solved.infeasible):
                parts.append((solved, other))
            required[pair], candidate[pair] = chosen, chosen
    return found
