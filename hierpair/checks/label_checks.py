"""Faults and doubts in labels, however many rows come at a time, and between truth and systems."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import MOST_SHOWN, FileReport, Level
from hierpair.errors import BadInput, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Bools, Ints, row_numbers
from hierpair.io import parse_labels
from hierpair.labels import Fault, LabelRows, LabelSets

__all__ = ["LabelFindings", "LabelSizes", "compare_instances", "lint_labels"]

RULES = ("path", "truth value", "blank label", "header", "repeated label", "unknown label",
         "duplicate id")  # fmt: skip
"""In the order in which they are told."""


def lint_labels(
    path: str | Path, hierarchy: Hierarchy, about: FileReport, **options: Any
) -> tuple[LabelSets, LabelSizes] | None:
    """Add what is wrong with a label file; return the labels that can be used, and their sizes."""
    troubles: list[str] = []
    try:
        rows = parse_labels(path, trouble=troubles.append, **options)
    except BadInput as error:
        about.add("error", "format", str(error))
        return None
    about.add_all("error", "format", (("", trouble) for trouble in troubles))
    for note in rows.notes:
        about.add("warning", "ids", note)
    found = LabelFindings(hierarchy)
    sets = found.look_through(rows)
    found.tell(about)
    return sets, found.sizes


@dataclass
class LabelSizes:
    """How many instances and labels there are.

    Attributes
    ----------
    classes
        Which classes occur.
    n_instances, n_labels, most, n_empty
        Instances, labels of all of them, the most labels of one, and instances without any.
    """

    classes: Bools
    n_instances: int = 0
    n_labels: int = 0
    most: int = 0
    n_empty: int = 0

    def add(self, sets: LabelSets) -> None:
        """Count some more instances."""
        lengths = sets.lengths
        self.classes[sets.indices] = True
        self.n_instances += len(lengths)
        self.n_labels += int(lengths.sum())
        self.most = max(self.most, int(lengths.max(initial=0)))
        self.n_empty += int((lengths == 0).sum())


@dataclass
class _Rule:
    """The findings of one rule: the first few, and how many there are."""

    level: Level = "error"
    first: list[tuple[str, str]] = field(default_factory=list)
    n: int = 0
    times: dict[Any, int] = field(default_factory=dict)


@dataclass
class LabelFindings:
    """What was found in the labels of one file so far.

    ``suspects`` returns which of some ids may come twice; by default any may.
    """

    hierarchy: Hierarchy
    suspects: Callable[[Sequence[Hashable]], Sequence[int]] | None = None
    rules: dict[str, _Rule] = field(default_factory=dict)
    seen: dict[Hashable, str] = field(default_factory=dict)
    n_nested: int = 0
    nested: str = ""

    def __post_init__(self) -> None:
        self.sizes = LabelSizes(np.zeros(len(self.hierarchy), dtype=bool))

    def look_through(self, rows: LabelRows) -> LabelSets:
        """Note what is wrong with some rows; return the labels that can be used."""
        faults: list[Fault] = []
        alone = replace(rows, ids=None)
        sets = LabelSets.from_rows(alone, self.hierarchy, unknown="drop", faults=faults.append)
        for fault in faults:
            self._note(fault, rows)
        if rows.ids is not None:
            sets = replace(sets, ids=tuple(rows.ids))
        return self.count(rows.ids, sets, lambda i: rows.where(i, 0))

    def count(
        self, ids: Sequence[Hashable] | None, sets: LabelSets, place: Callable[[int], str]
    ) -> LabelSets:
        """Note ids that come again and labels above others; return the sets of the first rows."""
        kept = None if ids is None else self._first_rows(ids, place)
        if kept is not None:
            names = None if sets.ids is None else tuple(sets.ids[i] for i in kept.tolist())
            sets = replace(sets.take(kept), ids=names)
        n_nested, instance, words = _nested(sets, self.hierarchy)
        self.n_nested += n_nested
        if n_nested and not self.nested:
            row = instance if kept is None else int(kept[instance])
            name = self.sizes.n_instances + instance if ids is None else ids[row]
            self.nested = f"{words} in instance {name!r}"
        self.sizes.add(sets)
        return sets

    def tell(self, about: FileReport) -> None:
        """Put everything into a report."""
        for name in RULES:
            rule = self.rules.get(name)
            if rule is not None:
                about.add_all(rule.level, name, self._spelled(rule), rule.n)
        if self.n_nested:
            about.add("warning", "nested labels", (
                f"{instances_have(self.n_nested)} a label that is an ancestor of another one, such "
                f"as {self.nested}; pair-based and flat measures count both"
            ))  # fmt: skip

    def _spelled(self, rule: _Rule) -> list[tuple[str, str]]:
        times = [*rule.times.values()] or [1] * len(rule.first)
        many = (f" ({n} times in all)" if n > 1 else "" for n in times)
        return [(place, text + more) for (place, text), more in zip(rule.first, many, strict=False)]

    def _note(self, fault: Fault, rows: LabelRows) -> None:
        """Add what is wrong with some labels; an unknown label counts once, however often."""
        level: Level = "warning" if fault.rule == "repeated label" else "error"
        rule = self.rules.setdefault(fault.rule, _Rule(level))
        entries = fault.entries.tolist()
        if fault.rule == "unknown label":
            known = rule.times.get(fault.label, 0)
            rule.times[fault.label] = known + len(entries)
            entries = [] if known else entries[:1]
        rule.n += len(entries)
        for entry in entries[: MOST_SHOWN - len(rule.first)]:
            i = rows.coded.row_of(entry)[0]
            who = "" if rows.ids is None else f"instance {shown(rows.ids[i])}: "
            rule.first.append((rows.place(entry), f"{who}{fault.message(entry)}"))

    def _first_rows(self, ids: Sequence[Hashable], place: Callable[[int], str]) -> Ints | None:
        """Return the rows with ids that come for the first time; None for all of them."""
        if self.suspects is None and not self.seen and len(set(ids)) == len(ids):
            return None
        again = []
        for i in range(len(ids)) if self.suspects is None else self.suspects(ids):
            before = self.seen.setdefault(ids[i], place(i))
            if before != place(i):
                again.append(i)
                rule = self.rules.setdefault("duplicate id", _Rule())
                rule.n += 1
                if len(rule.first) < MOST_SHOWN:
                    said = f"instance {shown(ids[i])} already occurs at {before}"
                    rule.first.append((place(i), said))
        return np.delete(np.arange(len(ids)), again) if again else None


def compare_instances(
    truth: LabelSets, prediction: LabelSets, system: str, about: FileReport
) -> None:
    """Add the instances that only one of truth and predictions has."""
    if truth.ids is None or prediction.ids is None:
        if len(truth) != len(prediction):
            message = (
                f"{counted(len(prediction), 'instance')}, and the truth has {len(truth)}; without "
                "ids on both sides they are matched by position"
            )
            about.add("error", "instances", message)
        return
    extra = _only(prediction.ids, truth.ids)
    absent = _only(truth.ids, prediction.ids)
    if extra:
        message = f"{instances_have(len(extra))} no truth, such as {extra[0]!r} of {system}"
        about.add("error", "instances", message)
    if absent:
        message = (
            f"{instances_have(len(absent))} no prediction of {system}, such as {absent[0]!r} "
            "(missing='empty' counts them as empty)"
        )
        about.add("error", "instances", message)


def _only(mine: tuple[Hashable, ...], theirs: tuple[Hashable, ...]) -> list[Hashable]:
    known = set(theirs)
    return [name for name in mine if name not in known]


def _nested(sets: LabelSets, hierarchy: Hierarchy) -> tuple[int, int, str]:
    """Return how many instances have labels that are ancestors of others, the first, and words."""
    row = row_numbers(sets.indptr)
    several = sets.lengths[row] > 1
    label, row = sets.indices[several], row[several]
    if not len(label):
        return 0, 0, ""
    owner, above = ancestor_closure(hierarchy, label).expanded(label)
    n = len(hierarchy)
    mine, key = row * n + label, row[owner] * n + above  # mine ascends, as rows and labels do
    at = np.minimum(np.searchsorted(mine, key), len(mine) - 1)
    hit = np.flatnonzero((mine[at] == key) & (label[owner] != above))
    if not len(hit):
        return 0, 0, ""
    first, titles = owner[hit[0]], hierarchy.titles
    upper, lower = hierarchy.names[int(above[hit[0]])], hierarchy.names[int(label[first])]
    of_upper, of_lower = (f" ({titles[c]})" if c in titles else "" for c in (upper, lower))
    words = f"{upper!r}{of_upper} above {lower!r}{of_lower}"
    return len(np.unique(row[owner[hit]])), int(row[first]), words
