"""Problem to pairing in one call: build the network, solve it, read the flow."""

from __future__ import annotations

from typing import Literal

from hierpair.pairing.network.full import build_full
from hierpair.pairing.network.inverse_data import InverseData, Pairing
from hierpair.pairing.network.reading import read
from hierpair.pairing.network.reduced import build_reduced, is_plain
from hierpair.pairing.problem import PairingProblem
from hierpair.solvers import FlowNetwork, solve

__all__ = ["build", "solve_pairing"]


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
    network, inverse = build(problem, reduce=reduce)
    return read(network, solve(network), inverse, problem, on_infeasible=on_infeasible)


def build(problem: PairingProblem, *, reduce: bool = True) -> tuple[FlowNetwork, InverseData]:
    """Write one block-diagonal network, a component per instance.

    Only a problem that verbs wrote which the reductions are proved for is reduced, and only where
    every label needs one partner; all others get the full network.

    Raises
    ------
    SolverLimit
        If the costs are too large for the solver.
    """
    if reduce and is_plain(problem):
        return build_reduced(problem)
    return build_full(problem, hold=reduce)
