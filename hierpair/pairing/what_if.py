"""What an optimal pairing means: is it the only one, the next best, what would change it.

What one unit more or less of a pair, or of what is counted, would cost is the shortest way back in
the residual network of the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hierpair.errors import BadInput, SolverLimit, shown
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.counts import Count
from hierpair.pairing.network import PAIR, InverseData, build
from hierpair.pairing.pairings import Pairing, flow_of, solve_pairing
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Flow, FlowNetwork, solve, weighted

NO_WAY = 2**61  # what a way costs that is not there; two of them still are a number
MOST_NODES = 1_200  # between all nodes of larger components no distances are computed


class ResidualWays:
    """Shortest ways between all nodes of each component, by one unit more or less on arcs.

    From the head of an arc to its tail it is what follows one unit more on it.
    """

    def __init__(self, network: FlowNetwork, flow: Flow) -> None:
        self.node_ptr = network.node_ptr
        size = np.diff(network.node_ptr)
        if size.max(initial=0) > MOST_NODES:
            raise SolverLimit(
                f"{size.max()} labels and groups are too many to tell what would change the "
                f"pairing (at most {MOST_NODES})",
                int(size.argmax()),
            )
        self._start = np.concatenate([[0], np.cumsum(size**2)])
        steps = network.residual(flow.flow)
        known = ~np.isin(network.component[steps[0]], flow.infeasible)
        _, tail, head, cost = (x[known] for x in steps)
        flat = np.full(self._start[-1], NO_WAY)
        np.minimum.at(flat, self._entry(tail, head), cost)
        for n in np.unique(size[size > 0]).tolist():  # Floyd–Warshall, components of one size
            at = self._start[:-1][size == n, None] + np.arange(n * n)
            d = flat[at].reshape(-1, n, n)
            d[:, np.arange(n), np.arange(n)] = 0
            for k in range(n):
                np.minimum(d, d[:, :, k, None] + d[:, None, k, :], out=d)
            if d[:, np.arange(n), np.arange(n)].any():
                raise AssertionError("the flow is not optimal: a cycle has a negative cost")
            flat[at] = d.reshape(len(d), -1)
        flat[flat > NO_WAY // 2] = NO_WAY
        self._flat = flat

    def _entry(self, one: Ints, other: Ints) -> Ints:
        """Return where the distance between two nodes of a component is."""
        c = np.searchsorted(self.node_ptr, one, side="right") - 1
        first = self.node_ptr[c]
        return self._start[c] + (one - first) * (self.node_ptr[c + 1] - first) + other - first

    def between(self, one: Ints, other: Ints) -> Ints:
        """Return the distances from nodes to others of their components; NO_WAY: there is none."""
        return self._flat[self._entry(one, other)]


def changed(network: FlowNetwork, flow: Ints, arcs: Ints, more: Ints) -> tuple[Ints, list[Ints]]:
    """Return what other units of arcs cost, each in a copy, and the arcs that then differ."""
    owner = np.searchsorted(network.arc_ptr, arcs, side="right") - 1
    copies, at = network.copies(owner)
    start = copies.arc_ptr[:-1] + arcs - network.arc_ptr[owner]
    copies.lower[start] = copies.upper[start] = flow[arcs] + more
    found = solve(copies)
    differ = found.flow - flow[at]
    cost = np.zeros(len(arcs), dtype=np.int64)
    np.add.at(cost, copies.component, copies.cost * differ)
    cost[found.infeasible] = NO_WAY
    differ[np.isin(copies.component, found.infeasible)] = 0
    used = np.flatnonzero(differ)
    ends = np.searchsorted(used, copies.arc_ptr[1:-1])
    return cost, np.split(at[used], ends)


@dataclass(frozen=True, eq=False)
class Saving:
    """What one unit more (fewer) than the numbers that cost nothing would save, set by set."""

    count: Count
    units: Ints  # how many each set has
    bound: str  # "at most" is raised by one, or "at least" lowered
    value: Ints  # the bound of every set as it stands
    saved: Floats  # 0 where the bound does not bind, nan where there is no pairing


class WhatIf:
    """What would have to change for another pairing to be the best one, in every instance.

    Parameters
    ----------
    problem, pairing
        A problem and its best pairing. Costs that had to be rounded are rounded otherwise than
        where it was found; then the full network is solved anew.
    full
        What :func:`build` returned for the full network, where that is known.

    BadInput is raised for a rule that binds instances to each other, SolverLimit for an instance
    with more than some thousand labels, or lexicographic costs too large for one number.

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
    >>> told.unique.tolist(), told.further.tolist(), told.may_fall.tolist()
    ([True], [2.0], [2.0, inf, inf, 2.0])
    """

    def __init__(
        self,
        problem: PairingProblem,
        pairing: Pairing,
        full: tuple[FlowNetwork, InverseData] | None = None,
    ) -> None:
        network, inverse = full or build(problem, reduce=False)
        if problem.joined:
            raise BadInput("what an optimum means is told of rules whose instances are independent")
        self._weights = None
        if network.later:
            in_one = weighted(network, spare=2)
            if in_one is None:
                raise SolverLimit("its lexicographic costs are too large to tell what would change")
            network, self._weights = in_one
        scaled = inverse.costs[0]
        flow = flow_of(pairing, network, inverse) if scaled.exact else solve(network)
        self._ways = ResidualWays(network, Flow(flow.flow, pairing.infeasible))
        self._problem, self._network, self._inverse = problem, network, inverse
        self._without = np.isin(np.arange(problem.n_instances), pairing.infeasible)
        self._arc, self._pair = inverse.pairs
        self._flow, self._owner = flow.flow, problem.pairs.instance[self._pair]
        gap = np.zeros(problem.n_instances) if scaled.exact else 2 * pairing.gap
        self._rounded = np.ceil(gap * scaled.scale).astype(np.int64)

    @cached_property
    def unique(self) -> Bools:
        """Of every instance, whether its pairing is the only best one; False where it has none.

        Where costs were rounded, another as good up to the rounding counts.
        """
        return (self._nearest > self._rounded) & ~self._without

    @cached_property
    def further(self) -> Floats:
        """How much more the second best pairing costs (0 where there are several best ones).

        Shape ``(n_instances,)``; inf where there is no other, nan where there is none at all. Of
        lexicographic costs, as of the next two, it is the first one's. Nan where labels have masses
        or pairs capacities: between two transports there are all their mixtures.
        """
        more = self._in_costs(self._nearest, np.arange(len(self._nearest)))
        return np.where(self._without | (self._problem.moved is not None), np.nan, more)

    @cached_property
    def may_fall(self) -> Floats:
        """By how much the cost of each pair may fall before another pairing is better.

        All other costs as they are; inf: by any amount, which holds for what is chosen. Nan for a
        pair that may not be chosen, and with a ``Bottleneck``, whose other pairings are those of
        the same largest cost.
        """
        return self._ranges(self._cycles[0])

    @cached_property
    def may_rise(self) -> Floats:
        """By how much the cost of each pair may rise; inf for what is not chosen."""
        return self._ranges(self._cycles[1])

    @cached_property
    def changes(self) -> list[Ints]:
        """Of every instance, the pairs that differ in a second best pairing.

        None where :attr:`further` is not known.
        """
        found = [np.empty(0, dtype=np.int64)] * len(self._nearest)
        least, which = self._cycles.min(axis=0), self._cycles.argmin(axis=0)
        near = np.flatnonzero((least == self._nearest[self._owner]) & (least < NO_WAY))
        if self._problem.moved is None and len(near):
            owner, first = np.unique(self._owner[near], return_index=True)
            at = near[first]
            _, differ = changed(self._network, self._flow, self._arc[at], 1 - 2 * which[at])
            for i, arcs in zip(owner.tolist(), differ, strict=True):
                found[i] = self._inverse.subject[arcs[self._inverse.count[arcs] == PAIR]]
        return found

    @cached_property
    def savings(self) -> list[Saving]:
        """What one unit of every count would save, exact for one unit.

        Further units save as much or less. Of lexicographic costs it is the first one's. BadInput
        is raised for a ``Bottleneck``, and where labels have masses or pairs capacities.
        """
        if self._problem.moved is not None or self._problem.limit is not None:
            raise BadInput(
                "what a unit saves is told of sums of costs, of pairs that are chosen once or not "
                "at all: not with a Bottleneck, and not of masses or capacities"
            )
        units, found = self._flow[self._arc], []
        for k, family in enumerate(self._inverse.families):
            if family.count == PAIR or family.sign:
                continue
            count, base = self._inverse.counts[family.count], self._inverse.layout.arcs(k)
            if len(base) < len(count):  # another count has its bounds
                continue
            n = self._network
            for bound, ends, value in (
                ("at most", (n.head[base], n.tail[base]), n.upper[base]),
                ("at least", (n.tail[base], n.head[base]), n.lower[base]),
            ):
                way = np.where(self._flow[base] == value, self._ways.between(*ends), 0)
                saved = self._in_costs(np.maximum(-way, 0), count.instance)
                saved[self._without[count.instance]] = np.nan
                found.append(Saving(count, count.units(self._pair, units), bound, value, saved))
        return found

    @cached_property
    def _nearest(self) -> Ints:
        """What the second best pairing of every instance costs more, in whole numbers."""
        nearest = np.full(self._problem.n_instances, NO_WAY)
        np.minimum.at(nearest, self._owner, self._cycles.min(axis=0))
        return nearest

    @cached_property
    def _cycles(self) -> Ints:
        """What one unit more, and one less, of every pair costs with all that then follows."""
        arc, n = self._arc, self._network
        flow, cost, ends = self._flow[arc], n.cost[arc], (n.tail[arc], n.head[arc])
        room = np.stack([flow < n.upper[arc], flow > n.lower[arc]])
        room &= ~self._without[self._owner]
        ways = np.stack([self._ways.between(*ends[::-1]) + cost, self._ways.between(*ends) - cost])
        cycles = np.where(room & (ways < NO_WAY // 2), ways, NO_WAY)
        both = np.flatnonzero(room.all(axis=0))  # not forth and back on the pair itself
        for sign, found in zip((1, -1), cycles, strict=True) if len(both) else ():
            found[both] = changed(n, self._flow, arc[both], np.full(len(both), sign))[0]
        return cycles

    def _ranges(self, cycles: Ints) -> Floats:
        room = np.full(len(self._problem.cost), np.nan)
        if self._problem.limit is None:  # a cost that changes moves the limit, too
            known = ~self._without[self._owner]
            room[self._pair[known]] = self._in_costs(cycles, self._owner)[known]
        return room

    def _in_costs(self, units: Ints | Floats, instance: Ints) -> Floats:
        """Return whole numbers as costs, of lexicographic ones as the first cost."""
        first = units
        if self._weights is not None:
            first = np.rint(units / self._weights[0, instance])
        return np.where(units >= NO_WAY, np.inf, first / self._inverse.costs[0].scale)


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
    if not k >= 1:
        raise BadInput(f"the number of pairings must be at least 1, got {shown(k)}")
    one = problem.n_components == problem.n_instances == len(problem.costs) == 1
    if not one or problem.joined or problem.moved is not None or problem.limit is not None:
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
            if not np.isnan(solved.cost[0]):
                parts.append((solved, other))
            required[pair], candidate[pair] = chosen, chosen
    return found
