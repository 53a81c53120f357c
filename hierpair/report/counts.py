"""In how many instances classes are true, predicted, both, and taken for each other.

An instance counts once for a class, however many of its labels lie below the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from hierpair.hierarchy import Hierarchy, ancestor_closure, mean_ancestors
from hierpair.hierarchy.arrays import Ints, offsets, row_numbers, sorted_unique, sparse_rows
from hierpair.labels import LabelSets
from hierpair.report.drawn_tree import DrawnTree
from hierpair.report.packing import Section, section

BLOCK = 6_000_000
"""Classes of all instances, or pairs of a missed and a wrong label, that are held at a time."""

MOST_CONFUSIONS = 100_000
"""Confusions of all systems together that a page holds."""


def _spans(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Cut things of these sizes into spans that fit into memory, of one thing if it is large."""
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // BLOCK)) + 1
    return (cut for cut in pairwise([0, *cuts.tolist(), len(sizes)]) if cut[0] < cut[1])


def class_counts(
    hierarchy: Hierarchy, y_true: LabelSets, systems: Sequence[LabelSets], tree: DrawnTree
) -> tuple[Ints, Ints]:
    """Count, for every class, the instances that have it in truth, in predictions, and in both.

    Of shapes ``(1 + n_systems, 2, n_classes)``, the truth first, and ``(n_systems, 2, n_classes)``:
    instances that have the class itself, and those that have it or one below it, by place.
    """
    n, sides = len(tree), [y_true, *systems]
    each = np.zeros((len(sides), 2, n), dtype=np.int64)
    both = np.zeros((len(systems), 2, n), dtype=np.int64)
    has_one_parent = not len(tree.more)
    n_labels = np.sum([side.lengths for side in sides], axis=0)
    mean = 1.0 if has_one_parent else mean_ancestors(hierarchy) or tree.depth.mean() + 1
    for lo, hi in _spans((n_labels * mean).astype(np.int64)):
        every = [_keys(side, lo, hi, tree.place) for side in sides]
        above = every if has_one_parent else [_grown(hierarchy, tree, keys) for keys in every]
        for kind, found in enumerate([every, above]):
            branches = kind and has_one_parent
            for k, keys in enumerate(found):
                each[k, kind] += _branch_sums(tree, keys) if branches else _counted(keys, n)
            for k, keys in enumerate(found[1:]):
                merged = np.sort(np.concatenate([found[0], keys]), kind="stable")
                again = np.diff(merged, prepend=-1) == 0
                if branches:  # both have what one has, and the other, less what either has
                    both[k, 1] -= _branch_sums(tree, merged[~again])
                else:
                    both[k, kind] += _counted(merged[again], n)
    if has_one_parent:
        both[:, 1] += each[0, 1] + each[1:, 1]
    return each, both


def _counted(keys: Ints, n: int) -> Ints:
    """Return how many instances have each class."""
    return np.bincount(keys % n, minlength=n)


def _keys(sets: LabelSets, lo: int, hi: int, place: Ints) -> Ints:
    """Return the labels of instances, ascending: row times classes, plus place."""
    part = sets.part(lo, hi)
    return np.sort(row_numbers(part.indptr) * len(place) + place[part.indices])


def _grown(hierarchy: Hierarchy, tree: DrawnTree, keys: Ints) -> Ints:
    """Return the keys of labels and all classes above them, each once."""
    row, place = np.divmod(keys, len(tree))
    labels = tree.order[place]
    closure = ancestor_closure(hierarchy, labels)
    above = closure.pattern[closure.rows(labels)]
    first = np.repeat(row * len(tree), np.diff(above.indptr))
    return sorted_unique(first + tree.place[above.indices])


def _branch_sums(tree: DrawnTree, keys: Ints) -> Ints:
    """Add up the labels of each branch, and take off what an instance has there more than once.

    With the labels of an instance in preorder, a class that is above m of them is above the lowest
    common ancestors of m - 1 neighbours.
    """
    n = len(tree)
    row, place = np.divmod(keys, n)
    beside = np.flatnonzero(row[1:] == row[:-1])
    common = _lowest_common(tree, place[beside], place[beside + 1])
    own = np.bincount(place, minlength=n) - np.bincount(common[common >= 0], minlength=n)
    running = offsets(own)
    return running[tree.end] - running[:-1]


def _lowest_common(tree: DrawnTree, first: Ints, second: Ints) -> Ints:
    """Return the lowest common ancestors of places, the first before the second; -1 for none.

    It is the least of the parents of what stands behind the first, up to the second. Stretches of
    2, 4, 8 … places are looked at in turn; two of them cover a longer one.
    """
    found = np.empty(len(first), dtype=np.int64)
    halvings = np.frexp((second - first).astype(np.float64))[1] - 1  # of 1: 0, of 2 and 3: 1 …
    order = np.argsort(halvings.astype(np.uint8), kind="stable")
    least, width = tree.above.astype(np.int32), 1
    for here in np.split(order, np.cumsum(np.bincount(halvings))[:-1]):
        found[here] = np.minimum(least[first[here] + 1], least[second[here] + 1 - width])
        least[:-width] = np.minimum(least[:-width], least[width:])
        width *= 2
    return found


def class_sections(each: Ints, both: Ints, tree: DrawnTree) -> list[Section]:
    """Return counts of classes for the page, in the order of the drawn tree, systems as 0, 1, …

    ``true``; ``missed:K`` and ``wrong:K``: what is true alone and what is predicted alone; all
    flat. ``true_o``, ``pred_o:K``, ``both_o:K`` lead to the augmented counts: these are sums of
    flat counts less these numbers, over a class and all ways down from it that are shown.
    """
    child = np.flatnonzero(tree.above >= 0)
    links = np.concatenate([np.stack([child, tree.above[child]], axis=1), tree.more])

    def overlap(counts: Ints) -> Ints:  # few and small: most instances are below one child only
        flat, augmented = counts
        below = np.bincount(links[:, 1], augmented[links[:, 0]], len(tree)).astype(np.int64)
        return np.asarray(flat + below - augmented)

    true = each[0, 0]
    found = [section("true", true), section("true_o", overlap(each[0]))]
    for k, (predicted, shared) in enumerate(zip(each[1:], both, strict=True)):
        found += [
            section(f"missed:{k}", true - shared[0]),
            section(f"wrong:{k}", predicted[0] - shared[0]),
            section(f"pred_o:{k}", overlap(predicted)),
            section(f"both_o:{k}", overlap(shared)),
        ]
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
    for lo, hi in _spans(total):
        found = missed[lo:hi] @ wrong
        found.sort_indices()
        new = np.stack([row_numbers(found.indptr) + lo, found.indices, found.data])
        kept = _largest(np.concatenate([kept, new], axis=1), total, most)
    return kept, int(total.sum())


def _largest(pairs: Ints, total: Ints, most: int) -> Ints:
    """Return the most frequent pairs; see :func:`confusions` for which of equally frequent ones."""
    if pairs.shape[1] <= most:
        return pairs
    n_at_least = np.cumsum(np.bincount(pairs[2])[::-1])[::-1]
    pairs = pairs[:, pairs[2] >= np.flatnonzero(n_at_least >= most)[-1]]
    missed, _, times = pairs
    tied = np.flatnonzero(times == times.min())
    new = np.flatnonzero(np.diff(missed[tied], prepend=-1))
    turn = np.arange(len(tied)) - np.repeat(new, np.diff(new, append=len(tied)))
    last = np.lexsort((-total[missed[tied]], turn))[::-1][: pairs.shape[1] - most]
    return np.delete(pairs, tied[last], axis=1)


def confusion_sections(found: Sequence[tuple[Ints, int]], tree: DrawnTree) -> list[Section]:
    """Return the confusions of the systems for the page, by their places in the drawn tree.

    ``conf_missed:K`` (each as the step from the one before), ``conf_wrong:K`` (how far behind the
    missed class it stands), ``conf_times:K``; and ``conf_of``, by system: how many confusions are
    shown, and how many there are in all.
    """
    sections = []
    for k, (pairs, _) in enumerate(found):
        missed, wrong, times = np.stack([*tree.place[pairs[:2]], pairs[2]])
        order = np.lexsort((wrong, missed))
        sections += [
            section(f"conf_missed:{k}", np.diff(missed[order], prepend=0)),
            section(f"conf_wrong:{k}", (wrong - missed)[order]),
            section(f"conf_times:{k}", times[order]),
        ]
    shown = [{"shown": int(pairs[2].sum()), "all": n_all} for pairs, n_all in found]
    return [*sections, section("conf_of", shown)]
