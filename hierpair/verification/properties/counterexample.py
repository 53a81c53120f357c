"""A violation as a case: hierarchy, label sets, values, and the inequality that fails."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hierpair.explanation import Explanation, explain
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.measures import Measure
from hierpair.verification.properties.sentences import failed_inequality
from hierpair.verification.properties.small_world import World
from hierpair.verification.properties.statement import Property, Witnesses

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Cell", "Counterexample"]


@dataclass(frozen=True)
class Cell:
    """One truth with one prediction in one hierarchy, and the value of a measure.

    Attributes
    ----------
    world
        The hierarchy; :attr:`hierarchy` as measures see it.
    truth, predicted
        The labels.
    value
        The value.
    """

    world: World
    truth: tuple[Hashable, ...]
    predicted: tuple[Hashable, ...]
    value: float

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy."""
        return self.world.hierarchy

    @property
    def parents(self) -> dict[Hashable, list[Hashable]]:
        """The parents of every class; of the root none."""
        names = self.world.names or tuple(range(self.world.n))
        return {
            name: [names[p] for p in above]
            for name, above in zip(names, self.world.parents, strict=True)
        }


@dataclass(frozen=True)
class Counterexample:
    """The least violation of a property that was found, as a case that can be checked by hand.

    Attributes
    ----------
    stated, measure
        The property, and the measure that violates it.
    cells
        Truth and predictions with their values, in the order of the property.
    drawn
        Whether it is a random one made small, not the least of all.

    Examples
    --------
    >>> from hierpair import examine
    >>> found = examine("mgia", properties="add_wrong", scope=3, samples=0)
    >>> print(found["mgia", "add_wrong"].counterexample)
    0→1, 0→2, 0→3: expected mgia({1, 2}, {1}) ≥ mgia({1, 2}, {1, 3}); is 0.8 < 0.8667
    """

    stated: Property
    measure: Measure
    cells: tuple[Cell, ...]
    drawn: bool

    @classmethod
    def of(
        cls,
        stated: Property,
        measure: Measure,
        witness: Witnesses,
        values: tuple[float, ...],
        *,
        drawn: bool,
    ) -> Counterexample:
        """Return the case of one witness."""
        sides = zip(witness.worlds, witness.truth[0], witness.predicted[0], values, strict=True)
        cells = (
            Cell(world, tuple(world.labels(true)), tuple(world.labels(said)), value)
            for world, true, said, value in sides
        )
        return cls(stated, measure, tuple(cells), drawn)

    @property
    def hierarchies(self) -> list[Hierarchy]:
        """The hierarchies of the cells, each once: two where the property changes it."""
        return [world.hierarchy for world in dict.fromkeys(cell.world for cell in self.cells)]

    @property
    def values(self) -> tuple[float, ...]:
        """The value of every cell."""
        return tuple(cell.value for cell in self.cells)

    @property
    def sentence(self) -> str:
        """The inequality that fails, with its numbers."""
        return failed_inequality(
            self.stated.relation,
            [self._written(cell) for cell in self.cells],
            self.values,
            higher=self.measure.higher_is_better,
        )

    def _written(self, cell: Cell) -> str:
        sides = (
            "{" + ", ".join(map(str, side)) + "}" if side else "∅"
            for side in (cell.truth, cell.predicted)
        )
        changed = cell.world != self.cells[0].world
        return f"{self.measure.name}{'′' if changed else ''}({', '.join(sides)})"

    def __str__(self) -> str:
        worlds = dict.fromkeys(cell.world for cell in self.cells)
        edges = (", ".join(_edges(world)) or "a root alone" for world in worlds)
        return f"{' and then ′ '.join(edges)}: {self.sentence}"

    def explain(self) -> list[Explanation]:
        """Return the evidence of every cell, as :func:`hierpair.explain` has it.

        Examples
        --------
        >>> from hierpair import examine
        >>> found = examine("gie", properties="add_right", scope=2, samples=0)
        >>> [why.value for why in found["gie", "add_right"].counterexample.explain()]
        [5.0, 2.0]
        """
        return [
            why
            for cell in self.cells
            for why in explain(
                cell.hierarchy,
                LabelSets.from_labels([list(cell.truth)], cell.hierarchy),
                LabelSets.from_labels([list(cell.predicted)], cell.hierarchy),
                self.measure,
                system=self._written(cell),
            )
        ]

    def plot(self) -> Any:
        """Draw every cell with its labels and value, one below the other.

        Returns
        -------
        Axes or stack of them
            ``hierpair.plots.save_picture`` writes it.
        """
        from hierpair.plots.saving import stacked

        return stacked([partial(self._drawn, why, k) for k, why in enumerate(self.explain())])

    def _drawn(self, why: Explanation, k: int, ax: Axes | None) -> Axes:
        from hierpair.plots import plot_neighbourhood

        return plot_neighbourhood(why.neighbourhood, ax=ax, title=self._title(k))

    def _title(self, k: int) -> str:
        """Return what stands above the picture of a cell; above the first also the sentence."""
        cell = self.cells[k]
        title = f"{self._written(cell)} = {cell.value:.4g}"
        return title if k else f"{self.stated.name}: {self.sentence}. {title}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the hierarchy by parents, truth, prediction and value of the cells."""
        return {
            "property": self.stated.name,
            "measure": self.measure.signature,
            "sentence": self.sentence,
            "cells": [
                {
                    "parents": {str(c): list(above) for c, above in cell.parents.items()},
                    "true": list(cell.truth),
                    "predicted": list(cell.predicted),
                    "value": cell.value,
                }
                for cell in self.cells
            ],
        }


def _edges(world: World) -> list[str]:
    """Return the edges of a hierarchy as chains: ``0→1→2, 1→3``."""
    names = world.names or tuple(range(world.n))
    chains: list[list[int]] = []
    for p, c in world.edges:
        if chains and chains[-1][-1] == p:
            chains[-1].append(c)
        else:
            chains.append([p, c])
    return ["→".join(str(names[c]) for c in chain) for chain in chains]
