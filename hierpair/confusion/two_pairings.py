"""Which path is paired with which class: by the rule (most TP, fewest FN, most TN), or greedily."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierpair.confusion.path_pairs import PathPairs, name_ranks
from hierpair.confusion.root_paths import Paths
from hierpair.errors import BadInput
from hierpair.hierarchy import Hierarchy, ancestor_closure
from hierpair.hierarchy.arrays import Ints, row_numbers, row_sums
from hierpair.labels import LabelSets, are_lowest
from hierpair.labels.coded import places_in
from hierpair.pairing import Builder, Degree, Lexicographic, Pairing, Pairs, Rule

__all__ = ["CONFUSION_RULE", "greedy_pairing"]


def _more_fp(pairs: Pairs) -> Ints:
    """Classes of the path alone, which are fewest where TP are most, as the paths are given."""
    return _with_paths(pairs).fp


def _more_fn(pairs: Pairs) -> Ints:
    """Classes that the path misses."""
    return _with_paths(pairs).fn


def _less_tn(pairs: Pairs) -> Ints:
    """How many fewer TN a pair has than the one of its instance with the most.

    The number of chosen pairs is given.
    """
    tn = _with_paths(pairs).tn
    most = np.zeros(len(pairs.ptr) - 1, dtype=np.int64)
    np.maximum.at(most, pairs.instance, tn)
    return most[pairs.instance] - tn


@dataclass(frozen=True)
class LeftOver:
    """Of the side with more labels, those without partner: a path is FP, a true class FN."""

    def __call__(self, builder: Builder) -> None:
        """Open the arcs to the default class where a side has more labels than the other."""
        pairs = _with_paths(builder.pairs)
        depths = pairs.hierarchy.depths[pairs.true_labels.classes].astype(np.int64)
        n, m = (np.diff(builder.labels(s).ptr) for s in ("predicted", "true"))
        paths_left = (n > m)[pairs.predicted_labels.instance]
        classes_left = (m > n)[pairs.true_labels.instance]
        builder.short("predicted", (pairs.paths.lengths, 0, 0), paths_left)
        builder.short("true", (0, depths, 0), classes_left)


CONFUSION_RULE = Rule(
    Lexicographic((_more_fp, _more_fn, _less_tn)),
    (Degree("predicted", 1, 1), Degree("true", 1, 1), LeftOver()),
)
"""With n predicted paths and m true classes min(n, m) pairs are chosen, over :class:`PathPairs`.

Several pairings can be the best ones; the counts of all of them are the same.
"""


def _with_paths(pairs: Pairs) -> PathPairs:
    if not isinstance(pairs, PathPairs):
        raise BadInput("this rule pairs root paths: make the pairs by PathPairs.of_labels")
    return pairs


def greedy_pairing(pairs: PathPairs, y_true: LabelSets) -> Pairing:
    """Return the published pairing; its cost counts the FP, as that of the exact one does.

    Predictions are ordered once by their largest overlap with any true class, largest first, of
    equal ones the larger list of names first; each takes the class with the largest overlap that
    is left, of equal ones the first (Riehl et al. 2023, §IV-D, with the tie order of the
    published tables). All instances choose at the same time, prediction by prediction.

    Parameters
    ----------
    pairs
        All pairs.
    y_true
        The true labels that they were made of, whose order breaks ties.
    """
    path, target, n_paths = pairs.predicted_at, pairs.true_at, len(pairs.paths)
    owner = pairs.predicted_labels.instance
    best = np.full(n_paths, -1, dtype=np.int64)
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
    n = len(pairs.ptr) - 1
    cost = np.bincount(owner, pairs.paths.lengths, minlength=n).astype(np.float64)
    cost -= np.bincount(pairs.instance[chosen], pairs.tp[chosen], minlength=n)
    return Pairing(chosen, {"predicted": alone, "true": free}, cost, np.zeros(n))


def _spelled(hierarchy: Hierarchy, paths: Paths) -> Ints:
    """Return the ranks of the names of every path, a row per step; -1 below its end."""
    length = np.diff(paths.node_ptr)
    table = np.full((int((length + paths.beyond).max(initial=0)), len(paths)), -1, dtype=np.int64)
    row = row_numbers(paths.node_ptr)
    table[np.arange(len(row)) - paths.node_ptr[row], row] = name_ranks(hierarchy)[paths.nodes] + 1
    blank = np.flatnonzero(paths.beyond)
    table[length[blank], blank] = 0  # a blank name comes before all others
    return table


def _cover_order(pairs: PathPairs, sets: LabelSets) -> Ints:
    """Return the place of every true class in the order of a greedy cover of its set.

    First comes the class whose ancestors cover most labels that are not covered yet, of equal ones
    the first given. Where no label is above another each covers itself alone.
    """
    h, labels, given = pairs.hierarchy, pairs.true_labels, sets.as_written
    place = np.arange(len(labels))
    if given is not None:
        key, first = np.unique(row_numbers(given.ptr) * len(h) + given.classes, return_index=True)
        place = first[places_in(key, labels.instance * len(h) + labels.classes)]
    nested = row_sums(are_lowest(h, sets), sets.indptr) < sets.lengths
    for i in np.flatnonzero(nested & (np.diff(labels.ptr) > 1)).tolist():
        open_ = set(sets.indices[sets.indptr[i] : sets.indptr[i + 1]].tolist())
        left = sorted(range(*labels.ptr[i : i + 2].tolist()), key=place.__getitem__)
        classes = labels.classes[left]
        closure = ancestor_closure(h, labels.classes)
        covers = {
            k: open_.intersection(closure.expanded(classes[[j]])[1].tolist())
            for j, k in enumerate(left)
        }
        while left:
            best = max(left, key=lambda k: len(covers[k] & open_))  # the first of equal ones
            place[best] = -len(left)
            left.remove(best)
            open_ -= covers[best]
    return place
