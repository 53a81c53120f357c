"""The measures, one registry, by family: of label sets, and of scores of classes."""

from hierpair.measures import families as _  # noqa: F401 - they register
from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.named import Measure, empty_is_perfect, measure
from hierpair.measures.option import OPTIONS, Option
from hierpair.measures.recipes.batch import Batch, Counted, Recipe, Units
from hierpair.measures.recipes.sets import SetRecipe
from hierpair.measures.recipes.solved import ConfusionRecipe, LcaRecipe, PairRecipe
from hierpair.measures.registry import (
    FAMILIES,
    REGISTRY,
    Definition,
    augmented_sets,
    measures_of,
    pair_measure,
    scored_measure,
    set_measure,
    share,
)
from hierpair.measures.scored.system import Scored

__all__ = [
    "FAMILIES",
    "OPTIONS",
    "REGISTRY",
    "Batch",
    "Column",
    "Columns",
    "ConfusionRecipe",
    "Counted",
    "Definition",
    "Entries",
    "LcaRecipe",
    "Measure",
    "Option",
    "PairRecipe",
    "Recipe",
    "Scored",
    "SetRecipe",
    "Units",
    "augmented_sets",
    "empty_is_perfect",
    "measure",
    "measures_of",
    "pair_measure",
    "scored_measure",
    "set_measure",
    "share",
]
