"""From network to pairing, and from a pairing, however it was found, to the flow that it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from hierpair.errors import Infeasible
from hierpair.hierarchy.arrays import Bools, Floats, Ints, sorted_unique
from hierpair.pairing.network.compiled import PAIR, InverseData, build
from hierpair.pairing.network.infeasibility import why_infeasible, why_none
from hierpair.pairing.pairs import SIDES, Array, Side
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import Flow, FlowNetwork, solve, to_integers

__all__ = ["Pairing", "flow_of", "paid", "read", "solve_pairing", "without_pairing"]


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
    units = np.zeros(len(problem.cost), dtype=np.int64)
    arcs, of_pair = inverse.pairs
    units[of_pair] = flow.flow[arcs]
    units[inverse.decided] = 1
    if inverse.instead is not None:
        taken = _taken(problem, inverse.instead, np.flatnonzero(units))
        units[taken] = 1
    none = np.zeros(problem.n_instances, dtype=bool)
    none[infeasible] = True
    if len(infeasible):
        units[none[problem.pairs.instance]] = 0
    used = np.flatnonzero(units)
    each = None if problem.moved is None else units[used]
    missing: dict[Side, Ints] = {}
    for s, count in zip(SIDES, problem.counts, strict=False):
        lacking = np.maximum(count.lower - count.units(used, each), 0)
        missing[s] = np.where(none[count.instance], 0, lacking)
    lacking = none[: problem.n_components]  # where instances are joined it is all of them
    moved = problem.moved
    whole = np.ones(problem.n_components, dtype=np.int64) if moved is None else moved.whole
    cost = paid(list(_owed(problem, used, each, none)), whole)
    cost[lacking] = np.nan
    return Pairing(
        units > 0,
        missing,
        cost,
        np.where(lacking, 0.0, _gap(problem, inverse)),
        infeasible,
        None if moved is None else units,
        None if moved is None else moved.whole,
    )


def _taken(problem: PairingProblem, instead: tuple[Ints, ...], used: Ints) -> Ints:
    """Return the pairs that labels take which no other came to."""
    found = []
    for s, pair in zip(SIDES, instead, strict=True):
        alone = pair >= 0
        alone[problem.pairs.at(s)[used]] = False
        found.append(pair[alone])
    return np.concatenate(found)


def without_pairing(flow: Flow, inverse: InverseData, problem: PairingProblem) -> Ints:
    """Return the instances that have no pairing, ascending."""
    impossible = problem.pairs.instance[problem.required & ~problem.candidate]
    stuck = [flow.infeasible, inverse.hopeless, impossible]
    stuck += [np.flatnonzero(remark.instances) for remark in problem.impossible]
    found = sorted_unique(np.concatenate(stuck).astype(np.int64))
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
    size, scale = np.zeros(n), in_whole.scale
    for owner, units, price in parts:
        size += np.bincount(owner, np.abs(price.astype(float)) * units, n)
    large = (size.max(initial=0) >= EXACT) | (whole.astype(float) * scale >= EXACT).any()
    total = np.zeros(n, dtype=object if large else np.int64)
    for owner, units, price in parts:
        np.add.at(total, owner, units.astype(total.dtype) * price.astype(total.dtype))
    if not large:
        return total / (whole * scale)
    each = zip(total.tolist(), whole.tolist(), strict=True)
    return np.array([t / (w * scale) for t, w in each], dtype=np.float64)


def _owed(
    problem: PairingProblem, used: Ints, each: Ints | None, none: Bools
) -> Iterator[tuple[Ints, Ints, Array]]:
    """Yield what is paid: for whom, how often, and at which cost."""
    of = problem.component
    once = np.ones(len(used), dtype=np.int64) if each is None else each
    yield of(problem.pairs.instance[used]), once, problem.cost[used]
    for count in problem.counts:
        if count.is_hard:
            continue
        for sets, often, cost in count.owed(count.units(used, each)):
            known = np.flatnonzero((often > 0) & ~none[count.instance[sets]])
            yield of(count.instance[sets[known]]), often[known], cost[known]


def _gap(problem: PairingProblem, inverse: InverseData) -> Floats:
    """Return how far costs can be from the least, for costs that were rounded, and for masses.

    Every unit costs at most 1 / scale more than in the solver. A mass that is rounded is carried on
    another way at most as often as there are labels of the shorter side; each time it costs no more
    than the largest cost less the least one.
    """
    n, carried, costs = problem.n_components, problem.moved, inverse.costs[0]
    gap = np.zeros(n)
    if not costs.exact:
        if carried is None:
            gap += np.bincount(problem.component(problem.pairs.instance), minlength=n)
        for k, count in enumerate(inverse.counts):
            if k < len(SIDES):
                gap += np.bincount(
                    count.instance, count.lower if carried is None else count.upper, n
                )
            for run in count.runs if k >= len(SIDES) or carried is not None else ():
                gap += np.bincount(count.instance[run.sets], run.length, n)
        gap /= costs.scale * (1 if carried is None else carried.whole)
    if carried is not None and carried.rounding.any():
        labels = [problem.labels(s) for s in SIDES]
        cost = np.where(problem.candidate, problem.cost.astype(np.float64), 0)
        span, low = np.zeros(n), np.zeros(n)
        np.maximum.at(span, problem.pairs.instance, cost)
        np.minimum.at(low, problem.pairs.instance, cost)
        for of, default in zip(labels, problem.default.values(), strict=True):
            alone, finite = np.zeros(n), default.astype(np.float64)
            np.maximum.at(alone, of.instance, np.where(np.isinf(finite), 0, finite))
            span += alone
        ways = np.minimum(*(np.diff(of.ptr) for of in labels))
        gap += carried.rounding * (span - low) * np.maximum(ways, 1)
    return gap
