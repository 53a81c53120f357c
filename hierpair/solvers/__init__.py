"""Label-free integer problems and the only place that knows OR-Tools."""

from hierpair.solvers.certificate import Certificate, check
from hierpair.solvers.closed_sets import Chosen, SetChoice, choose_set
from hierpair.solvers.cover import Cover, CoverProblem, Link, solve_cover
from hierpair.solvers.flow import Flow, FlowNetwork, shortage, solve
from hierpair.solvers.infeasible_subset import blocking_bounds
from hierpair.solvers.scaling import Scaled, to_integers

__all__ = [
    "Certificate",
    "Chosen",
    "Cover",
    "CoverProblem",
    "Flow",
    "FlowNetwork",
    "Link",
    "Scaled",
    "SetChoice",
    "blocking_bounds",
    "check",
    "choose_set",
    "shortage",
    "solve",
    "solve_cover",
    "to_integers",
]
