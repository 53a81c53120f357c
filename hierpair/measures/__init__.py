"""The measures, one registry, by family: of label sets, and of scores of classes."""

from hierpair.measures.choosing import Measure, measure
from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.definition import augmented_sets, pair_measure, set_measure
from hierpair.measures.empty_sets import empty_is_perfect
from hierpair.measures.families import (  # noqa: F401
    area_measures,
    calibration_measures,
    confusion_measures,
    constrained_measures,
    contribution_measures,
    cost_measures,
    depth_measures,
    descendant_measures,
    flat_measures,
    lca_measures,
    level_measures,
    pair_measures,
    path_measures,
    ranking_measures,
    set_measures,
    threshold_measures,
    transport_measures,
    weighted_measures,
)
from hierpair.measures.family_names import FAMILIES
from hierpair.measures.option import Option
from hierpair.measures.options import OPTIONS
from hierpair.measures.recipes.batch import Batch, ByClass, Explains, Recipe, counts_classes
from hierpair.measures.recipes.confusion_fields import ConfusionRecipe
from hierpair.measures.recipes.joined_graphs import LcaRecipe
from hierpair.measures.recipes.pairings import PairRecipe
from hierpair.measures.recipes.set_sizes import SetRecipe
from hierpair.measures.recipes.units import Counted, Units
from hierpair.measures.registry import REGISTRY, Definition, measures_of
from hierpair.measures.scored.scored_system import Scored
from hierpair.measures.scored_definition import scored_measure, share

__all__ = [
    "FAMILIES",
    "OPTIONS",
    "REGISTRY",
    "Batch",
    "ByClass",
    "Column",
    "Columns",
    "ConfusionRecipe",
    "Counted",
    "Definition",
    "Entries",
    "Explains",
    "LcaRecipe",
    "Measure",
    "Option",
    "PairRecipe",
    "Recipe",
    "Scored",
    "SetRecipe",
    "Units",
    "augmented_sets",
    "counts_classes",
    "empty_is_perfect",
    "measure",
    "measures_of",
    "pair_measure",
    "scored_measure",
    "set_measure",
    "share",
]
