"""The pairing of one instance with its costs and the proof that none is cheaper."""

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
from hierpair.measures.evidence.pairing_proof import in_one_number, proof_of
from hierpair.pairing import (
    OPEN,
    SIDES,
    TOTAL,
    InverseData,
    Pairing,
    PairingProblem,
    Side,
    Statement,
    why_infeasible,
)
from hierpair.solvers import FlowNetwork
from hierpair.tables import Block

__all__ = ["BlockingRow", "LabelRow", "PairEvidence", "PairRow", "pair_evidence"]

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
        Bounds on its partners.
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
    slack
        Cost less the dual prices of both labels; at an optimum ≥ 0 for a pair that was not
        chosen. Nan for a pair that is not allowed.
    """

    predicted: int
    true: int
    cost: float
    allowed: bool
    required: bool
    chosen: bool
    slack: float


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
    value: int
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
        Cost of the chosen pairs and the missing partners.
    bound
        What the dual prices prove that every pairing costs at least; equal to ``cost`` (or to
        ``lexicographic``) up to ``gap``.
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
        Where costs are minimised one after the other: the cost of the pairing with all of them
        as one whole number, which is what ``bound``, slacks and dual prices are about. Costs and
        ``cost`` are those of the first cost. None for a rule with a single cost.
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
    lexicographic: float | None = None

    kind: ClassVar[str] = "pairing"

    @property
    def obstacle(self) -> str:
        """``"pairing"`` where there is none."""
        return "pairing" if self.blocking else ""

    @property
    def columns(self) -> Mapping[str, float]:
        """The cost, added up from the pairs and the missing partners."""
        if self.blocking:
            return {}
        paid = [p.cost for p in self.pairs if p.chosen]
        rows = [row for row in (*self.predicted, *self.true) if row.n_missing]
        return {"cost": math.fsum([*paid, *(r.n_missing * (r.default or 0.0) for r in rows)])}

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
        listed = self._listed()
        if listed:
            rows = [
                [
                    "●" if p.chosen else "",
                    str(self.predicted[p.predicted].name),
                    str(self.true[p.true].name),
                    cost_text(p.cost, digits) + ("" if p.allowed else " forbidden"),
                    cost_text(p.slack, digits),
                ]
                for p in listed
            ]
            parts.append(Block(["", "predicted", "true", "cost", "slack"], rows, align="lllrr"))
        if len(self.pairs) > len(listed):
            left_out = len(self.pairs) - len(listed)
            parts.append(f"{left_out} dearer pairs are not listed; JSON has all")
        labels = [
            _label_cells(side, row, digits)
            for side, of_side in zip(SIDES, (self.predicted, self.true), strict=True)
            for row in of_side
        ]
        header = ["side", "class", "partners", "allowed", "missing", "default", "dual price"]
        parts.append(Block(header, labels, align="llrrrrr"))
        return [*parts, *(f"bound: {text}" for text in self.bounds), self.proof_text(digits)]

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
        paid = " + ".join(cost_text(p.cost, digits) for p in self.pairs if p.chosen) or "0"
        missing = " + ".join(
            (f"{row.n_missing} × " if row.n_missing > 1 else "") + cost_text(row.default, digits)
            for row in (*self.predicted, *self.true)
            if row.n_missing
        )
        text = f"cost {cost_text(self.cost, digits)} = pairs {paid}"
        text += f", defaults {missing}" if missing else ""
        if not self.optimal:
            return f"{text}\nthe flow could not be proved optimal; please report this"
        proof = "the dual prices show that every pairing costs at least"
        if self.lexicographic is not None:
            whole = cost_text(self.lexicographic, digits)
            start = f"with all lexicographic costs as one number, this pairing costs {whole}"
            proof = f"{start}, and {proof}"
        close = f" (costs were rounded; the optimum is within {self.gap:.1e})" if self.gap else ""
        return f"{text}\nproof: {proof} {cost_text(self.bound, digits)}{close}"


def _label_cells(side: str, row: LabelRow, digits: int) -> list[str]:
    return [
        side,
        str(row.name),
        str(row.n_partners),
        str(row.lower) if row.lower == row.upper else f"{row.lower}…{row.upper}",
        str(row.n_missing) if row.n_missing else "",
        cost_text(row.default, digits),
        cost_text(row.dual, digits),
    ]


def pair_evidence(problem: PairingProblem, pairing: Pairing) -> PairEvidence:
    """Spell out the pairing of a batch of one, and prove without the solver that it is optimal.

    The proof is about the full network, whichever network was solved. Where there is no pairing
    the evidence is the bounds that cannot hold together.
    """
    why = ""
    blocking: tuple[BlockingRow, ...] = ()
    if len(pairing.infeasible):
        told = why_infeasible(problem, 0)
        why, blocking = told.text, _blocking_rows(problem, told.statements)
    proof = proof_of(problem, pairing)
    return PairEvidence(
        _label_rows(problem, pairing, "predicted", proof.dual["predicted"]),
        _label_rows(problem, pairing, "true", proof.dual["true"]),
        _pair_rows(problem, pairing, proof.slack),
        _bounds(problem, proof.network, proof.inverse),
        float(pairing.cost[0]),
        proof.bound,
        proof.optimal,
        proof.gap,
        blocking,
        why,
        None if problem.first_cost is None or blocking else in_one_number(problem, pairing),
    )


def _blocking_rows(
    problem: PairingProblem, statements: Sequence[Statement]
) -> tuple[BlockingRow, ...]:
    names = {s: problem.labels(s).names for s in SIDES}
    rows = []
    for s in statements:
        sides = SIDES if s.side is None else (s.side,) * len(s.labels)
        of_labels = tuple(names[side][i] for side, i in zip(sides, s.labels, strict=False))
        rows.append(BlockingRow(s.kind, s.side, of_labels, s.bound, s.value, s.text))
    return tuple(rows)


def _label_rows(
    problem: PairingProblem, pairing: Pairing, side: Side, dual: NDArray[np.float64]
) -> tuple[LabelRow, ...]:
    at = problem.pairs.at(side)
    n_partners = np.bincount(at[pairing.chosen], minlength=len(dual))
    defaults = problem.shown_costs[1][side]
    return tuple(
        LabelRow(
            name,
            int(problem.lower[side][i]),
            int(problem.upper[side][i]),
            None if np.isposinf(default := float(defaults[i])) else default,
            int(n_partners[i]),
            int(pairing.missing[side][i]),
            float(dual[i]),
        )
        for i, name in enumerate(problem.labels(side).names)
    )


def _pair_rows(
    problem: PairingProblem, pairing: Pairing, slack: NDArray[np.float64]
) -> tuple[PairRow, ...]:
    pairs = problem.pairs
    cost = problem.shown_costs[0]
    return tuple(
        PairRow(
            int(pairs.predicted_at[i]),
            int(pairs.true_at[i]),
            float(cost[i]),
            bool(problem.candidate[i]),
            bool(problem.required[i]),
            bool(pairing.chosen[i]),
            float(slack[i]),
        )
        for i in range(len(problem.cost))
    )


def _bounds(problem: PairingProblem, network: FlowNetwork, inverse: InverseData) -> tuple[str, ...]:
    """Return totals and groups in words."""
    said = [
        f"at least {network.lower[a]} and at most {network.upper[a]} pairs in all"
        for a in np.flatnonzero(inverse.kind == TOTAL)
    ]
    for grouping in problem.groupings:
        names = problem.labels(grouping.side).names
        for at, (least, most) in enumerate(zip(grouping.lower, grouping.upper, strict=True)):
            listed = ", ".join(str(names[i]) for i in grouping.members(at))
            parts = [f"at least {least}"] if least else []
            parts += [f"at most {most}"] if most < OPEN else []
            if parts:
                said.append(f"{' and '.join(parts)} pairs of the {grouping.side} {listed} together")
    said += [remark.text for remark in problem.remarks if remark.instances.any()]
    return tuple(said)
