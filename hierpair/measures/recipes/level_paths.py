"""Columns of label sets with one class per level: levels and links that are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, row_numbers
from hierpair.measures.columns import Column, Columns, Entries
from hierpair.measures.evidence import Amounts, SetEvidence
from hierpair.measures.recipes.augmentation import Cells
from hierpair.measures.recipes.batch import Batch
from hierpair.measures.recipes.set_sizes import SetRecipe, shown_sets

__all__ = ["LevelPathRecipe"]

SETS = SetRecipe("none", "include")
GIVE = (
    "measures of paths compare sets with one class per level, all of them given (of columns: "
    "--each-level, LabelSets.from_levels with each=True)"
)


@dataclass(frozen=True)
class LevelPathRecipe:
    """Of every instance: its levels, the right ones, and the links between neighbouring ones.

    Its levels are those of its true classes, from the top; at others the prediction is not judged,
    and what it has there is superfluous. A single root may be left out of the labels.
    """

    family: ClassVar = "path"
    by: ClassVar = "level"
    columns: ClassVar = (
        Column("n_levels", "a level with a true class"),
        Column("n_right", "such a level with the right class"),
        Column("n_extra", "a predicted class at another level"),
        Column("n_prefix", "a right level above which all levels are right"),
        Column("n_links", "two neighbouring levels"),
        Column("n_links_right", "two neighbouring levels that are right"),
        Column("n_links_wrong", "two neighbouring levels without a predicted edge between them"),
        Column("k_levels", "a class of such a level", support=True, per="n_levels"),
        Column("k_right", "a class of such a level, if that is right"),
    )

    def evidence(self, batch: Batch) -> SetEvidence:
        """Name the classes of both sets with their levels, and the links that are no edges."""
        h = batch.hierarchy
        found = np.union1d(batch.y_true.indices, batch.y_pred.indices).astype(np.int64)
        number = dict(zip((h.names[c] for c in found.tolist()), found.tolist(), strict=True))

        def on(*parts: Any) -> dict[int, int]:
            classes = [number[name] for part in parts for name in part]
            return {int(h.levels[c]): c for c in classes}

        def linked(upper: int | None, lower: int | None) -> bool:
            if upper is None or lower is None:
                return False
            return upper in h.parents[h.parent_ptr[lower] : h.parent_ptr[lower + 1]]

        def counts(shown: SetEvidence) -> dict[str, float]:
            true, predicted = (
                on(shown.shared, shown.only_true),
                on(shown.shared, shown.only_predicted),
            )
            right = [true[k] == predicted.get(k) for k in sorted(true)]
            n_classes = [int((h.levels == k).sum()) for k in sorted(true)]
            links = list(pairwise(sorted(true)))
            wrong = [not linked(predicted.get(a), predicted.get(b)) for a, b in links]
            return {
                "n_levels": len(true),
                "n_right": sum(right),
                "n_extra": len(predicted.keys() - true.keys()),
                "n_prefix": [*right, False].index(False),
                "n_links": len(links),
                "n_links_right": sum(a and b for a, b in pairwise(right)),
                "n_links_wrong": sum(wrong),
                "k_levels": sum(n_classes),
                "k_right": sum(k for k, hit in zip(n_classes, right, strict=True) if hit),
            }

        predicted = on([h.names[c] for c in batch.y_pred.indices.tolist()])
        levels = sorted({int(h.levels[c]) for c in batch.y_true.indices.tolist()})
        remarks = [
            f"level {b}: no edge from the predicted {_named(h, predicted.get(a))} to the "
            f"predicted {_named(h, predicted.get(b))}"
            for a, b in pairwise(levels)
            if not linked(predicted.get(a), predicted.get(b))
        ]
        amounts = Amounts("level", found, h.levels[found].astype(np.float64), tuple(remarks))
        return shown_sets(batch, SETS, amounts=amounts, counts=counts)

    def compute(self, batch: Batch) -> Columns:
        """Lay both sets out by level and compare them."""
        found = {column.name: np.zeros(len(batch), dtype=np.int64) for column in self.columns}
        h = batch.hierarchy
        n_classes = np.bincount(h.levels)
        for rows, true, predicted in _tables(batch):
            judged = true != -1
            right = judged & (true == predicted)
            link = judged[:, 1:] & judged[:, :-1]
            prefix = np.logical_and.accumulate(right | ~judged, axis=1) & judged
            edge = _is_edge(h, predicted[:, :-1], predicted[:, 1:])
            for name, table in {
                "n_levels": judged,
                "n_right": right,
                "n_extra": ~judged & (predicted != -1),
                "n_prefix": prefix,
                "n_links": link,
                "n_links_right": link & right[:, 1:] & right[:, :-1],
                "n_links_wrong": link & ~edge,
                "k_levels": judged * n_classes[: judged.shape[1]],
                "k_right": right * n_classes[: judged.shape[1]],
            }.items():
                found[name][rows] = table.sum(axis=1)
        return found

    def entries(self, batch: Batch) -> Entries:
        """Return the levels of every instance, and whether they are right."""
        n_classes = np.bincount(batch.hierarchy.levels)
        nothing = np.zeros(0, dtype=bool)
        none = {"n_levels": nothing, "n_right": nothing, "k_levels": nothing, "k_right": nothing}
        nobody = np.zeros(0, dtype=np.int32)
        parts = [Entries(0, nobody, nobody, none, len(n_classes))]
        for _, true, predicted in _tables(batch):
            row, level = (at.astype(np.int32) for at in np.nonzero(true != -1))
            right = true[row, level] == predicted[row, level]
            columns = {
                "n_levels": np.ones(len(row), dtype=bool),
                "n_right": right,
                "k_levels": n_classes[level],
                "k_right": np.where(right, n_classes[level], 0),
            }
            parts.append(Entries(len(true), row, level, columns, len(n_classes)))
        return Entries.joined(parts)


Tables = Iterator[tuple[slice, NDArray[np.int64], NDArray[np.int64]]]


def _tables(batch: Batch) -> Tables:
    """Return the true and the predicted class of every instance and level, some rows at a time."""
    for part in SETS.cells(batch):
        true = _table(batch.hierarchy, part, "true")
        yield part.rows, true, _table(batch.hierarchy, part, "predicted")


def _table(hierarchy: Hierarchy, part: Cells, side: str) -> NDArray[np.int64]:
    """Return the class of every row and level, -1 where there is none.

    Raises
    ------
    BadInput
        For several classes of one level, and for a true set that leaves a level out.
    """
    mask = part.in_true if side == "true" else part.in_pred
    row, classes = row_numbers(part.row_ptr)[mask], part.column[mask]
    level = hierarchy.levels[classes]
    before = np.zeros(len(row), dtype=bool)
    before[1:] = row[1:] == row[:-1]  # classes of a row ascend, and so do their levels
    step = np.diff(level, prepend=0)
    twice = before & (step == 0)
    if twice.any():
        k = int(twice.argmax())
        one, other = (hierarchy.names[c] for c in classes[k - 1 : k + 1])
        raise BadInput(
            f"its {side} set has several classes of level {level[k]}, {one!r} and {other!r}; "
            f"{GIVE}",
            part.first + int(row[k]),
        )
    if side == "true":
        _refuse_holes(hierarchy, classes, np.where(before, step, level), before, row + part.first)
    deepest = int(hierarchy.levels[part.column].max(initial=0))
    table = np.full((len(part.row_ptr) - 1, deepest + 1), -1, dtype=np.int64)
    table[row, level] = classes
    return table


def _refuse_holes(
    hierarchy: Hierarchy,
    classes: NDArray[np.int32],
    step: NDArray[np.integer],
    before: Bools,
    instance: NDArray[np.int64],
) -> None:
    """Refuse true sets that skip a level; a single root need not be among the labels."""
    first = 1 if len(hierarchy.root_indices) == 1 else 0
    hole = step > np.where(before, 1, first)
    if hole.any():
        k = int(hole.argmax())
        c = int(classes[k])
        level = int(hierarchy.levels[c]) - 1
        raise BadInput(
            f"its true set has {hierarchy.names[c]!r} of level {level + 1}, and no class of level "
            f"{level}; {GIVE}",
            int(instance[k]),
        )


def _is_edge(
    hierarchy: Hierarchy, upper: NDArray[np.int64], lower: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether there are two classes, and the upper one is a parent of the lower one."""
    starts = hierarchy.parent_ptr[lower]
    n_parents = np.where(lower == -1, 0, hierarchy.parent_ptr[lower + 1] - starts)
    found = np.zeros(lower.shape, dtype=bool)
    for k in range(int(n_parents.max(initial=0))):  # once in a tree
        at = np.where(n_parents > k, starts + k, 0)
        found |= (n_parents > k) & (hierarchy.parents[at] == upper)
    return found


def _named(hierarchy: Hierarchy, number: int | None) -> str:
    return "class (none)" if number is None else str(hierarchy.names[number])
