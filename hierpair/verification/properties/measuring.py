"""Values of cells: all of one hierarchy in one batch, each once, and why one has no value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import HierpairError, Infeasible
from hierpair.measures import Batch, Measure
from hierpair.verification.properties.statement import Witnesses
from hierpair.verification.properties.worlds import World, members

__all__ = ["Measured", "measured", "value_of_cell"]

Masks = NDArray[np.int64]
Values = NDArray[np.float64]

PROBES = 4
"""Cells of one truth, or of one prediction, by which a whole side is judged: where none of the
smallest of them has a value, none is sought for the others."""


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
    sides: dict[World, list[tuple[Masks, Masks]]] = {}
    for one in found:
        for k, world in enumerate(one.worlds):
            sides.setdefault(world, []).append((one.truth[:, k], one.predicted[:, k]))
    whole = [Measured([np.empty(one.truth.shape) for one in found], "") for _ in measures]
    reasons = [""] * len(measures)
    for world, of_world in sides.items():
        truth, predicted, which = _different(of_world)
        for k, (values, why) in enumerate(_Cells(world, truth, predicted).values(measures)):
            reasons[k] = reasons[k] or why
            start = 0
            for one, into in zip(found, whole[k].values, strict=True):
                for column in (j for j, w in enumerate(one.worlds) if w == world):
                    into[:, column] = values[which[start : start + len(one)]]
                    start += len(one)
    return [Measured(m.values, why) for m, why in zip(whole, reasons, strict=True)]


def _different(sides: list[tuple[Masks, Masks]]) -> tuple[Masks, Masks, NDArray[np.int64]]:
    """Return each cell once, and which one each given one is."""
    (true_sets, t), (said_sets, p) = (
        np.unique(np.concatenate(side), return_inverse=True) for side in zip(*sides, strict=True)
    )
    keys, which = np.unique(t * len(said_sets) + p, return_inverse=True)
    t, p = np.divmod(keys, len(said_sets))
    return true_sets[t], said_sets[p], which


@dataclass(frozen=True, eq=False)
class _Cells:
    """The different cells of one hierarchy: label sets as bit masks, shape ``(n_cells,)``."""

    world: World
    truth: Masks
    predicted: Masks

    def values(self, measures: Sequence[Measure]) -> list[tuple[Values, str]]:
        """Return the values, measure by measure, and why the first without one has none."""
        every = np.arange(len(self.truth))
        batch = self.batch(every)
        known: dict[object, tuple[NDArray[np.int64], str, Batch]] = {}
        found = []
        for m in measures:
            values, why = np.full(len(every), np.nan), ""
            rows, part = every, batch
            if m.recipe not in known:
                try:
                    batch.columns(m.recipe)
                except HierpairError as error:
                    rows = self.usable(m)
                    known[m.recipe] = rows, error.reason, self.batch(rows)
            if m.recipe in known:
                rows, why, part = known[m.recipe]
            try:
                values[rows] = m.values(part.columns(m.recipe))
            except HierpairError as error:  # its formula fails, not the recipe
                why = error.reason
            if not why and np.isnan(values).any():
                why = self.obstacle(int(np.flatnonzero(np.isnan(values))[0]), m)
            found.append((values, why.split("\n")[0]))
        return found

    def batch(
        self, rows: NDArray[np.int64], on_infeasible: Literal["raise", "nan"] = "nan"
    ) -> Batch:
        """Return some of the cells as instances."""
        true, said = (self.world.label_sets(side[rows]) for side in (self.truth, self.predicted))
        return Batch(self.world.hierarchy, true, said, on_infeasible=on_infeasible)

    def usable(self, m: Measure) -> NDArray[np.int64]:
        """Return the cells that a recipe can compute, which refuses all for one that it cannot.

        It does so since a set is nothing for it as a truth or as a prediction, mostly, and then
        every larger set is nothing either. So each cell that an error names is left out with all
        whose set on one side contains its own, where some of these are refused alone; otherwise
        it goes by itself.
        """

        def refusal(rows: NDArray[np.int64]) -> HierpairError | None:
            try:
                self.batch(rows).columns(m.recipe)
            except HierpairError as error:
                return error
            return None

        def none_goes(rows: NDArray[np.int64], probes: NDArray[np.int64]) -> bool:
            return all(refusal(one[None]) for one in (*probes[:PROBES], *rows[-1:]))

        n_labels = np.bitwise_count(self.truth) + np.bitwise_count(self.predicted)
        rows = np.argsort(n_labels, kind="stable")
        while len(rows) and (error := refusal(rows)):
            at = error.instance
            if not isinstance(at, int) or not 0 <= at < len(rows):  # it is about the hierarchy
                if none_goes(rows, rows):
                    return rows[:0]
                at = next(k for k, row in enumerate(rows) if refusal(row[None]))
            gone = np.arange(len(rows)) == at
            for side in (self.truth, self.predicted):
                of_rows, one = side[rows], side[rows[at]]
                more = of_rows & one == one
                if one and none_goes(rows[more], rows[of_rows == one]):
                    gone = more
                    break
            rows = rows[~gone]
        return np.sort(rows)

    def obstacle(self, row: int, m: Measure) -> str:
        """Return why a cell has no value."""
        try:
            m.values(self.batch(np.array([row]), "raise").columns(m.recipe))
        except Infeasible as error:
            return error.reason
        true, said = (
            "{" + ", ".join(map(str, members(side[row]))) + "}"
            for side in (self.truth, self.predicted)
        )
        return f"its formula gives nan for truth {true} and prediction {said}"


def value_of_cell(world: World, truth: int, predicted: int, m: Measure) -> float:
    """Return the value of one cell, nan if it has none."""
    cell = _Cells(world, np.array([truth]), np.array([predicted]))
    return float(cell.values([m])[0][0][0])
