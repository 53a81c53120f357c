"""Faults and doubts in label files, and between the files of truth and predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.checks.findings import MOST_SHOWN, FileReport
from hierpair.checks.label_findings import Findings, FirstRows, Unknown
from hierpair.errors import BadInput, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.io import parse_labels
from hierpair.labels import LabelRows, LabelSets
from hierpair.labels.coded import Coded, CodedLists, coded_lists
from hierpair.labels.naming import PathNames, is_missing

__all__ = ["compare_instances", "lint_labels", "looked_through", "without_fault"]


def lint_labels(
    path: str | Path, hierarchy: Hierarchy, about: FileReport, **options: Any
) -> LabelSets | None:
    """Add what is wrong with a label file; return the labels that can be used."""
    troubles: list[str] = []
    try:
        source = parse_labels(path, trouble=troubles.append, **options)
    except BadInput as error:
        about.add("error", "format", str(error))
        return None
    about.add_all("error", "format", (("", trouble) for trouble in troubles))
    for note in source.notes:
        about.add("warning", "ids", note)
    found, first = Findings(hierarchy), FirstRows()
    sets = looked_through(source, found, first)
    found.tell(about, first)
    return sets


def looked_through(
    source: LabelRows, found: Findings, first: FirstRows, before: int = 0
) -> LabelSets:
    """Note what is wrong with some rows, and return those of their labels that can be used.

    ``before`` is the number of instances that stand before these.
    """
    hierarchy = found.hierarchy
    found.hint = source.hint
    labels = _Labels(coded_lists(source.rows), source, hierarchy, found)
    if source.levels:
        labels.resolve_paths()
    rows = labels.rows
    known = np.array([not is_missing(x) and x in hierarchy for x in rows.labels], dtype=bool)
    labels.find_blank()
    labels.find_repeated()
    labels.find_unknown(known)
    kept = known[rows.codes]
    pointer = offsets(kept.astype(np.int64))[rows.pointer]  # labels kept before each row
    clean = CodedLists(pointer, rows.codes[kept], rows.labels)
    sets = LabelSets.from_rows(LabelRows(clean, lambda i, k: ""), hierarchy)
    if source.ids is not None:
        sets = replace(sets, ids=tuple(source.ids))
    return without_fault(source.ids, sets, lambda i: source.where(i, 0), found, first, before)


def without_fault(
    ids: Any,
    sets: LabelSets,
    place: Callable[[int], str],
    found: Findings,
    first: FirstRows,
    before: int,
) -> LabelSets:
    """Note ids that come again and labels above others; return the sets of the first rows.

    ``ids`` has one for every row, if it is not None; ``place`` says where a row stands, and the
    rest is as for :func:`looked_through`.
    """
    kept = first.of(ids, lambda i, _: place(i))
    if kept is not None:
        names = None if sets.ids is None else tuple(sets.ids[i] for i in kept.tolist())
        sets = replace(sets.take(kept), ids=names)
    n_nested, instance, words = _nested(sets, found.hierarchy)
    found.n_nested += n_nested
    if n_nested and not found.nested:
        row = instance if kept is None else int(kept[instance])
        name = before + instance if ids is None else ids[row]
        found.nested = f"{words} in instance {name!r}"
    return sets


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


@dataclass
class _Labels:
    """The labels of a file, or of some of its rows, while they are looked through."""

    rows: CodedLists
    source: LabelRows
    hierarchy: Hierarchy
    found: Findings

    def named(self, i: int) -> str:
        """Return how what is said of an instance begins."""
        return f"instance {shown(self.source.ids[i])}: " if self.source.ids is not None else ""

    def at(self, entry: int) -> tuple[str, str]:
        """Return where a label stands, and how what is said of it begins."""
        i = int(np.searchsorted(self.rows.pointer, entry, side="right")) - 1
        return self.source.where(i, entry - int(self.rows.pointer[i])), self.named(i)

    def add(self, rule: str, entries: NDArray[np.integer], message: Callable[[int], str]) -> None:
        """Add a message for the first few labels; the rest are only counted."""
        faults = []
        for entry in entries[:MOST_SHOWN].tolist():
            place, who = self.at(entry)
            faults.append((place, f"{who}{message(entry)}"))
        self.found.add("error", rule, faults, len(entries))

    def blank(self) -> NDArray[np.bool_]:
        """Return which of the different labels are blank."""
        return np.array([is_missing(x) for x in self.rows.labels], dtype=bool)

    def resolve_paths(self) -> None:
        """Take class names instead of paths, less the paths that do not exist."""
        rows, hierarchy = self.rows, self.hierarchy
        resolve = PathNames(hierarchy)
        faults: dict[int, str] = {}
        names: list[Any] = []
        for code, path in enumerate(rows.labels):
            many = path is not None and len(faults) >= MOST_SHOWN
            if many and not any("/".join(map(str, p)) in hierarchy for p in (path, path[-1:])):
                names.append(None)  # counted, and not spelled out
                faults[code] = ""
                continue
            try:
                names.append(resolve(path) if path is not None else None)
            except BadInput as error:
                names.append(None)
                faults[code] = str(error)
        wrong = np.isin(rows.codes, list(faults))
        self.add("path", np.flatnonzero(wrong), lambda entry: faults[int(rows.codes[entry])])
        pointer = offsets((~wrong).astype(np.int64))[rows.pointer]
        self.rows = CodedLists(pointer, rows.codes[~wrong], names)

    def find_blank(self) -> None:
        """Add blank labels."""
        entries = np.flatnonzero(self.blank()[self.rows.codes])
        message = "a label is missing (unknown='drop' passes over it)"
        self.add("blank label", entries, lambda entry: message)

    def find_repeated(self) -> None:
        """Add labels that stand twice in an instance, one finding for an instance."""
        rows, blank = self.rows, self.blank()
        owner = row_numbers(rows.pointer)
        order = np.lexsort((rows.codes, owner))
        before, after = order[:-1], order[1:]
        same = (owner[before] == owner[after]) & (rows.codes[before] == rows.codes[after])
        again = np.sort(after[same & ~blank[rows.codes[after]]])  # as they stand in the file
        _, first = np.unique(owner[again], return_index=True)
        doubts = []
        for entry in again[first][:MOST_SHOWN].tolist():
            label, i = rows.labels[rows.codes[entry]], int(owner[entry])
            message = f"{self.named(i)}{shown(label)} occurs twice"
            doubts.append((self.source.where(i, 0), message))
        self.found.add("warning", "repeated label", doubts, len(first))

    def find_unknown(self, known: NDArray[np.bool_]) -> None:
        """Note labels that are no class, where each stands first, and how often it comes."""
        rows = self.rows
        times = np.bincount(rows.codes, minlength=len(rows.labels))
        first = Coded(rows.codes, rows.labels).first_rows()
        odd = [
            k for k, x in enumerate(rows.labels) if times[k] and not known[k] and not is_missing(x)
        ]
        for k in sorted(odd, key=lambda k: first[k]):
            label, n = rows.labels[k], int(times[k])
            if label in self.found.unknown:
                self.found.unknown[label].times += n
            elif len(self.found.unknown) < MOST_SHOWN:
                self.found.unknown[label] = Unknown(*self.at(int(first[k])), n)
            else:
                self.found.unknown[label] = Unknown("", "", n)


def _nested(sets: LabelSets, hierarchy: Hierarchy) -> tuple[int, int, str]:
    """Return how many instances have labels that are ancestors of others, the first, and words."""
    row = row_numbers(sets.indptr)
    several = sets.lengths[row] > 1
    label, row = sets.indices[several], row[several]
    if not len(label):
        return 0, 0, ""
    closure = ancestor_closure(hierarchy, label)
    owner, above = closure.expanded(label)
    n = len(hierarchy)
    key = row[owner] * n + above
    own = label[owner] == above
    mine = row * n + label  # ascending, as rows and labels are
    at = np.minimum(np.searchsorted(mine, key), len(mine) - 1)
    hit = np.flatnonzero((mine[at] == key) & ~own)
    if not len(hit):
        return 0, 0, ""
    lower = label[owner[hit[0]]]
    instance = int(row[owner[hit[0]]])
    count = len(np.unique(row[owner[hit]]))
    upper = hierarchy.names[int(above[hit[0]])]
    titles = (hierarchy.titles.get(c) for c in (upper, hierarchy.names[lower]))
    of_upper, of_lower = (f" ({title})" if title else "" for title in titles)
    return count, instance, f"{upper!r}{of_upper} above {hierarchy.names[lower]!r}{of_lower}"
