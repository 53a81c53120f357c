"""Faults and doubts in label files, and between the files of truth and predictions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hierpair.checks.findings import FileReport
from hierpair.checks.label_findings import Findings, FirstRows
from hierpair.errors import BadInput, counted, instances_have
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import row_numbers
from hierpair.io import parse_labels
from hierpair.labels import Fault, LabelRows, LabelSets

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
    found.hint = source.hint
    faults: list[Fault] = []
    labels = replace(source, ids=None)
    sets = LabelSets.from_rows(labels, found.hierarchy, unknown="drop", faults=faults.append)
    for fault in faults:
        found.note(fault, source)
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
