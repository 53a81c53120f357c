"""A cheapest flow in names, and the proof that none is cheaper: whatever a rule makes a flow of.

Pairings, masses that are moved, pairings of a whole data set, and networks that rules wrote
themselves are all rows of one kind: arcs, and sets of arcs that are counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Indices
from hierpair.measures.evidence.base import MOST_ROWS, Name, cost_text, table_of
from hierpair.measures.evidence.graphs import Neighbourhood, neighbourhood
from hierpair.pairing import SIDES, mass_text
from hierpair.tables import Block


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
        predicted, true = ("", "") if row.says else map(str, row.of)
        return {
            "": "●" * bool(row.units),
            "predicted": predicted,
            "true": true,
            "flow": row.says,
            "allowed": self.between(row, digits) * self.written,
            "cost": cost_text(row.cost, digits) + " forbidden" * (not row.upper),
            "best while": range_text(row.cost, row.may_fall, row.may_rise, digits) if told else "",
            "units" if self.whole is None else "mass": units
            * bool(row.units and (self.written or self.whole)),
            "said by": row.source,
        }

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
    low, high = _known(cost - may_fall, digits), _known(cost + may_rise, digits)
    if low and high:
        return f"{low} … {high}"
    return f"≥ {low}" if low else f"≤ {high}" if high else "any"
