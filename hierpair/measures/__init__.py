"""The measures, one registry, by family: flat, sets, levels, pair, lca."""

from hierpair.measures import flat, lca, levels, pair, sets
from hierpair.measures.evidence import Batch, LcaRecipe, PairRecipe, SetRecipe
from hierpair.measures.pooling import Counts, Statistics
from hierpair.measures.registry import (
    REGISTRY,
    Definition,
    Measure,
    measure,
    pair_measure,
    set_measure,
)

__all__ = [
    "REGISTRY",
    "Batch",
    "Counts",
    "Definition",
    "LcaRecipe",
    "Measure",
    "PairRecipe",
    "SetRecipe",
    "Statistics",
    "flat",
    "lca",
    "levels",
    "measure",
    "pair",
    "pair_measure",
    "set_measure",
    "sets",
]
