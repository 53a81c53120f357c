"""A violation as a case, made small: hierarchy, label sets, values, and what fails."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.explanation import Explanation, explain
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.measures import Measure
from hierpair.verification.properties.measuring import measured
from hierpair.verification.properties.statement import TOLERANCE, Assigned, Property
from hierpair.verification.properties.tallies import Found, Tally
from hierpair.verification.properties.worlds import World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Cell", "Counterexample", "failed_inequality", "made_small", "violation"]


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
    def of(cls, stated: Property, measure: Measure, found: Found) -> Counterexample:
        """Return the case of a violation; a random one is made small."""
        least = made_small(stated, measure, found) if found.random else found
        one = least.witness
        sides = zip(one.worlds, one.truth[0], one.predicted[0], least.values, strict=True)
        cells = (
            Cell(world, tuple(world.labels(true)), tuple(world.labels(said)), value)
            for world, true, said, value in sides
        )
        return cls(stated, measure, tuple(cells), least.random)

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


def made_small(stated: Property, m: Measure, found: Found) -> Found:
    """Return a random violation without the classes and labels that it does not need.

    Witnesses of a user's own property stay as they are: only a row says what is one.
    """
    world, one = found.witness.worlds[0], found.witness.assigned
    possible, at, in_vain = _deletions(world, one), 0, 0
    while in_vain < len(possible):
        less = _without(world, one, *possible[at % len(possible)])
        smaller = violation(stated, m, *less)
        if smaller is None:
            at, in_vain = at + 1, in_vain + 1
            continue
        found, (world, one) = smaller, less  # what comes next is tried next: most of what failed
        possible, in_vain = _deletions(world, one), 0  # before fails again
    return found


def violation(stated: Property, m: Measure, world: World, one: Assigned) -> Found | None:
    """Return what one value of every variable gives, if it is a witness and violated."""
    if not stated.is_witness(world, one):
        return None
    witness = stated.one(world, one)
    values = measured([witness], [m])[0]
    tally = Tally()
    tally.add(
        stated, witness, values.values[0], higher=m.higher_is_better, random=True,
        reason=values.reason,
    )  # fmt: skip
    return tally.least


Deletion = tuple[str, tuple[int, ...]]
"""Of classes, with the name "", or of one label from the set of this name."""


def _deletions(world: World, one: Assigned) -> list[Deletion]:
    """Return what may go: a class, two classes that have children, a label."""
    used = {int(c[0]) for name, c in one.items() if name.islower()}
    free = [c for c in world.classes.tolist()[::-1] if c not in used]
    inner = [c for c in free if not world.leaf[c]]
    labels = [
        (name, (c,))
        for name in one
        if name[0].isupper()
        for c in world.classes[one[name] >> world.classes & 1 == 1].tolist()
    ]
    return [*(("", (c,)) for c in free), *(("", two) for two in combinations(inner, 2)), *labels]


def _without(
    world: World, one: Assigned, name: str, gone: tuple[int, ...]
) -> tuple[World, Assigned]:
    """Return a hierarchy and variables in it without some classes or a label."""
    if name:
        return world, {**one, name: one[name] & ~np.int64(1 << gone[0])}
    for c in gone:  # from the last one on, so that the others keep their numbers
        world = world.without(c)
        one = {
            v: np.where(x > c, x - 1, x) if v.islower() else x & (1 << c) - 1 | x >> c + 1 << c
            for v, x in one.items()
        }
    return world, one


TURNED = {"≥": "≤", ">": "<", "=": "="}


def failed_inequality(
    relation: str, cells: Sequence[str], values: Sequence[float], *, higher: bool
) -> str:
    """Return what was expected of the values of cells and what they are.

    Parameters
    ----------
    relation
        A name in ``RELATIONS``.
    cells
        How each cell is written, such as ``"v({1}, {1, 2})"``.
    values
        Their values, which violate the relation.
    higher
        Whether higher values are better; otherwise inequalities are turned.

    Examples
    --------
    >>> failed_inequality("≥", ["v(T,P)", "v(T,P∪{x})"], [0.5, 4 / 7], higher=True)
    'expected v(T,P) ≥ v(T,P∪{x}); is 0.5 < 0.5714'
    >>> failed_inequality("≥", ["v(T,P)", "v(T,P∪{x})"], [5, 2], higher=False)
    'expected v(T,P) ≤ v(T,P∪{x}); is 5 > 2'
    """
    if relation == "in [0, 1]":
        k = next(k for k, v in enumerate(values) if not -TOLERANCE <= v <= 1 + TOLERANCE)
        return f"expected 0 ≤ {cells[k]} ≤ 1; is {_number(values[k])}"
    if relation == "triangle":
        perfect, direct, one, between, other = values if higher else [-v for v in values]
        errors = [perfect - direct, perfect - one, between - other]
        a, b, c = (_number(error) for error in errors)
        return f"expected e({_pair(cells[1])}) ≤ e({_pair(cells[2])}) + e({_pair(cells[4])}); " \
               f"is {a} > {b} + {c}"  # fmt: skip
    if relation == "same difference":
        a, b = _number(values[0] - values[1]), _number(values[2] - values[3])
        return f"expected {cells[0]} − {cells[1]} = {cells[2]} − {cells[3]}; is {a} ≠ {b}"
    if relation == "same order":
        first, second = _compared(*values[:2]), _compared(*values[2:])
        return (
            f"expected {cells[0]} and {cells[1]} to compare as {cells[2]} and {cells[3]}; "
            f"is {first}, but {second}"
        )
    sign = relation if higher else TURNED[relation]
    for k, (v, w) in enumerate(pairwise(values)):
        if _fails(relation, (v, w) if higher else (w, v)):
            return f"expected {cells[k]} {sign} {cells[k + 1]}; is {_compared(v, w)}"
    raise ValueError(f"{values} obey {relation}")


def _fails(relation: str, pair: tuple[float, float]) -> bool:
    one, other = pair
    if relation == "=":
        return abs(one - other) > TOLERANCE
    return not (one > other + TOLERANCE if relation == ">" else one >= other - TOLERANCE)


def _compared(v: float, w: float) -> str:
    sign = "=" if abs(v - w) <= TOLERANCE else "<" if v < w else ">"
    return f"{_number(v)} {sign} {_number(w)}"


def _pair(cell: str) -> str:
    """Return what stands in the brackets of a cell."""
    return cell[cell.index("(") + 1 : cell.rindex(")")]


def _number(value: float) -> str:
    """Return a number with four decimals at most."""
    return f"{round(value, 4) + 0.0:.4f}".rstrip("0").rstrip(".")
