"""Label-free integer problems and the only place that knows OR-Tools."""

from hierpair.solvers.arcs import Arcs, Layout, NetworkBuilder, Scaled, to_integers
from hierpair.solvers.certificate import Certificate, blocking_bounds, check
from hierpair.solvers.cover import Cover, Link, solve_cover
from hierpair.solvers.flow import solve
from hierpair.solvers.network import Flow, FlowNetwork, weighted
from hierpair.solvers.programs import Chosen, Ends, ExpectedPairing, choose_nodes, choose_set
from hierpair.solvers.ways import NO_WAY, Ways, changed

__all__ = [
    "NO_WAY",
    "Arcs",
    "Certificate",
    "Chosen",
    "Cover",
    "Ends",
    "ExpectedPairing",
    "Flow",
    "FlowNetwork",
    "Layout",
    "Link",
    "NetworkBuilder",
    "Scaled",
    "Ways",
    "blocking_bounds",
    "changed",
    "check",
    "choose_nodes",
    "choose_set",
    "solve",
    "solve_cover",
    "to_integers",
    "weighted",
]
