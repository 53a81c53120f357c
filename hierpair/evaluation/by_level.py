"""A table by level: what is right at each level of a hierarchy, and where predictions leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.evaluation.looks import TableLook
from hierpair.hierarchy import Hierarchy, excluded_classes, named_levels
from hierpair.hierarchy.arrays import Floats, Ints, ratio
from hierpair.labels import LabelSets
from hierpair.measures import Batch
from hierpair.tables.records import Content, Records, pinned
from hierpair.tables.result import Result, down, flattened, rounded

KINDS = ("right", "stopped", "too_deep", "off_path")

SHOWN = (
    "level system n_instances accuracy precision recall f1 stopped too_deep off_path answered_leaf"
)
HEADS = {name: name.removeprefix("n_").replace("_", " ") for name in SHOWN.split()}


@dataclass(frozen=True, eq=False, repr=False)
class LevelTable(Result):
    """What is right at each level; levels without a class that counts are left out.

    Attributes
    ----------
    systems
        Names of the systems.
    levels, n_classes, n_instances
        By level: its number or rank, its classes that count, and the instances with a true one.
    values
        By name, shape ``(n_levels, n_systems)``; labels of both sides have all their ancestors.
        ``accuracy``: of the instances with a true class at the level, the share whose classes
        there are right, none missing and none too many. ``precision``, ``recall``, ``f1``: of the
        classes of the level in all instances together. ``right``, ``stopped`` (nothing is
        predicted at the level, though something is true), ``too_deep`` (nothing is true, though
        something is predicted) and ``off_path`` (both, and not the same): shares of the instances
        that have a true or a predicted class at the level, which add up to 1; ``answered_leaf``
        is the share of these with a leaf among the predicted ones. nan where there is none.
    root
        Whether the root counts.
    """

    systems: tuple[str, ...]
    levels: tuple[Any, ...]
    n_classes: Ints
    n_instances: Ints
    values: Mapping[str, Floats]
    root: Any

    @property
    def notes(self) -> list[str]:
        """What the columns say."""
        return [
            "labels with all their ancestors; accuracy: the share of the instances with exactly "
            "the right classes at the level",
            "stopped: nothing is predicted where something is true; too deep: the other way round; "
            "off path: something else is predicted; answered leaf: a leaf is among what is "
            "predicted",
        ]

    @property
    def signatures(self) -> list[str]:
        """One line that pins the conventions."""
        return [pinned("by_level", root=self.root)]

    def records(self) -> Records:
        """Return a record per level and system."""
        return flattened(
            (len(self.levels), len(self.systems)),
            level=down(self.levels), system=self.systems, n_classes=self.n_classes[:, None],
            n_instances=self.n_instances[:, None], **self.values, signature=self.signatures[0],
        )  # fmt: skip

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown: a row per level and system; caption and label are for LaTeX."""
        look, records = TableLook(digits, caption=caption, label=label), self.records()
        columns, align = records.headed(HEADS), "rl" + "r" * 9
        table = rounded(*columns, look.decimals, align=align, fold=True)
        return self.viewed(look, lambda: records, lambda form: [table])


def by_level(
    hierarchy: Hierarchy,
    truth: LabelSets,
    systems: Mapping[str, LabelSets],
    *,
    root: Any = "exclude",
    weight: Floats | None = None,
) -> LevelTable:
    """Return the table by level of some systems; :meth:`Scores.by_level` is the usual way to it.

    The level of a class is the number of edges of the longest way down to it, or its rank where
    classes have ranks; those without one play no part.
    """
    excluded = excluded_classes(hierarchy, root)
    level, words = named_levels(hierarchy)
    n_levels = len(words)
    level[excluded] = n_levels
    sizes = np.bincount(level, minlength=n_levels + 1)[:n_levels]
    each = [_sums(Batch(hierarchy, truth, labels), level, n_levels, weight)
            for labels in systems.values()]  # fmt: skip
    some = np.flatnonzero(sizes)
    sums = np.stack(each, axis=2)[:, some]
    true, predicted, both, judged, *kinds, leaf, n_true = sums
    every = np.sum(kinds, axis=0)
    values = {
        "accuracy": ratio(kinds[0], judged),
        "precision": ratio(both, predicted),
        "recall": ratio(both, true),
        "f1": ratio(2 * both, true + predicted),
        **{name: ratio(kind, every) for name, kind in zip(KINDS, kinds, strict=True)},
        "answered_leaf": ratio(leaf, every),
    }
    n_instances = n_true[:, 0].astype(np.int64)
    levels = tuple(words[k] for k in some.tolist())
    return LevelTable(tuple(systems), levels, sizes[some], n_instances, values, root)


def _sums(batch: Batch, level: Ints, n_levels: int, weight: Floats | None) -> Floats:
    """Return sums over instances by level, a row each.

    These are true, predicted and shared classes; instances with a true class; instances that are
    right, stopped, too deep and off the path, and those that are answered by a leaf; and, without
    weights, how many have a true class there.
    """
    sums = np.zeros((10, n_levels))
    is_leaf = batch.hierarchy.is_leaf
    for part in batch.cells("ancestors"):
        n = len(part)
        cell = part.row * (n_levels + 1) + level[part.column]
        kinds = part.in_true, part.in_pred, part.in_true & part.in_pred
        true, predicted, both, leaf = (
            np.bincount(cell[has], minlength=n * (n_levels + 1)).reshape(n, -1)[:, :n_levels]
            for has in (*kinds, part.in_pred & is_leaf[part.column])
        )
        of_truth, said = true > 0, predicted > 0
        right = (true == both) & (predicted == both)
        told = (
            true, predicted, both, of_truth, of_truth & right,
            of_truth & ~said, ~of_truth & said, of_truth & said & ~right, leaf > 0,
        )  # fmt: skip
        w = np.ones(n) if weight is None else weight[part.first : part.first + n]
        sums += np.stack([*(w @ table for table in told), of_truth.sum(axis=0)])
    return sums
