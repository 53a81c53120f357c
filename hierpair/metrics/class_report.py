"""scikit-learn's classification report, with levels, and with labels that bring their ancestors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hierpair.errors import BadInput, check_choice, counted, shortened, shown
from hierpair.evaluation.by_class import sums_by_class
from hierpair.evaluation.progress import OnProgress
from hierpair.evaluation.sums import ClassSums, as_fraction
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Floats, Ints
from hierpair.labels import Unknown
from hierpair.measures import Measure, measure
from hierpair.metrics.functions import chosen_classes
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ClassificationReport", "classification_report"]

FLAT, AUGMENTED = ("precision", "recall", "f"), ("hp", "hr", "hf")
"""The measures of a report: of labels as they are, and with their ancestors."""

AVERAGES = ("micro", "macro", "weighted", "samples")
"""Averages in the order of scikit-learn's report."""

COLUMNS = ("precision", "recall", "f1-score", "support", "hp", "hr", "hf", "h-support")
"""Flat figures in the words of scikit-learn, then augmented ones by the names of their measures."""

SIDES = "precision to support: labels as they are; hp to h-support: with all their ancestors"

BY = {"class": "Classes", "level": "Levels", "average": "Averages"}
"""What a table has a row for, and its title."""

SUPPORT = slice(3, None, 4)
"""Where the supports are among them."""

LONGEST_NAME = 60
"""Letters of a class in tables for readers."""


class Figures(NamedTuple):
    """Precision, recall and F1, nan where there is nothing to judge, and true labels; a row each.

    The support is a number of instances, or the sum of their weights.
    """

    precision: Floats
    recall: Floats
    f1: Floats
    support: Floats


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
        return (
            f"ClassificationReport({counted(len(self.classes), 'class')}, "
            f"{counted(len(self.levels), 'level')}, {counted(self.n_instances, 'instance')})"
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
        heads, (first, *rest) = self._columns(by)
        names = np.empty(len(first), dtype=object)
        names[:] = first  # a name may be a tuple
        index = pd.Index(first if by == "level" else names, name=heads[0], tupleize_cols=False)
        return pd.DataFrame(dict(zip([*heads[1:], *COLUMNS], rest, strict=True)), index=index)

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


@takes_hierarchy
def classification_report(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    labels: Iterable[Hashable] | None = None,
    digits: int = 2,
    root: Any = "exclude",
    sample_weight: Any = None,
    zero_division: float = 0,
    unknown: Unknown = "error",
    on_progress: OnProgress = None,
) -> ClassificationReport:
    """Return precision, recall, F1 and support by class, by level and in averages.

    Every figure is there twice: of labels as they are (``precision``, ``recall``, ``f1-score``,
    ``support``, the numbers of ``sklearn.metrics.classification_report``), and of labels with all
    their ancestors (``hp``, ``hr``, ``hf``, ``h-support``). With n_true, n_pred and n_both the
    numbers of instances that have a class in truth, prediction and both,

        precision = n_both / n_pred,  recall = n_both / n_true,  F1 = 2 n_both / (n_true + n_pred).

    A level has the sums of the three over its classes, so its figures are the micro average of
    the level. The averages are those of :func:`hierpair.score` for ``precision``, ``recall``,
    ``f``, ``hp``, ``hr`` and ``hf``.

    Parameters
    ----------
    y_true, y_pred
        Labels of every instance: one label or a collection of them, or ``{id: labels}``.
    hierarchy
        The classes. The level of a class is the longest way from a root, 0 for a root.
    labels
        The classes that tables show, in this order; by default those with most labels. Levels and
        averages are over all classes whatever is shown, unlike scikit-learn's.
    digits
        Decimals that tables show.
    root
        ``"exclude"``: a single root does not count among the ancestors; ``"include"``; or the name
        of the class that does not count.
    sample_weight
        One weight ≥ 0 per instance.
    zero_division
        Value of 0/0: 0, 1, or nan, which is excluded from means.
    unknown
        Labels outside the hierarchy: ``"error"``, ``"drop"`` or ``"root"``.
    on_progress
        As for :func:`hierpair.score`.

    Returns
    -------
    ClassificationReport
        It prints as text, shows itself in notebooks, and has ``to_dataframe``, ``to_markdown``,
        ``to_latex``, ``to_csv``, ``to_json`` and ``to_table("html")``.

    Raises
    ------
    BadInput
        For labels, options or weights that do not fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "pet"), ("r", "oak"), ("pet", "cat"), ("pet", "dog")])
    >>> report = classification_report(["cat", "dog", "oak"], ["cat", "cat", "oak"], tree)
    >>> print(report.to_text().split("Levels")[0].rstrip())
    Classes
    <BLANKLINE>
    class  level  precision  recall  f1-score  support    hp    hr    hf  h-support
    oak        1       1.00    1.00      1.00        1  1.00  1.00  1.00          1
    cat        2       0.50    1.00      0.67        1  0.50  1.00  0.67          1
    dog        2       0.00    0.00      0.00        1  0.00  0.00  0.00          1
    pet        1                                     0  1.00  1.00  1.00          2
    >>> report.to_dataframe(by="level")["hf"].round(3).to_dict()
    {1: 1.0, 2: 0.5}
    """
    if not isinstance(digits, int) or isinstance(digits, bool) or digits < 0:
        raise BadInput(f"digits must be a whole number from 0, got {shown(digits)}")
    chosen = chosen_classes(labels, hierarchy)
    plain = {
        name: measure(name, root=root, zero_division=zero_division) for name in (*FLAT, *AUGMENTED)
    }
    asked = {
        (name, average): m.with_options(average=average)
        for name, m in plain.items()
        for average in AVERAGES
    }
    total = sums_by_class(
        hierarchy, y_true, y_pred, list(asked.values()), sample_weight=sample_weight,
        unknown=unknown, on_progress=on_progress,
    )  # fmt: skip
    number, (system,) = {key: k for k, key in enumerate(asked)}, total.sums
    sums = [system.by_class(total.plan, number[names[0], "macro"]) for names in (FLAT, AUGMENTED)]
    pooled = system.pooled(total.plan)
    classes, by_class = _side_by_side(sums, plain)
    levels, by_level = _side_by_side(
        [one.grouped(hierarchy.levels[one.classes]) for one in sums], plain
    )

    def averaged(names: Sequence[str]) -> Figures:
        ratios = (np.array([pooled[number[name, a]] for a in AVERAGES]) for name in names)
        precision, recall, f1 = ratios
        at = total.plan.place[number[names[1], "micro"]]
        support = float(as_fraction(system[f"sum {at} n_true"]))
        return Figures(precision, recall, f1, np.full(len(AVERAGES), support))

    sides = {"y_true": total.truth, "y_pred": system}
    dropped = [
        f"{side}: labels outside the hierarchy, dropped or replaced on request: {one['unknown']}"
        for side, one in sides.items()
        if one["unknown"]
    ]
    return ClassificationReport(
        classes=tuple(hierarchy.names[c] for c in classes.tolist()),
        class_levels=hierarchy.levels[classes].astype(np.int64),
        levels=levels,
        by_class=by_class,
        by_level=by_level,
        averages=(averaged(FLAT), averaged(AUGMENTED)),
        n_instances=total.n_instances,
        labels=None if chosen is None else tuple(hierarchy.names[c] for c in chosen.tolist()),
        digits=digits,
        signatures=tuple(m.of_instance for m in plain.values()),
        remarks=(*dropped, *(f"the hierarchy has {doubt}" for doubt in hierarchy.doubts)),
        titles=hierarchy.titles,
    )


def _side_by_side(
    sums: Sequence[ClassSums], measures: Mapping[str, Measure]
) -> tuple[Ints, tuple[Figures, Figures]]:
    """Return the classes (or levels) that either side has, and the figures of both sides."""
    numbers = np.union1d(sums[0].classes, sums[1].classes)
    table = np.full((2, 4, len(numbers)), np.nan)
    table[:, 3] = 0
    seen = np.zeros(len(numbers), dtype=bool)
    for rows, one, names in zip(table, sums, (FLAT, AUGMENTED), strict=True):
        columns = {name: one.floats(name) for name in one.limbs}
        occurs = (columns["n_true"] > 0) | (columns["n_pred"] > 0)  # not only with weight 0
        at = np.searchsorted(numbers, one.classes)
        for row, name in zip(rows, names, strict=False):
            row[at] = np.where(occurs, measures[name].values(columns), np.nan)
        rows[3, at] = columns["n_true"]
        seen[at] |= occurs
    flat, augmented = (Figures(*rows[:, seen]) for rows in table)
    return numbers[seen], (flat, augmented)
