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
    offsets,
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


def class_counts(
    hierarchy: Hierarchy, y_true: LabelSets, systems: Sequence[LabelSets], tree: DrawnTree
) -> tuple[Ints, Ints]:
    """Count, for every class, the instances that have it in truth, in predictions, and in both.

    Of shapes ``(1 + n_systems, 2, n_classes)``, the truth first, and ``(n_systems, 2, n_classes)``:
    instances that have the class itself, and those that have it or one below it, by place.
    """
    n, sides, is_tree = len(tree.order), [y_true, *systems], not len(tree.more)
    each, either = np.zeros((2, len(sides), 2, n), dtype=np.int64)  # either: the truth or this one
    n_labels = np.sum([side.lengths for side in sides], axis=0)
    mean = 1.0 if is_tree else mean_ancestors(hierarchy) or tree.depth.mean() + 1

    def flat(keys: Ints) -> Ints:
        return np.bincount(keys % n, minlength=n)

    for lo, hi in blocks((np.cumsum(n_labels * mean), BLOCK)):
        parts = [side.part(lo, hi) for side in sides]
        placed = [np.sort(part.row * n + tree.place[part.indices]) for part in parts]
        views: list[tuple[list[Ints], Callable[[Ints], Ints]]] = [(placed, flat)]
        if is_tree:
            views.append((placed, _branches(tree)))
        else:
            grown = [augmented_keys(hierarchy, part) for part in parts]
            views.append((grown, lambda keys: flat(keys)[tree.order]))
        for kind, (sets, counted) in enumerate(views):
            for k, keys in enumerate(sets):
                each[k, kind] += counted(keys)
                merged = np.sort(np.concatenate([sets[0], keys]), kind="stable")
                either[k, kind] += counted(merged[np.diff(merged, prepend=-1) > 0])
    return each, (each[0] + each - either)[1:]


def _branches(tree: DrawnTree) -> Callable[[Ints], Ints]:
    """Return what adds up the labels of each branch, less what an instance has there once more.

    With the labels of an instance in preorder, a class that is above m of them is above the lowest
    common ancestors of m - 1 neighbours. Such an ancestor is the least of the parents of what
    stands behind the first of both, up to the second: two stretches of 1, 2, 4 … places cover it.
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
        own = np.bincount(place, minlength=n) - np.bincount(common[common >= 0], minlength=n)
        running = offsets(own)
        return running[tree.end] - running[:-1]

    return counted


def class_sections(each: Ints, both: Ints, tree: DrawnTree) -> dict[str, Ints]:
    """Return counts of classes for the page, in the order of the drawn tree, systems as 0, 1, …

    ``true``; ``missed:K`` and ``wrong:K``: what is true alone and what is predicted alone; all
    flat. ``true_o``, ``pred_o:K``, ``both_o:K`` lead to the augmented counts: these are sums of
    flat counts less these numbers, over a class and all ways down from it that are shown.
    """
    child = np.flatnonzero(tree.above >= 0)
    links = np.concatenate([np.stack([child, tree.above[child]], axis=1), tree.more])

    def overlap(counts: Ints) -> Ints:  # few and small: most instances are below one child only
        flat, augmented = counts
        below = np.bincount(links[:, 1], augmented[links[:, 0]], len(flat)).astype(np.int64)
        return np.asarray(flat + below - augmented)

    true = each[0, 0]
    found = {"true": true, "true_o": overlap(each[0])}
    for k, (predicted, shared) in enumerate(zip(each[1:], both, strict=True)):
        found[f"missed:{k}"] = true - shared[0]
        found[f"wrong:{k}"] = predicted[0] - shared[0]
        found[f"pred_o:{k}"] = overlap(predicted)
        found[f"both_o:{k}"] = overlap(shared)
    return found


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
