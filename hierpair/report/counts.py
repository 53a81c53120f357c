"""In how many instances classes are true, predicted, both, and taken for each other.

An instance counts once for a class, however many of its labels lie below the class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hierpair.hierarchy import Hierarchy, mean_ancestors
from hierpair.hierarchy.arrays import (
    Ints,
    blocks,
    row_numbers,
    sparse_rows,
    starts_of_ties,
)
from hierpair.labels import LabelSets
from hierpair.labels.sets import augmented_keys
from hierpair.report.drawn_tree import DrawnTree

BLOCK = 6_000_000
"""Classes of all instances, or pairs of a missed and a wrong label, that are held at a time."""

MOST_CONFUSIONS = 100_000
"""Confusions of all systems together that a page holds."""


def class_sections(
    hierarchy: Hierarchy, y_true: LabelSets, systems: Sequence[LabelSets], tree: DrawnTree
) -> dict[str, Ints]:
    """Return counts of classes for the page, in the order of the drawn tree, systems as 0, 1, …

    ``true``; ``missed:K`` and ``wrong:K``: in how many instances a class itself is true alone, and
    predicted alone. ``true_o``, ``pred_o:K``, ``both_o:K`` lead to the augmented counts: these are
    sums of flat counts less these numbers, over a class and all ways down from it that are shown.
    They are few and small: most instances are below one child only.
    """
    n, sides, is_tree = len(tree.order), [y_true, *systems], not len(tree.more)
    each, either = np.zeros((2, len(sides), 2, n), dtype=np.int64)  # either: the truth or this one
    n_labels = np.sum([side.lengths for side in sides], axis=0)
    mean = 1.0 if is_tree else mean_ancestors(hierarchy) or tree.depth.mean() + 1
    twice = _twice_below(tree) if is_tree else lambda keys: flat(keys)[tree.order]

    def flat(keys: Ints) -> Ints:
        return np.bincount(keys % n, minlength=n)

    for lo, hi in blocks((np.cumsum(n_labels * mean), BLOCK)):
        parts = [side.part(lo, hi) for side in sides]
        placed = [np.sort(part.row * n + tree.place[part.indices]) for part in parts]
        grown = placed if is_tree else [augmented_keys(hierarchy, part) for part in parts]
        for kind, (sets, counted) in enumerate(((placed, flat), (grown, twice))):
            for k, keys in enumerate(sets):
                each[k, kind] += counted(keys)
                merged = np.sort(np.concatenate([sets[0], keys]), kind="stable")
                either[k, kind] += counted(merged[np.diff(merged, prepend=-1) > 0])
    if not is_tree:  # what is below the children of a class, less what is below the class
        child, above = np.hstack([[np.arange(n), tree.above], tree.more.T])
        for counts in (*each, *either):
            below = np.bincount(above + 1, counts[1][child], n + 1)[1:].astype(np.int64)
            counts[1] = counts[0] + below - counts[1]
    (true, true_o), *predicted = each
    found = {"true": true, "true_o": true_o}
    for k, (pred, pred_o) in enumerate(predicted):
        both, both_o = each[0] + each[1 + k] - either[1 + k]
        found[f"missed:{k}"], found[f"wrong:{k}"] = true - both, pred - both
        found[f"pred_o:{k}"], found[f"both_o:{k}"] = pred_o, both_o
    return found


def _twice_below(tree: DrawnTree) -> Callable[[Ints], Ints]:
    """Return what tells how often instances are below several children of a class, or it and one.

    With the labels of an instance in preorder, a class that is above m of them is the lowest common
    ancestor of neighbours, or above it, m - 1 times. Such an ancestor is the least of the parents
    of what stands behind the first of both, up to the second: two stretches of 1, 2, 4 … places
    cover it.
    """
    n = len(tree.order)
    least = np.tile(tree.above.astype(np.int32), (n.bit_length(), 1))
    for k in range(1, len(least)):
        half = 1 << k - 1
        least[k, :-half] = np.minimum(least[k - 1, :-half], least[k - 1, half:])

    def counted(keys: Ints) -> Ints:
        row, place = np.divmod(keys, n)
        beside = np.flatnonzero(row[1:] == row[:-1])
        first, second = place[beside] + 1, place[beside + 1] + 1
        k = np.frexp(second - first)[1] - 1
        common = np.minimum(least[k, first], least[k, second - (1 << k)])
        return np.bincount(common[common >= 0], minlength=n)

    return counted


def confusions(
    y_true: LabelSets, y_pred: LabelSets, most: int = MOST_CONFUSIONS
) -> tuple[Ints, int]:
    """Return pairs of a missed and a wrong class, ascending, each with its number of instances
    as a third row, and the number of all pairs in all instances.

    Every missed label of an instance is paired with every wrong one. Of pairs that are equally
    frequent first one of every missed class is kept, then a second one …, and of these first those
    of the class with the most confusions.
    """
    true, pred = (
        sparse_rows(side.indptr, side.indices, side.n_classes).astype(np.int32, copy=False)
        for side in (y_true, y_pred)
    )
    both = true.multiply(pred)
    missed, wrong = (true - both).T.tocsr(), pred - both
    missed.eliminate_zeros()
    wrong.eliminate_zeros()
    total = missed @ np.diff(wrong.indptr)
    kept = np.zeros((3, 0), dtype=np.int64)
    for lo, hi in blocks((np.cumsum(total), BLOCK)):
        found = missed[lo:hi] @ wrong
        found.sort_indices()
        new = np.stack([row_numbers(found.indptr) + lo, found.indices, found.data])
        kept = np.concatenate([kept, new], axis=1)
        if kept.shape[1] > most:
            kept = kept[:, kept[2] >= np.partition(kept[2], -most)[-most]]
            tied = np.flatnonzero(kept[2] == kept[2].min())
            first = starts_of_ties(kept[0, tied])
            turn = np.arange(len(tied)) - np.repeat(first, np.diff(first, append=len(tied)))
            last = np.lexsort((-total[kept[0, tied]], turn))[::-1][: kept.shape[1] - most]
            kept = np.delete(kept, tied[last], axis=1)
    return kept, int(total.sum())


def confusion_sections(found: Sequence[tuple[Ints, int]], tree: DrawnTree) -> dict[str, Any]:
    """Return the confusions of the systems for the page, by their places in the drawn tree.

    ``conf_missed:K`` (each as the step from the one before), ``conf_wrong:K`` (how far behind the
    missed class it stands), ``conf_times:K``; and ``conf_of``, by system: how many confusions are
    shown, and how many there are in all.
    """
    sections = dict[str, Any]()
    for k, (pairs, _) in enumerate(found):
        missed, wrong = tree.place[pairs[:2]]
        order = np.lexsort((wrong, missed))
        sections[f"conf_missed:{k}"] = np.diff(missed[order], prepend=0)
        sections[f"conf_wrong:{k}"] = (wrong - missed)[order]
        sections[f"conf_times:{k}"] = pairs[2, order]
    sections["conf_of"] = [{"shown": int(pairs[2].sum()), "all": n_all} for pairs, n_all in found]
    return sections
