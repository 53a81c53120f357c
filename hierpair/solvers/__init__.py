"""Label-free integer problems and the only place that knows OR-Tools."""

from hierpair.solvers.certificate import Certificate, check
from hierpair.solvers.closed_sets import Chosen, SetChoice, choose_set
from hierpair.solvers.cover import Cover, CoverProblem, Link, solve_cover
from hierpair.solvers.expected_pairing import (
    ChosenNodes,
    ExpectedPairing,
    Scenario,
    choose_nodes,
)
from hierpair.solvers.flow import Flow, FlowNetwork, shortage, solve
from hierpair.solvers.infeasible_subset import blocking_bounds
from hierpair.solvers.scaling import Scaled, to_integers

__all__ = [
    "Certificate",
    "Chosen",
    "ChosenNodes",
    "Cover",
    "CoverProblem",
    "ExpectedPairing",
    "Flow",
    "FlowNetwork",
    "Link",
    "Scaled",
    "Scenario",
    "SetChoice",
    "blocking_bounds",
    "check",
    "choose_nodes",
    "choose_set",
    "shortage",
    "solve",
    "solve_cover",
    "to_integers",
]
