"""The classification report: figures by class, by level and in averages, in every form."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, shortened, shown
from hierpair.hierarchy.arrays import Ints
from hierpair.metrics.figures_by_class import AVERAGES, Figures
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ClassificationReport"]

COLUMNS = ("precision", "recall", "f1-score", "support", "hp", "hr", "hf", "h-support")
"""Flat figures in the words of scikit-learn, then augmented ones by the names of their measures."""

SIDES = "precision to support: labels as they are; hp to h-support: with all their ancestors"

BY = {"class": "Classes", "level": "Levels", "average": "Averages"}
"""What a table has a row for, and its title."""

SUPPORT = slice(3, None, 4)
"""Where the supports are among them."""

LONGEST_NAME = 60
"""Letters of a class in tables for readers."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassificationReport(Tabular):
    """Precision, recall, F1 and support of every class and level, and their averages.

    Each is told twice: of labels as they are, in the words of scikit-learn (``precision``,
    ``recall``, ``f1-score``, ``support``), and of labels with all their ancestors (``hp``, ``hr``,
    ``hf``, ``h-support``).

    Attributes
    ----------
    classes
        The classes that occur in truth or prediction, ancestors too, parents before children.
    class_levels
        The level of each: the longest way from a root, as for ``level_accuracy``.
    levels
        The levels that occur.
    by_class, by_level, averages
        Pairs of flat and augmented figures, each with the arrays ``precision``, ``recall``,
        ``f1`` and ``support``: a row per class, per level, and for the micro, macro, weighted and
        samples average. A level has the sums over its classes, as in a micro average. A class that
        has labels on neither side has no value (nan).
    n_instances
        Number of instances.
    labels
        The classes that are shown, if they were chosen.
    digits
        Decimals that are shown.
    signatures
        One line per measure that pins its conventions.
    remarks
        What has to be known beside the numbers.
    titles
        What people call classes: name → title.
    """

    classes: tuple[Hashable, ...]
    class_levels: Ints
    levels: Ints
    by_class: tuple[Figures, Figures]
    by_level: tuple[Figures, Figures]
    averages: tuple[Figures, Figures]
    n_instances: int
    labels: tuple[Hashable, ...] | None = None
    digits: int = 2
    signatures: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    titles: Mapping[Hashable, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        n_classes, n_levels = (
            counted(len(self.classes), "class"),
            counted(len(self.levels), "level"),
        )
        return (
            f"ClassificationReport({n_classes}, {n_levels}, "
            f"{counted(self.n_instances, 'instance')})"
        )

    def records(self, by: str = "class") -> Records:
        """Return a record per class, per level (``"level"``) or per average (``"average"``)."""
        check_choice("by", by, BY)
        heads, columns = self._columns(by)
        return Records([*heads, *COLUMNS], list(zip(*columns, strict=True)))

    def to_dataframe(self, by: str = "class") -> pd.DataFrame:
        """Return a pandas DataFrame with a row per class, per level or per average.

        Its index is the class, the level or the average; classes are all that occur.
        """
        import pandas as pd

        check_choice("by", by, BY)
        heads, columns = self._columns(by)
        names = np.empty(len(columns[0]), dtype=object)
        names[:] = columns[0]  # a name may be a tuple
        index = pd.Index(names if by != "level" else columns[0], name=heads[0], tupleize_cols=False)
        rest = dict(zip([*heads[1:], *COLUMNS], columns[1:], strict=True))
        return pd.DataFrame(rest, index=index)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "n_instances": self.n_instances,
            "notes": list(self.remarks),
            "averages": self.records("average").to_dicts(),
            "levels": self.records("level").to_dicts(),
            "classes": self.records("class").to_dicts(),
            "signatures": list(self.signatures),
        }

    def content(
        self,
        digits: int | None = None,
        *,
        by: str = "class",
        most: int = 20,
        caption: str | None = None,
        label: str | None = None,
    ) -> Content:
        """Return what is shown; the options of :meth:`to_table` are these.

        Parameters
        ----------
        digits
            Decimals of rounded tables.
        by
            What CSV and JSON lines have a record for: ``"class"``, ``"level"`` or ``"average"``.
        most
            Classes in tables for readers, those with most labels first, unless they were chosen.
        caption, label
            Make the first LaTeX tabular a table; the caption is plain text.
        """
        if not isinstance(most, int) or isinstance(most, bool) or most < 0:
            raise BadInput(f"most must be a whole number from 0, got {shown(most)}")
        decimals = self.digits if digits is None else digits
        page = Page(
            self._blocks(decimals, most), self._notes(most), self.signatures, caption, label
        )
        return Content(lambda: self.records(by), lambda form: page, self.to_dict)

    def _columns(self, by: str) -> tuple[list[str], list[Any]]:
        """Return headings and columns of what stands before the figures, and all columns."""
        sides = {"class": self.by_class, "level": self.by_level, "average": self.averages}[by]
        figures = [column.tolist() for side in sides for column in side]
        if by == "class":
            return ["class", "level"], [self.classes, self.class_levels.tolist(), *figures]
        if by == "level":
            return ["level"], [self.levels.tolist(), *figures]
        return ["average"], [[f"{word} avg" for word in AVERAGES], *figures]

    def _blocks(self, digits: int, most: int) -> list[Block]:
        found = []
        for by, title in BY.items():
            heads, columns = self._columns(by)
            rows = list(zip(*columns, strict=True)) if by != "class" else self._shown(columns, most)
            names = [[self._head(by, row[0]), *map(str, row[1 : len(heads)])] for row in rows]
            figures = [row[len(heads) :] for row in rows]
            weighted = any(x % 1 for row in figures for x in row[SUPPORT])
            cells = [
                [*name, *(_cell(x, k, digits, weighted) for k, x in enumerate(row))]
                for name, row in zip(names, figures, strict=True)
            ]
            found.append(Block([*heads, *COLUMNS], cells, title, fold=True))
        return found

    def _shown(self, columns: Sequence[Any], most: int) -> list[tuple[Any, ...]]:
        """Return the rows of the classes that are shown."""
        if self.labels is None:
            return [tuple(column[k] for column in columns) for k in self._frequent(most)]
        place = {name: k for k, name in enumerate(self.classes)}
        nothing = (float("nan"),) * 3
        return [
            tuple(column[place[name]] for column in columns) if name in place
            else (name, "", *nothing, 0.0, *nothing, 0.0)
            for name in self.labels
        ]  # fmt: skip

    def _frequent(self, most: int) -> list[int]:
        """Return the places of the classes with most true labels, then most of them below."""
        flat, augmented = (-side.support for side in self.by_class)
        order: list[int] = np.lexsort((augmented, flat))[:most].tolist()
        return order

    def _head(self, by: str, thing: Any) -> str:
        title = self.titles.get(thing) if by == "class" else None
        return shortened(str(thing) if title is None else f"{title} ({thing})", LONGEST_NAME)

    def _notes(self, most: int) -> list[str]:
        n = len(self.classes)
        notes = [f"{counted(self.n_instances, 'instance')}; {SIDES}", *self.remarks]
        if self.labels is not None:
            all_of = f"all {counted(n, 'class')} that occur"
            notes.append(f"levels and averages are over {all_of}, not only over those chosen")
        elif n > most:
            notes.append(
                f"{most:,} of {n:,} classes are shown, those with most labels; {n - most:,} are "
                "left out (to_dataframe() has all)"
            )
        return notes


def _cell(value: float, column: int, digits: int, weighted: bool) -> str:
    """Return a figure as text: a blank for none, a support with decimals where some have any."""
    if column % 4 == 3:
        return f"{value:.{digits if weighted else 0}f}"
    return "" if np.isnan(value) else number(value, digits)
