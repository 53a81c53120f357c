"""Tables by class and level: confusion, contributions, and the report."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from hierpair.comparison.analysis import Analysis, check_whole
from hierpair.confusion import FIELDS, confusion, fields_of
from hierpair.errors import check_choice, counted, shortened
from hierpair.evaluation.checked import truth_of
from hierpair.evaluation.looks import TableLook
from hierpair.evaluation.progress import OnProgress
from hierpair.evaluation.scoring import sums_by_class
from hierpair.evaluation.sums import ClassSums, numbered_sums
from hierpair.hierarchy import Hierarchy, counted_classes, takes_hierarchy
from hierpair.labels import LabelSets, Unknown, match_instances
from hierpair.measures import OPTIONS, Measure, measure
from hierpair.measures.recipes.sets import unit_of
from hierpair.metrics.functions import by_position, chosen_classes
from hierpair.tables.records import Block, Form, Records
from hierpair.tables.result import rounded

if TYPE_CHECKING:
    import pandas as pd


class ConfusionMatrix(NamedTuple):
    """TP, TN, FP and FN: whole numbers, or arrays over instances or classes."""

    tp: Any
    tn: Any
    fp: Any
    fn: Any


def hierarchical_confusion_matrix(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    per: Literal["all", "instance", "class"] = "all",
    pairing: str = "exact",
    empty: str = "root",
    nested: str = "drop",
    blank: str = "ignore",
    unknown: Unknown = "error",
) -> ConfusionMatrix:
    """Return TP, TN, FP and FN along root paths (Riehl et al. 2023, §IV).

    Predicted root paths are paired with true classes; TP are the shared classes of a pair, FP and
    FN the rests of both paths, TN the siblings of what is shared and the children of its end that
    neither path takes. The root does not count.

    Parameters
    ----------
    y_true
        One label or one collection of labels per instance, or ``{id: labels}``.
    y_pred
        The same, if no predicted class has several root paths; otherwise paths, made by
        :meth:`LabelSets.from_levels`.
    hierarchy
        The classes, with a single root.
    per
        ``"all"``: sums over all instances, the published matrix; ``"instance"``: arrays of shape
        ``(n_instances,)``; ``"class"``: arrays of shape ``(n_classes,)``, how often each class
        of ``hierarchy.names`` was in the field.
    pairing
        ``"exact"``: most TP, then fewest FN, then most TN; ``"published"``: the static greedy of
        the paper, with the tie order of its tables.
    empty
        A prediction without labels is the path of the root alone (``"root"``, as published) or
        no path (``"none"``).
    nested
        Labels above others of their set are left out (``"drop"``) or stay (``"keep"``); given
        paths always stay.
    blank
        Blank labels of a file that ``unknown="drop"`` left out do not count (``"ignore"``), or
        each is a path to no class (``"count"``, as in Table IV).
    unknown
        Labels outside the hierarchy: ``"error"``, ``"drop"`` or ``"root"``.

    Raises
    ------
    BadInput
        For several roots, a class with several root paths, a broken path, or labels that do not
        fit.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> hierarchical_confusion_matrix(["c"], ["d"], tree)
    ConfusionMatrix(tp=1, tn=1, fp=1, fn=1)
    >>> hierarchical_confusion_matrix(["c"], ["d"], tree, per="class").fn[tree.index(["c"])]
    array([1])
    """
    check_choice("per", per, ("all", "instance", "class"))
    chosen = {"pairing": pairing, "empty": empty, "nested": nested, "blank": blank}
    for option, given in chosen.items():
        OPTIONS[option].refuse_wrong(given, "hierarchical_confusion_matrix")
    truth = truth_of(y_true, hierarchy, unknown)
    prediction = LabelSets.from_labels(y_pred, hierarchy, unknown=unknown, source="y_pred")
    found = confusion(hierarchy, truth, match_instances(truth, prediction), **chosen)
    if per == "class":
        fields, n = fields_of(found), len(hierarchy)
        counts = np.zeros((len(FIELDS), n + 1), dtype=np.int64)  # the last one: blank labels
        np.add.at(counts, (fields.field, fields.classes), 1)
        return ConfusionMatrix(**dict(zip(map(str.lower, FIELDS), counts[:, :n], strict=True)))
    each = found.tp, found.tn, found.fp, found.fn
    return ConfusionMatrix(*(each if per == "instance" else (int(x.sum()) for x in each)))


class ClassContributions(NamedTuple):
    """What instances say of one class, and its values (Costa et al. 2007, eqs 7-14).

    ``fp_con`` and ``fn_con`` are the contributions of its false positives and false negatives:
    sums over the classes of the other side, each sum cut at -1 and 1 per instance.
    """

    tp: float
    fp: float
    fn: float
    tn: float
    fp_con: float
    fn_con: float
    precision: float
    recall: float
    accuracy: float
    error: float


@takes_hierarchy
def contributions_by_class(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy,
    *,
    theta: float | Literal["mean"] = 2,
    cost: Any = "hops",
    root: Any = "exclude",
    classes: Literal["seen", "all"] | Iterable[Any] = "seen",
    zero_division: float = 0,
    sample_weight: Any = None,
    unknown: Unknown = "error",
    ignore: Any = None,
    ignore_ancestors: bool = True,
) -> dict[Hashable, ClassContributions]:
    """Return counts, contributions and values of every class (Sun & Lim 2001).

    Parameters
    ----------
    y_true, y_pred, hierarchy, theta, cost, root, zero_division
        As for :func:`contribution_precision_score`.
    classes
        ``"seen"``: those that are true or predicted of some instance; ``"all"`` that count; or a
        list of the only classes that count.
    sample_weight, unknown
        See the module.
    ignore, ignore_ancestors
        What does not count of every instance, as for :func:`hierpair.score`.

    Examples
    --------
    >>> tree = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d")])
    >>> found = contributions_by_class(["c", "c"], ["c", "a"], tree, theta=2)
    >>> found["c"].fn_con, found["c"].precision, found["c"].recall
    (0.5, 1.0, 0.75)
    """
    word, some = (classes, None) if isinstance(classes, str) else ("seen", classes)
    check_choice("classes", word, ("seen", "all"))
    how = {"theta": theta, "cost": cost, "root": root, "zero_division": zero_division}
    chosen = [
        measure(f"contribution_{name}", average="macro", **how)
        for name in ("precision", "recall", "accuracy", "error")
    ]
    hierarchy, total = sums_by_class(
        hierarchy, y_true, y_pred, chosen, sample_weight=sample_weight, unknown=unknown,
        ignore=ignore, ignore_ancestors=ignore_ancestors, classes=some,
    )  # fmt: skip
    totals = total.sums[0].class_totals(total.plan, 0)
    c = {name: np.zeros(len(hierarchy)) for name in totals.columns}
    c["n_neither"] += totals.every["n_neither"]
    for name, column in totals.columns.items():
        c[name][totals.numbers] = column[0]
    some = (c["n_true"] > 0) | (c["n_pred"] > 0)
    if word == "all":
        some = (some | (c["n_neither"] > 0)) & counted_classes(hierarchy, root)
    unit, both = unit_of(theta), c["n_both"]
    sums = [both, c["n_pred"] - both, c["n_true"] - both, c["n_neither"]]
    sums += [c["contribution_pred"] / unit, c["contribution_true"] / unit]
    rows = np.stack([*sums, *(m.values(c) for m in chosen)], axis=1)[some].tolist()
    names = compress(hierarchy.names, some)
    return {name: ClassContributions(*row) for name, row in zip(names, rows, strict=True)}


# ------------------------------------------------------------------ scikit-learn's report

SIDES = ("precision", "recall", "f"), ("hp", "hr", "hf")
"""The measures of a report: of labels as they are, and with their ancestors."""

AVERAGES = ("micro", "macro", "weighted", "samples")
"""Averages in the order of scikit-learn's report."""

COLUMNS = ("precision", "recall", "f1-score", "support", "hp", "hr", "hf", "h-support")
"""Flat figures in the words of scikit-learn, then augmented ones by the names of their measures."""

TOLD = "precision to support: labels as they are; hp to h-support: with all their ancestors"

BY = {"class": "Classes", "level": "Levels", "average": "Averages"}
"""What a table has a row for, and its title."""

LONGEST_NAME = 60
"""Letters of a class in tables for readers."""


@dataclass(frozen=True, eq=False, repr=False)
class ClassificationReport(Analysis):
    """Precision, recall, F1 and support of every class and level, and their averages.

    Each is told twice: of labels as they are, in the words of scikit-learn (``precision``,
    ``recall``, ``f1-score``, ``support``), and of labels with all their ancestors (``hp``, ``hr``,
    ``hf``, ``h-support``).

    Attributes
    ----------
    tables
        ``"class"``: a record per class that occurs in truth or prediction, ancestors too, parents
        before children, with its level, the longest way from a root; ``"level"``: per level, with
        the sums over its classes, as in a micro average; ``"average"``: per average. A class that
        has labels on neither side has no value (nan). The support is a number of instances, or
        the sum of their weights.
    n_instances
        Number of instances.
    labels
        The classes that are shown, if they were chosen.
    decimals
        Decimals that are shown.
    signatures
        One line per measure that pins its conventions.
    remarks
        What has to be known beside the numbers.
    titles
        What people call classes: name → title.
    """

    tables: Mapping[str, Records]
    n_instances: int
    labels: tuple[Hashable, ...] | None = None
    decimals: int = 2
    signatures: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    titles: Mapping[Hashable, str] = field(default_factory=dict)

    def records(self, by: str = "class") -> Records:
        """Return a record per class, per level (``"level"``) or per average (``"average"``)."""
        check_choice("by", by, BY)
        return self.tables[by]

    def to_dataframe(  # type: ignore[override]  # it has one option
        self, by: str = "class"
    ) -> pd.DataFrame:
        """Return a pandas DataFrame with a row per class, per level or per average.

        Its index is the class, the level or the average; classes are all that occur.
        """
        return self.records(by).to_dataframe().set_index(by)

    told = ("n_instances", "notes=remarks")

    def all_records(self) -> Mapping[str, Records]:
        """Return the tables."""
        return self.tables

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the numbers."""
        notes = [f"{counted(self.n_instances, 'instance')}; {TOLD}", *self.remarks]
        if self.labels is not None:
            every = counted(len(self.tables["class"].rows), "class")
            notes.append(f"levels and averages are over all {every} that occur, not only these")
        return notes

    def views(
        self, form: Form, look: TableLook, *, by: str = "class", most: int = 20
    ) -> list[Block | str]:
        """Return a table of classes, of levels, and of averages.

        Parameters
        ----------
        form, look
            How tables are shown.
        by
            What CSV and JSON lines have a record for: ``"class"``, ``"level"`` or ``"average"``.
        most
            Classes in tables for readers, those with most labels first, unless they were chosen.
        """
        check_whole(0, most=most)
        found = list[Block | str]()
        for kind, title in BY.items():
            table = self.tables[kind]
            rows = table.rows if kind != "class" else self._shown(most)
            cells = [
                [*map(self._shown_name, names), p, r, f, _whole(n), hp, hr, hf, _whole(m)]
                for *names, p, r, f, n, hp, hr, hf, m in rows
            ]
            found.append(rounded(table.header, cells, look.decimals, title, fold=True))
        n = len(self.tables["class"].rows)
        if self.labels is None and n > most:
            found.append(
                f"{most:,} of {n:,} classes are shown, those with most labels; {n - most:,} are "
                "left out (to_dataframe() has all)"
            )
        return found

    def _shown(self, most: int) -> list[Sequence[Any]]:
        """Return the rows of classes that are shown: with most true labels, or most below them."""
        rows = self.tables["class"].rows
        if self.labels is None:
            return sorted(rows, key=lambda row: (-row[5], -row[9]))[:most]
        known, nothing = {row[0]: row for row in rows}, [np.nan, np.nan, np.nan, 0.0]
        return [known.get(name, [name, "", *nothing, *nothing]) for name in self.labels]

    def _shown_name(self, x: Any) -> str:
        return shortened(f"{self.titles[x]} ({x})" if x in self.titles else str(x), LONGEST_NAME)


def _whole(n: float) -> float:
    """Return a support, which is a number of instances unless these have weights."""
    return n if n % 1 else int(n)


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
    ignore: Any = None,
    ignore_ancestors: bool = True,
    classes: Any = None,
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
    ignore, ignore_ancestors, classes
        What does not count, as for :func:`hierpair.score`; where labels are numbers ``classes``
        names the class of each.
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
    pet        1          –       –         –        0  1.00  1.00  1.00          2
    >>> report.to_dataframe(by="level")["hf"].round(3).to_dict()
    {1: 1.0, 2: 0.5}
    """
    check_whole(0, digits=digits)
    chosen = chosen_classes(labels, hierarchy)
    if classes is not None:
        y_true, y_pred, classes = by_position(hierarchy, y_true, y_pred, classes, "set")
    sides = [
        [measure(name, root=root, zero_division=zero_division) for name in names]
        for names in SIDES
    ]  # fmt: skip
    asked = [
        m.with_options(average=average) for average in AVERAGES for side in sides for m in side
    ]
    hierarchy, total = sums_by_class(
        hierarchy, y_true, y_pred, asked, sample_weight=sample_weight, unknown=unknown,
        ignore=ignore, ignore_ancestors=ignore_ancestors, classes=classes, on_progress=on_progress,
    )  # fmt: skip
    (system,) = total.sums
    places = [asked.index(side[0].with_options(average="macro")) for side in sides]
    sums = [system.by_class(total.plan, k) for k in places]
    levels = [numbered_sums((hierarchy.levels[one.classes], one.limbs)) for one in sums]
    by_class = [
        [hierarchy.names[c], int(hierarchy.levels[c]), *row]
        for c, *row in _figures(sums, sides, len(hierarchy))
    ]
    by_level = [*_figures(levels, sides, hierarchy.n_levels)]
    pooled = iter([system.pooled(total.plan, k) for k in range(len(asked))])
    support = [float(system[f"sum {total.plan.place[k]} n_true"]) for k in places]
    averages = [
        [f"{average} avg", *(x for n in support for x in (*islice(pooled, len(SIDES[0])), n))]
        for average in AVERAGES
    ]
    unknown_labels = {"y_true": total.truth["unknown"], "y_pred": system["unknown"]}
    remarks = [
        f"{side}: labels outside the hierarchy, dropped or replaced on request: {n}"
        for side, n in unknown_labels.items()
        if n
    ]
    remarks += [f"the hierarchy has {doubt}" for doubt in hierarchy.doubts]
    return ClassificationReport(
        {"class": Records(["class", "level", *COLUMNS], by_class),
         "level": Records(["level", *COLUMNS], by_level),
         "average": Records(["average", *COLUMNS], averages)},
        total.n_instances,
        None if chosen is None else tuple(hierarchy.names[c] for c in chosen.tolist()), digits,
        tuple(m.of_instance for side in sides for m in side), tuple(remarks), hierarchy.titles,
    )  # fmt: skip


def _figures(
    sums: Sequence[ClassSums], sides: Sequence[Sequence[Measure]], n: int
) -> Iterator[list[Any]]:
    """Yield a row of each class (or level), of ``n``, that either side has: the figures of both."""
    table, seen = list[Any](), np.zeros(n, dtype=bool)
    for one, measures in zip(sums, sides, strict=True):
        columns = {x: np.bincount(one.classes, one.floats(x), minlength=n) for x in one.limbs}
        occurs = (columns["n_true"] > 0) | (columns["n_pred"] > 0)  # not only with weight 0
        table += [np.where(occurs, m.values(columns), np.nan) for m in measures]
        table.append(columns["n_true"])
        seen |= occurs
    rows = np.stack(table, axis=1)[seen].tolist()
    yield from ([c, *row] for c, row in zip(np.flatnonzero(seen).tolist(), rows, strict=True))
