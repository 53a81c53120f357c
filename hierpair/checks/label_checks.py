"""Faults and doubts in labels, however many rows come at a time, and between truth and systems."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import MOST_SHOWN, FileReport
from hierpair.errors import BadInput, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Bools, row_numbers
from hierpair.hierarchy.building import Place
from hierpair.io import parse_labels
from hierpair.io.datasets import DataSet, ids_of, joined, open_dataset, repeated_ids, sets_of
from hierpair.io.datasets.cells import label_rows
from hierpair.labels import Columns, Fault, LabelRows, LabelSets
from hierpair.labels.columns import ID_NAMES
from hierpair.labels.sets import are_lowest, match_instances

__all__ = ["LabelSizes", "compare_sides", "lint_labels"]

RULES = ("path", "truth value", "blank label", "header", "repeated label", "unknown label",
         "duplicate id")  # fmt: skip
"""In the order in which they are told."""


def lint_labels(
    path: str | Path, hierarchy: Hierarchy, about: FileReport, *, in_parts: bool, **options: Any
) -> tuple[LabelSets | DataSet, LabelSizes] | None:
    """Add what is wrong with labels; return those that can be used, and how many there are.

    Parameters
    ----------
    path
        The file, or the data set.
    hierarchy, about
        The classes, and where findings go.
    in_parts
        Whether it is read part by part, in bounded memory.
    options
        As for :func:`hierpair.io.parse_labels`.
    """
    found = LabelFindings(hierarchy)
    try:
        usable = (_look_in_parts if in_parts else _look_at_once)(path, found, about, **options)
    except BadInput as error:
        about.add("error", "format", str(error))
        return None
    found.tell(about)
    return usable, found.sizes


def _look_at_once(
    path: str | Path, found: LabelFindings, about: FileReport, **options: Any
) -> LabelSets:
    troubles: list[str] = []
    rows = parse_labels(path, trouble=troubles.append, **options)
    about.add_all("error", "format", [("", trouble) for trouble in troubles])
    about.add_all("warning", "ids", [("", note) for note in rows.notes])
    found.twice = [name for name, n in Counter(rows.ids or ()).items() if n > 1]
    return found.look_through(rows)


def _look_in_parts(
    path: str | Path,
    found: LabelFindings,
    about: FileReport,
    *,
    fmt: str = "auto",
    columns: Columns | None = None,
    column_names: str | None = None,
) -> DataSet:
    if column_names is not None:
        raise BadInput("names of columns are for matrices (npz), which are read whole")
    data = open_dataset(path, fmt, columns=columns or Columns())
    if data.columns.ids is None:
        names = " or ".join(ID_NAMES)
        about.add("warning", "ids", f"{path}: no column {names}; instances are taken by position")
    with ExitStack() as stack:
        rows_of, meaning = data, replace(data.columns, where=())
        if meaning.long:
            together = stack.enter_context(joined(data, {}))
            rows_of, meaning = together.data, together.truth
        found.twice = set(() if meaning.long else repeated_ids(rows_of))
        for rows in rows_of.rows():
            ids = ids_of(rows)
            named = None if ids is None else ids.to_pylist()
            try:
                sets = sets_of(rows, found.hierarchy, meaning, ids)
                clean = sets.as_written is None
            except BadInput:
                clean = False
            if clean:
                found.count(named, sets, rows.place)
            else:
                found.look_through(replace(label_rows(rows, meaning, ids), ids=named))
    return data


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
class LabelFindings:
    """What was found in the labels of one file so far: of each rule the first few, and how many.

    ``twice`` are the ids that come again somewhere in the file.
    """

    hierarchy: Hierarchy
    twice: Collection[Hashable] = ()
    first: defaultdict[str, list[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    n: Counter[str] = field(default_factory=Counter)
    unknown: Counter[Any] = field(default_factory=Counter)
    seen: dict[Hashable, str] = field(default_factory=dict)
    n_nested: int = 0
    nested: str = ""

    def __post_init__(self) -> None:
        self.sizes = LabelSizes(np.zeros(len(self.hierarchy), dtype=bool))

    def is_told(self, rule: str) -> bool:
        """Count one more finding; whether it is one of the first few, which are spelled out."""
        self.n[rule] += 1
        return self.n[rule] <= MOST_SHOWN

    def look_through(self, rows: LabelRows) -> LabelSets:
        """Note what is wrong with some rows; return the labels that can be used."""
        faults: list[Fault] = []
        alone = replace(rows, ids=None)
        sets = LabelSets.from_rows(alone, self.hierarchy, unknown="drop", faults=faults.append)
        for fault in faults:
            entries = fault.entries.tolist()
            if fault.rule == "unknown label":  # counts once, however often it comes
                known = fault.label in self.unknown
                self.unknown[fault.label] += len(entries)
                entries = [] if known else entries[:1]
            for entry in entries:
                if self.is_told(fault.rule):
                    self.first[fault.rule].append(_said(rows, entry, fault))
        if rows.ids is not None:
            sets = replace(sets, ids=tuple(rows.ids))
        return self.count(rows.ids, sets, lambda i: rows.where(i, 0))

    def count(self, ids: Sequence[Hashable] | None, sets: LabelSets, place: Place) -> LabelSets:
        """Note ids that come again and labels above others; return the sets of the first rows."""
        kept = np.arange(len(sets))
        if ids is not None and self.twice:
            kept = np.delete(kept, self._again(ids, place))
            names = None if sets.ids is None else tuple(sets.ids[i] for i in kept.tolist())
            sets = replace(sets.take(kept), ids=names)
        above = np.flatnonzero(~are_lowest(self.hierarchy, sets))
        instances = np.unique(row_numbers(sets.indptr)[above])
        self.n_nested += len(instances)
        if len(instances) and not self.nested:
            row = int(instances[0])
            name = self.sizes.n_instances + row if ids is None else ids[kept[row]]
            self.nested = f"{_above(self.hierarchy, sets, row)} in instance {name!r}"
        self.sizes.add(sets)
        return sets

    def _again(self, ids: Sequence[Hashable], place: Place) -> list[int]:
        """Note the rows whose ids came before, and return them."""
        again = []
        for i in [i for i, name in enumerate(ids) if name in self.twice]:
            before = self.seen.setdefault(ids[i], place(i))
            if before != place(i):
                again.append(i)
                if self.is_told("duplicate id"):
                    said = f"instance {shown(ids[i])} already occurs at {before}"
                    self.first["duplicate id"].append((place(i), said))
        return again

    def tell(self, about: FileReport) -> None:
        """Put everything into a report."""
        times = [f" ({n} times in all)" if n > 1 else "" for n in self.unknown.values()]
        for rule in filter(self.first.get, RULES):
            more = times if rule == "unknown label" else [""] * MOST_SHOWN
            found = [(p, text + m) for (p, text), m in zip(self.first[rule], more, strict=False)]
            level = "warning" if rule == "repeated label" else "error"
            about.add_all(level, rule, found, self.n[rule])  # type: ignore[arg-type]
        if self.n_nested:
            about.add("warning", "nested labels", (
                f"{instances_have(self.n_nested)} a label that is an ancestor of another one, such "
                f"as {self.nested}; pair-based and flat measures count both"
            ))  # fmt: skip


def _said(rows: LabelRows, entry: int, fault: Fault) -> tuple[str, str]:
    """Return where an entry stands, and what is wrong with it."""
    i = rows.coded.row_of(entry)[0]
    who = "" if rows.ids is None else f"instance {shown(rows.ids[i])}: "
    return rows.place(entry), f"{who}{fault.message(entry)}"


def _above(hierarchy: Hierarchy, sets: LabelSets, row: int) -> str:
    """Return the first label of an instance that has another one above it, with that one."""
    labels = sets.indices[sets.indptr[row] : sets.indptr[row + 1]]
    owner, above = ancestor_closure(hierarchy, labels).expanded(labels)
    both = np.flatnonzero((above != labels[owner]) & np.isin(above, labels))[0]
    pair = [hierarchy.names[int(c)] for c in (above[both], labels[owner[both]])]
    titled = [f"{c!r}" + f" ({hierarchy.titles.get(c)})" * (c in hierarchy.titles) for c in pair]
    return " above ".join(titled)


def compare_sides(truth: Any, side: Any, name: str, about: FileReport) -> None:
    """Add what scoring would say of instances that only one of truth and predictions has."""
    try:
        if isinstance(truth, DataSet):
            with joined(truth, {name: side}) as both:
                about.add_all("warning", "ids", [("", note) for note in both.notes])
        else:
            match_instances(truth, side, system=name)
    except BadInput as error:
        about.add("error", "instances", str(error))
