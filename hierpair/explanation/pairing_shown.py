"""The pairing of one instance with its costs and the proof that none is cheaper."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.explanation.evidence import BlockingRow, LabelRow, PairEvidence, PairRow
from hierpair.measures import Batch, PairRecipe
from hierpair.pairing import (
    BOUND,
    OPEN,
    PAIR,
    TOTAL,
    Blocking,
    InverseData,
    Pairing,
    PairingProblem,
    Side,
    build,
    formulate,
    read,
    why_infeasible,
)
from hierpair.solvers import FlowNetwork, check, solve

__all__ = ["pair_evidence"]

SIDES: tuple[Side, Side] = ("predicted", "true")


def pair_evidence(batch: Batch, recipe: PairRecipe) -> PairEvidence:
    """Solve the pairing of a batch of one in full, and check the flow without the solver.

    Where there is no pairing the evidence is the bounds that cannot hold together.
    """
    problem = formulate(recipe.rule, batch.pairs(recipe.threshold))
    network, meaning = build(problem, reduce=False)
    flow = solve(network)
    pairing = read(network, flow, meaning, problem, on_infeasible="nan")
    if len(pairing.infeasible):
        return _blocked(problem, pairing, network, meaning)
    proof = check(network, flow)
    scale = meaning.costs.scale
    y = proof.potentials
    reduced = (network.cost + y[network.tail] - y[network.head]) / scale
    dual = {s: _of_labels(problem, meaning, reduced, s) for s in SIDES}
    return PairEvidence(
        _label_rows(problem, pairing, "predicted", dual["predicted"]),
        _label_rows(problem, pairing, "true", dual["true"]),
        _pair_rows(problem, pairing, meaning, reduced),
        _bounds(problem, network, meaning),
        float(pairing.cost[0]),
        proof.bound / scale,
        proof.optimal,
        float(pairing.gap[0]),
        lexicographic=None if problem.first_turn is None else _in_one_number(problem, pairing),
    )


def _in_one_number(problem: PairingProblem, pairing: Pairing) -> float:
    """Return the cost of a pairing whose costs in turn are one whole number each."""
    total = math.fsum(problem.cost[pairing.chosen])
    for s in SIDES:
        bought = np.flatnonzero(pairing.missing[s])
        total += math.fsum(problem.default[s][bought] * pairing.missing[s][bought])
    return total


def _shown_costs(problem: PairingProblem) -> tuple[NDArray[Any], dict[Side, NDArray[Any]]]:
    """Return the costs of pairs and of missing partners that make the cost."""
    return problem.first_turn or (problem.cost, problem.default)


def _blocked(
    problem: PairingProblem, pairing: Pairing, network: FlowNetwork, meaning: InverseData
) -> PairEvidence:
    """Return what there is of an instance without a pairing, and why there is none."""
    told = why_infeasible(problem, 0)
    none = {s: np.full(len(problem.labels(s).classes), np.nan) for s in SIDES}
    return PairEvidence(
        _label_rows(problem, pairing, "predicted", none["predicted"]),
        _label_rows(problem, pairing, "true", none["true"]),
        _pair_rows(problem, pairing, meaning, np.full(len(network.tail), np.nan)),
        _bounds(problem, network, meaning),
        math.nan,
        math.nan,
        False,
        0.0,
        _blocking_rows(problem, told),
        told.text,
    )


def _blocking_rows(problem: PairingProblem, told: Blocking) -> tuple[BlockingRow, ...]:
    names = {s: problem.labels(s).names for s in SIDES}
    rows = []
    for s in told.statements:
        sides = (s.side,) * len(s.labels) if s.side is not None else SIDES
        of_labels = tuple(
            names[side][i] for side, i in zip(sides[: len(s.labels)], s.labels, strict=True)
        )
        rows.append(BlockingRow(s.kind, s.side, of_labels, s.bound, s.value, s.text))
    return tuple(rows)


def _of_labels(
    problem: PairingProblem, meaning: InverseData, reduced: NDArray[np.float64], side: Side
) -> NDArray[np.float64]:
    """Return the dual price of every label: the reduced cost of the arc that bounds it."""
    arc = (meaning.kind == BOUND) & (meaning.side == SIDES.index(side))
    dual = np.zeros(len(problem.labels(side).classes))
    dual[meaning.subject[arc]] = reduced[arc]
    return dual


def _label_rows(
    problem: PairingProblem, pairing: Pairing, side: Side, dual: NDArray[np.float64]
) -> tuple[LabelRow, ...]:
    pairs = problem.pairs
    at = pairs.predicted_at if side == "predicted" else pairs.true_at
    n_partners = np.bincount(at[pairing.chosen], minlength=len(dual))
    defaults = _shown_costs(problem)[1][side]
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
    problem: PairingProblem, pairing: Pairing, meaning: InverseData, reduced: NDArray[np.float64]
) -> tuple[PairRow, ...]:
    pairs = problem.pairs
    arc = meaning.kind == PAIR
    slack = np.full(len(problem.cost), np.nan)
    slack[meaning.subject[arc]] = reduced[arc]
    cost = _shown_costs(problem)[0]
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


def _bounds(problem: PairingProblem, network: FlowNetwork, meaning: InverseData) -> tuple[str, ...]:
    """Return totals and groups in words."""
    said = [
        f"at least {network.lower[a]} and at most {network.upper[a]} pairs in all"
        for a in np.flatnonzero(meaning.kind == TOTAL)
    ]
    for grouping in problem.groupings:
        names = problem.labels(grouping.side).names
        lower, upper = (
            np.broadcast_to(b, grouping.group.shape) for b in (grouping.lower, grouping.upper)
        )
        for group in np.unique(grouping.group[grouping.group >= 0]):
            inside = np.flatnonzero(grouping.group == group)
            least, most = int(lower[inside[0]]), int(upper[inside[0]])
            listed = ", ".join(str(names[i]) for i in inside)
            parts = [f"at least {least}"] if least else []
            parts += [f"at most {most}"] if most < OPEN else []
            if parts:
                said.append(f"{' and '.join(parts)} pairs of the {grouping.side} {listed} together")
    said += [remark.text for remark in problem.remarks if remark.instances.any()]
    return tuple(said)
