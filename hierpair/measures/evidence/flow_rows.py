"""From solved problems to rows of evidence, each proved optimal without the solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.measures.evidence.base import Name
from hierpair.measures.evidence.flows import ArcRow, CountRow, FlowEvidence
from hierpair.pairing import (
    OPEN,
    PAIR,
    SIDES,
    InverseData,
    Masses,
    OwnFlow,
    OwnNetwork,
    Pairing,
    PairingProblem,
    Statement,
    WhatIf,
    as_flow,
    build,
    cheapest_moves,
    network_of,
    read,
    why_infeasible,
)
from hierpair.pairing.constraints.source import Source
from hierpair.pairing.network.counters import counters
from hierpair.pairing.network.flow_of_pairing import flow_of
from hierpair.pairing.network.inverse_data import DEFAULT, LESS, MORE
from hierpair.pairing.network.least_largest import why_no_smaller
from hierpair.solvers import Flow, FlowNetwork, check, solve

__all__ = [
    "Proof",
    "network_evidence",
    "pair_evidence",
    "proof_of",
    "transport_evidence",
]

Floats = NDArray[np.float64]
Ids = Sequence[Name] | None

BOUNDS = "at most", "at least"


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
    price, potential
        Reduced cost of every arc or pair, and price of every node.
    prices
        Of a pairing, by counter: the dual price of each of its sets.
    lexicographic
        What the flow costs by each of the lexicographic costs, of which the other numbers are
        those of the first; empty for a single cost.
    """

    bound: float
    optimal: bool
    gap: float
    price: Floats
    potential: Floats
    prices: Sequence[Floats] = field(default_factory=list)
    lexicographic: tuple[float, ...] = ()


def proved(network: FlowNetwork, flow: Flow, scale: int, unit: int = 1, gap: float = 0.0) -> Proof:
    """Check a flow whose costs are whole numbers, ``scale`` of which are 1 for each of ``unit``."""
    found = check(network, flow)
    potential = found.potentials
    reduced = network.cost + potential[network.tail] - potential[network.head]
    bound = found.bound / scale / unit
    return Proof(bound, found.optimal, gap, reduced / scale, potential / scale)


def proof_of(problem: PairingProblem, pairing: Pairing) -> Proof:
    """Check the pairing of a batch in the full network, whichever network was solved.

    Bound and totals are those of the batch, which mostly is one instance. Without a pairing there
    is nothing to prove: all numbers are nan.
    """
    network, inverse = build(problem, reduce=False)
    if len(pairing.infeasible):
        none = np.full(len(network.tail), np.nan)
        return Proof(np.nan, False, 0.0, *_prices(problem, inverse, none))
    flow = flow_of(problem, pairing, network, inverse)
    found, gap = check(network, flow), pairing.gap.sum()
    optimal, scale = found.optimal, inverse.costs.scale
    unit = 1 if pairing.whole is None else int(pairing.whole[0])
    if not optimal and not inverse.costs.exact:  # rounded otherwise than in a reduced network
        best, cost = solve(network), found.cost
        found = check(network, best)
        gap += read(network, best, inverse, problem).gap.sum()
        optimal = found.optimal and (cost - found.bound) / scale / unit <= gap
    reduced = network.cost + found.potentials[network.tail] - found.potentials[network.head]
    constant = 0 if inverse.constant is None else int(inverse.constant[0].sum())
    bound = (found.bound + constant) / (scale * unit)
    each = _each_cost(problem, network, inverse, flow)
    prices = _prices(problem, inverse, reduced / scale)
    return Proof(bound, bool(optimal), float(gap), *prices, each)


def _prices(
    problem: PairingProblem, inverse: InverseData, reduced: Floats
) -> tuple[Floats, Floats, list[Floats]]:
    """Return the prices of pairs, none of nodes, and by counter those of sets."""
    of_pair = np.full(len(problem.cost), np.nan)
    pair = inverse.kind == PAIR
    of_pair[inverse.subject[pair]] = reduced[pair]
    bounds, prices = ~np.isin(inverse.kind, (PAIR, DEFAULT, MORE, LESS)), []
    for k, counter in enumerate(counters(problem)):
        arc = bounds & (inverse.counter == k)
        price = np.zeros(len(counter))
        # a label asks for its price, and what a quota says no to would save it
        price[inverse.subject[arc]] = (
            reduced[arc] if counter.kind == "label" else 0.0 - reduced[arc]
        )
        prices.append(price)
    return of_pair, np.empty(0), prices


def _each_cost(
    problem: PairingProblem, network: FlowNetwork, inverse: InverseData, flow: Flow
) -> tuple[float, ...]:
    """Return what a flow costs by each of the lexicographic costs."""
    if problem.packing is None:
        return ()
    totals = [int(np.dot(c.astype(object), flow.flow)) for c in (network.cost, *network.later)]
    if inverse.constant is not None:
        totals = [x + int(c) for x, c in zip(totals, inverse.constant.sum(axis=1), strict=True)]
    unit = 1 if problem.moved is None else int(problem.moved.whole[0])
    scales = problem.packing.scales
    return tuple(x / (scale * unit) for x, scale in zip(totals, scales, strict=True))


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
    said: dict[str, Any] = {}
    if ids is None:
        said = _about_one(problem, pairing)
        try:
            told = WhatIf(problem, pairing) if proof.optimal else None
        except SolverLimit as error:
            said["untold"] = error.reason
    if told is not None:
        said["unique"], said["further"] = bool(told.unique[0]), float(told.further[0])
        said["second"] = tuple(sorted(told.changes[0][0].tolist()))
    return FlowEvidence(
        tuple(_pair_rows(problem, pairing, proof, told, ids)),
        # labels stand first, where pairs look for them
        tuple(
            sorted(_set_rows(problem, pairing, proof, told, ids), key=lambda x: x.kind not in SIDES)
        ),
        float(pairing.cost.sum()),
        proof.bound,
        proof.optimal,
        proof.gap,
        None if pairing.whole is None else int(pairing.whole[0]),
        proof.lexicographic,
        **said,
    )


def _about_one(problem: PairingProblem, pairing: Pairing) -> dict[str, Any]:
    """Return why an instance has no pairing, or no smaller largest cost, and what is remarked."""
    said: dict[str, Any] = {
        "remarks": tuple(r.text for r in problem.remarks if r.instances.any()),
    }
    if len(pairing.infeasible):
        blocked = why_infeasible(problem, 0)
        said |= {"blocking": _bounds(problem, blocked.statements), "why": blocked.text}
    elif problem.limit is not None:
        said["largest"] = float(problem.limit.largest[0])
    smaller = why_no_smaller(problem, 0)
    if smaller is not None:
        said |= {"smaller": _bounds(problem, smaller.statements), "why_largest": smaller.text}
    return said


def _bounds(problem: PairingProblem, statements: Sequence[Statement]) -> tuple[CountRow, ...]:
    """Return bounds that cannot hold together."""
    names = {s: problem.labels(s).names for s in SIDES}
    rows = []
    for s in statements:
        sides = SIDES if s.side is None else (s.side,) * len(s.labels)
        of = tuple(names[side][i] for side, i in zip(sides, s.labels, strict=False))
        kind = s.side if s.kind == "label" and s.side else s.kind
        limit = {"lower": s.value} if s.bound == "at least" else {"upper": s.value}
        rows.append(CountRow(kind, of, s.text, **limit))
    return tuple(rows)


def _pair_rows(
    problem: PairingProblem, pairing: Pairing, proof: Proof, told: WhatIf | None, ids: Ids
) -> Iterator[ArcRow]:
    """Yield the pairs, of a data set those that are chosen."""
    pairs, names = problem.pairs, [problem.labels(s).names for s in SIDES]
    units = pairing.chosen.astype(np.int64) if pairing.units is None else pairing.units
    whole = 1 if pairing.whole is None else int(pairing.whole[0])
    most = problem.candidate * (1 if problem.moved is None else problem.moved.capacity)
    least = np.minimum(problem.required * whole, most)
    fall = rise = np.full(len(units), np.nan)
    if told is not None:
        fall, rise = told.may_fall, told.may_rise
    cost = problem.shown_costs[0]
    for i in range(len(units)) if ids is None else np.flatnonzero(units).tolist():
        ends = int(pairs.predicted_at[i]), int(pairs.true_at[i])
        of = tuple(names[k][at] for k, at in enumerate(ends))
        yield ArcRow(
            "pair",
            of if ids is None else (ids[pairs.instance[i]], *of),
            lower=int(least[i]),
            upper=int(most[i]),
            units=int(units[i]),
            cost=float(cost[i]),
            price=float(proof.price[i]),
            may_fall=float(fall[i]),
            may_rise=float(rise[i]),
            tail=ends[0],
            head=len(names[0]) + ends[1],
        )


def _set_rows(
    problem: PairingProblem, pairing: Pairing, proof: Proof, told: WhatIf | None, ids: Ids
) -> Iterator[CountRow]:
    """Yield the labels, of a data set those that lack partners, and what is said of other sets."""
    chosen, alone = np.flatnonzero(pairing.chosen), ids is None
    each = None if pairing.units is None else pairing.units[chosen]
    whole = 1 if pairing.whole is None else int(pairing.whole[0])
    as_said = {own.key: own for own in problem.sets}
    saved = {}
    if told is not None and problem.limit is None and problem.moved is None:
        saved = {(s.counter.key, s.source, s.bound): s.saved for s in told.savings}
    for counter, price in zip(counters(problem), proof.prices, strict=True):
        own, none = as_said.get(counter.key, counter), np.zeros(len(counter))
        units, table = counter.units(chosen, each), problem.shown_counts.get(counter.key)
        statements: list[tuple[Source | None, NDArray[Any]]] = [(None, none)]
        if table is not None and not len(pairing.infeasible):
            at = table.ptr[:-1] + units
            statements += [(source, by_cost[0][at] / whole) for source, by_cost in table.parts]
        for source, paid in statements:
            saves = {b: np.nan_to_num(saved.get((counter.key, source, b), none)) for b in BOUNDS}
            kind, of, missing, cost = counter.kind, None, none, none + np.inf
            listed = (paid != 0) | (sum(saves.values()) > 0)
            if source is None and kind == "label":
                kind = counter.key[1]
                labels, missing = problem.labels(kind), pairing.missing[kind]
                of, cost = labels.names, problem.shown_costs[1][kind]
                listed = (missing > 0) | alone
            elif source is None and (alone or kind == "quota"):
                listed |= (own.lower > 0) | (own.upper < OPEN) | (table is not None and not alone)
            for i in np.flatnonzero(listed).tolist():
                by = max(BOUNDS, key=lambda b: saves[b][i])
                yield CountRow(
                    kind,
                    ()
                    if of is None
                    else (of[i],)
                    if ids is None
                    else (ids[labels.instance[i]], of[i]),
                    counter.place(i)[0] if of is None else "",
                    lower=int(own.lower[i]),
                    upper=int(own.upper[i]) if own.upper[i] < OPEN else np.inf,
                    units=int(units[i]),
                    cost=float(cost[i]),
                    price=float(price[i]),
                    missing=int(missing[i]),
                    paid=float(paid[i]),
                    saves=float(saves[by][i]),
                    by=by if saves[by][i] else "",
                    source=str(source or ("" if of else own.source)),
                )


def transport_evidence(masses: Masses, price: Floats) -> FlowEvidence:
    """Find the moves of a batch of one as a flow, and check it without the solver."""
    moves, whole = cheapest_moves(masses, price), int(masses.whole[0])
    network, costs = network_of(masses, price)
    proof = proved(network, as_flow(price, moves), costs.scale, whole, float(moves.gap[0]))
    rows, first = [], int(masses.y_pred.lengths[0])
    # of a predicted class the price falls with its potential, of a true one it rises
    prices = np.split(proof.potential, [first])
    for sign, side, own in zip((-1, 1), SIDES, prices, strict=True):
        names = masses.sets(side).names_of(0, masses.hierarchy)
        rows += [
            CountRow(side, (name,), "", n, n, n, price=float(sign * y) + 0.0)
            for name, n, y in zip(names, masses.units[side].tolist(), own, strict=True)
        ]
    arcs = [
        ArcRow(
            "pair",
            (rows[p].of[0], rows[first + t].of[0]),
            units=int(moves.units[i]),
            cost=float(price[i]),
            price=slack,
            tail=p,
            head=first + t,
        )
        for slack, i in zip(proof.price.tolist(), np.flatnonzero(np.isfinite(price)), strict=True)
        for p, t in [(int(masses.pairs.predicted_at[i]), int(masses.pairs.true_at[i]))]
    ]
    none = () if len(price) else ("nothing can be moved: a side has no labels",)
    return FlowEvidence(
        tuple(arcs),
        tuple(rows) if len(price) else (),
        float(moves.cost[0]),
        proof.bound,
        proof.optimal,
        proof.gap,
        whole,
        remarks=none,
    )


def network_evidence(own: OwnNetwork, found: OwnFlow) -> FlowEvidence:
    """Spell out the flow of a batch of one through a network that a rule wrote, and check it."""
    network = own.network
    proof = proved(network, found.flow, own.scale, gap=float(found.gap[0]))
    costs, pair = own.column("cost"), own.column("pair")
    pairs, names = own.pairs, own.pairs.hierarchy.names
    arcs = [
        ArcRow(
            "arc" if pair[a] is None else "pair",
            ()
            if pair[a] is None
            else (names[pairs.predicted[pair[a]]], names[pairs.true[pair[a]]]),
            own.text(a),
            int(network.lower[a]),
            int(network.upper[a]),
            int(found.flow.flow[a]),
            float(costs[a]),
            float(proof.price[a]),
            source=own.families[own.family[a]].says,
            tail=int(network.tail[a]),
            head=int(network.head[a]),
        )
        for a in np.lexsort((own.within, own.family)).tolist()
    ]
    nodes = zip(own.node_names(), network.supply.tolist(), strict=True)
    return FlowEvidence(
        tuple(arcs),
        tuple(CountRow("node", (), name, sent, sent, sent) for name, sent in nodes),
        float(found.cost[0]),
        proof.bound,
        proof.optimal,
        proof.gap,
    )
