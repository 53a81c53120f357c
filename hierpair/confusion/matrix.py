"""The hierarchical confusion matrix: paths paired with classes, counted, and in classes.

Pairs are chosen by the rule (most TP, fewest FN, most TN), or greedily as published.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from hierpair.confusion.paths import PathPairs, Paths, root_of, spread, ways_down
from hierpair.hierarchy import Hierarchy, takes_hierarchy
from hierpair.hierarchy.arrays import Ints, places_in, places_in_rows, row_numbers, row_sums
from hierpair.labels import LabelSets, are_lowest
from hierpair.lca import name_ranks
from hierpair.pairing import (
    Builder,
    Degree,
    Lexicographic,
    Pairing,
    Rule,
    formulate,
    solve_pairing,
)

FIELDS = ("TP", "FP", "FN", "TN")


def _less_tn(pairs: Any) -> Ints:
    """How many fewer TN a pair has than the one of its instance with the most."""
    most = np.zeros(len(pairs.ptr) - 1, dtype=np.int64)
    np.maximum.at(most, pairs.instance, pairs.tn)
    less: Ints = most[pairs.instance] - pairs.tn
    return less


def left_over(builder: Builder) -> None:
    """Let labels of the side with more of them stay alone: a path is FP, a true class FN."""
    pairs: Any = builder.pairs
    depths = pairs.hierarchy.depths[pairs.true_labels.classes].astype(np.int64)
    n, m = (np.diff(builder.labels(s).ptr) for s in ("predicted", "true"))
    paths_left = (n > m)[pairs.predicted_labels.instance]
    classes_left = (m > n)[pairs.true_labels.instance]
    builder.short("predicted", (pairs.paths.lengths, 0, 0), paths_left)
    builder.short("true", (0, depths, 0), classes_left)


CONFUSION_RULE = Rule(
    Lexicographic((attrgetter("fp"), attrgetter("fn"), _less_tn)),
    (Degree("predicted", 1, 1), Degree("true", 1, 1), left_over),
)
"""With n predicted paths and m true classes min(n, m) pairs are chosen, over :class:`PathPairs`.

Several pairings can be the best ones; the counts of all of them are the same.
"""


@dataclass(frozen=True, eq=False)
class Confusion:
    """The pairing of a batch and the counts of every instance."""

    pairs: PathPairs  # all pairs of a predicted path and a true class, with their counts
    pairing: Pairing  # which were chosen; ``missing`` are paths and classes without partner
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints


@takes_hierarchy
def confusion(
    hierarchy: Hierarchy,
    y_true: LabelSets,
    y_pred: LabelSets,
    pairing: str = "exact",
    empty: str = "root",
    nested: str = "drop",
    blank: str = "ignore",
) -> Confusion:
    """Pair predicted paths with true classes and count.

    BadInput is raised for several roots, a class with several root paths, or a broken path.

    Parameters
    ----------
    hierarchy, y_true, y_pred
        The classes, true labels, and predictions: classes with a single root path, or paths
        (:meth:`LabelSets.from_levels`).
    pairing
        ``"exact"``: by :data:`CONFUSION_RULE`; ``"published"``: the static greedy.
    empty
        A prediction without any label is the path of the root alone (``"root"``), which earns
        TN and takes a class, or no path (``"none"``).
    nested
        Labels above others of their set are left out (``"drop"``) or stay (``"keep"``).
    blank
        Blank labels do not count (``"ignore"``), or each is a path to no class (``"count"``).
    """
    pairs = PathPairs.of_labels(hierarchy, y_true, y_pred, empty=empty, nested=nested, blank=blank)
    if pairing == "published":
        found = greedy_pairing(pairs, y_true)
    else:
        found = solve_pairing(formulate(CONFUSION_RULE, pairs))

    def total(values: Ints, instance: Ints) -> Ints:
        return np.bincount(instance, values, minlength=len(y_true)).astype(np.int64)

    instance = pairs.instance[found.chosen]
    tp, fp, fn, tn = (
        total(x[found.chosen], instance) for x in (pairs.tp, pairs.fp, pairs.fn, pairs.tn)
    )
    path, true = (np.flatnonzero(found.missing[s]) for s in ("predicted", "true"))
    depth = hierarchy.depths[pairs.true_labels.classes[true]].astype(np.int64)
    fp += total(pairs.paths.lengths[path], pairs.predicted_labels.instance[path])
    fn += total(depth, pairs.true_labels.instance[true])
    return Confusion(pairs, found, tp, fp, fn, tn)


def greedy_pairing(pairs: PathPairs, y_true: LabelSets) -> Pairing:
    """Return the published pairing (Riehl et al. 2023, §IV-D, with ties as in its tables).

    Predictions by largest overlap, then the larger names, take the class with the most left.
    """
    path, target, n_paths = pairs.predicted_at, pairs.true_at, len(pairs.paths)
    owner = pairs.predicted_labels.instance
    best = np.full(n_paths, -1)
    np.maximum.at(best, path, pairs.tp)
    names = _spelled(pairs.hierarchy, pairs.paths)
    order = np.lexsort((*-names[::-1], -best, owner))
    turn = np.empty(n_paths, dtype=np.int64)
    turn[order] = np.arange(n_paths) - pairs.paths.ptr[owner[order]]
    place = _cover_order(pairs, y_true)
    by_turn = np.lexsort((place[target], -pairs.tp, path, turn[path]))
    turns = turn[path[by_turn]]
    chosen = np.zeros(len(path), dtype=bool)
    alone, free = np.ones(n_paths, dtype=np.int64), np.ones(len(place), dtype=np.int64)
    for t in range(int(turns.max(initial=-1)) + 1):
        left = by_turn[slice(*np.searchsorted(turns, [t, t + 1]))]
        left = left[free[target[left]] > 0]
        taken = left[np.diff(path[left], prepend=-1) > 0]
        chosen[taken] = True
        alone[path[taken]], free[target[taken]] = 0, 0
    cost, gap = np.full((2, len(pairs.ptr) - 1), np.nan)  # nothing is minimised
    return Pairing(chosen, {"predicted": alone, "true": free}, cost, gap)


def _spelled(hierarchy: Hierarchy, paths: Paths) -> Ints:
    """Return the ranks of the names of every path, a row per step; -1 below its end."""
    step, path = places_in_rows(paths.node_ptr), row_numbers(paths.node_ptr)
    table = np.full((int(step.max(initial=-1)) + 1, len(paths)), -1)
    table[step, path] = name_ranks(hierarchy)[paths.nodes]
    return table


def _cover_order(pairs: PathPairs, sets: LabelSets) -> Ints:
    """Return the place of every true class in a greedy cover of its set by ancestors."""
    h, labels, given = pairs.hierarchy, pairs.true_labels, sets.as_written
    place = np.arange(len(labels))
    if given is not None:
        key, first = np.unique(given.row * len(h) + given.indices, return_index=True)
        place = first[places_in(key, labels.instance * len(h) + labels.classes)]
    nested = row_sums(are_lowest(h, sets), sets.indptr) < sets.lengths
    ptr, above = pairs.closure.gathered(labels.classes)
    for i in np.flatnonzero(nested & (np.diff(labels.ptr) > 1)).tolist():
        open_ = {*sets.indices[slice(*sets.indptr[i : i + 2])].tolist()}
        left = sorted(range(*labels.ptr[i : i + 2].tolist()), key=place.__getitem__)
        covers = {k: open_.intersection(above[ptr[k] : ptr[k + 1]].tolist()) for k in left}
        while left:
            best = max(left, key=lambda k: len(covers[k] & open_))  # the first of equal ones
            place[best] = -len(left)
            left.remove(best)
            open_ -= covers[best]
    return place


@dataclass(frozen=True, eq=False)
class MatrixFields:
    """Classes in fields, an entry for each, as often as the counts have it."""

    owner: Ints  # the pair; paths without partner follow, then true classes without partner
    field: Ints  # position in ``FIELDS``
    classes: Ints  # the number of classes stands for a blank label


def fields_of(c: Confusion) -> MatrixFields:
    """Spell out the chosen pairs, the paths without partner and the true classes without one."""
    pairs, h, n = c.pairs, c.pairs.hierarchy, len(c.pairs.hierarchy)
    picked = np.flatnonzero(c.pairing.chosen)
    unpaired, late = (np.flatnonzero(c.pairing.missing[s]) for s in ("predicted", "true"))
    # paths with partner, then those without, which share the root alone
    path = np.concatenate([pairs.predicted_at[picked], unpaired])
    last = np.concatenate([pairs.fork_at[picked], pairs.paths.node_ptr[unpaired]])
    at = np.arange(len(pairs.paths.nodes), dtype=np.int32)
    owner, at = spread(pairs.paths.node_ptr, at, np.arange(len(path)), path)
    below_root = at > pairs.paths.node_ptr[path][owner]
    shared, alone = (
        (owner[some], pairs.paths.nodes[at[some]])
        for some in (below_root & (at <= last[owner]), at > last[owner])
    )
    blank = np.flatnonzero(pairs.paths.beyond[path])
    # true classes with partner, then those without, whose way begins at the root
    fork, classes = pairs.fork[picked], pairs.true_labels.classes[late]
    down, node = ways_down(
        h,
        pairs.closure,
        np.concatenate([fork, np.full_like(classes, root_of(h))]),
        np.concatenate([pairs.true[picked], classes]),
    )
    missed = down + len(unpaired) * (down >= len(picked)), node
    # siblings of the shared nodes and children of the last one, which neither path takes
    parents = spread(h.parent_ptr, h.parents, *shared)
    beside = spread(h.child_ptr, h.children, *parents)
    below = spread(h.child_ptr, h.children, np.arange(len(picked)), fork)
    keys = [of * n + some for of, some in (beside, below, shared, missed, alone)]
    negative = [np.setdiff1d(keys[0], np.concatenate(keys[2:4]))]
    negative.append(np.setdiff1d(keys[1], np.concatenate(keys[2:])))
    parts = [
        (0, shared),
        (1, alone),
        (1, (blank, np.full(len(blank), n))),
        (2, missed),
        *((3, np.divmod(key, n)) for key in negative),
    ]
    owner, found = (np.concatenate([part[k] for _, part in parts]) for k in range(2))
    field = np.repeat([f for f, _ in parts], [len(part[0]) for _, part in parts])
    return MatrixFields(owner, field, found.astype(np.int64))
