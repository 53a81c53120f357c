"""The measures, one registry, by family: flat, sets, pair."""

from hierpair.measures import flat, pair, sets
from hierpair.measures.evidence import Batch, PairRecipe, SetRecipe
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
    "Measure",
    "PairRecipe",
    "SetRecipe",
    "Statistics",
    "flat",
    "measure",
    "pair",
    "pair_measure",
    "set_measure",
    "sets",
]
