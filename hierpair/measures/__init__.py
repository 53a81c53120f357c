"""The measures, one registry, by family: flat, sets, levels, pair, lca, confusion, reviewed."""

from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.definition import augmented_sets, pair_measure, set_measure
from hierpair.measures.families import (  # noqa: F401
    confusion_counts,
    confusion_measures,
    contribution_measures,
    cost_measures,
    depth_measures,
    descendant_measures,
    flat_measures,
    lca_measures,
    level_measures,
    pair_measures,
    set_measures,
)
from hierpair.measures.options import OPTIONS, Option
from hierpair.measures.recipes.batch import Batch, ByClass, Explains, Recipe, counts_classes
from hierpair.measures.recipes.pairings import ConfusionRecipe, LcaRecipe, PairRecipe
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.measures.registry import (
    REGISTRY,
    Definition,
    Measure,
    measure,
)

__all__ = [
    "OPTIONS",
    "REGISTRY",
    "Batch",
    "ByClass",
    "Column",
    "Columns",
    "ConfusionRecipe",
    "Definition",
    "Entries",
    "Explains",
    "LcaRecipe",
    "Measure",
    "Option",
    "PairRecipe",
    "Recipe",
    "SetRecipe",
    "augmented_sets",
    "counts_classes",
    "measure",
    "pair_measure",
    "set_measure",
]
