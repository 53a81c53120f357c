"""A table by level: what is right at each level of a hierarchy, and where predictions leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair._version import __version__
from hierpair.errors import BadInput, counted
from hierpair.evaluation.looks import Look
from hierpair.hierarchy import Hierarchy, excluded_classes
from hierpair.hierarchy.arrays import Floats, Ints, ratio, row_numbers
from hierpair.labels import LabelSets
from hierpair.measures import Batch
from hierpair.tables.records import Block, Content, Form, Records
from hierpair.tables.result import Found, down, flattened, plain

SHARES = ("right", "stopped", "too_deep", "off_path")
VALUES = ("accuracy", "precision", "recall", "f1", *SHARES)


@dataclass(frozen=True, eq=False, repr=False)
class LevelTable(Found):
    """What is right at each level; levels without a class that counts are left out.

    Attributes
    ----------
    systems
        Names of the systems.
    levels, n_classes, n_instances
        By level: its number, its classes that count, and the instances with a true one.
    values
        By name, shape ``(n_levels, n_systems)``; labels of both sides have all their ancestors.
        ``accuracy``: of the instances with a true class at the level, the share whose classes
        there are right, none missing and none too many. ``precision``, ``recall``, ``f1``: of the
        classes of the level in all instances together. ``right``, ``stopped`` (nothing is
        predicted at the level, though something is true), ``too_deep`` (nothing is true, though
        something is predicted) and ``off_path`` (both, and not the same): shares of the instances
        that have a true or a predicted class at the level, which add up to 1. nan where there is
        none.
    root
        Whether the root counts.
    """

    systems: tuple[str, ...]
    levels: Ints
    n_classes: Ints
    n_instances: Ints
    values: Mapping[str, Floats]
    root: Any = "exclude"

    def __repr__(self) -> str:
        sides = counted(len(self.levels), "level"), counted(len(self.systems), "system")
        return f"LevelTable({', '.join(sides)})"

    @property
    def notes(self) -> list[str]:
        """What the columns say."""
        return [
            "labels with all their ancestors; accuracy: the share of the instances with exactly "
            "the right classes at the level",
            "stopped: nothing is predicted where something is true; too deep: the other way round; "
            "off path: something else is predicted",
        ]

    @property
    def signatures(self) -> list[str]:
        """One line that pins the conventions."""
        return [f"by_level(root={self.root})|hierpair {__version__}"]

    def records(self) -> Records:
        """Return a record per level and system."""
        per_level = {
            name: down(getattr(self, name).tolist())
            for name in ("levels", "n_classes", "n_instances")
        }
        return flattened(
            (len(self.levels), len(self.systems)),
            level=per_level["levels"], system=self.systems,
            **{name: per_level[name] for name in ("n_classes", "n_instances")}, **self.values,
            signature=self.signatures[0],
        )  # fmt: skip

    def content(
        self, digits: int | None = None, *, caption: str | None = None, label: str | None = None
    ) -> Content:
        """Return what is shown: a row per level and system; caption and label are for LaTeX."""
        look = Look(digits, caption=caption, label=label)

        def views(form: Form) -> tuple[list[Block], list[str]]:
            records = self.records()
            kept = ("level", "system", "n_instances", *VALUES[:4], *SHARES[1:])
            rows = [
                [plain(record[name], look.decimals) for name in kept]
                for record in records.to_dicts()
            ]
            heads = [name.removeprefix("n_").replace("_", " ") for name in kept]
            return [Block(heads, rows, align="rl" + "r" * len(kept[2:]), fold=True)], []

        return self.viewed(look, self.records, views)


def by_level(
    hierarchy: Hierarchy,
    truth: LabelSets,
    systems: Mapping[str, LabelSets],
    *,
    root: Any = "exclude",
    weight: Floats | None = None,
) -> LevelTable:
    """Return the table by level of some systems; :meth:`Scores.by_level` is the usual way to it.

    Parameters
    ----------
    hierarchy
        The classes. The level of a class is the number of edges of the longest way down to it.
    truth, systems
        Labels of the same instances in the same order.
    root
        ``"exclude"``, ``"include"``, or the name of the class that does not count.
    weight
        One weight per instance.

    Examples
    --------
    >>> from hierpair import score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> found = score(tree, ["c", "d", "b"], {"s": ["c", "a", "d"]}, ["hf"]).by_level()
    >>> found.levels.tolist(), found.n_instances.tolist()
    ([1, 2], [3, 2])
    >>> {name: value[:, 0].round(2).tolist() for name, value in found.values.items()}["stopped"]
    [0.0, 0.33]
    """
    excluded = excluded_classes(hierarchy, root)
    n_levels = int(hierarchy.levels.max(initial=0)) + 1
    level = hierarchy.levels.astype(np.int64)
    level[excluded] = n_levels
    sizes = np.bincount(level, minlength=n_levels + 1)[:n_levels]
    values = {name: np.empty((n_levels, len(systems))) for name in VALUES}
    n_true = np.zeros(n_levels, dtype=np.int64)
    for k, labels in enumerate(systems.values()):
        sums, n_true = _sums(Batch(hierarchy, truth, labels), level, n_levels, weight)
        true, predicted, both, judged, judged_right, *each = sums
        found = {
            "accuracy": ratio(judged_right, judged, np.nan),
            "precision": ratio(both, predicted, np.nan),
            "recall": ratio(both, true, np.nan),
            "f1": ratio(2 * both, true + predicted, np.nan),
        }
        every = np.sum(each, axis=0)
        found |= {name: ratio(x, every, np.nan) for name, x in zip(SHARES, each, strict=True)}
        for name, column in found.items():
            values[name][:, k] = column
    some = np.flatnonzero(sizes > 0)
    shown = {name: table[some] for name, table in values.items()}
    return LevelTable(tuple(systems), some, sizes[some], n_true[some], shown, root)


def _sums(batch: Batch, level: Ints, n_levels: int, weight: Floats | None) -> tuple[Floats, Ints]:
    """Return sums over instances by level, a row each, and how many have a true class there.

    These are true, predicted and shared classes; instances with a true class, and those of them
    that are right; instances that are right, stopped, too deep and off the path.
    """
    sums, n_true = np.zeros((9, n_levels)), np.zeros(n_levels, dtype=np.int64)
    for part in batch.cells("ancestors"):
        n = len(part.row_ptr) - 1
        cell = row_numbers(part.row_ptr) * (n_levels + 1) + level[part.column]
        true, predicted, both = (
            np.bincount(cell[has], minlength=n * (n_levels + 1)).reshape(n, -1)[:, :n_levels]
            for has in (part.in_true, part.in_pred, part.in_true & part.in_pred)
        )
        of_truth, said = true > 0, predicted > 0
        right = (true == both) & (predicted == both)
        told = (
            true, predicted, both, of_truth, of_truth & right,
            (of_truth | said) & right, of_truth & ~said, ~of_truth & said,
            of_truth & said & ~right,
        )  # fmt: skip
        w = np.ones(n) if weight is None else weight[part.first : part.first + n]
        sums += np.stack([w @ table for table in told])
        n_true += of_truth.sum(axis=0)
    return sums, n_true


def no_labels() -> BadInput:
    """Return why scores have no table by level."""
    return BadInput(
        "these scores were added up from parts or come without labels, and a table by level is "
        "counted from labels; score files that are read whole"
    )
