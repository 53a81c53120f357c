"""A violation as a case, made small: hierarchy, label sets, values, and what fails."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hierpair.explanation import Explanation, explain
from hierpair.hierarchy import Hierarchy
from hierpair.labels import LabelSets
from hierpair.measures import Measure
from hierpair.verification.properties.counting import Found, Tally, count, measured
from hierpair.verification.properties.statement import RELATIONS, TOLERANCE, Assigned, Property
from hierpair.verification.properties.worlds import World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Cell", "Counterexample", "failed_inequality", "made_small"]


class Cell(NamedTuple):
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
        names = self.world.called
        above = ([names[p] for p in mine] for mine in self.world.parents)
        return dict(zip(names, above, strict=True))


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
        drawn = bool(found.rank[0])
        _, one, values = made_small(stated, measure, found) if drawn else found
        sides = zip(one.worlds, one.truth[0], one.predicted[0], values, strict=True)
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
        cells, higher = [self._written(cell) for cell in self.cells], self.measure.higher_is_better
        return failed_inequality(self.stated.relation, cells, self.values, higher=higher)

    def _written(self, cell: Cell) -> str:
        sides = (
            "{" + ", ".join(map(str, side)) + "}" if side else "∅"
            for side in (cell.truth, cell.predicted)
        )
        changed = "′" * (cell.world != self.cells[0].world)
        return f"{self.measure.name}{changed}({', '.join(sides)})"

    def __str__(self) -> str:
        worlds = dict.fromkeys(cell.world for cell in self.cells)
        return f"{' and then ′ '.join(map(_edges, worlds))}: {self.sentence}"

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
        from hierpair.plots import plot_neighbourhood
        from hierpair.plots.saving import stacked

        def drawn(k: int, why: Explanation, ax: Axes | None) -> Axes:
            title = f"{self._written(self.cells[k])} = {self.cells[k].value:.4g}"
            first = "" if k else f"{self.stated.name}: {self.sentence}. "
            return plot_neighbourhood(why.neighbourhood, ax=ax, title=first + title)

        return stacked([partial(drawn, k, why) for k, why in enumerate(self.explain())])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the hierarchy by parents, truth, prediction and value of the cells."""
        return {
            "property": self.stated.name,
            "measure": self.measure.signature,
            "sentence": self.sentence,
            "cells": [
                {
                    "parents": {str(c): above for c, above in cell.parents.items()},
                    "true": list(cell.truth),
                    "predicted": list(cell.predicted),
                    "value": cell.value,
                }
                for cell in self.cells
            ],
        }


def _edges(world: World) -> str:
    """Return the edges of a hierarchy as chains: ``0→1→2, 1→3``."""
    chains: list[list[int]] = []
    for p, c in world.edges:
        if chains and chains[-1][-1] == p:
            chains[-1].append(c)
        else:
            chains.append([p, c])
    told = ("→".join(str(world.called[c]) for c in chain) for chain in chains)
    return ", ".join(told) or "a root alone"


def made_small(stated: Property, m: Measure, found: Found) -> Found:
    """Return a random violation without the classes and labels that it does not need.

    Witnesses of a user's own property stay as they are: only a row says what is one.
    """
    world, one = found.witness.worlds[0], found.witness.assigned
    possible, at, in_vain = _deletions(world, one), 0, 0
    while in_vain < len(possible):
        less = _without(world, one, *possible[at % len(possible)])
        smaller = _violation(stated, m, *less)
        if smaller is None:
            at, in_vain = at + 1, in_vain + 1
            continue
        found, (world, one) = smaller, less  # what comes next is tried next: most of what failed
        possible, in_vain = _deletions(world, one), 0  # before fails again
    return found


def _violation(stated: Property, m: Measure, world: World, one: Assigned) -> Found | None:
    """Return what one value of every variable gives, if it is a witness and violated."""
    if not stated.is_witness(world, one):
        return None
    witness = stated.one(world, one)
    [values], why = measured([witness], [m])
    tally = Tally()
    count([tally], stated, witness, values, [m], why, random=True)
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
    turned = np.array(values) * (1 if higher or relation == "in [0, 1]" else -1)
    if relation == "triangle":
        a, b, c = (_number(turned[i] - turned[k]) for i, k in ((0, 1), (0, 2), (3, 4)))
        direct, one, other = ("e" + cells[k][cells[k].index("(") :] for k in (1, 2, 4))
        return f"expected {direct} ≤ {one} + {other}; is {a} > {b} + {c}"
    if relation == "same difference":
        a, b = (_number(values[k] - values[k + 1]) for k in (0, 2))
        return f"expected {cells[0]} − {cells[1]} = {cells[2]} − {cells[3]}; is {a} ≠ {b}"
    if relation == "same order":
        return (
            f"expected {cells[0]} and {cells[1]} to compare as {cells[2]} and {cells[3]}; "
            f"is {_compared(*values[:2])}, but {_compared(*values[2:])}"
        )
    size = 1 if relation == "in [0, 1]" else 2  # what the relation is between
    parts = (turned[k : k + size] for k in range(len(values)))
    k = next(k for k, part in enumerate(parts) if not RELATIONS[relation].holds(part[None])[0])
    if size == 1:
        return f"expected 0 ≤ {cells[k]} ≤ 1; is {_number(values[k])}"
    sign = relation if higher else TURNED[relation]
    return f"expected {cells[k]} {sign} {cells[k + 1]}; is {_compared(*values[k : k + 2])}"


def _compared(v: float, w: float) -> str:
    sign = "=" if abs(v - w) <= TOLERANCE else "<" if v < w else ">"
    return f"{_number(v)} {sign} {_number(w)}"


def _number(value: float) -> str:
    """Return a number with four decimals at most."""
    return f"{round(value, 4) + 0.0:.4f}".rstrip("0").rstrip(".")
