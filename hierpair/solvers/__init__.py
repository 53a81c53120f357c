"""Label-free integer problems and the only place that knows OR-Tools."""

from hierpair.solvers.certificate import Certificate, check
from hierpair.solvers.cover import Cover, CoverProblem, Link, solve_cover
from hierpair.solvers.flow import Flow, FlowNetwork, shortage, solve
from hierpair.solvers.scaling import Scaled, to_integers

__all__ = [
    "Certificate",
    "Cover",
    "CoverProblem",
    "Flow",
    "FlowNetwork",
    "Link",
    "Scaled",
    "check",
    "shortage",
    "solve",
    "solve_cover",
    "to_integers",
]
