"""Columns of label sets with one class per level: levels and links that are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Ints, row_numbers
from hierpair.measures.columns import Column
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.units import Counted, Units

__all__ = ["LevelPathRecipe"]

GIVE = (
    "measures of paths compare sets with one class per level, all of them given (of columns: "
    "--each-level, LabelSets.from_levels with each=True)"
)


@dataclass(frozen=True)
class LevelPathRecipe(Counted):
    """Of every instance: its levels, the right ones, and the links between neighbouring ones.

    Its levels are those of its true classes, from the top; at others the prediction is not judged,
    and what it has there is superfluous. A single root may be left out of the labels. Several
    classes of one level are no path, nor is a true set that leaves a level out.
    """

    family: ClassVar = "path"
    by: ClassVar = "level"
    columns: ClassVar = (
        Column("n_levels", "a level with a true class"),
        Column("n_right", "such a level with the right class"),
        Column("n_extra", "a predicted class at another level", alone=True),
        Column("n_prefix", "a right level above which all levels are right", alone=True),
        Column("n_links", "two neighbouring levels", alone=True),
        Column("n_links_right", "two neighbouring levels that are right", alone=True),
        Column("n_links_wrong", "two neighbouring levels without a predicted edge between them",
               alone=True),
        Column("k_levels", "a class of such a level", support=True, per="n_levels"),
        Column("k_right", "a class of such a level, if that is right"),
    )  # fmt: skip
    kept: ClassVar = True

    def counted(self, hierarchy: Hierarchy) -> Bools:
        """Return which levels count: all."""
        return np.ones(int(hierarchy.levels[-1]) + 1, dtype=bool)

    def units(self, batch: Batch) -> Iterator[Units]:
        """Return all levels of every instance; a link is that of its lower level."""
        h = batch.hierarchy
        n_classes = np.bincount(h.levels).astype(np.int32)
        for part in batch.cells("none"):
            true = self._table(batch, part, "true")
            predicted = self._table(batch, part, "predicted")
            n_rows, n_levels = true.shape
            judged = true != -1
            right = judged & (true == predicted)
            link, linked = (
                np.concatenate([np.zeros((n_rows, 1), dtype=bool), x[:, 1:] & x[:, :-1]], axis=1)
                for x in (judged, right)
            )
            edge = np.zeros_like(link)
            edge[:, 1:] = _is_edge(h, predicted[:, :-1], predicted[:, 1:])
            columns = {
                "n_levels": judged,
                "n_right": right,
                "n_extra": ~judged & (predicted != -1),
                "n_prefix": np.logical_and.accumulate(right | ~judged, axis=1) & judged,
                "n_links": link,
                "n_links_right": linked,
                "n_links_wrong": link & ~edge,
                "k_levels": judged * n_classes[:n_levels],
                "k_right": right * n_classes[:n_levels],
            }
            row_ptr, level = np.arange(n_rows + 1) * n_levels, np.tile(np.arange(n_levels), n_rows)
            flat = {name: table.ravel() for name, table in columns.items()}
            yield Units(part.first, row_ptr, level, flat)

    def remarks(self, batch: Batch) -> Iterator[str]:
        """Return which links of the prediction are no edges."""
        h = batch.hierarchy
        predicted = {int(h.levels[c]): h.names[c] for c in batch.y_pred.indices.tolist()}
        (part,) = self.found(batch)
        for k in part.number[part.columns["n_links_wrong"]].tolist():
            upper, lower = (predicted.get(level, "class (none)") for level in (k - 1, k))
            yield f"level {k}: no edge from the predicted {upper} to the predicted {lower}"

    def _table(self, batch: Batch, part: Cells, side: str) -> Ints:
        """Return the class of every instance and level, -1 where there is none."""
        h = batch.hierarchy
        mask = part.in_true if side == "true" else part.in_pred
        row, classes = row_numbers(part.row_ptr)[mask], part.column[mask]
        level = h.levels[classes]
        before = np.zeros(len(row), dtype=bool)
        before[1:] = row[1:] == row[:-1]  # classes of a row ascend, and so do their levels
        step = np.where(before, np.diff(level, prepend=0), level)
        for k in np.flatnonzero(before & (step == 0)).tolist():
            one, other = (h.names[c] for c in classes[k - 1 : k + 1])
            text = f"its {side} set has several classes of level {level[k]}, {one!r} and {other!r}"
            batch.refuse(self, BadInput(f"{text}; {GIVE}", part.first + int(row[k])))
        if side == "true":
            first = 1 if len(h.root_indices) == 1 else 0  # a single root need not be there
            for k in np.flatnonzero(step > np.where(before, 1, first)).tolist():
                text = f"{h.names[classes[k]]!r} of level {level[k]}, and no class of level"
                text = f"its true set has {text} {level[k] - 1}; {GIVE}"
                batch.refuse(self, BadInput(text, part.first + int(row[k])))
        deepest = int(h.levels[part.column].max(initial=0))
        table = np.full((len(part.row_ptr) - 1, deepest + 1), -1, dtype=np.int64)
        table[row, level] = classes
        return table


def _is_edge(hierarchy: Hierarchy, upper: Ints, lower: Ints) -> Bools:
    """Return whether there are two classes, and the upper one is a parent of the lower one."""
    starts = hierarchy.parent_ptr[lower]
    n_parents = np.where(lower == -1, 0, hierarchy.parent_ptr[lower + 1] - starts)
    found = np.zeros(lower.shape, dtype=bool)
    for k in range(int(n_parents.max(initial=0))):  # once in a tree
        at = np.where(n_parents > k, starts + k, 0)
        found |= (n_parents > k) & (hierarchy.parents[at] == upper)
    return found
