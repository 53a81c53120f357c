"""What a recipe computes, and what else it may be able to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hierpair.measures.pooling import ClassEntries, Counts

if TYPE_CHECKING:
    from hierpair.measures.recipes.set_sizes import Batch, SetRecipe

__all__ = [
    "Amounts",
    "CountsByClass",
    "KeepsClasses",
    "Recipe",
    "ShowsPrediction",
    "ShowsSets",
    "WeighsSets",
]


class Recipe(Protocol):
    """What has to be computed for every instance; equal recipes are computed once."""

    def compute(self, batch: Batch) -> Counts:
        """Return the counts of every instance of a batch."""
        ...


@runtime_checkable
class ShowsSets(Protocol):
    """A recipe that compares sets, which an explanation names."""

    @property
    def shown(self) -> SetRecipe:
        """What the sets are."""
        ...


@runtime_checkable
class ShowsPrediction(ShowsSets, Protocol):
    """A recipe that augments the prediction otherwise than the truth."""

    @property
    def shown_prediction(self) -> SetRecipe:
        """What the predicted sets are; ``shown`` is what the true ones are."""
        ...


@runtime_checkable
class WeighsSets(ShowsSets, Protocol):
    """A recipe that counts sets in which every class has a number of its own."""

    def amounts(self, batch: Batch) -> Amounts:
        """Return the numbers of the classes of a batch of one."""
        ...


class Amounts(NamedTuple):
    """What numbers of classes are, the classes, their numbers, and what has to be known of them."""

    word: str
    classes: NDArray[np.integer]
    numbers: NDArray[np.float64]
    remarks: tuple[str, ...] = ()


@runtime_checkable
class CountsByClass(Protocol):
    """A recipe that can also count per class, or per other group, for macro averages."""

    def per_class(self) -> Recipe:
        """Return the recipe that does so."""
        ...


@runtime_checkable
class KeepsClasses(Protocol):
    """A recipe that can also say what each instance adds to each class, for comparing."""

    def class_entries(self, batch: Batch) -> ClassEntries:
        """Return what every instance adds to every class."""
        ...
