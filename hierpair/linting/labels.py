"""Faults and doubts in label files, and between the files of truth and predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.errors import BadInput, instances_have
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.labels import LabelRows, LabelSets
from hierpair.labels.levels import PathNames
from hierpair.labels.naming import is_missing
from hierpair.labels.settling import mend_of
from hierpair.linting.findings import MOST_SHOWN, Report
from hierpair.readers import parse_labels

__all__ = ["compare_instances", "lint_labels"]


def lint_labels(
    path: str | Path, hierarchy: Hierarchy, report: Report, **options: Any
) -> LabelSets | None:
    """Add what is wrong with a label file; return the labels that can be used."""
    where = str(path)
    troubles: list[str] = []
    try:
        given = parse_labels(path, trouble=troubles.append, **options)
    except BadInput as error:
        report.add("error", "format", where, str(error).removeprefix(f"{where}: "))
        return None
    report.add_all(
        "error", "format", where, ((where, t.removeprefix(f"{where}: ")) for t in troubles)
    )
    for note in given.notes:
        report.add("warning", "ids", where, note.removeprefix(f"{where}: "))
    if given.levels:
        given = _resolved(given, hierarchy, where, report)
    _blank(given, where, report)
    _repeated(given, where, report)
    _unknown(given, hierarchy, where, report)
    keep = _first_of_each(given, where, report)
    rows = [[x for x in given.rows[i] if x in hierarchy] for i in keep]
    ids = None if given.ids is None else [given.ids[i] for i in keep]
    clean = LabelRows(rows, lambda i, k: where, ids)
    sets = LabelSets.from_rows(clean, hierarchy)
    _nested(sets, hierarchy, where, report)
    return sets


def compare_instances(
    truth: LabelSets, prediction: LabelSets, system: str, where: str, report: Report
) -> None:
    """Add the instances that only one of truth and predictions has."""
    if truth.ids is None or prediction.ids is None:
        if len(truth) != len(prediction):
            report.add("error", "instances", where, (
                f"{len(prediction)} instances, and the truth has {len(truth)}; without ids on "
                "both sides they are matched by position"
            ))  # fmt: skip
        return
    extra = _only(prediction.ids, truth.ids)
    absent = _only(truth.ids, prediction.ids)
    if extra:
        report.add("error", "instances", where, (
            f"{instances_have(len(extra))} no truth, such as {extra[0]!r} of {system}"
        ))  # fmt: skip
    if absent:
        report.add("error", "instances", where, (
            f"{instances_have(len(absent))} no prediction of {system}, such as {absent[0]!r} "
            "(--missing empty counts them as empty)"
        ))  # fmt: skip


def _only(mine: tuple[Hashable, ...], theirs: tuple[Hashable, ...]) -> list[Hashable]:
    known = set(theirs)
    return [name for name in mine if name not in known]


def _named(given: LabelRows, i: int) -> str:
    return f"instance {given.ids[i]!r}: " if given.ids is not None else ""


def _resolved(given: LabelRows, hierarchy: Hierarchy, where: str, report: Report) -> LabelRows:
    """Return class names instead of paths, less the paths that do not exist."""
    resolve = PathNames(hierarchy)
    rows: list[list[Any]] = []
    wrong = []
    for i, row in enumerate(given.rows):
        rows.append([])
        for k, path in enumerate(row):
            try:
                rows[-1].append(resolve(path))
            except BadInput as error:
                wrong.append((given.where(i, k), f"{_named(given, i)}{error}"))
    report.add_all("error", "path", where, wrong)
    return LabelRows(rows, given.where, given.ids)


def _blank(given: LabelRows, where: str, report: Report) -> None:
    report.add_all("error", "blank label", where, (
        (given.where(i, k), f"{_named(given, i)}a label is missing (--unknown drop passes over it)")
        for i, row in enumerate(given.rows)
        for k, label in enumerate(row)
        if is_missing(label)
    ))  # fmt: skip


def _repeated(given: LabelRows, where: str, report: Report) -> None:
    found = []
    for i, row in enumerate(given.rows):
        if len(set(row)) < len(row):
            label = Counter(row).most_common(1)[0][0]
            if not is_missing(label):
                found.append((given.where(i, 0), f"{_named(given, i)}{label!r} stands there twice"))
    report.add_all("warning", "repeated label", where, found)


def _unknown(given: LabelRows, hierarchy: Hierarchy, where: str, report: Report) -> None:
    first: dict[Any, tuple[int, int]] = {}
    count: Counter[Any] = Counter()
    for i, row in enumerate(given.rows):
        for k, label in enumerate(row):
            if label not in hierarchy and not is_missing(label):
                first.setdefault(label, (i, k))
                count[label] += 1
    found: list[tuple[str, str]] = []
    for label, (i, k) in first.items():
        times = f" ({count[label]} times in all)" if count[label] > 1 else ""
        said = hierarchy.unknown_message(label) if len(found) < MOST_SHOWN else ""
        mend = mend_of(label, hierarchy, by_blanks=bool(given.hint)) if said else ""
        found.append((given.where(i, k), f"{_named(given, i)}{said}{mend}{times}{given.hint}"))
    report.add_all("error", "unknown label", where, found)


def _first_of_each(given: LabelRows, where: str, report: Report) -> list[int]:
    """Return the rows with ids that come for the first time."""
    if given.ids is None:
        return list(range(len(given.rows)))
    seen: dict[Hashable, int] = {}
    double = []
    for i, name in enumerate(given.ids):
        if name in seen:
            before = given.where(seen[name], 0)
            double.append((given.where(i, 0), f"instance {name!r} stands already at {before}"))
        seen.setdefault(name, i)
    report.add_all("error", "duplicate id", where, double)
    return list(seen.values())


def _nested(sets: LabelSets, hierarchy: Hierarchy, where: str, report: Report) -> None:
    """Labels that are ancestors of other labels of the same instance."""
    row = row_numbers(sets.indptr)
    several = sets.lengths[row] > 1
    label, row = sets.indices[several], row[several]
    if not len(label):
        return
    closure = ancestor_closure(hierarchy, label)
    lengths = closure.lengths(label)
    above = closure.pattern[closure.rows(label)].indices
    n = len(hierarchy)
    key = np.repeat(row, lengths) * n + above
    own = np.repeat(label, lengths) == above
    mine = row * n + label  # ascending, as rows and labels are
    at = np.minimum(np.searchsorted(mine, key), len(mine) - 1)
    hit = np.flatnonzero((mine[at] == key) & ~own)
    if not len(hit):
        return
    ends = offsets(lengths)
    lower = label[np.searchsorted(ends, hit[0], side="right") - 1]
    instance = int(np.repeat(row, lengths)[hit[0]])
    name = sets.ids[instance] if sets.ids is not None else instance
    count = len(np.unique(np.repeat(row, lengths)[hit]))
    upper = hierarchy.names[int(above[hit[0]])]
    report.add("warning", "nested labels", where, (
        f"{instances_have(count)} a label that is an ancestor of another one, such as "
        f"{upper!r} above {hierarchy.names[lower]!r} in instance {name!r}; pair-based and flat "
        "measures count both"
    ))  # fmt: skip
