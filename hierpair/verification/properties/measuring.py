"""Values of cells: all of one hierarchy in one batch, each once, and why one has no value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import HierpairError, Infeasible
from hierpair.measures import Batch, Measure
from hierpair.verification.properties.small_world import World, members, sizes
from hierpair.verification.properties.statement import Witnesses

__all__ = ["Cells", "Measured", "measured", "value_of_cell"]

Masks = NDArray[np.int64]
Values = NDArray[np.float64]

PROBES = 4
"""Cells of one truth, or of one prediction, by which a whole side is judged: where none of the
smallest of them has a value, none is sought for the others."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The different cells of one hierarchy.

    Attributes
    ----------
    world
        The hierarchy.
    truth, predicted
        Label sets as bit masks, shape ``(n_cells,)``.
    """

    world: World
    truth: Masks
    predicted: Masks


class _Collected:
    """Cells of several witnesses by hierarchy, and where each witness finds its own."""

    def __init__(self) -> None:
        self.sides: dict[World, list[tuple[Masks, Masks]]] = {}
        self.counts: dict[World, int] = {}

    def add(self, world: World, truth: Masks, predicted: Masks) -> int:
        """Add cells and return the place of the first one."""
        place = self.counts.get(world, 0)
        self.sides.setdefault(world, []).append((truth, predicted))
        self.counts[world] = place + len(truth)
        return place

    def different(self, world: World) -> tuple[Cells, NDArray[np.int64]]:
        """Return each cell of a hierarchy once, and which one each added one is."""
        sides = list(zip(*self.sides[world], strict=True))
        truth, predicted = (np.concatenate(side) for side in sides)
        (true_sets, t), (said_sets, p) = (
            np.unique(side, return_inverse=True) for side in (truth, predicted)
        )
        keys, which = np.unique(t * len(said_sets) + p, return_inverse=True)
        t, p = np.divmod(keys, len(said_sets))
        return Cells(world, true_sets[t], said_sets[p]), which


@dataclass(frozen=True, eq=False)
class Measured:
    """The values of the witnesses of several properties under one measure.

    Attributes
    ----------
    values
        Per property, shape ``(n, arity)``; nan where a cell has no value.
    reason
        Why the first cell without a value has none, empty if all have one.
    """

    values: Sequence[Values]
    reason: str


def measured(found: Sequence[Witnesses], measures: Sequence[Measure]) -> list[Measured]:
    """Return the values of witnesses, measure by measure.

    All cells of one hierarchy are one batch, so equal recipes are computed once.
    """
    collected = _Collected()
    places = [
        [
            (world, collected.add(world, one.truth[:, k], one.predicted[:, k]))
            for k, world in enumerate(one.worlds)
        ]
        for one in found
    ]
    cells = {world: collected.different(world) for world in collected.sides}
    values: dict[World, list[tuple[Values, str]]] = {
        world: _values(different, measures) for world, (different, _) in cells.items()
    }
    results = []
    for k in range(len(measures)):
        known = {world: values[world][k][0][which] for world, (_, which) in cells.items()}
        each = [
            np.stack([known[world][at : at + len(one)] for world, at in columns], axis=1)
            for one, columns in zip(found, places, strict=True)
        ]
        reason = next((values[world][k][1] for world in cells if values[world][k][1]), "")
        results.append(Measured(each, reason))
    return results


def _values(cells: Cells, measures: Sequence[Measure]) -> list[tuple[Values, str]]:
    """Return the values of cells, measure by measure, and why the first without one has none."""
    batch = _batch(cells, np.arange(len(cells.truth)))
    known: dict[object, tuple[NDArray[np.int64], str, Batch]] = {}
    found = []
    for m in measures:
        try:
            values, why = m.values(batch.columns(m.recipe)), ""
        except HierpairError:
            if m.recipe not in known:
                trial = _Trial(cells, m)
                rows = trial.defined()
                known[m.recipe] = rows, trial.why, _batch(cells, rows)
            rows, why, part = known[m.recipe]
            values = np.full(len(cells.truth), np.nan)
            try:
                values[rows] = m.values(part.columns(m.recipe))
            except HierpairError as error:  # its formula fails, not the recipe
                why = error.reason
        if not why and np.isnan(values).any():
            why = _obstacle(cells, int(np.flatnonzero(np.isnan(values))[0]), m)
        found.append((values, why.split("\n")[0]))
    return found


def _batch(cells: Cells, rows: NDArray[np.int64]) -> Batch:
    world = cells.world
    true, said = (world.label_sets(side[rows]) for side in (cells.truth, cells.predicted))
    return Batch(world.hierarchy, true, said, on_infeasible="nan")


class _Trial:
    """What a recipe can compute of the cells of a hierarchy, tried with as few calls as possible.

    A recipe refuses a whole batch for one cell, mostly since a class, or else a set, is nothing
    for it as a truth or as a prediction. So single classes are tried first, then sets by their
    smallest cells, and what is left one by one where it does not go together.
    """

    def __init__(self, cells: Cells, m: Measure) -> None:
        self.cells, self.m, self.why = cells, m, ""

    def error(self, cells: Cells) -> HierpairError | None:
        """Return why a recipe refuses these cells, if it does."""
        try:
            _batch(cells, np.arange(len(cells.truth))).columns(self.m.recipe)
        except HierpairError as error:
            self.why = self.why or error.reason
            return error
        return None

    def row_refused(self, rows: NDArray[np.int64]) -> bool:
        """Whether a recipe refuses these rows of the cells."""
        cells = self.cells
        part = Cells(cells.world, cells.truth[rows], cells.predicted[rows])
        return self.error(part) is not None

    def defined(self) -> NDArray[np.int64]:
        """Return the rows that the recipe can compute."""
        cells = self.cells
        labels = sizes(cells.truth) + sizes(cells.predicted)
        rows = np.lexsort((np.arange(len(labels)), labels))
        sides = cells.truth, cells.predicted
        for side, unusable in zip(sides, self._unusable(rows), strict=True):
            rows = rows[side[rows] & unusable == 0]
        if not len(rows) or not self.row_refused(rows):
            return np.sort(rows)
        for side in sides:
            rows = self._without_sets(side, rows)
        if len(rows) and self.row_refused(rows):
            rows = np.array([i for i in rows if not self.row_refused(np.array([i]))], dtype=int)
        return np.sort(rows)

    def _unusable(self, rows: NDArray[np.int64]) -> tuple[int, int]:
        """Return the classes with which no truth, and those with which no prediction, goes."""
        classes = 1 << np.arange(1, self.cells.world.n)
        nothing = np.zeros_like(classes)
        true = self._refused_among(classes, nothing)
        good = [c for c in classes.tolist() if not true & c]
        if not good:
            return self._confirmed(self.cells.truth, true, rows), 0
        said = self._refused_among(np.full_like(classes, good[0]), classes)
        return (
            self._confirmed(self.cells.truth, true, rows),
            self._confirmed(self.cells.predicted, said, rows),
        )

    def _refused_among(self, truth: Masks, predicted: Masks) -> int:
        """Return the classes of the cells, one each, that are refused: those that errors name."""
        found, start = 0, 0
        while start < len(truth):
            error = self.error(Cells(self.cells.world, truth[start:], predicted[start:]))
            if error is None:
                break
            at = error.instance
            if isinstance(at, int) and 0 <= at < len(truth) - start:
                start += at
            elif self.error(Cells(self.cells.world, truth[[start]], predicted[[start]])) is None:
                start += 1
                continue
            found |= int(predicted[start] or truth[start])
            start += 1
        return found

    def _confirmed(self, side: Masks, classes: int, rows: NDArray[np.int64]) -> int:
        """Return the classes with which the cell with most labels is refused, too."""
        sure = 0
        for c in (1 << k for k in members(classes)):
            mine = rows[side[rows] & c != 0]
            if len(mine) and self.row_refused(mine[[-1]]):
                sure |= c
        return sure

    def _without_sets(self, side: Masks, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows without those of a set whose smallest cells are all refused."""
        kept = []
        for one in np.unique(side[rows]):
            mine = rows[side[rows] == one]
            if not all(self.row_refused(mine[[k]]) for k in range(min(PROBES, len(mine)))):
                kept.append(mine)
        return np.sort(np.concatenate(kept)) if kept else rows[:0]


def _obstacle(cells: Cells, row: int, m: Measure) -> str:
    """Return why a cell has no value."""
    world = cells.world
    y_true, y_pred = (world.label_sets(side[[row]]) for side in (cells.truth, cells.predicted))
    try:
        m.values(Batch(world.hierarchy, y_true, y_pred).columns(m.recipe))
    except Infeasible as error:
        return error.reason
    true, said = (
        "{" + ", ".join(map(str, members(side[row]))) + "}"
        for side in (cells.truth, cells.predicted)
    )
    return f"its formula gives nan for truth {true} and prediction {said}"


def value_of_cell(world: World, truth: int, predicted: int, m: Measure) -> float:
    """Return the value of one cell, nan if it has none."""
    cell = Cells(world, np.array([truth]), np.array([predicted]))
    return float(_values(cell, [m])[0][0][0])
