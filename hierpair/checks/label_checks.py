"""Faults and doubts in labels, however many rows come at a time, and between truth and systems."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import MOST_SHOWN, Tell
from hierpair.errors import BadInput, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import row_numbers
from hierpair.io import parse_labels
from hierpair.io.datasets import DataSet, ids_of, joined, open_dataset, repeated_ids
from hierpair.io.datasets.cells import label_rows
from hierpair.labels import Columns, Fault, LabelRows, LabelSets
from hierpair.labels.columns import ID_NAMES
from hierpair.labels.sets import are_lowest, match_instances

LEVELS = {
    "path": "error", "truth value": "error", "blank label": "error", "header": "error",
    "repeated label": "warning", "unknown label": "error", "duplicate id": "error",
}  # fmt: skip
"""What is told of instances, in this order."""


def lint_labels(
    path: str | Path, hierarchy: Hierarchy, about: Tell, *, in_parts: bool, **options: Any
) -> LabelSets | DataSet | None:
    """Add what is wrong with labels, and how many there are; return those that can be used.

    A data set is read ``in_parts``, in bounded memory; options are those of
    :func:`hierpair.io.parse_labels`.
    """
    found = LabelFindings(hierarchy)
    usable: LabelSets | DataSet
    try:
        if in_parts:
            usable = _look_in_parts(path, found, about, **options)
        else:
            troubles: list[str] = []
            rows = parse_labels(path, trouble=troubles.append, **options)
            about("error", "format", troubles)
            about("warning", "ids", rows.notes)
            found.twice = {name for name, n in Counter(rows.ids or ()).items() if n > 1}
            usable = found.look_through(rows)
    except BadInput as error:
        about("error", "format", [str(error)])
        return None
    found.tell(about)
    return usable


def _look_in_parts(
    path: str | Path,
    found: LabelFindings,
    about: Tell,
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
        about("warning", "ids", [f"no column {names}; instances are taken by position"])
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


class LabelFindings:
    """What was found in the labels of one file so far: of each rule the first few, and how many.

    ``twice`` are the ids that come again somewhere in the file.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.twice: Collection[Hashable] = ()
        self.first: defaultdict[str, list[Any]] = defaultdict(list)
        self.n: Counter[str] = Counter()
        self.unknown: Counter[Any] = Counter()
        self.seen: dict[Hashable, str] = {}
        self.lengths = [np.zeros(0, dtype=np.int64)]
        self.classes = np.zeros(len(hierarchy), dtype=bool)

    def note(self, rule: str, found: Sequence[Any], say: Callable[[Any], Any]) -> None:
        """Count what was found; the first few are spelled out."""
        self.n[rule] += len(found)
        first = self.first[rule]
        first += map(say, found[: MOST_SHOWN - len(first)])

    def look_through(self, rows: LabelRows) -> LabelSets:
        """Note what is wrong with some rows; return the labels that can be used."""
        alone = replace(rows, ids=None)
        ids: Sequence[Hashable] = rows.ids or ()

        def fault(found: Fault) -> None:
            entries = found.entries.tolist()
            if found.rule == "unknown label":  # counts once, however often it comes
                known = found.label in self.unknown
                self.unknown[found.label] += len(entries)
                entries = entries[: not known]
            self.note(found.rule, entries, lambda x: (rows.place(x), who(x) + found.message(x)))

        def who(entry: int) -> str:
            return f"instance {shown(ids[rows.coded.row_of(entry)[0]])}: " if ids else ""

        sets = LabelSets.from_rows(alone, self.hierarchy, unknown="drop", faults=fault)
        if rows.ids is not None:
            kept = np.delete(np.arange(len(sets)), self._again(rows))
            sets = replace(sets.take(kept), ids=tuple(ids[i] for i in kept.tolist()))
            ids = sets.ids or ()
        above = row_numbers(sets.indptr)[~are_lowest(self.hierarchy, sets)]
        n_before = sum(map(len, self.lengths))
        nested = sorted({*above.tolist()})
        self.note("nested labels", nested, lambda i: ids[i] if ids else n_before + i)
        self.classes[sets.indices] = True
        self.lengths.append(sets.lengths)
        return sets

    def _again(self, rows: LabelRows) -> list[int]:
        """Note the rows whose ids came before, and return them."""
        again = []
        for i, name in enumerate(rows.ids or ()):
            if name in self.twice:
                place = rows.where(i, 0)
                before = self.seen.setdefault(name, place)
                if before != place:
                    again.append(i)
                    said = f"instance {shown(name)} already occurs at {before}"
                    self.note("duplicate id", [said], lambda text, at=place: (at, text))  # type: ignore[misc]
        return again

    def tell(self, about: Tell) -> None:
        """Put everything into a report, and how many instances and labels there are."""
        for rule, level in LEVELS.items():
            first, times = self.first[rule], [1] * MOST_SHOWN
            if rule == "unknown label":
                times = list(self.unknown.values())
            texts = [(at, text + f" ({n} times in all)" * (n > 1))
                     for (at, text), n in zip(first, times, strict=False)]  # fmt: skip
            about(level, rule, texts, self.n[rule])
        if self.n["nested labels"]:
            n, name = self.n["nested labels"], self.first["nested labels"][0]
            about("warning", "nested labels", [
                f"{instances_have(n)} a label that is an ancestor of another one, such as instance "
                f"{name!r}; pair-based and flat measures count both"
            ])  # fmt: skip
        lengths = np.concatenate(self.lengths)
        if not len(lengths):
            about("error", "instances", ["the file has no instances"])
            return
        n_empty = np.count_nonzero(lengths == 0)
        about("note", "labels", [
            f"{counted(len(lengths), 'instance', ',')} with {lengths.mean():.2f} labels in the "
            f"mean, at most {lengths.max():,}" + f", {n_empty:,} without any" * bool(n_empty)
            + f"; {counted(int(self.classes.sum()), 'different class', ',')}"
        ])  # fmt: skip


def compare_sides(truth: Any, side: Any, name: str, about: Tell) -> None:
    """Add what scoring would say of instances that only one of truth and predictions has."""
    try:
        if isinstance(truth, DataSet):
            with joined(truth, {name: side}):
                pass
        else:
            match_instances(truth, side, system=name)
    except BadInput as error:
        about("error", "instances", [str(error)])
