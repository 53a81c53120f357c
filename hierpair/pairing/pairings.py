"""From network to pairing, and from a pairing, however it was found, to the flow that it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from hierpair.errors import BadInput, Infeasible
from hierpair.hierarchy.arrays import Bools, Floats, Ints
from hierpair.pairing.infeasibility import Blocking, why_infeasible, why_none
from hierpair.pairing.network import PAIR, InverseData, build
from hierpair.pairing.pairs import SIDES, Array, Side
from hierpair.pairing.problem import CostLimit, PairingProblem
from hierpair.solvers import Flow, FlowNetwork, solve, to_integers

EXACT = 2**53
"""Sums below this are whole numbers in floats as well."""


@dataclass(frozen=True, eq=False)
class Pairing:
    """An optimal pairing of every instance of a batch.

    Attributes
    ----------
    chosen
        Over the pairs of the problem: part of the pairing.
    missing
        By side, over its labels: partners that are lacking, and paid for.
    cost
        Cost of the pairing in the original costs, shape ``(n_instances,)``; nan for an
        instance without a pairing. A single one where quotas join all instances.
    gap
        How far each cost can be from the optimum because costs had to be rounded for the
        solver; 0 for integers, Fractions and floats that are multiples of 2**-20.
    infeasible
        Instances that have no pairing, ascending.
    units, whole
        Where labels have masses or pairs capacities: how many units every pair carries, and by
        instance how many units make the mass 1; ``missing`` is in units, too. None where every
        pair is chosen once or not at all.
    """

    chosen: Bools
    missing: dict[Side, Ints]
    cost: Floats
    gap: Floats
    infeasible: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    units: Ints | None = None
    whole: Ints | None = None

    @property
    def carried(self) -> Ints:
        """How many units every pair carries, 1 or 0 where it is chosen or not."""
        return self.chosen.astype(np.int64) if self.units is None else self.units


def solve_pairing(
    problem: PairingProblem,
    *,
    reduce: bool = True,
    on_infeasible: Literal["raise", "nan"] = "raise",
) -> Pairing:
    """Build the network, solve it, and read the pairing.

    ``reduce=False`` solves the full network of every instance, for comparison. With
    ``on_infeasible="nan"`` instances without a pairing have the cost nan.

    Raises
    ------
    Infeasible
        If an instance has no pairing; names constraints that cannot hold together there.
    SolverLimit
        If the costs are too large for the solver.
    """
    network, inverse = build(problem, reduce=reduce)
    return read(network, solve(network), inverse, problem, on_infeasible=on_infeasible)


def read(
    network: FlowNetwork,
    flow: Flow,
    inverse: InverseData,
    problem: PairingProblem,
    *,
    on_infeasible: Literal["raise", "nan"] = "raise",
) -> Pairing:
    """Translate a flow back into pairs, and count what they leave missing and what all costs.

    Raises
    ------
    Infeasible
        Names the first instance without a feasible pairing, and constraints that cannot hold
        together there; with ``on_infeasible="nan"`` its cost is nan and nothing is raised.
    """
    infeasible = without_pairing(flow, inverse, problem)
    if len(infeasible) and on_infeasible == "raise":
        if problem.joined:
            raise Infeasible(*why_none(problem))
        instance = int(infeasible[0])
        raise Infeasible(why_infeasible(problem, instance).text, instance)
    none = np.zeros(problem.n_instances, dtype=bool)
    none[infeasible] = True
    carried = np.zeros(len(problem.cost), dtype=np.int64)
    arcs, of_pair = inverse.pairs
    carried[of_pair] = flow.flow[arcs]
    carried[inverse.decided] = 1
    used = np.flatnonzero(carried)
    for s, pair in zip(SIDES, inverse.instead, strict=False):  # labels that no other came to
        alone = pair >= 0
        alone[problem.pairs.at(s)[used]] = False
        carried[pair[alone]] = 1
    if len(infeasible):
        carried[none[problem.pairs.instance]] = 0
    used = np.flatnonzero(carried)
    units, of, moved = carried[used], problem.component, problem.moved
    missing: dict[Side, Ints] = {}
    owed = [(of(problem.pairs.instance[used]), units, problem.cost[used])]
    for k, count in enumerate(problem.counts):
        here, known = count.units(used, units), ~none[count.instance]
        if k < len(SIDES):
            missing[SIDES[k]] = np.maximum(count.lower - here, 0) * known
        for sets, often, cost in count.owed(here):
            some = np.flatnonzero((often > 0) & known[sets])
            owed.append((of(count.instance[sets[some]]), often[some], cost[some]))
    n = problem.n_components
    whole = np.ones(n, dtype=np.int64) if moved is None else moved.whole
    total, gap = paid(owed, whole), _gap(problem, inverse)
    total[none[:n]], gap[none[:n]] = np.nan, 0.0  # where instances are joined it is all of them
    masses = () if moved is None else (carried, whole)
    return Pairing(carried > 0, missing, total, gap, infeasible, *masses)


def without_pairing(flow: Flow, inverse: InverseData, problem: PairingProblem) -> Ints:
    """Return the instances that have no pairing, ascending."""
    found = np.union1d(flow.infeasible, np.flatnonzero(problem.hopeless))
    return np.arange(problem.n_instances) if problem.joined and len(found) else found


def flow_of(
    problem: PairingProblem, pairing: Pairing, network: FlowNetwork, inverse: InverseData
) -> Flow:
    """Return the flow in the full network that the pairings of a batch are.

    Components without a pairing carry what no bound allows; nothing is to be read from them.
    """
    carried, used = pairing.carried, np.flatnonzero(pairing.chosen)
    flow = np.zeros(len(network.tail), dtype=np.int64)
    for k, family in enumerate(inverse.families):
        if family.count == PAIR:
            units = carried[family.subject]
        else:
            units = inverse.counts[family.count].units(used, carried[used])[family.subject]
            units = family.sign * (units - family.start) if family.sign else units
        at = inverse.layout.arcs(k)
        flow[at] = np.clip(units, network.lower[at], network.upper[at])
    return Flow(flow, np.empty(0, dtype=np.int64))


# ---------------------------------------------------------------- what it costs


def paid(owed: Sequence[tuple[Ints, Ints, Array]], whole: Ints) -> Floats:
    """Return what is owed by everybody: by whom, how many units, at which cost each.

    Exact costs are added up as whole numbers and divided once. Costs are of the mass 1, so the sum
    over units is divided by how many of them make it.
    """
    n, in_whole = len(whole), to_integers([cost for _, _, cost in owed])
    if not in_whole.exact:
        cost = np.zeros(n)
        for owner, units, price in owed:
            cost += np.bincount(owner, price.astype(np.float64) * units, n)
        return cost / whole
    parts = [(*o[:2], x) for o, x in zip(owed, in_whole.values, strict=True)]
    most = float(whole.max(initial=1)) * in_whole.scale
    most += sum(float(units.sum()) * float(np.abs(x).max(initial=0)) for _, units, x in parts)
    total = np.zeros(n, dtype=object if most >= EXACT else np.int64)
    for owner, units, price in parts:
        np.add.at(total, owner, units.astype(total.dtype) * price.astype(total.dtype))
    if most < EXACT:
        return total / (whole * in_whole.scale)
    each = zip(total.tolist(), whole.tolist(), strict=True)
    return np.array([t / (w * in_whole.scale) for t, w in each], dtype=np.float64)


def _gap(problem: PairingProblem, inverse: InverseData) -> Floats:
    """Return how far costs can be from the least, for costs that were rounded, and for masses.

    Every unit costs at most 1 / scale more than in the solver. A mass that is rounded is carried on
    another way at most as often as there are labels of the shorter side; each time a pair takes
    the place of another one, or of two labels that pay their defaults.
    """
    pairs, moved, costs, of = problem.pairs, problem.moved, inverse.costs[0], problem.component
    gap, largest = np.zeros((2, problem.n_components))
    if not costs.exact:
        most = np.ones(len(problem.cost)) if moved is None else moved.capacity
        np.add.at(gap, of(pairs.instance), most)
        for count in inverse.counts:
            for run in count.runs:
                np.add.at(gap, count.instance[run.sets], run.length)
        gap /= costs.scale * (1 if moved is None else moved.whole)
    if moved is not None and moved.rounding.any():
        some = np.flatnonzero(problem.candidate)
        np.maximum.at(largest, pairs.instance[some], np.abs(problem.cost[some].astype(float)))
        for count in problem.counts[: len(SIDES)]:
            for run in count.runs:
                each = np.abs(run.costs[0].astype(float))
                np.maximum.at(largest, count.instance[run.sets], each)
        ways = np.minimum(*(np.diff(pairs.labels(s).ptr) for s in SIDES))
        gap += 3 * moved.rounding * largest * np.maximum(ways, 1)
    return gap


# ---------------------------------------------------------------- the least largest cost


def limited(problem: PairingProblem) -> PairingProblem:
    """Return the problem without the pairs and defaults above the least largest cost.

    It is found by bisection over the different costs; an instance without a pairing keeps all.
    """
    every = [0, *(x for c in (problem.cost, *problem.default.values()) for x in c.tolist())]
    levels = np.array(sorted({x for x in every if x < np.inf}))  # Fractions stay what they are
    if levels[0] < 0:
        raise BadInput("a Bottleneck needs costs ≥ 0, as the largest of no cost at all is 0")
    stuck = np.isnan(solve_pairing(problem, on_infeasible="nan").cost)
    high = np.full(problem.n_instances, len(levels) - 1)
    low = np.where(stuck, high - 1, -1)  # what is too low; below the first one nothing is
    while (open_ := low + 1 < high).any():
        middle = np.where(open_, (low + high) // 2, high)
        found = solve_pairing(_up_to(problem, levels[middle]), on_infeasible="nan")
        met = ~np.isnan(found.cost)
        high, low = np.where(met, middle, high), np.where(met | ~open_, low, middle)
    largest = np.where(stuck, np.nan, levels[high].astype(np.float64))
    below = np.where(stuck | (high == 0), -1, levels[high - 1])
    return replace(_up_to(problem, levels[high]), limit=CostLimit(problem, largest, below))


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
    candidate = problem.candidate & (problem.cost <= most[problem.pairs.instance])
    counts = list(problem.counts)
    for k, count in enumerate(counts[: len(SIDES)]):
        cheap = (run.some(run.costs[0] <= most[count.instance[run.sets]]) for run in count.runs)
        counts[k] = replace(count, runs=tuple(cheap))
    return replace(problem, candidate=candidate, counts=tuple(counts))
