"""From a solved pairing of one instance to its evidence in names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import SolverLimit
from hierpair.measures.evidence.other_pairings import SavingRow
from hierpair.measures.evidence.paired_labels import (
    BlockingRow,
    CountRow,
    LabelRow,
    PairEvidence,
    PairRow,
)
from hierpair.measures.evidence.pairing_proof import proof_of
from hierpair.pairing import (
    NOBODY,
    OPEN,
    SIDES,
    Count,
    Pairing,
    PairingProblem,
    Side,
    Statement,
    WhatIf,
    mass_text,
    why_infeasible,
)
from hierpair.pairing.network.least_largest import why_no_smaller

__all__ = ["pair_evidence"]


def pair_evidence(problem: PairingProblem, pairing: Pairing) -> PairEvidence:
    """Spell out the pairing of a batch of one, and prove without the solver that it is optimal.

    The proof is about the full network, whichever network was solved. Where there is no pairing
    the evidence is the bounds that cannot hold together.
    """
    why = ""
    blocking: tuple[BlockingRow, ...] = ()
    if len(pairing.infeasible):
        blocked = why_infeasible(problem, 0)
        why, blocking = blocked.text, _blocking_rows(problem, blocked.statements)
    proof = proof_of(problem, pairing)
    told, untold = None, ""
    if proof.optimal:
        try:
            told = WhatIf(problem, pairing)
        except SolverLimit as error:
            untold = error.reason
    smaller = why_no_smaller(problem, 0)
    return PairEvidence(
        _label_rows(problem, pairing, "predicted", proof.dual["predicted"]),
        _label_rows(problem, pairing, "true", proof.dual["true"]),
        _pair_rows(problem, pairing, told),
        _bounds(problem),
        float(pairing.cost[0]),
        proof.bound,
        proof.optimal,
        proof.gap,
        blocking,
        why,
        proof.lexicographic or None,
        tuple(_paid(problem, pairing)),
        None if told is None else bool(told.unique[0]),
        math.nan if told is None else float(told.further[0]),
        () if told is None else tuple(sorted(told.changes[0][0].tolist())),
        () if told is None else tuple(_savings(problem, told)),
        None if pairing.whole is None else int(pairing.whole[0]),
        None if problem.limit is None or blocking else float(problem.limit.largest[0]),
        () if smaller is None else _blocking_rows(problem, smaller.statements),
        "" if smaller is None else smaller.text,
        untold,
    )


def _savings(problem: PairingProblem, told: WhatIf) -> Iterator[SavingRow]:
    """Yield which bounds cost something; of masses and largest costs it is not told."""
    for saving in told.savings if problem.limit is None and problem.moved is None else ():
        count = saving.count
        noun = "partner" if count.kind == "label" else "pair"
        is_bound = count.is_hard or count.source == NOBODY
        for at in np.flatnonzero(saving.saved > 0).tolist():
            whose, _ = count.place(at)
            value = int(saving.value[at]) if is_bound else None
            said = "" if is_bound else str(count.source)
            saved, units = float(saving.saved[at]), int(saving.units[at])
            yield SavingRow(whose, units, noun, saving.bound, value, saved, said)


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
    n_partners = np.zeros(len(dual), dtype=np.int64)
    np.add.at(n_partners, at, pairing.carried)
    defaults = problem.default[side]
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
    problem: PairingProblem, pairing: Pairing, told: WhatIf | None
) -> tuple[PairRow, ...]:
    pairs = problem.pairs
    cost = problem.cost
    unknown = np.full(len(problem.cost), np.nan)
    fall, rise = (unknown, unknown) if told is None else (told.may_fall, told.may_rise)
    return tuple(
        PairRow(
            int(pairs.predicted_at[i]),
            int(pairs.true_at[i]),
            float(cost[i]),
            bool(problem.candidate[i]),
            bool(problem.required[i]),
            bool(pairing.chosen[i]),
            float(fall[i]),
            float(rise[i]),
            None if pairing.units is None else int(pairing.units[i]),
            None if problem.moved is None else int(problem.moved.capacity[i]),
        )
        for i in range(len(problem.cost))
    )


def _bounds(problem: PairingProblem) -> tuple[str, ...]:
    """Return totals and groups in words."""
    said = []
    whole = None if problem.moved is None else int(problem.moved.whole[0])
    pairs = "pairs" if whole is None else "units" if whole == 1 else "mass"
    if problem.total is not None:
        least, most = (mass_text(int(x[0]), whole) for x in problem.total)
        said.append(f"at least {least} and at most {most} {pairs} in all")
    for group in problem.groups:
        for at, (least, most) in enumerate(zip(group.lower, group.upper, strict=True)):
            parts = [f"at least {mass_text(int(least), whole)}"] if least else []
            parts += [f"at most {mass_text(int(most), whole)}"] if most < OPEN else []
            if parts:
                said.append(f"{' and '.join(parts)} {pairs} of {_members(problem, group, at)}")
    said += [remark.text for remark in problem.remarks if remark.instances.any()]
    return tuple(said)


def _members(problem: PairingProblem, group: Count, at: int) -> str:
    if group.kind == "partners":
        return group.place(at)[0]
    names = problem.labels(group.of_labels).names
    listed = ", ".join(str(names[i]) for i in group.members(at).tolist())
    return f"the {group.side} {listed} together"


def _paid(problem: PairingProblem, pairing: Pairing) -> Iterator[CountRow]:
    """Yield which numbers of pairs cost something, and by which constraint."""
    chosen = np.flatnonzero(pairing.chosen)
    whole = None if pairing.whole is None else int(pairing.whole[0])
    for count in problem.costs_of_numbers if not len(pairing.infeasible) else ():
        units = count.units(chosen, pairing.carried[chosen])
        noun = "partner" if count.kind == "label" else "pair"
        for at, paid in enumerate(count.paid(units).tolist()):
            if paid:
                whose, n = count.place(at)[0], int(units[at])
                many = f"{n} {noun}{'s' if n != 1 else ''}"
                if whole is not None:
                    noun, many = "mass", f"the mass {mass_text(n, whole)}"
                cost = float(paid if whole is None else paid / whole)
                text = f"{whose}: {many} ({count.source})"
                yield CountRow(whose, n, noun, cost, str(count.source), text)
