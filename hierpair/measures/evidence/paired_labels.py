"""The pairing of one instance with its costs and the proof that none is cheaper, in names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.hierarchy import Hierarchy
from hierpair.measures.evidence.base import Evidence, Name, cost_text
from hierpair.measures.evidence.neighbourhoods import Neighbourhood, neighbourhood
from hierpair.measures.evidence.other_pairings import (
    SavingRow,
    firm_text,
    range_text,
    savings_block,
)
from hierpair.pairing import SIDES, mass_text
from hierpair.tables import Block

__all__ = ["BlockingRow", "LabelRow", "PairEvidence", "PairRow"]

MOST_PAIRS = 40
"""With more pairs than this, only chosen and cheap ones are listed."""


@dataclass(frozen=True)
class LabelRow:
    """One label of one side of a pairing.

    Attributes
    ----------
    name
        Its class.
    lower, upper
        Bounds on its partners; with masses in units, as all numbers of partners.
    default
        Cost of one missing partner, or None where none may be missing.
    n_partners, n_missing
        Chosen pairs that it is in, and partners bought from the default class.
    dual
        Its cost in the proof of optimality: a pair is worth choosing only if it costs no more
        than the dual prices of its two labels together.
    """

    name: Name
    lower: int
    upper: int
    default: float | None
    n_partners: int
    n_missing: int
    dual: float


@dataclass(frozen=True)
class PairRow:
    """One pair of a predicted and a true label.

    Attributes
    ----------
    predicted, true
        Positions among the rows of their side.
    cost
        Its cost, inf for an impossible pair.
    allowed, required, chosen
        May be chosen, must be, and was.
    may_fall, may_rise
        By how much its cost may fall or rise before another pairing costs less, all other costs
        as they are; inf for any amount, as where a pair that is not chosen gets dearer. Nan for
        a pair that is not allowed.
    units, capacity
        With masses, how many units it carries, and can carry at most; else None.
    """

    predicted: int
    true: int
    cost: float
    allowed: bool
    required: bool
    chosen: bool
    may_fall: float
    may_rise: float = math.inf
    units: int | None = None
    capacity: int | None = None

    @property
    def used(self) -> int:
        """How many units it carries; 1 where a chosen pair is used once."""
        return int(self.chosen) if self.units is None else self.units


@dataclass(frozen=True)
class CountRow:
    """What so many partners or pairs cost.

    Attributes
    ----------
    counted
        The label, group or instance in words.
    n, noun
        How many partners or pairs it has.
    cost
        What they cost.
    constraint
        Which constraint says so.
    text
        The same in words.
    """

    counted: str
    n: int
    noun: str
    cost: float
    constraint: str
    text: str


@dataclass(frozen=True)
class BlockingRow:
    """One of the bounds that cannot hold together where there is no pairing.

    Attributes
    ----------
    kind
        What is counted: the pairs of a ``"label"``, of a ``"group"`` of labels, of the instance
        (``"total"``), or one ``"pair"`` that is required; ``"other"`` is told by ``text`` alone.
    side
        Of a label or group, else None.
    names
        The label, the labels of the group, or predicted and true label of the pair.
    bound, value
        ``"at least"`` or ``"at most"``, and how many.
    text
        The same in words.
    """

    kind: str
    side: str | None
    names: tuple[Name, ...]
    bound: str
    value: int | float
    text: str


@dataclass(frozen=True)
class PairEvidence(Evidence):
    """A pairing, what it cost, and the proof that none is cheaper; or why there is none.

    Attributes
    ----------
    predicted, true
        The labels of both sides.
    pairs
        All pairs, predicted label by predicted label.
    bounds
        Further bounds of the rule in words (totals and groups), often empty.
    cost
        Cost of the chosen pairs, the missing partners, and the numbers of pairs.
    bound
        What the dual prices prove that every pairing costs at least; equal to ``cost`` up to
        ``gap``.
    optimal
        Whether the independent check of the flow found it feasible and optimal.
    gap
        How far ``cost`` can be from the optimum because costs had to be rounded.
    blocking
        Without a possible pairing: bounds that cannot hold together, though any of them could
        without one of the others. Then nothing is chosen, and the cost is nan.
    why
        The same in one sentence.
    lexicographic
        Where costs are minimised one after the other: what the pairing costs in each. All other
        numbers are those of the first cost; ``optimal`` says that each is the least among the
        optima of those before it. None for a rule with a single cost.
    counts
        What the numbers of partners and pairs cost, where that is not 0.
    unique
        Whether no other pairing is as good; None where there is none, or no proof.
    further
        How much more the second best pairing costs: 0 if there are several best ones (or only a
        later lexicographic cost is higher), inf if there is no other pairing at all, nan where
        that is not known.
    second
        The pairs, by their position, that are chosen in this pairing or in a second best one and
        not in both.
    savings
        What one unit of a bound would save, where that is not 0.
    whole
        Where labels have masses or pairs capacities: how many units make the mass 1, which costs
        and dual prices are of. None where every pair is chosen once or not at all.
    largest
        Where the largest cost is minimised first (``Bottleneck``): the largest that may be paid;
        dearer pairs are not allowed. None for any other rule.
    smaller
        Then, why none smaller will do: bounds that cannot hold together with what is cheaper.
    why_largest
        The same in one sentence.
    untold
        Why it is not told whether there are other best pairings, and what would change this one.
    """

    predicted: tuple[LabelRow, ...]
    true: tuple[LabelRow, ...]
    pairs: tuple[PairRow, ...]
    bounds: tuple[str, ...]
    cost: float
    bound: float
    optimal: bool
    gap: float
    blocking: tuple[BlockingRow, ...] = ()
    why: str = ""
    lexicographic: tuple[float, ...] | None = None
    counts: tuple[CountRow, ...] = ()
    unique: bool | None = None
    further: float = math.nan
    second: tuple[int, ...] = ()
    savings: tuple[SavingRow, ...] = ()
    whole: int | None = None
    largest: float | None = None
    smaller: tuple[BlockingRow, ...] = ()
    why_largest: str = ""
    untold: str = ""

    kind: ClassVar[str] = "pairing"

    @property
    def obstacle(self) -> str:
        """``"pairing"`` where there is none."""
        return "pairing" if self.blocking else ""

    @property
    def columns(self) -> Mapping[str, float]:
        """The cost, added up from the pairs, the missing partners, and the numbers of pairs."""
        if self.blocking:
            return {}
        paid = [p.used * p.cost for p in self.pairs if p.chosen]
        rows = [row for row in (*self.predicted, *self.true) if row.n_missing]
        bought = [row.n_missing * (row.default or 0.0) for row in rows]
        if self.whole is not None:
            paid = [math.fsum([*paid, *bought]) / self.whole]
            bought = []
        return {"cost": math.fsum([*paid, *bought, *(row.cost for row in self.counts)])}

    def mass_text(self, units: int, digits: int = 4) -> str:
        """Return units as a mass, or just their number where nothing has a mass."""
        return mass_text(units, self.whole, digits)

    def around(
        self,
        hierarchy: Hierarchy,
        true: NDArray[np.integer],
        predicted: NDArray[np.integer],
        most: int,
    ) -> Neighbourhood:
        """Return the labels and their ancestors, with the chosen pairs."""
        place = hierarchy.position
        return neighbourhood(
            hierarchy,
            true,
            predicted,
            pairs=[
                (place[self.predicted[p.predicted].name], place[self.true[p.true].name])
                for p in self.pairs
                if p.chosen
            ],
            alone={place[row.name] for row in (*self.predicted, *self.true) if row.n_missing},
            most=most,
        )

    def parts(self, digits: int) -> Sequence[str | Block]:
        """Return pairs, labels, bounds and the proof."""
        parts: list[str | Block] = []
        listed, moved = self._listed(), self.whole is not None
        if listed:
            rows = [
                [
                    "●" if p.chosen else "",
                    str(self.predicted[p.predicted].name),
                    str(self.true[p.true].name),
                    cost_text(p.cost, digits) + self.kept_out(p),
                    range_text(p.cost, p.may_fall, p.may_rise, digits),
                    *([self.mass_text(p.used, digits) if p.chosen else ""] * moved),
                ]
                for p in listed
            ]
            head = ["", "predicted", "true", "cost", "best while", *(["mass"] * moved)]
            parts.append(Block(head, rows, align="lllrr" + "r" * moved))
        if len(self.pairs) > len(listed):
            left_out = len(self.pairs) - len(listed)
            parts.append(f"{left_out} costlier pairs are not listed; JSON has all")
        labels = [
            self._label_cells(side, row, digits)
            for side, of_side in zip(SIDES, (self.predicted, self.true), strict=True)
            for row in of_side
        ]
        partners = "mass" if moved else "partners"
        header = ["side", "class", partners, "allowed", "missing", "default", "dual price"]
        parts.append(Block(header, labels, align="llrrrrr"))
        parts += [f"bound: {text}" for text in self.bounds]
        parts += [f"paid {cost_text(row.cost, digits)}: {row.text}" for row in self.counts]
        parts += [savings_block(self.savings, digits)] if self.savings else []
        return [*parts, self.proof_text(digits)]

    def _listed(self) -> list[PairRow]:
        """Return chosen pairs first, then the others by cost; of many the cheap ones."""
        order = sorted(self.pairs, key=lambda p: (not p.chosen, p.cost))
        if len(order) <= MOST_PAIRS:
            return order
        seen: dict[tuple[int, int], int] = {}
        kept = []
        for p in order:
            ends = [(0, p.predicted), (1, p.true)]
            if p.chosen or any(seen.get(end, 0) < 2 for end in ends):
                kept.append(p)
                for end in ends:
                    seen[end] = seen.get(end, 0) + 1
        return kept

    def proof_text(self, digits: int) -> str:
        """Return the sum that is the cost, and what proves that no pairing is cheaper."""
        if self.blocking:
            head = "these cannot hold together; without any one of them the others could:"
            return "\n".join(
                [f"no pairing: {self.why}", head, *(f"- {row.text}" for row in self.blocking)]
            )
        paid = " + ".join(
            self._times(p.used, digits) + cost_text(p.cost, digits) for p in self.pairs if p.chosen
        )
        missing = " + ".join(
            self._times(row.n_missing, digits) + cost_text(row.default, digits)
            for row in (*self.predicted, *self.true)
            if row.n_missing
        )
        text = f"cost {cost_text(self.cost, digits)} = pairs {paid or 0}"
        text += f", defaults {missing}" if missing else ""
        counts = " + ".join(cost_text(row.cost, digits) for row in self.counts)
        text += f", numbers of pairs {counts}" if counts else ""
        if not self.optimal:
            return f"{text}\nthe flow could not be proved optimal; please report this"
        proof = "the dual prices show that every pairing costs at least"
        if self.lexicographic is not None:
            each = ", then ".join(cost_text(x, digits) for x in self.lexicographic)
            start = f"the lexicographic costs are {each}, each the least after those before it"
            proof = f"{start}; {proof}"
        close = f" (costs were rounded; the optimum is within {self.gap:.1e})" if self.gap else ""
        text = f"{text}\nproof: {proof} {cost_text(self.bound, digits)}{close}"
        if self.largest is not None:
            why = f": with cheaper ones only, {self.why_largest}" if self.smaller else ""
            most = cost_text(self.largest, digits)
            text += f"\nthe largest cost is {most}, and none smaller will do{why}"
        if self.untold:
            return f"{text}\nwhat would change the pairing is not told: {self.untold}"
        return text if self.unique is None else f"{text}\n{self._firm_text(digits)}"

    def kept_out(self, pair: PairRow) -> str:
        """Return why a pair may not be chosen, an empty text where it may."""
        if pair.allowed:
            return ""
        return (
            " too dear" if self.largest is not None and pair.cost > self.largest else " forbidden"
        )

    def _firm_text(self, digits: int) -> str:
        """Return whether it is the only best pairing, and what the second best one is."""
        named = [
            (p.chosen, f"{self.predicted[p.predicted].name}–{self.true[p.true].name}")
            for p in (self.pairs[i] for i in self.second)
        ]
        if self.largest is not None and math.isinf(self.further):
            return "it is the only pairing with this largest cost"
        without, instead = ([text for chosen, text in named if chosen is x] for x in (True, False))
        return firm_text(bool(self.unique), self.further, without, instead, digits)

    def _times(self, units: int, digits: int) -> str:
        """Return what stands before a cost that is paid for so many units."""
        return "" if units == (self.whole or 1) else f"{self.mass_text(units, digits)} × "

    def _label_cells(self, side: str, row: LabelRow, digits: int) -> list[str]:
        lower, upper = (self.mass_text(x, digits) for x in (row.lower, row.upper))
        return [
            side,
            str(row.name),
            self.mass_text(row.n_partners, digits),
            lower if row.lower == row.upper else f"{lower}…{upper}",
            self.mass_text(row.n_missing, digits) if row.n_missing else "",
            cost_text(row.default, digits),
            cost_text(row.dual, digits),
        ]
