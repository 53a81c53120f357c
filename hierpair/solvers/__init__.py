"""Label-free integer problems and the only place that knows OR-Tools."""

from hierpair.solvers.certificate import Certificate, blocking_bounds, check
from hierpair.solvers.cover import Cover, Link, solve_cover
from hierpair.solvers.flow import (
    Arcs,
    Flow,
    FlowNetwork,
    Layout,
    NetworkBuilder,
    Scaled,
    solve,
    to_integers,
    weighted,
)
from hierpair.solvers.programs import (
    BinaryProgram,
    Chosen,
)

__all__ = [
    "Arcs",
    "BinaryProgram",
    "Certificate",
    "Chosen",
    "Cover",
    "Flow",
    "FlowNetwork",
    "Layout",
    "Link",
    "NetworkBuilder",
    "Scaled",
    "blocking_bounds",
    "check",
    "solve",
    "solve_cover",
    "to_integers",
    "weighted",
]
