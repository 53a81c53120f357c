"""A cheapest flow in names, and the proof that none is cheaper: whatever a rule makes a flow of.

Pairings, masses that are moved, pairings of a whole data set, and networks that rules wrote
themselves are all rows of one kind: arcs, and sets of arcs that are counted.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from hierpair.errors import SolverLimit
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Floats, Indices
from hierpair.measures.evidence.graphs import Name, Neighbourhood, neighbourhood
from hierpair.pairing import (
    SIDES,
    Pairing,
    PairingProblem,
    WhatIf,
    build,
    mass_text,
    read,
    why_infeasible,
)
from hierpair.pairing.network import PAIR, InverseData
from hierpair.pairing.own_networks import Net, OwnFlow
from hierpair.pairing.pairings import Statement, flow_of, why_no_smaller
from hierpair.pairing.pairs import OPEN
from hierpair.solvers import Flow, FlowNetwork, check, solve
from hierpair.tables import Block
from hierpair.tables.text import number

MOST_CLASSES = 60
"""Of more classes or edges in a line than this, the first ones are listed, and how many are not."""

MOST_ROWS = 40
"""Of more rows of a table than this, the first ones are listed, and how many are not."""

NUMBERS = {"classes", "pairs", "mass", "units", "allowed", "missing", "default", "paid", "cost",
           "best while", "dual price", "one unit saves"}  # fmt: skip
"""Columns of numbers."""


def cost_text(cost: float | None, digits: int = 4) -> str:
    """Return a cost as short as it is exact, with so many decimals at most.

    >>> cost_text(2.0), cost_text(1 / 3), cost_text(None), cost_text(float("inf"))
    ('2', '0.3333', '-', '∞')
    """
    if cost is None or math.isnan(cost):
        return "-"
    if cost == math.inf:
        return "∞"
    return f"{cost:.0f}" if cost == round(cost) else number(cost, digits)


def listed_classes(names: Sequence[Hashable], between: str = ", ") -> str:
    """Return the first names, and how many more there are."""
    left_out = len(names) - MOST_CLASSES
    more = [f"and {left_out:,} more (JSON has all)"] if left_out > 0 else []
    return between.join([*map(str, names[:MOST_CLASSES]), *more]) or "(none)"


def table_of(records: Sequence[Mapping[str, str]], most: int = MOST_ROWS) -> Block:
    """Return the first records as a table of those columns that say something."""
    rows = records[:most]
    heads = [head for head in rows[0] if any(row[head] for row in rows)]
    cells = [[row[head] for head in heads] for row in rows]
    more = len(records) - len(rows)
    foot = [f"{more:,} more are not listed; JSON has all"] * (more > 0)
    return Block(heads, cells, align="".join("lr"[head in NUMBERS] for head in heads), foot=foot)


@dataclass(frozen=True)
class FlowRow:
    """What an arc of a flow carries, or several of them that are counted together.

    Attributes
    ----------
    kind
        Of arcs ``"pair"``, of a predicted and a true class, or another ``"arc"`` of a network. Of
        what is counted ``"predicted"`` or ``"true"``: a label of that side. Others are the pairs of
        a ``"group"`` of labels, of a label with some ``"partners"``, of the ``"instance"``, or of a
        ``"quota"`` over the data set, and a ``"node"`` of a network that a rule wrote itself.
    of
        Its classes, of a data set after their instance: predicted and true one of a pair, the one
        of a label.
    says
        What it is in words, where its classes do not say so.
    lower, upper
        Bounds on its units; inf where there is none. A pair that may not be chosen has room for 0.
    units
        How many it carries: 1 for a chosen pair, its partners for a label, what a node sends; with
        masses, units of which the evidence says how many make the mass 1.
    cost
        Of a unit, or of the mass 1; inf: impossible. Of a label, that of a partner it lacks.
    price
        Its dual price. Of an arc it is the reduced cost: by so much, at least, the cost may change
        towards a reduced cost of 0 before the flow has to. Of a label, what a pair has to pay for
        it: one is worth choosing only if it costs no more than both of its labels. Of other sets,
        what one unit more saves at most, and one less costs at least.
    source
        Which constraint says so; of an arc that a rule wrote, what it says of its family.
    may_fall, may_rise
        By how much the cost of a pair may change before another flow costs less, all other costs as
        they are; inf for any amount, nan where that is not known.
    tail, head
        Where an arc goes from and to, by position in ``counted``.
    missing
        Of a label, the partners that it lacks, each bought at its cost.
    paid
        What the number of its units costs, by a table of costs.
    saves, by
        What one unit of its bounds would save, all else as it is: ``"at most"``, raised by one,
        or ``"at least"``, lowered by one. Of a table: its cheapest numbers reach one further.
    """

    kind: str
    of: tuple[Name, ...] = ()
    says: str = ""
    lower: float = 0
    upper: float = math.inf
    units: int = 0
    cost: float = math.inf
    price: float = math.nan
    source: str = ""
    may_fall: float = math.nan
    may_rise: float = math.nan
    tail: int = -1
    head: int = -1
    missing: int = 0
    paid: float = 0.0
    saves: float = 0.0
    by: str = ""

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return self.says or "–".join(map(str, self.of))


@dataclass(frozen=True)
class FlowEvidence:
    """A cheapest flow, what it costs, and the proof that none is cheaper; or why there is none.

    Attributes
    ----------
    arcs
        What may carry something: all pairs, predicted label by predicted label, or the arcs of a
        network that a rule wrote itself.
    counted
        What is counted of them: labels first, the predicted ones and then the true ones, and other
        sets of pairs; or the nodes of a network.
    cost
        What the flow costs: arcs, missing partners, and numbers of units.
    bound
        What the dual prices prove that every flow costs at least; equal to ``cost`` up to ``gap``.
    optimal
        Whether the check without the solver found the flow feasible and optimal.
    gap
        How far ``cost`` can be from the optimum because costs had to be rounded.
    whole
        With masses or capacities, how many units make the mass 1. None: all is whole.
    lexicographic
        Where costs are minimised one after the other: what the flow costs in each. All other
        numbers are those of the first; ``optimal`` says that each is the least among the optima of
        those before it. Empty for a single cost.
    unique
        Whether no other pairing is as good; None where that is not known.
    further
        How much more the second best pairing costs: 0 if there are several best ones (or only a
        later lexicographic cost is higher), inf if there is no other at all, nan: not known.
    second
        The arcs, by position, that are used in this pairing or in a second best one and not in
        both.
    blocking
        Without a possible pairing: bounds that cannot hold together, though any of them could
        without one of the others. Then nothing is chosen, and the cost is nan.
    why
        The same in one sentence.
    largest
        Where the largest cost is minimised first (``Bottleneck``): the largest that may be paid;
        dearer pairs are not allowed. None for any other rule.
    remarks
        What has to be known beside: why no smaller largest cost will do, or why it is not told
        whether there are other best pairings.
    """

    arcs: tuple[FlowRow, ...]
    counted: tuple[FlowRow, ...]
    cost: float
    bound: float
    optimal: bool
    gap: float
    whole: int | None = None
    lexicographic: tuple[float, ...] = ()
    unique: bool | None = None
    further: float = math.nan
    second: tuple[int, ...] = ()
    blocking: tuple[FlowRow, ...] = ()
    why: str = ""
    largest: float | None = None
    remarks: tuple[str, ...] = ()

    kind: ClassVar = "flow"
    repeatable: ClassVar = True

    @property
    def written(self) -> bool:
        """Whether it is a network that a rule wrote itself."""
        return any(row.kind == "node" for row in self.counted)

    @property
    def pairs(self) -> tuple[FlowRow, ...]:
        """The pairs of a predicted and a true class."""
        return tuple(row for row in self.arcs if row.kind == "pair")

    def side(self, side: str) -> tuple[FlowRow, ...]:
        """Return the labels of a side."""
        return tuple(row for row in self.counted if row.kind == side)

    @property
    def predicted(self) -> tuple[FlowRow, ...]:
        """The predicted labels."""
        return self.side("predicted")

    @property
    def true(self) -> tuple[FlowRow, ...]:
        """The true labels."""
        return self.side("true")

    @property
    def paid(self) -> dict[str, float]:
        """What the cost is the sum of."""
        whole = self.whole or 1
        arcs = math.fsum(row.units * row.cost for row in self.arcs if row.units) / whole
        missing = math.fsum(row.missing * row.cost for row in self.counted if row.missing) / whole
        numbers = math.fsum(row.paid for row in self.counted)
        kind = "arcs" if self.written else "pairs"
        return {kind: arcs, "defaults": missing, "numbers of pairs": numbers}

    @property
    def columns(self) -> Mapping[str, float]:
        """The cost, added up from what is paid."""
        return {} if self.blocking else {"cost": math.fsum(self.paid.values())}

    def mass_text(self, units: float, digits: int = 4) -> str:
        """Return units as a mass, or just their number where nothing has a mass."""
        return "∞" if math.isinf(units) else mass_text(int(units), self.whole, digits)

    def between(self, row: FlowRow, digits: int = 4) -> str:
        """Return the bounds of a row."""
        lower, upper = (self.mass_text(x, digits) for x in (row.lower, row.upper))
        return lower if lower == upper else f"{lower}…{upper}"

    def said(self, row: FlowRow, digits: int) -> str:
        """Return what is said of a set in one sentence."""
        paid = f", paid {cost_text(row.paid, digits)}" if row.paid else ""
        units, allowed = self.mass_text(row.units, digits), self.between(row, digits)
        return f"{row.name}: {units} of {allowed}{paid} ({row.source})"

    def around(
        self, hierarchy: Hierarchy, true: Indices, predicted: Indices, most: int
    ) -> Neighbourhood:
        """Return the labels and their ancestors, with the chosen pairs."""
        place = hierarchy.position
        pairs = [(place[p.of[0]], place[p.of[1]]) for p in self.pairs if p.units]
        alone = {place[row.of[0]] for row in self.counted if row.missing}
        return neighbourhood(hierarchy, true, predicted, pairs=pairs, alone=alone, most=most)

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return arcs, what is counted, and the proof."""
        arcs = sorted(self.arcs, key=lambda a: (not a.units, a.cost))  # used ones, then cheap ones
        most = max(MOST_ROWS, sum(a.units > 0 for a in arcs))
        sets = [row for row in self.counted if row.kind != "node"]
        tables = [self.table(rows, digits, most) for rows in (arcs, sets) if rows]
        return [*tables, self.proof_text(digits), *self.remarks]

    def table(self, rows: Sequence[FlowRow], digits: int, most: int = MOST_ROWS) -> Block:
        """Return arcs, or labels and other sets, as a table."""
        return table_of([self._cells(row, digits) for row in rows], most)

    def _cells(self, row: FlowRow, digits: int) -> dict[str, str]:
        """Return what stands in the columns of a row."""
        units = self.mass_text(row.units, digits)
        if row.kind not in ("pair", "arc"):
            more = "more" if row.by == "at most" else "fewer"
            return {
                "side": row.kind if row.kind in SIDES else "",
                "counted": row.name,
                "pairs" if self.whole is None else "mass": units,
                "allowed": self.between(row, digits),
                "missing": self.mass_text(row.missing, digits) if row.missing else "",
                "default": _known(row.cost, digits),
                "paid": cost_text(row.paid, digits) if row.paid else "",
                "dual price": _known(row.price, digits),
                "one unit saves": f"{cost_text(row.saves, digits)} (one {more})" * bool(row.saves),
                "said by": row.source,
            }
        told = not math.isnan(row.may_fall)
        said = " required" if row.lower else "" if row.upper else " forbidden"
        predicted, true = ("", "") if row.says else map(str, row.of)
        return {
            "": "●" * bool(row.units),
            "predicted": predicted,
            "true": true,
            "flow": row.says,
            "allowed": self.between(row, digits) * (self.written or self._is_narrow(row)),
            "cost": f"{cost_text(row.cost, digits)}{said}",
            "best while": range_text(row.cost, row.may_fall, row.may_rise, digits) if told else "",
            "units" if self.whole is None else "mass": units
            * bool(row.units and (self.written or self.whole)),
        }

    def _is_narrow(self, row: FlowRow) -> bool:
        """Whether a pair has room for less mass than either of its labels."""
        ends = () if row.tail < 0 else (self.counted[row.tail], self.counted[row.head])
        most = min((end.upper for end in ends), default=0)
        return bool(self.whole) and 0 < row.upper < most

    def proof_text(self, digits: int) -> str:
        """Return the sum that is the cost, and what proves that nothing is cheaper."""
        if self.blocking:
            head = "these cannot hold together; without any one of them the others could:"
            said = [f"- {row.says}" for row in self.blocking]
            return "\n".join([f"no pairing: {self.why}", head, *said])
        sums = [f"{what} {cost_text(x, digits)}" for what, x in self.paid.items() if x]
        text = f"cost {cost_text(self.cost, digits)} = {', '.join(sums) or 'pairs 0'}\n"
        if not self.optimal:
            return f"{text}the flow could not be proved optimal; please report this"
        text += "proof: "
        if self.lexicographic:
            each = ", then ".join(cost_text(x, digits) for x in self.lexicographic)
            text += f"the lexicographic costs are {each}, each the least after those before it; "
        text += f"the dual prices show that every {'flow' if self.written else 'pairing'} costs "
        text += f"at least {cost_text(self.bound, digits)}"
        text += f" (costs were rounded; the optimum is within {self.gap:.1e})" if self.gap else ""
        if self.unique is None:
            return text
        if math.isinf(self.further):
            most = "that there can be" if self.largest is None else "with this largest cost"
            return f"{text}\nit is the only pairing {most}"
        among = [self.arcs[i] for i in self.second]
        gone, come = (", ".join(a.name for a in among if bool(a.units) == used) for used in (1, 0))
        ways = {"without": gone, "with": come}
        how = " and ".join(f"{word} {names}" for word, names in ways.items() if names)
        text += f"\nit is {'the only best pairing' if self.unique else 'one of several best ones'}"
        more = f"; the second best costs {cost_text(self.further, digits)} more ({how})"
        return text + more * bool(how)


def _known(cost: float, digits: int) -> str:
    """Return a cost that there is; an empty text for inf and nan."""
    return cost_text(cost, digits) if math.isfinite(cost) else ""


def range_text(cost: float, may_fall: float, may_rise: float, digits: int) -> str:
    """Return within which costs of a pair the pairing stays a best one.

    >>> range_text(3.0, 1.0, math.inf, 4), range_text(3.0, math.inf, 2.0, 4)
    ('≥ 2', '≤ 5')
    >>> range_text(3.0, math.inf, math.inf, 4), range_text(3.0, 1.0, 0.5, 4)
    ('any', '2 … 3.5000')
    """
    least = 0.0 if math.isclose(cost, may_fall, rel_tol=1e-10) else cost - may_fall
    low, high = _known(least, digits), _known(cost + may_rise, digits)
    if low and high:
        return f"{low} … {high}"
    return f"≥ {low}" if low else f"≤ {high}" if high else "any"


Ids = Sequence[Name] | None


@dataclass(frozen=True, eq=False)
class Proof:
    """What dual prices prove of a flow."""

    bound: float
    optimal: bool
    gap: float
    price: Floats
    costs: tuple[float, ...] = ()
    full: tuple[FlowNetwork, InverseData] | None = None  # of a pairing, the network

    def of(self, n: int, count: int = PAIR) -> Floats:
        """Return the prices of n things that arcs of a pairing are about: pairs, or what counts."""
        assert self.full is not None  # it is a pairing
        says, found = self.full[1], np.full(n, np.nan if count == PAIR else 0.0)
        arcs = (says.count == count) & (says.sign == 0)
        found[says.subject[arcs]] = self.price[arcs]
        return found


def proved(
    network: FlowNetwork,
    flow: Flow,
    gap: float,
    scales: Sequence[int],
    unit: int = 1,
) -> Proof:
    """Check a flow without the solver.

    Costs are whole numbers, of each cost so many of which are 1 for each of so many units.
    """
    found = check(network, flow)
    y, scale = found.potentials, scales[0]
    reduced = network.cost + y[network.tail] - y[network.head]
    each = zip((found, *found.later), scales, strict=False)  # none after a failure
    costs = tuple(one.cost / (one_is * unit) for one, one_is in each)
    return Proof(found.bound / (scale * unit), found.optimal, gap, reduced / scale, costs)


def proof_of(problem: PairingProblem, pairing: Pairing) -> Proof:
    """Check the pairing of a batch in the full network, whichever network was solved.

    Bound and totals are those of the batch, which mostly is one instance. Without a pairing there
    is nothing to prove: all numbers are nan.
    """
    given = problem.moved
    if given is not None:  # where only labels bound a pair, their prices are the proof
        wider = given.capacity + ((given.given > given.capacity) & (given.capacity > 0))
        problem = replace(problem, moved=given._replace(capacity=wider))
    full = network, inverse = build(problem, reduce=False)
    if len(pairing.infeasible):
        none = np.full(len(network.tail), np.nan)
        return Proof(np.nan, False, 0.0, none, full=full)
    whole = 1 if pairing.whole is None else int(pairing.whole[0])
    how = [cost.scale for cost in inverse.costs], whole
    gap = float(pairing.gap.sum())
    proof = proved(network, flow_of(pairing, network, inverse), gap, *how)
    if not (proof.optimal or inverse.costs[0].exact):  # rounded otherwise than where solved
        best, cost = solve(network), proof.costs[0]
        gap += float(read(best, inverse, problem).gap.sum())
        proof = proved(network, best, gap, *how)
        proof = replace(proof, optimal=proof.optimal and cost - proof.bound <= gap)
    return replace(proof, full=full)


def pair_evidence(problem: PairingProblem, pairing: Pairing, ids: Ids = None) -> FlowEvidence:
    """Spell out a pairing, and prove without the solver that it is optimal.

    The proof is about the full network, whichever network was solved. Where there is no pairing
    the evidence is the bounds that cannot hold together.
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
            single = proof.optimal and problem.is_single
            told = WhatIf(problem, pairing, proof.full) if single else None
        except SolverLimit as error:
            remarks.append(f"what would change the pairing is not told: {error.reason}")
    if told is not None:
        said["unique"], said["further"] = told.unique, told.further
        said["second"] = tuple(told.changes.tolist())
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
    return tuple(
        FlowRow(
            s.side if s.kind == "label" and s.side else s.kind, s.of, s.text,
            *((s.value, math.inf) if s.bound == "at least" else (0, s.value)),
        )
        for s in statements
    )  # fmt: skip


def _rows(at: Indices, **columns: Any) -> list[FlowRow]:
    """Return a row for each place in columns; what is a list has its rows, all else is alike."""
    each = [
        x[at].tolist() if isinstance(x, np.ndarray) else x if isinstance(x, list) else [x] * len(at)
        for x in columns.values()
    ]
    return [FlowRow(**dict(zip(columns, row, strict=True))) for row in zip(*each, strict=True)]


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
    savings = told.savings if told else []
    same = attrgetter("kind", "side", "source", "is_hard")  # a bound, or what numbers cost
    for k, count in enumerate(problem.counts):  # first those of the partners of labels
        n, hard = len(count), count if k < len(SIDES) else count.hard()
        units, saves = count.units(used, pairing.carried[used]), np.zeros(n)
        by = np.full(n, "", dtype=object)
        for one in savings:
            if same(one.count) == same(count):
                more = one.saved > saves
                saves[more], by[more] = one.saved[more], one.bound
        columns: dict[str, Any] = {
            "lower": hard.lower,
            "upper": np.where(hard.upper < OPEN, hard.upper.astype(object), np.inf),
            "units": units,
            "saves": saves,
            "by": by,
        }
        if k < len(SIDES):  # what they lack is said apart; their prices are for more units
            side = SIDES[k]
            alike = [j for j, c in enumerate(problem.counts) if (c.kind, c.side) == ("label", side)]
            of, missing = problem.pairs.labels(side), pairing.missing[side]
            at = np.flatnonzero((missing > 0) | (ids is None))
            columns |= {
                "kind": side,
                "of": _named(((of.names[i],) for i in at), of.instance[at], ids),
                "cost": problem.default[side].astype(np.float64),
                "missing": missing,
                "price": 0.0 + sum(proof.of(n, j) for j in alike),
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
                "source": count.source,
            }
        yield from _rows(at, **columns)


def network_evidence(own: Net, found: OwnFlow) -> FlowEvidence:
    """Spell out the flow of a batch of one through a network that a rule wrote, and check it."""
    network, flow, names = own.network, found.flow, own.batch.hierarchy.names
    proof = proved(network, flow, float(found.gap[0]), [own.layout.costs[0].scale])
    pair = [i for f in own.families for i in ([-1] * len(f.tail) if f.pair is None else f.pair)]
    ends = own.batch.predicted.tolist(), own.batch.true.tolist()
    arcs = _rows(
        own.layout.place,
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
