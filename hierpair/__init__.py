"""hierpair: every published measure for hierarchical classification, exact and explained."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hierpair._version import __version__

if TYPE_CHECKING:
    from hierpair.checks import lint
    from hierpair.comparison import agreement, compare, discrimination, respond
    from hierpair.errors import BadInput, HierpairError, Infeasible, SolverLimit
    from hierpair.evaluation import Partial, Scores, score
    from hierpair.explanation import explain, pair_data_set
    from hierpair.hierarchy import Hierarchy
    from hierpair.io import read_hierarchy, read_labels, write_hierarchy, write_labels
    from hierpair.labels import LabelSets, NodeScores
    from hierpair.measures import Measure, measure, pair_measure, scored_measure, set_measure
    from hierpair.probabilistic import (
        LabelDistribution,
        decode,
        read_distribution,
        read_scores,
    )
    from hierpair.verification import advise, examine, load_case, property_of_measures, verify

HOMES = {
    "checks": ["lint"],
    "comparison": ["agreement", "compare", "discrimination", "respond"],
    "errors": ["BadInput", "HierpairError", "Infeasible", "SolverLimit"],
    "evaluation": ["Partial", "Scores", "score"],
    "explanation": ["explain", "pair_data_set"],
    "hierarchy": ["Hierarchy"],
    "io": ["read_hierarchy", "read_labels", "write_hierarchy", "write_labels"],
    "labels": ["LabelSets", "NodeScores"],
    "measures": ["Measure", "measure", "pair_measure", "scored_measure", "set_measure"],
    "probabilistic": [
        "LabelDistribution",
        "decode",
        "read_distribution",
        "read_scores",
    ],
    "verification": ["advise", "examine", "load_case", "property_of_measures", "verify"],
}
"""Where the public names live; modules are imported when a name is first used."""

__all__ = ["__version__", *(name for names in HOMES.values() for name in names)]  # noqa: PLE0604


ROOMS = sorted([
    *HOMES, "confusion", "lca", "metric", "metrics", "pairing", "plots", "report", "solvers",
    "tables",
])  # fmt: skip
"""Namespaces that hold everything else, such as ``hierpair.metrics.h_f1_score``."""


def __getattr__(name: str) -> Any:
    for module, names in HOMES.items():
        if name in names:
            return getattr(import_module(f"hierpair.{module}"), name)
    if name in ROOMS:
        return import_module(f"hierpair.{name}")
    raise AttributeError(f"module 'hierpair' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *ROOMS]
