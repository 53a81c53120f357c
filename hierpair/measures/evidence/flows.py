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
from hierpair.measures.evidence.base import Evidence, Name, cost_text
from hierpair.measures.evidence.graphs import Neighbourhood, neighbourhood
from hierpair.pairing import SIDES, mass_text
from hierpair.tables import Block

__all__ = ["ArcRow", "CountRow", "FlowEvidence", "FlowRow"]

MOST_ARCS = 40
"""With more arcs than this, only used and cheap ones are listed, and their costs not one by one."""


@dataclass(frozen=True)
class FlowRow:
    """What an arc of a flow carries, or several of them together.

    Attributes
    ----------
    kind
        What it is.
    of
        Its classes, of a data set after their instance: predicted and true one of a pair, the one
        of a label.
    says
        What it is in words, where its classes do not say so.
    lower, upper
        Bounds on its units; inf where there is none.
    units
        How many it carries: 1 for a chosen pair, its partners for a label; with masses, units of
        which the evidence says how many make the mass 1.
    cost
        Of a unit, or of the mass 1; inf: impossible.
    price
        Its dual price.
    source
        Which constraint says so; of an arc that a rule wrote, what it says of its family.
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

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return self.says or "–".join(map(str, self.of))


@dataclass(frozen=True)
class ArcRow(FlowRow):
    """An arc: a ``"pair"`` of a predicted and a true class, or another ``"arc"`` of a network.

    A pair that may not be chosen has room for 0 units. The price is the reduced cost: by so much,
    at least, the cost may change towards a reduced cost of 0 before the flow has to.

    Attributes
    ----------
    may_fall, may_rise
        By how much its cost may change before another flow costs less, all other costs as they
        are; inf for any amount, nan where that is not known.
    tail, head
        Where it goes from and to, by position in ``counted``.
    """

    may_fall: float = math.nan
    may_rise: float = math.nan
    tail: int = -1
    head: int = -1


@dataclass(frozen=True)
class CountRow(FlowRow):
    """What is counted: the pairs of a label or of another set, or what a node sends.

    Of kind ``"predicted"`` or ``"true"`` it is a label of that side, whose price is what a pair has
    to pay for it: one is worth choosing only if it costs no more than both of its labels. Others
    are the pairs of a ``"group"`` of labels, of a label with some ``"partners"``, of the
    ``"instance"``, or of a ``"quota"`` over the data set; their price is what one unit more saves
    at most, and one less costs at least. A ``"node"`` is one of a network that a rule wrote itself.

    Attributes
    ----------
    missing
        Of a label, the partners that it lacks, each bought at its cost.
    paid
        What the number of its units costs, by a table of costs.
    saves, by
        What one unit of its bounds would save, all else as it is: ``"at most"``, raised by one,
        or ``"at least"``, lowered by one. Of a table: its cheapest numbers reach one further.
    """

    missing: int = 0
    paid: float = 0.0
    saves: float = 0.0
    by: str = ""


@dataclass(frozen=True)
class FlowEvidence(Evidence):
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

    arcs: tuple[ArcRow, ...]
    counted: tuple[CountRow, ...]
    cost: float
    bound: float
    optimal: bool
    gap: float
    whole: int | None = None
    lexicographic: tuple[float, ...] = ()
    unique: bool | None = None
    further: float = math.nan
    second: tuple[int, ...] = ()
    blocking: tuple[CountRow, ...] = ()
    why: str = ""
    largest: float | None = None
    remarks: tuple[str, ...] = ()

    kind: ClassVar[str] = "flow"

    @property
    def obstacle(self) -> str:
        """``"pairing"`` where there is none."""
        return "pairing" if self.blocking else ""

    @property
    def written(self) -> bool:
        """Whether it is a network that a rule wrote itself."""
        return any(row.kind == "node" for row in self.counted)

    @property
    def pairs(self) -> tuple[ArcRow, ...]:
        """The pairs of a predicted and a true class."""
        return tuple(row for row in self.arcs if row.kind == "pair")

    def side(self, side: str) -> tuple[CountRow, ...]:
        """Return the labels of a side."""
        return tuple(row for row in self.counted if row.kind == side)

    @property
    def predicted(self) -> tuple[CountRow, ...]:
        """The predicted labels."""
        return self.side("predicted")

    @property
    def true(self) -> tuple[CountRow, ...]:
        """The true labels."""
        return self.side("true")

    @property
    def paid(self) -> dict[str, list[tuple[float, float]]]:
        """What the cost is the sum of: by what is paid for, units and cost of each."""
        whole = self.whole or 1
        return {
            "arcs" if self.written else "pairs": [(a.units, a.cost) for a in self.arcs if a.units],
            "defaults": [(row.missing, row.cost) for row in self.counted if row.missing],
            "numbers of pairs": [(whole, row.paid) for row in self.counted if row.paid],
        }

    @property
    def columns(self) -> Mapping[str, float]:
        """The cost, added up from what is paid."""
        if self.blocking:
            return {}
        each = [units * cost for terms in self.paid.values() for units, cost in terms]
        return {"cost": math.fsum(each) / (self.whole or 1)}

    def mass_text(self, units: float, digits: int = 4) -> str:
        """Return units as a mass, or just their number where nothing has a mass."""
        return "∞" if math.isinf(units) else mass_text(int(units), self.whole, digits)

    def around(
        self,
        hierarchy: Hierarchy,
        true: Indices,
        predicted: Indices,
        most: int,
    ) -> Neighbourhood:
        """Return the labels and their ancestors, with the chosen pairs."""
        place = hierarchy.position
        pairs = [(place[p.of[0]], place[p.of[1]]) for p in self.pairs if p.units]
        alone = {place[row.of[0]] for row in self.counted if row.missing}
        return neighbourhood(hierarchy, true, predicted, pairs=pairs, alone=alone, most=most)

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return arcs, what is counted, and the proof."""
        order = sorted(self.arcs, key=lambda a: (not a.units, a.cost))  # used ones, then cheap ones
        listed = order[: max(MOST_ARCS, sum(a.units > 0 for a in order))]
        sets = [row for row in self.counted if row.kind != "node"]
        more, noun = len(order) - len(listed), "arc" if self.written else "pair"
        left_out = [f"{more} costlier {noun}s are not listed; JSON has all"] * bool(more)
        tables = [self.table(rows, digits) for rows in (listed, sets) if rows]
        return [*tables, *left_out, self.proof_text(digits), *self.remarks]

    def table(self, rows: Sequence[ArcRow | CountRow], digits: int) -> Block:
        """Return arcs, or labels and other sets, as a table of those columns that say something."""
        lines = [self._cells(row, digits) for row in rows]
        heads = [head for head in lines[0] if any(cells[head] for cells in lines)]
        told = [[cells[head] for head in heads] for cells in lines]
        return Block(heads, told, align="".join("l" if head in TEXTS else "r" for head in heads))

    def _cells(self, row: ArcRow | CountRow, digits: int) -> dict[str, str]:
        """Return what stands in the columns of a row."""
        units, allowed = self.mass_text(row.units, digits), self.between(row, digits)
        price = _known(row.price, digits)
        if isinstance(row, CountRow):
            more = "more" if row.by == "at most" else "fewer"
            return {
                "side": row.kind if row.kind in SIDES else "",
                "counted": row.name,
                "pairs" if self.whole is None else "mass": units,
                "allowed": allowed,
                "missing": self.mass_text(row.missing, digits) if row.missing else "",
                "default": _known(row.cost, digits),
                "paid": cost_text(row.paid, digits) if row.paid else "",
                "dual price": price,
                "one unit saves": f"{cost_text(row.saves, digits)} (one {more})" * bool(row.saves),
                "said by": row.source,
            }
        told = not math.isnan(row.may_fall)
        dear = self.largest is not None and row.cost > self.largest
        predicted, true = ("", "") if row.says else map(str, row.of)
        return {
            "": "●" * bool(row.units),
            "predicted": predicted,
            "true": true,
            "flow": row.says,
            "allowed": allowed * self.written,
            "cost": cost_text(row.cost, digits)
            + ("" if row.upper else " too dear" if dear else " forbidden"),
            "best while": range_text(row.cost, row.may_fall, row.may_rise, digits) if told else "",
            "slack": "" if told else price,
            "units" if self.whole is None else "mass": units
            * bool(row.units and (self.written or self.whole)),
            "said by": row.source,
        }

    def between(self, row: FlowRow, digits: int = 4) -> str:
        """Return the bounds of a row."""
        lower, upper = (self.mass_text(x, digits) for x in (row.lower, row.upper))
        return lower if lower == upper else f"{lower}…{upper}"

    def said(self, row: CountRow, digits: int) -> str:
        """Return what is said of a set in one sentence."""
        paid = f", paid {cost_text(row.paid, digits)}" if row.paid else ""
        units, allowed = self.mass_text(row.units, digits), self.between(row, digits)
        return f"{row.name}: {units} of {allowed}{paid} ({row.source})"

    def proof_text(self, digits: int) -> str:
        """Return the sum that is the cost, and what proves that nothing is cheaper."""
        if self.blocking:
            head = "these cannot hold together; without any one of them the others could:"
            return "\n".join(
                [f"no pairing: {self.why}", head, *(f"- {b.says}" for b in self.blocking)]
            )
        sums = [f"{what} {self._sum(x, digits)}" for what, x in self.paid.items() if x]
        text = f"cost {cost_text(self.cost, digits)} = {', '.join(sums) or 'pairs 0'}"
        if not self.optimal:
            return f"{text}\nthe flow could not be proved optimal; please report this"
        text += "\nproof: "
        if self.lexicographic:
            each = ", then ".join(cost_text(x, digits) for x in self.lexicographic)
            text += f"the lexicographic costs are {each}, each the least after those before it; "
        what = "flow" if self.written else "pairing"
        text += f"the dual prices show that every {what} costs at least "
        text += cost_text(self.bound, digits)
        text += f" (costs were rounded; the optimum is within {self.gap:.1e})" if self.gap else ""
        return text if self.unique is None else f"{text}\n{self._firm_text(digits)}"

    def _sum(self, terms: Sequence[tuple[float, float]], digits: int) -> str:
        """Return what is added up, of many terms their sum."""
        whole = self.whole or 1
        if len(terms) > MOST_ARCS:
            return cost_text(math.fsum(units * cost for units, cost in terms) / whole, digits)
        return " + ".join(
            f"{'' if n == whole else f'{self.mass_text(n, digits)} × '}{cost_text(cost, digits)}"
            for n, cost in terms
        )

    def _firm_text(self, digits: int) -> str:
        """Return whether it is the only best pairing, and what the second best one is."""
        if math.isinf(self.further):
            most = "that there can be" if self.largest is None else "with this largest cost"
            return f"it is the only pairing {most}"
        changed = [self.arcs[i] for i in self.second]
        gone, come = ([a.name for a in changed if bool(a.units) == used] for used in (True, False))
        ways = {"without": gone, "with": come}
        how = " and ".join(f"{word} {', '.join(names)}" for word, names in ways.items() if names)
        if not self.unique:
            return "it is one of several best pairings" + (f" (another one: {how})" if how else "")
        more = f"{cost_text(self.further, digits)} more" if self.further else "more by a later cost"
        second = f"; the second best costs {more} ({how})" if how else ""
        return f"it is the only best pairing{second}"


TEXTS = ("", "side", "counted", *SIDES, "flow", "said by")
"""Columns of texts."""


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
