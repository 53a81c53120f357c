"""Pairing problem ⇄ flow network: ``build`` on the way down, ``read`` on the way up.

For one instance the full network is that of Kosmopoulos et al. (2014, §2.3.1, Figure 3), with
the nodes merged that free arcs join anyway: source, sink and both default classes become one
*hub*, unless the number of pairs is bounded, when source and sink stay apart.

    hub ─[lower, upper]→ predicted ─[0, 1] cost→ true ─[lower, upper]→ hub
    predicted ─[0, lower] default→ hub          hub ─[0, lower] default→ true

A label without a partner sends its unit back to where it came from, at its default cost, so
bounds on groups and totals count real pairs alone. Nested groups put nodes between the hub and
the labels.

Exact reductions keep networks small. Where every label needs one partner or may have any number,
a label's *fallback* cost is its default, or the cheapest of its pairs if that is less and
partners are unlimited; a pair as dear as both fallbacks together is in no better solution than
the fallbacks are, and its arc is left out; a label without any arc takes its fallback; and a true
class with a single arc needs no node. In the full network a label without default that needs all
of its pairs gets them by lower bounds.
"""

from __future__ import annotations

from typing import Literal

from hierpair.pairing import PairingProblem
from hierpair.pairing.network.full import build_full
from hierpair.pairing.network.infeasibility import Blocking, Statement, why_infeasible
from hierpair.pairing.network.inverse_data import BOUND, PAIR, TOTAL, InverseData, Pairing
from hierpair.pairing.network.reading import read, without_pairing
from hierpair.pairing.network.reduced import build_reduced, is_plain
from hierpair.solvers import FlowNetwork, solve

__all__ = [
    "BOUND", "PAIR", "TOTAL", "Blocking", "InverseData", "Pairing", "Statement", "build", "read",
    "solve_pairing", "why_infeasible", "without_pairing",
]  # fmt: skip


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
    network, meaning = build(problem, reduce=reduce)
    return read(network, solve(network), meaning, problem, on_infeasible=on_infeasible)


def build(problem: PairingProblem, *, reduce: bool = True) -> tuple[FlowNetwork, InverseData]:
    """Write one block-diagonal network, a component per instance.

    Only what was said by verbs that the reductions are proved for is reduced, and only where every
    label needs one partner; all else gets the full network.

    Raises
    ------
    SolverLimit
        If the costs are too large for the solver.
    """
    if reduce and is_plain(problem):
        return build_reduced(problem)
    return build_full(problem, settle=reduce)
