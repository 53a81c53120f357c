"""A violation as a case, made small: hierarchy, label sets, values, and what fails."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hierpair.explanation import Explanation, explain
from hierpair.measures import Measure
from hierpair.verification.properties.counting import VIOLATED, measured, states
from hierpair.verification.properties.statement import (
    DOMAINS,
    TOLERANCE,
    Assigned,
    Property,
    Witnesses,
)
from hierpair.verification.properties.worlds import World, members


class Cell(NamedTuple):
    """One truth with one prediction in one hierarchy, and the value of a measure.

    Attributes
    ----------
    world
        The hierarchy; ``world.hierarchy`` as measures see it.
    truth, predicted
        The labels.
    value
        The value.
    """

    world: World
    truth: tuple[Hashable, ...]
    predicted: tuple[Hashable, ...]
    value: float


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
    domain
        Which of ``DOMAINS`` it is in.

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
    domain: str

    @classmethod
    def of(cls, stated: Property, measure: Measure, found: Witnesses) -> Counterexample:
        """Return the case of a violation; a random one is made small."""
        one = made_small(stated, measure, found) if found.drawn else found
        [values] = measured([one], [measure])
        sides = one.worlds, one.truth[0], one.predicted[0], values[0, 0].tolist()
        cells = tuple(
            Cell(world, tuple(world.labels(true)), tuple(world.labels(said)), value)
            for world, true, said, value in zip(*sides, strict=True)
        )
        return cls(stated, measure, cells, found.drawn, DOMAINS[one.domains[0]])

    @property
    def values(self) -> tuple[float, ...]:
        """The value of every cell."""
        return tuple(cell.value for cell in self.cells)

    @property
    def sentence(self) -> str:
        """The inequality that fails, with its numbers: those of the first cells that break it."""
        rule, values = self.stated.rule, np.array([self.values])
        turned = self.stated.turned(values, [self.measure])
        k = int(np.argmin(rule.obeyed(*rule.sides(turned))))
        a, b = (float(side[0, k]) for side in rule.sides(turned if rule.of_errors else values))
        says = rule.says if self.measure.higher_is_better else rule.says.translate(TURNED)
        sign = "=" if abs(a - b) <= TOLERANCE else "<" if a < b else ">"
        expected = says.format(*map(self._written, self.cells[k:]))
        return f"expected {expected}; is {round(a, 4) + 0.0:.10g} {sign} {round(b, 4) + 0.0:.10g}"

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
                cell.world.hierarchy, [[*cell.truth]], [[*cell.predicted]], self.measure,
                system=self._written(cell),
            )
        ]  # fmt: skip

    def plot(self) -> Any:
        """Draw every cell with its labels and value, one below the other.

        Returns
        -------
        Axes
            Those of the first cell; ``hierpair.plots.save_picture`` writes their figure.
        """
        from hierpair.plots import plot_neighbourhood
        from hierpair.plots.saving import stacked

        titles = [f"{self._written(cell)} = {cell.value:.4g}" for cell in self.cells]
        titles[0] = f"{self.stated.name}: {self.sentence}. {titles[0]}"

        each = zip(self.explain(), titles, strict=True)
        return stacked(
            [partial(plot_neighbourhood, why.neighbourhood, title=title) for why, title in each]
        )


TURNED = {ord("≥"): "≤", ord(">"): "<"}
"""How inequalities read where lower is better."""


def _edges(world: World) -> str:
    """Return the edges of a hierarchy as chains: ``0→1→2, 1→3``; none before what is above it."""

    def place(c: int) -> tuple[int, int]:
        return int(world.closed[c]).bit_length(), int(world.depth[c])

    told, last = "", None
    for p, c in sorted(world.edges, key=lambda edge: place(edge[1])):
        told += f"→{world.called[c]}" if p == last else f", {world.called[p]}→{world.called[c]}"
        last = c
    return told[2:] or "a root alone"


def made_small(stated: Property, m: Measure, found: Witnesses) -> Witnesses:
    """Return a random violation without the classes and labels that it does not need.

    Witnesses of a user's own property stay as they are: only a row says what is one.
    """
    world, one = found.worlds[0], found.assigned
    possible, at, in_vain = _deletions(world, one) if one else [], 0, 0
    while in_vain < len(possible):
        less = _without(world, one, *possible[at % len(possible)])
        if not _is_violated(stated, m, *less):
            at, in_vain = at + 1, in_vain + 1
            continue
        world, one = less  # what comes next is tried next: most of what failed before fails again
        found, possible, in_vain = stated.one(world, one), _deletions(world, one), 0
    return found


def _is_violated(stated: Property, m: Measure, world: World, one: Assigned) -> bool:
    """Whether one value of every variable is a witness, and violated."""
    if not stated.is_witness(world, one):
        return False
    [values] = measured([stated.one(world, one)], [m])
    return bool(states(stated, values, [m])[0, 0] == VIOLATED)


def _deletions(world: World, one: Assigned) -> list[tuple[str, tuple[int, ...]]]:
    """Return what may go: a class or two that have children (with the name ""), or a label."""
    used = {int(c[0]) for name, c in one.items() if name.islower()}
    free = [c for c in range(world.n - 1, 0, -1) if c not in used]
    pairs = combinations([c for c in free if not world.leaf[c]], 2)
    labels = ((name, (c,)) for name, x in one.items() if name[0].isupper() for c in members(x[0]))
    return [*(("", (c,)) for c in free), *(("", two) for two in pairs), *labels]


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
