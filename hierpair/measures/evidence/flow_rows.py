"""From solved problems to rows of evidence, each proved optimal without the solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.hierarchy.arrays import Floats, Indices
from hierpair.measures.evidence.base import Name, cost_text
from hierpair.measures.evidence.flows import FlowEvidence, FlowRow
from hierpair.pairing import SIDES, Pairing, PairingProblem, WhatIf, build, read, why_infeasible
from hierpair.pairing.infeasibility import Statement
from hierpair.pairing.network import PAIR, InverseData
from hierpair.pairing.own_networks import OwnFlow, OwnNetwork
from hierpair.pairing.pairings import flow_of, why_no_smaller
from hierpair.pairing.pairs import OPEN
from hierpair.solvers import Flow, FlowNetwork, check, solve

Ids = Sequence[Name] | None


@dataclass(frozen=True, eq=False)
class Proof:
    """What dual prices prove of a flow.

    Attributes
    ----------
    bound
        What every flow costs at least.
    optimal
        Whether the flow is proved optimal.
    gap
        How far its cost can be from the optimum because costs had to be rounded.
    price
        Of every arc, its reduced cost.
    costs
        What the flow costs by each of its costs, of which the other numbers are the first one's.
    inverse
        Of a pairing, what its arcs say.
    """

    bound: float
    optimal: bool
    gap: float
    price: Floats
    costs: tuple[float, ...] = ()
    inverse: InverseData | None = None

    def of(self, n: int, count: int = PAIR) -> Floats:
        """Return the prices of n things that arcs of a pairing are about: pairs, or what counts."""
        says, found = self.inverse, np.full(n, np.nan if count == PAIR else 0.0)
        assert says is not None  # it is a pairing
        arcs = (says.count == count) & (says.sign == 0)
        found[says.subject[arcs]] = self.price[arcs]
        return found


def proved(
    network: FlowNetwork,
    flow: Flow,
    gap: float,
    scales: Sequence[int],
    unit: int = 1,
    constants: Sequence[int] = (0,),
) -> Proof:
    """Check a flow without the solver.

    Costs are whole numbers, of each cost so many of which are 1 for each of so many units, and
    constants have to be paid whatever flows.
    """
    found = check(network, flow)
    y, scale = found.potentials, scales[0]
    reduced = network.cost + y[network.tail] - y[network.head]
    each = zip((found, *found.later), constants, scales, strict=False)  # none after a failure
    costs = tuple((one.cost + paid) / (one_is * unit) for one, paid, one_is in each)
    bound = (found.bound + constants[0]) / (scale * unit)
    return Proof(bound, found.optimal, gap, reduced / scale, costs)


def proof_of(problem: PairingProblem, pairing: Pairing) -> Proof:
    """Check the pairing of a batch in the full network, whichever network was solved.

    Bound and totals are those of the batch, which mostly is one instance. Without a pairing there
    is nothing to prove: all numbers are nan.
    """
    given = problem.moved
    if given is not None:  # where only labels bound a pair, their prices are the proof
        wider = given.capacity + ((given.given > given.capacity) & (given.capacity > 0))
        problem = replace(problem, moved=given._replace(capacity=wider))
    network, inverse = build(problem, reduce=False)
    if len(pairing.infeasible):
        none = np.full(len(network.tail), np.nan)
        return Proof(np.nan, False, 0.0, none, inverse=inverse)
    whole = 1 if pairing.whole is None else int(pairing.whole[0])
    how = [cost.scale for cost in inverse.costs], whole, inverse.constant.sum(axis=1).tolist()
    gap = float(pairing.gap.sum())
    proof = proved(network, flow_of(problem, pairing, network, inverse), gap, *how)
    if not (proof.optimal or inverse.costs[0].exact):  # rounded otherwise than where solved
        best, cost = solve(network), proof.costs[0]
        gap += float(read(network, best, inverse, problem).gap.sum())
        proof = proved(network, best, gap, *how)
        proof = replace(proof, optimal=proof.optimal and cost - proof.bound <= gap)
    return replace(proof, inverse=inverse)


def pair_evidence(problem: PairingProblem, pairing: Pairing, ids: Ids = None) -> FlowEvidence:
    """Spell out a pairing, and prove without the solver that it is optimal.

    The proof is about the full network, whichever network was solved. Where there is no pairing
    the evidence is the bounds that cannot hold together.

    Parameters
    ----------
    problem, pairing
        Of one instance, or of a data set.
    ids
        Of the instances of a data set. Only what is chosen, what is missing and what has to be
        paid for is listed then, with its instance, and quotas.
    """
    proof, told = proof_of(problem, pairing), None
    remarks, said = list[str](), dict[str, Any]()
    if len(pairing.infeasible):
        found = why_infeasible(problem, 0)
        said = {"blocking": _bounds(found.statements), "why": found.text}
    elif ids is None:
        if problem.limit is not None:
            largest, smaller = float(problem.limit.largest[0]), why_no_smaller(problem, 0)
            said["largest"] = largest
            text = f"the largest cost is {cost_text(largest)}, and none smaller will do"
            remarks.append(text + (f": with cheaper ones only, {smaller.text}" if smaller else ""))
        try:
            told = WhatIf(problem, pairing) if proof.optimal else None
        except SolverLimit as error:
            remarks.append(f"what would change the pairing is not told: {error.reason}")
    if told is not None:
        said["unique"], said["further"] = bool(told.unique[0]), float(told.further[0])
        said["second"] = tuple(sorted(told.changes[0].tolist()))
    return FlowEvidence(
        tuple(_pairs(problem, pairing, proof, told, ids)),
        tuple(_sets(problem, pairing, proof, told, ids)),
        float(pairing.cost.sum()),
        proof.bound,
        proof.optimal,
        proof.gap,
        None if pairing.whole is None else int(pairing.whole[0]),
        proof.costs if len(problem.costs) > 1 else (),
        remarks=tuple(remarks),
        **said,
    )


def _bounds(statements: Sequence[Statement]) -> tuple[FlowRow, ...]:
    """Return bounds that cannot hold together."""
    rows = []
    for s in statements:
        bounds = (s.value, np.inf) if s.bound == "at least" else (0, s.value)
        rows.append(
            FlowRow(s.side if s.kind == "label" and s.side else s.kind, s.of, s.text, *bounds)
        )
    return tuple(rows)


def _rows(at: Indices, **columns: Any) -> list[FlowRow]:
    """Return a row for each place in columns; what is a list has its rows, all else is alike."""
    each = [
        x[at].tolist() if isinstance(x, np.ndarray) else x if isinstance(x, list) else [x] * len(at)
        for x in columns.values()
    ]
    return [FlowRow(**dict(zip(columns, x, strict=True))) for x in zip(*each, strict=True)]


def _named(of: Iterable[tuple[Name, ...]], instance: Indices, ids: Ids) -> list[Any]:
    """Return names of classes, of a data set after their instance."""
    return [x if ids is None else (ids[i], *x) for i, x in zip(instance.tolist(), of, strict=True)]


def _pairs(
    problem: PairingProblem, pairing: Pairing, proof: Proof, told: WhatIf | None, ids: Ids
) -> list[FlowRow]:
    """Return the pairs, of a data set those that are chosen."""
    pairs, (predicted, true) = problem.pairs, (problem.pairs.labels(s).names for s in SIDES)
    units, (least, most) = pairing.carried, problem.carried
    at = np.arange(len(units)) if ids is None else np.flatnonzero(units)
    ends = zip(pairs.predicted_at[at].tolist(), pairs.true_at[at].tolist(), strict=True)
    more: dict[str, Any] = {}
    if ids is None:
        more = {"tail": pairs.predicted_at, "head": pairs.true_at + len(predicted)}
    if told is not None:
        more |= {"may_fall": told.may_fall, "may_rise": told.may_rise}
    of = ((predicted[i], true[j]) for i, j in ends)
    return _rows(
        at, kind="pair", of=_named(of, pairs.instance[at], ids), lower=least,
        upper=most, units=units, cost=problem.cost.astype(np.float64),
        price=proof.of(len(units)), **more,
    )  # fmt: skip


def _sets(
    problem: PairingProblem, pairing: Pairing, proof: Proof, told: WhatIf | None, ids: Ids
) -> Iterator[FlowRow]:
    """Yield the labels, of a data set those that lack partners, and what is said of other sets."""
    used, whole = np.flatnonzero(pairing.chosen), 1 if pairing.whole is None else pairing.whole[0]
    savings = told.savings if told and problem.limit is None and problem.moved is None else []
    own = {  # the counts of labels of a side, of which the first is their partners
        side: [k for k, c in enumerate(problem.counts) if c.kind == "label" and c.side == side]
        for side in SIDES
    }
    labels = {numbers[0]: side for side, numbers in own.items()}
    for k in sorted(range(len(problem.counts)), key=lambda k: (k not in labels, k)):
        count, n = problem.counts[k], len(problem.counts[k])
        hard = count if k in labels else count.hard()
        units, paid, saves = count.units(used, pairing.carried[used]), np.zeros(n), np.zeros(n)
        by = np.full(n, "", dtype=object)
        for one in savings:
            if (one.count.kind, one.count.side, one.count.source) == (
                count.kind,
                count.side,
                count.source,
            ):
                more = one.saved > saves
                saves[more], by[more] = one.saved[more], one.bound
        columns: dict[str, Any] = {
            "lower": hard.lower,
            "upper": np.where(hard.upper < OPEN, hard.upper.astype(object), np.inf),
            "units": units,
            "saves": saves,
            "by": by,
        }
        if k in labels:  # what they lack is said apart; their prices are for more units
            side = labels[k]
            of, missing = problem.pairs.labels(side), pairing.missing[side]
            at = np.flatnonzero((missing > 0) | (ids is None))
            columns |= {
                "kind": side,
                "of": _named(((of.names[i],) for i in at), of.instance[at], ids),
                "cost": problem.default[side].astype(np.float64),
                "missing": missing,
                "price": 0.0 + sum(proof.of(n, j) for j in own[side]),
            }
        else:
            paid = np.zeros(n) if len(pairing.infeasible) else count.paid(units) / whole
            binds = (hard.lower > 0) | (hard.upper < OPEN) | (not count.is_hard)
            at = np.flatnonzero((paid != 0) | binds & (ids is None or count.kind == "quota"))
            columns |= {
                "kind": count.kind,
                "says": [count.place(i)[0] for i in at.tolist()],
                "paid": paid,
                "price": 0.0 - proof.of(n, k),
                "source": str(count.source),
            }
        yield from _rows(at, **columns)


def network_evidence(own: OwnNetwork, found: OwnFlow) -> FlowEvidence:
    """Spell out the flow of a batch of one through a network that a rule wrote, and check it."""
    network, flow, names = own.network, found.flow, own.pairs.hierarchy.names
    proof = proved(network, flow, float(found.gap[0]), [own.layout.costs[0].scale])
    pair = [i for f in own.families for i in ([-1] * len(f.tail) if f.pair is None else f.pair)]
    ends = own.pairs.predicted.tolist(), own.pairs.true.tolist()
    arcs = _rows(
        np.argsort(own.layout.order),
        kind=["arc" if i < 0 else "pair" for i in pair],
        of=[() if i < 0 else tuple(names[end[i]] for end in ends) for i in pair],
        says=own.texts, lower=network.lower, upper=network.upper, units=flow.flow,
        cost=own.costs().astype(np.float64), price=proof.price,
        source=[f.says for f in own.families for _ in f.tail],
        tail=network.tail, head=network.head,
    )  # fmt: skip
    n = network.supply
    nodes = _rows(np.arange(len(n)), kind="node", says=own.node_names(), lower=n, upper=n, units=n)
    cost = float(found.cost[0])
    return FlowEvidence(tuple(arcs), tuple(nodes), cost, proof.bound, proof.optimal, proof.gap)
