"""Label-free integer problems and the only place that knows OR-Tools."""

from hierpair.solvers.certificate import Certificate, check
from hierpair.solvers.closed_sets import Chosen, SetChoice, choose_set
from hierpair.solvers.cover import solve_cover
from hierpair.solvers.cover_problem import Cover, CoverProblem, Link
from hierpair.solvers.expected_pairing import (
    ChosenNodes,
    ExpectedPairing,
    Scenario,
    choose_nodes,
)
from hierpair.solvers.flow import shortage, solve
from hierpair.solvers.flow_network import Flow, FlowNetwork
from hierpair.solvers.infeasible_subset import blocking_bounds
from hierpair.solvers.lexicographic import weighted
from hierpair.solvers.residual import (
    NO_ROOM,
    Distances,
    Residual,
    cheapest_way,
    distances,
    is_only,
    residual,
)
from hierpair.solvers.scaling import Scaled, to_integers

__all__ = [
    "NO_ROOM",
    "Certificate",
    "Chosen",
    "ChosenNodes",
    "Cover",
    "CoverProblem",
    "Distances",
    "ExpectedPairing",
    "Flow",
    "FlowNetwork",
    "Link",
    "Residual",
    "Scaled",
    "Scenario",
    "SetChoice",
    "blocking_bounds",
    "cheapest_way",
    "check",
    "choose_nodes",
    "choose_set",
    "distances",
    "is_only",
    "residual",
    "shortage",
    "solve",
    "solve_cover",
    "to_integers",
    "weighted",
]
