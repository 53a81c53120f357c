"""Which instances a page lists: the worst ones, and those on which two systems differ most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hierpair.evaluation.scores import lowest_places
from hierpair.hierarchy import Hierarchy
from hierpair.hierarchy.arrays import Bools, Floats, Ints, offsets
from hierpair.labels import LabelSets
from hierpair.report.subject import Subject

__all__ = ["MOST_SUBTREES", "InstanceList", "instance_lists"]

MOST_SUBTREES = 12
"""Subtrees below the top that have lists of their own: those with most instances."""


LISTED_OF_LARGE = 3
"""Measures of large data that have lists: the first ones."""


@dataclass(frozen=True, eq=False)
class InstanceList:
    """Instances that stand together on a page.

    Attributes
    ----------
    kind
        ``"worst"`` or ``"difference"``.
    title
        Above the list.
    systems
        Numbers of one system, or of two that differ.
    measure
        Number of the measure.
    subtree
        Class number of the subtree that the truths have a class of, or None.
    places
        Positions of the instances.
    """

    kind: str
    title: str
    systems: tuple[int, ...]
    measure: int
    subtree: int | None
    places: Ints


def instance_lists(subject: Subject, k: int, n_true: Ints) -> list[InstanceList]:
    """Return the lists of ``k`` instances, the most telling first.

    Parameters
    ----------
    subject
        With labels and values of instances.
    k
        Instances of a list.
    n_true
        By class, the instances whose truth has it or a class below.
    """
    n_listed = LISTED_OF_LARGE if subject.is_large else len(subject.measures)
    measures = range(min(n_listed, len(subject.measures)))
    lists = [
        *_worst(subject, k, 0),
        *_differences(subject, k, 0),
        *_in_subtrees(subject, k, n_true),
        *(found for m in measures[1:] for found in _worst(subject, k, m)),
        *(found for m in measures[1:] for found in _differences(subject, k, m)),
    ]
    return [found for found in lists if len(found.places)]


def _upwards(subject: Subject, system: str, m: int) -> Floats:
    """Return the values of the instances, errors with their sign turned."""
    values: Floats = subject.scores.per_instance[subject.shown_runs[system]][:, m]
    return values if subject.measures[m].higher_is_better else -values


def _named(subject: Subject, system: str) -> str:
    """Return the name of a system, with its run where it has several."""
    run = subject.shown_runs[system]
    return system if run == system else f"{system} (run {run})"


def _equal(values: Floats, lowest: Ints) -> str:
    """Say how many further instances are as bad as the last one of a list."""
    if not len(lowest):
        return ""
    last = values[lowest[-1]]
    n = int((values == last).sum() - (values[lowest] == last).sum())
    return f" ({n:,} more {'has' if n == 1 else 'have'} the value of the last)" if n else ""


def _worst(subject: Subject, k: int, m: int) -> Iterator[InstanceList]:
    """Yield the worst instances of every system; those for which it has no pairing come first.

    What is left out since another system has no pairing has no value, and is in no list.
    """
    own = subject.scores.no_pairing_at or subject.scores.infeasible_at
    label, name = subject.measures[m].label, subject.measures[m].name
    for i, system in enumerate(subject.systems):
        none = np.zeros(0, dtype=np.int64)
        blocked = own.get((subject.shown_runs[system], name), none)[:k]
        values = _upwards(subject, system, m)
        lowest = lowest_places(values, k - len(blocked))
        title = f"{_named(subject, system)}: worst by {label}{_equal(values, lowest)}"
        yield InstanceList("worst", title, (i,), m, None, np.concatenate([blocked, lowest]))


def _in_subtrees(subject: Subject, k: int, n_true: Ints) -> Iterator[InstanceList]:
    """Yield the worst instances below each class under the top, by the first measure."""
    labels = subject.labels
    if labels is None:
        return
    chosen, truth = _subtrees(labels.hierarchy, n_true), labels.truth
    label = subject.measures[0].label
    masks = {c: _with_class_of(labels.hierarchy, truth, c) for c in chosen}
    for i, system in enumerate(subject.systems):
        values = _upwards(subject, system, 0)
        for c, inside in masks.items():
            rows = np.flatnonzero(inside)
            name = _named(subject, system)
            title = f"{name}: worst by {label}, true class in {labels.hierarchy.names[c]}"
            lowest = lowest_places(values[rows], k)
            title += _equal(values[rows], lowest)
            yield InstanceList("worst", title, (i,), 0, c, rows[lowest])


def _subtrees(hierarchy: Hierarchy, n_true: Ints) -> list[int]:
    """Return the classes under the root, or the roots, with most instances; not a single one."""
    top: Any = hierarchy.root_indices
    if len(top) == 1:
        root = int(top[0])
        top = hierarchy.children[hierarchy.child_ptr[root] : hierarchy.child_ptr[root + 1]]
    occurring = [int(c) for c in top.tolist() if n_true[c]]
    occurring.sort(key=lambda c: (-int(n_true[c]), c))
    return occurring[:MOST_SUBTREES] if len(occurring) > 1 else []


def _with_class_of(hierarchy: Hierarchy, truth: LabelSets, c: int) -> Bools:
    """Return which truths have a class or one below it."""
    inside = np.zeros(len(hierarchy), dtype=bool)
    inside[[c, *hierarchy.reached(c, upwards=False).tolist()]] = True
    upto = offsets(inside[truth.indices])
    found: Bools = upto[truth.indptr[1:]] > upto[truth.indptr[:-1]]
    return found


def _differences(subject: Subject, k: int, m: int) -> Iterator[InstanceList]:
    """Yield the largest gains and losses of the best system against every other."""
    best = subject.best
    if len(subject.systems) < 2 or not subject.paired:
        return
    name, label = subject.systems[best], subject.measures[m].label
    ours = _upwards(subject, name, m)
    for i, other in enumerate(subject.systems):
        if i == best:
            continue
        gain = ours - _upwards(subject, other, m)
        for who, whom, lead in ((name, other, gain), (other, name, -gain)):
            places = lowest_places(np.where(lead > 0, -lead, np.nan), k)
            title = f"{_named(subject, who)} ahead of {_named(subject, whom)} by {label}"
            yield InstanceList("difference", title, (best, i), m, None, places)
