"""The measures, one registry, by family: flat, sets, levels, pair, lca, confusion, reviewed."""

from hierpair.measures import (
    confusion,
    confusion_counts,
    contributions,
    costs,
    depth,
    descendants,
    flat,
    lca,
    levels,
    pair,
    sets,
)
from hierpair.measures.declaring import pair_measure, set_measure
from hierpair.measures.evidence import Batch, SetRecipe
from hierpair.measures.pooling import Counts, Statistics
from hierpair.measures.protocols import Amounts, Recipe, ShowsPrediction, ShowsSets, WeighsSets
from hierpair.measures.recipes import ConfusionRecipe, LcaRecipe, PairRecipe
from hierpair.measures.registry import (
    REGISTRY,
    Definition,
    Measure,
    measure,
)

__all__ = [
    "REGISTRY",
    "Amounts",
    "Batch",
    "ConfusionRecipe",
    "Counts",
    "Definition",
    "LcaRecipe",
    "Measure",
    "PairRecipe",
    "Recipe",
    "SetRecipe",
    "ShowsPrediction",
    "ShowsSets",
    "Statistics",
    "WeighsSets",
    "confusion",
    "confusion_counts",
    "contributions",
    "costs",
    "depth",
    "descendants",
    "flat",
    "lca",
    "levels",
    "measure",
    "pair",
    "pair_measure",
    "set_measure",
    "sets",
]
