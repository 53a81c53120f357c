"""Where two systems differ: instances, classes and subtrees."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.errors import BadInput, listed
from hierpair.evaluation.scores import Scores
from hierpair.hierarchy import Hierarchy, ancestor_closure, takes_hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Ints, row_numbers
from hierpair.labels import LabelSets
from hierpair.measures import Measure
from hierpair.tables.forms import Tabular
from hierpair.tables.records import Block, Content, Page, Records
from hierpair.tables.text import number

__all__ = ["Difference", "Differences", "differ", "scored_truth"]

ROWS_AT_A_TIME = 20_000


@dataclass(frozen=True)
class Difference:
    """An instance, class or subtree on which two systems differ.

    Attributes
    ----------
    name
        Id or position of the instance, or name of the class.
    n
        Instances: those with the class, or a class of the subtree, in their truth.
    value, other
        Mean values of the two systems.
    gain
        How much better the first is on each, in the mean; negative where it is worse.
    share
        What these instances add to the gain over all instances.
    """

    name: Hashable
    n: int
    value: float
    other: float
    gain: float
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Tabular):
    """Where one system is better than another, and where worse.

    Attributes
    ----------
    system, other, measure
        What is compared.
    gain
        Mean over all instances by which the first is better.
    ahead, behind
        Instances with the largest gain, and with the largest loss.
    classes, subtrees
        True classes, and subtrees, by how much they add to the difference.
    left_out
        Names of the other measures that were scored, where none was chosen.
    """

    system: str
    other: str
    measure: Measure
    gain: float
    ahead: tuple[Difference, ...]
    behind: tuple[Difference, ...]
    classes: tuple[Difference, ...]
    subtrees: tuple[Difference, ...]
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Differences({self.system!r}, {self.other!r}, {self.measure.name})"

    def instances(self, k: int = 1) -> list[Hashable]:
        """Return the ids (or positions) of the ``k`` largest gains and losses, to be explained.

        Examples
        --------
        >>> from hierpair import Hierarchy, explain, score
        >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c")])
        >>> truth, mine, other = ["b", "c"], ["b", "a"], ["a", "c"]
        >>> scores = score(tree, truth, {"x": mine, "y": other}, ["hf"])
        >>> found = differ(scores, "x", "y", tree, truth)
        >>> found.instances()
        [0, 1]
        >>> len(explain(tree, truth, mine, [found.measure], instances=found.instances()))
        2
        """
        return [row.name for row in (*self.ahead[:k], *self.behind[:k])]

    @property
    def parts(self) -> dict[str, tuple[Difference, ...]]:
        """All kinds of rows by what they are."""
        instances = {"instance ahead": self.ahead, "instance behind": self.behind}
        return instances | {"class": self.classes, "subtree": self.subtrees}

    @property
    def records(self) -> Records:
        """One record per row."""
        return Records(
            ["kind", "name", "n", self.system, self.other, "gain", "share", "signature"],
            [
                [kind, d.name, d.n, d.value, d.other, d.gain, d.share, self.measure.of_instance]
                for kind, rows in self.parts.items()
                for d in rows
            ],
        )

    @property
    def first_only(self) -> list[str]:
        """That this is one of several measures and nobody chose it."""
        n = len(self.left_out)
        note = (
            f"only the first of {n + 1} measures, {self.measure.name}; -m (in Python measure=…) "
            f"chooses another: {listed(self.left_out, 3)}"
        )
        return [note] if n else []

    @property
    def notes(self) -> list[str]:
        """What has to be known beside the tables."""
        return [
            *self.first_only,
            f"{self.measure.name}: {self.system} against {self.other}; gain is positive where "
            f"{self.system} is better, {self.gain:+.4g} in the mean over all instances",
            "share: what these instances add to that mean; an instance with several classes counts "
            "under each",
        ]

    def content(self, digits: int | None = None, **how: Any) -> Content:
        """Return what is shown: a table of each kind (with 4 decimals), and a record per row."""
        decimals = 4 if digits is None else digits

        def data() -> dict[str, Any]:
            return {
                "system": self.system,
                "other": self.other,
                "gain": self.gain,
                "measure": self.measure.name,
                "signature": self.measure.of_instance,
                **({"notes": self.first_only} if self.left_out else {}),
                "rows": self.records.to_dicts(),
            }

        return Content(lambda: self.records, lambda form: self._page(decimals, **how), data)

    def _page(self, digits: int, caption: str | None = None, label: str | None = None) -> Page:
        titles = {
            "instance ahead": f"Instances on which {self.system} is better",
            "instance behind": f"Instances on which {self.other} is better",
            "class": "True classes that add most to the difference",
            "subtree": "Subtrees that add most to the difference",
        }
        header = ["name", "n", self.system, self.other, "gain", "share"]
        blocks = []
        for kind, found in self.parts.items():
            rows = []
            for d in found:
                values = [number(d.value, digits), number(d.other, digits)]
                signed = [f"{d.gain:+.{digits}f}", f"{d.share:+.{digits}f}"]
                rows.append([str(d.name), str(d.n), *values, *signed])
            blocks += [Block(header, rows, titles[kind])] if rows else []
        return Page(blocks, self.notes, [self.measure.of_instance], caption, label)


@takes_hierarchy
def differ(
    scores: Scores,
    system: str,
    other: str,
    hierarchy: Hierarchy,
    y_true: Any,
    *,
    measure: str | Measure | None = None,
    k: int = 10,
) -> Differences:
    """Return the instances, classes and subtrees on which two systems differ most.

    Parameters
    ----------
    scores
        Scores of both.
    system, other
        Names of the systems.
    hierarchy, y_true
        What was scored.
    measure
        One of the scored measures; by default the first, and of several a note says so.
    k
        Rows of each kind.

    Raises
    ------
    BadInput
        For an unknown system or measure, a system against itself, or a truth with other instances.

    Examples
    --------
    >>> from hierpair import Hierarchy, score
    >>> tree = Hierarchy.from_edges([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
    >>> truth = ["b", "c", "d"]
    >>> scores = score(tree, truth, {"x": ["b", "c", "a"], "y": ["b", "b", "d"]}, ["hf"])
    >>> found = differ(scores, "x", "y", tree, truth)
    >>> [(row.name, row.gain) for row in found.classes]
    [('d', -1.0), ('c', 0.5)]
    """
    column = scores.measure_number(measure)
    m = scores.measures[column]
    for name in (system, other):
        scores.system_number(name)
    if system == other:
        raise BadInput(f"two different systems are needed, and both are {system!r}")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput(f"k must be a whole number of at least 1, got {k!r}")
    truth = scored_truth(scores, hierarchy, y_true)
    sides = np.stack([scores.per_instance[name][:, column] for name in (system, other)])
    sides = np.where(np.isnan(sides).any(axis=0), np.nan, sides)
    sign = 1 if m.higher_is_better else -1
    gain = np.nan_to_num(sign * (sides[0] - sides[1]))
    n = max(1, int((~np.isnan(sides[0])).sum()))
    names = scores.ids or tuple(range(scores.n_instances))

    def of_instances(order: Ints) -> tuple[Difference, ...]:
        chosen = order[:k].tolist()
        values = np.stack([*sides, gain], axis=1)[chosen].tolist()
        rows = zip(chosen, values, strict=True)
        return tuple(Difference(names[i], 1, x, y, each, each / n) for i, (x, y, each) in rows)

    order = np.argsort(-gain, kind="stable")
    ahead, behind = order[gain[order] > 0], order[::-1][gain[order[::-1]] < 0]
    known = ~np.isnan(sides[0])
    classes, subtrees = (
        _of_classes(hierarchy, truth, sides, gain, known, k, n, closed=closed)
        for closed in (False, True)
    )
    others = tuple(x.name for x in scores.measures if x is not m) if measure is None else ()
    rows = (of_instances(ahead), of_instances(behind), classes, subtrees)
    return Differences(system, other, m, float(gain.sum()) / n, *rows, others)


def _of_classes(
    hierarchy: Hierarchy,
    truth: LabelSets,
    sides: Floats,
    gain: Floats,
    known: Bools,
    k: int,
    n: int,
    *,
    closed: bool,
) -> tuple[Difference, ...]:
    """Return what classes, or with ``closed`` subtrees, add to the difference, largest first."""
    width = len(hierarchy)
    count, total = np.zeros(width, dtype=np.int64), np.zeros((3, width))
    for lo in range(0, len(truth), ROWS_AT_A_TIME):
        part = truth.part(lo, min(lo + ROWS_AT_A_TIME, len(truth)))
        row, label = row_numbers(part.indptr), part.indices.astype(np.int64)
        if closed:
            closure = ancestor_closure(hierarchy, part.indices)
            owner, above = closure.expanded(part.indices)
            row, label = np.divmod(np.unique(row[owner] * width + above), width)
        kept = known[lo + row]
        row, label = row[kept], label[kept]
        count += np.bincount(label, minlength=width)
        for at, values in enumerate((*sides, gain)):
            total[at] += np.bincount(label, values[lo + row], minlength=width)
    inner = np.diff(hierarchy.child_ptr) > 0 if closed else np.ones(width, dtype=bool)
    if closed and len(hierarchy.root_indices) == 1:  # its subtree is everything
        inner[hierarchy.root_indices] = False
    order = np.argsort(-np.abs(total[2]), kind="stable")
    chosen = order[(count[order] > 0) & inner[order] & (total[2][order] != 0)][:k]
    found = []
    for c in chosen.tolist():
        value, other, each = (total[:, c] / count[c]).tolist()
        share = float(total[2, c]) / n
        found.append(Difference(hierarchy.names[c], int(count[c]), value, other, each, share))
    return tuple(found)


def scored_truth(scores: Scores, hierarchy: Hierarchy, y_true: Any) -> LabelSets:
    """Return the truth that was scored, and refuse one of other instances."""
    truth = LabelSets.from_labels(y_true, hierarchy, source="y_true")
    if len(truth) != scores.n_instances or truth.ids != scores.ids:
        raise BadInput("this truth has other instances than the one that was scored")
    return truth
