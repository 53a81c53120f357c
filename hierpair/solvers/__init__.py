"""Label-free integer problems and the only place that knows OR-Tools."""

from hierpair.solvers.certificate import Certificate, blocking_bounds, check
from hierpair.solvers.closed_sets import Chosen, SetChoice, choose_set
from hierpair.solvers.cover import solve_cover
from hierpair.solvers.cover_problem import Cover, CoverProblem, Link
from hierpair.solvers.expected_pairing import (
    ChosenNodes,
    ExpectedPairing,
    Scenario,
    choose_nodes,
)
from hierpair.solvers.flow import solve
from hierpair.solvers.lexicographic import weighted
from hierpair.solvers.network import Flow, FlowNetwork
from hierpair.solvers.scaling import Scaled, to_integers
from hierpair.solvers.ways import NO_WAY, Ways

__all__ = [
    "NO_WAY",
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
    "Ways",
    "blocking_bounds",
    "check",
    "choose_nodes",
    "choose_set",
    "solve",
    "solve_cover",
    "to_integers",
    "weighted",
]
