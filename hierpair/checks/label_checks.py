"""Faults and doubts in labels, however many rows come at a time, and between truth and systems."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import MOST_SHOWN, FileReport
from hierpair.errors import BadInput, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Ints, row_numbers
from hierpair.io import parse_labels
from hierpair.io.datasets import DataSet, ids_of, joined, open_dataset, repeated_ids
from hierpair.io.datasets.cells import label_rows
from hierpair.labels import Columns, Fault, LabelRows, LabelSets
from hierpair.labels.columns import ID_NAMES
from hierpair.labels.sets import are_lowest, match_instances

__all__ = ["compare_sides", "lint_labels"]

RULES = ("path", "truth value", "blank label", "header", "repeated label", "unknown label",
         "duplicate id")  # fmt: skip
"""In the order in which they are told."""


def lint_labels(
    path: str | Path, hierarchy: Hierarchy, about: FileReport, *, in_parts: bool, **options: Any
) -> LabelSets | DataSet | None:
    """Add what is wrong with labels, and how many there are; return those that can be used.

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
    return usable


def _look_at_once(
    path: str | Path, found: LabelFindings, about: FileReport, **options: Any
) -> LabelSets:
    troubles: list[str] = []
    rows = parse_labels(path, trouble=troubles.append, **options)
    about.add_all("error", "format", [("", trouble) for trouble in troubles])
    about.add_all("warning", "ids", [("", note) for note in rows.notes])
    found.twice = {name for name, n in Counter(rows.ids or ()).items() if n > 1}
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
            found.look_through(replace(label_rows(rows, meaning, ids), ids=named))
    return data


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
    lengths: list[Ints] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.classes = np.zeros(len(self.hierarchy), dtype=bool)

    def note(self, rule: str, place: str, said: Callable[[], str]) -> None:
        """Count one more finding; the first few are spelled out."""
        self.n[rule] += 1
        if self.n[rule] <= MOST_SHOWN:
            self.first[rule].append((place, said()))

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
                self.note(fault.rule, rows.place(entry), partial(_said, rows, entry, fault))
        ids, kept = rows.ids, np.arange(len(sets))
        if ids is not None:
            kept = np.delete(kept, self._again(ids, rows))
            sets = replace(sets.take(kept), ids=tuple(ids[i] for i in kept.tolist()))
        above = np.flatnonzero(~are_lowest(self.hierarchy, sets))
        for row in np.unique(row_numbers(sets.indptr)[above]).tolist():
            name = sum(map(len, self.lengths)) + row if ids is None else ids[kept[row]]
            self.note("nested labels", "", partial(_above, self.hierarchy, sets, row, name))
        self.classes[sets.indices] = True
        self.lengths.append(sets.lengths)
        return sets

    def _again(self, ids: Sequence[Hashable], rows: LabelRows) -> list[int]:
        """Note the rows whose ids came before, and return them."""
        again = []
        for i in [i for i, name in enumerate(ids) if name in self.twice]:
            place = rows.where(i, 0)
            before = self.seen.setdefault(ids[i], place)
            if before != place:
                again.append(i)
                said = f"instance {shown(ids[i])} already occurs at {before}"
                self.note("duplicate id", place, said.__str__)
        return again

    def tell(self, about: FileReport) -> None:
        """Put everything into a report, and how many instances and labels there are."""
        times = [f" ({n} times in all)" if n > 1 else "" for n in self.unknown.values()]
        for rule in filter(self.first.get, RULES):
            more = times if rule == "unknown label" else [""] * MOST_SHOWN
            found = [(p, text + m) for (p, text), m in zip(self.first[rule], more, strict=False)]
            level = "warning" if rule == "repeated label" else "error"
            about.add_all(level, rule, found, self.n[rule])  # type: ignore[arg-type]
        for _, nested in self.first["nested labels"][:1]:
            about.add("warning", "nested labels", (
                f"{instances_have(self.n['nested labels'])} a label that is an ancestor of another "
                f"one, such as {nested}; pair-based and flat measures count both"
            ))  # fmt: skip
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *self.lengths])
        if not len(lengths):
            about.add("error", "instances", "the file has no instances")
            return
        n_empty = np.count_nonzero(lengths == 0)
        about.add("note", "labels", (
            f"{counted(len(lengths), 'instance', ',')} with {lengths.mean():.2f} labels in the "
            f"mean, at most {lengths.max():,}" + f", {n_empty:,} without any" * bool(n_empty)
            + f"; {counted(int(self.classes.sum()), 'different class', ',')}"
        ))  # fmt: skip


def _said(rows: LabelRows, entry: int, fault: Fault) -> str:
    """Return what is wrong with an entry."""
    i = rows.coded.row_of(entry)[0]
    who = "" if rows.ids is None else f"instance {shown(rows.ids[i])}: "
    return f"{who}{fault.message(entry)}"


def _above(hierarchy: Hierarchy, sets: LabelSets, row: int, name: Hashable) -> str:
    """Return the first label of an instance that has another one above it, with that one."""
    labels = sets.indices[sets.indptr[row] : sets.indptr[row + 1]]
    owner, above = ancestor_closure(hierarchy, labels).expanded(labels)
    both = np.flatnonzero((above != labels[owner]) & np.isin(above, labels))[0]
    pair = [hierarchy.names[int(c)] for c in (above[both], labels[owner[both]])]
    titled = [f"{c!r}" + f" ({hierarchy.titles.get(c)})" * (c in hierarchy.titles) for c in pair]
    return f"{' above '.join(titled)} in instance {name!r}"


def compare_sides(truth: Any, side: Any, name: str, about: FileReport) -> None:
    """Add what scoring would say of instances that only one of truth and predictions has."""
    try:
        if isinstance(truth, DataSet):
            with joined(truth, {name: side}):
                pass
        else:
            match_instances(truth, side, system=name)
    except BadInput as error:
        about.add("error", "instances", str(error))
