"""Faults and doubts in label files, and between the files of truth and predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierpair.checks.findings import MOST_SHOWN, Report
from hierpair.errors import BadInput, counted, instances_have, shown
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import offsets, row_numbers
from hierpair.io import parse_labels
from hierpair.labels import LabelRows, LabelSets
from hierpair.labels.coded import Coded, CodedLists, all_distinct, coded_lists
from hierpair.labels.naming import PathNames, is_missing
from hierpair.labels.resolve import remedy_for

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
    rows = coded_lists(given.rows)
    if given.levels:
        rows = _resolved(rows, given, hierarchy, where, report)
    known = np.array([not is_missing(x) and x in hierarchy for x in rows.labels], dtype=bool)
    _blank(rows, given, where, report)
    _repeated(rows, given, where, report)
    _unknown(rows, known, given, hierarchy, where, report)
    keep = _first_of_each(given, where, report)
    kept = known[rows.codes]
    pointer = offsets(kept.astype(np.int64))[rows.pointer]  # labels kept before each row
    clean = CodedLists(pointer, rows.codes[kept], rows.labels)
    ids = given.ids
    if keep is not None:
        clean = clean.take(keep)
        ids = None if ids is None else [ids[i] for i in keep.tolist()]
    sets = LabelSets.from_rows(LabelRows(clean, lambda i, k: where, ids), hierarchy)
    _nested(sets, hierarchy, where, report)
    return sets


def compare_instances(
    truth: LabelSets, prediction: LabelSets, system: str, where: str, report: Report
) -> None:
    """Add the instances that only one of truth and predictions has."""
    if truth.ids is None or prediction.ids is None:
        if len(truth) != len(prediction):
            report.add("error", "instances", where, (
                f"{counted(len(prediction), 'instance')}, and the truth has {len(truth)}; without ids on "
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
            "(missing='empty' counts them as empty)"
        ))  # fmt: skip


def _only(mine: tuple[Hashable, ...], theirs: tuple[Hashable, ...]) -> list[Hashable]:
    known = set(theirs)
    return [name for name in mine if name not in known]


def _named(given: LabelRows, i: int) -> str:
    return f"instance {shown(given.ids[i])}: " if given.ids is not None else ""


def _at(rows: CodedLists, given: LabelRows, entry: int) -> tuple[str, str]:
    """Return where a label stands, and how what is said of it begins."""
    i = int(np.searchsorted(rows.pointer, entry, side="right")) - 1
    return given.where(i, entry - int(rows.pointer[i])), _named(given, i)


def _some(
    rows: CodedLists,
    given: LabelRows,
    entries: NDArray[np.integer],
    message: Callable[[int], str],
) -> list[tuple[str, str]]:
    """Return place and message for the first few labels; the rest are only counted."""
    found = []
    for entry in entries[:MOST_SHOWN].tolist():
        place, who = _at(rows, given, entry)
        found.append((place, f"{who}{message(entry)}"))
    return found + [("", "")] * (len(entries) - len(found))


def _resolved(
    rows: CodedLists, given: LabelRows, hierarchy: Hierarchy, where: str, report: Report
) -> CodedLists:
    """Return class names instead of paths, less the paths that do not exist."""
    resolve = PathNames(hierarchy)
    said: dict[int, str] = {}
    names: list[Any] = []
    for code, path in enumerate(rows.labels):
        many = path is not None and len(said) >= MOST_SHOWN
        if many and not any("/".join(map(str, p)) in hierarchy for p in (path, path[-1:])):
            names.append(None)  # counted, and not spelled out
            said[code] = ""
            continue
        try:
            names.append(resolve(path) if path is not None else None)
        except BadInput as error:
            names.append(None)
            said[code] = str(error)
    wrong = np.isin(rows.codes, list(said))
    report.add_all("error", "path", where, _some(
        rows, given, np.flatnonzero(wrong), lambda entry: said[int(rows.codes[entry])]
    ))  # fmt: skip
    return CodedLists(offsets((~wrong).astype(np.int64))[rows.pointer], rows.codes[~wrong], names)


def _blank(rows: CodedLists, given: LabelRows, where: str, report: Report) -> None:
    blank = np.array([is_missing(x) for x in rows.labels], dtype=bool)
    report.add_all("error", "blank label", where, _some(
        rows, given, np.flatnonzero(blank[rows.codes]),
        lambda entry: "a label is missing (unknown='drop' passes over it)",
    ))  # fmt: skip


def _repeated(rows: CodedLists, given: LabelRows, where: str, report: Report) -> None:
    blank = np.array([is_missing(x) for x in rows.labels], dtype=bool)
    owner = row_numbers(rows.pointer)
    order = np.lexsort((rows.codes, owner))
    one, other = order[:-1], order[1:]
    same = (owner[one] == owner[other]) & (rows.codes[one] == rows.codes[other])
    again = other[same & ~blank[rows.codes[other]]]
    _, first = np.unique(owner[again], return_index=True)  # one finding for an instance
    found = []
    for entry in again[first][:MOST_SHOWN].tolist():
        label, i = rows.labels[rows.codes[entry]], int(owner[entry])
        found.append((given.where(i, 0), f"{_named(given, i)}{shown(label)} stands there twice"))
    found += [("", "")] * (len(first) - len(found))
    report.add_all("warning", "repeated label", where, found)


def _unknown(
    rows: CodedLists,
    known: NDArray[np.bool_],
    given: LabelRows,
    hierarchy: Hierarchy,
    where: str,
    report: Report,
) -> None:
    flat = Coded(rows.codes, rows.labels)
    times = np.bincount(rows.codes, minlength=len(rows.labels))
    first = flat.first_rows()
    odd = [k for k, x in enumerate(rows.labels) if times[k] and not known[k] and not is_missing(x)]
    found: list[tuple[str, str]] = []
    for k in sorted(odd, key=lambda k: first[k])[:MOST_SHOWN]:
        place, who = _at(rows, given, int(first[k]))
        label = rows.labels[k]
        mend = remedy_for(label, hierarchy, by_blanks=bool(given.hint))
        many = f" ({times[k]} times in all)" if times[k] > 1 else ""
        said = hierarchy.unknown_message(label)
        found.append((place, f"{who}{said}{mend}{many}{given.hint}"))
    found += [("", "")] * (len(odd) - len(found))
    report.add_all("error", "unknown label", where, found)


def _first_of_each(given: LabelRows, where: str, report: Report) -> NDArray[np.int64] | None:
    """Return the rows with ids that come for the first time; None for all."""
    if given.ids is None or all_distinct(given.ids):
        return None
    seen: dict[Hashable, int] = {}
    double: list[tuple[str, str]] = []
    for i, name in enumerate(given.ids):
        if name in seen:
            before = given.where(seen[name], 0) if len(double) < MOST_SHOWN else ""
            place = given.where(i, 0) if before else ""
            double.append((place, f"instance {shown(name)} stands already at {before}"))
        seen.setdefault(name, i)
    report.add_all("error", "duplicate id", where, double)
    return np.array(list(seen.values()), dtype=np.int64)


def _nested(sets: LabelSets, hierarchy: Hierarchy, where: str, report: Report) -> None:
    """Labels that are ancestors of other labels of the same instance."""
    row = row_numbers(sets.indptr)
    several = sets.lengths[row] > 1
    label, row = sets.indices[several], row[several]
    if not len(label):
        return
    closure = ancestor_closure(hierarchy, label)
    owner, above = closure.expanded(label)
    n = len(hierarchy)
    key = row[owner] * n + above
    own = label[owner] == above
    mine = row * n + label  # ascending, as rows and labels are
    at = np.minimum(np.searchsorted(mine, key), len(mine) - 1)
    hit = np.flatnonzero((mine[at] == key) & ~own)
    if not len(hit):
        return
    lower = label[owner[hit[0]]]
    instance = int(row[owner[hit[0]]])
    name = sets.ids[instance] if sets.ids is not None else instance
    count = len(np.unique(row[owner[hit]]))
    upper = hierarchy.names[int(above[hit[0]])]
    titles = (hierarchy.titles.get(c) for c in (upper, hierarchy.names[lower]))
    one, other = (f" ({title})" if title else "" for title in titles)
    report.add("warning", "nested labels", where, (
        f"{instances_have(count)} a label that is an ancestor of another one, such as "
        f"{upper!r}{one} above {hierarchy.names[lower]!r}{other} in instance {name!r}; "
        "pair-based and flat measures count both"
    ))  # fmt: skip
