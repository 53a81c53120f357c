"""What a recipe computes, and what else it may be able to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from hierpair.measures.evidence import Evidence
from hierpair.measures.pooling import ClassEntries, Counts

if TYPE_CHECKING:
    from hierpair.measures.recipes.set_sizes import Batch

__all__ = [
    "CountsByClass",
    "Explains",
    "KeepsClasses",
    "Recipe",
]


class Recipe(Protocol):
    """What has to be computed for every instance; equal recipes are computed once."""

    def compute(self, batch: Batch) -> Counts:
        """Return the counts of every instance of a batch."""
        ...


@runtime_checkable
class Explains(Protocol):
    """A recipe that can show what it computed of an instance."""

    def evidence(self, batch: Batch) -> Evidence:
        """Return what the values of a batch of one rest on, in names."""
        ...


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
